package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/service"
	"crier/internal/social"
)

func TestSeededAccountsMatchConnectedAccounts(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t))
		accounts, err := e.Config.Seeds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tenant, err := e.Node.Services.Instance.CreateTenant(t.Context(), service.TenantRequest{Name: "Seeded",
			Accounts: func(crier.ID) ([]social.NewAccount, error) { return accounts, nil }})
		if err != nil {
			t.Fatal(err)
		}
		c := crew{Tenant: servertest.Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID,
			Team: tenant.TeamID}}
		if len(tenant.Accounts) != len(servertest.SevenNetworks()) {
			t.Fatalf("%d accounts are seeded", len(tenant.Accounts))
		}
		for _, a := range tenant.Accounts {
			seeded := e.AccountOf(t, c, string(a.ID))
			connected := e.Connect(t, c, string(a.Provider), *tenant.Accounts[0].ProfileHandle)
			if connected.ID != seeded.ID {
				t.Errorf("%s: connecting the same person makes another account: %+v, %+v", a.Provider, seeded,
					connected)
			}
			// fields that depend on the time and the order of scopes
			for _, one := range []*crier.SocialAccount{&seeded, &connected} {
				slices.Sort(one.Scopes)
				one.ConnectedAt, one.UpdatedAt, one.ConnectionEndsAt = crier.Time{}, crier.Time{}, nil
			}
			was, errWas := json.MarshalIndent(seeded, "", " ")
			is, errIs := json.MarshalIndent(connected, "", " ")
			if errWas != nil || errIs != nil || !bytes.Equal(was, is) {
				t.Errorf("%s: seeded %s\nconnected %s (%v, %v)", a.Provider, was, is, errWas, errIs)
			}
		}
	})
}

func TestEveryNetworkIsConnectedByConsent(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t))
		c := e.NewCrew(t, 100_000)
		film := e.NewVideoPost(t, c, "A film that waits")
		for _, network := range servertest.SevenNetworks() {
			callback := e.Consent(t, c, network, "ann")
			if other := servertest.Browse(t, strings.Replace(callback, "state=", "state=not", 1),
				nil); other.Status != http.StatusNotFound {
				t.Errorf("%s: a state that nobody asked for: %d %s", network, other.Status, other.Body)
			}
			first := e.Connect(t, c, network, "ann")
			if first.Status != crier.AccountConnected || !first.Sandbox || len(first.Scopes) == 0 {
				t.Errorf("%s: connected as %+v", network, first)
			}
			e.wantConnectionLogged(t, c, network, first.ID)
			planned := e.planned(t, c, film, first.ID)
			e.Call(t, c, "POST", path("social-accounts/%s/disconnect", first.ID), nil).Want(t, http.StatusOK)
			again := e.Connect(t, c, network, "ann")
			if again.ID != first.ID || again.Status != crier.AccountConnected || again.DisconnectedAt != nil {
				t.Errorf("%s: connected again as %+v, at first as %s", network, again, first.ID)
			}
			if p := e.Publication(t, c, planned); p.Status != crier.Scheduled || p.SocialAccountID != again.ID {
				t.Errorf("%s: what was scheduled is %s on %s", network, p.Status, p.SocialAccountID)
			}
			servertest.Browse(t, callback, nil)
			if twice := servertest.Browse(t, callback, nil); twice.Status != http.StatusNotFound {
				t.Errorf("%s: a callback that was used: %d %s", network, twice.Status, twice.Body)
			}
		}
	})
}

// planned schedules a post for an hour from now.
func (e *engine) planned(tb testing.TB, c crew, post string, on crier.ID) crier.ID {
	tb.Helper()
	var result crier.ScheduleResult
	e.schedule(tb, c, post, []crier.ID{on}, object{"platformSettings": servertest.Everywhere,
		"scheduledAt": e.Config.Now().Add(time.Hour).UTC().Format(time.RFC3339)}).
		Want(tb, http.StatusOK).Into(tb, &result)
	if result.Data[0].ScheduledPost == nil {
		tb.Fatalf("not scheduled: %+v", result.Data[0].Error)
	}
	return result.Data[0].ScheduledPost.ID
}

