package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases storetest.Suite

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

const (
	home     = "https://crier.example"
	redirect = "http://127.0.0.1:4000/back"
	session  = "a session"
)

var secret = strings.Repeat("k", 43)

// fixture is the package's rules on a store, at a time set by the test.
type fixture struct {
	Rules
	f   *storetest.Fixture
	now time.Time
}

func newFixture(t *testing.T, f *storetest.Fixture) *fixture {
	t.Helper()
	d := &fixture{f: f, now: f.Now.Time}
	d.Rules = New(Config{Store: f.Store, Keys: ring(t, secret), Clock: func() time.Time { return d.now },
		PublicURL: home, Registration: true,
		Clients: []Client{{ID: "inspector", Name: "Inspector", RedirectURIs: []string{redirect}, Configured: true},
			{ID: "other", Name: "Other", RedirectURIs: []string{redirect}, Configured: true}}})
	return d
}

func ring(t *testing.T, secrets string) *auth.Keyring {
	t.Helper()
	keys, err := auth.NewKeyring(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// works reports whether an access token is valid.
func (d *fixture) works(t *testing.T, tokens crier.BearerTokens) bool {
	t.Helper()
	found, err := d.f.AccessToken(t.Context(), auth.Hash(tokens.AccessToken), crier.TimeOf(d.now))
	if err == nil && found.Person.ID != d.f.Owner.ID {
		t.Errorf("the token is that of %s", found.Person.ID)
	}
	return err == nil
}

// code returns the code of an OAuth error; "" without an error.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	known, ok := errors.AsType[*crier.OAuthError](err)
	if !ok {
		t.Fatalf("a program cannot be told %v", err)
	}
	return known.Code
}

// signedIn completes a device login.
func (d *fixture) signedIn(t *testing.T) crier.BearerTokens {
	t.Helper()
	device, err := d.Devices.Start(t.Context(), "Laptop")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Devices.Decide(t.Context(), d.f.Owner.ID, device.UserCode, true); err != nil {
		t.Fatal(err)
	}
	tokens, err := d.Devices.Redeem(t.Context(), device.DeviceCode)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func TestDevicePollingResponses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status string
		age    time.Duration
		// ago is the time since the device's last poll; negative for never.
		ago  time.Duration
		want string
	}{
		{"nobody has decided", "pending", time.Minute, -1, "authorization_pending"},
		{"it asked in time", "pending", time.Minute, 5 * time.Second, "authorization_pending"},
		{"a ticker is early by what the network took", "pending", time.Minute, 4 * time.Second,
			"authorization_pending"},
		{"it asked too early", "pending", time.Minute, 4*time.Second - time.Microsecond, "slow_down"},
		{"too early does not keep it from its tokens", "approved", time.Minute, 0, ""},
		{"the person declined", "denied", time.Minute, 0, "access_denied"},
		{"at the last moment", "approved", deviceLife - time.Microsecond, -1, ""},
		{"too late", "approved", deviceLife, -1, "expired_token"},
		{"a refusal that is too old", "denied", deviceLife, -1, "expired_token"},
		{"a used code stays used", "used", time.Minute, -1, "invalid_grant"},
		{"a used code of long ago", "used", deviceLife, -1, "invalid_grant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
			d := &store.DeviceLogin{Status: c.status, Interval: deviceInterval,
				ExpiresAt: crier.TimeOf(now.Add(deviceLife - c.age))}
			if c.ago >= 0 {
				polled := crier.TimeOf(now.Add(-c.ago))
				d.PolledAt = &polled
			}
			devices := &Devices{clock: func() time.Time { return now }}
			if got := code(t, devices.refuseDevice(d)); got != c.want {
				t.Errorf("the answer is %q, want %q", got, c.want)
			}
		})
	}
}

