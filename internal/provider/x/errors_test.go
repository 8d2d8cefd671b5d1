package x

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

func detail(status int, title, detail, kind string) string {
	return fmt.Sprintf(`{"title":%q,"detail":%q,"type":%q,"status":%d}`, title, detail, kind, status)
}

func TestDocumentedErrorsAreClassified(t *testing.T) {
	t.Parallel()
	const problems = "https://api.twitter.com/2/problems/"
	now := providertest.NewClock().Now()
	unix := func(d time.Duration) string { return fmt.Sprint(now.Add(d).Unix()) }
	invalid := func(message string) string {
		return fmt.Sprintf(`{"title":"Invalid Request","detail":"One or more parameters to your request was invalid.","type":"%sinvalid-request","errors":[{"parameters":{"x":["1"]},"message":%q}]}`, problems, message)
	}
	for _, tc := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   provider.Kind
		code   provider.Code
		scope  provider.Scope
		retry  time.Duration
	}{
		{"unauthorized", 401, nil, detail(401, "Unauthorized", "Unauthorized", "about:blank"), provider.AuthExpired,
			provider.CodeAuthExpired, provider.ScopeAccount, 0},
		{"app token on a user endpoint", 403, nil,
			detail(403, "Unsupported Authentication", "Authenticating with OAuth 2.0 Application-Only is forbidden",
				problems+"unsupported-authentication"), provider.AuthExpired, provider.CodePermissionMissing,
			provider.ScopeAccount, 0},
		{"missing scope", 403, nil, detail(403, "Forbidden", "Forbidden", "about:blank"), provider.AuthExpired,
			provider.CodePermissionMissing, provider.ScopeAccount, 0},
		{"duplicate", 403, nil, detail(403, "Forbidden",
			"You are not allowed to create a Tweet with duplicate content.", "about:blank"), provider.Rejected,
			provider.CodeDuplicateContent, provider.ScopePost, 0},
		{"not permitted", 403, nil, detail(403, "Forbidden", "You are not permitted to perform this action.",
			"about:blank"), provider.Rejected, provider.CodeContentRejected, provider.ScopePost, 0},
		{"reply restriction", 403, nil, detail(403, "Forbidden",
			"Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by "+
				"the author of the post.", "about:blank"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"quote restriction", 403, nil, detail(403, "Forbidden",
			"Quoting this post is not allowed because of your access level.", "about:blank"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"cashtags", 403, nil, detail(403, "Forbidden", "Posts may have a maximum of one cashtag.", "about:blank"),
			provider.Rejected, provider.CodeContentRejected, provider.ScopePost, 0},
		{"long video", 403, nil, detail(403, "Forbidden",
			"This user is not allowed to post a video longer than 2 minutes.", "about:blank"), provider.Rejected,
			provider.CodeMediaRejected, provider.ScopePost, 0},
		{"suspended", 403, nil, detail(403, "Forbidden", "The user used for authentication is suspended",
			problems+"user-suspended"), provider.Rejected, provider.CodeAccountRestricted, provider.ScopeAccount, 0},
		{"locked by code", 403, nil,
			`{"errors":[{"code":326,"message":"To protect our users, this account is temporarily locked."}]}`,
			provider.Temporary, provider.CodeAccountRestricted, provider.ScopeAccount, lockedPause},
		{"locked by sentence", 403, nil, detail(403, "Forbidden", "Your account is temporarily locked.", "about:blank"),
			provider.Temporary, provider.CodeAccountRestricted, provider.ScopeAccount, lockedPause},
		{"app suspended", 403, nil, detail(403, "App Suspended", "Your app is suspended.", problems+"app-suspended"),
			provider.Temporary, provider.CodeProviderUnavailable, provider.ScopeInstallation, operatorPause},
		{"client not enrolled", 403, nil,
			`{"title":"Client Forbidden","detail":"This request must be made using an approved developer account.","type":"` + problems + `client-forbidden","reason":"client-not-enrolled"}`, provider.Temporary, provider.CodeProviderUnavailable, provider.ScopeInstallation, operatorPause},
		{"too long", 400, nil, invalid("Your Tweet text is too long. For more information…"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"too long, forbidden", 403, nil, detail(403, "Forbidden", "Your Tweet text is too long.", "about:blank"),
			provider.Rejected, provider.CodeContentRejected, provider.ScopePost, 0},
		{"invalid URL", 400, nil, invalid("The Tweet contains an invalid URL."), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"invalid media ids", 400, nil, invalid("Your media IDs are invalid."), provider.Rejected,
			provider.CodeMediaRejected, provider.ScopePost, 0},
		{"exclusive attachments", 400, nil,
			invalid("You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or " +
				"card_uri."), provider.Rejected, provider.CodeContentRejected, provider.ScopePost, 0},
		{"reply target gone", 400, nil, invalid("Your reply tweet ID is invalid."), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"quote target gone", 400, nil, invalid("Your quote tweet ID is invalid."), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"credits depleted", 402, nil,
			`{"title":"CreditsDepleted","detail":"Your enrolled account [1] does not have any credits to fulfill this request.","type":"` + problems + `credits","account_id":1}`, provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeInstallation, operatorPause},
		{"payment required", 402, nil, detail(402, "Payment Required", "credits depleted", problems+"credits-depleted"),
			provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeInstallation, operatorPause},
		{"spend cap with a date", 403, nil,
			`{"title":"SpendCapReached","detail":"Your spend cap resets on 2026-11-16T12:00:00Z"}`,
			provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeInstallation, 24 * time.Hour},
		{"spend cap without a date", 402, nil, `{"title":"SpendCapReached","detail":"Later."}`, provider.RateLimited,
			provider.CodeQuotaExhausted, provider.ScopeInstallation, spendCapPause},
		{"internal error that looks like a spend cap", 500, nil, `{"title":"SpendCapReached","detail":"Later."}`,
			provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"not found", 404, nil, detail(404, "Not Found Error", "Could not find.", problems+"resource-not-found"),
			provider.Rejected, provider.CodeContentRejected, provider.ScopePost, 0},
		{"too large", 413, nil, ``, provider.Rejected, provider.CodeMediaRejected, provider.ScopePost, 0},
		{"rate limit", 429, map[string]string{"x-rate-limit-reset": unix(7 * time.Minute)},
			detail(429, "Too Many Requests", "Too Many Requests", "about:blank"), provider.RateLimited,
			provider.CodeRateLimited, provider.ScopeAccount, 7 * time.Minute},
		{"rate limit without headers", 429, nil, `{"errors":[{"code":88,"message":"Rate limit exceeded"}]}`,
			provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount, usualRatePause},
		{"rate limit by type", 400, nil, detail(400, "", "", problems+"rate-limit-exceeded"), provider.RateLimited,
			provider.CodeRateLimited, provider.ScopeAccount, usualRatePause},
		{"rate limit of the user's day", 429, map[string]string{"x-rate-limit-reset": unix(time.Minute),
			"x-user-limit-24hour-remaining": "0", "x-user-limit-24hour-reset": unix(5 * time.Hour)}, ``,
			provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount, 5 * time.Hour},
		{"rate limit of the app's day", 429, map[string]string{"x-app-limit-24hour-remaining": "0",
			"x-app-limit-24hour-reset": unix(6 * time.Hour)}, ``, provider.RateLimited, provider.CodeRateLimited,
			provider.ScopeInstallation, 6 * time.Hour},
		{"daily usage cap", 429, nil, `{"title":"UsageCapExceeded","type":"` + problems +
			`usage-capped","period":"Daily","scope":"Account"}`, provider.RateLimited, provider.CodeQuotaExhausted,
			provider.ScopeInstallation, 12 * time.Hour},
		{"monthly usage cap", 429, nil, `{"title":"UsageCapExceeded","type":"` + problems +
			`usage-capped","period":"Monthly","scope":"Product"}`, provider.RateLimited, provider.CodeQuotaExhausted,
			provider.ScopeInstallation, 15*24*time.Hour + 12*time.Hour},
		{"server error", 500, nil, detail(500, "Internal Error", "", problems+"internal-error"),
			provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"bad gateway", 502, nil, `<html>`, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost,
			0},
		{"unavailable", 503, nil, ``, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"gateway time-out", 504, nil, ``, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"redirect", 302, map[string]string{"Location": "https://elsewhere.test/"}, ``, provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"success that is no JSON", 200, nil, `<html>`, provider.OutcomeUnknown, provider.CodeOutcomeUnknown,
			provider.ScopePost, 0},
		{"success without an id", 201, nil, `{"data":{}}`, provider.OutcomeUnknown, provider.CodeOutcomeUnknown,
			provider.ScopePost, 0},
		{"unknown refusal", 418, nil, `{"title":"Teapot"}`, provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, tc.header, tc.body)
			_, err := b.Commit(context.Background(), b.account, text("Hello"), provider.State{Ready: true})
			failure := provider.AsError(err)
			if failure == nil {
				t.Fatal("Commit succeeded")
			}
			if failure.Kind != tc.kind || failure.Code != tc.code || failure.Scope != tc.scope ||
				failure.RetryAfter != tc.retry {
				t.Errorf("classified as %s/%s scope %q retry %v, want %s/%s scope %q retry %v",
					failure.Kind, failure.Code, failure.Scope, failure.RetryAfter, tc.kind, tc.code, tc.scope, tc.retry)
			}
			if failure.Message == "" {
				t.Error("the error has no message")
			}
		})
	}
}

