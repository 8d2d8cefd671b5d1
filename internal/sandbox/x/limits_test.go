package x_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func TestResponsesHaveTheDocumentedLimits(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	id := a.post(`{"text":"root"}`)
	me := "/x/2/users/" + a.seed.AccountID
	app := "AAAAAAAAAAAAAAAAAAAAAapp"
	for name, c := range map[string]struct {
		method, path, token string
		limit, day          string
	}{
		"me":             {method: "GET", path: "/x/2/users/me", limit: "75"},
		"one post":       {method: "GET", path: "/x/2/tweets/" + id, limit: "900"},
		"some posts":     {method: "GET", path: "/x/2/tweets?ids=" + id, limit: "5000"},
		"timeline":       {method: "GET", path: me + "/tweets", limit: "900"},
		"one post, app":  {method: "GET", path: "/x/2/tweets/" + id, token: app, limit: "450"},
		"posts, app":     {method: "GET", path: "/x/2/tweets?ids=" + id, token: app, limit: "3500"},
		"timeline, app":  {method: "GET", path: me + "/tweets", token: app, limit: "10000"},
		"create":         {method: "POST", path: "/x/2/tweets", limit: "100", day: "10000"},
		"delete":         {method: "DELETE", path: "/x/2/tweets/1", limit: "50"},
		"repost":         {method: "POST", path: me + "/retweets", limit: "50"},
		"repost back":    {method: "DELETE", path: me + "/retweets/" + id, limit: "50"},
		"upload":         {method: "POST", path: "/x/2/media/upload", limit: "500", day: "50000"},
		"upload's state": {method: "GET", path: "/x/2/media/upload", limit: "1000", day: "100000"},
		"initialize":     {method: "POST", path: "/x/2/media/upload/initialize", limit: "1875", day: "180000"},
		"append":         {method: "POST", path: "/x/2/media/upload/1/append", limit: "1875", day: "180000"},
		"finalize":       {method: "POST", path: "/x/2/media/upload/1/finalize", limit: "1875", day: "180000"},
		"metadata":       {method: "POST", path: "/x/2/media/metadata", limit: "500", day: "50000"},
	} {
		token := a.seed.AccessToken
		if c.token != "" {
			token = c.token
		}
		resp := a.Do(simtest.Request{Method: c.method, Path: c.path, Token: token})
		if got := resp.Header.Get("x-rate-limit-limit"); got != c.limit {
			t.Errorf("%s: %d, limit %q, want %s", name, resp.Status, got, c.limit)
		}
		if got := resp.Header.Get("x-app-limit-24hour-limit"); got != c.day {
			t.Errorf("%s: limit of the day %q, want %q", name, got, c.day)
		}
		if resp.Header.Get("x-access-level") != "read-write" || resp.Header.Get("api-version") != "2.167" {
			t.Errorf("%s: headers are %v", name, resp.Header)
		}
	}
}

func TestLimitsCountPerAccountAndEndpoint(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	remaining := func(path string) string {
		t.Helper()
		return a.get(http.StatusOK, path).Header.Get("x-rate-limit-remaining")
	}
	for i := range 3 {
		if got, want := remaining("/2/users/me"), fmt.Sprint(74-i); got != want {
			t.Errorf("call %d leaves %s, want %s", i, got, want)
		}
	}
	if got := remaining("/2/users/" + a.seed.AccountID + "/tweets"); got != "899" {
		t.Errorf("another endpoint has %s left", got)
	}
	a.seed = a.Seed("bob")
	if got := remaining("/2/users/me"); got != "74" {
		t.Errorf("another account has %s left", got)
	}
	a.Clock.Advance(15 * time.Minute)
	if got := remaining("/2/users/me"); got != "74" {
		t.Errorf("the next window has %s left", got)
	}
}

