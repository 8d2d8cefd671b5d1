package providertest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

// testTokens refreshes an expired token.
func testTokens(t *testing.T, n Network) {
	t.Helper()
	t.Run("renewed", func(t *testing.T) { t.Parallel(); testRefresh(t, n) })
	t.Run("without a new refresh token", func(t *testing.T) { t.Parallel(); testKeptRefreshToken(t, n) })
	t.Run("busy", func(t *testing.T) { t.Parallel(); testBusyTokens(t, n) })
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, n)
		s.account.Token.Access, s.account.Token.Refresh = "no such token", "no such token either"
		p := s.publish(s.simplest())
		if end := p.run(context.Background()); end != LostToken || len(s.timeline()) != 0 {
			t.Errorf("ended %s, after %v; want the account to be connected again", end, p.failed)
		}
	})
}

func testRefresh(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if !s.info.Abilities.Refresh {
		return
	}
	ctx, refresher, first := context.Background(), s.features.Refresher, s.account
	s.fault("refresh", "outage")
	if _, err := refresher.Refresh(ctx, s.account); err == nil || provider.AsError(err).Kind == provider.AuthExpired {
		t.Errorf("an outage: %v; want an error that disconnects nobody", err)
	}
	for range 2 { // the second refresh proves that the first pair was complete
		s.clock.Advance(25 * time.Hour) // some networks do not refresh a token that is younger than a day
		token, err := refresher.Refresh(ctx, s.account)
		if err != nil || token.Access == "" || (token.Refresh == "") != (first.Token.Refresh == "") {
			t.Fatalf("refreshed to %+v, %v", token, err)
		}
		s.account.Token = token
	}
	if _, err := refresher.Refresh(ctx, first); n.RotatesRefreshToken &&
		(err == nil || provider.AsError(err).Kind != provider.AuthExpired) {
		t.Errorf("a refresh token worked twice: %v", err)
	}
}

// busyAnswers are responses of a token endpoint that cannot answer now, or of a proxy in front of it. None says
// anything about the consent.
var busyAnswers = map[string]struct {
	status int
	after  string
	body   string
}{
	"too many requests":               {429, "120", ""},
	"too many requests, as JSON":      {429, "120", `{"error":"too_many_requests","error_description":"Slow down."}`},
	"unavailable":                     {503, "120", "<html>maintenance</html>"},
	"unavailable, as JSON":            {503, "", `{"error":"temporarily_unavailable"}`},
	"temporarily unavailable":         {400, "", `{"error":"temporarily_unavailable","error_description":"Soon."}`},
	"a server error":                  {500, "", `{"error":"server_error"}`},
	"a server error, as bad request":  {400, "", `{"error":"server_error"}`},
	"a server error, as success":      {200, "", `{"error":"server_error"}`},
	"asked too fast":                  {400, "", `{"error":"slow_down"}`},
	"a proxy that refuses":            {403, "", "<html>blocked</html>"},
	"a proxy that refuses with a 401": {401, "", "<html>blocked</html>"},
	"a proxy without a way":           {404, "", "<html>not found</html>"},
	"a proxy that does not read it":   {400, "", "<html>bad request</html>"},
	"a proxy that is slow":            {504, "", ""},
	"a request that took too long":    {408, "", ""},
	"another address":                 {302, "", ""},
	"a page":                          {200, "", "<html>welcome</html>"},
	"nothing":                         {200, "", ""},
	"no token":                        {200, "", "{}"},
	"no answer":                       {0, "", ""},
}

// testBusyTokens lets the token endpoint be busy: the account stays connected, and the token is refreshed later, after
// the pause that the network asks for.
func testBusyTokens(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if !s.info.Abilities.Refresh {
		return
	}
	for name, busy := range busyAnswers {
		answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if busy.status == 0 {
				panic(http.ErrAbortHandler)
			}
			if busy.after != "" {
				w.Header().Set("Retry-After", busy.after)
			}
			w.WriteHeader(busy.status)
			if _, err := w.Write([]byte(busy.body)); err != nil {
				panic(http.ErrAbortHandler)
			}
		})
		s.scripted.Store(&answer)
		_, err := s.features.Refresher.Refresh(context.Background(), s.account)
		failure := provider.AsError(err)
		if failure == nil || failure.Kind != provider.Temporary && failure.Kind != provider.RateLimited {
			t.Errorf("%s: %v; want it refreshed later", name, err)
			continue
		}
		if busy.after != "" && failure.RetryAfter < 2*time.Minute {
			t.Errorf("%s: refreshed again after %s, too early", name, failure.RetryAfter)
		}
	}
	s.scripted.Store(nil)
	s.fault("refresh", "outage") // the sandbox issues the token with the first request
	if _, err := s.features.Refresher.Refresh(context.Background(), s.account); err == nil {
		t.Error("refreshed in an outage")
	}
	s.clock.Advance(25 * time.Hour) // some networks do not refresh a token that is younger than a day
	if token, err := s.features.Refresher.Refresh(context.Background(), s.account); err != nil || token.Access == "" {
		t.Errorf("the token is lost: %+v, %v", token, err)
	}
}

// testKeptRefreshToken responds to a refresh without a new refresh token, as OAuth allows: the old one remains valid
// and must not be discarded.
func testKeptRefreshToken(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if s.account.Token.Refresh == "" {
		return
	}
	s.keepsSilent.Store(true)
	token, err := s.features.Refresher.Refresh(context.Background(), s.account)
	if err != nil || token.Access == s.account.Token.Access || token.Refresh != s.account.Token.Refresh {
		t.Errorf("refreshed to %+v, %v; want the refresh token kept", token, err)
	}
}

// serveWithoutRefreshToken responds as the network does, without the fields of the refresh token.
func serveWithoutRefreshToken(network http.Handler, w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	network.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	var fields map[string]any
	if json.Unmarshal(body, &fields) == nil {
		maps.DeleteFunc(fields, func(name string, _ any) bool { return strings.HasPrefix(name, "refresh_") })
		if left, err := json.Marshal(fields); err == nil {
			body = left
		}
	}
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	if _, err := w.Write(body); err != nil {
		panic(http.ErrAbortHandler) // the client sees a truncated response
	}
}
