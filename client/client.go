// Package client is the typed Go client of crier's API: one method per operation. It retries requests that are safe to
// repeat, sends an idempotency key with every change so that all of them are, and returns typed errors.
//
// It uses the public API only.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier"
)

// Client talks to one installation of crier. It is safe for concurrent use.
type Client struct {
	base  string
	token func(context.Context) (string, error)
	http  *http.Client
	tries int
	agent string
	// waiting is called before waits that a person notices.
	waiting func(wait time.Duration, why error)
}

// Option configures a client.
type Option func(*Client)

// WithHTTPClient sets the HTTP client.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithTries sets the maximum number of tries of a request; 1 disables retries.
func WithTries(n int) Option { return func(c *Client) { c.tries = max(1, n) } }

// WithUserAgent sets the user agent.
func WithUserAgent(agent string) Option { return func(c *Client) { c.agent = agent } }

// WithWaiting sets a function that is called when a request is retried after a second or more, with the reason: a
// program that seems to hang looks broken.
func WithWaiting(notify func(wait time.Duration, why error)) Option {
	return func(c *Client) { c.waiting = notify }
}

// WithTokenSource calls source for the token of every request, for tokens that are refreshed.
func WithTokenSource(source func(context.Context) (string, error)) Option {
	return func(c *Client) { c.token = source }
}

// New returns a client of the installation at base, such as http://127.0.0.1:8080, with an API key or an access token.
func New(base, token string, options ...Option) *Client {
	c := &Client{
		base:  strings.TrimRight(base, "/"),
		token: func(context.Context) (string, error) { return token, nil },
		http:  &http.Client{Transport: patientTransport()},
		tries: 4,
		agent: "crier-client", waiting: func(time.Duration, error) {},
	}
	for _, option := range options {
		option(c)
	}
	return c
}

// Base returns the address of the installation, without a trailing slash.
func (c *Client) Base() string { return c.base }

// answerWait is the time-out for the start of a response. The whole response has none, because files take as long as
// they take.
const answerWait = 2 * time.Minute

func patientTransport() http.RoundTripper {
	usual, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced the transport
		return http.DefaultTransport
	}
	transport := usual.Clone()
	transport.ResponseHeaderTimeout = answerWait
	return transport
}

// Error is an error response.
type Error struct {
	// Status is the HTTP status, Kind the error's tag.
	Status  int
	Kind    crier.Kind
	Message string
	// Issues say what is wrong with the request, for crier.KindInvalid.
	Issues []crier.Issue
	// ContentPayloadID is the current version of a post's content, for crier.KindPreconditionFailed only.
	ContentPayloadID *crier.ID
	// RequestID identifies the request in the server's log.
	RequestID string
	// RetryAfter is how long the server asks to wait.
	RetryAfter time.Duration
	// Uncertain is true if the request may have been carried out nevertheless: this response, or the outcome of an
	// earlier try, does not tell.
	Uncertain bool
}

// Error returns the message with all details.
func (e *Error) Error() string {
	if e.Status >= http.StatusInternalServerError && e.RequestID != "" {
		return fmt.Sprintf("%s (request %s)", e.Message, e.RequestID)
	}
	return e.Message
}

// UnreachableError means that there was no response.
type UnreachableError struct {
	// Base is the address of the installation.
	Base string
	Err  error
}

// Error returns the installation and the cause.
func (e *UnreachableError) Error() string { return fmt.Sprintf("cannot reach %s: %v", e.Base, e.Err) }

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

func (c *Client) unreachable(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok { // it repeats the address
		err = inner.Err
	}
	return &UnreachableError{Base: c.base, Err: err}
}

// IsKind reports whether err is an error response of this kind.
func IsKind(err error, kind crier.Kind) bool {
	known, ok := errors.AsType[*Error](err)
	return ok && known.Kind == kind
}

type keyKey struct{}

// WithIdempotencyKey sets the key of the next change under the context instead of a random one: a program that repeats
// a change after its own crash gets the first response again.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, key)
}

// request is one operation.
type request struct {
	method, path string
	query        url.Values
	body         any
	// raw is sent instead of body, and only once, because it cannot be read again.
	raw         io.Reader
	rawLength   int64
	header      http.Header
	contentType string
}

