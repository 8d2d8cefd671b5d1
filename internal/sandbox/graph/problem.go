package graph

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"crier/internal/sandbox/sim"
)

// Problem is an error of the Graph API. Apps distinguish errors by code and subcode.
type Problem struct {
	Status  int    // default 400
	Type    string // default OAuthException
	Code    int
	Subcode int
	Message string
	// Transient is set if the same call may succeed later.
	Transient bool
	// Title and Text are for people.
	Title, Text string
	// Data is additional data that an app needs to continue; mostly there is none.
	Data any
}

type problemBody struct {
	Error problemFields `json:"error"`
}

type problemFields struct {
	Message   string `json:"message"`
	Type      string `json:"type"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode,omitempty"`
	Transient bool   `json:"is_transient"`
	Title     string `json:"error_user_title,omitempty"`
	Text      string `json:"error_user_msg,omitempty"`
	Data      any    `json:"error_data,omitempty"`
	Trace     string `json:"fbtrace_id"`
}

// Reply returns the response with the problem.
func (p Problem) Reply() sim.Reply {
	if p.Status == 0 {
		p.Status = http.StatusBadRequest
	}
	if p.Type == "" {
		p.Type = "OAuthException"
	}
	return sim.Reply{Status: p.Status, Body: problemBody{problemFields{Message: p.Message, Type: p.Type, Code: p.Code,
		Subcode:   p.Subcode,
		Transient: p.Transient, Title: p.Title, Text: p.Text, Data: p.Data, Trace: newTrace()}}}
}

// Refuse is Reply for a function that returns nil to continue.
func (p Problem) Refuse() *sim.Reply { return Refuse(p.Reply()) }

// newTrace returns a trace id for support requests.
func newTrace() string { return "A" + rand.Text()[:22] }

// Missing returns the response to an object that does not exist, or not for this token.
func Missing(method, id string) sim.Reply {
	verb := map[string]string{http.MethodPost: "post", http.MethodDelete: "delete"}[method]
	if verb == "" {
		verb = "get"
	}
	return Problem{Type: "GraphMethodException", Code: 100, Subcode: 33,
		Message: fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, "+
			"cannot be loaded due to missing permissions, or does not support this operation", verb, id)}.Reply()
}

// Forbidden returns the response to a call that needs a scope that was not granted.
func Forbidden(scope string) sim.Reply {
	return Problem{Status: http.StatusForbidden, Code: 10,
		Message: "(#10) Application does not have permission for this action: " + scope + " is missing"}.Reply()
}

// Outage returns the problem of a network that is down.
func Outage() Problem {
	return Problem{Status: http.StatusInternalServerError, Code: 2, Transient: true,
		Message: "An unexpected error has occurred. Please retry your request later."}
}

const sessionTime = "Monday, 02-Jan-06 15:04:05 MST"

// Expired returns the problem of an expired token.
func Expired(at, now time.Time) Problem {
	return Problem{Code: 190, Subcode: 463,
		Message: fmt.Sprintf("Error validating access token: Session has expired on %s. The current time is %s.",
			at.UTC().Format(sessionTime), now.UTC().Format(sessionTime))}
}

func removed() Problem {
	return Problem{Code: 190, Subcode: 458,
		Message: "Error validating access token: The user has not authorized application."}
}

func unreadableToken() Problem {
	return Problem{Code: 190, Message: "Invalid OAuth access token - Cannot parse access token"}
}

func noToken() Problem {
	return Problem{Code: 104, Message: "An access token is required to request this resource."}
}
