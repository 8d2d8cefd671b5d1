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
	last map[string]storedKey
}

type storedKey struct {
	digest, key string
	// ended is the object's last unsuccessful end before the call.
	ended string
	at    time.Time
	// done is true once the call has taken effect.
	done bool
}

func newKeys(now func() time.Time) *keys { return &keys{now: now, last: map[string]storedKey{}} }

// of returns the key of a call: that of the last one if it was identical, else a new one. done is true if that one has
// taken effect. ended identifies the object's last unsuccessful end, if that is its present state: an identical call
// after one that the last call has not seen is a new call.
func (k *keys) of(caller, object, digest, ended string) (key string, done bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	for name, stored := range k.last {
		if now.Sub(stored.at) > keyLife {
			delete(k.last, name)
		}
	}
	stored, ok := k.last[caller+" "+object]
	if !ok || stored.digest != digest || ended != "" && ended != stored.ended {
		stored = storedKey{digest: digest, ended: ended, key: string(crier.NewID())}
	}
	stored.at = now
	k.last[caller+" "+object] = stored
	return stored.key, stored.done
}

// finish records that a call has taken effect.
func (k *keys) finish(caller, object, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if stored := k.last[caller+" "+object]; stored.key == key {
		stored.done = true
		k.last[caller+" "+object] = stored
	}
}

// remove removes the calls about an object, and about all objects whose name starts with it.
func (k *keys) remove(caller, object string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.last {
		if strings.HasPrefix(name, caller+" "+object) {
			delete(k.last, name)
		}
	}
}

// newObject is the prefix of objects that do not exist before the call.
const newObject = "new:"

// effect is a change that is made once, however often the agent repeats the call.
type effect struct {
	call        *call
	object, key string
	// done means that the change was made: repeating it only returns its result, so no confirmation is needed.
	done bool
}

// effect prepares a change in a team. object is empty if the call creates a new one; ended is its last unsuccessful
// end, if that is its present state.
func (c *call) effect(team crier.ID, object, ended string) (*effect, error) {
	arguments, err := c.arguments()
	if err != nil {
		return nil, err
	}
	digest, err := digestOf(c.request.Params.Name, arguments, team)
	if err != nil {
		return nil, err
	}
	if object == "" {
		object = newObject + digest
	}
	e := &effect{call: c, object: object}
	e.key, e.done = c.server.keys.of(callerOf(c.request), object, digest, ended)
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

// apply makes the change.
func (e *effect) apply(ctx context.Context, change func(context.Context) error) error {
	if err := change(client.WithIdempotencyKey(ctx, e.key)); err != nil {
		return err
	}
	e.call.server.keys.finish(callerOf(e.call.request), e.object, e.key)
	return nil
}

// changed removes the stored calls that a change has made obsolete.
func (c *call) changed(object string) { c.server.keys.remove(callerOf(c.request), object) }

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
