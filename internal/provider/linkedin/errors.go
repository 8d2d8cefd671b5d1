package linkedin

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"crier/internal/provider"
)

// errMediaID marks the rejection of an uploaded file; uploading it again may help.
var errMediaID = errors.New("the media id is not valid")

// errYoungMedia marks the rejection of an uploaded picture that may only be too new.
var errYoungMedia = errors.New("the picture may not be known everywhere yet")

// errProduct marks a rejection because the operator's app lacks a product.
var errProduct = errors.New("the app lacks a product of LinkedIn")

// duplicateError holds the existing post.
type duplicateError struct{ urn string }

// Error returns the URN of the post.
func (e *duplicateError) Error() string { return "duplicate of " + e.urn }

// isProductMissing reports whether the app needs a product for the call, whatever the member allows.
func isProductMissing(e *provider.Error) bool { return errors.Is(e, errProduct) }

// Pauses if LinkedIn names none, which it does not in its documentation.
const (
	operatorPause = 15 * time.Minute
	burstPause    = 5 * time.Minute
	mediaPause    = 3 * time.Second
	conflictPause = 2 * time.Second
)

// problem is an error response of LinkedIn.
type problem struct {
	Code        string `json:"code"`
	ServiceCode int    `json:"serviceErrorCode"`
	Message     string `json:"message"`
	Details     struct {
		InputErrors []struct {
			Code        string `json:"code"`
			Description string `json:"description"`
		} `json:"inputErrors"`
	} `json:"errorDetails"`
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

func (p problem) message() string {
	text := cmp.Or(p.Message, p.OAuthDescription, p.Code, p.OAuthError)
	for _, input := range p.Details.InputErrors {
		if input.Description != "" && !strings.Contains(text, input.Description) {
			text += " (" + input.Description + ")"
		}
	}
	return text
}

// is reports whether the problem, or one of its inputs, has one of the codes.
func (p problem) is(codes ...string) bool {
	if slices.Contains(codes, p.Code) {
		return true
	}
	for _, input := range p.Details.InputErrors {
		if slices.Contains(codes, input.Code) {
			return true
		}
	}
	return false
}

// classify turns an unsuccessful response into an error. It is the only place that does so.
func (p *Provider) classify(answer *provider.Response) *provider.Error {
	said := readProblem(answer)
	switch {
	case answer.Status >= 500 && answer.Publishes() && answer.Operation() != provider.OpComment:
		// Whatever it says, the post may be public. A comment cannot be while its post is not found.
		return answer.Unavailable(said.message())
	case strings.Contains(said.Message, "Unable to obtain activity"): // a new post that is not known everywhere yet
		return retryIn(answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, said.message(), nil),
			mediaPause)
	case said.is("VERSION_MISSING", "NONEXISTENT_VERSION") || answer.Status == http.StatusUpgradeRequired:
		e := answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, said.message(), nil)
		e.Scope = provider.ScopeInstallation
		return retryIn(e, operatorPause)
	case answer.Status == http.StatusUnauthorized:
		e := answer.Fail(provider.AuthExpired, provider.CodeAuthExpired, said.message(), nil)
		e.Scope = provider.ScopeAccount
		return e
	case answer.Status == http.StatusTooManyRequests:
		return classifyRateLimit(answer, said, p.now())
	case answer.Status == http.StatusForbidden:
		return classifyForbidden(answer, said)
	case answer.Status >= 500 || answer.Status < 400 || answer.Status == http.StatusRequestTimeout:
		return answer.Unavailable(said.message())
	}
	return classifyRefusal(answer, said)
}

func retryIn(e *provider.Error, pause time.Duration) *provider.Error {
	e.RetryAfter = pause
	return e
}

