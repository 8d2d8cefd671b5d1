package events

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// testLog is a log that the test itself reads, so that nothing depends on time.
type testLog struct {
	*Log
	f *storetest.Fixture
}

func newTestLog(f *storetest.Fixture) *testLog {
	return &testLog{Log: NewLog(f.Store, slog.New(slog.DiscardHandler)), f: f}
}

// record writes events of an organization, numbered from first.
func (l *testLog) record(organization crier.ID, first, count int) {
	l.f.Tx(func(_ context.Context, tx *store.Tx) error {
		for i := range count {
			if err := Record(tx, noon, Fact{Type: crier.MemberJoined, OrganizationID: organization,
				Object: thing{ID: first + i}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// pass sequences all events and delivers them.
func (l *testLog) pass(t *testing.T) {
	t.Helper()
	if err := l.sequence(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.read(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (l *testLog) listen(t *testing.T, organization crier.ID) *Listener {
	t.Helper()
	s, err := l.Listen(t.Context(), organization)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// receivedIDs returns the numbers of all events that a listener has received, without waiting for more.
func receivedIDs(t *testing.T, s *Listener) (ids []int) {
	t.Helper()
	for {
		select {
		case <-s.Wait():
		default:
			return ids
		}
		e, ok := s.Next()
		if !ok {
			return ids
		}
		ids = append(ids, numberOf(t, e))
	}
}

func numberOf(t *testing.T, e *Entry) int {
	t.Helper()
	var object thing
	if err := json.Unmarshal(e.Data.Object, &object); err != nil {
		t.Fatal(err)
	}
	return object.ID
}

// ended reports whether a listener has been closed.
func ended(s *Listener) bool {
	select {
	case <-s.Wait():
		_, ok := s.Next()
		return !ok
	default:
		return false
	}
}

func TestListenerReceivesOnlyNewEventsOfItsOrganization(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours, theirs := newTestLog(f), f.Organization.ID, f.NewOrganization("Other").ID
		l.record(ours, 1, 2)
		l.pass(t)
		if l.Reads() != 0 {
			t.Errorf("the table was read %d times for nobody", l.Reads())
		}
		s := l.listen(t, ours)
		defer s.Close()
		l.record(theirs, 50, 1)
		l.record(ours, 3, 1)
		l.record(theirs, 51, 1)
		l.record(ours, 4, 1)
		l.pass(t)
		other := l.listen(t, theirs)
		defer other.Close()
		if got := receivedIDs(t, s); !slices.Equal(got, []int{3, 4}) {
			t.Errorf("heard of %v", got)
		}
		l.record(ours, 5, 1)
		l.record(theirs, 52, 1)
		l.pass(t)
		if got := receivedIDs(t, s); !slices.Equal(got, []int{5}) {
			t.Errorf("heard of %v", got)
		}
		if got := receivedIDs(t, other); !slices.Equal(got, []int{52}) {
			t.Errorf("the other heard of %v", got)
		}
	})
}

// A reader that lists the existing events and then follows must neither miss an event nor see one twice.
func TestListenerReceivesEverythingAfterFrom(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		l.record(ours, 1, 3)
		if err := l.sequence(t.Context()); err != nil {
			t.Fatal(err)
		}
		early := l.listen(t, ours)
		defer early.Close()
		l.record(ours, 4, 2)
		if err := l.sequence(t.Context()); err != nil {
			t.Fatal(err)
		}
		late := l.listen(t, ours) // before 4 and 5 were delivered: it gets them, and From says so
		defer late.Close()
		l.pass(t)
		last := l.listen(t, ours)
		defer last.Close()
		for name, c := range map[string]struct {
			s    *Listener
			from int64
			want []int
		}{"early": {early, 3, []int{4, 5}}, "late": {late, 3, []int{4, 5}}, "last": {last, 5, nil}} {
			if got := receivedIDs(t, c.s); c.s.From != c.from || !slices.Equal(got, c.want) {
				t.Errorf("%s: from %d on, heard of %v; want %d and %v", name, c.s.From, got, c.from, c.want)
			}
		}
	})
}

func TestListenersShareOneReader(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		var listeners []*Listener
		for range 20 {
			s := l.listen(t, ours)
			defer s.Close()
			listeners = append(listeners, s)
		}
		l.record(ours, 1, 3)
		l.pass(t)
		if l.Reads() != 1 {
			t.Errorf("the table was read %d times", l.Reads())
		}
		var first *Entry
		for i, s := range listeners {
			e, ok := s.Next()
			if !ok || first != nil && e != first {
				t.Fatalf("listener %d has %v: the entry was not made once for all", i, e)
			}
			first = e
		}
	})
}

func TestBacklogOfManyBatchesIsDelivered(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		s := l.listen(t, ours)
		defer s.Close()
		const count = 2*readBatch + 1
		l.record(ours, 0, count)
		l.pass(t)
		got := receivedIDs(t, s)
		if len(got) != count || !slices.IsSorted(got) || got[0] != 0 || got[count-1] != count-1 {
			t.Errorf("heard of %d events", len(got))
		}
		if l.Reads() != 3 {
			t.Errorf("it took %d reads", l.Reads())
		}
	})
}

func TestEventsWithoutListenersAreNotReplayed(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		s := l.listen(t, ours)
		l.record(ours, 1, 1)
		l.pass(t)
		s.Close()
		l.record(ours, 2, 1)
		l.pass(t)
		again := l.listen(t, ours)
		defer again.Close()
		l.record(ours, 3, 1)
		l.pass(t)
		if got := receivedIDs(t, again); !slices.Equal(got, []int{3}) || again.From != 2 {
			t.Errorf("heard of %v behind %d", got, again.From)
		}
		if len(l.topics) != 1 || l.listeners != 1 {
			t.Errorf("%d topics and %d listeners are kept", len(l.topics), l.listeners)
		}
	})
}

