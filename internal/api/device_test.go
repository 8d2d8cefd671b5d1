package api_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestStockOAuthLibraryLogsIn(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		device := s.StartDeviceLogin(t)
		if device.VerificationURI != "http://crier.test/device" ||
			device.VerificationURIComplete != "http://crier.test/device?user_code="+device.UserCode ||
			device.Interval != 5 || time.Until(device.Expiry).Round(time.Minute) != 15*time.Minute {
			t.Errorf("the answer is %+v", device)
		}
		b := s.NewBrowser(t)
		address := "/device?user_code=" + strings.ToLower(strings.ReplaceAll(device.UserCode, "-", " "))
		to := b.Get(t, strings.ReplaceAll(address, " ", "+")).Want(t, http.StatusSeeOther).Header.Get("Location")
		sent, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		form := servertest.Credentials(ada.Email, servertest.Passphrase)
		form.Set("next", sent.Query().Get("next"))
		back := b.Post(t, "/sign-in", form).Want(t, http.StatusSeeOther).Header.Get("Location")
		if page := b.Get(t, back).Want(t, http.StatusOK); !strings.Contains(page.Body, "a laptop") ||
			!strings.Contains(page.Body, device.UserCode) {
			t.Errorf("the page does not say who asks: %s", page.Body)
		}
		b.Decide(t, device, "approve").Want(t, http.StatusOK)
		device.Interval = 1
		config := s.StockClient()
		token, err := config.DeviceAccessToken(t.Context(), device)
		if err != nil {
			t.Fatal(err)
		}
		if time.Until(token.Expiry).Round(time.Minute) != time.Hour || token.RefreshToken == "" {
			t.Errorf("the token is %+v", token)
		}
		who := s.As(t, token.AccessToken, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		if who.Text(t, "user", "email") != ada.Email || who.Text(t, "credential", "kind") != "access_token" ||
			who.Text(t, "credential", "name") != "a laptop" {
			t.Errorf("the token is somebody else: %s", who.Body)
		}
		s.As(t, token.AccessToken, "POST", path("/v1/teams/%s/posts", ada.Team), object{"text": "Hello"}).Want(t,
			http.StatusCreated)
		s.As(t, token.AccessToken, "GET", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusForbidden)
		token.Expiry = time.Now().Add(-time.Minute)
		renewed, err := config.TokenSource(t.Context(), token).Token()
		if err != nil {
			t.Fatal(err)
		}
		if renewed.AccessToken == token.AccessToken || renewed.RefreshToken == token.RefreshToken {
			t.Error("the refresh token was not rotated")
		}
		s.As(t, renewed.AccessToken, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		var refused *oauth2.RetrieveError
		if _, err := config.DeviceAccessToken(t.Context(), device); !errors.As(err, &refused) ||
			refused.ErrorCode != "invalid_grant" {
			t.Errorf("a device code gave tokens twice: %v", err)
		}
	})
}

func TestDevicePollingTooOftenIsSlowedDown(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := servertest.NewStoppedClock()
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		device := s.StartDeviceLogin(t)
		s.Token(t, servertest.DeviceGrant(device)).WantOAuthError(t, "authorization_pending")
		s.Token(t, servertest.DeviceGrant(device)).WantOAuthError(t, "slow_down")
		c.Advance(6 * time.Second)
		s.Token(t, servertest.DeviceGrant(device)).WantOAuthError(t, "slow_down")
		c.Advance(16 * time.Second)
		s.Token(t, servertest.DeviceGrant(device)).WantOAuthError(t, "authorization_pending")
		c.Advance(15 * time.Minute)
		s.Token(t, servertest.DeviceGrant(device)).WantOAuthError(t, "expired_token")
		s.Token(t, url.Values{"grant_type": {"password"}}).WantOAuthError(t, "unsupported_grant_type")
		s.Token(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"made up"}}).WantOAuthError(t,
			"invalid_grant")
	})
}

// RFC 6749, section 5.2: a request that lacks a parameter is invalid, whatever is granted.
func TestTokenRequestNeedsItsParameters(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		for grant, field := range map[string]string{"": "grant_type", "refresh_token": "refresh_token",
			"authorization_code": "code", "urn:ietf:params:oauth:grant-type:device_code": "device_code"} {
			form := url.Values{}
			if grant != "" {
				form.Set("grant_type", grant)
			}
			for range 2 { // absent and empty
				refused := s.Token(t, form)
				refused.WantOAuthError(t, "invalid_request")
				if got := refused.Text(t, "error_description"); got != field+" is required" {
					t.Errorf("%q: %s", grant, got)
				}
				form.Set(field, "")
			}
		}
	})
}

func TestDeviceIsDecidedOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		b.Decide(t, s.StartDeviceLogin(t), "approve").Want(t, http.StatusSeeOther) // redirects to the sign-in
		b.SignIn(t, "ada@example.com")
		refused := s.StartDeviceLogin(t)
		b.Decide(t, refused, "deny").Want(t, http.StatusOK)
		s.Token(t, servertest.DeviceGrant(refused)).WantOAuthError(t, "access_denied")
		b.Decide(t, refused, "approve").Want(t, http.StatusNotFound)
		late := s.StartDeviceLogin(t)
		c.Advance(16 * time.Minute)
		b.Decide(t, late, "approve").Want(t, http.StatusNotFound)
		for _, odd := range []string{"ABCD-EFGH", "\x00", "\xff\xfe", strings.Repeat("A", 4000)} {
			b.Post(t, "/device", url.Values{"user_code": {odd}, "decision": {"approve"}}).Want(t, http.StatusNotFound)
			b.Get(t, "/device?user_code="+url.QueryEscape(odd)).Want(t, http.StatusOK)
		}
	})
}

