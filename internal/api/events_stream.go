package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
)

type streamEventsInput struct {
	organizationPath
	eventFilters
	After string `query:"after" maxLength:"4096" doc:"The id of the last event seen, or a cursor of the list, for a first connection. Last-Event-ID, which browsers send when they reconnect, takes precedence."`
}

var streamEventsDoc = doc{
	ID: "streamEvents", Tag: "Events", Summary: "Follow events", Long: true,
	Description: "Server-Sent Events: each has the event's id as `id` and the event, as in the list, as `data`; " +
		"there is no `event` field, so that a browser's `onmessage` gets all of them. Without events, a comment " +
		"is sent every 15 seconds with an `id` to resume from.\n" +
		"\n" +
		"With `Last-Event-ID` the stream resumes after that event; without, it starts now. If that event is no " +
		"longer kept, an event named `reset` comes first: events may have been missed, so reload what you show. " +
		"The stream ends when the caller loses permission.",
}

func (in *streamEventsInput) check(*Server) []crier.Issue { return in.read() }

func (s *Server) streamEvents(_ context.Context, _ access.OrgScope, in *streamEventsInput) (*eventStream, error) {
	return &eventStream{server: s, in: in}, nil
}

// eventStream is a response that streams events.
type eventStream struct {
	server *Server
	in     *streamEventsInput
}

// serve sends events until the caller disconnects, or loses permission.
func (e *eventStream) serve(w http.ResponseWriter, r *http.Request) {
	s, q := e.server, e.in.query
	q.After = e.in.After
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q.After = last
	}
	ask := func(ctx context.Context) (access.OrgScope, error) {
		c, err := s.authenticate(r.WithContext(ctx))
		if err != nil {
			return access.OrgScope{}, err
		}
		return s.services.Access.Organization(ctx, c, e.in.OrganizationID, crier.Read)
	}
	stream, err := s.services.Events.Follow(r.Context(), q, ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer stream.Close()
	infoOf(r).err = stream.Run(r.Context(), &sseWriter{w: w, connection: http.NewResponseController(w)})
}

// sseWriter writes Server-Sent Events.
type sseWriter struct {
	w          http.ResponseWriter
	connection *http.ResponseController
}

// Begin sends the headers. An id without data sets a browser's position without an event.
func (s *sseWriter) Begin(missed bool, cursor string) error {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no") // proxies must not hold events back
	s.w.WriteHeader(http.StatusOK)
	if missed {
		return s.send("event: reset\nid: ", cursor, "\ndata: {}\n\n")
	}
	return s.send(": listening\nid: ", cursor, "\n\n")
}

// Event sends an event. Its text is shared by all listeners, without copies.
func (s *sseWriter) Event(id crier.ID, event []byte) error {
	return s.sendParts([]byte("id: "+string(id)+"\ndata: "), event, []byte("\n\n"))
}

// Heartbeat shows that the stream is alive.
func (s *sseWriter) Heartbeat(cursor string) error {
	return s.send(": still here\nid: ", cursor, "\n\n")
}

func (s *sseWriter) send(parts ...string) error { return s.sendParts([]byte(strings.Join(parts, ""))) }

// sendParts writes parts and flushes them. A caller that reads nothing for a while is disconnected.
func (s *sseWriter) sendParts(parts ...[]byte) error {
	// Test recorders have no deadlines.
	_ = s.connection.SetWriteDeadline(time.Now().Add(idleTimeout)) //nolint:forbidigo // a socket's deadline is the machine's
	for _, part := range parts {
		if _, err := s.w.Write(part); err != nil {
			return err
		}
	}
	return s.connection.Flush()
}
