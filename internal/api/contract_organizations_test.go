package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/server/servertest"
)

// wireTime is the format of every time in responses.
var wireTime = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)

func TestNewOrganizationHasEveryField(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		got := s.Do(t, "POST", "/v1/organizations", object{"name": "  Acme  "}).Want(t, http.StatusCreated)
		for name, want := range map[string]any{
			"name": "Acme", "billingEmail": nil, "onboardingData": nil, "paymentCustomerId": nil,
			"paymentSubscriptionId": nil,
			"paymentMethodId":       nil, "paymentMeteredSubscriptionItemId": nil, "creditsBalance": json.Number("0"),
			"reservedCredits": json.Number("0"), "autoRechargeEnabled": false, "autoRechargeThreshold": nil,
			"autoRechargeAmount": nil, "isSubscribed": false, "subscriptionStatus": "none", "subscriptionPlan": "free",
		} {
			if value := got.Get(t, name); value != want {
				t.Errorf("%s is %v, want %v", name, value, want)
			}
		}
		for _, name := range []string{"subscriptionStartedAt", "subscriptionEndsAt", "subscriptionCurrentPeriodEnd",
			"createdAt", "updatedAt"} {
			if !wireTime.MatchString(got.Text(t, name)) {
				t.Errorf("%s is %q", name, got.Text(t, name))
			}
		}
		if got.Text(t, "subscriptionStartedAt") != got.Text(t, "createdAt") {
			t.Error("the free plan does not start with the organization")
		}
		end, err := time.Parse(time.RFC3339, got.Text(t, "subscriptionEndsAt"))
		if err != nil || end.Before(time.Now()) || end.After(time.Now().AddDate(0, 1, 1)) {
			t.Errorf("the running period ends at %s", end)
		}
		again := s.Do(t, "GET", "/v1/organizations/"+got.Text(t, "id"), nil).Want(t, http.StatusOK)
		if !reflect.DeepEqual(again.JSON, got.JSON) {
			t.Errorf("read back: %s\nmade: %s", again.Body, got.Body)
		}
	})
}

func TestCreatingAnOrganizationCreatesATeamAndAnAdmin(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		id := s.Do(t, "POST", "/v1/organizations", object{"name": " Acme "}).Want(t, http.StatusCreated).Text(t, "id")
		teams := s.Do(t, "GET", "/v1/teams?organizationId="+id, nil).Want(t, http.StatusOK)
		if fmt.Sprint(teams.Get(t, "total")) != "1" || teams.Text(t, "data", 0, "name") != "Acme" {
			t.Errorf("the teams of the new organization: %s", teams.Body)
		}
		// The same token reads and administers the organization it created; its user is an admin as well.
		s.Do(t, "PATCH", "/v1/organizations/"+id, object{"name": "Acme Corp"}).Want(t, http.StatusOK)
		if n := s.Number(t, `SELECT count(*) FROM memberships WHERE organization_id = $1 AND role = 'admin'
			AND all_teams`, id); n != 2 {
			t.Errorf("%d admins, want the key and the person behind it", n)
		}
		list := s.Do(t, "GET", "/v1/organizations?sortOrder=asc", nil).Want(t, http.StatusOK)
		if fmt.Sprint(list.Get(t, "total")) != "2" || list.Text(t, "data", 1, "name") != "Acme Corp" {
			t.Errorf("the list of organizations: %s", list.Body)
		}
	})
}

func TestOrganizationNames(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.Number(t, `SELECT count(*) FROM organizations`)
		cases := names("name")
		created := int64(len(slices.DeleteFunc(slices.Clone(cases), func(c field) bool { return c.issues != nil })))
		s.tryFields(t, "POST", "/v1/organizations", nil, "name", http.StatusCreated,
			append(cases, field{"absent", absent{}, []string{"name"}}))
		if n := s.Number(t, `SELECT count(*) FROM organizations`); n != before+created {
			t.Errorf("%d organizations were made, want %d", n-before, created)
		}
		s.tryFields(t, "PATCH", path("/v1/organizations/%s", s.Organization), nil, "name", http.StatusOK,
			append(cases, field{"absent", absent{}, nil}))
	})
}

