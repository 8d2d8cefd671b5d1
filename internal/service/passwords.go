package service

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// resetLife is how long the link for a lost password works.
const resetLife = 24 * time.Hour

// errResetLink is the same for every reason, so that an invalid link reveals nothing.
var errResetLink = crier.NotFound("This link is not valid: it was used already, the password was changed since, or " +
	"it has expired.")

// checkPassword rejects a password of invalid length.
func checkPassword(password string, email crier.Email) error {
	if problem := passwordProblem(password, email); problem != "" {
		return crier.Invalid(crier.At(problem, "password"))
	}
	return nil
}

// passwordProblem says what is wrong with the password that somebody with an e-mail address chooses, or nothing.
func passwordProblem(password string, email crier.Email) string {
	switch n := utf8.RuneCountInString(password); {
	case n < auth.MinPasswordLength || n > auth.MaxPasswordLength:
		return fmt.Sprintf("must be %d to %d characters long", auth.MinPasswordLength, auth.MaxPasswordLength)
	case foldEmail(password) == foldEmail(string(email)):
		return "must not be the e-mail address"
	case auth.IsCommonPassword(password):
		return "is one of the passwords that are tried first: choose another one, such as four words"
	}
	return ""
}

// ChangePassword changes the password of a signed-in person. It ends all their other sessions and devices and returns a
// new session.
func (s *People) ChangePassword(ctx context.Context, user crier.ID, current, password string, from Browser) (Session,
	error) {
	person, err := s.store.UserByID(ctx, user)
	if err != nil {
		return Session{}, err
	}
	if person == nil {
		return Session{}, errSignIn
	}
	if err := checkPassword(password, *person.User.Email); err != nil {
		return Session{}, err
	}
	if err := s.claimGuess(ctx, string(*person.User.Email), person, from); err != nil {
		return Session{}, err
	}
	matches, err := s.passwords.Check(ctx, current, person.PasswordHash)
	if err != nil {
		return Session{}, err
	}
	if !matches {
		return Session{}, crier.Unauthorized("This is not your current password.")
	}
	return s.replacePassword(ctx, *person, password, from,
		crier.Conflict("The password was changed elsewhere meanwhile. Sign in again."))
}

// replacePassword writes a password, ends all sessions and devices of the person, and starts a session.
func (s *People) replacePassword(ctx context.Context, person store.SignIn, password string, from Browser,
	changedMeanwhile error) (Session, error) {
	hash, err := s.passwords.Hash(ctx, password)
	if err != nil {
		return Session{}, err
	}
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		replaced, err := tx.ReplacePassword(ctx, person.User.ID, person.PasswordHash, hash, s.clock.Now())
		if err != nil {
			return err
		}
		if !replaced {
			return changedMeanwhile
		}
		return tx.EndSessions(ctx, person.User.ID, s.clock.Now())
	})
	if err != nil {
		return Session{}, err
	}
	return s.begin(ctx, person.User, string(*person.User.Email), from)
}

// ResetLink creates a password reset link. It is for the operator, who must verify the recipient.
func (s *People) ResetLink(ctx context.Context, email string) (string, error) {
	person, err := s.store.UserByEmail(ctx, foldEmail(email))
	if err != nil {
		return "", err
	}
	if person == nil {
		return "", crier.NotFound("nobody signs in with %s", email)
	}
	return s.resetLink(*person), nil
}

func (s *People) resetLink(person store.SignIn) string {
	ends := s.clock().Add(resetLife).Unix()
	signature := s.keys.Sign(resetData(person, ends), resetPurpose)
	token := fmt.Sprintf("%s.%d.%s", person.User.ID, ends, base64.RawURLEncoding.EncodeToString(signature))
	return s.addresses.BaseURL + "/reset-password?token=" + token
}

const resetPurpose = "password reset"

// resetData binds a link to a person, an end and the password that was lost: it works until that one is replaced, so
// once.
func resetData(person store.SignIn, ends int64) []byte {
	return fmt.Appendf(nil, "%s %d %s", person.User.ID, ends, person.PasswordHash)
}

// CheckResetLink is nil while the link for a lost password can be used.
func (s *People) CheckResetLink(ctx context.Context, token string) error {
	_, err := s.personOfReset(ctx, token)
	return err
}

func (s *People) personOfReset(ctx context.Context, token string) (store.SignIn, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return store.SignIn{}, errResetLink
	}
	id, known := crier.ParseID(parts[0])
	ends, numberErr := strconv.ParseInt(parts[1], 10, 64)
	signature, encodingErr := base64.RawURLEncoding.DecodeString(parts[2])
	if !known || numberErr != nil || encodingErr != nil || ends <= s.clock().Unix() {
		return store.SignIn{}, errResetLink
	}
	person, err := s.store.UserByID(ctx, id)
	if err != nil {
		return store.SignIn{}, err
	}
	if person == nil || !s.keys.Verify(resetData(*person, ends), signature, resetPurpose) {
		return store.SignIn{}, errResetLink
	}
	return *person, nil
}

// ResetPassword sets a new password for the person of a link and signs them in, ending all other sessions.
func (s *People) ResetPassword(ctx context.Context, token, password string, from Browser) (Session, error) {
	person, err := s.personOfReset(ctx, token)
	if err != nil {
		return Session{}, err
	}
	if err := checkPassword(password, *person.User.Email); err != nil {
		return Session{}, err
	}
	return s.replacePassword(ctx, person, password, from, errResetLink)
}