func TestReadsAndUploadsAreRetriedAfterServerErrors(t *testing.T) {
	t.Parallel()
	b := answering(t, 503, nil, "")
	ctx := context.Background()
	c := provider.Content{Action: provider.Post, Parts: []provider.Part{{Media: []provider.Media{video()}}}}
	_, uploadErr := b.Prepare(ctx, b.account, c, provider.State{})
	_, readErr := b.PostMetrics(ctx, b.account, []string{"1"})
	for _, err := range []error{uploadErr, readErr} {
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary {
			t.Errorf("error = %v, want a temporary one", err)
		}
	}
}

func TestTokenErrorsAreDistinguished(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		scope  provider.Scope
	}{
		{"refresh token spent", 400,
			`{"error":"invalid_request","error_description":"Value passed for the token was invalid."}`,
			provider.AuthExpired, provider.ScopeAccount},
		{"invalid grant", 400, `{"error":"invalid_grant"}`, provider.AuthExpired, provider.ScopeAccount},
		{"client unknown", 401,
			`{"error":"unauthorized_client","error_description":"Missing valid authorization header"}`,
			provider.Temporary, provider.ScopeInstallation},
		{"outage", 503, ``, provider.Temporary, provider.ScopePost},
		{"rate limit", 429, ``, provider.RateLimited, provider.ScopeAccount},
		{"no token in it", 200, `{}`, provider.Temporary, provider.ScopePost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, nil, tc.body)
			_, err := b.Refresh(context.Background(), b.account)
			failure := provider.AsError(err)
			if failure == nil || failure.Kind != tc.kind || failure.Scope != tc.scope {
				t.Errorf("Refresh error = %+v, want %s with scope %q", failure, tc.kind, tc.scope)
			}
		})
	}
}
