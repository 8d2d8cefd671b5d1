package events

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"crier"
	"crier/internal/store"
)

const (
	// tick is the interval at which a node polls the log without a notification.
	tick = time.Second
	// sequencePause and readPause bound how often a node sequences and reads events in a burst.
	sequencePause = 20 * time.Millisecond
	readPause     = 20 * time.Millisecond
	readBatch     = 500
	// maxLag is how many events of its organization a listener may lag behind before it is disconnected.
	maxLag = 10_000
)

// Log follows the event log for one node: it sequences new events, and reads them once for all listeners.
type Log struct {
	store *store.Store
	log   *slog.Logger
	wake  chan struct{}
	reads atomic.Int64

	mu        sync.Mutex
	closed    bool
	position  int64 // everything up to here was delivered
	listeners int
	topics    map[crier.ID]*topic
	watchers  []chan struct{}
}

// topic is the list of an organization's events.
type topic struct {
	tail      *node
	listeners int
}

// node is a place in the list of an organization's events. Listeners wait at the last one.
type node struct {
	// passed is closed when entry and next are set, or when the log has ended, with next being nil.
	passed chan struct{}
	entry  *Entry
	next   *node
	count  int64
}

// Entry is an event of the log, encoded once for all listeners.
type Entry struct {
	crier.Event
	JSON []byte
}

// NewEntry encodes a stored event.
func NewEntry(e store.Event) (*Entry, error) {
	shown, err := Shown(e)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("encode the event %s: %w", e.ID, err)
	}
	return &Entry{Event: shown, JSON: data}, nil
}

// NewLog returns the log of a node; Run follows it.
func NewLog(s *store.Store, log *slog.Logger) *Log {
	return &Log{store: s, log: log, wake: make(chan struct{}, 1), topics: map[crier.ID]*topic{}}
}

// Reads returns how many times the table was read for listeners.
func (l *Log) Reads() int64 { return l.reads.Load() }

// Run follows the log until ctx ends.
func (l *Log) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { l.sequenceLoop(ctx) })
	loops.Go(func() { l.listenLoop(ctx) })
	loops.Go(func() { l.readLoop(ctx) })
	loops.Wait()
}

// sequenceLoop sequences events soon after this node has committed them, and periodically those of nodes that died
// before doing so.
func (l *Log) sequenceLoop(ctx context.Context) {
	if l.store.Dialect() == store.SQLite {
		l.onSign(ctx, l.store.EventsWritten(), 0, func(context.Context) error {
			l.wakeUp()
			return nil
		})
		return
	}
	l.onSign(ctx, l.store.EventsWritten(), sequencePause, l.sequence)
}

func (l *Log) sequence(ctx context.Context) error {
	for {
		assigned, err := l.store.SequenceEvents(ctx)
		if err != nil || assigned == 0 {
			return err
		}
		l.wakeUp()
	}
}

// listenLoop is notified of events that other nodes have sequenced. Without it they are seen at the next tick.
func (l *Log) listenLoop(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.store.ListenForEvents(ctx, l.wakeUp, l.wakeUp)
		if ctx.Err() == nil {
			l.log.WarnContext(ctx, "cannot listen for events; polling every second", "error", err)
			pause(ctx, tick)
		}
	}
}

func (l *Log) readLoop(ctx context.Context) { l.onSign(ctx, l.wake, readPause, l.read) }

// onSign calls fn after a signal and at every tick, with a pause in between.
func (l *Log) onSign(ctx context.Context, sign <-chan struct{}, between time.Duration, fn func(context.Context) error) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sign:
		case <-ticker.C:
		}
		if err := fn(ctx); err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "could not follow the event log", "error", err)
		}
		pause(ctx, between)
	}
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// wakeUp triggers a read of the log, and notifies its watchers.
func (l *Log) wakeUp() {
	signal(l.wake)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.watchers {
		signal(w)
	}
}

func signal(sign chan struct{}) {
	select {
	case sign <- struct{}{}:
	default: // one is already pending
	}
}

// Watch receives when there may be new events.
func (l *Log) Watch() <-chan struct{} {
	sign := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers = append(l.watchers, sign)
	return sign
}

// read delivers new events. Without listeners, or after Close, nothing is read.
func (l *Log) read(ctx context.Context) error {
	for {
		l.mu.Lock()
		from, idle := l.position, l.listeners == 0 || l.closed
		l.mu.Unlock()
		if idle {
			return nil
		}
		l.reads.Add(1)
		list, err := l.store.EventsAfter(ctx, from, readBatch)
		if err != nil {
			return err
		}
		if err := l.distribute(from, list); err != nil || len(list) < readBatch {
			return err
		}
	}
}

// distribute appends events to the lists of their organizations, unless the position changed while they were read.
func (l *Log) distribute(from int64, list []store.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.position != from || l.closed {
		return nil
	}
	for _, e := range list {
		l.position = e.Sequence
		t := l.topics[e.OrganizationID]
		if t == nil {
			continue
		}
		entry, err := NewEntry(e)
		if err != nil {
			return err
		}
		last := t.tail
		t.tail = &node{passed: make(chan struct{}), count: last.count + 1}
		last.entry, last.next = entry, t.tail
		close(last.passed)
	}
	return nil
}

// Listener follows the events of one organization. It is used by one goroutine.
type Listener struct {
	log          *Log
	organization crier.ID
	at           *node
	// From is the sequence after which this listener receives every event.
	From int64
}

// Listen starts to follow the events of an organization. The listener must be closed.
func (l *Log) Listen(ctx context.Context, organization crier.ID) (*Listener, error) {
	present, err := l.store.EventLog(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listeners == 0 {
		l.position = max(l.position, present.Last) // there were no listeners
	}
	t := l.topics[organization]
	if t == nil {
		t = &topic{tail: &node{passed: make(chan struct{})}}
		if l.closed {
			close(t.tail.passed)
		}
		l.topics[organization] = t
	}
	t.listeners++
	l.listeners++
	return &Listener{log: l, organization: organization, at: t.tail, From: l.position}, nil
}

// Wait returns a channel that is closed when Next has a result.
func (s *Listener) Wait() <-chan struct{} { return s.at.passed }

// Next returns the event that Wait announced; ok is false when the log was closed or the listener lagged too far
// behind.
func (s *Listener) Next() (e *Entry, ok bool) {
	if s.at.next == nil || s.lags() {
		return nil, false
	}
	e, s.at = s.at.entry, s.at.next
	return e, true
}

func (s *Listener) lags() bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.topics[s.organization].tail.count-s.at.count > maxLag
}

// Close ends the listener.
func (s *Listener) Close() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.listeners--
	t := s.log.topics[s.organization]
	if t.listeners--; t.listeners == 0 {
		delete(s.log.topics, s.organization)
	}
}

// Close ends all current and future listeners.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for _, t := range l.topics {
		close(t.tail.passed)
	}
}
