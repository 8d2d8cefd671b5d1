package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/internal/provider"
)

// Marks of errors, which are more specific than their class.
var (
	// ErrMissing means that the network has no object of that id, or does not show it to this token.
	ErrMissing = errors.New("the object is not known")
	// ErrNotReady means that a container is not finished and cannot be published yet.
	ErrNotReady = errors.New("the container is not finished")
	// ErrExpired means that a container was not published in time.
	ErrExpired = errors.New("the container has expired")
	// ErrUnknownContainer means that the network does not find the container to publish, temporarily or permanently.
	// Nothing was published.
	ErrUnknownContainer = errors.New("the container is not found")
	// ErrQuota means that the daily number of posts is used up.
	ErrQuota = errors.New("the publishing quota is used up")
	// ErrTryAnew means that a new container may help, once.
	ErrTryAnew = errors.New("a new container may help")
)

// IsMissing reports whether the network does not know an object.
func IsMissing(err error) bool { return errors.Is(err, ErrMissing) }

// Pauses if the network names no time.
const (
	// RatePause is for call limits: they slide over an hour or a day.
	RatePause = 15 * time.Minute
	// QuotaPause is how long to wait before the daily number of posts is read again.
	QuotaPause = 15 * time.Minute
	// BlockedPause is for accounts that are blocked for their activity: retrying sooner makes it worse.
	BlockedPause = 6 * time.Hour
	// operatorPause is for problems with the app.
	operatorPause = 15 * time.Minute
)

// Rule classifies an error of the network. Zero fields match every error.
type Rule struct {
	// Code matches one code, or those up to CodeTo.
	Code, CodeTo int
	Subcode      int
	// Says matches errors whose messages contain the text.
	Says string

	Kind  provider.Kind
	As    provider.Code
	Scope provider.Scope
	// Pause is how long to wait if the network does not say.
	Pause time.Duration
	// Ambiguous means that a publishing request may nevertheless have been carried out.
	Ambiguous bool
	// Mark is found in the error with errors.Is.
	Mark error
}

// Problem is an error response of the Graph API.
type Problem struct {
	Message     string `json:"message"`
	Type        string `json:"type"`
	Code        int    `json:"code"`
	Subcode     int    `json:"error_subcode"`
	Transient   bool   `json:"is_transient"`
	UserTitle   string `json:"error_user_title"`
	UserMessage string `json:"error_user_msg"`
}

// ReadProblem decodes the error of a response; it is empty if there is none.
func ReadProblem(answer *provider.Response) Problem {
	var envelope struct {
		Error json.RawMessage `json:"error"`
		// The token endpoint of Instagram has its own format.
		ErrorType    string `json:"error_type"`
		ErrorMessage string `json:"error_message"`
	}
	if json.Unmarshal(answer.Body, &envelope) != nil {
		return Problem{} // HTML or nothing: the status has to suffice
	}
	p := Problem{Type: envelope.ErrorType, Message: envelope.ErrorMessage}
	if len(envelope.Error) > 0 && json.Unmarshal(envelope.Error, &p) != nil {
		return Problem{Message: string(envelope.Error)}
	}
	return p
}

// text returns the network's message, preferably the one for people.
func (p Problem) text() string {
	if p.UserMessage == "" {
		return p.Message
	}
	if p.UserTitle == "" || strings.HasPrefix(p.UserMessage, p.UserTitle) {
		return p.UserMessage
	}
	return p.UserTitle + ": " + p.UserMessage
}

func (r Rule) fits(p Problem) bool {
	code := r.Code == 0 || p.Code == r.Code || r.CodeTo > 0 && p.Code >= r.Code && p.Code <= r.CodeTo
	return code && (r.Subcode == 0 || p.Subcode == r.Subcode) &&
		(r.Says == "" || strings.Contains(p.Message, r.Says) || strings.Contains(p.UserTitle, r.Says) ||
			strings.Contains(p.UserMessage, r.Says))
}

