package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Caller sends requests to networks. It is the only place that handles time-outs, the size of responses, the recording
// of exchanges, and whether a request without a response may have been carried out.
type Caller struct {
	client    *http.Client
	userAgent string
	now       func() time.Time
}

// CallerConfig configures a Caller.
type CallerConfig struct {
	// Version is crier's version, sent in the user agent.
	Version string
	// Transport replaces the default transport if set.
	Transport http.RoundTripper
	Now       func() time.Time
}

// Limits of an exchange.
const (
	// DefaultTimeout applies to requests that set no time-out.
	DefaultTimeout = 30 * time.Second
	// UploadTimeout applies to requests that carry chunks of files.
	UploadTimeout = 2 * time.Minute
	// maxAnswer is the number of bytes read of a response.
	maxAnswer = 4 << 20
	// idleConnections is how many idle connections to a host are kept. In a burst, hundreds of calls run at once, and
	// opening a connection takes longer than a call.
	idleConnections = 512
)

// NewCaller returns a Caller.
func NewCaller(cfg CallerConfig) *Caller {
	transport := cfg.Transport
	if transport == nil {
		transport = newTransport()
	}
	return &Caller{
		client: &http.Client{
			Transport: transport,
			// A redirect would send the token to an address that nobody configured; some networks also answer with 308.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		userAgent: "crier/" + cfg.Version,
		now:       cfg.Now,
	}
}

func newTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	transport.MaxIdleConns = 0 // the sum has no limit of its own
	// Shorter than networks keep idle connections open: a request on one that is just being closed has an unknown
	// outcome.
	transport.IdleConnTimeout = 20 * time.Second
	return transport
}

// Request is one request to a network.
type Request struct {
	Operation Operation
	Method    string
	URL       string
	Header    http.Header
	Body      Body
	// Bearer is sent as the Authorization header when set.
	Bearer Secret
	// Basic is sent as the Authorization header when set.
	Basic *Credentials
	// Secrets are further values that must not be recorded.
	Secrets []Secret
	// SecretURL means that the URL itself is a credential: it is recorded without its query.
	SecretURL bool
	// Publishes means that the request publishes something: without a response its outcome is unknown.
	Publishes bool
	// Timeout bounds the exchange; zero means DefaultTimeout.
	Timeout time.Duration
}

// Response is the response of a network, whatever its status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte

	request Request
}

// Send makes one exchange. It fails only if there is no response; interpreting a response is up to the provider. The
// exchange is passed to the function set with WithExchanges.
func (c *Caller) Send(ctx context.Context, r Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.Timeout, DefaultTimeout))
	defer cancel()
	var progress progress
	request, err := c.build(httptrace.WithClientTrace(ctx, progress.trace()), r)
	if err != nil {
		return nil, &Error{Kind: Rejected, Code: CodeContentRejected, Message: "the request could not be built",
			Err: err}
	}
	if closed := passGate(ctx, r.Operation); closed != nil {
		return nil, closed
	}
	started := c.now()
	response, err := c.exchange(ctx, request, r)
	record(ctx, r, response, err, started, c.now().Sub(started))
	if err != nil {
		return nil, r.lost(err, progress.certainlyNotSent())
	}
	return response, nil
}

func (c *Caller) build(ctx context.Context, r Request) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("build %s request: %w", r.Method, withoutURL(err))
	}
	maps.Copy(request.Header, r.Header)
	request.Header.Set("User-Agent", c.userAgent)
	if r.Bearer != "" {
		request.Header.Set("Authorization", "Bearer "+r.Bearer.Reveal())
	}
	if r.Basic != nil {
		request.SetBasicAuth(r.Basic.ClientID, r.Basic.ClientSecret.Reveal())
	}
	if r.Body.open != nil {
		request.Header.Set("Content-Type", r.Body.contentType)
		request.ContentLength = r.Body.length
		open := func() io.ReadCloser { return io.NopCloser(c.fenced(ctx, r.Body)) }
		request.GetBody = func() (io.ReadCloser, error) { return open(), nil }
		request.Body = open()
		if r.Body.length == 0 {
			request.Body = http.NoBody
		}
	}
	return request, nil
}

func (c *Caller) exchange(ctx context.Context, request *http.Request, r Request) (*Response, error) {
	if c.fencePassed(ctx) {
		return nil, ErrNotSent
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body, request: r}, nil
}

