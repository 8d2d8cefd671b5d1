package linkedin

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// answering returns a provider for a server that always sends the same response.
func answering(t *testing.T, status int, body string) bundle {
	t.Helper()
	b, address := setup(t), providertest.NewAnswering(t, status, nil, body)
	b.api.BaseURL, b.consentURL = address, address
	b.tokens.TokenURL, b.tokens.RevokeURL = address, address
	return b
}

func body(status int, code, message string) string {
	return fmt.Sprintf(`{"status":%d,"code":%q,"message":%q}`, status, code, message)
}

func inputError(code string) string {
	return fmt.Sprintf(`{"status":400,"message":"bad","errorDetails":{"inputErrors":[{"description":"d","code":%q}]}}`,
		code)
}

func TestDocumentedErrorsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		code   provider.Code
		scope  provider.Scope
		retry  time.Duration
	}{
		{"invalid token", 401,
			`{"status":401,"serviceErrorCode":65600,"code":"INVALID_ACCESS_TOKEN","message":"Invalid access token"}`,
			provider.AuthExpired, provider.CodeAuthExpired, provider.ScopeAccount, 0},
		{"revoked token", 401, body(401, "REVOKED_ACCESS_TOKEN",
			"The token used in the request has been revoked by the user"), provider.AuthExpired,
			provider.CodeAuthExpired, provider.ScopeAccount, 0},
		{"expired token", 401, body(401, "EXPIRED_ACCESS_TOKEN", ""), provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount, 0},
		{"no token", 401, body(401, "EMPTY_ACCESS_TOKEN", ""), provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount, 0},
		{"missing scope", 403,
			`{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: posts.CREATE.20260901"}`, provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount, 0},
		{"missing product", 403, body(403, "ACCESS_DENIED",
			"Not enough permissions to access: partnerApiSocialActions.CREATE.20260701"), provider.Rejected,
			provider.CodePermissionMissing, provider.ScopePost, 0},
		{"foreign image", 403, body(403, "", "Accessing this image resource is forbidden for the owner"),
			provider.Rejected, provider.CodeMediaRejected, provider.ScopePost, 0},
		{"restricted member", 403, body(403, "", "The member's account is restricted"), provider.Rejected,
			provider.CodeAccountRestricted, provider.ScopeAccount, 0},
		{"lost role", 403, body(403, "", "Organization permissions must be used"), provider.AuthExpired,
			provider.CodePermissionMissing, provider.ScopeAccount, 0},
		{"version missing", 400, body(400, "VERSION_MISSING", "A version must be present."), provider.Temporary,
			provider.CodeProviderUnavailable, provider.ScopeInstallation, operatorPause},
		{"version sunset", 426, body(426, "NONEXISTENT_VERSION", "Requested version 202508 is not active"),
			provider.Temporary, provider.CodeProviderUnavailable, provider.ScopeInstallation, operatorPause},
		{"missing field", 400, body(400, "MISSING_FIELD", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"invalid value", 400, body(400, "INVALID_VALUE_FOR_FIELD", "f"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"invalid URN type", 400, body(400, "INVALID_URN_TYPE", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"invalid URN id", 400, body(400, "INVALID_URN_ID", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"blank field", 400, body(400, "INVALID_VALUE_BLANK_FIELD", "f"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"too long", 400, body(400, "FIELD_LENGTH_TOO_LONG", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"invalid parameter", 400, body(400, "PARAM_INVALID", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"missing field of a dark post", 400, body(400, "MISSING_REQUIRED_FIELD_FOR_DSC", "f"), provider.Rejected,
			provider.CodeContentRejected, provider.ScopePost, 0},
		{"image id", 400, inputError("INVALID_IMAGE_ID"), provider.Rejected, provider.CodeMediaRejected,
			provider.ScopePost, 0},
		{"video id", 400, body(400, "INVALID_VIDEO_ID", "f"), provider.Rejected, provider.CodeMediaRejected,
			provider.ScopePost, 0},
		{"media not ready", 400, inputError("MEDIA_ASSET_WAITING_UPLOAD"), provider.Temporary,
			provider.CodeProviderUnavailable, provider.ScopePost, mediaPause},
		{"media failed", 400, inputError("MEDIA_ASSET_PROCESSING_FAILED"), provider.Rejected,
			provider.CodeMediaRejected, provider.ScopePost, 0},
		{"upload address expired", 400, body(400, "EXPIRED_UPLOAD_URL", ""), provider.Rejected,
			provider.CodeMediaRejected, provider.ScopePost, 0},
		{"not found", 404, body(404, "NOT_FOUND", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"conflict", 409, body(409, "CONFLICT", "A write conflict occurred. Retry the request."), provider.Temporary,
			provider.CodeProviderUnavailable, provider.ScopePost, conflictPause},
		{"too large", 413, body(413, "REQUEST_ENTITY_TOO_LARGE", "f"), provider.Rejected, provider.CodeMediaRejected,
			provider.ScopePost, 0},
		{"unsupported type", 415, body(415, "UNSUPPORTED_MEDIA_TYPE", "f"), provider.Rejected,
			provider.CodeMediaRejected, provider.ScopePost, 0},
		{"duplicate", 422, `{"message":"Content is a duplicate of urn:li:share:1","errorDetails":{"inputErrors":[{"code":"DUPLICATE_POST"}]},"status":422}`, provider.Rejected, provider.CodeDuplicateContent, provider.ScopePost, 0},
		{"unprocessable", 422, body(422, "UNPROCESSABLE_ENTITY", "f"), provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
		{"daily limit of the app", 429, body(429, "TOO_MANY_REQUESTS",
			"Resource level throttle APPLICATION DAY limit for calls to this resource is reached."),
			provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeInstallation, 12 * time.Hour},
		{"daily limit of the member", 429, body(429, "TOO_MANY_REQUESTS",
			"Resource level throttle MEMBER DAY limit for calls to this resource is reached."), provider.RateLimited,
			provider.CodeQuotaExhausted, provider.ScopeAccount, 12 * time.Hour},
		{"burst", 429, body(429, "TOO_MANY_REQUESTS", "Slow down."), provider.RateLimited, provider.CodeRateLimited,
			provider.ScopeAccount, burstPause},
		{"internal error", 500, body(500, "INTERNAL_SERVER_ERROR", "f"), provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"unavailable", 503, body(503, "SERVICE_UNAVAILABLE", "f"), provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"maintenance", 503, body(503, "UNDER_MAINTENANCE", "f"), provider.OutcomeUnknown, provider.CodeOutcomeUnknown,
			provider.ScopePost, 0},
		{"gateway time-out", 504, `<html>`, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost,
			0},
		{"internal error that looks like a refusal", 500, body(500, "", "Unable to obtain activity urn:li:activity:1"),
			provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"internal error about the version", 500, body(500, "VERSION_MISSING", "f"), provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, tc.body)
			_, err := b.Commit(context.Background(), b.member, text("Hello"), provider.State{Ready: true})
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

func TestCommentOnAPostNotYetReplicatedIsRetried(t *testing.T) {
	t.Parallel()
	b := answering(t, 500, `{"status":500,"message":"Unable to obtain activity urn:li:activity:1"}`)
	_, err := b.Commit(context.Background(), b.member, on(provider.Comment, "First!"), provider.State{Ready: true})
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.Temporary || failure.RetryAfter != mediaPause {
		t.Errorf("Commit error = %+v, want a temporary one and a retry in %v", failure, mediaPause)
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
		{"grant invalid", 400,
			`{"error":"invalid_request","error_description":"The provided authorization grant or refresh token is invalid, expired or revoked"}`, provider.AuthExpired, provider.ScopeAccount},
		{"code reused", 401, `{"error":"invalid_request","error_description":"Unable to retrieve access token: authorization code not found"}`, provider.AuthExpired, provider.ScopeAccount},
		{"redirect differs", 400,
			`{"error":"invalid_redirect_uri","error_description":"appid/redirect uri/code verifier does not match authorization code."}`, provider.AuthExpired, provider.ScopeAccount},
		{"client unknown", 401, `{"error":"invalid_client","error_description":"Client authentication failed"}`,
			provider.Temporary, provider.ScopeInstallation},
		{"outage", 503, ``, provider.Temporary, provider.ScopePost},
		{"no token in it", 200, `{}`, provider.Temporary, provider.ScopePost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, tc.status, tc.body)
			_, err := b.Refresh(context.Background(), b.member)
			failure := provider.AsError(err)
			if failure == nil || failure.Kind != tc.kind || failure.Scope != tc.scope {
				t.Errorf("Refresh error = %+v, want %s with scope %q", failure, tc.kind, tc.scope)
			}
		})
	}
}

func TestPostWithoutAnIDIsPublished(t *testing.T) {
	t.Parallel()
	b := answering(t, 201, "")
	st, err := b.Commit(context.Background(), b.member, text("Hello"), provider.State{Ready: true})
	if err != nil || !st.Done || len(st.Warnings) != 1 {
		t.Errorf("Commit = %+v, %v; want it done with a warning", st, err)
	}
}

// LinkedIn answers a new post with 201 and its id. Another success may come from a proxy, and the post may be nowhere.
func TestSuccessThatIsNotLinkedInsIsUnknown(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent} {
		for _, c := range []provider.Content{text("Hello"), on(provider.Repost, ""), on(provider.Comment, "First!")} {
			page := map[bool]string{true: "", false: "<html>Sign in to the network of the hotel</html>"}
			b := answering(t, status, page[status == http.StatusNoContent])
			st, err := b.Commit(context.Background(), b.member, c, provider.State{Ready: true})
			if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown || st.Done {
				t.Errorf("%d for a %s: %+v, %v", status, c.Action, st, err)
			}
		}
	}
}

func TestFailedUploadRestartsAndGivesUpEventually(t *testing.T) {
	t.Parallel()
	b := answering(t, 404, "")
	c := withMedia("a", file("a.jpg", "image/jpeg", "first image", ""))
	for redone := range maxRedone + 1 {
		st := provider.State{Uploads: []provider.Upload{{ID: "urn:li:image:1", Step: stepSending, Size: 11,
			Redone: redone}}}
		st.Hide("upload.0", provider.Secret(`{"instructions":[{"uploadUrl":"`+b.api.BaseURL+`/u","firstByte":0,"lastByte":10}]}`))
		st, err := b.Prepare(context.Background(), b.member, c, st)
		failure := provider.AsError(err)
		if redone < maxRedone && (failure.Kind != provider.Temporary || st.Uploads[0].Step != stepNew) {
			t.Errorf("redone %d: %v, upload %+v; want a restart", redone, failure, st.Uploads[0])
		}
		if redone == maxRedone && (failure.Kind != provider.Rejected || failure.Code != provider.CodeMediaRejected) {
			t.Errorf("redone %d: %v; want it given up", redone, failure)
		}
	}
}

func TestLostUploadURLsAreRequestedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := withMedia("a", file("v.mp4", "video/mp4", "0123456789", ""))
	for _, step := range []string{stepSending, stepSent} {
		st := provider.State{Uploads: []provider.Upload{{ID: "urn:li:video:1", Step: step, Size: 10}}}
		st, err := b.Prepare(context.Background(), b.member, c, st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
			st.Uploads[0].Step != stepNew {
			t.Errorf("step %s: %+v, %v; want a restart", step, st.Uploads[0], err)
		}
	}
}

func TestTokenStaysOnLinkedInsHosts(t *testing.T) {
	t.Parallel()
	var authorization []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		authorization = append(authorization, r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	b := setup(t)
	st := provider.State{Uploads: []provider.Upload{{ID: "urn:li:image:1", Step: stepSending, Size: 11}}}
	st.Hide("upload.0", provider.Secret(`{"instructions":[{"uploadUrl":"`+elsewhere.URL+`/u","firstByte":0,"lastByte":10}]}`))
	if _, err := b.Prepare(context.Background(), b.member,
		withMedia("a", file("a.jpg", "image/jpeg", "first image", "")), st); err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	if len(authorization) != 1 || authorization[0] != "" {
		t.Errorf("authorization sent elsewhere: %q", authorization)
	}
}

func TestProcessingStatusIsClassified(t *testing.T) {
	t.Parallel()
	c := withMedia("a", file("v.mp4", "video/mp4", "0123456789", ""))
	processing := provider.State{Uploads: []provider.Upload{{ID: "urn:li:video:1", Step: stepProcessing}}}
	failed := answering(t, 200, `{"status":"PROCESSING_FAILED","processingFailureReason":"TOO_ODD"}`)
	st, err := failed.Prepare(context.Background(), failed.member, c, processing)
	if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeMediaRejected ||
		st.FailureCode != "TOO_ODD" {
		t.Errorf("Prepare = %+v, %v; want the media rejected", st, err)
	}
	slow := answering(t, 200, `{"status":"PROCESSING"}`)
	st, err = slow.Prepare(context.Background(), slow.member, c, processing)
	if err != nil || !st.NextPollAfter.Equal(slow.clock.Now().Add(videoPollDelay)) {
		t.Fatalf("Prepare = %+v, %v; want it polled again", st, err)
	}
	slow.clock.Advance(processingPatience + time.Second)
	st, err = slow.Prepare(context.Background(), slow.member, c, st)
	if provider.AsError(err) == nil || st.Uploads[0].Step != stepNew {
		t.Errorf("Prepare = %+v, %v; want a new upload after %v", st, err, processingPatience)
	}
}

func TestRejectedMediaIsUploadedAgainOnce(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, inputError("INVALID_IMAGE_ID"))
	c := withMedia("a", file("a.jpg", "image/jpeg", "first image", ""))
	st := provider.State{Ready: true, Uploads: []provider.Upload{{ID: "urn:li:image:1", Step: stepReady}}}
	st, err := b.Commit(context.Background(), b.member, c, st)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary || st.Ready ||
		st.Uploads[0].Step != stepNew {
		t.Fatalf("Commit = %+v, %v; want another upload", st, err)
	}
	st.Ready, st.Uploads[0] = true, provider.Upload{ID: "urn:li:image:2", Step: stepReady, Redone: 1}
	_, err = b.Commit(context.Background(), b.member, c, st)
	if failure := provider.AsError(err); failure.Kind != provider.Rejected {
		t.Errorf("second Commit error = %v, want the media rejected", err)
	}
}

func TestCommentsThatCannotBeClosedAreAWarning(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, body(400, "PARAM_INVALID", "no"))
	st := provider.State{Done: true, RequiresPolling: true, PlatformPostID: share,
		Data: map[string]string{noteCloseComments: "0"}}
	for range maxCloseTries {
		var err error
		if st, err = b.Poll(context.Background(), b.member, provider.Content{}, st); err != nil {
			t.Fatalf("Poll: %v", err)
		}
	}
	if st.RequiresPolling || len(st.Warnings) != 1 {
		t.Errorf("state %+v, want it done with a warning", st)
	}
}