func TestFastPollingAddsFiveSeconds(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d := newFixture(t, f)
		device, err := d.Devices.Start(t.Context(), "Laptop")
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			after time.Duration
			want  string
		}{
			{0, "authorization_pending"}, {time.Second, "slow_down"}, // 10 s from now on
			{5 * time.Second, "slow_down"}, // 15 s
			{14 * time.Second, "authorization_pending"}, {13 * time.Second, "slow_down"},
			{20 * time.Second, "authorization_pending"},
		} {
			d.now = d.now.Add(c.after)
			_, err := d.Devices.Redeem(t.Context(), device.DeviceCode)
			if got := code(t, err); got != c.want {
				t.Errorf("question %d: %q, want %q", i, got, c.want)
			}
		}
	})
}

func TestDeviceCodeRedeemedManyTimesAtOnceGivesTokensOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d := newFixture(t, f)
		device, err := d.Devices.Start(t.Context(), "Laptop")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Devices.Decide(t.Context(), f.Owner.ID, device.UserCode, true); err != nil {
			t.Fatal(err)
		}
		answers := atOnce(4, func() error {
			_, err := d.Devices.Redeem(t.Context(), device.DeviceCode)
			return err
		})
		if given := count(t, answers, ""); given != 1 || count(t, answers, "invalid_grant") != 3 {
			t.Errorf("%d got tokens: %v", given, answers)
		}
		if n := f.Scan(`SELECT count(*) FROM token_families`); n != 1 {
			t.Errorf("there are %d logins", n)
		}
	})
}

func atOnce(n int, fn func() error) []error {
	answers := make([]error, n)
	var callers sync.WaitGroup
	for i := range answers {
		callers.Go(func() { answers[i] = fn() })
	}
	callers.Wait()
	return answers
}

func count(t *testing.T, answers []error, want string) (n int) {
	t.Helper()
	for _, err := range answers {
		if code(t, err) == want {
			n++
		}
	}
	return n
}

func TestDeviceDecisionCountsOnceAndInTime(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d, ctx := newFixture(t, f), t.Context()
		device, err := d.Devices.Start(ctx, "\u202eLaptop\x07")
		if err != nil {
			t.Fatal(err)
		}
		// As people type it.
		typed := strings.ToLower(strings.ReplaceAll(device.UserCode, "-", " . "))
		pending, err := d.Devices.Pending(ctx, typed)
		if err != nil || pending == nil || pending.ClientName != "Laptop" {
			t.Fatalf("the person is asked about %+v, %v", pending, err)
		}
		for _, wrong := range []string{"", "ABCD-EFG", device.UserCode + "A", device.UserCode[:4]} {
			if err := d.Devices.Decide(ctx, f.Owner.ID, wrong, true); kindOf(err) != crier.KindNotFound {
				t.Errorf("the code %q: %v", wrong, err)
			}
		}
		if err := d.Devices.Decide(ctx, f.Owner.ID, typed, false); err != nil {
			t.Fatal(err)
		}
		if err := d.Devices.Decide(ctx, f.Owner.ID, device.UserCode, true); kindOf(err) != crier.KindNotFound {
			t.Errorf("the person changed their mind: %v", err)
		}
		if pending, err := d.Devices.Pending(ctx, device.UserCode); pending != nil || err != nil {
			t.Errorf("they are asked again: %+v, %v", pending, err)
		}
		if _, err := d.Devices.Redeem(ctx, device.DeviceCode); code(t, err) != "access_denied" {
			t.Errorf("the device is told %v", err)
		}
		late, err := d.Devices.Start(ctx, "")
		if err != nil || late.ExpiresIn != int(deviceLife.Seconds()) ||
			late.VerificationURIComplete != home+"/device?user_code="+late.UserCode {
			t.Fatalf("%+v, %v", late, err)
		}
		d.now = d.now.Add(deviceLife)
		if err := d.Devices.Decide(ctx, f.Owner.ID, late.UserCode, true); kindOf(err) != crier.KindNotFound {
			t.Errorf("the word counts after the end: %v", err)
		}
	})
}

func kindOf(err error) crier.Kind {
	refusal, _ := errors.AsType[*crier.Error](err)
	if refusal == nil {
		return ""
	}
	return refusal.Kind
}

