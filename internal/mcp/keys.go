package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// keyLife is how long an identical call counts as a repetition.
const keyLife = time.Hour

// keys stores the idempotency keys of calls, so that an agent that repeats a call gets its first response again. Only
// the last call about an object is stored: schedule, move to draft, schedule again are three calls.
//
// It is in memory. When it is lost, a repeated call is a new one, and only the rules of the server prevent a second
// effect: they suffice for everything except drafts and imported assets.
type keys struct {
	now func() time.Time
	mu  sync.Mutex
	// last is the last call of each caller about each object.
	last map[string]keptKey
}

type keptKey struct {
	digest, key string
	at          time.Time
	// done is true once the call has taken effect.
	done bool
}

func newKeys(now func() time.Time) *keys { return &keys{now: now, last: map[string]keptKey{}} }

// of returns the key of a call: that of the last one if it was identical, else a new one. done is true if that one has
// taken effect.
func (k *keys) of(caller, thing, digest string) (key string, done bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	for name, kept := range k.last {
		if now.Sub(kept.at) > keyLife {
			delete(k.last, name)
		}
	}
	kept, ok := k.last[caller+" "+thing]
	if !ok || kept.digest != digest {
		kept = keptKey{digest: digest, key: string(crier.NewID())}
	}
	kept.at = now
	k.last[caller+" "+thing] = kept
	return kept.key, kept.done
}

// finish records that a call has taken effect.
func (k *keys) finish(caller, thing, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept := k.last[caller+" "+thing]; kept.key == key {
		kept.done = true
		k.last[caller+" "+thing] = kept
	}
}

// forget removes the calls about an object, and about all objects whose name starts with it.
func (k *keys) forget(caller, thing string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.last {
		if strings.HasPrefix(name, caller+" "+thing) {
			delete(k.last, name)
		}
	}
}

// newThing is the prefix of objects that do not exist before the call.
const newThing = "new:"

// effect is a change that is made once, however often the agent repeats the call.
type effect struct {
	call       *call
	thing, key string
	// done means that the change was made: repeating it only returns its result, so no confirmation is needed.
	done bool
}

// effect prepares a change. thing is the object, empty if the call creates a new one; state distinguishes otherwise
// identical calls.
func (c *call) effect(thing string, state ...any) (*effect, error) {
	arguments, err := c.arguments()
	if err != nil {
		return nil, err
	}
	digest, err := digestOf(c.request.Params.Name, arguments, state)
	if err != nil {
		return nil, err
	}
	if thing == "" {
		thing = newThing + digest
	}
	e := &effect{call: c, thing: thing}
	e.key, e.done = c.door.keys.of(callerOf(c.request), thing, digest)
	return e, nil
}

// arguments returns the arguments of the call, without the confirmation, which does not make it a different call.
func (c *call) arguments() (map[string]any, error) {
	arguments := map[string]any{}
	if len(c.request.Params.Arguments) > 0 {
		if err := json.Unmarshal(c.request.Params.Arguments, &arguments); err != nil {
			return nil, fmt.Errorf("read the arguments: %w", err)
		}
	}
	delete(arguments, "confirm")
	delete(arguments, "confirmationToken")
	return arguments, nil
}

// make makes the change.
func (e *effect) make(ctx context.Context, change func(context.Context) error) error {
	if err := change(client.WithIdempotencyKey(ctx, e.key)); err != nil {
		return err
	}
	e.call.door.keys.finish(callerOf(e.call.request), e.thing, e.key)
	return nil
}

// changed removes the stored calls that a change has made obsolete.
func (c *call) changed(thing string) { c.door.keys.forget(callerOf(c.request), thing) }

// callerOf identifies callers: by session, or by token where the protocol has no sessions.
func callerOf(r *mcp.CallToolRequest) string {
	if id := r.Session.ID(); id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(headerOf(r.Extra).Get("Authorization")))
	return hex.EncodeToString(sum[:])
}

func digestOf(values ...any) (string, error) {
	data, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("digest of the call: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
