package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

// back is where the browser goes after a consent.
const back = "https://dashboard.crier.test/accounts"

// screen is what a browser shows, or where it is sent.
type screen struct {
	status     int
	body, sent string
}

// browse does what a browser does, but for following.
func browse(tb testing.TB, address string, form url.Values) screen {
	tb.Helper()
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func() (*http.Response, error) { return browser.Get(address) }
	if form != nil {
		get = func() (*http.Response, error) { return browser.PostForm(address, form) }
	}
	answer, err := get()
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return screen{answer.StatusCode, string(body), answer.Header.Get("Location")}
}

// told is a value in the query that the browser is sent back with.
func (p screen) told(tb testing.TB, name string) string {
	tb.Helper()
	u, err := url.Parse(p.sent)
	if err != nil || !strings.HasPrefix(p.sent, back) {
		tb.Fatalf("the browser is shown %d %s and sent to %q (%v), not back", p.status, p.body, p.sent, err)
	}
	return u.Query().Get(name)
}

// consent asks for a connection and agrees to it as a person of the network, but for some scopes. It returns the address
// of the callback.
func (e *engine) consent(tb testing.TB, c crew, network, person string, refused ...string) string {
	tb.Helper()
	address := e.call(tb, c, "POST", "social-accounts/connect", object{"provider": network, "returnUrl": back}).want(tb, http.StatusOK).text(tb, "authorizationUrl")
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	granted := strings.FieldsFunc(u.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' })
	granted = slices.DeleteFunc(granted, func(s string) bool { return slices.Contains(refused, s) })
	agreed := browse(tb, address, url.Values{"name": {person}, "decision": {"allow"}, "scope": granted})
	if agreed.status != http.StatusSeeOther || !strings.Contains(agreed.sent, "/oauth/"+network+"/callback?") {
		tb.Fatalf("the consent page of %s: %d %s", network, agreed.status, agreed.body)
	}
	return agreed.sent
}

var offeredAccount = regexp.MustCompile(`name="account" value="([^"]+)"`)

// offers are the accounts that a page lets a person choose from.
func (p screen) offers(tb testing.TB) []string {
	tb.Helper()
	var ids []string
	for _, found := range offeredAccount.FindAllStringSubmatch(p.body, -1) {
		ids = append(ids, found[1])
	}
	if p.status != http.StatusOK || len(ids) < 2 {
		tb.Fatalf("a page to choose from: %d %s", p.status, p.body)
	}
	return ids
}

// choose picks accounts on the page that a callback led to.
func choose(tb testing.TB, callback string, ids ...string) screen {
	tb.Helper()
	u, err := url.Parse(callback)
	if err != nil {
		tb.Fatal(err)
	}
	address := strings.TrimSuffix(strings.Split(callback, "?")[0], "callback") + "choose"
	return browse(tb, address, url.Values{"state": {u.Query().Get("state")}, "account": ids})
}

// accountOf reads an account.
func (e *engine) accountOf(tb testing.TB, c crew, id string) crier.SocialAccount {
	tb.Helper()
	var a crier.SocialAccount
	e.call(tb, c, "GET", "social-accounts/"+id, nil).want(tb, http.StatusOK).into(tb, &a)
	return a
}

// connect connects the only account, or the first of several, of a consent.
func (e *engine) connect(tb testing.TB, c crew, network, person string) crier.SocialAccount {
	tb.Helper()
	callback := e.consent(tb, c, network, person)
	landed := browse(tb, callback, nil)
	if landed.status != http.StatusOK {
		return e.accountOf(tb, c, landed.told(tb, "socialAccountIds"))
	}
	first := landed.offers(tb)[0]
	if chosen := choose(tb, callback, first); chosen.status != http.StatusOK {
		tb.Fatalf("the choice: %d %s", chosen.status, chosen.body)
	}
	return e.connectedAs(tb, c, network, first)
}

// connectedAs is the account of a crew that has an id of its network.
func (e *engine) connectedAs(tb testing.TB, c crew, network, remote string) crier.SocialAccount {
	tb.Helper()
	var list struct{ Data []crier.SocialAccount }
	e.call(tb, c, "GET", "social-accounts?limit=100", nil).want(tb, http.StatusOK).into(tb, &list)
	for _, a := range list.Data {
		if string(a.Provider) == network && a.ProviderAccountID == remote {
			return a
		}
	}
	tb.Fatalf("no account %s of %s is connected", remote, network)
	return crier.SocialAccount{}
}

func TestEveryNetworkIsConnectedByConsent(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withReachableMedia(t))
		c := e.newCrew(t, 100_000)
		film := e.film(t, c, "A film that waits")
		for _, network := range sevenNetworks() {
			callback := e.consent(t, c, network, "ann")
			if other := browse(t, strings.Replace(callback, "state=", "state=not", 1), nil); other.status != http.StatusNotFound {
				t.Errorf("%s: a state that nobody asked for: %d %s", network, other.status, other.body)
			}
			first := e.connect(t, c, network, "ann")
			if first.Status != crier.AccountConnected || !first.Sandbox || len(first.Scopes) == 0 {
				t.Errorf("%s: connected as %+v", network, first)
			}
			e.wantConnectionLogged(t, c, network, first.ID)
			planned := e.planned(t, c, film, first.ID)
			e.call(t, c, "POST", path("social-accounts/%s/disconnect", first.ID), nil).want(t, http.StatusOK)
			again := e.connect(t, c, network, "ann")
			if again.ID != first.ID || again.Status != crier.AccountConnected || again.DisconnectedAt != nil {
				t.Errorf("%s: connected again as %+v, at first as %s", network, again, first.ID)
			}
			if p := e.publication(t, c, planned); p.Status != crier.Scheduled || p.SocialAccountID != again.ID {
				t.Errorf("%s: what was scheduled is %s on %s", network, p.Status, p.SocialAccountID)
			}
			browse(t, callback, nil)
			if twice := browse(t, callback, nil); twice.status != http.StatusNotFound {
				t.Errorf("%s: a callback that was used: %d %s", network, twice.status, twice.body)
			}
		}
	})
}

