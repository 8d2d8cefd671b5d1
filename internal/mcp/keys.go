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

// keyLife is how long a repeated call is taken for the same one.
const keyLife = time.Hour

// keys remembers the idempotency keys of calls, so that an agent that repeats a call gets its first answer again. Only
// the last call about a thing is remembered: schedule, move to draft, schedule again means what it says.
//
// It lives in memory. When it is lost, a repeated call is a new one, and the rules of the server are all that keeps it
// from having its effect twice: they suffice for everything but drafts and imported assets.
type keys struct {
	now func() time.Time
	mu  sync.Mutex
	// last is the last call of each caller about each thing.
	last map[string]keptKey
}

type keptKey struct {
	digest, key string
	at          time.Time
	// done once the call has had its effect.
	done bool
}

func newKeys(now func() time.Time) *keys { return &keys{now: now, last: map[string]keptKey{}} }

// of returns the key of a call: that of the last one when it was the same, else a new one. done tells whether that one
// has had its effect.
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

// finish notes that a call has had its effect.
func (k *keys) finish(caller, thing, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept := k.last[caller+" "+thing]; kept.key == key {
		kept.done = true
		k.last[caller+" "+thing] = kept
	}
}

// forget drops what was remembered about a thing, and all things whose name begins with it.
func (k *keys) forget(caller, thing string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.last {
		if strings.HasPrefix(name, caller+" "+thing) {
			delete(k.last, name)
		}
	}
}

// newThing begins the names of things that do not exist before the call.
const newThing = "new:"

// effect is a change that happens once, however often the agent repeats the call.
type effect struct {
	call       *call
	thing, key string
	// done effects have happened: making the change again only fetches the answer, so nobody need be asked.
	done bool
}

// effect prepares a change. thing is what it is about, empty when the call makes something new; state is what makes an
// identical call a new one.
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

// arguments returns what the agent asks for. Agreeing to a call does not make it another one.
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

// changed ends the memory of calls that a change has made obsolete.
func (c *call) changed(thing string) { c.door.keys.forget(callerOf(c.request), thing) }

// callerOf tells callers apart: by session, or by token where the protocol has no sessions.
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
