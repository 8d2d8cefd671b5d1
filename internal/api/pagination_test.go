package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// failer is the common interface of tests and properties.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// fetched is one page of a list.
type fetched struct {
	Data []struct {
		ID        crier.ID `json:"id"`
		Name      string   `json:"name"`
		CreatedAt string   `json:"createdAt"`
	}
	Total                  int
	NextCursor, PrevCursor *string
}

func (p fetched) ids() []crier.ID {
	ids := make([]crier.ID, len(p.Data))
	for i, row := range p.Data {
		ids[i] = row.ID
	}
	return ids
}

// listing is a list with its filters, sort and page size.
type listing struct {
	path   string
	query  url.Values
	server *testServer
	key    string
}

func (s *testServer) list(path, key, sort, order string, limit int) listing {
	return listing{path: path, key: key, server: s,
		query: url.Values{"sortBy": {sort}, "sortOrder": {order}, "limit": {fmt.Sprint(limit)}}}
}

// page reads the page at a cursor; nil is the first.
func (l listing) page(tb failer, cursor *string) fetched {
	tb.Helper()
	query := url.Values{}
	maps.Copy(query, l.query)
	if cursor != nil {
		query.Set("cursor", *cursor)
	}
	got, err := l.server.RoundTrip(servertest.Request{Method: "GET", Path: l.path + "?" + query.Encode(), Key: l.key})
	if err != nil || got.Status != http.StatusOK {
		tb.Fatalf("%s: status %d, %v: %s", l.path, got.Status, err, got.Body)
	}
	var page fetched
	if err := json.Unmarshal(got.Body, &page); err != nil {
		tb.Fatalf("%s: %v", l.path, err)
	}
	return page
}

// walk reads the whole list forwards, then back again, and fails the test unless both return the rows in the wanted
// order.
func (l listing) walk(tb failer, want []crier.ID) {
	tb.Helper()
	var seen []crier.ID
	page := l.page(tb, nil)
	if page.PrevCursor != nil {
		tb.Fatalf("%s: the first page has a page before", l.query)
	}
	for {
		seen = append(seen, page.ids()...)
		if page.Total != len(want) {
			tb.Fatalf("%s: total is %d, want %d", l.query, page.Total, len(want))
		}
		if page.NextCursor == nil {
			break
		}
		if page = l.page(tb, page.NextCursor); page.PrevCursor == nil {
			tb.Fatalf("%s: a later page has none before", l.query)
		}
	}
	if !slices.Equal(seen, want) {
		tb.Fatalf("%s: forwards\n got %v\nwant %v", l.query, seen, want)
	}
	back := page.ids()
	for page.PrevCursor != nil {
		if page = l.page(tb, page.PrevCursor); page.NextCursor == nil {
			tb.Fatalf("%s: an earlier page has none behind", l.query)
		}
		back = append(page.ids(), back...)
	}
	if !slices.Equal(back, want) {
		tb.Fatalf("%s: backwards\n got %v\nwant %v", l.query, back, want)
	}
}

// lettersOf returns the sort key of a name: without case and accents.
func lettersOf(name string) string {
	return strings.NewReplacer("ä", "a", "é", "e", "ß", "ss").Replace(strings.ToLower(name))
}

// sorted returns the order that a list must have: by the value, ties by the id, both reversed when descending.
func sorted(teams []crier.Team, sort, order string) []crier.ID {
	teams = slices.Clone(teams)
	slices.SortFunc(teams, func(a, b crier.Team) int {
		by := 0
		switch sort {
		case "createdAt":
			by = a.CreatedAt.Compare(b.CreatedAt.Time)
		case "updatedAt":
			by = a.UpdatedAt.Compare(b.UpdatedAt.Time)
		case "name":
			by = strings.Compare(lettersOf(a.Name), lettersOf(b.Name))
		}
		if by == 0 {
			by = strings.Compare(string(a.ID), string(b.ID))
		}
		if order == "desc" {
			return -by
		}
		return by
	})
	ids := make([]crier.ID, len(teams))
	for i, t := range teams {
		ids[i] = t.ID
	}
	return ids
}