func TestConsentForSeveralAccountsOffersAChoice(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t), withCommunityManagement)
		for _, network := range []string{"facebook", "linkedin"} {
			c := e.NewCrew(t, 0)
			landed := servertest.Browse(t, e.Consent(t, c, network, "ann"), nil)
			offers := landed.Offers(t)
			for _, bad := range [][]string{nil, {"1"}, {offers[0], "1"}} {
				if p := landed.Choose(t, bad...); p.Status != http.StatusBadRequest {
					t.Errorf("%s: the choice of %q: %d %s", network, bad, p.Status, p.Body)
				}
			}
			if p := landed.Choose(t, offers[1]); p.Status != http.StatusSeeOther {
				t.Errorf("%s: a good choice after bad ones: %d %s", network, p.Status, p.Body)
			}
			var list struct{ Data []crier.SocialAccount }
			e.Call(t, c, "GET", "social-accounts", nil).Want(t, http.StatusOK).Into(t, &list)
			if len(list.Data) != 1 || list.Data[0].ProviderAccountID != offers[1] {
				t.Errorf("%s: connected are %+v, of %q", network, list.Data, offers)
			}
			e.wantConnectionLogged(t, c, network, list.Data[0].ID)
			if p := landed.Choose(t, offers[0]); p.Status != http.StatusNotFound {
				t.Errorf("%s: a second choice: %d %s", network, p.Status, p.Body)
			}
		}
	})
}

func TestConsentAfterLosingPermissionConnectsNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t))
		for name, end := range map[string]func(c crew){
			"the key was revoked": func(c crew) {
				e.Exec(t, `UPDATE api_keys SET revoked_at = created_at WHERE organization_id = $1`, c.Organization)
			},
			"the key has expired": func(c crew) {
				e.Exec(t, `UPDATE api_keys SET expires_at = created_at WHERE organization_id = $1`, c.Organization)
			},
			"the person was demoted": func(c crew) {
				e.Exec(t, `UPDATE memberships SET role = 'viewer' WHERE organization_id = $1
					AND principal_kind = 'user'`,
					c.Organization)
			},
			"the team was deleted": func(c crew) {
				e.Exec(t, `UPDATE teams SET deleted_at = created_at WHERE id = $1`, c.Team)
			},
		} {
			for _, network := range []string{"x", "facebook"} { // one account, and several to select from
				c := e.NewCrew(t, 0)
				callback := e.Consent(t, c, network, "ann")
				late, landed := e.Consent(t, c, network, "ann"), servertest.Browse(t, callback, nil)
				offers := landed.Offers(t)
				end(c)
				if p := servertest.Browse(t, late, nil); p.Status != http.StatusForbidden &&
					p.Status != http.StatusNotFound {
					t.Errorf("%s, %s: asked with %d %s", name, network, p.Status, p.Body)
				}
				p := landed.Choose(t, offers...)
				if p.Status != http.StatusForbidden && p.Status != http.StatusNotFound {
					t.Errorf("%s, %s: %d %s", name, network, p.Status, p.Body)
				}
				if n := e.Number(t, `SELECT count(*) FROM social_accounts WHERE team_id = $1`, c.Team); n != 0 {
					t.Errorf("%s, %s: %d accounts were connected", name, network, n)
				}
				if name == "the team was deleted" { // with everything in it
					continue
				}
				// an event is recorded for each of them, and neither can be continued
				if n := e.Number(t, `SELECT count(*) FROM events WHERE team_id = $1 AND type = $2`, c.Team,
					string(crier.ConnectionFailedEvent)); n != 2 {
					t.Errorf("%s, %s: %d failures were told", name, network, n)
				}
				if n := e.Number(t, `SELECT count(*) FROM connections WHERE team_id = $1`, c.Team); n != 0 {
					t.Errorf("%s, %s: %d connections are left", name, network, n)
				}
			}
		}
	})
}

// wantConnectionLogged fails the test unless the last entry of the audit log says that an account was connected by the
// user who started the consent, and contains nothing that the network sent.
func (e *engine) wantConnectionLogged(tb testing.TB, c crew, network string, account crier.ID) {
	tb.Helper()
	log := e.auditLog(tb, c.Tenant).Data
	last := log[len(log)-1]
	start := slices.IndexFunc(log, func(entry crier.AuditEntry) bool { return entry.Action == "connectSocialAccount" })
	want := fmt.Sprintf(`{"provider":%q,"socialAccountIds":[%q]}`, network, account)
	if last.Action != "completeConnection" || !strings.HasPrefix(last.Target, "/oauth/"+network+"/") ||
		strings.Contains(last.Target, "?") ||
		!sameJSON(tb, last.Changes, want) || last.TeamID == nil || *last.TeamID != c.Team {
		tb.Errorf("connecting left %+v with %s, want %s", last, last.Changes, want)
	}
	if by := log[start]; by.PrincipalKind != last.PrincipalKind || by.PrincipalID != last.PrincipalID ||
		by.PersonID != last.PersonID {
		tb.Errorf("begun by %+v, completed by %+v", by, last)
	}
}

