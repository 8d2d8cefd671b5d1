package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
)

// page returns the headers of a request from a page of this installation: with the cookie and without a token.
func page(cookie string, more ...header) []header {
	return append([]header{{"Authorization", ""}, {"Cookie", cookie}, {"Sec-Fetch-Site", "same-origin"}}, more...)
}

func TestSessionCookieIsAcceptedOnlySameOrigin(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		cookie := w.signIn(t)
		for name, c := range map[string]struct {
			headers []header
			want    int
		}{
			"same origin":                {page(cookie), 200},
			"another site":               {page(cookie, header{"Sec-Fetch-Site", "cross-site"}), 401},
			"a sister site":              {page(cookie, header{"Sec-Fetch-Site", "same-site"}), 401},
			"typed into the address bar": {page(cookie, header{"Sec-Fetch-Site", "none"}), 401},
			"no word about the site":     {page(cookie, header{"Sec-Fetch-Site", ""}), 401},
			"the header in its place": {page(cookie, header{"Sec-Fetch-Site", ""}, header{requestHeader, "1"}),
				200},
			"the header and another site": {page(cookie, header{"Sec-Fetch-Site", "cross-site"},
				header{requestHeader, "1"}), 401},
			"the header with another value": {page(cookie, header{"Sec-Fetch-Site", ""}, header{requestHeader, "yes"}),
				401},
			"a session that does not exist":  {page(sessionCookie + "=wrong"), 401},
			"a bearer token beside it":       {page(cookie, header{"Authorization", "Bearer " + w.key}), 200},
			"a wrong bearer token beside it": {page(cookie, header{"Authorization", "Bearer wrong"}), 401},
			"neither":                        {page(""), 401},
		} {
			if got := w.call(t, http.MethodGet, "/v1/agent/context", nil, c.headers...); got.status != c.want {
				t.Errorf("%s: status %d, want %d: %s", name, got.status, c.want, got.body)
			}
		}
		me := as[crier.AgentContext](t, w.call(t, http.MethodGet, "/v1/agent/context", nil, page(cookie)...))
		if me.Credential.Kind != crier.CredentialSession || me.User == nil || me.User.Name != "Ada Lovelace" ||
			me.Credential.Name != "Browser/1" || me.Credential.ExpiresAt == nil {
			t.Errorf("the session is %+v of %+v", me.Credential, me.User)
		}
	})
}

func TestSessionCanWriteAndEnd(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		cookie := w.signIn(t)
		post := w.call(t, http.MethodPost, w.team("/posts"), object{"text": "Hello"}, page(cookie)...).want(t, 201)
		if as[crier.Post](t, post).Text != "Hello" {
			t.Errorf("the post is %s", post.body)
		}
		w.wait(15 * 24 * time.Hour)
		w.call(t, http.MethodGet, w.team("/posts"), nil, page(cookie)...).wantError(t, crier.KindUnauthorized,
			"Sign in")
	})
}

func TestCrossSiteRequestsAreRejected(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for name, c := range map[string]struct {
			headers []header
			want    int
		}{
			"a program":                {nil, 201},
			"this site":                {[]header{{"Sec-Fetch-Site", "same-origin"}}, 201},
			"another site":             {[]header{{"Sec-Fetch-Site", "cross-site"}}, 403},
			"another origin":           {[]header{{"Origin", "https://evil.example"}}, 403},
			"this origin":              {[]header{{"Origin", "http://example.com"}}, 201},
			"a page without an origin": {[]header{{"Origin", "null"}}, 403},
			"the public one by a proxy": {[]header{{"Origin", "http://example.com"}, {"Sec-Fetch-Site", "cross-site"}},
				201},
		} {
			got := w.call(t, http.MethodPost, w.team("/posts"), object{"text": "Hello"}, c.headers...)
			if got.status != c.want {
				t.Errorf("%s: status %d, want %d: %s", name, got.status, c.want, got.body)
			}
		}
	})
}

