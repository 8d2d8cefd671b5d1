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
