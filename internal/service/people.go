package service

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/media"
	"crier/internal/store"
)

const (
	sessionLife = 14 * 24 * time.Hour
	// freeGuesses may fail from one network before each further one has to wait, twice as long each time, at most
	// maxGuessWait. The owner of an account, who signs in from elsewhere, does not wait for them.
	freeGuesses  = 5
	guessWait    = 2 * time.Second
	maxGuessWait = 15 * time.Minute
	// freeGuessesAnywhere may fail from all networks together before those that the person has no session from wait
	// too: an attacker with a thousand addresses has not five thousand guesses.
	freeGuessesAnywhere = 100
)

// People implements signing in. Its methods are for the HTML pages.
type People struct {
	store     *store.Store
	writes    *access.Idempotency
	keys      *auth.Keyring
	addresses *media.Addresses
	clock     crier.Clock
	passwords *auth.PasswordHasher
}

// Browser is what is known of where a person signs in, for the list of their sessions.
type Browser struct {
	// UserAgent is what the browser calls itself.
	UserAgent string
	// Address is the remote network address.
	Address string
}

// maxUserAgent bounds what is kept of a browser's name, in characters.
const maxUserAgent = 300

// Session is what a browser is given.
type Session struct {
	Token   string
	Expires time.Time
	User    crier.User
}

// errSignIn is the same for an unknown address and a wrong password, so that it does not reveal accounts.
var errSignIn = crier.Unauthorized("The e-mail address and the password do not belong together.")

// unknownHash is compared with when there is no such person, so that the answer takes as long.
var unknownHash = sync.OnceValue(func() string { return auth.HashPassword("nobody has this password") })

// SignIn starts a session. Guessing is throttled per account and network, across all nodes.
func (s *People) SignIn(ctx context.Context, email, password string, from Browser) (Session, error) {
	email = foldEmail(email)
	if crier.Email(email).Problem() != "" { // nobody can have it, and the store need not remember it
		return Session{}, errSignIn
	}
	person, err := s.store.UserByEmail(ctx, email)
	if err != nil {
		return Session{}, err
	}
	if err := s.claimGuess(ctx, email, person, from); err != nil {
		return Session{}, err
	}
	hash := unknownHash()
	if person != nil {
		hash = person.PasswordHash
	}
	matches, err := s.passwords.Check(ctx, password, hash)
	if err != nil {
		return Session{}, err
	}
	if !matches || person == nil {
		return Session{}, errSignIn
	}
	return s.begin(ctx, person.User, email, from)
}

// foldEmail normalizes an address.
func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// claimGuess counts a guess before its password is looked at, so that many at once are not counted as one. A good
// password forgets those of its network.
func (s *People) claimGuess(ctx context.Context, email string, person *store.SignIn, from Browser) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := s.countGuess(ctx, tx, guessKey(email, from), freeGuesses); err != nil {
			return err
		}
		if person != nil {
			sessions, err := tx.SessionsOf(ctx, person.User.ID, s.clock.Now())
			if err != nil || signedInFrom(sessions, from) {
				return err
			}
		}
		return s.countGuess(ctx, tx, email, freeGuessesAnywhere)
	})
}

// signedInFrom reports whether one of the sessions began in the network of a browser.
func signedInFrom(sessions []crier.Session, from Browser) bool {
	return slices.ContainsFunc(sessions, func(s crier.Session) bool {
		return s.Address != "" && auth.NetworkOf(s.Address) == auth.NetworkOf(from.Address)
	})
}

// guessKey returns what the guesses of one network at one account are counted under.
func guessKey(email string, from Browser) string { return email + " " + auth.NetworkOf(from.Address) }

// countGuess rejects a guess that has to wait, and counts it otherwise.
func (s *People) countGuess(ctx context.Context, tx *store.Tx, key string, free int) error {
	failures, until, err := tx.LockSignIns(ctx, key)
	if err != nil {
		return err
	}
	now := s.clock()
	if until.After(now) {
		return crier.TooManyRequests("Too many wrong passwords for this address. Wait %d seconds.",
			int(until.Sub(now).Seconds())+1)
	}
	failures++
	wait := time.Duration(0)
	if failures >= free {
		wait = min(guessWait<<min(failures-free, 10), maxGuessWait)
	}
	return tx.NoteSignIn(ctx, key, failures, crier.TimeOf(now.Add(wait)))
}

// begin makes a session with a token of its own: one that a browser had before means nothing.
func (s *People) begin(ctx context.Context, user crier.User, email string, from Browser) (Session, error) {
	session := Session{Token: auth.NewLinkToken(), Expires: s.clock().Add(sessionLife), User: user}
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		if email != "" {
			if err := tx.NoteSignIn(ctx, guessKey(email, from), 0, crier.Time{}); err != nil {
				return err
			}
		}
		return tx.InsertSession(ctx, store.Session{
			ID: crier.NewID(), Hash: auth.Hash(session.Token), User: user,
			Browser: crier.Printable(from.UserAgent, maxUserAgent),
			Address: from.Address, CreatedAt: s.clock.Now(), ExpiresAt: crier.TimeOf(session.Expires),
		})
	})
	return session, err
}

// User returns the person of a session; nil when nobody is signed in.
func (s *People) User(ctx context.Context, token string) (*crier.User, error) {
	if token == "" {
		return nil, nil
	}
	session, err := s.store.SessionByToken(ctx, auth.Hash(token), s.clock.Now())
	if err != nil || session == nil {
		return nil, err
	}
	return &session.User, nil
}

// Sessions lists where the caller is signed in, browsers and devices, the newest first.
func (s *People) Sessions(ctx context.Context, scope access.CallerScope) (crier.SessionList, error) {
	if err := scope.Check(); err != nil {
		return crier.SessionList{}, err
	}
	list, err := s.store.SessionsOf(ctx, scope.Caller().Person().ID, s.clock.Now())
	for i := range list {
		list[i].Current = list[i].ID == scope.Caller().Credential().ID
	}
	return crier.SessionList{Data: list}, err
}

// EndSession signs the caller out of one browser or device.
func (s *People) EndSession(ctx context.Context, scope access.CallerScope, id crier.ID) (crier.SessionEnded, error) {
	if err := scope.Check(); err != nil {
		return crier.SessionEnded{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.SessionEnded, error) {
		ended, err := tx.EndSessionOf(ctx, scope.Caller().Person().ID, id, s.clock.Now())
		if err == nil && !ended {
			err = crier.NotFound("There is no session %s.", id)
		}
		return crier.SessionEnded{Ended: ended}, err
	})
}

// SignOut ends a session.
func (s *People) SignOut(ctx context.Context, token string) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.EndSession(ctx, auth.Hash(token)) })
}

// SignOutEverywhere ends all sessions of a person and the tokens of all their devices.
func (s *People) SignOutEverywhere(ctx context.Context, user crier.ID) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.EndSessions(ctx, user, s.clock.Now()) })
}
