package facebook

import (
	"context"
	"fmt"
	"testing"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// answering returns a provider for a server that always sends the same response.
func answering(t *testing.T, status int, body string) bundle {
	t.Helper()
	b, address := setup(t), providertest.NewAnswering(t, status, nil, body)
	b.api.BaseURL, b.videos.BaseURL = address, address
	return b
}

func problem(code, subcode int) string {
	return fmt.Sprintf(`{"error":{"message":"m","type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"A1"}}`, code, subcode)
}

func TestDocumentedPublishErrorsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		status        int
		code, subcode int
		kind          provider.Kind
		as            provider.Code
		scope         provider.Scope
	}{
		{"lost the role", 400, 190, 492, provider.AuthExpired, provider.CodeAuthExpired, provider.ScopeAccount},
		{"wrong kind of token", 400, 190, 2069032, provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount},
		{"permission", 403, 200, 0, provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount},
		{"feature", 400, 1, 2853006, provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount},
		{"publishing authorization", 400, 200, 1404078, provider.Rejected, provider.CodeAccountRestricted,
			provider.ScopeAccount},
		{"identity", 400, 4854002, 0, provider.Rejected, provider.CodeAccountRestricted, provider.ScopeAccount},
		{"unknown error", 500, 1, 0, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost},
		{"temporary", 400, 100, 1609010, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost},
		{"page limit", 400, 32, 0, provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount},
		{"calls to the page", 400, 80001, 0, provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount},
		{"app limit", 403, 4, 0, provider.RateLimited, provider.CodeRateLimited, provider.ScopeInstallation},
		{"blocked", 400, 368, 1390008, provider.Temporary, provider.CodeAccountRestricted, provider.ScopeAccount},
		{"duplicate", 400, 506, 1455006, provider.Rejected, provider.CodeDuplicateContent, provider.ScopePost},
		{"photos posted before", 400, 100, 1366051, provider.Rejected, provider.CodeDuplicateContent,
			provider.ScopePost},
		{"bad link", 400, 1500, 0, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"own link", 400, 100, 1609008, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"image", 400, 324, 1366046, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost},
		{"video too long", 400, 100, 1363026, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost},
		{"no permission for videos", 400, 100, 1363042, provider.AuthExpired, provider.CodePermissionMissing,
			provider.ScopeAccount},
		{"parameter", 400, 100, 0, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, problem(tc.code, tc.subcode))
			_, err := b.Commit(context.Background(), b.account, post("x"), provider.State{Ready: true})
			failure := provider.AsError(err)
			if failure == nil || failure.Kind != tc.kind || failure.Code != tc.as || failure.Scope != tc.scope {
				t.Errorf("failure %+v; want %s, %s, scope %q", failure, tc.kind, tc.as, tc.scope)
			}
		})
	}
}

func TestUnreadableLinkIsTriedTwice(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, problem(100, 1609005))
	c := withSettings(post("x"), `{"facebookLink":"https://a.test"}`)
	st := provider.State{Ready: true}
	for _, want := range []provider.Kind{provider.Temporary, provider.Rejected} {
		var err error
		st, err = b.Commit(context.Background(), b.account, c, st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != want {
			t.Errorf("failure %v, want %s", err, want)
		}
	}
}

func TestUnprocessableMediaIsTriedTwice(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, problem(6000, 0))
	var st provider.State
	for _, want := range []provider.Kind{provider.Temporary, provider.Rejected} {
		var err error
		st, err = b.Prepare(context.Background(), b.account, post("x", video()), st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != want ||
			failure.Code != provider.CodeMediaRejected {
			t.Errorf("failure %v, want %s", err, want)
		}
	}
}

func TestAcceptedVideoIsNotFailedForMissingStatus(t *testing.T) {
	t.Parallel()
	b := answering(t, 500, problem(2, 0))
	c := post("x", video())
	accepted := provider.State{RequiresPolling: true, Uploads: []provider.Upload{{ID: "901", Step: stepReady}}}
	st := accepted
	for range 100 {
		var err error
		if st, err = b.Poll(context.Background(), b.account, c, st); err != nil {
			t.Fatalf("Poll: %v", err)
		}
		if st.Done {
			break
		}
		b.clock.Advance(st.NextPollAfter.Sub(b.clock.Now()))
	}
	if !st.Done || st.PlatformPostID != "901" || len(st.Warnings) != 1 {
		t.Errorf("state %+v, want it published with a warning", st)
	}
}
