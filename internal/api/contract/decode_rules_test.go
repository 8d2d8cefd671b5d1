package contract

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier"
)

// decodeInto decodes a body and returns the paths of its issues.
func decodeInto[T any](t *testing.T, body string) (T, string) {
	t.Helper()
	var dst struct{ Body T }
	in := NewInput(NewRegistry(), reflect.TypeFor[struct{ Body T }]())
	issues := in.Decode(httptest.NewRequest(http.MethodPost, "/", nil), Body{Data: []byte(body)},
		time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), reflect.ValueOf(&dst).Elem())
	var found []string
	for _, issue := range issues {
		found = append(found, strings.Join(issue.Path, ".")+": "+issue.Message)
	}
	return dst.Body, strings.Join(found, "; ")
}

func TestIntegersMayHaveAZeroFraction(t *testing.T) {
	t.Parallel()
	for number, want := range map[json.Number]json.Number{
		"2": "2", "2.0": "2", "2e0": "2", "20e-1": "2", "0.2E+1": "2", "-2.000": "-2", "0.0": "0", "-0": "0",
		"0e9": "0",
		"1e3": "1000", "0.002e3": "2", "100000000000000000": "100000000000000000",
	} {
		if got, ok := integerValue(number); !ok || got != want {
			t.Errorf("%s is read as %s, %v; want %s", number, got, ok, want)
		}
	}
	for _, number := range []json.Number{"2.5", "1e-1", "1.00000000000000000000000001", "1e99",
		"1e99999999999999999999",
		"18446744073709551616"} {
		if got, ok := integerValue(number); ok {
			t.Errorf("%s is read as %s", number, got)
		}
	}
}

func TestNumbersOfTheContract(t *testing.T) {
	t.Parallel()
	slot, issues := decodeInto[crier.SlotCreate](t, `{"hour":9.0,"minute":3e1,"daysOfWeek":[1.0,2]}`)
	if issues != "" || slot.Hour != 9 || slot.Minute != 30 {
		t.Errorf("the slot is %+v: %s", slot, issues)
	}
	actions, issues := decodeInto[crier.PostCreate](t, `{"postPublishActions":{"recurrenceIntervalDays":7.0,
		"engagementCommentTrigger":{"likeThreshold":5.0,"windowHours":1.5,"comment":{"text":"Thanks"}},
		"repostAfter":{"offsetDays":2.5}}}`)
	a := actions.PostPublishActions
	if issues != "" || *a.RecurrenceIntervalDays != 7 || a.EngagementCommentTrigger.LikeThreshold != 5 ||
		a.EngagementCommentTrigger.WindowHours != 1.5 || a.RepostAfter.OffsetDays != 2.5 {
		t.Errorf("the actions are %+v: %s", a, issues)
	}
	for body, want := range map[string]string{
		`{"postPublishActions":{"engagementCommentTrigger":{"likeThreshold":1.5,"windowHours":1,"comment":{"text":"a"}}}}`: "postPublishActions.engagementCommentTrigger.likeThreshold: must be a whole number from 1 to 1000000000, got 1.5",
		`{"postPublishActions":{"recurrenceIntervalDays":1.5}}`:                                                            "postPublishActions.recurrenceIntervalDays: must be a whole number from 1 to 365, got 1.5",
		`{"postPublishActions":{"repostAfter":{"offsetDays":0.5}}}`:                                                        "postPublishActions.repostAfter.offsetDays: must be a number from 1 to 30, got 0.5",
		`{"postPublishActions":{"repostAfter":{"offsetDays":30.5}}}`:                                                       "postPublishActions.repostAfter.offsetDays: must be a number from 1 to 30, got 30.5",
	} {
		if _, issues := decodeInto[crier.PostCreate](t, body); issues != want {
			t.Errorf("%s: %q, want %q", body, issues, want)
		}
	}
	if data, issues := decodeInto[crier.OrganizationUpdate](t, `{"onboardingData":{"version":1.0,"status":"in_progress",
		"currentStep":"goals","completedSteps":[]}}`); issues != "" || data.OnboardingData.Value.Version != 1 {
		t.Errorf("the onboarding data are %+v: %s", data.OnboardingData.Value, issues)
	}
}

func TestEquivalentIDsAreOneKey(t *testing.T) {
	t.Parallel()
	const id = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
	body := `{"socialAccountIds":["` + id + `"],"scheduledAt":"2026-11-16T09:00:00Z",
		"platformSettingsBySocialAccountId":{"` + id + `":{},"` + strings.ToUpper(id) + `":{}}}`
	want := "platformSettingsBySocialAccountId." + id + ": is the same id as " + strings.ToUpper(id) +
		"; each may be given once"
	if _, issues := decodeInto[crier.ScheduleRequest](t, body); issues != want {
		t.Errorf("issues %q, want %q", issues, want)
	}
}

// A member that cannot be decoded does not keep the rules across fields from what follows it.
func TestRulesAcrossFieldsSeeWhatIsValid(t *testing.T) {
	t.Parallel()
	const badID = "socialAccountIds.0: must be a UUID, such as 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
	for more, want := range map[string]string{
		`"scheduledAt":"2026-11-16T09:00:00Z"`: "",
		`"scheduledAt":"2026-11-16T09:00:00Z","useNextSlot":true`: "scheduledAt: give either scheduledAt or " +
			"useNextSlot: true, not both",
		`"scheduledAt":"2027-11-16T09:00:00Z"`: "scheduledAt: must be at least 60 seconds in the future and within " +
			"90 days; the server's time is 2026-11-15T09:00:00.000Z",
	} {
		want = strings.TrimSuffix(badID+"; "+want, "; ")
		if _, issues := decodeInto[crier.ScheduleRequest](t, `{"socialAccountIds":["x"],`+more+`}`); issues != want {
			t.Errorf("%s: %q, want %q", more, issues, want)
		}
	}
}

func TestOperationsWithoutABodyRejectOne(t *testing.T) {
	t.Parallel()
	in := NewInput(NewRegistry(), reflect.TypeFor[struct{}]())
	for body, good := range map[string]bool{"": true, " \n": true, "{}": true, " {} ": true, "[]": false, "junk": false,
		`{"a":1}`: false, "null": false} {
		var dst struct{}
		issues := in.Decode(httptest.NewRequest(http.MethodPost, "/", nil), Body{Data: []byte(body)}, time.Now(),
			reflect.ValueOf(&dst).Elem())
		if (len(issues) == 0) != good {
			t.Errorf("%q: %v", body, issues)
		}
	}
}