// Events read for a position that has moved meanwhile would be delivered twice.
func TestEventsReadForAnEarlierPositionAreDropped(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		s := l.listen(t, ours)
		defer s.Close()
		l.record(ours, 1, 2)
		l.pass(t)
		list, err := l.store.EventsAfter(t.Context(), 0, readBatch)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.distribute(0, list); err != nil {
			t.Fatal(err)
		}
		if got := receivedIDs(t, s); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("heard of %v", got)
		}
	})
}

func TestUnreadableEventDoesNotStopTheLog(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		s := l.listen(t, ours)
		defer s.Close()
		l.f.Tx(func(_ context.Context, tx *store.Tx) error {
			for i, data := range []string{`{"object":{"id":1}}`, `damaged`, `{"object":{"id":3}}`} {
				tx.RecordEvents(store.NewEvent{ID: crier.NewID(), Type: crier.MemberJoined, OrganizationID: ours,
					Data: []byte(data), CreatedAt: crier.TimeOf(noon.Add(time.Duration(i)))})
			}
			return nil
		})
		if err := l.sequence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := l.read(t.Context()); err == nil {
			t.Error("nobody is told of the damage")
		}
		if err := l.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := receivedIDs(t, s); !slices.Equal(got, []int{1, 3}) {
			t.Errorf("heard of %v", got)
		}
	})
}

// deliverSynthetic delivers synthetic events of an organization.
func (l *testLog) deliverSynthetic(t *testing.T, organization crier.ID, count int) {
	t.Helper()
	list := make([]store.Event, count)
	for i := range list {
		list[i] = store.Event{Event: crier.Event{Sequence: l.position + int64(i) + 1, OrganizationID: organization},
			Data: []byte(`{"object":{}}`)}
	}
	if err := l.distribute(l.position, list); err != nil {
		t.Fatal(err)
	}
}

func TestSlowListenerIsDisconnected(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	l, ours, theirs := newTestLog(f), f.Organization.ID, crier.ID("other")
	slow, quick, other := l.listen(t, ours), l.listen(t, ours), l.listen(t, theirs)
	for _, s := range []*Listener{slow, quick, other} {
		defer s.Close()
	}
	l.deliverSynthetic(t, theirs, 1)
	l.deliverSynthetic(t, ours, maxLag)
	if _, ok := slow.Next(); !ok {
		t.Error("it was cut off at the limit")
	}
	for range 3 {
		if _, ok := quick.Next(); !ok {
			t.Fatal("the other listener was cut off")
		}
	}
	l.deliverSynthetic(t, ours, 2)
	if !ended(slow) {
		t.Error("it was not cut off behind the limit")
	}
	if ended(quick) || ended(other) {
		t.Error("a listener that is near enough was cut off")
	}
}

