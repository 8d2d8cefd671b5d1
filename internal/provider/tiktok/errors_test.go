package tiktok

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
	b.api.BaseURL, b.tokens.TokenURL, b.tokens.RevokeURL = address, address, address
	return b
}

func refusal(code string) string {
	return fmt.Sprintf(`{"data":{},"error":{"code":%q,"message":"No.","log_id":"L1"}}`, code)
}

// postPhotos sends the only request of this package that publishes and has an envelope.
func (b bundle) postPhotos() *provider.Error {
	_, err := b.Commit(context.Background(), b.account, photos(public), provider.State{Ready: true})
	return provider.AsError(err)
}

func TestDocumentedErrorsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		code   string
		status int
		want   verdict
	}{
		{"access_token_invalid", 401, deadToken},
		{"scope_not_authorized", 401, noScope},
		{"scope_permission_missed", 400, noScope},
		{"invalid_param", 400, badContent},
		{"invalid_file_upload", 400, badMedia},
		{"app_version_check_failed", 400, oldApp},
		{"privacy_level_option_mismatch", 403, badContent},
		{"spam_risk_too_many_posts", 403, dayUsedUp},
		{"spam_risk_too_many_posts", 200, dayUsedUp},
		{"spam_risk_too_many_pending_share", 403, dayUsedUp},
		{"spam_risk_user_banned_from_posting", 200, badAccount},
		{"reached_active_user_cap", 200, usersUsedUp},
		{"unaudited_client_can_only_post_to_private_accounts", 403, notAudited},
		{"url_ownership_unverified", 403, operator},
		{"rate_limit_exceeded", 429, tooFast},
		{"brand_new", 400, badContent},
		{"brand_new", 401, deadToken},
		{"brand_new", 429, tooFast},
	} {
		t.Run(fmt.Sprintf("%s %d", tc.code, tc.status), func(t *testing.T) {
			t.Parallel()
			e := answering(t, tc.status, refusal(tc.code)).postPhotos()
			if e == nil || e.Kind != tc.want.kind || e.Code != tc.want.code || e.Scope != tc.want.scope ||
				e.RetryAfter != tc.want.pause {
				t.Errorf("error %+v, want %+v", e, tc.want)
			}
		})
	}
}

func TestServerErrorsLeaveAPullUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"outage": {503, refusal("internal_error")}, "html": {502, "<html>bad gateway</html>"},
		"no JSON": {200, "<html>"},
		"no id":   {200, `{"data":{},"error":{"code":"ok"}}`}, "no envelope": {200, `{}`},
		"unknown failure with success": {200, refusal("brand_new")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, answer.status, answer.body)
			if e := b.postPhotos(); e == nil || e.Kind != provider.OutcomeUnknown {
				t.Errorf("error %+v, want an unknown outcome", e)
			}
			_, err := b.PostMetrics(context.Background(), b.account, []string{"1"})
			if e := provider.AsError(err); answer.status >= 500 && (e == nil || e.Kind != provider.Temporary) {
				t.Errorf("error %v of a read, want a temporary one", err)
			}
		})
	}
}

func TestUploadHostStatusCodes(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]provider.Kind{
		400: provider.Rejected, 403: provider.Temporary, 404: provider.Temporary, 416: provider.OutcomeUnknown,
		429: provider.RateLimited,
		500: provider.OutcomeUnknown, 206: provider.OutcomeUnknown,
	} {
		b := answering(t, status, "")
		st := provider.State{
			Ready: true, PublishID: "p",
			Secrets: map[string]provider.Secret{secretUpload: provider.Secret(b.api.BaseURL)},
			Uploads: []provider.Upload{{Step: stepSending, NextByte: 5_000_000, ChunkSize: 5_000_000,
				Size: 12_000_005}},
		}
		st, err := b.Commit(context.Background(), b.account, clip(public), st)
		if e := provider.AsError(err); e == nil || e.Kind != want || st.RequiresPolling {
			t.Errorf("status %d: %v, want %s", status, err, want)
		}
	}
}

func TestFailReasonsAreClassified(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]provider.Code{
		"file_format_check_failed": provider.CodeMediaRejected, "picture_size_check_failed": provider.CodeMediaRejected,
		"internal": provider.CodeProviderUnavailable, "video_pull_failed": provider.CodeMediaRejected,
		"auth_removed":                       provider.CodeAuthExpired,
		"spam_risk_too_many_posts":           provider.CodeQuotaExhausted,
		"spam_risk_user_banned_from_posting": provider.CodeAccountRestricted,
		"spam_risk_text":                     provider.CodeContentRejected,
		"publish_cancelled":                  provider.CodeContentRejected,
		"":                                   provider.CodeContentRejected,
	} {
		if e := judgeFailure(reason); e.Kind != provider.Rejected || e.Code != want {
			t.Errorf("%q: %+v, want %s", reason, e, want)
		}
	}
}

// TikTok has accepted the post. A refusal to tell its status is about the reading: the post may be public.
func TestAcceptedPostWhoseStatusIsRefusedIsUnknown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		want   provider.Kind
	}{
		{400, refusal("invalid_publish_id"), provider.OutcomeUnknown},
		{400, refusal("token_not_authorized_for_specified_publish_id"), provider.OutcomeUnknown},
		{400, refusal("invalid_params"), provider.OutcomeUnknown},
		{404, "404 page not found", provider.OutcomeUnknown},
		{403, refusal("brand_new"), provider.OutcomeUnknown},
		{429, refusal("rate_limit_exceeded"), provider.RateLimited},
		{503, "<html>", provider.Temporary}, {200, "<html>", provider.Temporary},
		{401, refusal("access_token_invalid"), provider.AuthExpired},
		{401, refusal("scope_not_authorized"), provider.AuthExpired},
	} {
		b := answering(t, tc.status, tc.body)
		st := provider.State{PublishID: "p1", RequiresPolling: true}
		st.WaitUntil(b.clock.Now(), b.clock.Now(), processingReason)
		readings := 0
		var err error
		for ; err == nil && readings < 20; readings++ {
			b.clock.AdvanceTo(st.NextPollAfter)
			st, err = b.Poll(context.Background(), b.account, clip(public), st)
		}
		failure := provider.AsError(err)
		want := 1
		if tc.want == provider.OutcomeUnknown { // it may be known a moment later
			want = maxTries + 1
		}
		if failure == nil || failure.Kind != tc.want || st.PublishID != "p1" || !st.RequiresPolling ||
			readings != want {
			t.Errorf("%d %s: %v after %d readings, state %+v; want %s after %d", tc.status, tc.body, err, readings, st,
				tc.want, want)
		}
	}
}

func TestEndlessProcessingIsUnknown(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, envelopeOf(`{"status":"PROCESSING_DOWNLOAD"}`))
	st := provider.State{PublishID: "p1", RequiresPolling: true}
	st.WaitUntil(b.clock.Now(), b.clock.Now(), processingReason)
	b.clock.Advance(b.limits.ProcessingPatience + 1)
	_, err := b.Poll(context.Background(), b.account, clip(public), st)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Errorf("%v, want an unknown outcome", err)
	}
}