// send sends the request, retries it while that is safe and useful, and decodes the response into out.
func (c *Client) send(ctx context.Context, r request, out any) error {
	var data []byte
	if r.body != nil {
		var err error
		if data, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	key, uncertain := idempotencyKey(ctx, r.method), false
	for try := 1; ; try++ {
		wait, err := c.once(ctx, r, data, key, out)
		if refused, ok := errors.AsType[*Error](err); ok {
			refused.Uncertain = uncertain || refused.Kind == crier.KindInternal
			uncertain = refused.Uncertain
		} else {
			uncertain = true
		}
		if err == nil || wait < 0 || wait > longestWait || r.raw != nil || try >= c.tries {
			return err
		}
		if err := c.pause(ctx, max(wait, backoff(try)), err); err != nil {
			return err
		}
	}
}

// longestWait is the longest wait at the server's request; beyond it, the caller decides.
const longestWait = 30 * time.Second

func idempotencyKey(ctx context.Context, method string) string {
	if method == http.MethodGet {
		return ""
	}
	if key, ok := ctx.Value(keyKey{}).(string); ok {
		return key
	}
	return string(crier.NewID())
}

func backoff(try int) time.Duration {
	base := 200 * time.Millisecond << min(try, 6)
	return base/2 + rand.N(base) //nolint:gosec // jitter, not a secret
}

// pause waits before a retry.
func (c *Client) pause(ctx context.Context, d time.Duration, why error) error {
	if d >= time.Second {
		c.waiting(d, why)
	}
	return pause(ctx, d)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// once sends the request once. wait is negative if a retry would not help.
func (c *Client) once(ctx context.Context, r request, data []byte, key string, out any) (wait time.Duration,
	err error) {
	request, err := c.build(ctx, r, data, key)
	if err != nil {
		return -1, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return -1, ctx.Err()
		}
		if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound { // a mistyped name
			return -1, c.unreachable(err)
		}
		return 0, c.unreachable(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return errorOf(answer)
	}
	return decode(answer, out)
}

// decode decodes the response. A truncated one is worth a retry, unless part of it was already passed on.
func decode(answer *http.Response, out any) (wait time.Duration, err error) {
	if sink, ok := out.(io.Writer); ok {
		if _, err := io.Copy(sink, answer.Body); err != nil {
			return -1, fmt.Errorf("read the answer: %w", err)
		}
		return 0, nil
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return -1, notCrier(answer)
	}
	return 0, nil
}

// notCrier returns the error for a response that is not crier's. Its body is dropped, because it does not help.
func notCrier(answer *http.Response) *Error {
	return &Error{
		Status: answer.StatusCode, Kind: crier.KindInternal, RequestID: answer.Header.Get("X-Request-Id"),
		Message: fmt.Sprintf("the answer (status %d) is not one of crier's: another program, or a proxy, is at this "+
			"address",
			answer.StatusCode),
	}
}

func (c *Client) build(ctx context.Context, r request, data []byte, key string) (*http.Request, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if data != nil {
		body = bytes.NewReader(data)
	}
	if r.raw != nil {
		body = r.raw
	}
	request, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	maps.Copy(request.Header, r.header)
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("User-Agent", c.agent)
	if data != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.raw != nil {
		request.Header.Set("Content-Type", r.contentType)
		request.ContentLength = r.rawLength
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return request, nil
}

// errorOf decodes an error response. 429 and 5xx may be temporary.
func errorOf(answer *http.Response) (wait time.Duration, err error) {
	var body struct {
		Tag     crier.Kind    `json:"_tag"`
		Message string        `json:"message"`
		Issues  []crier.Issue `json:"issues"`
		Present *crier.ID     `json:"contentPayloadId"`
	}
	known := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&body) == nil && body.Tag != ""
	if !known {
		body.Message, body.Tag = notCrier(answer).Message, crier.KindInternal
	}
	e := &Error{
		Status: answer.StatusCode, Kind: body.Tag, Message: body.Message, Issues: body.Issues,
		ContentPayloadID: body.Present,
		RequestID:        answer.Header.Get("X-Request-Id"),
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = max(0, time.Duration(seconds)*time.Second)
	}
	return e.wait(), e
}

// wait returns how long to wait before a retry; negative if that would not help.
func (e *Error) wait() time.Duration {
	if e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError {
		return e.RetryAfter
	}
	return -1
}

func get[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	var out T
	return out, c.send(ctx, request{method: http.MethodGet, path: path, query: query}, &out)
}

func change[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var out T
	return out, c.send(ctx, request{method: method, path: path, body: body}, &out)
}
