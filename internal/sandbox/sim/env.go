package sim

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Env is a network's environment in the sandbox: its state, its routes, and the clock. It is passed to [Network.New].
type Env struct {
	*Store
	Posts    *Posts
	Accounts *Accounts
	Tokens   *Tokens
	Media    *Previews
	Limits   *Limits
	Log      *slog.Logger
	Options  Options

	network Network
	service Service
	codes   *Table[Code]
	script  *script
	mux     *http.ServeMux
	done    <-chan struct{}
}

func newEnv(n Network, w *World) *Env {
	store := newStore(n.Name, w.journal, w.options.Now)
	w.journal.stores = append(w.journal.stores, store)
	return &Env{
		Store:    store,
		Accounts: newAccounts(store),
		Tokens:   newTokens(store),
		Posts:    newPosts(store),
		Media:    w.previews,
		Limits:   newLimits(w.options.Now, w.options.LimitFactor),
		Log:      w.options.Logger.With("network", n.Name),
		Options:  w.options,
		network:  n,
		codes:    newCodes(store),
		script:   newScript(),
		mux:      w.mux,
		done:     w.done,
	}
}

// Now returns the sandbox's time.
func (e *Env) Now() time.Time { return e.Options.Now() }

// URL returns an absolute URL below the network's prefix, for uploads for example. Without a configured base URL it is
// built from the host that the client used.
func (e *Env) URL(r *http.Request, path string) string {
	return e.base(r) + "/" + e.network.Name + path
}

// AvatarURL returns the URL of an account's picture. Its pattern depends on the name up to the first "_" or ".", so
// that a network can name sizes.
func (e *Env) AvatarURL(r *http.Request, name string) string {
	return e.base(r) + "/_avatar/" + name
}

func (e *Env) base(r *http.Request) string {
	if e.Options.BaseURL == "" {
		return "http://" + r.Host
	}
	return strings.TrimSuffix(e.Options.BaseURL, "/")
}

// Route registers a handler for one operation. The pattern is "METHOD /path" below the network's prefix.
func (e *Env) Route(pattern string, op Operation, h Handler) {
	e.RouteBy(pattern, func(*http.Request) Operation { return op }, h)
}

// RouteBy registers a handler whose operation depends on the request. The function may parse the request's form. If a
// path ends with a slash, the one without it does not exist: a redirect would hide the mistake from clients that follow
// it.
func (e *Env) RouteBy(pattern string, op func(*http.Request) Operation, h Handler) {
	if bare, isClosed := strings.CutSuffix(pattern, "/{$}"); isClosed {
		e.Page(bare, func(w http.ResponseWriter, _ *http.Request) { e.service.NotFound().write(w) })
	}
	e.mux.HandleFunc(e.prefixed(pattern), func(w http.ResponseWriter, r *http.Request) {
		e.serve(w, r, op(r), h)
	})
}

// Page registers a page for people, which never fails on demand and is not counted.
func (e *Env) Page(pattern string, h http.HandlerFunc) {
	e.mux.HandleFunc(e.prefixed(pattern), h)
}

func (e *Env) prefixed(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	return method + " /" + e.network.Name + path
}

// FindToken returns a token and its current standing. An unknown seeded token creates its account.
func (e *Env) FindToken(value string) (Token, Standing, error) {
	var token Token
	e.View(func() { token, _ = e.Tokens.Get(value) })
	if token.Value == "" {
		claims, ok := parseSeed(e.network.Name, value)
		if !ok {
			return Token{}, TokenUnknown, nil
		}
		var err error
		if token, err = e.adoptSeed(value, claims); err != nil {
			return Token{}, TokenUnknown, err
		}
	}
	return token, token.Standing(e.Now()), nil
}

// errKnown ends a transaction whose work was already done by another one.
var errKnown = errors.New("already known")

// adoptSeed writes a seeded token, and its account if that is new too.
func (e *Env) adoptSeed(value string, claims seedClaims) (Token, error) {
	token := Token{Value: value, Kind: claims.Kind, AccountID: claims.Account.ID, Scopes: claims.Scopes, Seeded: true}
	err := e.Update(func(tx *Tx) error {
		if known, ok := e.Tokens.Get(value); ok {
			token = known
			return errKnown
		}
		token.IssuedAt = tx.Now()
		if claims.Lifetime > 0 {
			token.ExpiresAt = tx.Now().Add(time.Duration(claims.Lifetime) * time.Second)
		}
		e.Tokens.Put(tx, token)
		e.ensureAccount(tx, claims.Account)
		return nil
	})
	if errors.Is(err, errKnown) {
		err = nil
	}
	return token, err
}

// ensureAccount creates the account unless it exists.
func (e *Env) ensureAccount(tx *Tx, a Account) {
	if _, ok := e.Accounts.Get(a.ID); ok {
		return
	}
	e.Accounts.Put(tx, a)
	e.service.Welcome(tx, a)
}

// BearerToken returns the token of the Authorization header, or of the access_token parameter in the query.
func BearerToken(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return r.URL.Query().Get("access_token")
}

// callerOf returns the account of a request, or "".
func (e *Env) callerOf(r *http.Request) string {
	bearer := BearerToken(r)
	if recognizer, ok := e.service.(Recognizer); ok && bearer == "" {
		return recognizer.CallerOf(r)
	}
	token, _, err := e.FindToken(bearer)
	if err != nil {
		return ""
	}
	return token.AccountID
}