// planned schedules a post for an hour from now.
func (e *engine) planned(tb testing.TB, c crew, post string, on crier.ID) crier.ID {
	tb.Helper()
	var result crier.ScheduleResult
	e.schedule(tb, c, post, []crier.ID{on}, object{"platformSettings": everywhere, "scheduledAt": e.app.now().Add(time.Hour).UTC().Format(time.RFC3339)}).
		want(tb, http.StatusOK).into(tb, &result)
	if result.Data[0].ScheduledPost == nil {
		tb.Fatalf("not scheduled: %+v", result.Data[0].Error)
	}
	return result.Data[0].ScheduledPost.ID
}

func TestAConsentForSeveralAccountsLetsThePersonChoose(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withReachableMedia(t), withCommunityManagement)
		for _, network := range []string{"facebook", "linkedin"} {
			c := e.newCrew(t, 0)
			callback := e.consent(t, c, network, "ann")
			offers := browse(t, callback, nil).offers(t)
			for _, bad := range [][]string{nil, {"1"}, {offers[0], "1"}} {
				if p := choose(t, callback, bad...); p.status != http.StatusBadRequest {
					t.Errorf("%s: the choice of %q: %d %s", network, bad, p.status, p.body)
				}
			}
			if p := choose(t, callback, offers[1]); p.status != http.StatusOK {
				t.Errorf("%s: a good choice after bad ones: %d %s", network, p.status, p.body)
			}
			var list struct{ Data []crier.SocialAccount }
			e.call(t, c, "GET", "social-accounts", nil).want(t, http.StatusOK).into(t, &list)
			if len(list.Data) != 1 || list.Data[0].ProviderAccountID != offers[1] {
				t.Errorf("%s: connected are %+v, of %q", network, list.Data, offers)
			}
			e.wantConnectionLogged(t, c, network, list.Data[0].ID)
			if p := choose(t, callback, offers[0]); p.status != http.StatusNotFound {
				t.Errorf("%s: a second choice: %d %s", network, p.status, p.body)
			}
		}
	})
}

// wantConnectionLogged fails unless the last entry of the audit log tells that an account was connected by who began the
// consent, and none of what the network sent along.
func (e *engine) wantConnectionLogged(tb testing.TB, c crew, network string, account crier.ID) {
	tb.Helper()
	log := e.auditLog(tb, c.tenant).Data
	last := log[len(log)-1]
	begun := slices.IndexFunc(log, func(entry crier.AuditEntry) bool { return entry.Action == "connectSocialAccount" })
	want := fmt.Sprintf(`{"provider":%q,"socialAccountIds":[%q]}`, network, account)
	if last.Action != "completeConnection" || !strings.HasPrefix(last.Target, "/oauth/"+network+"/") || strings.Contains(last.Target, "?") ||
		!sameJSON(tb, last.Changes, want) || last.TeamID == nil || *last.TeamID != c.team {
		tb.Errorf("connecting left %+v with %s, want %s", last, last.Changes, want)
	}
	if by := log[begun]; by.PrincipalKind != last.PrincipalKind || by.PrincipalID != last.PrincipalID || by.PersonID != last.PersonID {
		tb.Errorf("begun by %+v, completed by %+v", by, last)
	}
}

