package access

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

const (
	// answerRetention is how long a repeated request gets the first response again.
	answerRetention = 24 * time.Hour
	// repeatWait is how long a repeat waits for the first request to finish.
	repeatWait = 30 * time.Second
)

// IdempotentRequest is a request with an idempotency key.
type IdempotentRequest struct {
	Key string
	// Fingerprint distinguishes this request from another one with the same key.
	Fingerprint []byte
	// Status is the HTTP status of a success.
	Status int
	// Partial is true while the fingerprint lacks the body, which is read as it arrives.
	Partial bool
}

// WithBody completes the fingerprint of a partial request with the digest of its body.
func (r IdempotentRequest) WithBody(digest []byte) IdempotentRequest {
	sum := sha256.Sum256(append(slices.Clone(r.Fingerprint), digest...))
	r.Fingerprint, r.Partial = sum[:], false
	return r
}

// WithBody completes the request in the context, if it has a key.
func WithBody(ctx context.Context, digest []byte) context.Context {
	r, repeats := ctx.Value(repeatableKey{}).(repeatable)
	if !repeats {
		return ctx
	}
	r.IdempotentRequest = r.WithBody(digest)
	return context.WithValue(ctx, repeatableKey{}, r)
}

type repeatableKey struct{}

type repeatable struct {
	IdempotentRequest
	principal crier.ID
}

// WithIdempotency puts the caller's idempotency key into the context of a request.
func WithIdempotency(ctx context.Context, caller Caller, r IdempotentRequest) context.Context {
	return context.WithValue(ctx, repeatableKey{}, repeatable{IdempotentRequest: r, principal: caller.id})
}

// StoredResponse is the response to an earlier request with the same key. As an error it ends a repeat that ran
// concurrently with the first.
type StoredResponse struct {
	Status int
	Body   []byte
}

func (*StoredResponse) Error() string { return "answered before" }

// Idempotency runs the writes of requests and answers repeated ones with the stored response.
type Idempotency struct {
	store *store.Store
	keys  *auth.Keyring
	clock crier.Clock
}

// NewIdempotency returns an Idempotency. Responses are stored sealed with keys.
func NewIdempotency(st *store.Store, keys *auth.Keyring, clock crier.Clock) *Idempotency {
	return &Idempotency{store: st, keys: keys, clock: clock}
}

// Known reports whether the key was used before, for any request.
func (s *Idempotency) Known(ctx context.Context, caller Caller, r IdempotentRequest) (bool, error) {
	stored, err := s.stored(ctx, caller, r.Key)
	return stored != nil, err
}

// stored returns the response stored under a caller's key, unless it was read with the credential. A response that is
// stored later is found when the key is claimed.
func (s *Idempotency) stored(ctx context.Context, caller Caller, key string) (*store.StoredResponse, error) {
	now := s.clock.Now()
	if ahead := caller.aheadAt(now); ahead != nil && ahead.IdempotencyKey == key {
		return ahead.Response, nil
	}
	return s.store.StoredResponse(ctx, caller.id, key, now)
}

// Stored returns the response to an earlier request with the same key, or nil. The same key with another request is a
// conflict.
func (s *Idempotency) Stored(ctx context.Context, caller Caller, r IdempotentRequest) (*StoredResponse, error) {
	stored, err := s.stored(ctx, caller, r.Key)
	if err != nil || stored == nil {
		return nil, err
	}
	return s.open(*stored, r.Fingerprint)
}

// ReplayOr returns the response to an earlier request with the same key if there is one by now, else err. The earlier
// one may be why a concurrent repeat failed: a repeated deletion finds nothing to delete.
func (s *Idempotency) ReplayOr(ctx context.Context, err error) error {
	r, repeats := ctx.Value(repeatableKey{}).(repeatable)
	if !repeats || r.Partial {
		return err
	}
	stored, lookupErr := s.store.StoredResponse(ctx, r.principal, r.Key, s.clock.Now())
	if lookupErr != nil || stored == nil {
		return err
	}
	answer, openErr := s.open(*stored, r.Fingerprint)
	if openErr != nil {
		return openErr
	}
	return answer
}

func (s *Idempotency) open(stored store.StoredResponse, fingerprint []byte) (*StoredResponse, error) {
	if !bytes.Equal(stored.Fingerprint, fingerprint) {
		return nil, crier.Conflict("This Idempotency-Key was used for another request within the last 24 hours. Use " +
			"a new key for a new request.")
	}
	if stored.Left {
		return nil, errLeft
	}
	body, err := s.keys.Open(stored.Body, AnswerContext(stored.PrincipalID, stored.Key))
	if err != nil {
		return nil, fmt.Errorf("open the stored response: %w", err)
	}
	return &StoredResponse{Status: stored.Status, Body: body}, nil
}

// errLeft answers a repeat by a caller who is no longer a member of the organization.
var errLeft = crier.Forbidden("The caller has left the organization since the first request with this Idempotency-Key.")

// AnswerContext is what the response to a request with an idempotency key is sealed for.
func AnswerContext(principal crier.ID, key string) string {
	return "answer " + string(principal) + " " + key
}

// oneTimeSecret is a response that must not be stored as it is.
type oneTimeSecret interface{ WithoutSecret() any }

// Write runs fn in one transaction. If the request has an idempotency key, the key is claimed first and the response
// stored last, in the same transaction: effect and key are committed together. A repeat of a request that has been
// answered meanwhile returns *StoredResponse as its error.
func Write[T any](ctx context.Context, s *Idempotency, fn func(tx *store.Tx) (T, error)) (T, error) {
	var result T
	r, repeats := ctx.Value(repeatableKey{}).(repeatable)
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		if repeats {
			if err := s.claim(ctx, tx, r); err != nil {
				return err
			}
		}
		var err error
		if result, err = fn(tx); err != nil {
			return err
		}
		if err := s.Audit(ctx, tx, result); err != nil || !repeats {
			return err
		}
		return s.storeAnswer(ctx, tx, r, result)
	})
	if errors.Is(err, store.ErrTaken) { // the commit may be the first to report it
		err = crier.Conflict("Another request has just scheduled this post, or taken this slot. Try again.")
	}
	return result, err
}

func (s *Idempotency) claim(ctx context.Context, tx *store.Tx, r repeatable) error {
	now := s.clock.Now()
	waiting, cancel := context.WithTimeout(ctx, repeatWait)
	defer cancel()
	claimed, err := tx.ClaimKey(waiting, store.StoredResponse{
		PrincipalID: r.principal, Key: r.Key, Fingerprint: r.Fingerprint, Status: r.Status,
		ExpiresAt: crier.TimeOf(now.Add(answerRetention)),
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
	stored, err := tx.StoredResponse(ctx, r.principal, r.Key, now)
	if err != nil {
		return err
	}
	if stored == nil {
		return errors.New("a claimed idempotency key has no stored response")
	}
	answer, err := s.open(*stored, r.Fingerprint)
	if err != nil {
		return err
	}
	return answer
}

func (s *Idempotency) storeAnswer(ctx context.Context, tx *store.Tx, r repeatable, result any) error {
	if secret, ok := result.(oneTimeSecret); ok {
		result = secret.WithoutSecret()
	}
	body, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	sealed, err := s.keys.Seal(body, AnswerContext(r.principal, r.Key))
	if err != nil {
		return err
	}
	return tx.SaveResponse(ctx, r.principal, r.Key, sealed, organizationOf(ctx))
}
