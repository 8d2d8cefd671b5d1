package access

import (
	"testing"

	"crier"
)

func TestAuditLogKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                          ``,
		`no JSON`:                   ``,
		`{"name":"Ada","n":1.50}`:   `{"n":1.50,"name":"Ada"}`,
		`{"url":"https://a.b/c.d"}`: `{"url":"https://a.b/c.d"}`,
		`{"url":"https://a.b/c.d?X-Amz-Signature=1"}`:                       `{"url":"https://a.b/c.d…"}`,
		`{"url":"https://ada:hush@a.b/c"}`:                                  `{"url":"https://a.b/c…"}`,
		`{"list":[{"returnUrl":"https://a.b/#access_token"}]}`:              `{"list":[{"returnUrl":"https://a.b/…"}]}`,
		`{"text":"is this ok? https://a.b/?q=1"}`:                           `{"text":"is this ok? https://a.b/?q=1"}`,
		`{"clientSecret":"x","a":{"Password":["y"]},"accessToken":{"z":1}}`: `{"a":{"Password":"…"},"accessToken":"…","clientSecret":"…"}`,
	} {
		if got := string(auditChanges([]byte(body))); got != want {
			t.Errorf("of %s is kept %s, want %s", body, got, want)
		}
	}
}

func TestAuditNamesWhatAnActionMade(t *testing.T) {
	t.Parallel()
	id := crier.NewID()
	for _, c := range []struct {
		name    string
		creates bool
		result  any
		want    crier.ID
	}{
		{"a team", true, crier.Team{ID: id}, id},
		{"a changed team", false, crier.Team{ID: id}, ""},
		{"no id", true, crier.Team{}, ""},
		{"an answer without an id", true, struct{ Name string }{"x"}, ""},
		{"an id of another kind", true, struct{ ID int }{7}, ""},
		{"a pointer", true, &crier.Team{ID: id}, ""},
		{"nothing", true, nil, ""},
		{"a list", true, []crier.Team{{ID: id}}, ""},
	} {
		a := auditedAction{Action: Action{Creates: c.creates}}
		got := a.created(c.result)
		if c.want == "" && got != nil || c.want != "" && (got == nil || *got != c.want) {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}

func TestAuditLogOmitsWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	large := make([]byte, maxAuditChanges)
	for i := range large {
		large[i] = 'x'
	}
	if got := string(auditChanges([]byte(`{"text":"` + string(large) + `"}`))); got !=
		`{"omitted":"the request was too large to keep"}` {
		t.Errorf("of a large request is kept %.80s", got)
	}
	fits := `{"text":"` + string(large[:maxAuditChanges-len(`{"text":""}`)]) + `"}`
	if got := string(auditChanges([]byte(fits))); got != fits {
		t.Errorf("of a request of %d bytes is kept %.80s", len(fits), got)
	}
	for body, want := range map[string]string{`[]`: `[]`, `"text"`: `"text"`, `null`: `null`, `{"a":1} {"b":2}`: `{"a":1}`,
		`{"n":123456789012345678901}`: `{"n":123456789012345678901}`, `{"REFRESHTOKEN":"x"}`: `{"REFRESHTOKEN":"…"}`} {
		if got := string(auditChanges([]byte(body))); got != want {
			t.Errorf("of %s is kept %s, want %s", body, got, want)
		}
	}
}
