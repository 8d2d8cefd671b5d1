package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"crier/internal/store"
)

// stockClient is the installation as an OAuth library sees it that knows nothing of crier.
func (s *server) stockClient() oauth2.Config {
	return oauth2.Config{ClientID: "a laptop", Endpoint: oauth2.Endpoint{DeviceAuthURL: s.url + "/v1/auth/device", TokenURL: s.url + "/v1/auth/token"}}
}

// beginDevice starts a device login.
func (s *server) beginDevice(tb testing.TB) *oauth2.DeviceAuthResponse {
	tb.Helper()
	config := s.stockClient()
	device, err := config.DeviceAuth(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return device
}

// token asks the token endpoint once.
func (s *server) token(tb testing.TB, form url.Values) response {
	tb.Helper()
	got, err := s.roundTrip(request{
		method: "POST", path: "/v1/auth/token", body: form.Encode(), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	if got.header.Get("Cache-Control") != "no-store" {
		tb.Errorf("tokens may be cached: %q", got.header.Get("Cache-Control"))
	}
	return got
}

func deviceGrant(device *oauth2.DeviceAuthResponse) url.Values {
	return url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {device.DeviceCode}}
}

func refreshGrant(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
}

func (r response) wantOAuthError(tb testing.TB, code string) {
	tb.Helper()
	r.want(tb, http.StatusBadRequest)
	if got := r.text(tb, "error"); got != code {
		tb.Fatalf("the error is %q, want %q: %s", got, code, r.body)
	}
}

func (b *browser) decide(tb testing.TB, device *oauth2.DeviceAuthResponse, decision string) pageSeen {
	tb.Helper()
	return b.post(tb, "/device", url.Values{"user_code": {device.UserCode}, "decision": {decision}})
}

// logIn is a device login from its beginning to its tokens.
func (s *server) logIn(tb testing.TB, b *browser) response {
	tb.Helper()
	device := s.beginDevice(tb)
	b.decide(tb, device, "approve").want(tb, http.StatusOK)
	return s.token(tb, deviceGrant(device)).want(tb, http.StatusOK)
}

func TestAStockOAuthLibraryLogsIn(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.newFounder(t, "ada@example.com")
		device := s.beginDevice(t)
		if device.VerificationURI != "http://crier.test/device" || device.VerificationURIComplete != "http://crier.test/device?user_code="+device.UserCode ||
			device.Interval != 5 || time.Until(device.Expiry).Round(time.Minute) != 15*time.Minute {
			t.Errorf("the answer is %+v", device)
		}
		b := s.browser(t)
		address := "/device?user_code=" + strings.ToLower(strings.ReplaceAll(device.UserCode, "-", " "))
		to := b.get(t, strings.ReplaceAll(address, " ", "+")).want(t, http.StatusSeeOther).header.Get("Location")
		sent, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		form := credentials(ada.email, passphrase)
		form.Set("next", sent.Query().Get("next"))
		back := b.post(t, "/sign-in", form).want(t, http.StatusSeeOther).header.Get("Location")
		if page := b.get(t, back).want(t, http.StatusOK); !strings.Contains(page.body, "a laptop") || !strings.Contains(page.body, device.UserCode) {
			t.Errorf("the page does not say who asks: %s", page.body)
		}
		b.decide(t, device, "approve").want(t, http.StatusOK)
		device.Interval = 1
		config := s.stockClient()
		token, err := config.DeviceAccessToken(t.Context(), device)
		if err != nil {
			t.Fatal(err)
		}
		if time.Until(token.Expiry).Round(time.Minute) != time.Hour || token.RefreshToken == "" {
			t.Errorf("the token is %+v", token)
		}
		who := s.as(t, token.AccessToken, "GET", "/v1/agent/context", nil).want(t, http.StatusOK)
		if who.text(t, "user", "email") != ada.email || who.text(t, "credential", "kind") != "access_token" || who.text(t, "credential", "name") != "a laptop" {
			t.Errorf("the token is somebody else: %s", who.body)
		}
		s.as(t, token.AccessToken, "POST", path("/v1/teams/%s/posts", ada.team), object{"text": "Hello"}).want(t, http.StatusCreated)
		s.as(t, token.AccessToken, "GET", path("/v1/teams/%s", s.team), nil).want(t, http.StatusForbidden)
		token.Expiry = time.Now().Add(-time.Minute)
		renewed, err := config.TokenSource(t.Context(), token).Token()
		if err != nil {
			t.Fatal(err)
		}
		if renewed.AccessToken == token.AccessToken || renewed.RefreshToken == token.RefreshToken {
			t.Error("the refresh token was not rotated")
		}
		s.as(t, renewed.AccessToken, "GET", "/v1/agent/context", nil).want(t, http.StatusOK)
		var refused *oauth2.RetrieveError
		if _, err := config.DeviceAccessToken(t.Context(), device); !errors.As(err, &refused) || refused.ErrorCode != "invalid_grant" {
			t.Errorf("a device code gave tokens twice: %v", err)
		}
	})
}