func TestCallsOverTheLimitDoNothing(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	gone := simtest.Request{Method: "DELETE", Path: "/x/2/tweets/1", Token: a.seed.AccessToken}
	id := a.post(`{"text":"stays"}`)
	for range 50 {
		a.Must(http.StatusNotFound, gone)
	}
	gone.Path = "/x/2/tweets/" + id
	resp := a.Must(http.StatusTooManyRequests, gone)
	const want = `{"title":"Too Many Requests","detail":"Too Many Requests","type":"about:blank","status":429}`
	if string(resp.Body) != want {
		t.Errorf("response %s", resp.Body)
	}
	if posts := a.Posts(); posts[0].DeletedAt != nil {
		t.Error("the call over the limit had an effect")
	}
	a.Clock.Advance(15 * time.Minute)
	a.Must(http.StatusOK, gone)
}

func TestTokensThatXDoesNotAccept(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	const unauthorized = `{"title":"Unauthorized","detail":"Unauthorized","type":"about:blank","status":401}`
	for name, request := range map[string]simtest.Request{
		"none":               {Path: "/x/2/users/me"},
		"unknown":            {Path: "/x/2/users/me", Token: "nobody"},
		"refresh token":      {Path: "/x/2/users/me", Token: a.seed.RefreshToken},
		"in the query":       {Path: "/x/2/users/me?access_token=" + url.QueryEscape(a.seed.AccessToken)},
		"as basic":           {Path: "/x/2/users/me", Header: basic("app", a.seed.AccessToken)},
		"of another network": {Path: "/x/2/users/me", Token: strings.Replace(a.seed.AccessToken, "seed.", "seed.A", 1)},
	} {
		request.Method = "GET"
		if resp := a.Must(http.StatusUnauthorized, request); string(resp.Body) != unauthorized {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
}

func TestTokensEndAfterTwoHours(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.get(http.StatusOK, "/2/users/me")
	a.Clock.Advance(2*time.Hour - time.Second)
	a.get(http.StatusOK, "/2/users/me")
	a.Clock.Advance(time.Second)
	a.get(http.StatusUnauthorized, "/2/users/me")
}

func TestRefusalsAreFreeAndReadsAreNot(t *testing.T) {
	t.Parallel()
	// A post costs 15, a read 5, a user 10, a description 5.
	a := setup(t, sim.Options{Credits: 36})
	id := a.post(`{"text":"15"}`)
	a.get(http.StatusNotFound, "/2/tweets/1")
	if resp := a.tweet(`{"text":""}`); resp.Status != http.StatusBadRequest {
		t.Fatalf("%d %s", resp.Status, resp.Body)
	}
	a.get(http.StatusOK, "/2/tweets/"+id)
	a.get(http.StatusOK, "/2/tweets?ids="+id+",1,2,3")
	a.get(http.StatusOK, "/2/users/me")
	a.get(http.StatusOK, "/2/users/"+a.seed.AccountID+"/tweets?max_results=5")
	resp := a.get(http.StatusPaymentRequired, "/2/users/me")
	want := `{"title":"CreditsDepleted",` +
		`"detail":"Your enrolled account [1] does not have any credits to fulfill this ` +
		`request.","type":"https://api.x.com/2/problems/credits","account_id":1}`
	if string(resp.Body) != want {
		t.Errorf("response %s", resp.Body)
	}
}

func TestBillSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir, Credits: 30})
		a.post(`{"text":"one"}`)
		a.post(`{"text":"two"}`)
	})
	a := setup(t, sim.Options{DataDir: dir, Credits: 30})
	if resp := a.tweet(`{"text":"three"}`); resp.Status != http.StatusPaymentRequired {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestUnknownPathsReturnProblems(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for _, r := range []simtest.Request{{Method: "GET", Path: "/x/2/nosuch"}, {Method: "PUT", Path: "/x/2/tweets"},
		{Method: "POST", Path: "/x/1.1/statuses/update.json"}} {
		r.Token = a.seed.AccessToken
		resp := a.Must(http.StatusNotFound, r)
		if string(resp.Body) != `{"title":"Not Found","detail":"Not Found","type":"about:blank","status":404}` {
			t.Errorf("%s %s: %s", r.Method, r.Path, resp.Body)
		}
	}
}
