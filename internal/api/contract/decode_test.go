package contract

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

var bodySeeds = []string{
	`{}`, `{"name":"Team"}`, `{"name":null}`, `{"website":null,"timezone":"Europe/Berlin","publishLateMinutes":5}`,
	`{"name":"\ud83e\udd89\ud83e\udd89"}`,
	`{"name":"a","name":"b"}`, `{"name":"\ud800"}`, `{"name":"\u0000"}`, `[`, `{"a":{"b":[1,2,{"c":null}]}}`,
	`{"publishLateMinutes":1e3}`, "\xff\xfe", `null`, `{"name":"x"}{}`,
	`{"onboardingData":{"version":1,"status":"completed","currentStep":"goals","completedSteps":["goals","goals"],"completedAt":"2026-11-15T09:00:00Z"}}`,
	strings.Repeat("[", 40) + strings.Repeat("]", 40),
}

// FuzzParseJSON: an accepted body is valid JSON for the standard library too, means the same, and contains nothing that
// a database would not store.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range bodySeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := ParseJSON(data)
		if err != nil {
			return
		}
		var want any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q was accepted: %v", data, err)
		}
		if !reflect.DeepEqual(value, want) {
			t.Fatalf("%q means %v, not %v", data, want, value)
		}
		if text, err := json.Marshal(value); err != nil || bytes.Contains(text, []byte(`\u0000`)) && !hasNULKey(value) {
			t.Fatalf("%q holds U+0000: %s, %v", data, text, err)
		}
	})
}

// hasNULKey reports whether a key contains NUL. Keys are compared with the known ones, so unknown ones are not stored.
func hasNULKey(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.ContainsRune(key, 0) || hasNULKey(inner) {
				return true
			}
		}
	case []any:
		if slices.ContainsFunc(v, hasNULKey) {
			return true
		}
	}
	return false
}

// FuzzDecodeBody: a body is either valid, and then the bounds of its fields hold, or has issues that can be encoded.
func FuzzDecodeBody(f *testing.F) {
	for _, seed := range bodySeeds {
		f.Add([]byte(seed))
	}
	registry := NewRegistry()
	organization := NewInput(registry, reflect.TypeFor[struct{ Body crier.OrganizationCreate }]())
	update := NewInput(registry, reflect.TypeFor[struct{ Body crier.TeamUpdate }]())
	settings := NewInput(registry, reflect.TypeFor[struct{ Body crier.OrganizationUpdate }]())
	key := NewInput(registry, reflect.TypeFor[struct{ Body crier.APIKeyCreate }]())
	f.Fuzz(func(t *testing.T, data []byte) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		read := func(in *Input, dst any) []crier.Issue {
			issues := in.Decode(r, Body{Data: data}, time.Now(), reflect.ValueOf(dst).Elem())
			for _, issue := range issues {
				if issue.Message == "" || issue.Path == nil {
					t.Fatalf("%q: an issue that tells nothing: %+v", data, issue)
				}
			}
			return issues
		}
		var created struct{ Body crier.OrganizationCreate }
		if len(read(organization, &created)) == 0 && created.Body.Name.Problem() != "" {
			t.Fatalf("%q: the name %q was accepted", data, created.Body.Name)
		}
		var changed struct{ Body crier.TeamUpdate }
		if len(read(update, &changed)) == 0 {
			checkTeam(t, data, changed.Body)
		}
		var organization struct{ Body crier.OrganizationUpdate }
		if len(read(settings, &organization)) == 0 {
			if o := organization.Body.OnboardingData; o.HasValue() &&
				(o.Value.Version != 1 || len(o.Value.CompletedSteps) > 100) {
				t.Fatalf("%q: the onboarding data %+v were accepted", data, o.Value)
			}
		}
		var wanted struct{ Body crier.APIKeyCreate }
		if len(read(key, &wanted)) == 0 && wanted.Body.Role.Rank() == 0 {
			t.Fatalf("%q: the role %q was accepted", data, wanted.Body.Role)
		}
	})
}

func checkTeam(t *testing.T, data []byte, in crier.TeamUpdate) {
	t.Helper()
	if in.Name.Set && in.Name.Value.Problem() != "" || in.Timezone.HasValue() && in.Timezone.Value.Problem() != "" ||
		in.PublishLateMinutes.Value < 0 || in.PublishLateMinutes.Value > crier.MaxPublishLateMinutes || in.Name.Null ||
		in.RequireApproval.Null {
		t.Fatalf("%q: %+v was accepted", data, in)
	}
}

func TestDecodingIsLinearInTheBody(t *testing.T) {
	t.Parallel()
	registry := NewRegistry()
	in := NewInput(registry, reflect.TypeFor[struct{ Body crier.APIKeyCreate }]())
	for rule, body := range map[string]string{
		"wrong items":   `{"permissions":[` + strings.Repeat("1,", 400_000) + `1]}`,
		"equal items":   `{"permissions":["read"` + strings.Repeat(`,"read"`, 120_000) + `]}`,
		"escapes":       `{"name":"` + strings.Repeat(`\ud83e\udd89`, 80_000) + `"}`,
		"nested values": `{"x":[` + strings.Repeat(strings.Repeat("[", 30)+strings.Repeat("]", 30)+",", 15_000) + `1]}`,
	} {
		start := time.Now()
		var dst struct{ Body crier.APIKeyCreate }
		issues := in.Decode(httptest.NewRequest(http.MethodPost, "/", nil), Body{Data: []byte(body)}, time.Now(),
			reflect.ValueOf(&dst).Elem())
		if len(issues) == 0 || len(issues) > maxIssues+1 {
			t.Errorf("%s: %d issues", rule, len(issues))
		}
		// a second on an idle machine; quadratic would be many minutes
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: a body of %d bytes took %v", rule, len(body), took)
		}
	}
}