func TestADeviceThatAsksTooOftenHasToWaitLonger(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		device := s.beginDevice(t)
		s.token(t, deviceGrant(device)).wantOAuthError(t, "authorization_pending")
		s.token(t, deviceGrant(device)).wantOAuthError(t, "slow_down")
		c.advance(6 * time.Second)
		s.token(t, deviceGrant(device)).wantOAuthError(t, "slow_down")
		c.advance(16 * time.Second)
		s.token(t, deviceGrant(device)).wantOAuthError(t, "authorization_pending")
		c.advance(15 * time.Minute)
		s.token(t, deviceGrant(device)).wantOAuthError(t, "expired_token")
		s.token(t, url.Values{"grant_type": {"password"}}).wantOAuthError(t, "unsupported_grant_type")
		s.token(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"made up"}}).wantOAuthError(t, "invalid_grant")
	})
}

func TestAPersonDecidesOnceAboutADevice(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		s.newFounder(t, "ada@example.com")
		b := s.browser(t)
		b.decide(t, s.beginDevice(t), "approve").want(t, http.StatusSeeOther) // to sign in
		b.signIn(t, "ada@example.com")
		refused := s.beginDevice(t)
		b.decide(t, refused, "deny").want(t, http.StatusOK)
		s.token(t, deviceGrant(refused)).wantOAuthError(t, "access_denied")
		b.decide(t, refused, "approve").want(t, http.StatusNotFound)
		late := s.beginDevice(t)
		c.advance(16 * time.Minute)
		b.decide(t, late, "approve").want(t, http.StatusNotFound)
		for _, odd := range []string{"ABCD-EFGH", "\x00", "\xff\xfe", strings.Repeat("A", 4000)} {
			b.post(t, "/device", url.Values{"user_code": {odd}, "decision": {"approve"}}).want(t, http.StatusNotFound)
			b.get(t, "/device?user_code="+url.QueryEscape(odd)).want(t, http.StatusOK)
		}
	})
}

func TestTryingCodesOutIsSlowedDown(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	s.newFounder(t, "ada@example.com")
	b := s.browser(t)
	b.signIn(t, "ada@example.com")
	status := 0
	for range 25 {
		status = b.get(t, "/device?user_code=ABCD-EFGH").status
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the 25th guess is answered with %d", status)
	}
}

func TestDevicesMayCallThemselvesAnything(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, odd := range []string{"", "\x00\x1b[31m", "\xff", strings.Repeat("ü", 500), "<script>"} {
			config := s.stockClient()
			config.ClientID = odd
			if _, err := config.DeviceAuth(t.Context()); err != nil {
				t.Errorf("%.20q: %v", odd, err)
			}
		}
		if n := s.number(t, `SELECT count(*) FROM device_logins WHERE length(client_name) BETWEEN 1 AND 64`); n != 5 {
			t.Errorf("%d devices have a name of a sane length, want 5", n)
		}
	})
}