func TestOrganizationSettings(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		address := path("/v1/organizations/%s", s.Organization)
		email := []string{"billingEmail"}
		s.tryFields(t, "PATCH", address, nil, "billingEmail", http.StatusOK, []field{
			{"an address", "ada@example.com", nil},
			{"plus and dots", "ada.l+crier@mail.example.co.uk", nil},
			{"254 characters", strings.Repeat("a", 64) + "@" + strings.Repeat("b", 185) + ".org", nil},
			{"null clears", nil, nil},
			{"absent", absent{}, nil},
			{"255 characters", strings.Repeat("a", 64) + "@" + strings.Repeat("b", 186) + ".org", email},
			{"empty", "", email},
			{"no @", "ada", email},
			{"nothing behind @", "ada@", email},
			{"a display name", "Ada <ada@example.com>", email},
			{"two addresses", "a@example.com, b@example.com", email},
			{"a line break, as mail headers are injected", "a@example.com\nBcc: b@example.com", email},
			{"white space around", " ada@example.com ", email},
			{"number", 7, email},
		})
		s.tryFields(t, "PATCH", address, nil, "returnOrigins", http.StatusOK, []field{
			{"several", []string{"https://app.example.com", "http://localhost:3000"}, nil},
			{"none", []string{}, nil}, {"absent", absent{}, nil},
			{"null", nil, []string{"returnOrigins"}},
			{"text", "https://app.example.com", []string{"returnOrigins"}},
			{"too many", slices.Repeat([]string{"https://app.example.com"}, 51), []string{"returnOrigins"}},
			{"no origins", []any{"https://app.example.com", "http://app.example.com", "https://app.example.com/path", 7,
				"https://*.example.com"}, []string{"returnOrigins.1", "returnOrigins.2", "returnOrigins.3",
				"returnOrigins.4"}},
		})
		enabled := []string{"autoRechargeEnabled"}
		s.tryFields(t, "PATCH", address, nil, "autoRechargeEnabled", http.StatusOK, []field{
			{"false", false, nil}, {"absent", absent{}, nil}, {"null", nil, enabled}, {"text", "true", enabled},
			{"number", 1, enabled},
		})
		for _, name := range []string{"autoRechargeThreshold", "autoRechargeAmount"} {
			bad := []string{name}
			s.tryFields(t, "PATCH", address, nil, name, http.StatusOK, []field{
				{"the least", 1, nil}, {"much", 1_000_000_000_000, nil}, {"null clears", nil, nil},
				{"absent", absent{}, nil},
				{"zero", 0, bad}, {"negative", -1, bad}, {"too much", 1_000_000_000_001, bad}, {"a fraction", 1.5, bad},
				{"text", "5", bad}, {"huge", json.Number("1e400"), bad},
				{"beyond 64 bits", json.Number("9223372036854775808"), bad},
			})
		}
		s.Do(t, "PATCH", address, object{"creditsBalance": 1, "paymentMethodId": "pm_1", "id": unknownID,
			"Name": "Acme"}).
			WantIssues(t, "creditsBalance", "paymentMethodId", "id", "Name")
	})
}

