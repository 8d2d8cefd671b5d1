package sim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ConsentRequest is an app's request for consent, parsed from a network's authorize URL.
type ConsentRequest struct {
	ClientID    string
	RedirectURI string
	State       string
	Scopes      []string
	// Challenge and ChallengeMethod are the app's PKCE challenge, if it sent one.
	Challenge       string
	ChallengeMethod string
	CodePrefix      string
	CodeLifetime    time.Duration
	// Denied is the response to the app if the person declines; state is added to it.
	Denied url.Values
	// Refused, if set, is the response to the app without asking the person; state is added to it.
	Refused url.Values
	// Granted returns the response parameters besides code and state; it may be nil.
	Granted func(scopes []string) url.Values
	// Automatic means that a person who agreed in this browser before is not asked again: the app gets the same
	// account.
	Automatic bool
	// Fragment is appended to the URL of a granted consent, where the network adds one.
	Fragment string
}

// Code is an authorization code to exchange for tokens.
type Code struct {
	Value           string    `json:"value"`
	ClientID        string    `json:"client"`
	RedirectURI     string    `json:"redirect"`
	AccountID       string    `json:"account"`
	Scopes          []string  `json:"scopes"`
	Challenge       string    `json:"challenge,omitempty"`
	ChallengeMethod string    `json:"method,omitempty"`
	ExpiresAt       time.Time `json:"expires"`
}

// Verify checks the app's PKCE verifier against the challenge (RFC 7636). A code without a challenge needs none.
func (c Code) Verify(verifier string) bool {
	switch c.ChallengeMethod {
	case "S256":
		sum := sha256.Sum256([]byte(verifier))
		return c.Challenge == base64.RawURLEncoding.EncodeToString(sum[:])
	default:
		return c.Challenge == verifier
	}
}

func newCodes(s *Store) *Table[Code] {
	t := NewTable[Code](s, "codes")
	t.Keep(func(c Code) bool { return s.now().Before(c.ExpiresAt) })
	return t
}

// FindCode returns a code, and whether it is still valid. A code that was never issued, or was used, has no value. It
// needs a running View or Update.
func (e *Env) FindCode(value string) (Code, bool) {
	code, ok := e.codes.Get(value)
	return code, ok && e.Now().Before(code.ExpiresAt)
}

// SpendCode marks a code as used in the transaction.
func (e *Env) SpendCode(tx *Tx, code Code) { e.codes.Delete(tx, code.Value) }

// Consent registers the network's consent page: GET shows it, POST to the same address takes the person's decision
// ("decision" is allow or deny, "account" an account's name, "scope" the selected scopes; all of them if none is sent).
// An error of parse is shown to the person, since nobody is redirected to an untrusted app.
func (e *Env) Consent(path string, parse func(r *http.Request) (ConsentRequest, error)) {
	e.Page("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		c, ok := e.readConsent(w, r, parse)
		if !ok {
			return
		}
		if agreed, err := r.Cookie(e.agreedCookie()); err == nil && c.Automatic {
			r.PostForm = url.Values{"account": {agreed.Value}}
			e.allowConsent(w, r, c)
			return
		}
		e.showConsent(w, r, c, "")
	})
	e.Page("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		if c, ok := e.readConsent(w, r, parse); ok {
			e.decideConsent(w, r, c)
		}
	})
}

// readConsent parses the request and ends it if there is nothing to decide.
func (e *Env) readConsent(w http.ResponseWriter, r *http.Request,
	parse func(*http.Request) (ConsentRequest, error)) (ConsentRequest, bool) {
	c, err := parse(r)
	if err == nil {
		err = checkRedirect(c.RedirectURI)
	}
	if err != nil {
		e.showProblem(w, http.StatusBadRequest, err.Error())
		return c, false
	}
	if c.Refused != nil {
		redirect(w, r, c, c.Refused)
		return c, false
	}
	return c, true
}

func checkRedirect(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Fragment != "" {
		return fmt.Errorf("redirect_uri %q is not an absolute http or https address without a fragment", address)
	}
	return nil
}

func (e *Env) decideConsent(w http.ResponseWriter, r *http.Request, c ConsentRequest) {
	r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	if err := r.ParseForm(); err != nil {
		e.showProblem(w, http.StatusBadRequest, "the form could not be read")
		return
	}
	switch r.PostForm.Get("decision") {
	case "deny":
		redirect(w, r, c, c.Denied)
	case "allow":
		e.allowConsent(w, r, c)
	default:
		e.showConsent(w, r, c, "Choose Allow or Deny.")
	}
}

func (e *Env) allowConsent(w http.ResponseWriter, r *http.Request, c ConsentRequest) {
	account, err := e.chosenAccount(r.PostForm)
	if err != nil {
		e.showConsent(w, r, c, err.Error())
		return
	}
	scopes := c.Scopes
	if ticked, ok := r.PostForm["scope"]; ok {
		scopes = slices.DeleteFunc(slices.Clone(c.Scopes), func(s string) bool { return !slices.Contains(ticked, s) })
	}
	code := Code{Value: c.CodePrefix + rand.Text(), ClientID: c.ClientID, RedirectURI: c.RedirectURI,
		AccountID: account.ID,
		Scopes:    scopes, Challenge: c.Challenge, ChallengeMethod: c.ChallengeMethod}
	err = e.Update(func(tx *Tx) error {
		e.ensureAccount(tx, account)
		code.ExpiresAt = tx.Now().Add(c.CodeLifetime)
		e.codes.Put(tx, code.Value, code)
		return nil
	})
	if err != nil {
		e.showProblem(w, http.StatusInternalServerError, err.Error())
		return
	}
	//nolint:gosec // the simulator has no TLS
	http.SetCookie(w, &http.Cookie{Name: e.agreedCookie(), Value: account.Handle, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
	answer := url.Values{}
	if c.Granted != nil {
		answer = c.Granted(scopes)
	}
	answer.Set("code", code.Value)
	redirect(w, r, c, answer)
}

// agreedCookie returns the cookie in which a browser stores the last account.
func (e *Env) agreedCookie() string { return "sandbox-" + e.network.Name }

// chosenAccount returns the account that the person typed or selected; a typed one has precedence.
func (e *Env) chosenAccount(form url.Values) (Account, error) {
	handle := strings.TrimSpace(form.Get("name"))
	if handle == "" {
		handle = strings.TrimSpace(form.Get("account"))
	}
	handle = strings.TrimPrefix(handle, "@")
	if handle == "" {
		return Account{}, errors.New("pick an account or type the name of a new one")
	}
	var known Account
	var ok bool
	e.View(func() { known, ok = e.Accounts.ByHandle(handle) })
	if ok && known.OwnerID == "" {
		return known, nil
	}
	return e.network.Account(handle)
}

// redirect redirects the person to the app.
func redirect(w http.ResponseWriter, r *http.Request, c ConsentRequest, answer url.Values) {
	u, err := url.Parse(c.RedirectURI)
	if err != nil {
		http.Error(w, "redirect_uri cannot be read", http.StatusBadRequest)
		return
	}
	query := u.Query()
	maps.Copy(query, answer)
	if c.State != "" {
		query.Set("state", c.State)
	}
	u.RawQuery = query.Encode()
	if answer.Has("code") {
		u.Fragment = c.Fragment
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}
