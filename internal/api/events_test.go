package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier"
)

// listening is a site that serves streams.
type listening struct {
	*site
	address string
	events  string
}

func newListening(t *testing.T) *listening {
	t.Helper()
	s := &listening{site: newSite(t)}
	server := httptest.NewServer(s)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.services.Events.Log().Run(ctx) }()
	t.Cleanup(func() {
		s.services.Events.Log().Close()
		server.Close()
		stop()
		<-ended
	})
	s.address = server.URL
	s.events = server.URL + "/v1/organizations/" + string(s.tenant.OrganizationID) + "/events"
	return s
}

func (s *listening) call(t *testing.T, method, address, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	requireNoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.tenant.APIKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	requireNoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func (s *listening) draft(t *testing.T, title string) {
	t.Helper()
	answer := s.call(t, http.MethodPost, s.address+"/v1/teams/"+string(s.tenant.TeamID)+"/posts",
		`{"title":"`+title+`"}`)
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("status %d", answer.StatusCode)
	}
}

// frame is one Server-Sent Event.
type frame struct{ id, name, data, comment string }

// frames reads a stream until it ends.
func frames(body io.Reader) <-chan frame {
	out := make(chan frame, 100)
	go func() {
		defer close(out)
		var f frame
		for lines := bufio.NewScanner(body); lines.Scan(); {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "id":
				f.id = value
			case "event":
				f.name = value
			case "data":
				f.data = value
			default:
				if lines.Text() == "" {
					out <- f
					f = frame{}
				} else {
					f.comment = lines.Text()
				}
			}
		}
	}()
	return out
}

func next(t *testing.T, stream <-chan frame) frame {
	t.Helper()
	select {
	case f, ok := <-stream:
		if !ok {
			t.Fatal("the stream has ended")
		}
		return f
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing came")
	}
	return frame{}
}

func event(t *testing.T, f frame) (crier.Event, crier.Post) {
	t.Helper()
	var e crier.Event
	var p crier.Post
	requireNoError(t, json.Unmarshal([]byte(f.data), &e))
	requireNoError(t, json.Unmarshal(e.Data.Object, &p))
	if string(e.ID) != f.id || f.name != "" {
		t.Errorf("the event %s has the id %s and the name %q", e.ID, f.id, f.name)
	}
	return e, p
}

func TestStreamResumesAfterTheLastEvent(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	s.draft(t, "Before")
	answer := s.call(t, http.MethodGet, s.events+"/stream?types=post.created", "")
	if got := answer.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	first := frames(answer.Body)
	begin := next(t, first)
	if begin.comment == "" || begin.id == "" || begin.data != "" {
		t.Errorf("the stream begins with %+v", begin)
	}
	s.draft(t, "One")
	seen := next(t, first)
	if e, p := event(t, seen); e.Type != crier.PostCreated || *p.Title != "One" || *e.TeamID != s.tenant.TeamID {
		t.Errorf("got %+v", e)
	}
	_ = answer.Body.Close()
	s.draft(t, "Two")
	for last, want := range map[string]string{seen.id: "Two", begin.id: "One"} {
		again := frames(s.call(t, http.MethodGet, s.events+"/stream?types=post.created", "", "Last-Event-ID",
			last).Body)
		next(t, again)
		if _, p := event(t, next(t, again)); *p.Title != want {
			t.Errorf("behind %s comes %q, want %q", last, *p.Title, want)
		}
	}
}

// TestStreamAfterTheOverviewMissesNothing does what a page does: it reads the overview, then its content, and then
// starts to listen.
func TestStreamAfterTheOverviewMissesNothing(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	s.draft(t, "Before")
	var overview crier.AgentContext
	body := s.call(t, http.MethodGet, s.address+"/v1/agent/context", "").Body
	requireNoError(t, json.NewDecoder(body).Decode(&overview))
	s.draft(t, "Meanwhile")
	stream := frames(s.call(t, http.MethodGet, s.events+"/stream", "", "Last-Event-ID",
		overview.Organizations[0].EventCursor).Body)
	if begin := next(t, stream); begin.name != "" || begin.data != "" {
		t.Errorf("the stream begins with %+v", begin)
	}
	if e, p := event(t, next(t, stream)); e.Type != crier.PostCreated || *p.Title != "Meanwhile" {
		t.Errorf("got %+v", e)
	}
}

// Proxies treat a stream that is silent for longer as dead. The test waits as long as a proxy would.
func TestStreamHeartbeatEveryFifteenSeconds(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	stream := frames(s.call(t, http.MethodGet, s.events+"/stream", "").Body)
	begin, start := next(t, stream), time.Now()
	select {
	case beat := <-stream:
		if after := time.Since(start); after < 14*time.Second {
			t.Errorf("the first beat came after %v", after)
		}
		if beat.comment == "" || beat.data != "" || beat.name != "" || beat.id == "" {
			t.Errorf("the beat is %+v, want a comment and where to go on after %+v", beat, begin)
		}
	case <-time.After(30 * time.Second):
		t.Error("no beat came within 30 s")
	}
}

func TestStreamReportsExpiredEvents(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	stream := frames(s.call(t, http.MethodGet, s.events+"/stream", "", "Last-Event-ID", string(crier.NewID())).Body)
	if f := next(t, stream); f.name != "reset" || f.id == "" {
		t.Errorf("got %+v", f)
	}
	for after, want := range map[string]int{"nonsense": http.StatusBadRequest} {
		if got := s.call(t, http.MethodGet, s.events+"/stream?after="+after, "").StatusCode; got != want {
			t.Errorf("after %s: status %d, want %d", after, got, want)
		}
	}
}

func TestStreamEndsWhenTheKeyIsRevoked(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	keys := s.address + "/v1/organizations/" + string(s.tenant.OrganizationID) + "/api-keys"
	var key crier.APIKeyWithSecret
	requireNoError(t, json.NewDecoder(s.call(t, http.MethodPost, keys, `{"name":"Listener","role":"viewer"}`).
		Body).Decode(&key))
	answer := s.call(t, http.MethodGet, s.events+"/stream", "", "Authorization", "Bearer "+key.Secret)
	stream := frames(answer.Body)
	next(t, stream)
	s.call(t, http.MethodDelete, keys+"/"+string(key.ID), "")
	for {
		select {
		case f, more := <-stream:
			if !more {
				return
			}
			if strings.Contains(f.data, "api_key") {
				t.Errorf("a viewer saw %s", f.data)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the stream goes on")
		}
	}
}

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	stream := frames(s.call(t, http.MethodGet, s.events+"/stream", "").Body)
	next(t, stream)
	s.services.Events.Log().Close()
	select {
	case _, more := <-stream:
		if more {
			t.Error("something came")
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the stream goes on")
	}
}

func TestEventListRejectsUnknownParameters(t *testing.T) {
	t.Parallel()
	s := newListening(t)
	for _, query := range []string{"types=post.made", "limit=0", "limit=101", "after=x", "teamId=1"} {
		if got := s.call(t, http.MethodGet, s.events+"?"+query, "").StatusCode; got != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, got)
		}
	}
}