func TestClosedLogEndsCurrentAndLaterListeners(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		s, idle := l.listen(t, ours), l.listen(t, "without events")
		defer s.Close()
		defer idle.Close()
		l.record(ours, 1, 1)
		l.pass(t)
		l.Close()
		l.Close() // a second time is harmless
		l.record(ours, 2, 1)
		l.pass(t)
		if got := receivedIDs(t, s); !slices.Equal(got, []int{1}) {
			t.Errorf("heard of %v: what was told before the end stays", got)
		}
		same, another := l.listen(t, ours), l.listen(t, "another")
		defer same.Close()
		defer another.Close()
		for i, s := range []*Listener{s, idle, same, another} {
			if !ended(s) {
				t.Errorf("listener %d waits for ever", i)
			}
		}
	})
}

// A listener takes a moment to notice the end, and a full batch may be waiting: it must not be read repeatedly.
func TestClosedLogStopsReading(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		l, ours := newTestLog(f), f.Organization.ID
		s := l.listen(t, ours)
		defer s.Close()
		l.record(ours, 1, readBatch)
		l.Close()
		if err := l.sequence(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute) // only an endless read would reach it
		defer stop()
		if err := l.read(ctx); err != nil {
			t.Errorf("it was read %d times: %v", l.Reads(), err)
		}
	})
}

func TestEveryNodeFollowsTheLog(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		f := storetest.NewFixture(t, db.Open(t))
		nodes := []*testLog{newTestLog(f)}
		if db.Dialect == store.Postgres { // SQLite has one node
			nodes = append(nodes, &testLog{Log: NewLog(db.Open(t), slog.New(slog.DiscardHandler)), f: f})
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		var loops sync.WaitGroup
		defer loops.Wait()
		defer stop()
		var listeners []*Listener
		signs := make([]<-chan struct{}, len(nodes))
		for i, n := range nodes {
			listeners, signs[i] = append(listeners, n.listen(t, f.Organization.ID)), n.Watch()
			defer listeners[i].Close()
			loops.Go(func() { n.Run(ctx) })
		}
		const count = 10
		for i := range count {
			nodes[0].record(f.Organization.ID, i, 1)
		}
		for n, s := range listeners {
			for i := range count {
				select {
				case <-s.Wait():
				case <-ctx.Done():
					t.Fatalf("node %d does not hear of event %d", n, i)
				}
				if e, ok := s.Next(); !ok || numberOf(t, e) != i {
					t.Fatalf("node %d heard of %v instead of event %d", n, e, i)
				}
			}
			select {
			case <-signs[n]:
			case <-ctx.Done():
				t.Errorf("whoever watches node %d is not told", n)
			}
		}
	})
}

func TestLogRecoversFromDatabaseErrors(t *testing.T) {
	t.Parallel()
	st := databases.Fresh(t, store.SQLite).Open(t)
	l := NewLog(st, slog.New(slog.DiscardHandler))
	s, err := l.Listen(t.Context(), "organization")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := l.read(gone); err == nil {
		t.Error("a failed read is no error")
	}
	if _, err := l.Listen(gone, "organization"); err == nil {
		t.Error("one listens to a log that cannot be read")
	}
	if l.listeners != 1 {
		t.Errorf("%d listeners are counted", l.listeners)
	}
	if err := l.read(t.Context()); err != nil {
		t.Errorf("the log does not recover: %v", err)
	}
	l.Run(gone) // returns, because its context has ended
}

func TestWakeUpsAreCoalesced(t *testing.T) {
	t.Parallel()
	l := NewLog(nil, slog.New(slog.DiscardHandler))
	first, second := l.Watch(), l.Watch()
	for range 3 {
		l.wakeUp()
	}
	for i, sign := range []<-chan struct{}{first, second} {
		if len(sign) != 1 {
			t.Errorf("watcher %d has %d signs", i, len(sign))
		}
	}
	<-first
	l.wakeUp()
	if len(first) != 1 || len(second) != 1 || len(l.wake) != 1 {
		t.Errorf("there are %d, %d and %d signs", len(first), len(second), len(l.wake))
	}
}
