package auth

import (
	"context"
	"errors"
	"time"
)

// hashWait is how long a password waits for its turn before ErrBusy.
const hashWait = 2 * time.Second

// ErrBusy means that too many passwords are being hashed at the moment. The request may be retried a little later.
var ErrBusy = errors.New("too many passwords are being hashed at the moment")

// PasswordHasher limits how many passwords are hashed at once: a hash takes 19 MiB and a core for a few milliseconds,
// so an unlimited number of sign-ins would exhaust a node's memory.
type PasswordHasher struct {
	// Memory is what a new hash takes, in KiB. Only tests take less than the default.
	Memory uint32

	slots chan struct{}
	wait  time.Duration
}

// NewPasswordHasher returns a hasher of at most parallel passwords at a time.
func NewPasswordHasher(parallel int) *PasswordHasher {
	return &PasswordHasher{Memory: argonMemory, slots: make(chan struct{}, max(1, parallel)), wait: hashWait}
}

// Hash is HashPassword, or ErrBusy.
func (h *PasswordHasher) Hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return hashPassword(password, h.Memory), nil
}

// Check is CheckPassword, or ErrBusy.
func (h *PasswordHasher) Check(ctx context.Context, password, encoded string) (bool, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	return CheckPassword(password, encoded), nil
}

func (h *PasswordHasher) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-h.slots }
	select {
	case h.slots <- struct{}{}:
		return release, nil
	default:
	}
	timer := time.NewTimer(h.wait)
	defer timer.Stop()
	select {
	case h.slots <- struct{}{}:
		return release, nil
	case <-timer.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