var (
	pageSorts  = rapid.SampledFrom([]string{"createdAt", "updatedAt", "name"})
	pageOrders = rapid.SampledFrom([]string{"asc", "desc"})
	// pageNames differ in case, accents and length, and repeat: the order is alphabetical on both databases.
	pageNames = rapid.SampledFrom([]string{"aa", "AA", "Aa", "ab", "a b", "äa", "Za", "za", "zz", "éa", "🦉🦉", "\"x\"",
		"aaa", "_a", "10", "9a"})
	// pageTimes have ties and fractions of all lengths, beyond the precision of the API.
	pageTimes = rapid.Map(rapid.SampledFrom([]time.Duration{
		0, time.Microsecond, 10 * time.Microsecond, time.Millisecond, 1100 * time.Microsecond, 100 * time.Millisecond,
		time.Second, 1100 * time.Millisecond, time.Hour, -time.Second,
	}), func(d time.Duration) crier.Time {
		return crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC).Add(d))
	})
)

func drawTeam(rt *rapid.T, organization crier.ID) crier.Team {
	return crier.Team{
		ID: crier.NewID(), OrganizationID: organization, Name: pageNames.Draw(rt, "name"), PublishLateMinutes: 60,
		CreatedAt: pageTimes.Draw(rt, "createdAt"), UpdatedAt: pageTimes.Draw(rt, "updatedAt"),
	}
}

// write changes the store in one transaction.
func (s *testServer) write(tb failer, fn func(ctx context.Context, tx *store.Tx) error) {
	tb.Helper()
	ctx := context.Background()
	if err := s.Node.Store.WithTx(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		tb.Fatalf("%v", err)
	}
}

func (s *testServer) insertTeams(tb failer, teams ...crier.Team) {
	tb.Helper()
	s.write(tb, func(ctx context.Context, tx *store.Tx) error {
		for _, team := range teams {
			if err := tx.InsertTeam(ctx, team); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestPagesConcatenateToTheSortedList(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		rapid.Check(t, func(rt *rapid.T) {
			owner := s.NewTenant(t, "Paged")
			teams := []crier.Team{s.teamOf(t, owner)}
			for range rapid.IntRange(0, 12).Draw(rt, "teams") {
				teams = append(teams, drawTeam(rt, owner.Organization))
			}
			s.insertTeams(rt, teams[1:]...)
			sort, order := pageSorts.Draw(rt, "sortBy"), pageOrders.Draw(rt, "sortOrder")
			limit := rapid.IntRange(1, 6).Draw(rt, "limit")
			s.list("/v1/teams", owner.Key, sort, order, limit).walk(rt, sorted(teams, sort, order))
		})
	})
}

// teamOf reads the first team of a tenant from the store.
func (s *testServer) teamOf(tb testing.TB, of servertest.Tenant) crier.Team {
	tb.Helper()
	var team crier.Team
	s.write(tb, func(ctx context.Context, tx *store.Tx) (err error) {
		team, err = tx.LockTeam(ctx, of.Team)
		return err
	})
	return team
}

func TestPagesStayConsistentWhileRowsChange(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		rapid.Check(t, func(rt *rapid.T) {
			owner := s.NewTenant(t, "Paged")
			c := &churn{server: s, owner: owner, living: map[crier.ID]crier.Team{}, stayed: map[crier.ID]bool{}}
			c.add(rt, s.teamOf(t, owner))
			for range rapid.IntRange(0, 10).Draw(rt, "teams") {
				team := drawTeam(rt, owner.Organization)
				s.insertTeams(rt, team)
				c.add(rt, team)
			}
			for id := range c.living {
				c.stayed[id] = true
			}
			sort, order := pageSorts.Draw(rt, "sortBy"), pageOrders.Draw(rt, "sortOrder")
			list := s.list("/v1/teams", owner.Key, sort, order, rapid.IntRange(1, 4).Draw(rt, "limit"))
			forwards, last := c.follow(rt, list, nil, false)
			c.compare(rt, "forwards", forwards, sort, order)
			if last.PrevCursor == nil {
				return
			}
			c.stayed = map[crier.ID]bool{}
			for id := range c.living { // on the way back: all that exist now and are not on the last page
				c.stayed[id] = !slices.Contains(last.ids(), id)
			}
			backwards, _ := c.follow(rt, list, last.PrevCursor, true)
			slices.Reverse(backwards)
			c.compare(rt, "backwards", backwards, sort, order)
		})
	})
}

