// Package notify sends events as requests signed according to Standard Webhooks 1.0.
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier"
)

// The headers of a delivery.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"

	secretPrefix = "whsec_"
	secretBytes  = 32
)

// NewSecret returns a new secret for signing deliveries.
func NewSecret() string {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// Sign signs a delivery with each of the secrets.
func Sign(id string, at time.Time, body []byte, secrets ...string) (string, error) {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil || len(key) == 0 {
			return "", errors.New("the secret of the webhook cannot be read")
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " "), nil
}

// Message is the message to deliver.
type Message struct {
	URL string
	// ID is the same for every attempt.
	ID      string
	Body    []byte
	Secrets []string
}

// Result is the result of an attempt.
type Result struct {
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// Answer is the start of the response body.
	Answer string
	// Error says why the attempt failed; it is empty when it succeeded.
	Error string
}

// Gone reports whether the endpoint no longer wants deliveries.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

// Sender delivers messages.
type Sender struct {
	// Transport restricts the addresses that can be connected to.
	Transport http.RoundTripper
	// Timeout is the time-out of a whole attempt; 0 means 10 seconds.
	Timeout time.Duration
	Now     func() time.Time
	// Explain returns why an address was rejected; if it is nil or returns an empty text, the error itself is used.
	Explain func(error) string
}

const defaultTimeout = 10 * time.Second

// Send makes one attempt. Only a 2xx response is a success; redirects are not followed.
func (s Sender) Send(ctx context.Context, m Message) Result {
	timeout := s.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := s.request(ctx, m)
	if err != nil {
		return Result{Error: err.Error()}
	}
	client := &http.Client{Transport: s.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return Result{Error: s.reason(ctx, err, timeout)}
	}
	// The connection is not reused: closing it ends an endless response.
	defer answer.Body.Close()
	result := Result{Status: answer.StatusCode}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		result.Error = failure(answer)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, crier.MaxWebhookAnswer))
	result.Answer = printable(data)
	if err != nil && result.Error == "" && len(data) == 0 && ctx.Err() != nil {
		result.Error = s.reason(ctx, err, timeout)
	}
	return result
}

func (s Sender) request(ctx context.Context, m Message) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, errors.New("the address cannot be read")
	}
	at := s.Now()
	signature, err := Sign(m.ID, at, m.Body, m.Secrets...)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "crier-webhooks")
	request.Header.Set(HeaderID, m.ID)
	request.Header.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(HeaderSignature, signature)
	return request, nil
}

func failure(answer *http.Response) string {
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return fmt.Sprintf("The endpoint answered %d: redirects are not followed. Change the address of the webhook.",
			answer.StatusCode)
	}
	status := strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode)))
	return fmt.Sprintf("The endpoint answered %s; an answer of 2xx means that the event has arrived.", status)
}

// reason returns why there was no response, without the URL, which may contain secrets.
func (s Sender) reason(ctx context.Context, err error, timeout time.Duration) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("The endpoint did not answer within %.0f seconds.", timeout.Seconds())
	}
	if s.Explain != nil {
		if text := s.Explain(err); text != "" {
			return text
		}
	}
	for unwrapped := errors.Unwrap(err); unwrapped != nil; unwrapped = errors.Unwrap(err) {
		err = unwrapped
		if _, wraps := err.(interface{ Unwrap() error }); !wraps {
			break
		}
	}
	return "The endpoint could not be reached: " + err.Error()
}

// printable returns a response as text that every database can store.
func printable(data []byte) string {
	return strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), "�")
}