func TestContextHasRoleAndPermissions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		context := func(key string) crier.AgentContext {
			return as[crier.AgentContext](t, w.call(t, http.MethodGet, "/v1/agent/context", nil,
				header{"Authorization", "Bearer " + key}).want(t, 200))
		}
		newKey := func(body object) string {
			body["name"] = "Key"
			return as[crier.APIKeyWithSecret](t, w.call(t, http.MethodPost, w.organization("/api-keys"), body).
				want(t, 201)).Secret
		}
		owner := context(w.key)
		if o := owner.Organizations[0]; o.Role != crier.RoleOwner ||
			!slices.Equal(o.Permissions, crier.Permissions()) ||
			o.Name != "Acme" {
			t.Errorf("the owner's key is %s in %s with %v", o.Role, o.Name, o.Permissions)
		}
		team := owner.Teams[0]
		if team.Role != crier.RoleOwner || slices.Contains(team.Permissions, crier.ManageBilling) ||
			!slices.Contains(team.Permissions, crier.DeleteTeams) {
			t.Errorf("the owner's key has in the team: %v", team.Permissions)
		}
		viewer := context(newKey(object{"role": "viewer"}))
		if o := viewer.Organizations[0]; o.Role != crier.RoleViewer ||
			!slices.Equal(o.Permissions, []crier.Permission{crier.Read, crier.ReadAnalytics}) {
			t.Errorf("a viewer is %s with %v", o.Role, o.Permissions)
		}
		narrow := context(newKey(object{"role": "owner",
			"permissions": []string{"read", "write_posts", "manage_billing"},
			"teamIds":     []crier.ID{w.tenant.TeamID}}))
		if o := narrow.Organizations[0]; !slices.Equal(o.Permissions,
			[]crier.Permission{crier.WritePosts, crier.Read}) {
			t.Errorf("a key narrowed to a team has %v in the organization", o.Permissions)
		}
		if got := narrow.Teams[0].Permissions; !slices.Equal(got, []crier.Permission{crier.WritePosts, crier.Read}) {
			t.Errorf("a narrowed key has %v in its team", got)
		}
	})
}

func TestInstanceInfoNeedsNoToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	got := as[crier.Instance](t, w.call(t, http.MethodGet, "/v1/instance", nil, header{"Authorization", ""}).want(t,
		200))
	if got.Version != "1.2.3" || !got.Sandbox || got.SandboxURL == nil || *got.SandboxURL != w.sandbox || got.Mail ||
		got.Billing || got.PublicURL != "http://example.com" || got.ServerTime.IsZero() {
		t.Errorf("%+v", got)
	}
}

func TestPeopleSeeAndEndTheirSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		first := w.signIn(t)
		second, err := w.services.People.SignIn(t.Context(), "ada@example.com", ownerPassword,
			service.Browser{UserAgent: "Other\x07/2", Address: "192.0.2.9"})
		requireNoError(t, err)
		other, err := w.services.Instance.CreateTenant(t.Context(), service.TenantRequest{Name: "Other"})
		requireNoError(t, err)
		stranger, err := w.services.Instance.SetUpOwner(t.Context(), other.SetupToken, "Eve", "eve@example.com",
			ownerPassword, service.Browser{UserAgent: "Evil/1"})
		requireNoError(t, err)

		list := as[crier.SessionList](t, w.call(t, http.MethodGet, "/v1/me/sessions", nil, page(first)...).want(t,
			200)).Data
		if len(list) != 2 || list[0].Name != "Other/2" || list[0].Address != "192.0.2.9" || list[0].Current ||
			list[1].Name != "Browser/1" || !list[1].Current || list[1].Kind != crier.CredentialSession {
			t.Fatalf("%+v", list)
		}
		w.call(t, http.MethodGet, "/v1/me/sessions", nil).wantError(t, crier.KindForbidden, "not an API key")
		end := "/v1/me/sessions/" + string(list[0].ID)
		w.call(t, http.MethodDelete, end, nil).wantError(t, crier.KindForbidden, "not an API key")
		w.call(t, http.MethodDelete, end, nil, page(sessionCookie+"="+stranger.Token)...).
			wantError(t, crier.KindNotFound, "no session")
		cookie := sessionCookie + "=" + second.Token
		w.call(t, http.MethodGet, "/v1/agent/context", nil, page(cookie)...).want(t, 200)
		w.call(t, http.MethodDelete, end, nil, page(first)...).want(t, 200)
		w.call(t, http.MethodGet, "/v1/agent/context", nil, page(cookie)...).want(t, 401)
		w.call(t, http.MethodDelete, end, nil, page(first)...).want(t, 404)
		w.call(t, http.MethodDelete, "/v1/me/sessions/"+string(list[1].ID), nil, page(first)...).want(t, 200)
		w.call(t, http.MethodGet, "/v1/agent/context", nil, page(first)...).want(t, 401)
	})
}

func TestDevicesAreListedAndEndedLikeSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		cookie := w.signIn(t)
		me := as[crier.AgentContext](t, w.call(t, http.MethodGet, "/v1/agent/context", nil, page(cookie)...))
		code, err := w.services.Devices.Start(t.Context(), "crier on a laptop")
		requireNoError(t, err)
		requireNoError(t, w.services.Devices.Decide(t.Context(), me.User.ID, code.UserCode, true))
		tokens, err := w.services.Devices.Redeem(t.Context(), code.DeviceCode)
		requireNoError(t, err)
		tokens, err = w.services.Devices.Refresh(t.Context(), tokens.RefreshToken, "")
		requireNoError(t, err)

		bearer := header{"Authorization", "Bearer " + tokens.AccessToken}
		list := as[crier.SessionList](t, w.call(t, http.MethodGet, "/v1/me/sessions", nil, bearer).want(t, 200)).Data
		if len(list) != 2 || list[0].Name != "crier on a laptop" || !list[0].Current ||
			list[0].Kind != crier.CredentialToken {
			t.Fatalf("%+v", list)
		}
		w.call(t, http.MethodDelete, "/v1/me/sessions/"+string(list[0].ID), nil, page(cookie)...).want(t, 200)
		w.call(t, http.MethodGet, "/v1/me/sessions", nil, bearer).want(t, 401)
	})
}

