package youtube

import (
	"context"
	"fmt"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// answering returns a provider for a server that always sends the same response.
func answering(t *testing.T, status int, header map[string]string, body string) bundle {
	t.Helper()
	b, address := setup(t), providertest.NewAnswering(t, status, header, body)
	b.api.BaseURL, b.tokens.TokenURL, b.tokens.RevokeURL = address, address, address
	return b
}

func refusal(status int, reason string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":"No <a href=\"/x\">way</a>.","errors":[{"message":"..","domain":"youtube","reason":%q}]}}`, status, reason)
}

func TestDocumentedErrorsAreClassified(t *testing.T) {
	t.Parallel()
	untilMidnight := 20 * time.Hour // it is 04:00 in California
	for _, tc := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   verdict
		pause  time.Duration
	}{
		{"dead token", 401, nil, refusal(401, "authError"), deadToken, 0},
		{"dead token without a body", 401, nil, "", deadToken, 0},
		{"no channel", 401, nil, refusal(401, "youtubeSignupRequired"), badAccount, 0},
		{"missing scope", 403, nil, refusal(403, "insufficientPermissions"), noScope, 0},
		{"missing scope in the details", 403, nil,
			`{"error":{"code":403,"message":"Insufficient","errors":[{"reason":"forbidden"}],"status":"PERMISSION_DENIED","details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}}`, noScope, 0},
		{"suspended", 403, nil, refusal(403, "authenticatedUserAccountSuspended"), badAccount, 0},
		{"quota of the project", 403, nil, refusal(403, "quotaExceeded"), dayUsedUp, untilMidnight},
		{"too fast", 403, nil, refusal(403, "userRateLimitExceeded"), tooFast, 0},
		{"too many requests", 429, map[string]string{"Retry-After": "7"}, "", tooFast, 7 * time.Second},
		{"upload limit of the channel", 400, nil, refusal(400, "uploadLimitExceeded"), channelFull, 24 * time.Hour},
		{"API not enabled", 403, nil, refusal(403, "accessNotConfigured"), operator, operatorPause},
		{"bad title", 400, nil, refusal(400, "invalidTitle"), badContent, 0},
		{"bad file", 400, nil, refusal(400, "mediaBodyRequired"), badMedia, 0},
		{"forbidden", 403, nil, refusal(403, "forbidden"), badContent, 0},
		{"comments are closed", 403, nil, refusal(403, "commentsDisabled"), badContent, 0},
		{"something new", 400, nil, refusal(400, "brandNew"), badContent, 0},
		{"too large", 413, nil, "", badMedia, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, tc.header, tc.body)
			_, err := b.Commit(context.Background(), b.account, comment(), provider.State{Ready: true})
			e := provider.AsError(err)
			if e == nil || e.Kind != tc.want.kind || e.Code != tc.want.code || e.Scope != tc.want.scope ||
				e.RetryAfter != tc.pause {
				t.Errorf("error %+v, want %+v after %s", e, tc.want, tc.pause)
			}
		})
	}
}

func TestServerErrorsLeaveACommentUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"outage": {503, refusal(503, "backendError")}, "html": {502, "<html>bad gateway</html>"},
		"failed processing": {400, refusal(400, "processingFailure")},
		"no id":             {200, `{}`}, "no JSON": {200, `<html>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, answer.status, nil, answer.body)
			_, err := b.Commit(context.Background(), b.account, comment(), provider.State{Ready: true})
			if e := provider.AsError(err); e == nil || e.Kind != provider.OutcomeUnknown {
				t.Errorf("error %v, want an unknown outcome", err)
			}
			_, err = b.PostMetrics(context.Background(), b.account, []string{"a"})
			if e := provider.AsError(err); answer.status >= 500 && (e == nil || e.Kind != provider.Temporary) {
				t.Errorf("error %v of a read, want a temporary one", err)
			}
		})
	}
}

func TestMessagesCarryNoMarkup(t *testing.T) {
	t.Parallel()
	b := answering(t, 403, nil, refusal(403, "quotaExceeded"))
	_, err := b.PostMetrics(context.Background(), b.account, []string{"a"})
	if e := provider.AsError(err); e == nil || e.Message != "No way. (quotaExceeded)" {
		t.Errorf("message %q", e.Message)
	}
}