// common are the errors of the whole Graph API that do not depend on the request.
var common = []Rule{
	{Code: 190, Kind: provider.AuthExpired, As: provider.CodeAuthExpired, Scope: provider.ScopeAccount},
	{Code: 102, Kind: provider.AuthExpired, As: provider.CodeAuthExpired, Scope: provider.ScopeAccount},
	{Code: 4, Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeInstallation,
		Pause: RatePause},
	{Code: 17, Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeAccount,
		Pause: RatePause},
	{Code: 32, Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeAccount,
		Pause: RatePause},
	{Code: 341, Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeAccount,
		Pause: RatePause},
	{Code: 613, Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeAccount,
		Pause: RatePause},
	{Code: 80000, CodeTo: 80014, Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeAccount,
		Pause: RatePause},
	{Code: 368, Kind: provider.Temporary, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount,
		Pause: BlockedPause},
	{Code: 3, Kind: provider.AuthExpired, As: provider.CodePermissionMissing, Scope: provider.ScopeAccount},
	{Code: 10, Kind: provider.AuthExpired, As: provider.CodePermissionMissing, Scope: provider.ScopeAccount},
	{Code: 200, CodeTo: 299, Kind: provider.AuthExpired, As: provider.CodePermissionMissing,
		Scope: provider.ScopeAccount},
	{Code: 506, Kind: provider.Rejected, As: provider.CodeDuplicateContent},
	{Code: 1, Ambiguous: true},
	{Code: 2, Ambiguous: true},
	{Code: 100, Subcode: 33, Kind: provider.Rejected, As: provider.CodeContentRejected, Mark: ErrMissing},
}

// Classify turns an unsuccessful response into an error: by code and subcode first, the network's own rules before the
// common ones; by status only if the body does not tell. It is the only place that does so.
func Classify(answer *provider.Response, rules []Rule) *provider.Error {
	p := ReadProblem(answer)
	if p.Code != 0 || p.Subcode != 0 {
		for _, list := range [][]Rule{rules, common} {
			for _, rule := range list {
				if rule.fits(p) {
					return rule.apply(answer, p)
				}
			}
		}
	}
	switch {
	case p.Transient || answer.Status >= 500 || answer.Status < 400 || answer.Status == http.StatusRequestTimeout:
		return answer.Unavailable(p.text())
	case answer.Status == http.StatusTooManyRequests:
		return Rule{Kind: provider.RateLimited, As: provider.CodeRateLimited, Scope: provider.ScopeAccount,
			Pause: RatePause}.apply(answer, p)
	case answer.Status == http.StatusUnauthorized && p.Code == 0:
		return Rule{Kind: provider.AuthExpired, As: provider.CodeAuthExpired,
			Scope: provider.ScopeAccount}.apply(answer, p)
	}
	return answer.Fail(provider.Rejected, provider.CodeContentRejected, p.text(), nil)
}

func (r Rule) apply(answer *provider.Response, p Problem) *provider.Error {
	cause := fmt.Errorf("code %d, subcode %d, type %s", p.Code, p.Subcode, p.Type)
	var e *provider.Error
	if r.Ambiguous {
		e = answer.Unavailable(p.text())
	} else {
		e = answer.Fail(r.Kind, r.As, p.text(), cause)
	}
	e.Scope = r.Scope
	e.RetryAfter = cmp.Or(e.RetryAfter, r.Pause)
	if told := regain(answer.Header); told > 0 && r.Kind == provider.RateLimited {
		e.RetryAfter = told
	}
	if r.Mark != nil {
		e.Err = fmt.Errorf("%w: %w", r.Mark, e.Err)
	}
	return e
}

// ClassifyToken is for the token endpoints. A problem with the app's own id or secret is the operator's and must not
// disconnect an account; every other rejection needs the person.
func ClassifyToken(answer *provider.Response) *provider.Error {
	p := ReadProblem(answer)
	if p.Code == 101 || strings.Contains(p.Message, "client secret") ||
		strings.Contains(p.Message, "validating application") {
		e := answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, p.text(), nil)
		e.Scope, e.RetryAfter = provider.ScopeInstallation, operatorPause
		return e
	}
	e := Classify(answer, nil)
	if e.Kind == provider.Rejected {
		e.Kind, e.Code, e.Scope = provider.AuthExpired, provider.CodeAuthExpired, provider.ScopeAccount
	}
	return e
}

// MissingID returns the error for a success without an id.
func MissingID(network string) *provider.Error {
	return &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown, Message: network +
		" answered without the id of the post"}
}

// IsUnknownContainer reports whether the network does not find the container, or the post, of an id.
func IsUnknownContainer(err error) bool { return errors.Is(err, ErrUnknownContainer) }