func TestPatchChangesOnlyNamedFields(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		address := path("/v1/organizations/%s", s.Organization)
		full := object{"name": "Acme", "billingEmail": "ada@example.com", "autoRechargeThreshold": 5,
			"autoRechargeAmount": 50, "onboardingData": onboarding(nil)}
		before := s.Do(t, "PATCH", address, full).Want(t, http.StatusOK).JSON.(map[string]any)
		changes := object{"name": "Acme 2", "billingEmail": nil, "autoRechargeThreshold": nil,
			"autoRechargeAmount": nil, "onboardingData": nil}
		for name, value := range changes {
			c.Advance(time.Second)
			after := s.Do(t, "PATCH", address, object{name: value}).Want(t, http.StatusOK).JSON.(map[string]any)
			if after["updatedAt"].(string) <= before["updatedAt"].(string) {
				t.Errorf("%s: updatedAt did not move", name)
			}
			want := maps.Clone(before)
			want[name], want["updatedAt"] = value, after["updatedAt"]
			if !reflect.DeepEqual(after, want) {
				t.Errorf("%s: got %v\nwant %v", name, after, want)
			}
			before = after
		}
	})
}

func TestAutomaticRechargeNeedsAmountsAndAPaymentMethod(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		address := path("/v1/organizations/%s", s.Organization)
		on := func(more object) object {
			body := object{"autoRechargeEnabled": true}
			maps.Copy(body, more)
			return body
		}
		s.Do(t, "PATCH", address, on(nil)).WantIssues(t, "autoRechargeThreshold", "autoRechargeAmount")
		s.Do(t, "PATCH", address, on(object{"autoRechargeAmount": 5})).WantIssues(t, "autoRechargeThreshold")
		s.Do(t, "PATCH", address, on(object{"autoRechargeThreshold": 5})).WantIssues(t, "autoRechargeAmount")
		s.Do(t, "PATCH", address, on(object{"autoRechargeThreshold": 0, "autoRechargeAmount": -1})).WantIssues(t,
			"autoRechargeThreshold", "autoRechargeAmount")
		complete := on(object{"autoRechargeThreshold": 5, "autoRechargeAmount": 50})
		s.Do(t, "PATCH", address, complete).WantError(t, http.StatusConflict, "Conflict")
		if got := s.Do(t, "GET", address, nil); got.Get(t, "autoRechargeAmount") != nil {
			t.Errorf("a refused change left traces: %s", got.Body)
		}
		s.Exec(t, `UPDATE organizations SET payment_method_id = 'pm_1' WHERE id = $1`, s.Organization)
		s.Do(t, "PATCH", address, complete).Want(t, http.StatusOK)
		s.Do(t, "PATCH", address, object{"autoRechargeThreshold": nil}).WantIssues(t, "autoRechargeThreshold")
		s.Do(t, "PATCH", address, object{"autoRechargeThreshold": 6}).Want(t, http.StatusOK)
		s.Do(t, "PATCH", address, object{"autoRechargeEnabled": false, "autoRechargeThreshold": nil}).Want(t,
			http.StatusOK)
	})
}

// onboarding returns a complete set of onboarding data with some keys changed.
func onboarding(change object) object {
	data := object{
		"version": 1, "status": "in_progress", "currentStep": "goals",
		"completedSteps":      []string{"organization_profile"},
		"organizationProfile": object{"displayName": "Acme", "jobRole": "other"},
		"workspaceProfile":    object{"teamName": "Social", "website": nil},
		"goals":               object{"primaryGoal": "vibe_marketing", "teamSize": "1-5"},
	}
	for key, value := range change {
		if _, leaveOut := value.(absent); leaveOut {
			delete(data, key)
			continue
		}
		data[key] = value
	}
	return data
}

var onboardingSteps = []string{"organization_profile", "job_role", "workspace_setup", "goals", "mcp_cli_setup",
	"spend_cap", "completed"}

