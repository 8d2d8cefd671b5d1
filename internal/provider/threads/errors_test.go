package threads

import (
	"context"
	"fmt"
	"testing"

	"crier/internal/provider"
	"crier/internal/provider/graph"
	"crier/internal/provider/providertest"
)

// answering returns a provider for a server that always sends the same response.
func answering(t *testing.T, status int, body string) bundle {
	t.Helper()
	b := setup(t)
	b.api.BaseURL = providertest.NewAnswering(t, status, nil, body)
	return b
}

func problem(kind string, code, subcode int, message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"code":%d,"error_subcode":%d,"fbtrace_id":"A1"}}`, message,
		kind, code, subcode)
}

func TestDocumentedPublishErrorsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		code   provider.Code
		scope  provider.Scope
	}{
		{"expired token", 400, problem("OAuthException", 190, 463, "Session has expired"), provider.AuthExpired,
			provider.CodeAuthExpired, provider.ScopeAccount},
		{"permission", 400, problem("OAuthException", 10, 0, "Application does not have permission for this action"),
			provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount},
		{"too long", 400, problem("THApiException", 100, 0, "Param text must be at most 500 characters long."),
			provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"links", 400, problem("THApiException", 1, 0, "THREADS_API__LINK_LIMIT_EXCEEDED"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost},
		{"feature", 400, problem("THApiException", 1, 0, "THREADS_API__FEATURE_NOT_AVAILABLE"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost},
		{"container not found", 400, problem("OAuthException", 24, 4279009, "The requested resource does not exist"),
			provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost},
		{"restricted", 400, problem("OAuthException", 25, 2207050, "account is restricted"), provider.Rejected,
			provider.CodeAccountRestricted, provider.ScopeAccount},
		{"spam", 400, problem("OAuthException", 4, 2207051, "We restrict certain activity"), provider.Rejected,
			provider.CodeAccountRestricted, provider.ScopeAccount},
		{"blocked by Threads", 400, problem("OAuthException", 25, 4279013, "blocked"), provider.Rejected,
			provider.CodeAccountRestricted, provider.ScopeAccount},
		{"policy", 400, problem("OAuthException", 368, 0, "temporarily blocked"), provider.Temporary,
			provider.CodeAccountRestricted, provider.ScopeAccount},
		{"quota", 400, problem("OAuthException", 9, 2207042, "quota"), provider.RateLimited,
			provider.CodeQuotaExhausted, provider.ScopeAccount},
		{"call limit", 400, problem("OAuthException", 4, 0, "limit"), provider.RateLimited, provider.CodeRateLimited,
			provider.ScopeInstallation},
		{"server error", 500, problem("OAuthException", 2, 0, "unknown"), provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost},
		{"success without an id", 200, `{}`, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost},
		{"success that is no JSON", 200, `ok`, provider.OutcomeUnknown, provider.CodeOutcomeUnknown,
			provider.ScopePost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, tc.body)
			ready := provider.State{Ready: true,
				Uploads: []provider.Upload{{Media: graph.Whole, ID: "c", Step: "ready"}}}
			_, err := b.Commit(context.Background(), b.account, text("x"), ready)
			failure := provider.AsError(err)
			if failure == nil || failure.Kind != tc.kind || failure.Code != tc.code || failure.Scope != tc.scope {
				t.Errorf("failure %+v; want %s, %s, scope %q", failure, tc.kind, tc.code, tc.scope)
			}
		})
	}
}

func TestUnfetchableMediaIsTriedTwice(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, problem("OAuthException", 9004, 2207052, "The media could not be fetched from this URI"))
	st := provider.State{Data: map[string]string{noteQuota: "read"}}
	for _, want := range []provider.Kind{provider.Temporary, provider.Rejected} {
		var err error
		st, err = b.Prepare(context.Background(), b.account, withMedia("", image("a.jpg", "")), st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != want ||
			failure.Code != provider.CodeMediaRejected {
			t.Errorf("failure %v, want %s", err, want)
		}
	}
}

func TestContainerErrorsAreReadable(t *testing.T) {
	t.Parallel()
	for reason, kind := range map[string]provider.Kind{
		"INVALID_DURATION": provider.Rejected, "FAILED_DOWNLOADING_VIDEO": provider.Temporary,
		"UNKNOWN": provider.Temporary, "NEW_WORD": provider.Rejected,
	} {
		failure := explain(graph.ContainerStatus{Word: graph.Failed, Reason: reason})
		if failure.Kind != kind || failure.Code != provider.CodeMediaRejected || failure.Message == "" {
			t.Errorf("%s: %+v, want %s", reason, failure, kind)
		}
	}
}