func TestUserCodesAreNormalized(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"BDWP-HQXT": "BDWP-HQXT", "bdwphqxt": "BDWP-HQXT", " bdwp hqxt\n": "BDWP-HQXT", "b.d.w.p.h.q.x.t": "BDWP-HQXT",
		"BDWP–HQXT": "BDWP-HQXT", "BDWP": "BDWP", "BDWP-HQXTA": "BDWPHQXTA", "12345678": "", "": "", "ÄÖ": "",
		"'; DROP": "DROP",
	} {
		if got := normalizeCode(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

func TestTokensExpireAndAreRefreshed(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d, ctx := newFixture(t, f), t.Context()
		first := d.signedIn(t)
		if first.TokenType != "Bearer" || first.ExpiresIn != int(accessLife.Seconds()) {
			t.Errorf("the tokens are %+v", first)
		}
		d.now = d.now.Add(accessLife - time.Microsecond)
		if !d.works(t, first) {
			t.Error("the token ends before its time")
		}
		d.now = d.now.Add(time.Microsecond)
		if d.works(t, first) {
			t.Error("the token works after its end")
		}
		d.now = d.now.Add(refreshLife - accessLife - time.Microsecond) // the last moment
		second, err := d.Devices.Refresh(ctx, first.RefreshToken, "")
		if err != nil || !d.works(t, second) || second.RefreshToken == first.RefreshToken {
			t.Fatalf("the renewed tokens are %+v, %v", second, err)
		}
		d.now = d.now.Add(refreshLife)
		for name, token := range map[string]string{"too late": second.RefreshToken, "unknown": "crier_x", "empty": "",
			"an access token": second.AccessToken} {
			if _, err := d.Devices.Refresh(ctx, token, ""); code(t, err) != "invalid_grant" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A copied refresh token is detected when the second of the two holders uses it.
func TestRefreshTokenUsedManyTimesAtOnceEndsTheLogin(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d, ctx := newFixture(t, f), t.Context()
		stolen, other := d.signedIn(t), d.signedIn(t)
		var given crier.BearerTokens
		var mu sync.Mutex
		answers := atOnce(3, func() error {
			tokens, err := d.Devices.Refresh(ctx, stolen.RefreshToken, "")
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				given = tokens
			}
			return err
		})
		if n := count(t, answers, ""); n != 1 {
			t.Fatalf("%d of them got tokens: %v", n, answers)
		}
		for name, tokens := range map[string]crier.BearerTokens{"the stolen one": stolen, "the renewed one": given} {
			if d.works(t, tokens) {
				t.Errorf("%s works still", name)
			}
		}
		if _, err := d.Devices.Refresh(ctx, given.RefreshToken, ""); code(t, err) != "invalid_grant" {
			t.Errorf("the login goes on: %v", err)
		}
		if !d.works(t, other) {
			t.Error("another login of the person was ended")
		}
	})
}

func TestRevokingATokenEndsOnlyItsLogin(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d, ctx := newFixture(t, f), t.Context()
		kept := d.signedIn(t)
		for _, which := range []func(crier.BearerTokens) string{
			func(b crier.BearerTokens) string { return b.AccessToken },
			func(b crier.BearerTokens) string { return b.RefreshToken },
		} {
			tokens := d.signedIn(t)
			for range 2 { // repeating it is no error
				if err := d.Devices.Revoke(ctx, which(tokens)); err != nil {
					t.Fatal(err)
				}
			}
			if d.works(t, tokens) {
				t.Error("the token works after its end")
			}
			if _, err := d.Devices.Refresh(ctx, tokens.RefreshToken, ""); code(t, err) != "invalid_grant" {
				t.Errorf("it is renewed after its end: %v", err)
			}
		}
		if err := d.Devices.Revoke(ctx, "unknown"); err != nil || !d.works(t, kept) {
			t.Errorf("an unknown token: %v", err)
		}
	})
}

// The authorization code flow.