// churn inserts and deletes rows while a list is read.
type churn struct {
	server *testServer
	owner  servertest.Tenant
	living map[crier.ID]crier.Team
	all    []crier.Team
	// stayed are the rows that existed all the time.
	stayed map[crier.ID]bool
}

func (c *churn) add(_ *rapid.T, team crier.Team) {
	c.living[team.ID] = team
	c.all = append(c.all, team)
}

// follow reads pages in one direction, with a change between each two, and returns the rows in the order it saw them.
func (c *churn) follow(rt *rapid.T, list listing, cursor *string, backward bool) ([]crier.ID, fetched) {
	var seen []crier.ID
	for pages := 0; ; pages++ {
		page := list.page(rt, cursor)
		ids := page.ids()
		for _, id := range ids {
			if _, lives := c.living[id]; !lives {
				rt.Fatalf("a deleted row is on the page: %s", id)
			}
		}
		if page.Total != len(c.living) {
			rt.Fatalf("total is %d, want %d", page.Total, len(c.living))
		}
		cursor = page.NextCursor
		if backward {
			slices.Reverse(ids)
			cursor = page.PrevCursor
		}
		seen = append(seen, ids...)
		if cursor == nil || pages > 200 {
			return seen, page
		}
		c.change(rt)
	}
}

// change deletes a row, inserts one, or does nothing.
func (c *churn) change(rt *rapid.T) {
	switch rapid.IntRange(0, 3).Draw(rt, "change") {
	case 0:
		team := drawTeam(rt, c.owner.Organization)
		c.server.insertTeams(rt, team)
		c.add(rt, team)
	case 1, 2:
		if len(c.living) == 0 {
			return
		}
		var ids []crier.ID
		for id := range c.living {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		id := rapid.SampledFrom(ids).Draw(rt, "deleted")
		c.server.write(rt, func(ctx context.Context, tx *store.Tx) error {
			return tx.DeleteTeam(ctx, c.living[id], crier.TimeOf(time.Now()))
		})
		delete(c.living, id)
		delete(c.stayed, id)
	}
}

// compare fails the test unless every row that existed all the time was seen once, in order, and no row twice.
func (c *churn) compare(rt *rapid.T, way string, seen []crier.ID, sort, order string) {
	c.sameOrder(rt, way, seen, sort, order)
	for id, stayed := range c.stayed {
		if stayed && !slices.Contains(seen, id) {
			rt.Fatalf("%s: a row that was there all the time was not seen: %s", way, id)
		}
	}
}

func (c *churn) sameOrder(rt *rapid.T, way string, seen []crier.ID, sort, order string) {
	var want []crier.ID
	for _, id := range sorted(c.all, sort, order) {
		if slices.Contains(seen, id) {
			want = append(want, id)
		}
	}
	if !slices.Equal(seen, want) {
		rt.Fatalf("%s: seen out of order or twice\n got %v\nwant %v", way, seen, want)
	}
}

func TestOrganizationsAndKeysArePagedToo(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		created := map[string][]crier.Team{}
		for _, list := range []string{"/v1/organizations", keys} { // the existing rows
			row := s.list(list, s.Key, "createdAt", "asc", 1).page(t, nil).Data[0]
			at, _ := crier.ParseTime(row.CreatedAt)
			created[list] = append(created[list], crier.Team{ID: row.ID, Name: row.Name, CreatedAt: at, UpdatedAt: at})
		}
		for i, name := range []string{"Beta", "alpha", "Beta", "Ärger", "Zeta", "alpha", "Beta"} {
			if i%2 == 0 {
				c.Advance(time.Second)
			}
			for _, list := range []string{"/v1/organizations", keys} {
				got := s.Do(t, "POST", list, object{"name": name, "role": "viewer"})
				if list == "/v1/organizations" {
					got = s.Do(t, "POST", list, object{"name": name})
				}
				at, err := crier.ParseTime(got.Want(t, http.StatusCreated).Text(t, "createdAt"))
				if err != nil {
					t.Fatal(err)
				}
				created[list] = append(created[list], crier.Team{ID: crier.ID(got.Text(t, "id")), Name: name,
					CreatedAt: at, UpdatedAt: at})
			}
		}
		for list, rows := range created {
			for _, sort := range []string{"createdAt", "updatedAt", "name"} {
				if list == keys && sort == "updatedAt" {
					continue
				}
				for _, order := range []string{"asc", "desc"} {
					for _, limit := range []int{1, 3, 8, 100} {
						s.list(list, s.Key, sort, order, limit).walk(t, sorted(rows, sort, order))
					}
				}
			}
		}
	})
}

