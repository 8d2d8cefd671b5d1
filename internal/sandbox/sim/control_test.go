package sim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestFaultBoundsAreReported(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	const head = `{"provider":"toy","operation":"publish","kind":"`
	for body, want := range map[string]string{
		head + `outage","count":0}`:                "count must be 1 to 1000000",
		head + `outage","count":1000001}`:          "count must be 1 to 1000000",
		head + `outage","count":1,"skip":1000001}`: "skip must be 0 to 1000000",
		head + `slow","count":1}`: "delayMs is required for kind slow: " +
			"1 to 600000",
		head + `slow","count":1,"delayMs":600001}`:                 "delayMs must be 0 to 600000",
		head + `slow","count":1,"delayMs":-1}`:                     "delayMs must be 0 to 600000",
		head + `rate_limit","count":1,"retryAfterSeconds":604801}`: "retryAfterSeconds must be 0 to 604800",
		head + `rate_limit","count":1,"retryAfterSeconds":-1}`:     "retryAfterSeconds must be 0 to 604800",
		`{"provider":"toy","operation":"connect","kind":"outage",` +
			`"count":1}`: `operation "connect" is not one of publish, upload, refresh, read, delete, comment`,
		head +
			`boredom","count":1}`: `kind "boredom" is not one of rate_limit, outage, slow, lost_response,` +
			` auth_expired, reject, restricted`,
		head + `outage","count":1}{}`: "decode JSON: more than one value",
	} {
		text := b.must(http.StatusBadRequest, "POST", "/_control/faults", body)
		var answer struct{ Error string }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Error != want {
			t.Errorf("%s: %s, want %s", body, text, want)
		}
	}
}

func TestPendingFaultsAreListed(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	const fault = `{"provider":"toy","operation":"publish","kind":"outage","count":2,"skip":1,"accountId":"7",` +
		`"delayMs":5}`
	if got := b.must(http.StatusCreated, "POST", "/_control/faults", fault); got != fault {
		t.Errorf("response %s", got)
	}
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"reject","count":2,"skip":0}`)
	want := `{"data":[{"provider":"toy","operation":"publish","kind":"outage","count":2,"skip":1,"accountId":"7",` +
		`"delayMs":5,` +
		`"retryAfterSeconds":60},{"provider":"toy","operation":"publish","kind":"reject","count":2,"skip":0,` +
		`"retryAfterSeconds":60}]}`
	if got := b.must(http.StatusOK, "GET", "/_control/faults", ""); got != want {
		t.Errorf("faults are %s, want %s", got, want)
	}
	b.must(http.StatusServiceUnavailable, "POST", "/toy/posts", `{"text":"a"}`)
	if got := b.must(http.StatusOK, "GET", "/_control/faults", ""); got != strings.Replace(want, `"reject","count":2`,
		`"reject","count":1`, 1) {
		t.Errorf("faults are %s", got)
	}
	if got := b.must(http.StatusOK, "DELETE", "/_control/faults", ""); got != `{"data":[]}` {
		t.Errorf("response %s", got)
	}
}

func TestCallsAreCountedPerOperation(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"a"}`)
	b.must(http.StatusBadRequest, "POST", "/toy/posts", `{`)
	b.must(http.StatusNotFound, "GET", "/toy/posts/1", "")
	b.must(http.StatusOK, "GET", "/toy", "") // pages are not counted
	want := `{"data":[{"provider":"toy","operation":"publish","count":2},{"provider":"toy","operation":"upload",` +
		`"count":0},` +
		`{"provider":"toy","operation":"refresh","count":0},{"provider":"toy","operation":"read","count":1},` +
		`{"provider":"toy","operation":"delete","count":0},{"provider":"toy","operation":"comment","count":0},` +
		`{"provider":"toy","operation":"connect","count":0}]}`
	for _, path := range []string{"/_control/calls", "/_control/calls?provider=toy"} {
		if got := b.must(http.StatusOK, "GET", path, ""); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestPostsOfOneAccountAreListedInFull(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 123_000_000, time.UTC)
	b := setup(t, sim.Options{Now: func() time.Time { return now }})
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"a & <b>"}`)
	id := b.posts()[0].PlatformPostID
	want := `{"data":[{"provider":"toy","accountId":"` + b.seed.AccountID + `","platformPostId":"` + id +
		`","kind":"post",` +
		`"parentId":null,"text":"a & <b>","media":[],"likes":0,"createdAt":"2026-11-15T09:00:00.123Z",` +
		`"deletedAt":null}]}`
	for _, path := range []string{"/_control/posts", "/_control/posts?provider=toy&accountId=" + b.seed.AccountID} {
		if got := b.must(http.StatusOK, "GET", path, ""); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := b.must(http.StatusOK, "GET", "/_control/posts?accountId=1", ""); got != `{"data":[]}` {
		t.Errorf("of another account: %s", got)
	}
	liked := b.must(http.StatusOK, "POST", "/_control/likes", `{"provider":"toy","platformPostId":"`+id+`","count":3}`)
	if !strings.Contains(liked, `"likes":3`) {
		t.Errorf("response %s", liked)
	}
	if text := b.must(http.StatusNotFound, "POST", "/_control/likes",
		`{"provider":"toy","platformPostId":"1","count":3}`); text !=
		`{"error":"toy has no post \"1\""}` {
		t.Errorf("response %s", text)
	}
}

func TestUnknownControls(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	for _, call := range [][2]string{{"GET", "/_control/mood"}, {"DELETE", "/_control/posts"}, {"PUT",
		"/_control/faults"}} {
		if text := b.must(http.StatusNotFound, call[0], call[1], ""); text !=
			`{"error":"no such control: there are posts, faults, likes, metrics and calls"}` {
			t.Errorf("%v: %s", call, text)
		}
	}
	// A page of another site can send a form without a preflight request, but no JSON.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+"/_control/faults",
		strings.NewReader(`{"provider":"toy","operation":"publish","kind":"outage","count":1}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/plain")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a form of another site gets %d", resp.StatusCode)
	}
	if got := b.must(http.StatusOK, "GET", "/_control/faults", ""); got != `{"data":[]}` {
		t.Errorf("faults are %s", got)
	}
}

func TestDateHeaderUsesTheSandboxClock(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{Now: func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }})
	for _, path := range []string{"/", "/toy/nosuch", "/_style.css", "/_media/nosuch", "/nosuch"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if got := resp.Header.Get("Date"); got != "Wed, 02 Jan 2030 03:04:05 GMT" {
			t.Errorf("%s is dated %s", path, got)
		}
	}
}
