package api_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/server/servertest"
)

// follow opens the stream of an organization with a token. It sends the received lines; the channel is closed when the
// stream ends.
func (s *testServer) follow(tb testing.TB, token string, p servertest.Founder) <-chan string {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet,
		s.URL+path("/v1/organizations/%s/events/stream", p.Organization), nil)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := s.Client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		tb.Fatalf("the stream answers %d", answer.StatusCode)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer answer.Body.Close()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

// readUntil reads lines until one contains the words; ended is true when the stream ended before.
func readUntil(tb testing.TB, lines <-chan string, words string) (before []string, ended bool) {
	tb.Helper()
	for {
		select {
		case line, more := <-lines:
			if !more || strings.Contains(line, words) {
				return before, !more
			}
			before = append(before, line)
		case <-time.After(2 * time.Minute):
			tb.Fatalf("%q does not come, only %q", words, before)
		}
	}
}

// A user who becomes a viewer while listening no longer receives the events for admins, and one who is removed receives
// nothing: on whatever node they listen.
func TestStreamFollowsPermissions(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		listens := s
		if db.Dialect == "postgres" {
			listens = startServer(t, db, withRole("api"))
		}
		ada := s.NewFounder(t, "ada@example.com")
		token, member := s.joinAs(t, ada, "bob@example.com", object{"role": "admin"})
		lines := listens.follow(t, token, ada)
		readUntil(t, lines, ": listening")
		keys := path("/v1/organizations/%s/api-keys", ada.Organization)
		post := func(title string) {
			s.As(t, ada.Key, "POST", path("/v1/teams/%s/posts", ada.Team), object{"title": title}).Want(t,
				http.StatusCreated)
		}
		s.As(t, ada.Key, "POST", keys, object{"name": "First", "role": "viewer"}).Want(t, http.StatusCreated)
		readUntil(t, lines, "api_key.created")
		s.As(t, ada.Key, "PATCH", ada.Members()+"/"+member, object{"role": "viewer"}).Want(t, http.StatusOK)
		s.As(t, ada.Key, "POST", keys, object{"name": "Second", "role": "viewer"}).Want(t, http.StatusCreated)
		post("For viewers")
		before, ended := readUntil(t, lines, "For viewers")
		if text := strings.Join(before, "\n"); ended || strings.Contains(text, "api_key.") ||
			strings.Contains(text, "member.") {
			t.Errorf("ended %t; a viewer heard %s", ended, text)
		}
		s.As(t, ada.Key, "DELETE", ada.Members()+"/"+member, nil).Want(t, http.StatusOK)
		post("For members")
		if before, ended := readUntil(t, lines, "For members"); !ended {
			t.Errorf("who was removed heard what came later, behind %q", before)
		}
	})
}