var (
	verifier  = strings.Repeat("v", 43)
	challenge = challengeOf(verifier)
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func request() AuthorizationRequest {
	return AuthorizationRequest{ClientID: "inspector", RedirectURI: redirect, ResponseType: "code",
		Challenge: challenge, ChallengeMethod: "S256", Resource: home + "/mcp", State: "the state"}
}

// query returns the parameters of the redirect.
func query(t *testing.T, to *SentBack) url.Values {
	t.Helper()
	if to == nil {
		t.Fatal("nobody is sent anywhere")
	}
	u, err := url.Parse(to.Address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// approved returns the code that a client gets when the person agrees.
func (d *fixture) approved(t *testing.T, r AuthorizationRequest) string {
	t.Helper()
	consent, err := d.Authorizations.Consent(t.Context(), d.f.Owner.ID, session, r)
	if err != nil {
		t.Fatal(err)
	}
	to, err := d.Authorizations.Decide(t.Context(), d.f.Owner.ID, session, consent.Ticket, true)
	if err != nil {
		t.Fatal(err)
	}
	return query(t, to).Get("code")
}

func grant(code string) CodeGrant {
	return CodeGrant{Code: code, ClientID: "inspector", RedirectURI: redirect, Verifier: verifier}
}

func TestConsentShowsClientAndScopes(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d := newFixture(t, f)
		consent, err := d.Authorizations.Consent(t.Context(), f.Owner.ID, session, request())
		if err != nil || consent.Client.Name != "Inspector" || consent.RedirectURI != redirect ||
			consent.Resource != home+"/mcp" || len(consent.Roles) != 1 || consent.Roles[0].Organization != "Acme" ||
			consent.Roles[0].Role != crier.RoleOwner {
			t.Errorf("the question is %+v, %v", consent, err)
		}
		no, err := d.Authorizations.Decide(t.Context(), f.Owner.ID, session, consent.Ticket, false)
		if err != nil || query(t, no).Get("error") != "access_denied" || query(t, no).Get("state") != "the state" ||
			query(t, no).Get("iss") != home || query(t, no).Has("code") {
			t.Errorf("the client is told %+v, %v", no, err)
		}
		if n := f.Scan(`SELECT count(*) FROM authorization_codes`); n != 0 {
			t.Errorf("a refusal makes %d codes", n)
		}
	})
}

func TestAuthorizationErrorsGoToTheRightParty(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	d := newFixture(t, f)
	for name, c := range map[string]struct {
		change func(*AuthorizationRequest)
		// person is the kind of error that the person sees, client the one that the program gets.
		person crier.Kind
		client string
	}{
		"nothing":            {func(*AuthorizationRequest) {}, "", ""},
		"no resource":        {func(r *AuthorizationRequest) { r.Resource = "" }, "", ""},
		"a slash at the end": {func(r *AuthorizationRequest) { r.Resource += "/" }, "", ""},
		"the longest state":  {func(r *AuthorizationRequest) { r.State = strings.Repeat("s", maxState) }, "", ""},
		"another port": {func(r *AuthorizationRequest) { r.RedirectURI = "http://127.0.0.1:1/back" }, "",
			""},
		"an unknown program": {func(r *AuthorizationRequest) { r.ClientID = "x" }, crier.KindNotFound, ""},
		"no program":         {func(r *AuthorizationRequest) { r.ClientID = "" }, crier.KindNotFound, ""},
		"another address":    {func(r *AuthorizationRequest) { r.RedirectURI += "2" }, crier.KindInvalid, ""},
		"no address":         {func(r *AuthorizationRequest) { r.RedirectURI = "" }, crier.KindInvalid, ""},
		"an address of a script": {func(r *AuthorizationRequest) { r.RedirectURI = "javascript:x" }, crier.KindInvalid,
			""},
		"an address with a tail": {func(r *AuthorizationRequest) { r.RedirectURI += "#x" }, crier.KindInvalid, ""},
		"an implicit grant": {func(r *AuthorizationRequest) { r.ResponseType = "token" }, "",
			"unsupported_response_type"},
		"a plain challenge": {func(r *AuthorizationRequest) { r.ChallengeMethod = "plain" }, "",
			"invalid_request"},
		"no method":          {func(r *AuthorizationRequest) { r.ChallengeMethod = "" }, "", "invalid_request"},
		"no challenge":       {func(r *AuthorizationRequest) { r.Challenge = "" }, "", "invalid_request"},
		"a challenge with =": {func(r *AuthorizationRequest) { r.Challenge += "=" }, "", "invalid_request"},
		"another resource":   {func(r *AuthorizationRequest) { r.Resource = home }, "", "invalid_target"},
		"a resource of elsewhere": {func(r *AuthorizationRequest) { r.Resource = "https://x/mcp" }, "",
			"invalid_target"},
		"a long state": {func(r *AuthorizationRequest) { r.State = strings.Repeat("s", maxState+1) }, "",
			"invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request()
			c.change(&r)
			consent, err := d.Authorizations.Consent(t.Context(), f.Owner.ID, session, r)
			back, sent := errors.AsType[*SentBack](err)
			if (err == nil) != (c.person == "" && c.client == "") || kindOf(err) != c.person ||
				sent != (c.client != "") {
				t.Fatalf("the answer is %+v, %v", consent, err)
			}
			if sent && (query(t, back).Get("error") != c.client || query(t, back).Get("state") != r.State) {
				t.Errorf("the program is told %s", back.Address)
			}
			if err != nil && consent.Ticket != "" {
				t.Error("there is a ticket without a question")
			}
		})
	}
}