// progress tracks a request through the transport.
type progress struct{ asked, connected atomic.Bool }

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { p.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { p.connected.Store(true) },
	}
}

// certainlyNotSent reports whether the transport tried to get a connection and never got one: unknown host, refused,
// TLS failure. Later signs do not suffice, because a canceled request may still be written a moment later. A transport
// that reports nothing is not trusted.
func (p *progress) certainlyNotSent() bool { return p.asked.Load() && !p.connected.Load() }

// lost returns the error for a request without a response.
func (r Request) lost(err error, notSent bool) *Error {
	if errors.Is(err, ErrNotSent) {
		return notSentError()
	}
	err = errors.New(r.mask(err.Error()))
	if r.Publishes && !notSent {
		return &Error{Kind: OutcomeUnknown, Code: CodeOutcomeUnknown,
			Message: "the network did not answer; whether it published is not known", Err: err}
	}
	return &Error{Kind: Temporary, Code: CodeProviderUnavailable, Message: "the network could not be reached", Err: err}
}

// withoutURL removes the URL from an error of net/http, because it may carry a token.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// OK reports whether the status is one of success.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Decode decodes the response as JSON. An invalid response leaves the outcome of a publishing request unknown. So does
// one that is not UTF-8: the decoder would replace invalid characters, even in the id of the post.
func (r *Response) Decode(v any) error {
	if r.request.Publishes && !utf8.Valid(r.Body) {
		return r.Unreadable(errors.New("not UTF-8"))
	}
	if err := json.Unmarshal(r.Body, v); err != nil {
		return r.Unreadable(err)
	}
	return nil
}

// Unreadable returns the error for an invalid response: a publishing request may have been carried out.
func (r *Response) Unreadable(err error) *Error {
	if r.request.Publishes {
		return r.Fail(OutcomeUnknown, CodeOutcomeUnknown, "the network's answer could not be read", err)
	}
	return r.Fail(Temporary, CodeProviderUnavailable, "the network's answer could not be read", err)
}

// Unavailable returns the error for a failure on the network's side: a publishing request may have been carried out.
func (r *Response) Unavailable(message string) *Error {
	if r.request.Publishes {
		return r.Fail(OutcomeUnknown, CodeOutcomeUnknown, message, nil)
	}
	return r.Fail(Temporary, CodeProviderUnavailable, message, nil)
}

// Fail returns an error for this response, with the pause that the network asks for. The message is stripped of
// credentials and shortened.
func (r *Response) Fail(kind Kind, code Code, message string, cause error) *Error {
	detail := fmt.Sprintf("%s %s: HTTP %d", r.request.Method, r.request.recordedURL(), r.Status)
	if cause != nil {
		detail += ": " + r.request.mask(cause.Error())
	}
	if message = strings.TrimSpace(message); message == "" {
		message = fmt.Sprintf("the network answered with status %d", r.Status)
	}
	return &Error{Kind: kind, Code: code, Status: r.Status, Message: shorten(r.request.mask(message), 500),
		Err: errors.New(detail), RetryAfter: r.pause(kind)}
}

// retryAfter returns how long the network asks to wait; zero if it does not say. A date counts from the date of the
// response, because clocks differ.
func (r *Response) retryAfter() time.Duration {
	asked := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(asked, 10, 32); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	until, err := http.ParseTime(asked)
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, until.Sub(sent))
}

// maxOutage bounds the pause that an outage asks for: many end sooner, and a post would be missed meanwhile.
const maxOutage = 10 * time.Minute

// pause returns how long to wait before a request is repeated. Zero leaves it to the engine.
func (r *Response) pause(kind Kind) time.Duration {
	switch kind {
	case RateLimited:
		return r.retryAfter()
	case Temporary:
		return min(r.retryAfter(), maxOutage)
	}
	return 0
}

// Operation returns the operation of the request.
func (r *Response) Operation() Operation { return r.request.Operation }

// Publishes reports whether the request publishes something.
func (r *Response) Publishes() bool { return r.request.Publishes }

// SameHost reports whether an address is on the host of one of the bases, so that a token may be sent to it.
func SameHost(address string, bases ...string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	for _, base := range bases {
		if b, err := url.Parse(base); err == nil && u.Scheme == b.Scheme && strings.EqualFold(u.Host, b.Host) {
			return true
		}
	}
	return false
}
