package tiktok_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/tiktok"
)

// token calls the token endpoint.
func (a *app) token(status int, form url.Values) simtest.Response {
	a.t.Helper()
	form.Set("client_key", "app")
	form.Set("client_secret", "secret")
	return a.Must(status, simtest.Request{Method: "POST", Path: "/tiktok/v2/oauth/token/", Form: form})
}

func (a *app) refresh(status int, token string) simtest.Response {
	a.t.Helper()
	return a.token(status, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}})
}

func TestRefreshRevokesTheOldToken(t *testing.T) {
	t.Parallel()
	a := setupAs(t, tiktok.Settings{AccessLifetime: 2 * time.Hour}, sim.Options{})
	first := a.refresh(http.StatusOK, a.seed.RefreshToken)
	if first.Value("expires_in") != 7200.0 || first.Value("refresh_expires_in") != 31536000.0 ||
		first.Text("token_type") != "Bearer" ||
		first.Text("open_id") != a.seed.AccountID ||
		first.Text("scope") != "user.info.basic,user.info.profile,user.info.stats,"+
			"video.list,video.publish,video.upload" {
		t.Errorf("response %s", first.Body)
	}
	again := a.refresh(http.StatusBadRequest, a.seed.RefreshToken)
	if again.Text("error") != "invalid_grant" ||
		again.Text("error_description") != "Refresh token is invalid or expired." || again.Text("log_id") == "" {
		t.Errorf("second use: %s", again.Body)
	}
	a.seed.AccessToken = first.Text("access_token")
	a.must("post/publish/creator_info/query/", "")
	a.Clock.Advance(2 * time.Hour)
	a.refused(401, "access_token_invalid", "post/publish/creator_info/query/", "")
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
func (a *app) authorize(challenge string, form url.Values) url.Values {
	a.t.Helper()
	q := url.Values{"response_type": {"code"}, "client_key": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"state": {"S"},
		"scope": {"user.info.basic,user.info.profile,video.publish"}}
	if challenge != "" {
		q.Set("code_challenge", challenge)
		q.Set("code_challenge_method", "S256")
	}
	path := "/tiktok/v2/auth/authorize/?" + q.Encode()
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path})
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: path, Form: form}).Location().Query()
}

func exchange(code, redirect, verifier string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
		"code_verifier": {verifier}}
}

func TestConsent(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	granted := a.authorize("", url.Values{"decision": {"allow"}, "name": {"carol"},
		"scope": {"user.info.basic", "video.publish"}})
	if granted.Get("scopes") != "user.info.basic,video.publish" || granted.Get("state") != "S" {
		t.Errorf("callback is %v", granted)
	}
	a.token(http.StatusBadRequest, exchange(granted.Get("code"), "https://evil.example/cb", ""))
	pair := a.token(http.StatusOK, exchange(granted.Get("code"), "https://app.example/cb", ""))
	a.token(http.StatusBadRequest, exchange(granted.Get("code"), "https://app.example/cb", ""))
	a.seed.AccessToken = pair.Text("access_token")
	user := a.Must(http.StatusOK, simtest.Request{Method: "GET",
		Path: "/tiktok/v2/user/info/?fields=open_id,display_name,avatar_url", Token: a.seed.AccessToken})
	if user.Text("data", "user", "open_id") != pair.Text("open_id") ||
		user.Text("data", "user", "display_name") != "Carol Clips" {
		t.Errorf("user is %s", user.Body)
	}
	missed := a.Must(http.StatusBadRequest, simtest.Request{Method: "GET",
		Path: "/tiktok/v2/user/info/?fields=username", Token: a.seed.AccessToken})
	if missed.Text("error", "code") != "scope_permission_missed" {
		t.Errorf("response %s", missed.Body)
	}
	a.refused(401, "scope_not_authorized", "video/list/?fields=id", `{}`)
	denied := a.authorize("", url.Values{"decision": {"deny"}})
	if denied.Get("error") != "access_denied" || denied.Get("error_description") == "" || denied.Get("state") != "S" {
		t.Errorf("denied: %v", denied)
	}
}

func TestChallengesAreHexadecimal(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	sum := sha256.Sum256([]byte("verifier"))
	code := a.authorize(hex.EncodeToString(sum[:]), url.Values{"decision": {"allow"}, "name": {"carol"}}).Get("code")
	if resp := a.token(http.StatusBadRequest, exchange(code, "https://app.example/cb",
		"wrong")); resp.Text("error") != "invalid_grant" {
		t.Errorf("response %s", resp.Body)
	}
	a.token(http.StatusOK, exchange(code, "https://app.example/cb", "verifier"))
}

func TestAppsMustKnowTheirSecret(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{Clients: map[string]string{"app": "other"}})
	if resp := a.refresh(http.StatusUnauthorized, a.seed.RefreshToken); resp.Text("error") != "invalid_client" {
		t.Errorf("response %s", resp.Body)
	}
	resp := a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/tiktok/v2/oauth/token/", JSON: `{}`})
	if resp.Text("error") != "invalid_request" {
		t.Errorf("response to JSON: %s", resp.Body)
	}
}

func TestRevokeEndsTheConnection(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	pair := a.refresh(http.StatusOK, a.seed.RefreshToken)
	form := url.Values{"client_key": {"app"}, "client_secret": {"secret"}, "token": {pair.Text("access_token")}}
	resp := a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/tiktok/v2/oauth/revoke/", Form: form})
	if len(resp.Body) != 0 {
		t.Errorf("response %s", resp.Body)
	}
	a.refresh(http.StatusBadRequest, pair.Text("refresh_token"))
	a.seed.AccessToken = pair.Text("access_token")
	a.refused(401, "access_token_invalid", "post/publish/creator_info/query/", "")
}

func TestHandles(t *testing.T) {
	t.Parallel()
	network := tiktok.Network(tiktok.Settings{})
	for handle, good := range map[string]bool{"team0123abcd": true, "crier_demo": true, "a.b": true, "a": false,
		"ends.": false, "has space": false,
		"more_than_twenty_four_chars": false} {
		seed, err := network.Seed(handle)
		if (err == nil) != good {
			t.Errorf("%s: %v", handle, err)
		}
		if good && (seed.RefreshToken == "" || len(seed.AccountID) != 36 || seed.ExpiresIn != 24*time.Hour) {
			t.Errorf("%s: %+v", handle, seed)
		}
	}
}
