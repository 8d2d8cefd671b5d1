package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier"
)

// EventOptions select events of an organization; empty fields select all.
type EventOptions struct {
	Types  []crier.EventType
	TeamID crier.ID
	// After is the nextCursor of an earlier page or the id of an event. Without it a list starts with the oldest event
	// and a stream now.
	After string
	// Limit is for pages only.
	Limit int
}

func (o EventOptions) query() url.Values {
	q := url.Values{}
	words := make([]string, len(o.Types))
	for i, t := range o.Types {
		words[i] = string(t)
	}
	set(q, "types", strings.Join(words, ","))
	set(q, "teamId", string(o.TeamID))
	set(q, "after", o.After)
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	return q
}

// ListEvents returns a page of an organization's events, oldest first.
func (c *Client) ListEvents(ctx context.Context, organization crier.ID, o EventOptions) (crier.EventPage, error) {
	return get[crier.EventPage](ctx, c, organizationPath(organization)+"/events", o.query())
}

// ErrEventsMissed means that the last seen event is no longer stored: events may be missing.
var ErrEventsMissed = errors.New("the last event seen is no longer stored; events may be missing")

// StreamEvents passes an organization's events to fn as they happen, over one connection. It returns when the
// connection ends, with the cursor to continue after; FollowEvents reconnects.
func (c *Client) StreamEvents(ctx context.Context, organization crier.ID, o EventOptions,
	fn func(crier.Event) error) (after string, err error) {
	o.Limit = 0
	request, err := c.build(ctx, request{method: http.MethodGet, path: organizationPath(organization) +
		"/events/stream",
		query: o.query(), header: http.Header{"Accept": {"text/event-stream"}}}, nil, "")
	if err != nil {
		return o.After, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return o.After, ctx.Err()
		}
		return o.After, c.unreachable(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		_, err := errorOf(answer)
		return o.After, err
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind != "text/event-stream" {
		return o.After, notCrier(answer)
	}
	stream := eventReader{after: o.After}
	err = stream.read(answer.Body, fn)
	return stream.after, err
}

// eventReader reads Server-Sent Events.
type eventReader struct {
	after          string
	id, name, data string
}

func (r *eventReader) read(body io.Reader, fn func(crier.Event) error) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // a truncated event is sent again
			return nil //nolint:nilerr // the stream has ended, for whatever reason
		}
		if err := r.readLine(strings.TrimRight(line, "\r\n"), fn); err != nil {
			return err
		}
	}
}

func (r *eventReader) readLine(line string, fn func(crier.Event) error) error {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case line == "":
		return r.dispatch(fn)
	case field == "id":
		r.id = value
	case field == "event":
		r.name = value
	case field == "data":
		r.data += value
	}
	return nil
}

func (r *eventReader) dispatch(fn func(crier.Event) error) error {
	id, name, data := r.id, r.name, r.data
	r.id, r.name, r.data = "", "", ""
	var err error
	switch {
	case name == "reset":
		err = ErrEventsMissed
	case name == "" && data != "":
		var e crier.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return fmt.Errorf("decode an event: %w", err)
		}
		err = fn(e)
	}
	if id != "" && (err == nil || errors.Is(err, ErrEventsMissed)) {
		r.after = id
	}
	return err
}

// maxReconnect is the longest pause before a stream reconnects.
const maxReconnect = 10 * time.Second

// FollowEvents passes an organization's events to fn, each once and in order, and reconnects whenever the connection
// ends. It returns when ctx ends, fn fails or the server responds with an error. missed is called when events may be
// missing.
func FollowEvents(ctx context.Context, c *Client, organization crier.ID, o EventOptions, missed func(),
	fn func(crier.Event) error) error {
	wait := time.Duration(0)
	for {
		received := false
		after, err := c.StreamEvents(ctx, organization, o, func(e crier.Event) error {
			received = true
			return fn(e)
		})
		received = received || after != o.After
		o.After = after
		_, unreachable := errors.AsType[*UnreachableError](err)
		refused, isRefusal := errors.AsType[*Error](err)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrEventsMissed):
			missed()
		case isRefusal && refused.Status < http.StatusInternalServerError &&
			refused.Status != http.StatusTooManyRequests:
			return err
		case err != nil && !unreachable && !isRefusal:
			return err
		}
		if wait = min(max(2*wait, 200*time.Millisecond), maxReconnect); received {
			wait = 0
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}