// The response is added to the client's redirect URI, whose own parameters are kept.
func TestResponseIsAddedToTheRedirectURI(t *testing.T) {
	t.Parallel()
	s := &Authorizations{publicURL: home}
	for address, want := range map[string]string{
		"https://a.example/back":      "https://a.example/back?code=c&iss=https%3A%2F%2Fcrier.example&state=a+b%26c",
		"https://a.example/back?":     "https://a.example/back?code=c&iss=https%3A%2F%2Fcrier.example&state=a+b%26c",
		"https://a.example/back?x=%2": "",
		"https://a.example/b?x=1&y=%26": "https://a.example/b?x=1&y=%26&" +
			"code=c&iss=https%3A%2F%2Fcrier.example&state=a+b%26c",
	} {
		got := s.sendBack(ticketData{RedirectURI: address, State: "a b&c"}, url.Values{"code": {"c"}}).Address
		if want != "" && got != want {
			t.Errorf("%s: the browser is sent to %s, want %s", address, got, want)
		}
		if !strings.HasPrefix(got, strings.TrimSuffix(address, "?")) {
			t.Errorf("%s was changed to %s", address, got)
		}
	}
}

func TestTicketIsBoundToPersonSessionAndTime(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d, ctx := newFixture(t, f), t.Context()
		consent, err := d.Authorizations.Consent(ctx, f.Owner.ID, session, request())
		if err != nil {
			t.Fatal(err)
		}
		stranger := f.NewUser("other@acme.example").ID
		start := d.now
		for name, c := range map[string]struct {
			user            crier.ID
			session, ticket string
			after           time.Duration
			keys            string
			good            bool
		}{
			"at the last moment": {f.Owner.ID, session, consent.Ticket, consentLife - time.Microsecond, secret, true},
			"after a new key": {f.Owner.ID, session, consent.Ticket, 0, strings.Repeat("n", 43) + "," + secret,
				true},
			"too late":        {f.Owner.ID, session, consent.Ticket, consentLife, secret, false},
			"another person":  {stranger, session, consent.Ticket, 0, secret, false},
			"another session": {f.Owner.ID, "another", consent.Ticket, 0, secret, false},
			"no session":      {f.Owner.ID, "", consent.Ticket, 0, secret, false},
			"another key":     {f.Owner.ID, session, consent.Ticket, 0, strings.Repeat("n", 43), false},
			"cut off":         {f.Owner.ID, session, consent.Ticket[:len(consent.Ticket)-4], 0, secret, false},
			"no ticket":       {f.Owner.ID, session, "", 0, secret, false},
			"no base64":       {f.Owner.ID, session, "…", 0, secret, false},
		} {
			d.now = start.Add(c.after)
			d.Authorizations.keys = ring(t, c.keys)
			to, err := d.Authorizations.Decide(ctx, c.user, c.session, c.ticket, true)
			if (err == nil) != c.good || !c.good && kindOf(err) != crier.KindNotFound {
				t.Errorf("%s: %+v, %v", name, to, err)
			}
		}
	})
}