func TestLastUseOfEveryCredentialIsRecorded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		cookie := w.signIn(t)
		ctx, stop := context.WithCancel(t.Context())
		noted := make(chan struct{})
		go func() { defer close(noted); w.services.Access.RecordUses(ctx) }()
		t.Cleanup(func() { stop(); <-noted })
		for {
			list := as[crier.SessionList](t, w.call(t, http.MethodGet, "/v1/me/sessions", nil, page(cookie)...).want(t,
				200))
			if list.Data[0].LastUsedAt != nil {
				return
			}
		}
	})
}

func TestDevicesMayPollASecondEarly(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		code, err := w.services.Devices.Start(t.Context(), "")
		requireNoError(t, err)
		for i, c := range []struct {
			after time.Duration
			want  string
		}{
			{0, "authorization_pending"}, {4100 * time.Millisecond, "authorization_pending"},
			{4100 * time.Millisecond, "authorization_pending"}, {3 * time.Second, "slow_down"},
			{8 * time.Second, "slow_down"}, {14500 * time.Millisecond, "authorization_pending"},
		} {
			w.wait(c.after)
			_, err := w.services.Devices.Redeem(t.Context(), code.DeviceCode)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("ask %d after %v: %v, want %s", i, c.after, err, c.want)
			}
		}
	})
}

func TestLargeResponsesAreCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	accept := header{"Accept-Encoding", "gzip"}
	plain := w.call(t, http.MethodGet, w.team("/social-accounts"), nil).want(t, 200)
	zipped := w.call(t, http.MethodGet, w.team("/social-accounts"), nil, accept).want(t, 200)
	if plain.header.Get("Content-Encoding") != "" || zipped.header.Get("Content-Encoding") != "gzip" ||
		len(zipped.body) >= len(plain.body)/2 || zipped.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%d bytes as %q, %d as %q", len(plain.body), plain.header.Get("Content-Encoding"), len(zipped.body),
			zipped.header.Get("Content-Encoding"))
	}
	reader, err := gzip.NewReader(bytes.NewReader(zipped.body))
	requireNoError(t, err)
	unzipped, err := io.ReadAll(reader)
	requireNoError(t, err)
	if !json.Valid(unzipped) || len(unzipped) != len(plain.body) {
		t.Errorf("unzipped it is %s", unzipped)
	}
	for path, want := range map[string]string{"/openapi.json": "gzip", "/v1/instance": "", w.team(""): ""} {
		got := w.call(t, http.MethodGet, path, nil, accept).want(t, 200).header.Get("Content-Encoding")
		if got != want {
			t.Errorf("%s comes as %q, want %q", path, got, want)
		}
	}
}

// The compressed length of a response with a secret and text chosen by a caller would reveal the secret.
func TestResponsesWithSecretsAreNeverCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	accept := header{"Accept-Encoding", "gzip"}
	teams := make([]string, 0, 40)
	for range 40 {
		team := w.call(t, http.MethodPost, "/v1/teams",
			object{"organizationId": w.tenant.OrganizationID, "name": "Team"}).want(t, 201)
		teams = append(teams, string(as[crier.Team](t, team).ID))
	}
	created := w.call(t, http.MethodPost, w.organization("/api-keys"), object{"name": "Key", "role": "viewer",
		"teamIds": teams}, accept, header{"Idempotency-Key", "a"}).want(t, 201)
	if len(created.body) <= compressFrom || created.header.Get("Content-Encoding") != "" {
		t.Errorf("%d bytes with a secret come as %q", len(created.body), created.header.Get("Content-Encoding"))
	}
}

func TestAcceptedEncodings(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]bool{
		"": false, "gzip": true, "br, gzip": true, "gzip;q=1.0": true, "gzip; q=0.5": true, "gzip;q=0": false,
		"gzip;q=0.000": false, "identity": false, "x-gzip": false, "GZIP": true, "gzip;q=x": false,
	} {
		if got := acceptsGzip(accepted); got != want {
			t.Errorf("%q: %v, want %v", accepted, got, want)
		}
	}
}

func TestPagesWithFormsAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := newFacade()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sign-in", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	if recorder.Header().Get("Content-Encoding") != "" {
		t.Error("a page with a form is compressed")
	}
}
