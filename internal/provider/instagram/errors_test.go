package instagram

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

func problem(code, subcode int) string {
	return fmt.Sprintf(`{"error":{"message":"m","type":"OAuthException","code":%d,"error_subcode":%d,"is_transient":false,"error_user_title":"T","error_user_msg":"For people.","fbtrace_id":"A1"}}`, code, subcode)
}

func TestDocumentedPublishErrorsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		code, subcode int
		kind          provider.Kind
		as            provider.Code
		scope         provider.Scope
	}{
		{"password changed", 190, 460, provider.AuthExpired, provider.CodeAuthExpired, provider.ScopeAccount},
		{"permission", 10, 0, provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount},
		{"object missing", 100, 33, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"call limit", 80002, 0, provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount},
		{"spam", 4, 2207051, provider.Temporary, provider.CodeAccountRestricted, provider.ScopeAccount},
		{"quota", 9, 2207042, provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeAccount},
		{"restricted", 25, 2207050, provider.Rejected, provider.CodeAccountRestricted, provider.ScopeAccount},
		{"policy", 368, 0, provider.Temporary, provider.CodeAccountRestricted, provider.ScopeAccount},
		{"container expired", -2, 2207020, provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost},
		{"server error", -1, 2207001, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost},
		{"another server error", -1, 2207032, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost},
		{"unknown error", 1, 0, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost},
		{"container not found", 24, 2207008, provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost},
		{"not ready", 9007, 2207027, provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost},
		{"video format", 352, 2207026, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost},
		{"image size", 36000, 2207004, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost},
		{"image format", 36001, 2207005, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost},
		{"image ratio", 36003, 2207009, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost},
		{"caption", 36004, 2207010, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"thumb offset", 1, 2207057, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"carousel", 100, 2207028, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"tags", 100, 2207040, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"trial", 100, 2207081, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
		{"parameter", 100, 0, provider.Rejected, provider.CodeContentRejected, provider.ScopePost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, 400, problem(tc.code, tc.subcode))
			ready := provider.State{Ready: true,
				Uploads: []provider.Upload{{Media: graph.Whole, ID: "c", Step: "ready"}}}
			_, err := b.Commit(context.Background(), b.account, post("x", image("a.jpg", "")), ready)
			failure := provider.AsError(err)
			if failure == nil || failure.Kind != tc.kind || failure.Code != tc.as || failure.Scope != tc.scope {
				t.Errorf("failure %+v; want %s, %s, scope %q", failure, tc.kind, tc.as, tc.scope)
			}
		})
	}
}

func TestContainerErrorsAreClassifiedByStatusCode(t *testing.T) {
	t.Parallel()
	for status, kind := range map[string]provider.Kind{
		"Error: Media upload has failed with error code 2207026": provider.Rejected,
		"Error: Media upload has failed with error code 2207053": provider.Temporary,
		"Error: Media upload has failed with error code 2207001": provider.Temporary,
		"": provider.Temporary,
	} {
		failure := explain(graph.ContainerStatus{Word: graph.Failed, Reason: status})
		if failure.Kind != kind || failure.Code != provider.CodeMediaRejected || failure.Message == "" {
			t.Errorf("%q: %+v, want %s", status, failure, kind)
		}
	}
}

func TestUnfetchableMediaIsTriedTwice(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, problem(9004, 2207052))
	st := provider.State{Data: map[string]string{noteQuota: "read"}}
	for _, want := range []provider.Kind{provider.Temporary, provider.Rejected} {
		var err error
		st, err = b.Prepare(context.Background(), b.account, post("", image("a.jpg", "")), st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != want ||
			failure.Code != provider.CodeMediaRejected {
			t.Errorf("failure %v, want %s", err, want)
		}
	}
}
