package access

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier"
)

var noon = crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))

func later(d time.Duration) crier.Time { return crier.TimeOf(noon.Add(d)) }

func TestNotedUsesAreOneAMinuteForEachCredential(t *testing.T) {
	t.Parallel()
	var n recentUses
	for _, c := range []struct {
		id    crier.ID
		after time.Duration
		want  bool
	}{
		{"a", 0, true}, {"a", 0, false}, {"b", time.Second, true}, {"a", 59 * time.Second, false},
		{"a", time.Minute, true}, {"b", time.Minute, false}, // it was used a second later
		{"b", 61 * time.Second, true}, {"a", 2*time.Minute - 1, false}, {"a", 2 * time.Minute, true},
		{"a", time.Hour, true}, {"b", time.Hour, true}, {"b", time.Hour + time.Second, false},
		{"b", time.Minute, true}, {"b", time.Minute + time.Second, false}, // the clock was set back
	} {
		if got := n.add(c.id, later(c.after)); got != c.want {
			t.Errorf("%s after %s is noted: %t, want %t", c.id, c.after, got, c.want)
		}
	}
}

// A node runs for months, and every device login is a separate credential.
func TestNotedUsesForgetWhatIsOlderThanTheyNeed(t *testing.T) {
	t.Parallel()
	var n recentUses
	const perMinute = 1000
	for minute := range 50 {
		for i := range perMinute {
			id := crier.ID(strconv.Itoa(minute*perMinute + i))
			if !n.add(id, later(time.Duration(minute)*time.Minute)) {
				t.Fatalf("the first use of %s is not noted", id)
			}
		}
	}
	if count := len(n.last); count > 2*perMinute {
		t.Errorf("%d credentials are remembered, want those of two minutes", count)
	}
	for i := range 3 * maxCallers {
		n.add(crier.ID("in one minute "+strconv.Itoa(i)), later(50*time.Minute))
	}
	if count := len(n.last); count > maxCallers {
		t.Errorf("%d credentials of one minute are remembered", count)
	}
}

func TestNotedUsesOfManyRequestsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	var n recentUses
	var noted atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			if n.add("a", noon) {
				noted.Add(1)
			}
		})
	}
	all.Wait()
	if noted.Load() != 1 {
		t.Errorf("%d of 32 requests at once are noted", noted.Load())
	}
}

func TestKnownCallersAreForgottenWhenTheyMayHaveChanged(t *testing.T) {
	t.Parallel()
	expires := later(500 * time.Millisecond)
	var k callerCache
	k.put([]byte("key"), cachedCaller{Caller: Caller{id: "1"}, at: noon, changes: 7})
	k.put([]byte("ending"), cachedCaller{at: noon, changes: 7,
		Caller: Caller{id: "2", credential: crier.Credential{ExpiresAt: &expires}}})
	for _, c := range []struct {
		name, hash string
		at         crier.Time
		changes    int64
		want       bool
	}{
		{"at once", "key", noon, 7, true},
		{"within a second", "key", later(callerTTL - 1), 7, true},
		{"after a second", "key", later(callerTTL), 7, false},
		{"before it was read", "key", later(-1), 7, false}, // the clock was set back
		{"after a credential changed", "key", noon, 8, false},
		{"of somebody else", "other", noon, 7, false},
		{"before it ends", "ending", later(499 * time.Millisecond), 7, true},
		{"when it ends", "ending", expires, 7, false},
	} {
		found, ok := k.get([]byte(c.hash), c.at, c.changes)
		if ok != c.want || ok && found.id == "" {
			t.Errorf("%s: known %t, want %t", c.name, ok, c.want)
		}
	}
	for i := range maxCallers + 1 {
		k.put([]byte(strconv.Itoa(i)), cachedCaller{at: noon})
	}
	if len(k.byHash) > maxCallers {
		t.Errorf("%d callers are remembered", len(k.byHash))
	}
}

func TestWhatWasReadAheadIsTrueForAMoment(t *testing.T) {
	t.Parallel()
	ahead := &Lookahead{TeamID: "t"}
	for _, c := range []struct {
		name   string
		caller Caller
		now    crier.Time
		want   *Lookahead
	}{
		{"nothing", Caller{readAt: noon}, noon, nil},
		{"at once", Caller{ahead: ahead, readAt: noon}, noon, ahead},
		{"a moment later", Caller{ahead: ahead, readAt: noon}, later(callerTTL - 1), ahead},
		{"after a slow upload", Caller{ahead: ahead, readAt: noon}, later(callerTTL), nil},
	} {
		if got := c.caller.aheadAt(c.now); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
