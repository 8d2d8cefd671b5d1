package access

import (
	"maps"
	"sync"
	"time"

	"crier"
	"crier/internal/store"
)

const (
	// callerTTL is how long a node caches a caller. Changes made on the same node apply at once.
	callerTTL = time.Second
	// maxCallers is the number of cached callers.
	maxCallers = 10_000
)

// Lookahead is data that a request is known to need before its credential is checked.
type Lookahead = store.Lookahead

// callerCache caches the callers of credentials for a moment. Permissions are always read.
type callerCache struct {
	mu     sync.Mutex
	byHash map[string]cachedCaller
}

// cachedCaller is a cached caller of a credential.
type cachedCaller struct {
	Caller
	lastUsed *crier.Time
	at       crier.Time
	changes  int64 // of credentials, before it was read
}

// get returns the caller of a credential, unless it was read too long ago, has expired, or a credential has changed
// since.
func (k *callerCache) get(hash []byte, now crier.Time, changes int64) (cachedCaller, bool) {
	k.mu.Lock()
	found, ok := k.byHash[string(hash)]
	k.mu.Unlock()
	if !ok || found.changes != changes || !isRecent(found.at, now) {
		return cachedCaller{}, false
	}
	expires := found.credential.ExpiresAt
	return found, expires == nil || expires.After(now.Time)
}

func (k *callerCache) put(hash []byte, caller cachedCaller) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byHash == nil || len(k.byHash) >= maxCallers {
		k.byHash = map[string]cachedCaller{}
	}
	k.byHash[string(hash)] = caller
}

// isRecent reports whether something read at a time may still be used.
func isRecent(at, now crier.Time) bool {
	age := now.Sub(at.Time)
	return age >= 0 && age < callerTTL
}

// aheadAt returns the data that was read with the credential; nil if that is too long ago, as after a slow transfer.
func (c Caller) aheadAt(now crier.Time) *store.Lookahead {
	if c.ahead == nil || !isRecent(c.readAt, now) {
		return nil
	}
	return c.ahead
}

// recentUses holds the credentials whose use was recorded within the last minute.
type recentUses struct {
	mu    sync.Mutex
	last  map[crier.ID]crier.Time
	swept crier.Time // when older uses were removed
}

// add reports whether the use of a credential has to be recorded now, and remembers it.
func (n *recentUses) add(id crier.ID, now crier.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	old := func(_ crier.ID, at crier.Time) bool {
		age := now.Sub(at.Time)
		return age < 0 || age >= useResolution
	}
	if last, ok := n.last[id]; ok && !old(id, last) {
		return false
	}
	if old("", n.swept) {
		maps.DeleteFunc(n.last, old)
		n.swept = now
	}
	if n.last == nil || len(n.last) >= maxCallers { // beyond it, a credential is recorded once more, nothing else
		n.last = map[crier.ID]crier.Time{}
	}
	n.last[id] = now
	return true
}
