package youtube

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	"crier/internal/provider"
)

// Pauses if YouTube names no time.
const (
	operatorPause    = 15 * time.Minute
	uploadLimitPause = 24 * time.Hour
)

// problemBody is an error response of Google, below "error". Its token endpoint returns the name of the error instead
// of the object.
type problemBody struct {
	Message string `json:"message"`
	Status  string `json:"status"`
	Errors  []struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"errors"`
	Details []struct {
		Reason string `json:"reason"`
	} `json:"details"`
}

func readProblem(answer *provider.Response) problemBody {
	var p struct {
		Error problemBody `json:"error"`
	}
	if json.Unmarshal(answer.Body, &p) != nil {
		return problemBody{} // HTML or nothing: the status has to suffice
	}
	return p.Error
}

// reason returns the most specific name of the error.
func (p problemBody) reason() string {
	for _, d := range p.Details {
		if _, known := refusals[d.Reason]; known {
			return d.Reason
		}
	}
	if len(p.Errors) > 0 {
		return p.Errors[0].Reason
	}
	return p.Status
}

var markup = regexp.MustCompile(`<[^>]*>`)

// message returns YouTube's message without the links in it.
func (p problemBody) message() string {
	message := p.Message
	if message == "" && len(p.Errors) > 0 {
		message = p.Errors[0].Message
	}
	message = markup.ReplaceAllString(message, "")
	if reason := p.reason(); reason != "" && message != "" {
		return message + " (" + reason + ")"
	}
	return cmp.Or(message, p.reason())
}

// verdict is the classification of a reason.
type verdict struct {
	kind  provider.Kind
	code  provider.Code
	scope provider.Scope
}

var (
	badContent  = verdict{provider.Rejected, provider.CodeContentRejected, provider.ScopePost}
	badMedia    = verdict{provider.Rejected, provider.CodeMediaRejected, provider.ScopePost}
	badAccount  = verdict{provider.Rejected, provider.CodeAccountRestricted, provider.ScopeAccount}
	noScope     = verdict{provider.AuthExpired, provider.CodePermissionMissing, provider.ScopeAccount}
	deadToken   = verdict{provider.AuthExpired, provider.CodeAuthExpired, provider.ScopeAccount}
	tooFast     = verdict{provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount}
	dayUsedUp   = verdict{provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeInstallation}
	channelFull = verdict{provider.RateLimited, provider.CodeQuotaExhausted, provider.ScopeAccount}
	operator    = verdict{provider.Temporary, provider.CodeProviderUnavailable, provider.ScopeInstallation}
)

// refusals are YouTube's reasons (errors of the Data API, and those of single methods). Others are classified by
// status.
var refusals = map[string]verdict{
	"authError": deadToken, "UNAUTHENTICATED": deadToken, "expired": deadToken,
	"insufficientPermissions": noScope, "ACCESS_TOKEN_SCOPE_INSUFFICIENT": noScope,
	"youtubeSignupRequired": badAccount, "accountDelegationForbidden": badAccount,
	"authenticatedUserAccountClosed":    badAccount,
	"authenticatedUserAccountSuspended": badAccount, "authenticatedUserNotChannel": badAccount,
	"ineligibleAccount": badAccount,
	"quotaExceeded":     dayUsedUp, "dailyLimitExceeded": dayUsedUp,
	"rateLimitExceeded": tooFast, "userRateLimitExceeded": tooFast, "uploadRateLimitExceeded": tooFast,
	"RESOURCE_EXHAUSTED":  tooFast,
	"uploadLimitExceeded": channelFull,
	"accessNotConfigured": operator, "SERVICE_DISABLED": operator,
	"invalidTitle": badContent, "invalidDescription": badContent, "invalidTags": badContent,
	"invalidCategoryId": badContent,
	"invalidPublishAt":  badContent, "invalidRecordingDetails": badContent, "invalidVideoMetadata": badContent,
	"invalidVideoGameRating": badContent, "defaultLanguageNotSet": badContent, "forbiddenPrivacySetting": badContent,
	"forbiddenLicenseSetting": badContent, "forbidden": badContent, "videoNotFound": badContent,
	"playlistNotFound": badContent,
	"invalidFilename":  badMedia, "mediaBodyRequired": badMedia, "invalidImage": badMedia,
	"imageFormatUnsupported": badMedia,
	"imageTooTall":           badMedia, "imageTooWide": badMedia,
	"commentTextRequired": badContent, "commentTextTooLong": badContent, "channelOrVideoIdMissing": badContent,
	"invalidCommentThreadMetadata": badContent, "operationNotSupported": badContent, "commentsDisabled": badContent,
	"playlistItemsNotAccessible": badContent, "playlistContainsMaximumNumberOfVideos": badContent,
}

// classify turns an unsuccessful response into an error. It is the only place that does so.
func (p *Provider) classify(answer *provider.Response) *provider.Error {
	body := readProblem(answer)
	known, ok := refusals[body.reason()]
	switch {
	case body.reason() == "processingFailure":
		return answer.Unavailable(body.message()) // a comment may nevertheless be published
	case ok && answer.Status < 500:
		return p.judge(answer, known, body.message())
	case answer.Status >= 500 || answer.Status < 400 || answer.Status == http.StatusRequestTimeout:
		return answer.Unavailable(body.message())
	case answer.Status == http.StatusTooManyRequests:
		return p.judge(answer, tooFast, body.message())
	case answer.Status == http.StatusUnauthorized:
		return p.judge(answer, deadToken, body.message())
	case answer.Status == http.StatusRequestEntityTooLarge:
		return p.judge(answer, badMedia, body.message())
	}
	return p.judge(answer, badContent, body.message())
}

func (p *Provider) judge(answer *provider.Response, v verdict, message string) *provider.Error {
	e := answer.Fail(v.kind, v.code, message, nil)
	e.Scope = v.scope
	switch v {
	case dayUsedUp:
		e.RetryAfter = p.untilQuotaReset()
	case channelFull:
		e.RetryAfter = uploadLimitPause
	case operator:
		e.RetryAfter = operatorPause
	}
	return e
}

// untilQuotaReset returns the time until the next midnight in California.
func (p *Provider) untilQuotaReset() time.Duration {
	now := p.now().In(p.quotaZone)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, p.quotaZone).Sub(now)
}

// classifyToken is for the token endpoint, which returns OAuth errors. Wrong client credentials are the operator's
// problem and must not disconnect an account.
func (p *Provider) classifyToken(answer *provider.Response) *provider.Error {
	var oauth struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(answer.Body, &oauth) != nil || oauth.Error == "" || answer.Status >= 500 {
		return p.classify(answer)
	}
	message := cmp.Or(oauth.Description, oauth.Error)
	switch oauth.Error {
	case "invalid_grant", "invalid_token", "access_denied":
		return p.judge(answer, deadToken, message)
	case "rate_limit_exceeded", "slow_down":
		return p.judge(answer, tooFast, message)
	}
	return p.judge(answer, operator, message)
}
