package x

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// errMediaIDs marks the rejection of uploaded media; uploading them again may help.
var errMediaIDs = errors.New("the media ids are invalid")

// Pauses if X names no time.
const (
	usualRatePause    = 15 * time.Minute
	operatorPause     = 15 * time.Minute
	lockedPause       = 10 * time.Minute
	spendCapPause     = time.Hour
	shortestRatePause = time.Second
)

// problem is an error response of X: problem details, legacy errors or an OAuth error.
type problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Period string `json:"period"`
	Errors []struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
	OAuthError       string `json:"error"`
	OAuthDescription string `json:"error_description"`
}

func readProblem(answer *provider.Response) problem {
	var p problem
	if json.Unmarshal(answer.Body, &p) != nil {
		return problem{} // HTML or nothing: the status has to suffice
	}
	return p
}

// name returns the last segment of the type: its host may be api.x.com or api.twitter.com.
func (p problem) name() string { return path.Base(p.Type) }

// message returns X's message, the most specific first.
func (p problem) message() string {
	for _, e := range p.Errors {
		if e.Message != "" {
			return e.Message
		}
	}
	return cmp.Or(p.Detail, p.OAuthDescription, p.Title, p.OAuthError)
}

func (p problem) hasCode(code int) bool {
	for _, e := range p.Errors {
		if e.Code == code {
			return true
		}
	}
	return false
}

// says reports whether any message of the problem contains the text.
func (p problem) says(text string) bool {
	for _, e := range p.Errors {
		if strings.Contains(e.Message, text) {
			return true
		}
	}
	return strings.Contains(p.Detail, text) || strings.Contains(p.Title, text)
}

// refusals are the messages of permanent rejections, in the order in which they are searched.
var refusals = []struct {
	text string
	code provider.Code
}{
	{"duplicate content", provider.CodeDuplicateContent},
	{"media IDs are invalid", provider.CodeMediaRejected},
	{"not allowed to post a video longer than", provider.CodeMediaRejected},
	{"Reply to this conversation is not allowed", provider.CodeContentRejected},
	{"Quoting this post is not allowed", provider.CodeContentRejected},
	{"maximum of one cashtag", provider.CodeContentRejected},
	{"text is too long", provider.CodeContentRejected},
	{"contains an invalid URL", provider.CodeContentRejected},
	{"You can only provide one of", provider.CodeContentRejected},
	{"reply tweet ID is invalid", provider.CodeContentRejected},
	{"quote tweet ID is invalid", provider.CodeContentRejected},
	{"You are not permitted to perform this action", provider.CodeContentRejected},
}

// classify turns an unsuccessful response into an error. It is the only place that does so.
func (p *Provider) classify(answer *provider.Response) *provider.Error {
	said, now := readProblem(answer), p.now()
	switch {
	case answer.Status >= 500: // whatever it says, the post may be public
		return answer.Unavailable(said.message())
	case said.says("SpendCapReached"):
		return operatorError(answer, provider.RateLimited, provider.CodeQuotaExhausted, said.message(),
			untilNamedDate(answer.Body, now))
	case answer.Status == http.StatusTooManyRequests || said.hasCode(88) || said.name() == "rate-limit-exceeded":
		return classifyRateLimit(answer, said, now)
	case answer.Status == http.StatusPaymentRequired:
		return operatorError(answer, provider.RateLimited, provider.CodeQuotaExhausted, said.message(), operatorPause)
	case answer.Status == http.StatusUnauthorized:
		return accountError(answer, provider.AuthExpired, provider.CodeAuthExpired, said.message())
	case answer.Status < 400 || answer.Status == http.StatusRequestTimeout:
		return answer.Unavailable(said.message())
	case answer.Status == http.StatusRequestEntityTooLarge:
		return answer.Fail(provider.Rejected, provider.CodeMediaRejected, said.message(), nil)
	case answer.Status == http.StatusForbidden:
		if e := classifyForbidden(answer, said); e != nil {
			return e
		}
	}
	return classifyRefusal(answer, said)
}

// classifyForbidden handles the reasons that affect the account or the installation.
func classifyForbidden(answer *provider.Response, p problem) *provider.Error {
	switch {
	case p.name() == "user-suspended" || p.says("authentication is suspended"):
		return accountError(answer, provider.Rejected, provider.CodeAccountRestricted, p.message())
	case p.hasCode(326) || p.says("temporarily locked"):
		e := accountError(answer, provider.Temporary, provider.CodeAccountRestricted, p.message())
		e.RetryAfter = lockedPause
		return e
	case p.name() == "app-suspended" || p.name() == "client-forbidden" || p.Reason == "client-not-enrolled":
		return operatorError(answer, provider.Temporary, provider.CodeProviderUnavailable, p.message(), operatorPause)
	case p.name() == "unsupported-authentication" || p.Detail == "Forbidden":
		return accountError(answer, provider.AuthExpired, provider.CodePermissionMissing, p.message())
	}
	return nil
}

