package tiktok

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"crier/internal/provider"
)

// Pauses, since TikTok names none.
const (
	ratePause     = time.Minute // the windows slide over a minute
	dayPause      = 24 * time.Hour
	operatorPause = 15 * time.Minute
)

// verdict is the classification of a code.
type verdict struct {
	kind  provider.Kind
	code  provider.Code
	scope provider.Scope
	pause time.Duration
}

var (
	badContent  = verdict{provider.Rejected, provider.CodeContentRejected, provider.ScopePost, 0}
	badMedia    = verdict{provider.Rejected, provider.CodeMediaRejected, provider.ScopePost, 0}
	badAccount  = verdict{provider.Rejected, provider.CodeAccountRestricted, provider.ScopeAccount, 0}
	oldApp      = verdict{provider.Rejected, provider.CodeAccountRestricted, provider.ScopePost, 0}
	notAudited  = verdict{provider.Rejected, provider.CodeAccountRestricted, provider.ScopeInstallation, 0}
	lostTrack   = verdict{provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0}
	noScope     = verdict{provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount, 0}
	deadToken   = verdict{provider.AuthExpired, provider.CodeAuthExpired, provider.ScopeAccount, 0}
	tooFast     = verdict{provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount, ratePause}
	dayUsedUp   = verdict{provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeAccount, dayPause}
	usersUsedUp = verdict{provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeInstallation, dayPause}
	operator    = verdict{provider.Temporary, provider.CodeProviderUnavailable, provider.ScopeInstallation,
		operatorPause}
)

// refusals are the codes of the envelope, whatever their status. Others are classified by the status.
var refusals = map[string]verdict{
	"access_token_invalid": deadToken,
	"scope_not_authorized": noScope, "scope_permission_missed": noScope,
	"invalid_param": badContent, "invalid_params": badContent, "privacy_level_option_mismatch": badContent,
	"spam_risk": badContent, "spam_risk_text": badContent,
	"invalid_file_upload":      badMedia,
	"app_version_check_failed": oldApp,
	"spam_risk_too_many_posts": dayUsedUp, "spam_risk_too_many_pending_share": dayUsedUp,
	"spam_risk_user_banned_from_posting":                 badAccount,
	"reached_active_user_cap":                            usersUsedUp,
	"unaudited_client_can_only_post_to_private_accounts": notAudited,
	"url_ownership_unverified":                           operator,
	"invalid_publish_id":                                 lostTrack,
	"token_not_authorized_for_specified_publish_id":      lostTrack,
	"rate_limit_exceeded":                                tooFast,
}

// classify turns an unsuccessful response of the API into an error.
func classify(answer *provider.Response, e apiError) *provider.Error {
	message := e.message()
	if known, ok := refusals[e.Code]; ok {
		return judge(answer, known, message)
	}
	switch {
	case e.Code == "internal_error" || answer.Status >= 500 || answer.Status < 400 ||
		answer.Status == http.StatusRequestTimeout:
		return answer.Unavailable(message)
	case answer.Status == http.StatusUnauthorized:
		return judge(answer, deadToken, message)
	case answer.Status == http.StatusTooManyRequests:
		return judge(answer, tooFast, message)
	}
	return judge(answer, badContent, message)
}

// message returns TikTok's message, with the log id for their support.
func (e apiError) message() string {
	message := cmp.Or(e.Message, e.Code)
	if message != e.Code && e.Code != "" {
		message += " (" + e.Code + ")"
	}
	if e.LogID != "" && message != "" {
		message += " [log " + e.LogID + "]"
	}
	return message
}

func judge(answer *provider.Response, v verdict, message string) *provider.Error {
	e := answer.Fail(v.kind, v.code, message, nil)
	e.Scope, e.RetryAfter = v.scope, cmp.Or(e.RetryAfter, v.pause)
	return e
}

// classifyUpload turns a response of the upload host into an error. It has statuses and no bodies.
func classifyUpload(answer *provider.Response) *provider.Error {
	switch answer.Status {
	case http.StatusForbidden, http.StatusNotFound:
		return answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, "TikTok no longer takes the upload",
			nil)
	case http.StatusTooManyRequests:
		return judge(answer, tooFast, "")
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return judge(answer, badMedia, "TikTok does not take the bytes of the video")
	}
	return answer.Unavailable("")
}

// classifyToken is for the token endpoints, which return OAuth errors without an envelope and sometimes with a status
// of success. Wrong client credentials are the operator's problem and must not disconnect an account.
func classifyToken(answer *provider.Response) *provider.Error {
	var oauth struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(answer.Body, &oauth) != nil || oauth.Error == "" || answer.Status >= 500 ||
		oauth.Error == "server_error" {
		return answer.Unavailable(oauth.Description)
	}
	message := cmp.Or(oauth.Description, oauth.Error)
	switch oauth.Error {
	case "invalid_grant", "access_denied":
		return judge(answer, deadToken, message)
	case "rate_limit_exceeded":
		return judge(answer, tooFast, message)
	}
	return judge(answer, operator, message)
}

// failures are the reasons in the status of a post. Others are permanent rejections of the content.
var failures = map[string]verdict{
	"file_format_check_failed": badMedia, "duration_check_failed": badMedia, "frame_rate_check_failed": badMedia,
	"picture_size_check_failed": badMedia, "video_pull_failed": badMedia, "photo_pull_failed": badMedia,
	"internal":                           {provider.Rejected, provider.CodeProviderUnavailable, provider.ScopePost, 0},
	"auth_removed":                       {provider.Rejected, provider.CodeAuthExpired, provider.ScopePost, 0},
	"spam_risk_too_many_posts":           {provider.Rejected, provider.CodeQuotaExhausted, provider.ScopePost, 0},
	"spam_risk_user_banned_from_posting": badAccount,
}

// passing are the reasons after which the post may be restarted: the next attempt succeeds, or reveals more.
var passing = map[string]bool{
	"internal": true, "video_pull_failed": true, "photo_pull_failed": true, "auth_removed": true,
	"spam_risk_too_many_posts": true,
}

// judgeFailure returns the error of a post that TikTok accepted and then rejected.
func judgeFailure(reason string) *provider.Error {
	v, known := failures[reason]
	if !known {
		v = badContent
	}
	return &provider.Error{Kind: v.kind, Code: v.code, Scope: v.scope, Message: "TikTok did not publish the post: " +
		cmp.Or(reason, "no reason given")}
}
