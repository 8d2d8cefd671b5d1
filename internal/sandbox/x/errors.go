package x

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// problemType is the base of X's problem types.
const problemType = "https://api.x.com/2/problems/"

// problemBody is an error of the API: problem+json with X's own members.
type problemBody struct {
	Title  string         `json:"title"`
	Detail string         `json:"detail"`
	Type   string         `json:"type"`
	Status int            `json:"status,omitempty"`
	Errors []problemError `json:"errors,omitempty"`

	AccountID    int64  `json:"account_id,omitempty"`
	ResourceType string `json:"resource_type,omitempty"`
	ResourceID   string `json:"resource_id,omitempty"`
	Parameter    string `json:"parameter,omitempty"`
	Value        string `json:"value,omitempty"`
	Section      string `json:"section,omitempty"`
	Field        string `json:"field,omitempty"`
}

type problemError struct {
	Parameters map[string][]string `json:"parameters,omitempty"`
	Message    string              `json:"message"`
}

func problem(status int, kind, title, detail string) sim.Reply {
	return problemReply(status, problemBody{Title: title, Detail: detail, Type: kind, Status: status})
}

func problemReply(status int, body problemBody) sim.Reply {
	return sim.Reply{Status: status, Body: body}.With("Content-Type", "application/problem+json")
}

func unauthorized() sim.Reply {
	return problem(http.StatusUnauthorized, "about:blank", "Unauthorized", "Unauthorized")
}

func forbidden(detail string) sim.Reply {
	return problem(http.StatusForbidden, "about:blank", "Forbidden", detail)
}

// notPermitted returns X's response to most rejected actions.
func notPermitted() sim.Reply { return forbidden("You are not permitted to perform this action.") }

func suspended() sim.Reply {
	return problem(http.StatusForbidden, problemType+"user-suspended", "User Suspended",
		"The user used for authentication is suspended")
}

// invalid returns the response to an invalid parameter.
func invalid(parameter, value, message string) sim.Reply {
	e := problemError{Message: message}
	if parameter != "" {
		e.Parameters = map[string][]string{parameter: {value}}
	}
	return problemReply(http.StatusBadRequest, problemBody{Title: "Invalid Request", Type: problemType +
		"invalid-request",
		Detail: "One or more parameters to your request was invalid.", Errors: []problemError{e}})
}

func tweetNotFound(parameter, id string) problemBody {
	return problemBody{Title: "Not Found Error", Type: problemType + "resource-not-found", ResourceType: "tweet",
		ResourceID: id,
		Parameter:  parameter, Value: id, Detail: "Could not find tweet with " + parameter + ": [" + id + "]."}
}

func creditsDepleted() sim.Reply {
	return problemReply(http.StatusPaymentRequired,
		problemBody{Title: "CreditsDepleted", Type: problemType + "credits", AccountID: 1,
			Detail: "Your enrolled account [1] does not have any credits to fulfill this request."})
}

func unavailable() sim.Reply {
	return problem(http.StatusServiceUnavailable, "about:blank", "Service Unavailable", "Service Unavailable")
}

// broken returns the response to a failure of the sandbox itself.
func (n *network) broken(err error) sim.Reply {
	n.env.Log.Error("sandbox call failed", "error", err)
	return problem(http.StatusInternalServerError, problemType+"internal-error", "Internal Server Error",
		"Something is broken.")
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

// tooMany returns the response to a call over a limit. X sends no Retry-After.
func tooMany() sim.Reply {
	return problem(http.StatusTooManyRequests, "about:blank", "Too Many Requests", "Too Many Requests")
}

// Fault returns the response of a scripted failure.
func (n *network) Fault(r *http.Request, f sim.Fault) sim.Reply {
	switch {
	case f.Kind == sim.RateLimit:
		return n.limited(f.RetryAfter)
	case f.Kind == sim.Outage:
		return unavailable()
	case f.Operation == sim.Refresh:
		return sim.OAuthError(http.StatusBadRequest, "invalid_request", deadToken)
	case f.Kind == sim.AuthExpired:
		return unauthorized()
	case f.Kind == sim.Restricted:
		return suspended()
	case f.Operation == sim.Upload:
		return n.rejectedUpload(r)
	default:
		return notPermitted()
	}
}

// limited returns the response of a scripted rate limit: in the headers of the short window, or of the day if it ends
// later.
func (n *network) limited(after time.Duration) sim.Reply {
	now := n.env.Now()
	reset := strconv.FormatInt(now.Add(after).Unix(), 10)
	if after <= shortWindow {
		return tooMany().With("x-rate-limit-limit", "100").With("x-rate-limit-remaining",
			"0").With("x-rate-limit-reset", reset)
	}
	return tooMany().With("x-rate-limit-limit", "100").With("x-rate-limit-remaining", "99").
		With("x-rate-limit-reset", strconv.FormatInt(now.Add(shortWindow).Unix(), 10)).
		With("x-user-limit-24hour-limit", "100").With("x-user-limit-24hour-remaining",
		"0").With("x-user-limit-24hour-reset", reset)
}

// rejectedUpload returns the response to an upload whose file X rejects: by the state of its processing if there is
// one.
func (n *network) rejectedUpload(r *http.Request) sim.Reply {
	id := r.PathValue("id")
	if id == "" {
		id = r.URL.Query().Get("media_id")
	}
	if id == "" || strings.HasSuffix(r.URL.Path, "/append") {
		return invalid("media", "", "media type unrecognized.")
	}
	failed := &processing{State: "failed", Error: &processingError{Code: 1, Name: "InvalidMedia",
		Message: "Unsupported media."}}
	return sim.Reply{Status: http.StatusOK, Body: data{mediaView{ID: id, ProcessingInfo: failed}}}
}

// data is the envelope of every successful response.
type data struct {
	Data any `json:"data"`
}