func TestOnboardingDataAcceptsEveryAllowedValue(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		address := path("/v1/organizations/%s", s.Organization)
		accept := func(change object) {
			t.Helper()
			data := onboarding(change)
			got := s.Do(t, "PATCH", address, object{"onboardingData": data}).Want(t, http.StatusOK)
			for key, value := range data {
				sent, _ := json.Marshal(value)
				stored, _ := json.Marshal(got.Get(t, "onboardingData", key))
				if string(sent) != string(stored) {
					t.Errorf("%s is kept as %s, want %s", key, stored, sent)
				}
			}
		}
		accept(nil)
		for _, step := range onboardingSteps {
			accept(object{"currentStep": step, "completedSteps": []string{step}})
		}
		accept(object{"completedSteps": []string{}})
		accept(object{"completedSteps": onboardingSteps, "status": "completed"})
		for _, role := range []string{
			"developer_or_technical_founder", "founder_or_owner", "marketing_or_social", "agency_or_client_services",
			"operations_or_admin", "other",
		} {
			accept(object{"organizationProfile": object{"displayName": "Acme", "jobRole": role}})
		}
		accept(object{"organizationProfile": object{"displayName": strings.Repeat("🦉", 64)}})
		accept(object{"workspaceProfile": object{"teamName": "ab", "website": "https://example.com"}})
		for _, goal := range []string{"vibe_marketing", "social_media_marketing", "automated_campaigns_for_clients"} {
			accept(object{"goals": object{"primaryGoal": goal}})
		}
		for _, size := range []string{"1-5", "6-20", "21-50", "51+"} {
			accept(object{"goals": object{"teamSize": size}})
		}
		accept(object{"goals": object{}})
		got := s.Do(t, "PATCH", address, object{"onboardingData": onboarding(object{
			"organizationProfile": absent{}, "workspaceProfile": absent{}, "goals": absent{},
		})}).Want(t, http.StatusOK)
		for _, key := range []string{"organizationProfile", "workspaceProfile", "goals"} {
			if got.Has("onboardingData", key) {
				t.Errorf("%s was left out and is there: %s", key, got.Body)
			}
		}
		s.Do(t, "PATCH", address, object{"onboardingData": nil}).Want(t, http.StatusOK)
	})
}