func TestTheReuseOfARefreshTokenEndsTheLogin(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		s.newFounder(t, "ada@example.com")
		b := s.browser(t)
		b.signIn(t, "ada@example.com")
		first, other := s.logIn(t, b), s.logIn(t, b)
		second := s.token(t, refreshGrant(first.text(t, "refresh_token"))).want(t, http.StatusOK)
		s.wantKnown(t, second.text(t, "access_token"), true)
		s.token(t, refreshGrant(first.text(t, "refresh_token"))).wantOAuthError(t, "invalid_grant")
		for _, token := range []string{first.text(t, "access_token"), second.text(t, "access_token")} {
			s.wantKnown(t, token, false)
		}
		s.token(t, refreshGrant(second.text(t, "refresh_token"))).wantOAuthError(t, "invalid_grant")
		s.wantKnown(t, other.text(t, "access_token"), true)
		c.advance(61 * time.Minute)
		s.wantKnown(t, other.text(t, "access_token"), false)
		third := s.token(t, refreshGrant(other.text(t, "refresh_token"))).want(t, http.StatusOK)
		c.advance(30*24*time.Hour + time.Minute)
		s.token(t, refreshGrant(third.text(t, "refresh_token"))).wantOAuthError(t, "invalid_grant")
	})
}

// wantKnown fails unless a token is let in, or not.
func (s *server) wantKnown(tb testing.TB, token string, known bool) {
	tb.Helper()
	want := http.StatusUnauthorized
	if known {
		want = http.StatusOK
	}
	s.as(tb, token, "GET", "/v1/agent/context", nil).want(tb, want)
}

func TestRevokingAndSigningOutEverywhereEndDevices(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.newFounder(t, "ada@example.com")
		b, elsewhere := s.browser(t), s.browser(t)
		b.signIn(t, "ada@example.com")
		elsewhere.signIn(t, "ada@example.com")
		revoked, kept := s.logIn(t, b), s.logIn(t, b)
		for _, token := range []string{revoked.text(t, "refresh_token"), "made up"} {
			got, err := s.roundTrip(request{
				method: "POST", path: "/v1/auth/revoke", body: url.Values{"token": {token}}.Encode(), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			})
			if err != nil || got.status != http.StatusOK {
				t.Errorf("revoke: %v %s", err, got.body)
			}
		}
		s.wantKnown(t, revoked.text(t, "access_token"), false)
		s.wantKnown(t, kept.text(t, "access_token"), true)
		approved := s.beginDevice(t)
		b.decide(t, approved, "approve").want(t, http.StatusOK)
		b.post(t, "/sign-out", url.Values{"everywhere": {"yes"}}).want(t, http.StatusSeeOther)
		elsewhere.get(t, "/account").want(t, http.StatusSeeOther)
		s.wantKnown(t, kept.text(t, "access_token"), false)
		s.token(t, refreshGrant(kept.text(t, "refresh_token"))).wantOAuthError(t, "invalid_grant")
		s.token(t, deviceGrant(approved)).wantOAuthError(t, "access_denied")
	})
}

func TestEndedLoginsAndLinksAreSwept(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		ada := s.newFounder(t, "ada@example.com")
		b := s.browser(t)
		b.signIn(t, ada.email)
		sweep := func() {
			if err := s.node.services.Upkeep.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		rows := func() (counts []int64) {
			for _, table := range []string{"token_families", "access_tokens", "refresh_tokens", "device_logins", "sessions", "invitations"} {
				counts = append(counts, s.number(t, `SELECT count(*) FROM `+table))
			}
			return counts
		}
		kept := s.logIn(t, b)
		revoked := s.logIn(t, b)
		s.beginDevice(t)
		s.invite(t, ada.key, ada, object{"email": "new@example.com", "role": "viewer"})
		if err := s.node.services.Devices.Revoke(t.Context(), revoked.text(t, "access_token")); err != nil {
			t.Fatal(err)
		}
		sweep()
		if got, want := rows(), []int64{2, 2, 2, 3, 1, 1}; !slices.Equal(got, want) {
			t.Errorf("while all is fresh there are %v, want %v", got, want)
		}
		c.advance(25 * time.Hour)
		sweep()
		if got, want := rows(), []int64{1, 0, 1, 0, 1, 1}; !slices.Equal(got, want) {
			t.Errorf("a day later there are %v, want %v", got, want)
		}
		s.token(t, refreshGrant(kept.text(t, "refresh_token"))).want(t, http.StatusOK)
		c.advance(31 * 24 * time.Hour)
		sweep()
		if got, want := rows(), []int64{0, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("a month later there are %v, want %v", got, want)
		}
	})
}
