package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// OAuth2 is the token endpoint of a network (RFC 6749, sections 4.1.3 and 6).
type OAuth2 struct {
	Caller *Caller
	Now    func() time.Time
	// Network is its display name.
	Network     string
	Credentials Credentials
	TokenURL    string
	RevokeURL   string
	// ClientIDName is the form field of the client id; empty means client_id.
	ClientIDName string
	// BasicAuth sends the credentials in the header. A client without a secret sends its id in the form.
	BasicAuth bool
	// PKCE sends the verifier of the consent with the code.
	PKCE bool
	// Classify turns an unsuccessful response into an error.
	Classify func(*Response) *Error
	// NoRefreshToken is the message for a connection without a refresh token; empty means the default.
	NoRefreshToken string
}

// Exchange exchanges the code of a callback for a token.
func (o OAuth2) Exchange(ctx context.Context, r CodeExchange) (Token, error) {
	form := url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {r.Code.Reveal()},
		"redirect_uri": {r.RedirectURL},
	}
	if o.PKCE {
		form.Set("code_verifier", r.Verifier.Reveal())
	}
	return o.Token(ctx, o.Request(OpConnect, o.TokenURL, form, r.Code, r.Verifier))
}

// Refresh refreshes a token. Values missing in the response stay as they were.
func (o OAuth2) Refresh(ctx context.Context, old Token) (Token, error) {
	if old.Refresh == "" {
		return Token{}, &Error{Kind: AuthExpired, Code: CodeAuthExpired, Scope: ScopeAccount,
			Message: cmp.Or(o.NoRefreshToken, "the connection has no refresh token")}
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh.Reveal()}}
	token, err := o.Token(ctx, o.Request(OpRefresh, o.TokenURL, form, old.Refresh))
	if failure := AsError(err); failure != nil {
		if failure.Kind == Rejected { // no content was: the post that needs the token must not fail
			failure.later()
		}
		return Token{}, failure
	}
	token.Refresh = cmp.Or(token.Refresh, old.Refresh)
	if token.RefreshExpiresAt.IsZero() {
		token.RefreshExpiresAt = old.RefreshExpiresAt
	}
	if len(token.Scopes) == 0 {
		token.Scopes = old.Scopes
	}
	return token, nil
}

// Revoke revokes a token. A rejection by the network is no error: the token is already invalid.
func (o OAuth2) Revoke(ctx context.Context, form url.Values, token Secret) error {
	form = maps.Clone(form)
	form.Set("token", token.Reveal())
	answer, err := o.Caller.Send(ctx, o.Request(OpConnect, o.RevokeURL, form, token))
	if err != nil {
		return err
	}
	return o.Revoked(answer)
}

// Revoked interprets the response to a revocation.
func (o OAuth2) Revoked(answer *Response) error {
	if answer.OK() {
		return nil
	}
	if failure := o.Classify(answer); failure.Kind != AuthExpired {
		return failure
	}
	return nil
}

// Request returns a form request with crier's own credentials.
func (o OAuth2) Request(op Operation, address string, form url.Values, secrets ...Secret) Request {
	r := Request{Operation: op, Method: http.MethodPost, URL: address, Secrets: secrets}
	switch secret := o.Credentials.ClientSecret; {
	case o.BasicAuth && secret != "":
		r.Basic = &o.Credentials
	default:
		form.Set(cmp.Or(o.ClientIDName, "client_id"), o.Credentials.ClientID)
		if secret != "" || !o.BasicAuth {
			form.Set("client_secret", secret.Reveal())
			r.Secrets = append(r.Secrets, secret)
		}
	}
	r.Body = FormBody(form)
	return r
}

