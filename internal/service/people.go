package service

import (
	"context"
	"strings"
	"sync"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

const (
	sessionLife = 14 * 24 * time.Hour
	// freeGuesses may fail before each further one has to wait, twice as long each time, at most maxGuessWait.
	freeGuesses  = 5
	guessWait    = 2 * time.Second
	maxGuessWait = 15 * time.Minute
)

// People are the rules of signing in. Its methods are for the pages, which have forms of their own.
type People struct{ *core }

// Session is what a browser is given.
type Session struct {
	Token   string
	Expires time.Time
	User    crier.User
}

// errSignIn says the same for an unknown address and a wrong password: who has an account is nobody's business.
var errSignIn = crier.Unauthorized("The e-mail address and the password do not belong together.")

// unknownHash is compared with when there is no such person, so that the answer takes as long.
var unknownHash = sync.OnceValue(func() string { return auth.HashPassword("nobody has this password") })

// SignIn begins a session. Guessing is slowed down per address, over all nodes.
func (s *People) SignIn(ctx context.Context, email, password string) (Session, error) {
	email = foldEmail(email)
	if crier.Email(email).Problem() != "" { // nobody can have it, and the store need not remember it
		return Session{}, errSignIn
	}
	if err := s.claimGuess(ctx, email); err != nil {
		return Session{}, err
	}
	person, err := s.store.UserByEmail(ctx, email)
	if err != nil {
		return Session{}, err
	}
	hash := unknownHash()
	if person != nil {
		hash = person.PasswordHash
	}
	if !auth.CheckPassword(password, hash) || person == nil {
		return Session{}, errSignIn
	}
	return s.begin(ctx, person.User, email)
}

// foldEmail makes two spellings of an address one.
func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// claimGuess counts a guess before its password is looked at, so that many at once are not counted as one. A good
// password forgets them all.
func (s *People) claimGuess(ctx context.Context, email string) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		failures, until, err := tx.LockSignIns(ctx, email)
		if err != nil {
			return err
		}
		now := s.clock()
		if until.After(now) {
			return crier.TooManyRequests("Too many wrong passwords for this address. Wait %d seconds.", int(until.Sub(now).Seconds())+1)
		}
		failures++
		wait := time.Duration(0)
		if failures >= freeGuesses {
			wait = min(guessWait<<min(failures-freeGuesses, 10), maxGuessWait)
		}
		return tx.NoteSignIn(ctx, email, failures, crier.TimeOf(now.Add(wait)))
	})
}

// begin makes a session with a token of its own: one that a browser had before means nothing.
func (s *People) begin(ctx context.Context, user crier.User, email string) (Session, error) {
	session := Session{Token: auth.NewLinkToken(), Expires: s.clock().Add(sessionLife), User: user}
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		if email != "" {
			if err := tx.NoteSignIn(ctx, email, 0, crier.Time{}); err != nil {
				return err
			}
		}
		return tx.InsertSession(ctx, auth.Hash(session.Token), user.ID, s.now(), crier.TimeOf(session.Expires))
	})
	return session, err
}

// User is the person of a session; nil when nobody is signed in.
func (s *People) User(ctx context.Context, token string) (*crier.User, error) {
	if token == "" {
		return nil, nil
	}
	return s.store.SessionUser(ctx, auth.Hash(token), s.now())
}

// SignOut ends a session.
func (s *People) SignOut(ctx context.Context, token string) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.EndSession(ctx, auth.Hash(token)) })
}

// SignOutEverywhere ends all sessions of a person and the tokens of all their devices.
func (s *People) SignOutEverywhere(ctx context.Context, user crier.ID) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.EndSessions(ctx, user, s.now()) })
}