func TestCodeIsBoundToItsRequest(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d := newFixture(t, f)
		for _, c := range []struct {
			name   string
			change func(*CodeGrant)
			after  time.Duration
			want   string
		}{
			{"as asked", func(*CodeGrant) {}, codeLife - time.Microsecond, ""},
			{"with the resource", func(g *CodeGrant) { g.Resource = home + "/mcp" }, 0, ""},
			{"too late", func(*CodeGrant) {}, codeLife, "invalid_grant"},
			{"an unknown code", func(g *CodeGrant) { g.Code += "x" }, 0, "invalid_grant"},
			{"another program", func(g *CodeGrant) { g.ClientID = "other" }, 0, "invalid_grant"},
			{"another port", func(g *CodeGrant) { g.RedirectURI = "http://127.0.0.1:1/back" }, 0, "invalid_grant"},
			{"another verifier", func(g *CodeGrant) { g.Verifier = strings.Repeat("w", 43) }, 0, "invalid_grant"},
			{"no verifier", func(g *CodeGrant) { g.Verifier = "" }, 0, "invalid_grant"},
			{"the challenge itself", func(g *CodeGrant) { g.Verifier = challenge }, 0, "invalid_grant"},
			{"another resource", func(g *CodeGrant) { g.Resource = home + "/v1" }, 0, "invalid_target"},
		} {
			g := grant(d.approved(t, request()))
			c.change(&g)
			d.now = d.now.Add(c.after)
			tokens, err := d.Authorizations.Exchange(t.Context(), g)
			if got := code(t, err); got != c.want || (c.want == "") != d.works(t, tokens) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	})
}

func TestLengthOfAVerifierIsBounded(t *testing.T) {
	t.Parallel()
	for length, good := range map[int]bool{0: false, 42: false, 43: true, 128: true, 129: false} {
		verifier := strings.Repeat("a", length)
		if got := verifies(verifier, challengeOf(verifier)); got != good {
			t.Errorf("%d characters: %v", length, got)
		}
	}
}

func TestCodeReuseAtOnceRevokesItsTokens(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		d, ctx := newFixture(t, f), t.Context()
		g := grant(d.approved(t, request()))
		tokens, err := d.Authorizations.Exchange(ctx, g)
		if err != nil || !d.works(t, tokens) {
			t.Fatal(err)
		}
		found, err := f.AccessToken(ctx, auth.Hash(tokens.AccessToken), crier.TimeOf(d.now))
		if err != nil || found.Resource != home+"/mcp" || found.Name != "Inspector" {
			t.Errorf("the token is for %+v, %v", found, err)
		}
		// A token of a program can be refreshed by that program only.
		for client, want := range map[string]string{"": "invalid_grant", "other": "invalid_grant", "inspector": ""} {
			renewed, err := d.Devices.Refresh(ctx, tokens.RefreshToken, client)
			if got := code(t, err); got != want {
				t.Errorf("renewed by %q: %v", client, err)
			}
			if err == nil {
				tokens = renewed
			}
		}
		g.Verifier = "a thief does not know it"
		d.now = d.now.Add(2 * codeLife) // even long after
		if _, err := d.Authorizations.Exchange(ctx, g); code(t, err) != "invalid_grant" || d.works(t, tokens) {
			t.Errorf("the code was used again: %v", err)
		}
		again := grant(d.approved(t, request()))
		answers := atOnce(3, func() error {
			_, err := d.Authorizations.Exchange(ctx, again)
			return err
		})
		if count(t, answers, "") != 1 || f.Scan(`SELECT count(*) FROM token_families WHERE revoked_at IS NULL`) != 0 {
			t.Errorf("the answers to many at once are %v", answers)
		}
	})
}