// classifyRefusal handles permanent rejections.
func classifyRefusal(answer *provider.Response, p problem) *provider.Error {
	for _, refusal := range refusals {
		if !p.says(refusal.text) {
			continue
		}
		e := answer.Fail(provider.Rejected, refusal.code, p.message(), nil)
		if refusal.text == "media IDs are invalid" {
			e.Err = fmt.Errorf("%w: %w", errMediaIDs, e.Err)
		}
		return e
	}
	return answer.Fail(provider.Rejected, provider.CodeContentRejected, p.message(), nil)
}

// classifyRateLimit determines which limit was hit and when it is free again.
func classifyRateLimit(answer *provider.Response, p problem, now time.Time) *provider.Error {
	if p.name() == "usage-capped" || p.Title == "UsageCapExceeded" {
		return operatorError(answer, provider.RateLimited, provider.CodeQuotaExhausted, p.message(),
			nextPeriod(p.Period, now).Sub(now))
	}
	if reset, hit := resetOf(answer.Header, "X-App-Limit-24hour"); hit {
		return operatorError(answer, provider.RateLimited, provider.CodeRateLimited, p.message(),
			pauseUntil(reset, now))
	}
	e := accountError(answer, provider.RateLimited, provider.CodeRateLimited, p.message())
	e.RetryAfter = cmp.Or(e.RetryAfter, usualRatePause)
	if reset, hit := resetOf(answer.Header, "X-User-Limit-24hour"); hit {
		e.RetryAfter = pauseUntil(reset, now)
	} else if reset, ok := unixHeader(answer.Header, "X-Rate-Limit-Reset"); ok {
		e.RetryAfter = pauseUntil(reset, now)
	}
	return e
}

// resetOf reads a 24 hour limit; hit is true if nothing remains of it.
func resetOf(header http.Header, prefix string) (reset time.Time, hit bool) {
	reset, ok := unixHeader(header, prefix+"-Reset")
	return reset, ok && header.Get(prefix+"-Remaining") == "0"
}

func unixHeader(header http.Header, name string) (time.Time, bool) {
	seconds, err := strconv.ParseInt(header.Get(name), 10, 64)
	return time.Unix(seconds, 0), err == nil
}

func pauseUntil(at, now time.Time) time.Duration { return max(at.Sub(now), shortestRatePause) }

// nextPeriod returns when a usage cap resets.
func nextPeriod(period string, now time.Time) time.Time {
	now = now.UTC()
	if strings.EqualFold(period, "daily") {
		return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

var namedDate = regexp.MustCompile(`\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?`)

// untilNamedDate finds the date in the message on which a spend cap ends. X does not document its place.
func untilNamedDate(body []byte, now time.Time) time.Duration {
	for _, text := range namedDate.FindAllString(string(body), -1) {
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if at, err := time.Parse(layout, text); err == nil && at.After(now) {
				return at.Sub(now)
			}
		}
	}
	return spendCapPause
}

func accountError(answer *provider.Response, kind provider.Kind, code provider.Code, message string) *provider.Error {
	e := answer.Fail(kind, code, message, nil)
	e.Scope = provider.ScopeAccount
	return e
}

func operatorError(answer *provider.Response, kind provider.Kind, code provider.Code, message string,
	pause time.Duration) *provider.Error {
	e := answer.Fail(kind, code, message, nil)
	e.Scope, e.RetryAfter = provider.ScopeInstallation, pause
	return e
}

// classifyToken is for the token endpoint, which returns OAuth errors. Wrong client credentials are the operator's
// problem and must not disconnect an account.
func (p *Provider) classifyToken(answer *provider.Response) *provider.Error {
	said := readProblem(answer)
	switch {
	case said.OAuthError == "unauthorized_client" || said.OAuthError == "invalid_client":
		return operatorError(answer, provider.Temporary, provider.CodeProviderUnavailable, said.message(),
			operatorPause)
	case said.OAuthError != "" && answer.Status < 500:
		return accountError(answer, provider.AuthExpired, provider.CodeAuthExpired, said.message())
	}
	return p.classify(answer)
}