func classifyForbidden(answer *provider.Response, p problem) *provider.Error {
	switch {
	case strings.Contains(p.Message, "account is restricted"):
		e := answer.Fail(provider.Rejected, provider.CodeAccountRestricted, p.message(), nil)
		e.Scope = provider.ScopeAccount
		return e
	case strings.Contains(p.Message, "image resource is forbidden"):
		e := answer.Fail(provider.Rejected, provider.CodeMediaRejected, p.message(), nil)
		e.Err = fmt.Errorf("%w: %w", errYoungMedia, e.Err)
		return e
	case strings.Contains(p.Message, "partnerApi"):
		e := answer.Fail(provider.Rejected, provider.CodePermissionMissing, p.message(), nil)
		e.Err = fmt.Errorf("%w: %w", errProduct, e.Err)
		return e
	}
	e := answer.Fail(provider.AuthExpired, provider.CodePermissionMissing, p.message(), nil)
	e.Scope = provider.ScopeAccount
	return e
}

var existingPost = regexp.MustCompile(`urn:li:(?:share|ugcPost|activity):\d+`)

// classifyRefusal handles responses that say what is wrong with the request.
func classifyRefusal(answer *provider.Response, p problem) *provider.Error {
	switch {
	case p.is("MEDIA_ASSET_WAITING_UPLOAD"):
		return retryIn(answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, p.message(), nil), mediaPause)
	case p.is("INVALID_IMAGE_ID", "INVALID_VIDEO_ID", "INVALID_DOCUMENT_ID", "EXPIRED_UPLOAD_URL"):
		e := answer.Fail(provider.Rejected, provider.CodeMediaRejected, p.message(), nil)
		e.Err = fmt.Errorf("%w: %w", errMediaID, e.Err)
		return e
	case p.is("MEDIA_ASSET_PROCESSING_FAILED"),
		answer.Status == http.StatusRequestEntityTooLarge, answer.Status == http.StatusUnsupportedMediaType:
		return answer.Fail(provider.Rejected, provider.CodeMediaRejected, p.message(), nil)
	case p.is("DUPLICATE_POST") || strings.Contains(p.Message, "is a duplicate of"):
		e := answer.Fail(provider.Rejected, provider.CodeDuplicateContent, p.message(), nil)
		e.Err = fmt.Errorf("%w: %w", &duplicateError{urn: existingPost.FindString(p.Message)}, e.Err)
		return e
	case answer.Status == http.StatusConflict:
		return retryIn(answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, p.message(), nil),
			conflictPause)
	}
	return answer.Fail(provider.Rejected, provider.CodeContentRejected, p.message(), nil)
}

// classifyRateLimit distinguishes daily quotas, which reset at midnight UTC, from bursts.
func classifyRateLimit(answer *provider.Response, p problem, now time.Time) *provider.Error {
	e := answer.Fail(provider.RateLimited, provider.CodeRateLimited, p.message(), nil)
	e.Scope, e.RetryAfter = provider.ScopeAccount, cmp.Or(e.RetryAfter, burstPause)
	if strings.Contains(p.Message, "APPLICATION") {
		e.Scope = provider.ScopeInstallation
	}
	if strings.Contains(p.Message, "DAY") {
		e.Code = provider.CodeQuotaExhausted
		e.RetryAfter = midnight(now).Sub(now)
	}
	return e
}

// midnight returns the next midnight in UTC.
func midnight(now time.Time) time.Time {
	now = now.UTC()
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
}

// classifyToken is for the token endpoint, which returns OAuth errors. Wrong client credentials are the operator's
// problem and must not disconnect an account.
func (p *Provider) classifyToken(answer *provider.Response) *provider.Error {
	said := readProblem(answer)
	switch {
	case said.OAuthError == "invalid_client" || strings.Contains(said.OAuthDescription, "Client authentication failed"):
		e := answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, said.message(), nil)
		e.Scope = provider.ScopeInstallation
		return retryIn(e, operatorPause)
	case said.OAuthError != "" && answer.Status < 500:
		e := answer.Fail(provider.AuthExpired, provider.CodeAuthExpired, said.message(), nil)
		e.Scope = provider.ScopeAccount
		return e
	}
	return p.classify(answer)
}