func TestGuessingUserCodesIsThrottled(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	status := 0
	for range 25 {
		status = b.Get(t, "/device?user_code=ABCD-EFGH").Status
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the 25th guess is answered with %d", status)
	}
}

func TestAnyDeviceNameIsAccepted(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, odd := range []string{"", "\x00\x1b[31m", "\xff", strings.Repeat("ü", 500), "<script>"} {
			config := s.StockClient()
			config.ClientID = odd
			if _, err := config.DeviceAuth(t.Context()); err != nil {
				t.Errorf("%.20q: %v", odd, err)
			}
		}
		if n := s.Number(t, `SELECT count(*) FROM device_logins WHERE length(client_name) BETWEEN 1 AND 64`); n != 5 {
			t.Errorf("%d devices have a name of a sane length, want 5", n)
		}
	})
}

func TestRefreshTokenReuseEndsTheLogin(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		b.SignIn(t, "ada@example.com")
		first, other := s.LogIn(t, b), s.LogIn(t, b)
		second := s.Token(t, servertest.RefreshGrant(first.Text(t, "refresh_token"))).Want(t, http.StatusOK)
		s.WantKnown(t, second.Text(t, "access_token"), true)
		s.Token(t, servertest.RefreshGrant(first.Text(t, "refresh_token"))).WantOAuthError(t, "invalid_grant")
		for _, token := range []string{first.Text(t, "access_token"), second.Text(t, "access_token")} {
			s.WantKnown(t, token, false)
		}
		s.Token(t, servertest.RefreshGrant(second.Text(t, "refresh_token"))).WantOAuthError(t, "invalid_grant")
		s.WantKnown(t, other.Text(t, "access_token"), true)
		c.Advance(61 * time.Minute)
		s.WantKnown(t, other.Text(t, "access_token"), false)
		third := s.Token(t, servertest.RefreshGrant(other.Text(t, "refresh_token"))).Want(t, http.StatusOK)
		c.Advance(30*24*time.Hour + time.Minute)
		s.Token(t, servertest.RefreshGrant(third.Text(t, "refresh_token"))).WantOAuthError(t, "invalid_grant")
	})
}

func TestRevokingAndSigningOutEverywhereEndDevices(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.NewFounder(t, "ada@example.com")
		b, elsewhere := s.NewBrowser(t), s.NewBrowser(t)
		b.SignIn(t, "ada@example.com")
		elsewhere.SignIn(t, "ada@example.com")
		revoked, kept := s.LogIn(t, b), s.LogIn(t, b)
		for _, token := range []string{revoked.Text(t, "refresh_token"), "made up"} {
			got, err := s.RoundTrip(servertest.Request{
				Method: "POST", Path: "/v1/auth/revoke", Body: url.Values{"token": {token}}.Encode(),
				Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			})
			if err != nil || got.Status != http.StatusOK {
				t.Errorf("revoke: %v %s", err, got.Body)
			}
		}
		s.WantKnown(t, revoked.Text(t, "access_token"), false)
		s.WantKnown(t, kept.Text(t, "access_token"), true)
		approved := s.StartDeviceLogin(t)
		b.Decide(t, approved, "approve").Want(t, http.StatusOK)
		b.Post(t, "/sign-out", url.Values{"everywhere": {"yes"}}).Want(t, http.StatusSeeOther)
		elsewhere.Get(t, "/account").Want(t, http.StatusSeeOther)
		s.WantKnown(t, kept.Text(t, "access_token"), false)
		s.Token(t, servertest.RefreshGrant(kept.Text(t, "refresh_token"))).WantOAuthError(t, "invalid_grant")
		s.Token(t, servertest.DeviceGrant(approved)).WantOAuthError(t, "access_denied")
	})
}

func TestEndedLoginsAndLinksAreSwept(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		ada := s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		b.SignIn(t, ada.Email)
		sweep := func() {
			if err := s.Node.Services.Upkeep.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		rows := func() (counts []int64) {
			for _, table := range []string{"token_families", "access_tokens", "refresh_tokens", "device_logins",
				"sessions", "invitations"} {
				counts = append(counts, s.Number(t, `SELECT count(*) FROM `+table))
			}
			return counts
		}
		kept := s.LogIn(t, b)
		revoked := s.LogIn(t, b)
		s.StartDeviceLogin(t)
		s.invite(t, ada.Key, ada, object{"email": "new@example.com", "role": "viewer"})
		if err := s.Node.Services.Devices.Revoke(t.Context(), revoked.Text(t, "access_token")); err != nil {
			t.Fatal(err)
		}
		sweep()
		if got, want := rows(), []int64{2, 2, 2, 3, 2, 1}; !slices.Equal(got, want) {
			t.Errorf("while all is fresh there are %v, want %v", got, want)
		}
		c.Advance(25 * time.Hour)
		sweep()
		if got, want := rows(), []int64{1, 0, 1, 0, 2, 1}; !slices.Equal(got, want) {
			t.Errorf("a day later there are %v, want %v", got, want)
		}
		s.Token(t, servertest.RefreshGrant(kept.Text(t, "refresh_token"))).Want(t, http.StatusOK)
		c.Advance(31 * 24 * time.Hour)
		sweep()
		if got, want := rows(), []int64{0, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("a month later there are %v, want %v", got, want)
		}
	})
}