func TestOnboardingDataRejectsOtherValues(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		address := path("/v1/organizations/%s", s.Organization)
		cases := []struct {
			rule   string
			change object
			issues []string
		}{
			{"version is missing", object{"version": absent{}}, []string{"version"}},
			{"status is missing", object{"status": absent{}}, []string{"status"}},
			{"currentStep is missing", object{"currentStep": absent{}}, []string{"currentStep"}},
			{"completedSteps is missing", object{"completedSteps": absent{}}, []string{"completedSteps"}},
			{"another version", object{"version": 2}, []string{"version"}},
			{"version as text", object{"version": "1"}, []string{"version"}},
			{"unknown status", object{"status": "done"}, []string{"status"}},
			{"status in another case", object{"status": "Completed"}, []string{"status"}},
			{"unknown step", object{"currentStep": "billing"}, []string{"currentStep"}},
			{"unknown completed steps", object{"completedSteps": []any{"goals", "billing", 7, nil}},
				[]string{"completedSteps.1", "completedSteps.2", "completedSteps.3"}},
			{"completedSteps is null", object{"completedSteps": nil}, []string{"completedSteps"}},
			{"completedSteps is text", object{"completedSteps": "goals"}, []string{"completedSteps"}},
			{"too many completed steps", object{"completedSteps": slices.Repeat([]string{"goals"}, 101)},
				[]string{"completedSteps"}},
			{"an unknown key", object{"colour": "red"}, []string{"colour"}},
			{"profiles are null", object{"organizationProfile": nil, "workspaceProfile": nil, "goals": nil},
				[]string{"organizationProfile", "workspaceProfile", "goals"}},
			{"displayName is missing", object{"organizationProfile": object{}},
				[]string{"organizationProfile.displayName"}},
			{"displayName is too short", object{"organizationProfile": object{"displayName": "a"}},
				[]string{"organizationProfile.displayName"}},
			{"displayName is too long", object{"organizationProfile": object{"displayName": strings.Repeat("n", 65)}},
				[]string{"organizationProfile.displayName"}},
			{"unknown job", object{"organizationProfile": object{"displayName": "Acme", "jobRole": "king"}},
				[]string{"organizationProfile.jobRole"}},
			{"job is null", object{"organizationProfile": object{"displayName": "Acme", "jobRole": nil}},
				[]string{"organizationProfile.jobRole"}},
			{"an unknown key of the profile", object{"organizationProfile": object{"displayName": "Acme", "age": 5}},
				[]string{"organizationProfile.age"}},
			{"both keys of the workspace are missing", object{"workspaceProfile": object{}},
				[]string{"workspaceProfile.teamName", "workspaceProfile.website"}},
			{"website is missing", object{"workspaceProfile": object{"teamName": "Social"}},
				[]string{"workspaceProfile.website"}},
			{"website is a number", object{"workspaceProfile": object{"teamName": "Social", "website": 5}},
				[]string{"workspaceProfile.website"}},
			{"website is too long", object{"workspaceProfile": object{"teamName": "Social",
				"website": strings.Repeat("w", 2049)}}, []string{"workspaceProfile.website"}},
			{"teamName is too short", object{"workspaceProfile": object{"teamName": "S", "website": nil}},
				[]string{"workspaceProfile.teamName"}},
			{"unknown goal and size", object{"goals": object{"primaryGoal": "fame", "teamSize": "2"}},
				[]string{"goals.primaryGoal", "goals.teamSize"}},
			{"an unknown key of goals", object{"goals": object{"deadline": "now"}}, []string{"goals.deadline"}},
			{"completedAt is no time", object{"completedAt": "yesterday"}, []string{"completedAt"}},
			{"completedAt is local", object{"completedAt": "2026-11-15T09:00:00"}, []string{"completedAt"}},
			{"all at once", object{"version": 9, "status": "x", "currentStep": "y", "completedSteps": []string{"z"},
				"extra": 1},
				[]string{"version", "status", "currentStep", "completedSteps.0", "extra"}},
		}
		for _, c := range cases {
			t.Run(c.rule, func(t *testing.T) {
				for i := range c.issues {
					c.issues[i] = "onboardingData." + c.issues[i]
				}
				s.Do(t, "PATCH", address, object{"onboardingData": onboarding(c.change)}).WantIssues(t, c.issues...)
			})
		}
		for _, wrong := range []any{7, "text", true, []any{}} {
			s.Do(t, "PATCH", address, object{"onboardingData": wrong}).WantIssues(t, "onboardingData")
		}
		if got := s.Do(t, "GET", address, nil); got.Get(t, "onboardingData") != nil {
			t.Errorf("a refused change left traces: %s", got.Body)
		}
	})
}

func TestOnboardingCompletionTimeIsSetByTheServer(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		put := func(status string) any {
			t.Helper()
			data := onboarding(object{
				"status": status, "completedAt": "2001-01-01T00:00:00Z",
				"completedSteps": []string{"goals", "job_role", "goals", "job_role"},
			})
			got := s.Do(t, "PATCH", path("/v1/organizations/%s", s.Organization),
				object{"onboardingData": data}).Want(t, http.StatusOK)
			if steps := fmt.Sprint(got.Get(t, "onboardingData", "completedSteps")); steps != "[goals job_role]" {
				t.Errorf("completedSteps are %s, want each once, in the order given", steps)
			}
			return got.Get(t, "onboardingData", "completedAt")
		}
		if at := put("in_progress"); at != nil {
			t.Errorf("completed at %v while in progress", at)
		}
		first, ok := put("completed").(string)
		if !ok || !wireTime.MatchString(first) || strings.HasPrefix(first, "2001") {
			t.Fatalf("completed at %v", first)
		}
		c.Advance(time.Hour)
		if again := put("completed"); again != first {
			t.Errorf("a second completion moved the time from %v to %v", first, again)
		}
		if at := put("in_progress"); at != nil {
			t.Errorf("completed at %v after it was opened again", at)
		}
		if later := put("completed"); later == first || later == nil {
			t.Errorf("completed anew at %v", later)
		}
	})
}
