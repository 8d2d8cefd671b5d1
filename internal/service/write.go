package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"crier"
	"crier/internal/store"
)

const (
	// answersKept is how long a repeated request gets the first answer again.
	answersKept = 24 * time.Hour
	// repeatWait is how long a repeat waits for the first request to end.
	repeatWait = 30 * time.Second
)

// Repeatable is a request that carries an idempotency key.
type Repeatable struct {
	Key string
	// Fingerprint tells this request from another one with the same key.
	Fingerprint []byte
	// Status is what a success is answered with.
	Status int
}

type repeatableKey struct{}

type repeatable struct {
	Repeatable
	principal crier.ID
}

// WithRepeatable puts the caller's idempotency key into the context of a request.
func WithRepeatable(ctx context.Context, caller Caller, r Repeatable) context.Context {
	return context.WithValue(ctx, repeatableKey{}, repeatable{Repeatable: r, principal: caller.id})
}

// Kept is the answer to an earlier request with the same key. As an error it ends the work of a repeat that ran beside
// the first.
type Kept struct {
	Status int
	Body   []byte
}

func (*Kept) Error() string { return "answered before" }

// Answers looks up what was answered before.
type Answers struct{ *core }

// Kept returns the answer to an earlier request with the same key, or nil. The same key with another request is a
// conflict.
func (a *Answers) Kept(ctx context.Context, caller Caller, r Repeatable) (*Kept, error) {
	kept, err := a.store.KeptAnswer(ctx, caller.id, r.Key, a.now())
	if err != nil || kept == nil {
		return nil, err
	}
	return a.open(*kept, r.Fingerprint)
}

// Instead returns the answer to an earlier request with the same key if there is one by now, else err. The earlier one
// may be why a repeat beside it failed: a repeated deletion finds nothing left to delete.
func (a *Answers) Instead(ctx context.Context, err error) error {
	r, repeats := ctx.Value(repeatableKey{}).(repeatable)
	if !repeats {
		return err
	}
	kept, lookupErr := a.store.KeptAnswer(ctx, r.principal, r.Key, a.now())
	if lookupErr != nil || kept == nil {
		return err
	}
	answer, openErr := a.open(*kept, r.Fingerprint)
	if openErr != nil {
		return openErr
	}
	return answer
}

func (c *core) open(kept store.KeptAnswer, fingerprint []byte) (*Kept, error) {
	if !bytes.Equal(kept.Fingerprint, fingerprint) {
		return nil, crier.Conflict("This Idempotency-Key was used for another request within the last 24 hours. Use a new key for a new request.")
	}
	body, err := c.keys.Open(kept.Body, answerContext(kept.PrincipalID, kept.Key))
	if err != nil {
		return nil, fmt.Errorf("open the kept answer: %w", err)
	}
	return &Kept{Status: kept.Status, Body: body}, nil
}

func answerContext(principal crier.ID, key string) string {
	return "answer " + string(principal) + " " + key
}

// oneTimeSecret is an answer that must not be kept as it is.
type oneTimeSecret interface{ WithoutSecret() any }

// write runs fn in one transaction. When the request carries an idempotency key, the key is claimed first and the answer
// kept last, in the same transaction: effect and key stand or fall together. A repeat of a request that has meanwhile
// been answered returns *Kept as its error.
func write[T any](ctx context.Context, c *core, fn func(tx *store.Tx) (T, error)) (T, error) {
	var result T
	r, repeats := ctx.Value(repeatableKey{}).(repeatable)
	err := c.store.WithTx(ctx, func(tx *store.Tx) error {
		if repeats {
			if err := c.claim(ctx, tx, r); err != nil {
				return err
			}
		}
		var err error
		if result, err = fn(tx); err != nil {
			return err
		}
		if err := c.audit(ctx, tx, result); err != nil || !repeats {
			return err
		}
		return c.keep(ctx, tx, r, result)
	})
	return result, err
}

func (c *core) claim(ctx context.Context, tx *store.Tx, r repeatable) error {
	now := c.now()
	waiting, cancel := context.WithTimeout(ctx, repeatWait)
	defer cancel()
	claimed, err := tx.ClaimKey(waiting, store.KeptAnswer{
		PrincipalID: r.principal, Key: r.Key, Fingerprint: r.Fingerprint, Status: r.Status,
		ExpiresAt: crier.TimeOf(now.Add(answersKept)),
	}, now)
	if err != nil {
		if ctx.Err() == nil && errors.Is(waiting.Err(), context.DeadlineExceeded) {
			return crier.Conflict("A request with this Idempotency-Key is still running. Try again later.")
		}
		return err
	}
	if claimed {
		return nil
	}
	kept, err := tx.KeptAnswer(ctx, r.principal, r.Key, now)
	if err != nil {
		return err
	}
	if kept == nil {
		return errors.New("a claimed idempotency key has no answer")
	}
	answer, err := c.open(*kept, r.Fingerprint)
	if err != nil {
		return err
	}
	return answer
}

func (c *core) keep(ctx context.Context, tx *store.Tx, r repeatable, result any) error {
	if s, ok := result.(oneTimeSecret); ok {
		result = s.WithoutSecret()
	}
	body, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	sealed, err := c.keys.Seal(body, answerContext(r.principal, r.Key))
	if err != nil {
		return err
	}
	return tx.KeepAnswer(ctx, r.principal, r.Key, sealed)
}
