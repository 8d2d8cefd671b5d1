package provider

import (
	"context"
	"mime"
	"net/http"
	"strings"
)

// APIClient sends requests to one host of a network on behalf of accounts.
type APIClient struct {
	Caller *Caller
	// BaseURL is prepended to the URL of every request.
	BaseURL string
	// Failure returns the error that a response stands for; nil means success.
	Failure func(*Response) *Error
	// Sign adds a proof to the URL of a request that it comes from the app; nil adds nothing.
	Sign func(address string, token Secret) string
}

// BaseURL returns the configured address without a trailing slash, or the default.
func BaseURL(configured, usual string) string {
	if configured == "" {
		return usual
	}
	return strings.TrimRight(configured, "/")
}

// FailureOf returns a Failure for networks that signal errors with an HTTP status.
func FailureOf(classify func(*Response) *Error) func(*Response) *Error {
	return func(answer *Response) *Error {
		if answer.OK() {
			return nil
		}
		if refusal := answer.RefusedByProxy(); refusal != nil {
			return refusal
		}
		return classify(answer)
	}
}

// RefusedByProxy returns the error of a 403 that is a page for people: it comes from a proxy in front of the network
// and says nothing about the post, nor about the account. It returns nil for any other response.
func (r *Response) RefusedByProxy() *Error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // an unreadable type is none
	if kind != "text/html" || r.Status != http.StatusForbidden {
		return nil
	}
	return r.Unavailable("a proxy in front of the network refused the call")
}

// Send makes one exchange with the account's token. The URL of the request is relative to the client's base URL.
func (c APIClient) Send(ctx context.Context, token Secret, r Request) (*Response, error) {
	answer, err := c.SendRaw(ctx, token, r)
	if err != nil {
		return nil, err
	}
	if failure := c.Failure(answer); failure != nil {
		return nil, failure
	}
	return answer, nil
}

// SendRaw is Send without checking the response for failure.
func (c APIClient) SendRaw(ctx context.Context, token Secret, r Request) (*Response, error) {
	r.URL, r.Bearer = c.BaseURL+r.URL, token
	if c.Sign != nil {
		r.URL = c.Sign(r.URL, token)
	}
	return c.Caller.Send(ctx, r)
}

// SendJSON is Send with a JSON body; nil sends none.
func (c APIClient) SendJSON(ctx context.Context, token Secret, r Request, body any) (*Response, error) {
	if body != nil {
		encoded, err := JSONBody(body)
		if err != nil {
			return nil, Unsendable(err)
		}
		r.Body = encoded
	}
	return c.Send(ctx, token, r)
}

// Call is SendJSON that decodes the response into v; nil decodes nothing.
func (c APIClient) Call(ctx context.Context, token Secret, r Request, body, v any) error {
	answer, err := c.SendJSON(ctx, token, r, body)
	if err != nil || v == nil {
		return err
	}
	return answer.Decode(v)
}

// Get sends a read request and decodes the response into v.
func (c APIClient) Get(ctx context.Context, token Secret, path string, v any) error {
	return c.Call(ctx, token, Request{Operation: OpRead, Method: http.MethodGet, URL: path}, nil, v)
}

// Unsendable returns the error for content that cannot be encoded.
func Unsendable(err error) *Error {
	return &Error{Kind: Rejected, Code: CodeContentRejected, Message: "the post cannot be sent", Err: err}
}