func TestTeamsOfManyOrganizationsAreOneList(t *testing.T) {
	t.Parallel()
	for _, organizations := range []int{3, 230} { // beyond 200 the list is built in another way
		t.Run(fmt.Sprint(organizations), func(t *testing.T) {
			t.Parallel()
			eachDatabase(t, func(t *testing.T, db database) {
				s := startServer(t, db, withRole("api"))
				teams := append([]crier.Team{s.teamOf(t, s.Tenant)}, s.join(t, organizations)...)
				for _, sort := range []string{"createdAt", "updatedAt", "name"} {
					for _, order := range []string{"asc", "desc"} {
						s.list("/v1/teams", s.Key, sort, order, 97).walk(t, sorted(teams, sort, order))
					}
				}
				s.list("/v1/teams", s.Key, "createdAt", "desc", 40).walk(t, sorted(teams, "createdAt", "desc"))
				one := s.list("/v1/teams", s.Key, "name", "asc", 2)
				one.query.Set("organizationId", string(teams[1].OrganizationID))
				one.walk(t, sorted(slices.DeleteFunc(slices.Clone(teams),
					func(t crier.Team) bool { return t.OrganizationID != teams[1].OrganizationID }), "name", "asc"))
				// The stranger in the same store sees none of them.
				if page := s.list("/v1/teams", s.NewTenant(t, "Stranger").Key, "createdAt", "asc", 100).page(t,
					nil); page.Total != 1 {
					t.Errorf("a stranger sees %d teams", page.Total)
				}
			})
		})
	}
}

// join creates organizations that the first key and its user belong to, each with two teams, and returns the teams that
// both see. In every third one the key, in every fourth one the user, is limited to the first team.
func (s *testServer) join(t *testing.T, organizations int) []crier.Team {
	t.Helper()
	caller := s.Do(t, "GET", "/v1/agent/context", nil)
	key, person := crier.ID(caller.Text(t, "credential", "id")), crier.ID(caller.Text(t, "user", "id"))
	var seen []crier.Team
	s.write(t, func(ctx context.Context, tx *store.Tx) error {
		seen = nil
		for i := range organizations {
			now := crier.TimeOf(time.Now().Add(time.Duration(i%7) * time.Minute))
			o := crier.Organization{ID: crier.NewID(), Name: fmt.Sprint("Organization ", i), SubscriptionStatus: "none",
				SubscriptionPlan: "free", SubscriptionStartedAt: now, CreatedAt: now, UpdatedAt: now}
			if err := tx.InsertOrganization(ctx, store.Organization{Organization: o}); err != nil {
				return err
			}
			teams := []crier.Team{}
			for j := range 2 {
				team := crier.Team{ID: crier.NewID(), OrganizationID: o.ID, Name: fmt.Sprint("Team ", (i+j)%5),
					PublishLateMinutes: 60, CreatedAt: now, UpdatedAt: now}
				if err := tx.InsertTeam(ctx, team); err != nil {
					return err
				}
				teams = append(teams, team)
			}
			narrow := func(yes bool, m store.Membership) store.Membership {
				m.ID, m.OrganizationID, m.Role, m.CreatedAt, m.AllTeams = crier.NewID(), o.ID, crier.RoleAdmin, now,
					!yes
				if yes {
					m.TeamIDs = []crier.ID{teams[0].ID}
				}
				return m
			}
			for _, m := range []store.Membership{
				narrow(i%3 == 1, store.Membership{Kind: store.KeyPrincipal, PrincipalID: key}),
				narrow(i%4 == 2, store.Membership{Kind: store.UserPrincipal, PrincipalID: person}),
			} {
				if err := tx.InsertMembership(ctx, m, o); err != nil {
					return err
				}
			}
			if i%3 == 1 || i%4 == 2 {
				teams = teams[:1]
			}
			seen = append(seen, teams...)
		}
		return nil
	})
	return seen
}

