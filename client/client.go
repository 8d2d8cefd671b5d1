// Package client is the typed Go client of crier's public interface: one method per operation. It repeats requests that
// are safe to repeat, sends an idempotency key with every change so that all of them are, and returns errors as types.
//
// It knows nothing that the API does not tell.
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
	// waiting is told of waits that a person notices.
	waiting func(wait time.Duration, why error)
}

// Option changes a client.
type Option func(*Client)

// WithHTTPClient uses another HTTP client.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithTries sets how often a request is sent at most; 1 means never again.
func WithTries(n int) Option { return func(c *Client) { c.tries = max(1, n) } }

// WithUserAgent names the program that uses the client.
func WithUserAgent(agent string) Option { return func(c *Client) { c.agent = agent } }

// WithWaiting has a program told when a request is sent again after a second or more, and why: people who see nothing
// happen take it for broken.
func WithWaiting(told func(wait time.Duration, why error)) Option {
	return func(c *Client) { c.waiting = told }
}

// WithTokenSource asks for the token at every request, for tokens that are renewed.
func WithTokenSource(source func(context.Context) (string, error)) Option {
	return func(c *Client) { c.token = source }
}

// New makes a client of the installation at base, such as http://127.0.0.1:8080, with an API key or an access token.
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

// Base returns the address of the installation, without a slash at the end.
func (c *Client) Base() string { return c.base }

// answerWait is how long an answer may take to begin. There is no bound on the whole: files take as long as they take.
const answerWait = 2 * time.Minute

func patientTransport() http.RoundTripper {
	usual, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has put its own in place
		return http.DefaultTransport
	}
	transport := usual.Clone()
	transport.ResponseHeaderTimeout = answerWait
	return transport
}

// Error is an answer that says no.
type Error struct {
	// Status is the HTTP status, Kind the error's tag.
	Status  int
	Kind    crier.Kind
	Message string
	// Issues say what is wrong with the request, for crier.KindInvalid.
	Issues []crier.Issue
	// ContentPayloadID is the present version of a post's content, of crier.KindPreconditionFailed only.
	ContentPayloadID *crier.ID
	// RequestID names the request in the server's log.
	RequestID string
	// RetryAfter is how long the server wants to be left alone.
	RetryAfter time.Duration
}

// Error returns the message with everything that helps.
func (e *Error) Error() string {
	if e.Status >= http.StatusInternalServerError && e.RequestID != "" {
		return fmt.Sprintf("%s (request %s)", e.Message, e.RequestID)
	}
	return e.Message
}

// UnreachableError means that there was no answer.
type UnreachableError struct {
	// Base is the address of the installation.
	Base string
	Err  error
}

// Error tells which installation, and why.
func (e *UnreachableError) Error() string { return fmt.Sprintf("cannot reach %s: %v", e.Base, e.Err) }

// Unwrap is why.
func (e *UnreachableError) Unwrap() error { return e.Err }

func (c *Client) unreachable(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok { // it repeats the address
		err = inner.Err
	}
	return &UnreachableError{Base: c.base, Err: err}
}

// IsKind reports whether err is an answer of this kind.
func IsKind(err error, kind crier.Kind) bool {
	known, ok := errors.AsType[*Error](err)
	return ok && known.Kind == kind
}

type keyKey struct{}

// WithIdempotencyKey has the next change made under the context carry this key instead of one of its own: a program
// that repeats a change after its own crash gets the first answer again.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, key)
}

// request is one operation.
type request struct {
	method, path string
	query        url.Values
	body         any
	// raw is sent instead of body, once: it cannot be read again.
	raw         io.Reader
	rawLength   int64
	header      http.Header
	contentType string
}

// send makes the request, repeating it while that is safe and promising, and decodes the answer into out.
func (c *Client) send(ctx context.Context, r request, out any) error {
	var data []byte
	if r.body != nil {
		var err error
		if data, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	key := idempotencyKey(ctx, r.method)
	for try := 1; ; try++ {
		wait, err := c.once(ctx, r, data, key, out)
		if err == nil || wait < 0 || wait > longestWait || r.raw != nil || try >= c.tries {
			return err
		}
		if err := c.rest(ctx, max(wait, backoff(try)), err); err != nil {
			return err
		}
	}
}

// longestWait is how long a server may ask to be left alone; for longer, the caller decides.
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

// rest waits before a request is sent again.
func (c *Client) rest(ctx context.Context, d time.Duration, why error) error {
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

// once sends the request once. wait is negative when sending it again would not help.
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
		if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound { // a name that is mistyped
			return -1, c.unreachable(err)
		}
		return 0, c.unreachable(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return refusal(answer)
	}
	return decode(answer, out)
}

// decode reads the answer. One that breaks off is worth another try, unless a part of it has been handed on.
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

// notCrier returns an answer that crier does not give. What another program wrote helps nobody.
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

// refusal reads an error answer. 429 and 5xx may pass by themselves.
func refusal(answer *http.Response) (wait time.Duration, err error) {
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

// wait returns how long to wait before the request is sent again; negative when that would not help.
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