func TestDynamicClientRegistration(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	d := newFixture(t, f)
	long := "https://a.example/" + strings.Repeat("x", maxRedirectURI-len("https://a.example/"))
	many := func(n int) (list []string) {
		for range n {
			list = append(list, redirect)
		}
		return list
	}
	for name, c := range map[string]struct {
		r    ClientRegistration
		want string
	}{
		"one address":                {ClientRegistration{RedirectURIs: many(1)}, ""},
		"as many as allowed":         {ClientRegistration{RedirectURIs: many(maxRedirects)}, ""},
		"as long as allowed":         {ClientRegistration{RedirectURIs: []string{long}}, ""},
		"a public program":           {ClientRegistration{RedirectURIs: many(1), AuthMethod: "none"}, ""},
		"a name of another alphabet": {ClientRegistration{RedirectURIs: many(1), ClientName: "Прога & <b>"}, ""},
		"all that is allowed": {ClientRegistration{RedirectURIs: numbered(long, maxRedirects),
			ClientName: strings.Repeat("<", crier.MaxNameLength)}, ""},
		"addresses with queries": {ClientRegistration{
			RedirectURIs: numbered("https://a.example/?"+strings.Repeat("&", 231), maxRedirects)}, ""},
		"no address":         {ClientRegistration{}, "invalid_redirect_uri"},
		"too many":           {ClientRegistration{RedirectURIs: many(maxRedirects + 1)}, "invalid_redirect_uri"},
		"too long":           {ClientRegistration{RedirectURIs: []string{long + "x"}}, "invalid_redirect_uri"},
		"without TLS":        {ClientRegistration{RedirectURIs: []string{"http://a.example/"}}, "invalid_redirect_uri"},
		"one of two is none": {ClientRegistration{RedirectURIs: []string{redirect, "x:y"}}, "invalid_redirect_uri"},
		"a program with a secret": {ClientRegistration{RedirectURIs: many(1), AuthMethod: "client_secret_basic"},
			"invalid_client_metadata"},
		"an id that nobody would take": {ClientRegistration{
			RedirectURIs: numbered("https://a.example/"+strings.Repeat(`"`, 232), maxRedirects)},
			"invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := d.Authorizations.Register(c.r)
			if code(t, err) != c.want {
				t.Fatalf("the answer is %v, want %q", err, c.want)
			}
			if err != nil {
				return
			}
			known, err := d.Authorizations.clients.find(t.Context(), got.ClientID)
			if err != nil || strings.Join(known.RedirectURIs, " ") != strings.Join(c.r.RedirectURIs, " ") ||
				known.Name != got.ClientName || known.Configured || known.Host != "" || got.AuthMethod != "none" {
				t.Errorf("an id of %d characters is known as %+v, %v", len(got.ClientID), known, err)
			}
		})
	}
}

// numbered returns n URLs that differ in their last character.
func numbered(address string, n int) (list []string) {
	for i := range n {
		list = append(list, address[:len(address)-1]+string(rune('a'+i)))
	}
	return list
}

func TestRegisteredClientIDCannotBeForged(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	d := newFixture(t, f)
	r, err := d.Authorizations.Register(ClientRegistration{ClientName: "\u202e", RedirectURIs: []string{redirect}})
	if err != nil || r.ClientName != "A program" {
		t.Fatalf("%+v, %v", r, err)
	}
	body, signature, _ := strings.Cut(strings.TrimPrefix(r.ClientID, registeredPrefix), ".")
	encode := base64.RawURLEncoding.EncodeToString
	forged := encode([]byte(`{"client_name":"A bank","redirect_uris":["https://evil.example/"]}`))
	other := encode(ring(t, secret).Sign([]byte("{}"), "another purpose"))
	for name, id := range map[string]string{
		"another description": registeredPrefix + forged + "." + signature,
		"no signature":        registeredPrefix + body, "an empty one": registeredPrefix + body + ".",
		"a signature for other things": registeredPrefix + encode([]byte("{}")) + "." + other,
		"no base64":                    registeredPrefix + "…." + signature, "nothing": registeredPrefix,
	} {
		if c, err := d.Authorizations.clients.find(context.Background(), id); kindOf(err) != crier.KindNotFound {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	d.Authorizations.clients.registration = false
	if d.Authorizations.RegistrationAllowed() {
		t.Error("registration is not allowed any more")
	}
	if _, err := d.Authorizations.clients.find(context.Background(), r.ClientID); kindOf(err) != crier.KindNotFound {
		t.Errorf("a registered program is known where none may register: %v", err)
	}
}
