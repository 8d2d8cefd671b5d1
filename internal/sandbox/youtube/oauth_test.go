package youtube_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/youtube"
)

const scopes = "https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.force-ssl"

// token calls the token endpoint.
func (a *app) token(status int, form url.Values) simtest.Response {
	a.t.Helper()
	form.Set("client_id", "app")
	form.Set("client_secret", "secret")
	return a.Must(status, simtest.Request{Method: "POST", Path: "/youtube/token", Form: form})
}

func (a *app) refresh(status int, token string) simtest.Response {
	a.t.Helper()
	return a.token(status, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}})
}

func TestRefreshTokensStay(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.Clock.Advance(time.Hour)
	a.get(http.StatusOK, "channels?part=id&mine=true") // its lifetime starts at the first use
	a.Clock.Advance(time.Hour)
	if resp := a.get(http.StatusUnauthorized, "channels?part=id&mine=true"); reason(resp) != "authError" ||
		resp.Text("error", "status") != "UNAUTHENTICATED" {
		t.Errorf("response %s", resp.Body)
	}
	for range 2 {
		resp := a.refresh(http.StatusOK, a.seed.RefreshToken)
		if resp.Value("expires_in") != 3599.0 || resp.Value("refresh_token") != nil ||
			resp.Text("token_type") != "Bearer" || resp.Text("scope") != scopes {
			t.Errorf("response %s", resp.Body)
		}
		a.seed.AccessToken = resp.Text("access_token")
		a.get(http.StatusOK, "channels?part=id&mine=true")
	}
}

func TestTokensOfTestingAppsExpireAfterAWeek(t *testing.T) {
	t.Parallel()
	a := setupAs(t, youtube.Settings{Testing: true}, sim.Options{})
	a.refresh(http.StatusOK, a.seed.RefreshToken)
	a.Clock.Advance(7 * 24 * time.Hour)
	resp := a.refresh(http.StatusBadRequest, a.seed.RefreshToken)
	if resp.Text("error") != "invalid_grant" || resp.Text("error_description") != "Token has been expired or revoked." {
		t.Errorf("response %s", resp.Body)
	}
}

// authorize submits the consent page, allows, and returns the parameters of the redirect.
func (a *app) authorize(more, form url.Values) url.Values {
	a.t.Helper()
	q := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"state": {"S"}, "scope": {scopes}}
	maps.Copy(q, more)
	path := "/youtube/o/oauth2/v2/auth?" + q.Encode()
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path})
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: path, Form: form}).Location().Query()
}

func (a *app) exchange(status int, code, verifier string) simtest.Response {
	a.t.Helper()
	return a.token(status, url.Values{"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {"https://app.example/cb"}, "code_verifier": {verifier}})
}

func TestConsentWithPKCE(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	sum := sha256.Sum256([]byte("verifier"))
	pkce := url.Values{"access_type": {"offline"}, "prompt": {"consent"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}}
	params := a.authorize(pkce, url.Values{"decision": {"allow"}, "name": {"carol"},
		"scope": {"https://www.googleapis.com/auth/youtube.upload"}})
	if params.Get("scope") != "https://www.googleapis.com/auth/youtube.upload" || params.Get("state") != "S" {
		t.Errorf("callback is %v", params)
	}
	if resp := a.exchange(http.StatusBadRequest, params.Get("code"), "wrong"); resp.Text("error") != "invalid_grant" {
		t.Errorf("response %s", resp.Body)
	}
	pair := a.exchange(http.StatusOK, params.Get("code"), "verifier")
	a.exchange(http.StatusBadRequest, params.Get("code"), "verifier")
	a.seed.AccessToken = pair.Text("access_token")
	a.open(1000, metadata)
	resp := a.get(http.StatusForbidden, "channels?part=id&mine=true")
	if reason(resp) != "insufficientPermissions" ||
		resp.Text("error", "details", 0, "reason") != "ACCESS_TOKEN_SCOPE_INSUFFICIENT" {
		t.Errorf("response %s", resp.Body)
	}
	if denied := a.authorize(pkce, url.Values{"decision": {"deny"}}); denied.Get("error") != "access_denied" ||
		denied.Get("state") != "S" {
		t.Errorf("denied: %v", denied)
	}
}

func TestRefreshTokensComeWithConsent(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	offline := url.Values{"access_type": {"offline"}}
	cases := []struct {
		name  string
		more  url.Values
		given bool
	}{
		{"online", nil, false},
		{"first offline consent", offline, true},
		{"second offline consent", offline, false},
		{"prompted again", url.Values{"access_type": {"offline"}, "prompt": {"consent"}}, true},
	}
	for _, c := range cases {
		code := a.authorize(c.more, url.Values{"decision": {"allow"}, "name": {"carol"}}).Get("code")
		if pair := a.exchange(http.StatusOK, code, ""); (pair.Text("refresh_token") != "") != c.given {
			t.Errorf("%s: %s", c.name, pair.Body)
		}
	}
}

func TestRevokeEndsTheGrant(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	code := a.authorize(url.Values{"access_type": {"offline"}},
		url.Values{"decision": {"allow"}, "name": {"carol"}}).Get("code")
	pair := a.exchange(http.StatusOK, code, "")
	revoke := simtest.Request{Method: "POST", Path: "/youtube/revoke?token=" +
		url.QueryEscape(pair.Text("refresh_token"))}
	a.Must(http.StatusOK, revoke)
	if resp := a.Must(http.StatusBadRequest, revoke); resp.Text("error") != "invalid_token" {
		t.Errorf("again: %s", resp.Body)
	}
	a.refresh(http.StatusBadRequest, pair.Text("refresh_token"))
	a.seed.AccessToken = pair.Text("access_token")
	a.get(http.StatusUnauthorized, "channels?part=id&mine=true")
}

func TestAppsMustKnowTheirSecret(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{Clients: map[string]string{"app": "other"}})
	if resp := a.refresh(http.StatusUnauthorized, a.seed.RefreshToken); resp.Text("error") != "invalid_client" {
		t.Errorf("response %s", resp.Body)
	}
}

func TestHandles(t *testing.T) {
	t.Parallel()
	network := youtube.Network(youtube.Settings{})
	for handle, good := range map[string]bool{"team0123abcd": true, "crier_demo": true, "ab": false,
		"has space": false} {
		seed, err := network.Seed(handle)
		if (err == nil) != good {
			t.Errorf("%s: %v", handle, err)
		}
		if good && (seed.RefreshToken == "" || len(seed.AccountID) != 24) {
			t.Errorf("%s: %+v", handle, seed)
		}
	}
}
