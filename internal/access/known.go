package access

import (
	"sync"
	"time"

	"crier"
	"crier/internal/store"
)

const (
	// callerKept is how long a node takes a caller for known without looking. What a node itself changes counts at
	// once.
	callerKept = time.Second
	// callersKept is of how many credentials a node remembers the caller.
	callersKept = 10_000
)

// Lookahead is what a request is known to need before its credential was looked at.
type Lookahead = store.Lookahead

// knownCallers remembers the callers of credentials for a moment. What they may do is always read.
type knownCallers struct {
	mu     sync.Mutex
	byHash map[string]knownCaller
}

// knownCaller is the caller of a credential, as it was read at a time.
type knownCaller struct {
	Caller
	lastUsed *crier.Time
	at       crier.Time
	changes  int64 // of credentials, before it was read
}

// get returns the caller of a credential, unless it was read too long ago, has expired, or a credential has changed
// since.
func (k *knownCallers) get(hash []byte, now crier.Time, changes int64) (knownCaller, bool) {
	k.mu.Lock()
	found, ok := k.byHash[string(hash)]
	k.mu.Unlock()
	if !ok || found.changes != changes || !isRecent(found.at, now) {
		return knownCaller{}, false
	}
	expires := found.credential.ExpiresAt
	return found, expires == nil || expires.After(now.Time)
}

func (k *knownCallers) put(hash []byte, caller knownCaller) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byHash == nil || len(k.byHash) >= callersKept {
		k.byHash = map[string]knownCaller{}
	}
	k.byHash[string(hash)] = caller
}

// isRecent reports whether something that was read at a time may still be taken for true.
func isRecent(at, now crier.Time) bool {
	age := now.Sub(at.Time)
	return age >= 0 && age < callerKept
}

// aheadAt returns what was read with the credential; nil if that is too long ago, as after a slow transfer.
func (c Caller) aheadAt(now crier.Time) *store.Lookahead {
	if c.ahead == nil || !isRecent(c.readAt, now) {
		return nil
	}
	return c.ahead
}

// notedUses remembers the credentials whose use was noted within the last minute.
type notedUses struct {
	mu    sync.Mutex
	since crier.Time
	// recent were noted since then, before in the useGrain before it: two maps that take turns forget without a search.
	recent, before map[crier.ID]crier.Time
}

// note tells whether the use of a credential is to be written down now, and remembers that it was.
func (n *notedUses) note(id crier.ID, now crier.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if age := now.Sub(n.since.Time); n.recent == nil || age >= useGrain || age < 0 {
		n.before = n.recent
		if age >= 2*useGrain {
			n.before = nil
		}
		n.recent, n.since = map[crier.ID]crier.Time{}, now
	}
	for _, noted := range []map[crier.ID]crier.Time{n.recent, n.before} {
		if last, ok := noted[id]; ok && now.Sub(last.Time) < useGrain {
			return false
		}
	}
	if len(n.recent) >= callersKept { // a credential too many is written down once more, nothing else
		n.recent = map[crier.ID]crier.Time{}
	}
	n.recent[id] = now
	return true
}
