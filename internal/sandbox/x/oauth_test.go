package x_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func basic(id, secret string) map[string]string {
	return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
}

func (a *app) refresh(status int, token string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "POST", Path: "/x/2/oauth2/token", Header: basic("app", "secret"),
		Form: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}})
}

func TestRefreshTokensWorkOnce(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.refresh(http.StatusOK, a.seed.RefreshToken)
	if first.Value("expires_in") != 7200.0 || first.Text("token_type") != "bearer" ||
		first.Text("refresh_token") == a.seed.RefreshToken {
		t.Errorf("response %s", first.Body)
	}
	again := a.refresh(http.StatusBadRequest, a.seed.RefreshToken)
	if again.Text("error") != "invalid_request" ||
		again.Text("error_description") != "Value passed for the token was invalid." {
		t.Errorf("second use: %s", again.Body)
	}
	a.seed.AccessToken = first.Text("access_token")
	a.post(`{"text":"with the new token"}`)
	a.refresh(http.StatusOK, first.Text("refresh_token"))
}

func TestLostRefreshAnswerSpendsTheToken(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.Fault(sim.Refresh, sim.LostResponse, nil)
	a.refresh(0, a.seed.RefreshToken)
	a.refresh(http.StatusBadRequest, a.seed.RefreshToken)
}

func TestRefreshTokensStaySpentAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spent, next := "", ""
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir})
		spent, next = a.seed.RefreshToken, a.refresh(http.StatusOK, a.seed.RefreshToken).Text("refresh_token")
	})
	a := setup(t, sim.Options{DataDir: dir})
	a.refresh(http.StatusBadRequest, spent)
	a.refresh(http.StatusOK, next)
}

// authorize submits the consent page and returns the redirect.
func (a *app) authorize(verifier string, form url.Values) *url.URL {
	a.t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"state": {"S"},
		"scope": {"tweet.read tweet.write users.read media.write offline.access"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}}
	path := "/x/i/oauth2/authorize?" + q.Encode()
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path})
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: path, Form: form}).Location()
}

func (a *app) exchange(status int, code, verifier, redirect string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "POST", Path: "/x/2/oauth2/token", Header: basic("app", "secret"),
		Form: url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
			"code_verifier": {verifier}}})
}

func TestConsentWithPKCE(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	allow := url.Values{"decision": {"allow"}, "name": {"carol"}}
	code := a.authorize("verifier", allow).Query().Get("code")
	a.exchange(http.StatusBadRequest, code, "wrong", "https://app.example/cb")
	a.exchange(http.StatusBadRequest, code, "verifier", "https://evil.example/cb")
	pair := a.exchange(http.StatusOK, code, "verifier", "https://app.example/cb")
	if pair.Text("scope") != "tweet.read tweet.write users.read media.write offline.access" ||
		pair.Text("refresh_token") == "" {
		t.Errorf("response %s", pair.Body)
	}
	if again := a.exchange(http.StatusBadRequest, code, "verifier",
		"https://app.example/cb"); again.Text("error_description") != "Value passed for the authorization code was "+
		"invalid." {
		t.Errorf("a code used twice: %s", again.Body)
	}
	a.seed.AccessToken = pair.Text("access_token")
	if name := a.get(http.StatusOK, "/2/users/me").Text("data", "username"); name != "carol" {
		t.Errorf("connected as %s", name)
	}
	late := a.authorize("verifier", allow).Query().Get("code")
	a.Clock.Advance(30 * time.Second)
	a.exchange(http.StatusBadRequest, late, "verifier", "https://app.example/cb")
	denied := a.authorize("verifier", url.Values{"decision": {"deny"}})
	if denied.Query().Get("error") != "access_denied" || denied.Query().Get("state") != "S" {
		t.Errorf("denied: %s", denied)
	}
}

func TestMissingScopesAreRejected(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	code := a.authorize("verifier", url.Values{"decision": {"allow"}, "name": {"carol"},
		"scope": {"tweet.read", "users.read"}}).Query().Get("code")
	pair := a.exchange(http.StatusOK, code, "verifier", "https://app.example/cb")
	if pair.Value("refresh_token") != nil {
		t.Error("a refresh token without offline.access")
	}
	a.seed.AccessToken = pair.Text("access_token")
	if resp := a.tweet(`{"text":"hi"}`); resp.Status != http.StatusForbidden || resp.Text("detail") != "Forbidden" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestAppsMustKnowTheirSecret(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{Clients: map[string]string{"app": "secret"}})
	resp := a.Must(http.StatusUnauthorized, simtest.Request{Method: "POST", Path: "/x/2/oauth2/token",
		Header: basic("app", "guess"),
		Form:   url.Values{"grant_type": {"refresh_token"}, "refresh_token": {a.seed.RefreshToken}}})
	if resp.Text("error") != "unauthorized_client" {
		t.Errorf("response %s", resp.Body)
	}
	a.refresh(http.StatusOK, a.seed.RefreshToken)
}

func TestRevokedTokensEnd(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	resp := a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/x/2/oauth2/revoke",
		Header: basic("app", "secret"), Form: url.Values{"token": {a.seed.AccessToken}}})
	if resp.Value("revoked") != true {
		t.Errorf("response %s", resp.Body)
	}
	if resp := a.tweet(`{"text":"hi"}`); resp.Status != http.StatusUnauthorized {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}
