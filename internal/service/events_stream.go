package service

import (
	"context"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
)

const (
	// heartbeat is the interval of heartbeats on an idle stream.
	heartbeat = 15 * time.Second
	// askAgain is the interval at which a stream's permission is checked without a known change.
	askAgain = time.Minute
)

// EventSink receives the events of a stream.
type EventSink interface {
	// Begin is called first. missed is true when the last event that the caller saw is no longer kept, so events may be
	// missing. The cursor resumes here.
	Begin(missed bool, cursor string) error
	// Event is called with an event as JSON.
	Event(id crier.ID, event []byte) error
	// Heartbeat is called after a while without events. The cursor resumes here.
	Heartbeat(cursor string) error
}

// EventStream follows the events of an organization for one caller.
type EventStream struct {
	events   *Events
	query    EventQuery
	scope    access.OrgScope
	view     view
	listener *events.Listener
	at       int64
	missed   bool
	// ask checks again that the caller may listen.
	ask func(context.Context) (access.OrgScope, error)
}

// Follow starts a stream after the event in the query, or with new events. ask checks that the caller may listen: now,
// when memberships or keys of the organization change, and every minute. The stream must be closed.
func (s *Events) Follow(ctx context.Context, q EventQuery,
	ask func(context.Context) (access.OrgScope, error)) (*EventStream, error) {
	q.Limit = 0
	st := &EventStream{events: s, query: q, ask: ask}
	if err := st.prove(ctx); err != nil {
		return nil, err
	}
	var err error
	if st.listener, err = s.log.Listen(ctx, st.scope.Organization().ID); err != nil {
		return nil, err
	}
	if err := st.seek(ctx); err != nil {
		st.listener.Close()
		return nil, err
	}
	return st, nil
}

// seek finds the start of the stream.
func (st *EventStream) seek(ctx context.Context) error {
	st.at = st.listener.From
	if st.query.After == "" {
		return nil
	}
	present, err := st.events.store.EventLog(ctx)
	if err != nil {
		return err
	}
	at, gone, err := st.events.position(ctx, st.scope.Organization().ID, st.query, present)
	if err != nil {
		return err
	}
	if st.missed = gone; !gone {
		st.at = at
	}
	return nil
}

// cursor leads to where the stream is: who was cut off goes on there.
func (st *EventStream) cursor() string {
	return st.events.cursor(st.scope.Organization().ID, st.query, st.at)
}

// Close ends the stream.
func (st *EventStream) Close() { st.listener.Close() }

func (st *EventStream) prove(ctx context.Context) error {
	scope, err := st.ask(ctx)
	if err != nil {
		return err
	}
	if err := scope.Check(); err != nil {
		return err
	}
	st.scope = scope
	st.view, err = st.events.viewOf(ctx, scope)
	return err
}

// Run sends events to the sink until ctx ends, the sink fails, the caller loses permission, or the node stops.
func (st *EventStream) Run(ctx context.Context, sink EventSink) error {
	if err := sink.Begin(st.missed, st.cursor()); err != nil {
		return err
	}
	if err := st.catchUp(ctx, sink); err != nil {
		return err
	}
	beat, ask := time.NewTicker(heartbeat), time.NewTicker(askAgain)
	defer beat.Stop()
	defer ask.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-st.listener.Wait():
			entry, ok := st.listener.Next()
			if !ok {
				return nil
			}
			beat.Reset(heartbeat)
			err = st.pass(ctx, entry, sink)
		case <-beat.C:
			err = sink.Heartbeat(st.cursor())
		case <-ask.C:
			err = st.prove(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// catchUp reads from the table what happened before the listener began to listen.
func (st *EventStream) catchUp(ctx context.Context, sink EventSink) error {
	for run := (scan{at: st.at, until: st.listener.From, more: true}); run.more && run.at < run.until; {
		run.more = false
		err := st.events.read(ctx, st.scope.Organization().ID, st.query, st.view, &run,
			func(e *events.Entry) error { return sink.Event(e.ID, e.JSON) })
		st.at = run.at
		if err != nil {
			return err
		}
	}
	return nil
}

// pass sends an event that the caller selected and may see. After an event that may change permissions, they are
// checked first.
func (st *EventStream) pass(ctx context.Context, e *events.Entry, sink EventSink) error {
	if e.Sequence <= st.at {
		return nil
	}
	st.at = e.Sequence
	if changesAccess(e.Type) {
		if err := st.prove(ctx); err != nil {
			return err
		}
	}
	if !st.query.wants(e.Event) || !st.view.sees(e.Event) {
		return nil
	}
	return sink.Event(e.ID, e.JSON)
}

func changesAccess(t crier.EventType) bool {
	return strings.HasPrefix(string(t), "member.") || strings.HasPrefix(string(t), "api_key.")
}
