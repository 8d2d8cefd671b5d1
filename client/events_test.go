package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"crier"
	"crier/client"
)

// streamed responds with a part of a stream that then breaks off.
func streamed(w http.ResponseWriter, text string) error {
	w.Header().Set("Content-Type", "text/event-stream")
	_, err := io.WriteString(w, text)
	return err
}

func event(id, kind string) string {
	return "id: " + id + "\ndata: {\"id\":\"" + string(team) + "\",\"type\":\"" + kind + "\"}\n\n"
}

func TestStreamParsesServerSentEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream string
		types  string
		after  string
		err    string
	}{
		"events":                      {event("a", "x") + event("b", "y"), "x y", "b", ""},
		"lines of another system":     {strings.ReplaceAll(event("a", "x"), "\n", "\r\n"), "x", "a", ""},
		"a heartbeat":                 {": beat\n\n" + event("a", "x") + ": beat\n\n", "x", "a", ""},
		"an event that is cut off":    {event("a", "x") + strings.TrimSuffix(event("b", "y"), "\n"), "x", "a", ""},
		"a line that is cut off":      {event("a", "x") + "id: b\nda", "x", "a", ""},
		"no space behind the colon":   {strings.ReplaceAll(event("a", "x"), ": ", ":"), "x", "a", ""},
		"a place without an event":    {"id: a\n\n", "", "a", ""},
		"an event of an unknown name": {"event: later\nid: a\ndata: {}\n\n" + event("b", "y"), "y", "b", ""},
		"fields of later versions":    {"retry: 5\nsomething\n" + event("a", "x"), "x", "a", ""},
		"data in two lines":           {"id: a\ndata: {\"type\":\ndata: \"x\"}\n\n", "x", "a", ""},
		"nothing":                     {"", "", "start", ""},
		"events that are missing": {"event: reset\nid: a\ndata: {}\n\n" + event("b", "y"), "", "a",
			"no longer stored"},
		"what is no event": {event("a", "x") + "id: b\ndata: <html>\n\n", "x", "a", "decode an event"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, _ := scripted(func(_ int, w http.ResponseWriter, r *http.Request) error {
				if r.URL.Query().Get("after") != "start" || r.URL.Query().Has("limit") ||
					r.Header.Get("Accept") != "text/event-stream" {
					t.Errorf("asked with %s", r.URL.RawQuery)
				}
				return streamed(w, c.stream)
			})
			var types []string
			after, err := api.StreamEvents(t.Context(), team, client.EventOptions{After: "start", Limit: 5},
				func(e crier.Event) error {
					types = append(types, string(e.Type))
					return nil
				})
			if got := strings.Join(types, " "); got != c.types || after != c.after {
				t.Errorf("heard of %q up to %q, want %q up to %q", got, after, c.types, c.after)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("the error is %v, want %q", err, c.err)
			}
		})
	}
}

// An event whose handler fails is delivered again: the cursor stays before it.
func TestUnhandledEventIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	api, _ := scripted(func(_ int, w http.ResponseWriter, _ *http.Request) error {
		return streamed(w, event("a", "x")+event("b", "y")+event("c", "z"))
	})
	failed := errors.New("the disk is full")
	after, err := api.StreamEvents(t.Context(), team, client.EventOptions{}, func(e crier.Event) error {
		if e.Type == "y" {
			return failed
		}
		return nil
	})
	if !errors.Is(err, failed) || after != "a" {
		t.Errorf("stopped behind %q with %v", after, err)
	}
}

func TestSelectionOfEventsIsSent(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]client.EventOptions{
		"": {},
		"after=c&limit=3&teamId=" + string(team) + "&types=post.created%2Cpost.deleted": {After: "c", Limit: 3,
			TeamID: team,
			Types:  []crier.EventType{crier.PostCreated, crier.PostDeletedEvent}},
	} {
		api, _ := scripted(func(_ int, w http.ResponseWriter, r *http.Request) error {
			if r.URL.RawQuery != want {
				t.Errorf("asked with %q, want %q", r.URL.RawQuery, want)
			}
			reply(w, 200, crier.EventPage{})
			return nil
		})
		if _, err := api.ListEvents(t.Context(), team, o); err != nil {
			t.Error(err)
		}
	}
}

func TestFollowResumesAfterTheLastEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var requests []string
		steps := []func(w http.ResponseWriter) error{
			func(w http.ResponseWriter) error { return streamed(w, event("a", "1")+event("b", "2")) },
			func(http.ResponseWriter) error { return errors.New("the network is down") },
			func(w http.ResponseWriter) error { refuse(w, 503, crier.KindInternal, ""); return nil },
			func(w http.ResponseWriter) error { refuse(w, 429, crier.KindTooManyRequests, ""); return nil },
			func(w http.ResponseWriter) error { return streamed(w, "event: reset\nid: r\ndata: {}\n\n") },
			func(w http.ResponseWriter) error { return streamed(w, event("c", "3")) },
			func(http.ResponseWriter) error { stop(); return ctx.Err() },
		}
		api, sent := scripted(func(n int, w http.ResponseWriter, r *http.Request) error {
			requests = append(requests, r.URL.Query().Get("after"))
			return steps[n-1](w)
		})
		var received []string
		missed := 0
		err := client.FollowEvents(ctx, api, team, client.EventOptions{}, func() { missed++ },
			func(e crier.Event) error {
				received = append(received, string(e.Type))
				return nil
			})
		if !errors.Is(err, context.Canceled) || missed != 1 || !slices.Equal(received, []string{"1", "2", "3"}) {
			t.Errorf("heard of %v, %d times of missing ones, and ended with %v", received, missed, err)
		}
		if want := []string{"", "b", "b", "b", "b", "r", "c"}; !slices.Equal(requests, want) {
			t.Errorf("asked for what is behind %q, want %q", requests, want)
		}
		// At once after an event; else after a time that doubles.
		var times []int64
		for _, at := range *sent {
			times = append(times, at.Milliseconds())
		}
		if want := []int64{0, 0, 200, 600, 1400, 1400, 1400}; !slices.Equal(times, want) {
			t.Errorf("connected after %v ms, want %v", times, want)
		}
	})
}

func TestFollowBackoffIsAtMostTenSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		api, sent := scripted(func(int, http.ResponseWriter, *http.Request) error { return errors.New("gone") })
		err := client.FollowEvents(ctx, api, team, client.EventOptions{}, func() {},
			func(crier.Event) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		last := (*sent)[len(*sent)-1]
		if gap := last - (*sent)[len(*sent)-2]; gap != 10*time.Second || time.Hour-last > gap {
			t.Errorf("the last times are %v apart, the last is %v", gap, last)
		}
	})
}

func TestFollowStopsOnPermanentErrors(t *testing.T) {
	t.Parallel()
	own := errors.New("the caller has enough")
	for name, c := range map[string]struct {
		answer  func(w http.ResponseWriter) error
		wantErr string
	}{
		"no permission": {func(w http.ResponseWriter) error { refuse(w, 403, crier.KindForbidden, ""); return nil },
			"no"},
		"a wrong type of event": {func(w http.ResponseWriter) error {
			refuse(w, 400, crier.KindInvalid,
				"")
			return nil
		},
			"no"},
		"the caller": {func(w http.ResponseWriter) error { return streamed(w, event("a", "x")) }, own.Error()},
		"no event":   {func(w http.ResponseWriter) error { return streamed(w, "data: x\n\n") }, "decode an event"},
		"a proxy's page": {func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "text/html")
			_, err := io.WriteString(w, "<html>\n\n</html>\n")
			return err
		}, "not one of crier's"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				api, sent := scripted(func(_ int, w http.ResponseWriter, _ *http.Request) error { return c.answer(w) })
				err := client.FollowEvents(ctx, api, team, client.EventOptions{},
					func() { t.Error("nothing was missed") },
					func(crier.Event) error { return own })
				if err == nil || !strings.Contains(err.Error(), c.wantErr) || len(*sent) != 1 {
					t.Errorf("ended with %v after %d requests", err, len(*sent))
				}
			})
		})
	}
}

// A partial list must return its error to the caller, who may stop at any entry.
func TestListIterationMayStopEarly(t *testing.T) {
	t.Parallel()
	pages := 0
	page := func(_ context.Context, o client.ListOptions) (crier.Page[int], error) {
		pages++
		if o.Limit != 2 || o.SortBy != "name" || o.Cursor != []string{"", "1", "2"}[pages-1] {
			t.Errorf("page %d was asked for with %+v", pages, o)
		}
		if pages == 3 {
			return crier.Page[int]{}, errors.New("lost")
		}
		next := fmt.Sprint(pages)
		return crier.Page[int]{Data: []int{2*pages - 1, 2 * pages}, NextCursor: &next}, nil
	}
	var seen []int
	var ended error
	for n, err := range client.All(t.Context(), client.ListOptions{Limit: 2, SortBy: "name"}, page) {
		if ended = err; err == nil {
			seen = append(seen, n)
		}
	}
	if !slices.Equal(seen, []int{1, 2, 3, 4}) || ended == nil {
		t.Errorf("seen %v, %v", seen, ended)
	}
	pages = 0
	for n := range client.All(t.Context(), client.ListOptions{Limit: 2, SortBy: "name"}, page) {
		if n == 1 {
			break
		}
	}
	if pages != 1 {
		t.Errorf("%d pages were read for one entry", pages)
	}
}
