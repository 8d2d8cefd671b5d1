package crier_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"crier"
)

func TestAPIKeyCreateJudgesExpiryAndPermissions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		in   crier.APIKeyCreate
		want []string
	}{
		{name: "all that the role holds", in: crier.APIKeyCreate{Role: crier.RoleViewer}},
		{name: "expires later", in: crier.APIKeyCreate{Role: crier.RoleOwner, ExpiresAt: at(time.Microsecond)}},
		{name: "expires now", in: crier.APIKeyCreate{Role: crier.RoleOwner, ExpiresAt: at(0)},
			want: []string{"expiresAt: must be in the future"}},
		{name: "narrowed", in: crier.APIKeyCreate{Role: crier.RoleEditor,
			Permissions: []crier.Permission{crier.WritePosts, crier.Read}}},
		{name: "beyond the role", in: crier.APIKeyCreate{Role: crier.RoleViewer, ExpiresAt: at(-time.Hour),
			Permissions: []crier.Permission{crier.Read, crier.WritePosts, crier.ReadAnalytics, crier.ManageBilling}},
			want: []string{"expiresAt: must be in the future", "permissions.1: is not held by the role viewer",
				"permissions.3: is not held by the role viewer"}},
		{name: "approving is not an editor's", in: crier.APIKeyCreate{Role: crier.RoleEditor,
			Permissions: []crier.Permission{crier.ApprovePosts}},
			want: []string{"permissions.0: is not held by the role editor"}},
		// The role itself is refused by its form; its permissions would only be told wrong a second time.
		{name: "an unknown role", in: crier.APIKeyCreate{Role: "root", Permissions: []crier.Permission{crier.Read}}},
	} {
		wantIssues(t, tc.name, tc.in.Validate(noon), tc.want...)
	}
}

// TestKeptAnswersHaveNoSecret: what an idempotency key replays must not show a secret a second time.
func TestKeptAnswersHaveNoSecret(t *testing.T) {
	t.Parallel()
	key := crier.APIKeyWithSecret{APIKey: crier.APIKey{ID: assetA, LastFour: "wxyz"}, Secret: "crier_secret"}
	hook := crier.WebhookWithSecret{Webhook: crier.Webhook{ID: assetA}, Secret: "whsec_secret"}
	invitation := crier.Invitation{ID: assetA, InviteURL: "https://crier.test/invite/secret"}
	for _, secret := range []interface{ WithoutSecret() any }{key, hook, invitation} {
		shown, err := json.Marshal(secret)
		if err != nil || !strings.Contains(string(shown), "secret") {
			t.Errorf("%T is shown as %s, %v", secret, shown, err)
		}
		again, err := json.Marshal(secret.WithoutSecret())
		if err != nil || strings.Contains(string(again), "secret") || !strings.Contains(string(again), string(assetA)) {
			t.Errorf("%T is kept as %s, %v", secret, again, err)
		}
	}
	if key.Secret == "" || hook.Secret == "" || invitation.InviteURL == "" {
		t.Error("the answer itself has lost its secret")
	}
}

func TestIDsAreReadInEitherCaseAndWrittenInLower(t *testing.T) {
	t.Parallel()
	const upper, lower = "018F3F6E-7C1A-7D2B-9A55-0B6C3A1F2E4D", "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
	var in crier.PostTagsUpdate
	if err := json.Unmarshal([]byte(`{"tagIds":["`+upper+`","`+lower+`"]}`), &in); err != nil ||
		len(in.TagIDs) != 2 || in.TagIDs[0] != in.TagIDs[1] || in.TagIDs[0] != lower {
		t.Errorf("read as %v, %v", in.TagIDs, err)
	}
	var byID map[crier.ID]int
	if err := json.Unmarshal([]byte(`{"`+upper+`":1}`), &byID); err != nil || byID[lower] != 1 {
		t.Errorf("as a key: %v, %v", byID, err)
	}
	for _, text := range []string{"", "x", lower[:35], lower + "0", "{" + lower + "}", "urn:uuid:" + lower,
		strings.ReplaceAll(lower, "-", ""), strings.Replace(lower, "0", "g", 1), strings.Replace(lower, "-", "0", 1),
		" " + lower[1:], lower[:8] + "-" + lower[8:35], "018f3f6e–7c1a-7d2b-9a55-0b6c3a1f2e"} {
		if id, ok := crier.ParseID(text); ok || id != "" {
			t.Errorf("%q is read as %s", text, id)
		}
		id := crier.ID(lower)
		err := id.UnmarshalText([]byte(text))
		if err == nil || err.Error() != "must be a UUID, such as 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d" || id != lower {
			t.Errorf("%q makes it %s, %v", text, id, err)
		}
	}
}

func TestDerivedIDsAreVersion5OfTheirParent(t *testing.T) {
	t.Parallel()
	// The example of RFC 9562, appendix A.4: www.example.com in the space of DNS names.
	const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	if got := crier.DerivedID(dns, "www.example.com"); got != "2ed6657d-e927-568b-95e1-2665a8aea6a2" {
		t.Errorf("derived %s", got)
	}
	if crier.DerivedID(assetA, "morning") == crier.DerivedID(assetB, "morning") {
		t.Error("two parents have the same child")
	}
}
