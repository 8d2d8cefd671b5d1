package publish

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"crier"
	"crier/internal/store"
)

// admitted returns how many of count publications of an account are admitted.
func admitted(l *accountLimiter, account crier.ID, count int) (n int) {
	for range count {
		if l.admit(account) {
			n++
		}
	}
	return n
}

func TestAdmitBoundsThePublicationsOfAnAccount(t *testing.T) {
	t.Parallel()
	const most = maxAccountCalls + maxAccountWaiting
	l, one, other := newAccountLimiter(), crier.NewID(), crier.NewID()
	if n := admitted(l, one, most+50); n != most {
		t.Errorf("admitted %d of one account, want %d", n, most)
	}
	if n := admitted(l, other, 10); n != 10 || l.running() != most+10 {
		t.Errorf("admitted %d of another account, %d in all", n, l.running())
	}
	l.leave(one)
	if n := admitted(l, one, 5); n != 1 {
		t.Errorf("admitted %d after one left", n)
	}
}

func TestAdmitHasALowerBoundOnACrowdedNode(t *testing.T) {
	t.Parallel()
	const crowded = maxAccountCalls + crowdedAccountWaiting
	l, others := newAccountLimiter(), []crier.ID{}
	for l.running() < crowdedThreshold-1 {
		others = append(others, crier.NewID())
		l.admit(others[len(others)-1])
	}
	account := crier.NewID()
	if n := admitted(l, account, 1000); n != crowded {
		t.Errorf("admitted %d on a crowded node, want %d", n, crowded)
	}
	for _, other := range others {
		l.leave(other)
	}
	if n := admitted(l, account, 1000); n != maxAccountCalls+maxAccountWaiting-crowded || l.running() !=
		maxAccountCalls+maxAccountWaiting {
		t.Errorf("admitted %d more afterwards, %d in all", n, l.running())
	}
}

func TestAcquireBoundsTheCallsOfAnAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, account, start := newAccountLimiter(), crier.NewID(), time.Now()
		var release func()
		for range maxAccountCalls {
			var err error
			if release, err = l.acquire(t.Context(), account); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.acquire(t.Context(), crier.NewID()); err != nil || !time.Now().Equal(start) {
			t.Errorf("another account: %v after %v", err, time.Since(start))
		}
		if _, err := l.acquire(t.Context(), account); !errors.Is(err, errAccountBusy) ||
			time.Since(start) != maxCallWait {
			t.Errorf("behind slow calls: %v after %v", err, time.Since(start))
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.acquire(ended, account); !errors.Is(err, context.Canceled) {
			t.Errorf("for a job that has ended: %v", err)
		}
		time.AfterFunc(time.Second, release)
		start = time.Now()
		if _, err := l.acquire(t.Context(), account); err != nil || time.Since(start) != time.Second {
			t.Errorf("after a call has ended: %v after %v", err, time.Since(start))
		}
		time.AfterFunc(time.Second, l.close)
		if _, err := l.acquire(t.Context(), account); !errors.Is(err, errClosing) || !l.closing() {
			t.Errorf("on a node that stops: %v", err)
		}
	})
}

func TestFreeCallIsMadeEvenByANodeThatStops(t *testing.T) {
	t.Parallel()
	l := newAccountLimiter()
	l.close()
	for range 50 { // a choice at random would fail some of them
		if _, err := l.acquire(t.Context(), crier.NewID()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPauseSpreadsTheReturnOfThePostponed(t *testing.T) {
	t.Parallel()
	l, account := newAccountLimiter(), crier.NewID()
	within := func(least, most time.Duration) {
		t.Helper()
		for range 100 {
			if pause := l.pause(); pause < least || pause > most {
				t.Errorf("with %d refused the pause is %v", l.refused, pause)
			}
		}
	}
	within(250*time.Millisecond, 750*time.Millisecond)
	admitted(l, account, maxAccountCalls+maxAccountWaiting+100)
	within(750*time.Millisecond, 2250*time.Millisecond)
	for range 100 {
		l.leave(account)
	}
	within(250*time.Millisecond, 750*time.Millisecond)
}

func TestPublicationBehindSlowCallsIsPostponed(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		p := f.insert(t)
		f.Publisher.limiter.timeout = time.Millisecond
		var release func()
		for range maxAccountCalls {
			var err error
			if release, err = f.Publisher.limiter.acquire(t.Context(), f.account.ID); err != nil {
				t.Fatal(err)
			}
		}
		next := f.step(t, p.ID)
		if got := f.read(t, p.ID); got.Status != crier.Scheduled || got.LeaseOwner != nil || !next.After(f.now()) ||
			len(n.calls) > 0 || len(f.attempts(t, p)) > 0 {
			t.Errorf("%s, leased by %v, back at %v, %v", got.Status, got.LeaseOwner, next, n.calls)
		}
		release()
		f.sleep(next.Sub(f.now()))
		if p = f.run(t, p.ID); p.Status != crier.Published || len(n.calls) != 1 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
	})
}
