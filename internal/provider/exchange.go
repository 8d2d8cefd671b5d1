package provider

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crier"
)

// Exchange is the record of one request and its response, as shown by the API.
type Exchange = crier.Exchange

type exchangesKey struct{}

// WithExchanges makes every exchange under the context call record when it has finished.
func WithExchanges(ctx context.Context, record func(Exchange)) context.Context {
	return context.WithValue(ctx, exchangesKey{}, record)
}

// recordedBody is the number of bytes recorded of a body.
const recordedBody = 4096

func record(ctx context.Context, r Request, answer *Response, err error, started time.Time, took time.Duration) {
	keep, ok := ctx.Value(exchangesKey{}).(func(Exchange))
	if !ok {
		return
	}
	e := Exchange{
		Operation:      string(r.Operation),
		Method:         r.Method,
		URL:            r.recordedURL(),
		RequestBody:    shorten(r.mask(r.Body.preview), recordedBody),
		StartedAt:      crier.TimeOf(started),
		DurationMillis: took.Milliseconds(),
	}
	if err != nil {
		e.Error = r.mask(err.Error())
	}
	if answer != nil {
		e.Status = answer.Status
		e.ResponseHeader = r.recordedHeader(answer.Header)
		e.ResponseBody = shorten(r.mask(printable(answer.Body)), recordedBody)
	}
	keep(e)
}

// ClockAhead returns how far this machine's clock is ahead of the network's, based on the dates of its responses.
func ClockAhead(exchanges []Exchange) time.Duration {
	var most time.Duration
	for _, e := range exchanges {
		if date, err := http.ParseTime(e.ResponseHeader["Date"]); err == nil {
			most = max(most, e.StartedAt.Sub(date))
		}
	}
	return most
}

// recordedHeaders are the response headers that help to explain what happened.
var recordedHeaders = []string{
	"Content-Type", "Retry-After", "Date", "Range", "X-Request-Id",
	"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset",
	"X-App-Limit-24hour-Limit", "X-App-Limit-24hour-Remaining", "X-App-Limit-24hour-Reset",
	"X-User-Limit-24hour-Limit", "X-User-Limit-24hour-Remaining", "X-User-Limit-24hour-Reset",
	"X-Transaction-Id", "X-Access-Level",
	"X-Restli-Id", "X-Linkedin-Id", "X-Li-Uuid", "X-Li-Fabric", "X-Li-Request-Id",
	"X-App-Usage", "X-Page-Usage", "X-Business-Use-Case-Usage", "X-Fb-Trace-Id",
}

func (r Request) recordedHeader(header http.Header) map[string]string {
	kept := map[string]string{}
	for _, name := range recordedHeaders {
		if value := header.Get(name); value != "" {
			kept[name] = r.mask(value)
		}
	}
	return kept
}

// secretNames are the names of credentials in queries, forms and JSON.
var secretNames = []string{
	"access_token", "refresh_token", "id_token", "client_secret", "code_verifier", "appsecret_proof",
	"fb_exchange_token",
	"input_token", "upload_token", "upload_id", "token",
}

// secretFields are the names of credentials in JSON: upload URLs are as good as credentials.
var secretFields = slices.Concat(secretNames, []string{"uploadUrl", "upload_url", "uri", "uploadToken"})

var (
	secretInJSON = regexp.MustCompile(`("(?:` + strings.Join(secretFields, "|") + `)"\s*:\s*)"(?:[^"\\]|\\.)*"`)
	secretInForm = regexp.MustCompile(`(?:^|([?&]))(` + strings.Join(secretNames, "|") + `|code)=[^&\s"]*`)
	bearer       = regexp.MustCompile(`(?i)\b(bearer|basic|oauth) [A-Za-z0-9._~+/=|-]{8,}`)
)

// mask removes credentials from a text: those of the request, and all values with a suspicious name.
func (r Request) mask(text string) string {
	for _, secret := range r.carried() {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	if hasAny(text, secretFields...) {
		text = secretInJSON.ReplaceAllString(text, `$1"`+hidden+`"`)
	}
	if hasAny(text, "=") {
		text = secretInForm.ReplaceAllString(text, `$1$2=`+hidden)
	}
	if hasAny(strings.ToLower(text), "bearer ", "basic ", "oauth ") {
		text = bearer.ReplaceAllString(text, `$1 `+hidden)
	}
	return text
}

// hasAny reports whether the text contains one of the words. It saves most texts the pattern search, which costs more
// than the rest of recording an exchange.
func hasAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// carried returns the secrets of the request in all encodings in which they may appear.
func (r Request) carried() []string {
	secrets := append([]Secret{r.Bearer}, r.Secrets...)
	if r.Basic != nil {
		pair := r.Basic.ClientID + ":" + r.Basic.ClientSecret.Reveal()
		secrets = append(secrets, r.Basic.ClientSecret, Secret(base64.StdEncoding.EncodeToString([]byte(pair))))
	}
	var spellings []string
	for _, s := range secrets {
		value := s.Reveal()
		if value == "" {
			continue
		}
		spellings = append(spellings, value)
		if escaped := url.QueryEscape(value); escaped != value {
			spellings = append(spellings, escaped)
		}
	}
	return spellings
}

// recordedURL returns the URL without credentials.
func (r Request) recordedURL() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "[not an address]"
	}
	u.User = nil
	if r.SecretURL {
		u.RawQuery = ""
	}
	return r.mask(u.String())
}

func printable(body []byte) string {
	if !utf8.Valid(body) {
		return "[binary]"
	}
	return string(body)
}

// shorten cuts a text to at most n bytes without breaking a character.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := n
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
