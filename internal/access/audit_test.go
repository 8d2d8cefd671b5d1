package access

import "testing"

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
