package youtube

import (
	"net/http"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// errorBody is an error of Google's APIs.
type errorBody struct {
	Error errorDetails `json:"error"`
}

type errorDetails struct {
	Code    int           `json:"code"`
	Message string        `json:"message"`
	Errors  []errorItem   `json:"errors"`
	Status  string        `json:"status,omitempty"`
	Details []errorReason `json:"details,omitempty"`
}

type errorItem struct {
	Message      string `json:"message"`
	Domain       string `json:"domain"`
	Reason       string `json:"reason"`
	Location     string `json:"location,omitempty"`
	LocationType string `json:"locationType,omitempty"`
}

type errorReason struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

func failure(status int, domain, reason, message string) sim.Reply {
	return sim.Reply{Status: status, Body: errorBody{errorDetails{Code: status, Message: message,
		Errors: []errorItem{{Message: message, Domain: domain, Reason: reason}}}}}
}

// badRequest returns the response to a malformed request.
func badRequest(reason, message string) sim.Reply {
	return failure(http.StatusBadRequest, "global", reason, message)
}

func deadToken() sim.Reply {
	return sim.Reply{Status: http.StatusUnauthorized,
		Body: errorBody{errorDetails{Code: http.StatusUnauthorized, Status: "UNAUTHENTICATED",
			Message: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or " +
				"other valid authentication credential. " +
				"See https://developers.google.com/identity/sign-in/web/devconsole-project.",
			Errors: []errorItem{{Message: "Invalid Credentials", Domain: "global", Reason: "authError",
				Location: "Authorization", LocationType: "header"}}}}}
}

func missingScope() sim.Reply {
	return sim.Reply{Status: http.StatusForbidden,
		Body: errorBody{errorDetails{Code: http.StatusForbidden, Status: "PERMISSION_DENIED",
			Message: "Request had insufficient authentication scopes.",
			Errors: []errorItem{{Message: "Insufficient Permission", Domain: "global",
				Reason: "insufficientPermissions"}},
			Details: []errorReason{{Type: "type.googleapis.com/google.rpc.ErrorInfo",
				Reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT", Domain: "googleapis.com"}}}}}
}

func quotaExceeded() sim.Reply {
	return failure(http.StatusForbidden, "youtube.quota", "quotaExceeded",
		`The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.`)
}

func rateLimited() sim.Reply {
	reply := failure(http.StatusTooManyRequests, "usageLimits", "rateLimitExceeded", "Rate Limit Exceeded")
	body, _ := reply.Body.(errorBody)
	body.Error.Status = "RESOURCE_EXHAUSTED"
	reply.Body = body
	return reply
}

func unavailable() sim.Reply {
	return failure(http.StatusServiceUnavailable, "global", "backendError", "Backend Error")
}

func suspended() sim.Reply {
	return failure(http.StatusForbidden, "youtube.common", "authenticatedUserAccountSuspended",
		"The YouTube account of the authenticated user is suspended.")
}

func videoNotFound() sim.Reply {
	return failure(http.StatusNotFound, "youtube.video", "videoNotFound",
		"The video that you are trying to access cannot be found.")
}

func forbidden(domain string) sim.Reply {
	return failure(http.StatusForbidden, domain, "forbidden", "The request is not properly authorized.")
}

// invalidMetadata returns the response to an invalid field of a video.
func invalidMetadata(reason, location, message string) sim.Reply {
	reply := failure(http.StatusBadRequest, "youtube.video", reason, message)
	if body, ok := reply.Body.(errorBody); ok {
		body.Error.Errors[0].Location, body.Error.Errors[0].LocationType = location, "other"
	}
	return reply
}

// broken returns the response to a failure of the sandbox itself.
func (n *network) broken(err error) sim.Reply {
	n.env.Log.Error("sandbox call failed", "error", err)
	return failure(http.StatusInternalServerError, "global", "internalError", "Internal Error")
}

// try changes the state; fn returns the rejection that ends it without a change. try returns the response, or nil on
// success.
func (n *network) try(fn func(tx *sim.Tx) *sim.Reply) *sim.Reply {
	refusal, err := n.env.Attempt(fn)
	if err != nil {
		return refuse(n.broken(err))
	}
	return refusal
}

func refuse(r sim.Reply) *sim.Reply { return &r }

// longLimit is the duration above which a scripted rate limit is that of the daily quota. Google states no time.
const longLimit = time.Hour

// Fault returns the response of a scripted failure.
func (n *network) Fault(r *http.Request, f sim.Fault) sim.Reply {
	switch {
	case f.Operation == sim.Refresh:
		return refreshFault(f)
	case f.Kind == sim.RateLimit && f.RetryAfter >= longLimit:
		return quotaExceeded()
	case f.Kind == sim.RateLimit:
		return rateLimited()
	case f.Kind == sim.Outage:
		return unavailable()
	case f.Kind == sim.AuthExpired:
		return deadToken()
	case f.Kind == sim.Restricted:
		return suspended()
	default:
		return rejected(r, f)
	}
}

func refreshFault(f sim.Fault) sim.Reply {
	switch f.Kind {
	case sim.RateLimit:
		return sim.OAuthError(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate Limit Exceeded")
	case sim.Outage:
		return sim.OAuthError(http.StatusServiceUnavailable, "internal_failure", "Backend Error")
	default:
		return deadGrant()
	}
}

// rejected returns the response to rejected content.
func rejected(r *http.Request, f sim.Fault) sim.Reply {
	switch {
	case f.Operation == sim.Upload && strings.Contains(r.URL.Path, "/thumbnails/"):
		return failure(http.StatusBadRequest, "youtube.thumbnail", "invalidImage",
			"The provided image content is invalid.")
	case f.Operation == sim.Publish || f.Operation == sim.Upload:
		return invalidMetadata("invalidVideoMetadata", "body", "The request metadata is invalid.")
	case f.Operation == sim.Comment:
		return failure(http.StatusBadRequest, "youtube.commentThread", "invalidCommentThreadMetadata",
			"The request metadata is invalid.")
	case f.Operation == sim.Delete:
		return forbidden("youtube.video")
	default:
		return badRequest("badRequest", "Bad Request")
	}
}