// sameJSON reports whether two texts are the same value.
func sameJSON(tb testing.TB, a json.RawMessage, b string) bool {
	tb.Helper()
	var left, right any
	if err := errors.Join(json.Unmarshal(a, &left), json.Unmarshal([]byte(b), &right)); err != nil {
		tb.Fatal(err)
	}
	return reflect.DeepEqual(left, right)
}

// withCommunityManagement makes LinkedIn offer organizations.
func withCommunityManagement(a *server.Config) { a.OwnNetworks.LinkedIn.App = "organizations" }

func TestUnconfiguredNetworkIsNotConnected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := &engine{testServer: startServer(t, db, func(a *server.Config) {
			a.Sandbox, a.Network("x").ClientID = false, "client"
		})}
		c := e.NewCrew(t, 0)
		e.Call(t, c, "POST", "social-accounts/connect", object{"provider": "x"}).Want(t, http.StatusOK)
		refused := e.Call(t, c, "POST", "social-accounts/connect", object{"provider": "tiktok"}).WantError(t,
			http.StatusConflict, "Conflict")
		if !strings.Contains(string(refused.Body), "CRIER_TIKTOK_CLIENT_ID") {
			t.Errorf("TikTok: %s", refused.Body)
		}
	})
}

func TestMissingScopesAreReported(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t))
		c := e.NewCrew(t, 100_000)
		const comments = "https://www.googleapis.com/auth/youtube.force-ssl"
		agree := func(callback string) servertest.Screen {
			landed := servertest.Browse(t, callback, nil)
			return landed.Choose(t, landed.Offers(t)[0])
		}
		if missing := servertest.Browse(t, e.Consent(t, c, "youtube", "ann", comments), nil).RedirectParam(t,
			"missingScopes"); missing != comments {
			t.Errorf("YouTube: %q are told to be missing", missing)
		}
		chosen := agree(e.Consent(t, c, "facebook", "ann", "pages_manage_posts"))
		if missing := chosen.RedirectParam(t, "missingScopes"); missing != "pages_manage_posts" {
			t.Errorf("Facebook: %q are told to be missing", missing)
		}
		landed := agree(e.Consent(t, c, "x", "ann", "tweet.write"))
		if missing := landed.RedirectParam(t, "missingScopes"); missing != "tweet.write" {
			t.Errorf("X: %q are told to be missing", missing)
		}
		id := landed.RedirectParam(t, "socialAccountIds")
		e.planned(t, c, e.NewPost(t, c, "A post that will fail"), crier.ID(id))
		if a := e.AccountOf(t, c, id); a.PostsAtRisk != 1 || a.AccountHealthMessage == nil ||
			!strings.Contains(*a.AccountHealthMessage, "tweet.write") {
			t.Errorf("an account that will fail: %+v", a)
		}
	})
}

func TestDisconnectingRevokesUnsharedTokens(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t), withCommunityManagement)
		c := e.NewCrew(t, 100_000)
		revocations := func(a crier.SocialAccount) int {
			before := e.box.Calls(t, string(a.Provider), "connect")
			e.Call(t, c, "POST", path("social-accounts/%s/disconnect", a.ID), nil).Want(t, http.StatusOK)
			return e.box.Calls(t, string(a.Provider), "connect") - before
		}
		// X revokes only the named token
		for network, want := range map[string]int{"x": 2, "tiktok": 1, "youtube": 1} {
			if n := revocations(e.Connect(t, c, network, "ann")); n != want {
				t.Errorf("%s: %d tokens are revoked, want %d", network, n, want)
			}
		}
		landed := servertest.Browse(t, e.Consent(t, c, "linkedin", "ann"), nil)
		offers := landed.Offers(t)
		landed.Choose(t, offers...)
		for i, remote := range offers { // all share one token
			last := i == len(offers)-1
			if n := revocations(e.ConnectedAs(t, c, "linkedin", remote)); (n > 0) != last {
				t.Errorf("linkedin: account %d of %d: %d tokens are revoked", i+1, len(offers), n)
			}
		}
	})
}