// sameJSON is true when two texts are the same value.
func sameJSON(tb testing.TB, a json.RawMessage, b string) bool {
	tb.Helper()
	var left, right any
	if err := errors.Join(json.Unmarshal(a, &left), json.Unmarshal([]byte(b), &right)); err != nil {
		tb.Fatal(err)
	}
	return reflect.DeepEqual(left, right)
}

// withCommunityManagement has LinkedIn offer organizations.
func withCommunityManagement(a *app) { a.config.ownNetworks.LinkedIn.CommunityManagement = true }

func TestANetworkThatDoesNotKnowTheInstallationIsNotConnected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := &engine{server: startServer(t, db, func(a *app) {
			a.config.sandbox, a.config.network("x").clientID = false, "client"
		})}
		c := e.newCrew(t, 0)
		e.call(t, c, "POST", "social-accounts/connect", object{"provider": "x"}).want(t, http.StatusOK)
		refused := e.call(t, c, "POST", "social-accounts/connect", object{"provider": "tiktok"}).wantError(t, http.StatusConflict, "Conflict")
		if !strings.Contains(string(refused.body), "CRIER_TIKTOK_CLIENT_ID") {
			t.Errorf("TikTok: %s", refused.body)
		}
	})
}

func TestScopesThatWereNotGrantedAreTold(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withReachableMedia(t))
		c := e.newCrew(t, 100_000)
		const comments = "https://www.googleapis.com/auth/youtube.force-ssl"
		if told := browse(t, e.consent(t, c, "youtube", "ann", comments), nil).told(t, "missingScopes"); told != comments {
			t.Errorf("YouTube: %q are told to be missing", told)
		}
		callback := e.consent(t, c, "facebook", "ann", "pages_manage_posts")
		chosen := choose(t, callback, browse(t, callback, nil).offers(t)[0])
		if !strings.Contains(chosen.body, "were not granted") || !strings.Contains(chosen.body, "missingScopes=pages_manage_posts") {
			t.Errorf("Facebook: %s", chosen.body)
		}
		landed := browse(t, e.consent(t, c, "x", "ann", "tweet.write"), nil)
		if told := landed.told(t, "missingScopes"); told != "tweet.write" {
			t.Errorf("X: %q are told to be missing", told)
		}
		id := landed.told(t, "socialAccountIds")
		e.planned(t, c, e.newPost(t, c, "A post that will fail"), crier.ID(id))
		if a := e.accountOf(t, c, id); a.PostsAtRisk != 1 || a.AccountHealthMessage == nil || !strings.Contains(*a.AccountHealthMessage, "tweet.write") {
			t.Errorf("an account that will fail: %+v", a)
		}
	})
}

func TestDisconnectingRevokesWhatNoOtherAccountNeeds(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withReachableMedia(t), withCommunityManagement)
		c := e.newCrew(t, 100_000)
		revocations := func(a crier.SocialAccount) int {
			before := e.box.calls(t, string(a.Provider), "connect")
			e.call(t, c, "POST", path("social-accounts/%s/disconnect", a.ID), nil).want(t, http.StatusOK)
			return e.box.calls(t, string(a.Provider), "connect") - before
		}
		for network, want := range map[string]int{"x": 2, "tiktok": 1, "youtube": 1} { // X ends only the token that is named
			if n := revocations(e.connect(t, c, network, "ann")); n != want {
				t.Errorf("%s: %d tokens are revoked, want %d", network, n, want)
			}
		}
		callback := e.consent(t, c, "linkedin", "ann")
		offers := browse(t, callback, nil).offers(t)
		choose(t, callback, offers...)
		for i, remote := range offers { // all hang on one token
			last := i == len(offers)-1
			if n := revocations(e.connectedAs(t, c, "linkedin", remote)); (n > 0) != last {
				t.Errorf("linkedin: account %d of %d: %d tokens are revoked", i+1, len(offers), n)
			}
		}
	})
}
