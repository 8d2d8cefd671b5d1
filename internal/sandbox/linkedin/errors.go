package linkedin

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// errorBody is an error of the API. The routes below /v2 have no code in it.
type errorBody struct {
	Status           int    `json:"status"`
	ServiceErrorCode int    `json:"serviceErrorCode,omitempty"`
	Code             string `json:"code,omitempty"`
	Message          string `json:"message"`
}

// LinkedIn's numbers of some errors.
const (
	codeDenied  = 100
	codeInvalid = 65600
	codeRevoked = 65601
	codeExpired = 65602
	codeEmpty   = 65604
)

func restError(status, service int, code, message string) sim.Reply {
	return sim.Reply{Status: status, Body: errorBody{Status: status, ServiceErrorCode: service, Code: code,
		Message: message}}
}

// badField returns the response to an invalid field.
func badField(code, format string, args ...any) sim.Reply {
	return restError(http.StatusBadRequest, 0, code, fmt.Sprintf(format, args...))
}

// denied returns the response to a call that the token's scopes or the member's role do not allow.
func denied(what string) sim.Reply {
	return restError(http.StatusForbidden, codeDenied, "ACCESS_DENIED", "Not enough permissions to access: "+what)
}

func unprocessable(message string) sim.Reply {
	return restError(http.StatusUnprocessableEntity, 0, "UNPROCESSABLE_ENTITY", message)
}

func notFound(urn string) sim.Reply {
	return restError(http.StatusNotFound, 0, "NOT_FOUND", "Entity with key "+urn+" not found")
}

// duplicateBody contains the existing post.
type duplicateBody struct {
	ErrorDetailType string `json:"errorDetailType"`
	Message         string `json:"message"`
	ErrorDetails    struct {
		InputErrors []inputError `json:"inputErrors"`
	} `json:"errorDetails"`
	Status int `json:"status"`
}

type inputError struct {
	Description string   `json:"description"`
	Input       struct{} `json:"input"`
	Code        string   `json:"code"`
}

func duplicateOf(urn string) sim.Reply {
	body := duplicateBody{ErrorDetailType: "com.linkedin.common.error.BadRequest",
		Status:  http.StatusUnprocessableEntity,
		Message: "com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of " + urn}
	body.ErrorDetails.InputErrors = []inputError{{Description: "Duplicate post is detected", Code: "DUPLICATE_POST"}}
	return sim.Reply{Status: http.StatusUnprocessableEntity, Body: body}
}

// broken returns the response to a failure of the sandbox itself.
func (n *network) broken(err error) sim.Reply {
	n.env.Log.Error("sandbox call failed", "error", err)
	return restError(http.StatusInternalServerError, 0, "INTERNAL_SERVER_ERROR", "Internal Server Error")
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

// changed changes the state and returns the status, or the rejection.
func (n *network) changed(status int, fn func(tx *sim.Tx) *sim.Reply) sim.Reply {
	if refusal := n.try(fn); refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: status}
}

func refuse(r sim.Reply) *sim.Reply { return &r }

func tooMany(scope string) sim.Reply {
	return restError(http.StatusTooManyRequests, 101, "TOO_MANY_REQUESTS",
		"Resource level throttle "+scope+" limit for calls to this resource is reached.")
}

// longThrottle is the duration above which a scripted rate limit is that of a whole day.
const longThrottle = time.Hour

// Fault returns the response of a scripted failure. LinkedIn has no header that says when a rate limit ends.
func (n *network) Fault(r *http.Request, f sim.Fault) sim.Reply {
	return n.finish(r, n.fault(f))
}

func (n *network) fault(f sim.Fault) sim.Reply {
	switch {
	case f.Kind == sim.RateLimit && f.RetryAfter >= longThrottle:
		return tooMany("MEMBER DAY")
	case f.Kind == sim.RateLimit:
		return tooMany("APPLICATION")
	case f.Kind == sim.Outage:
		return restError(http.StatusServiceUnavailable, 0, "SERVICE_UNAVAILABLE", "Service Unavailable")
	case f.Operation == sim.Refresh:
		return deadGrant()
	case f.Kind == sim.AuthExpired:
		return restError(http.StatusUnauthorized, codeExpired, "EXPIRED_ACCESS_TOKEN",
			"The token used in the request has expired")
	case f.Kind == sim.Restricted:
		return restError(http.StatusForbidden, 0, "ACCESS_DENIED", "The member's account is restricted")
	case f.Operation == sim.Upload:
		return badField("MEDIA_ASSET_PROCESSING_FAILED", "The media asset could not be processed")
	default:
		return unprocessable("The content was rejected")
	}
}

// finish adds what all of LinkedIn's responses have: the headers for support requests, and no code below /v2.
func (n *network) finish(r *http.Request, reply sim.Reply) sim.Reply {
	if body, ok := reply.Body.(errorBody); ok && strings.HasPrefix(r.URL.Path, "/"+name+"/v2/") {
		body.Code = ""
		reply.Body = body
	}
	id := fmt.Sprintf("%016X", sim.StableNumber(18, r.URL.Path, n.env.Now().String()))
	return reply.With("x-li-uuid", id).With("x-li-fabric", "prod-sandbox").With("x-li-request-id", id)
}
