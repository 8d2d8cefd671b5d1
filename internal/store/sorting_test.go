package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// sortedNames are names in alphabetical order.
var sortedNames = []string{"Äpfel 2", "apple", "Banana", "éclair", "Zebra", "zoo"}

// pages walks a list from its first to its last page, two rows at a time.
func pages[T any](t *testing.T, read func(q store.PageQuery) (store.PageRows[T], error), sort string) []T {
	t.Helper()
	var all []T
	q := store.PageQuery{Sort: sort, Limit: 2}
	for range 20 {
		page, err := read(q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Rows...)
		if !page.After {
			return all
		}
		last := page.Last
		q.Seek = &last
	}
	t.Fatal("the list does not end")
	return nil
}

func TestNamesAndTitlesAreSortedAlphabetically(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		shuffled := []string{"Zebra", "éclair", "apple", "zoo", "Banana", "Äpfel 2"}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			for _, name := range shuffled {
				tag := crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: name, CreatedAt: f.Now, UpdatedAt: f.Now}
				if err := tx.InsertTag(ctx, tag, strings.ToLower(name)); err != nil {
					return err
				}
			}
			return nil
		})
		for _, name := range shuffled {
			p := f.NewPost("x")
			p.Title = &name
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdatePost(ctx, p) })
		}
		check := func(when string) {
			var names, titles []string
			for _, tag := range pages(t, func(q store.PageQuery) (store.PageRows[crier.Tag], error) {
				return f.Tags(ctx, f.Team.ID, q)
			}, "name") {
				names = append(names, tag.Name)
			}
			for _, p := range pages(t, func(q store.PageQuery) (store.PageRows[*store.Post], error) {
				page, _, err := f.Posts(ctx, store.PostFilter{TeamID: f.Team.ID}, q, false)
				return page, err
			}, "title") {
				titles = append(titles, *p.Title)
			}
			if !slices.Equal(names, sortedNames) || !slices.Equal(titles, sortedNames) {
				t.Errorf("%s: tags %q, posts %q", when, names, titles)
			}
		}
		check("as written")
		for _, statement := range []string{`UPDATE tags SET name_key = ''`, `UPDATE posts SET sort_title = ''`} {
			if _, err := f.Writer().ExecContext(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
		check("as filled in for rows of before")
		old, err := f.Tags(ctx, f.Team.ID, store.PageQuery{Sort: "name", Limit: 1, Seek: &store.Key{Value: "Banana",
			ID: "00000000-0000-0000-0000-000000000000"}})
		if err != nil || len(old.Rows) != 1 || old.Rows[0].Name != "Banana" {
			t.Errorf("behind a cursor that holds the name itself comes %+v: %v", old.Rows, err)
		}
	})
}

func TestPostsAreFoundByNetworksTheyWereScheduledOn(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		post := f.NewPost("x")
		f.Schedule(post, func(p *store.Publication) { p.Status = crier.Canceled })
		for name, filter := range map[string]store.PostFilter{
			"provider": {Providers: []crier.Provider{crier.ProviderX}},
			"account":  {SocialAccountIDs: []crier.ID{f.Account.ID}},
		} {
			filter.TeamID = f.Team.ID
			page, total, err := f.Posts(context.Background(), filter, store.PageQuery{Sort: "createdAt", Limit: 10},
				false)
			if err != nil || total.Count != 1 || len(page.Rows) != 1 {
				t.Errorf("by %s: %d posts: %v", name, total.Count, err)
			}
		}
	})
}

func TestTeamsOfSeveralOrganizationsAreSortedAlphabetically(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		reaches := []store.Reach{{OrganizationID: f.Organization.ID}, {OrganizationID: f.NewOrganization("Other").ID}}
		for i, name := range []string{"zoo", "Äpfel"} {
			team := crier.Team{ID: crier.NewID(), OrganizationID: reaches[i].OrganizationID, Name: name,
				CreatedAt: f.Now,
				UpdatedAt: f.Now}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTeam(ctx, team) })
		}
		var names []string
		for _, team := range pages(t, func(q store.PageQuery) (store.PageRows[crier.Team], error) {
			return f.Teams(context.Background(), f.Owner.ID, f.Owner.ID, reaches, q)
		}, "name") {
			names = append(names, team.Name)
		}
		if !slices.Equal(names, []string{"Äpfel", "Marketing", "zoo"}) {
			t.Errorf("the teams are %q", names)
		}
	})
}