func TestCursorsAreBoundToTheirQuery(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		for range 3 {
			s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Team"}).Want(t,
				http.StatusCreated)
			s.CreateKey(t, s.Key, object{"role": "viewer"})
			s.Do(t, "POST", "/v1/organizations", object{"name": "Acme"}).Want(t, http.StatusCreated)
		}
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		cursor := func(address string) string {
			return s.Do(t, "GET", address, nil).Want(t, http.StatusOK).Text(t, "nextCursor")
		}
		teams := cursor("/v1/teams?limit=1")
		refused := map[string]string{
			"another sort":  "/v1/teams?limit=1&sortBy=name&cursor=" + teams,
			"another order": "/v1/teams?limit=1&sortOrder=asc&cursor=" + teams,
			"another filter": path("/v1/teams?limit=1&organizationId=%s&cursor=%s", s.Organization,
				teams),
			"another list":              "/v1/organizations?limit=1&cursor=" + teams,
			"the list of keys":          keys + "?limit=1&cursor=" + teams,
			"a cursor of keys":          "/v1/teams?limit=1&cursor=" + cursor(keys+"?limit=1"),
			"a cursor of organizations": "/v1/teams?limit=1&cursor=" + cursor("/v1/organizations?limit=1"),
			"a cursor of a filtered list": "/v1/teams?limit=1&cursor=" +
				cursor(path("/v1/teams?limit=1&organizationId=%s", s.Organization)),
			"garbage":                 "/v1/teams?cursor=garbage",
			"a number":                "/v1/teams?cursor=2",
			"half of one":             "/v1/teams?limit=1&cursor=" + teams[:len(teams)/2],
			"without its signature":   "/v1/teams?limit=1&cursor=" + strings.Split(teams, ".")[0],
			"with an empty signature": "/v1/teams?limit=1&cursor=" + strings.Split(teams, ".")[0] + ".",
			"with something behind":   "/v1/teams?limit=1&cursor=" + teams + "A",
			"with padding":            "/v1/teams?limit=1&cursor=" + teams + "%3D",
			"signed by nobody, pointing anywhere": "/v1/teams?cursor=" +
				base64.RawURLEncoding.EncodeToString([]byte(`{"l":"teams of ","s":"createdAt","d":true,"v":"2026-11-15T09:00:00Z","k":"`+unknownID+`"}`)) + "." + strings.Split(teams, ".")[1],
			"too long":  "/v1/teams?cursor=" + strings.Repeat("A", 5000),
			"not UTF-8": "/v1/teams?cursor=%ff%fe",
		}
		for rule, address := range refused {
			t.Run(rule, func(t *testing.T) { s.Do(t, "GET", address, nil).WantIssues(t, "cursor") })
		}
		for i := range teams {
			changed := []byte(teams)
			changed[i] = map[bool]byte{true: 'B', false: 'A'}[changed[i] == 'A']
			if got := s.Do(t, "GET", "/v1/teams?limit=1&cursor="+url.QueryEscape(string(changed)),
				nil); got.Status != http.StatusBadRequest {
				// The last characters of unpadded base64 have unused bits.
				if i != len(teams)-1 && teams[i+1] != '.' {
					t.Errorf("a cursor whose character %d was changed is accepted", i)
				}
			}
		}
		// A different page size is the same query.
		s.Do(t, "GET", "/v1/teams?limit=50&cursor="+teams, nil).Want(t, http.StatusOK)
		s.Do(t, "GET", "/v1/teams?limit=1&sortBy=createdAt&sortOrder=desc&cursor="+teams, nil).Want(t, http.StatusOK)
	})
}