// Token sends a request to a token endpoint and decodes the token in the response.
func (o OAuth2) Token(ctx context.Context, r Request) (Token, error) {
	answer, err := o.Caller.Send(ctx, r)
	if err != nil {
		return Token{}, err
	}
	if !answer.OK() {
		return Token{}, o.failure(answer)
	}
	var t tokenAnswer
	if err := json.Unmarshal(answer.Body, &t); err != nil {
		return Token{}, answer.Unreadable(err)
	}
	if t.Error != "" { // some networks report errors with a status of success
		return Token{}, o.failure(answer)
	}
	if t.AccessToken == "" && len(t.Data) > 0 {
		t.AccessToken, t.Permissions = t.Data[0].AccessToken, t.Data[0].Permissions
	}
	if t.AccessToken == "" {
		return Token{}, answer.Unavailable(o.Network + " answered without a token")
	}
	return Token{
		Access:           Secret(t.AccessToken),
		Refresh:          Secret(t.RefreshToken),
		ExpiresAt:        o.after(t.ExpiresIn),
		RefreshExpiresAt: o.after(cmp.Or(t.RefreshExpiresIn, t.RefreshTokenExpiresIn)),
		Scopes:           append(t.Scope, t.Permissions...),
	}, nil
}

// failure returns the error of a token endpoint that gives no token. One that is busy, or a proxy in front of it, says
// nothing about the consent, whatever its status: the account stays connected, and the token is requested later.
func (o OAuth2) failure(answer *Response) *Error {
	failure := o.Classify(answer)
	if (failure.Kind == Rejected || failure.Kind == AuthExpired) && !answer.aboutConsent() {
		failure.later()
	}
	failure.RetryAfter = max(failure.RetryAfter, answer.retryAfter())
	return failure
}

// later makes a refusal one that passes.
func (e *Error) later() { e.Kind, e.Code, e.Scope = Temporary, CodeProviderUnavailable, ScopePost }

// aboutConsent reports whether a token endpoint has decided about a token: in JSON, with the name of an error, and with
// one that does not pass by itself.
func (r *Response) aboutConsent() bool {
	if r.Status >= 500 || r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout {
		return false
	}
	var said struct {
		Error errorName `json:"error"`
		// ErrorType is Instagram's name of it.
		ErrorType errorName `json:"error_type"`
	}
	if json.Unmarshal(r.Body, &said) != nil {
		return false
	}
	switch cmp.Or(said.Error, said.ErrorType) {
	case "", "temporarily_unavailable", "server_error", "slow_down":
		return false
	}
	return true
}

// after returns the time s seconds from now, or zero (no expiry) if s is zero or overflows a Duration.
func (o OAuth2) after(s seconds) time.Time {
	if s <= 0 || s > math.MaxInt64/seconds(time.Second) {
		return time.Time{}
	}
	return o.Now().Add(time.Duration(s) * time.Second).UTC()
}

// tokenAnswer is the response of token endpoints: the fields of RFC 6749 and the networks' own. Instagram puts the
// token into a list of one.
type tokenAnswer struct {
	AccessToken           string    `json:"access_token"`
	RefreshToken          string    `json:"refresh_token"`
	ExpiresIn             seconds   `json:"expires_in"`
	RefreshExpiresIn      seconds   `json:"refresh_expires_in"`
	RefreshTokenExpiresIn seconds   `json:"refresh_token_expires_in"`
	Scope                 scopeList `json:"scope"`
	Permissions           scopeList `json:"permissions"`
	Error                 errorName `json:"error"`
	Data                  []struct {
		AccessToken string    `json:"access_token"`
		Permissions scopeList `json:"permissions"`
	} `json:"data"`
}

// errorName is non-empty if there is an error, in any form.
type errorName string

// UnmarshalJSON decodes a string, or notes that there is an object.
func (e *errorName) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) != nil {
		name = string(data)
	}
	*e = errorName(name)
	return nil
}

// scopeList is a list, or a string separated by commas or spaces.
type scopeList []string

// UnmarshalJSON decodes both forms.
func (s *scopeList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = SplitScopes(text)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// SplitScopes splits a list of scopes separated by commas or spaces.
func SplitScopes(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// seconds is an integer, which some networks send as a string.
type seconds int64

// UnmarshalJSON decodes a number with or without quotation marks.
func (s *seconds) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(data), `"`), 10, 64)
	if err != nil {
		n = 0 // not a number: the expiry is unknown
	}
	*s = seconds(n)
	return nil
}
