package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// sorted checks that a list shows n rows in the order of a key, in both directions.
func sorted[T any](t *testing.T, sort string, n int, id func(T) crier.ID,
	read func(store.PageQuery) (store.PageRows[T], error)) {
	t.Helper()
	q := store.PageQuery{Sort: sort, Limit: 3}
	up := walk(t, id, q, read)
	q.Desc = true
	down := walk(t, id, q, read)
	slices.Reverse(down)
	if len(up) != n || !slices.Equal(up, down) {
		t.Errorf("by %s: %d rows, want %d; descending is the reverse: %v", sort, len(up), n, slices.Equal(up, down))
	}
}

func TestListsArePagedInEveryOrder(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, n := context.Background(), 8
		fillLists(f, n)
		owner, organization, team := f.Owner.ID, f.Organization.ID, f.Team.ID
		for _, sort := range []string{"createdAt", "updatedAt", "name"} {
			sorted(t, sort, n+1, func(x crier.Team) crier.ID { return x.ID },
				func(q store.PageQuery) (store.PageRows[crier.Team], error) {
					reaches, err := f.Reaches(ctx, owner, owner, organization)
					if err != nil {
						return store.PageRows[crier.Team]{}, err
					}
					return f.Teams(ctx, owner, owner, reaches, q)
				})
			sorted(t, sort, n, func(x crier.Folder) crier.ID { return x.ID },
				func(q store.PageQuery) (store.PageRows[crier.Folder], error) {
					return f.Folders(ctx, team, store.FolderFilter{}, q)
				})
			sorted(t, sort, 1, func(x store.Organization) crier.ID { return x.ID },
				func(q store.PageQuery) (store.PageRows[store.Organization], error) {
					return f.Organizations(ctx, owner, owner, q)
				})
		}
		for _, sort := range []string{"createdAt", "name"} {
			sorted(t, sort, n, func(x crier.APIKey) crier.ID { return x.ID },
				func(q store.PageQuery) (store.PageRows[crier.APIKey], error) { return f.Keys(ctx, organization, q) })
			sorted(t, sort, n, func(x crier.Tag) crier.ID { return x.ID },
				func(q store.PageQuery) (store.PageRows[crier.Tag], error) { return f.Tags(ctx, team, q) })
		}
		for _, sort := range []string{"createdAt", "updatedAt", "fileName", "byteSize"} {
			sorted(t, sort, n, func(x store.Asset) crier.ID { return x.ID },
				func(q store.PageQuery) (store.PageRows[store.Asset], error) {
					return f.Assets(ctx, team, store.AssetFilter{}, q)
				})
		}
		sorted(t, "createdAt", n+1, func(x crier.Member) crier.ID { return x.ID },
			func(q store.PageQuery) (store.PageRows[crier.Member], error) { return f.Members(ctx, organization, q) })
		sorted(t, "createdAt", n, func(x store.Invitation) crier.ID { return x.ID },
			func(q store.PageQuery) (store.PageRows[store.Invitation], error) {
				return f.Invitations(ctx, organization, f.Now, q)
			})
		sorted(t, "createdAt", n, func(x crier.AuditEntry) crier.ID { return x.ID },
			func(q store.PageQuery) (store.PageRows[crier.AuditEntry], error) {
				return f.AuditLog(ctx, organization, store.AuditFilter{}, q)
			})
		if _, err := f.Tags(ctx, team, store.PageQuery{Sort: "size", Limit: 1}); err == nil {
			t.Error("a sort that does not exist was accepted")
		}
		countLists(t, f, int64(n))
	})
}

// fillLists creates n rows of everything that is listed.
func fillLists(f *storetest.Fixture, n int) {
	for i := range n {
		name, at := fmt.Sprintf("Name %d", (i*5)%n), f.After(time.Duration(i%3)*time.Minute)
		f.NewTeam(name)
		user := f.NewUser(crier.Email(fmt.Sprintf("user%d@acme.example", i)))
		f.Join(store.UserPrincipal, user.ID, crier.RoleEditor)
		f.NewKey(name)
		f.NewAsset(func(a *store.Asset) { a.FileName, a.ByteSize, a.CreatedAt = name, int64(i%4), at })
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.InsertFolder(ctx, crier.Folder{ID: crier.NewID(), TeamID: f.Team.ID, Name: name,
				CreatedAt: at},
				name); err != nil {
				return err
			}
			if err := tx.InsertTag(ctx, crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: name, CreatedAt: at,
				UpdatedAt: at}, name); err != nil {
				return err
			}
			invitation := store.Invitation{TokenHash: []byte(name), OrganizationID: f.Organization.ID,
				InvitedByID: f.Owner.ID}
			invitation.ID, invitation.Email, invitation.Role = crier.NewID(), crier.Email(name), crier.RoleViewer
			invitation.CreatedAt, invitation.ExpiresAt = at, f.After(time.Hour)
			if err := tx.InsertInvitation(ctx, invitation); err != nil {
				return err
			}
			return tx.InsertAudit(ctx, crier.AuditEntry{ID: crier.NewID(), OrganizationID: f.Organization.ID,
				PrincipalKind: "user", PrincipalID: f.Owner.ID, PersonID: f.Owner.ID, Action: "createTag",
				Target: "/tags", RequestID: name, CreatedAt: at})
		})
	}
}

// countLists compares the totals with the number of created rows.
func countLists(t *testing.T, f *storetest.Fixture, n int64) {
	t.Helper()
	ctx, owner, organization, team := context.Background(), f.Owner.ID, f.Organization.ID, f.Team.ID
	reaches, err := f.Reaches(ctx, owner, owner, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		count func() (int64, error)
		want  int64
	}{
		"teams":   {func() (int64, error) { return f.TeamCount(ctx, owner, owner, "", reaches) }, n + 1},
		"folders": {func() (int64, error) { return f.FolderCount(ctx, team, store.FolderFilter{}) }, n},
		"top folders": {func() (int64, error) { return f.FolderCount(ctx, team, store.FolderFilter{AtTop: true}) },
			n},
		"assets":      {func() (int64, error) { return f.AssetCount(ctx, team, store.AssetFilter{}) }, n},
		"keys":        {func() (int64, error) { return f.KeyCount(ctx, organization) }, n},
		"tags":        {func() (int64, error) { return f.TagCount(ctx, team) }, n},
		"members":     {func() (int64, error) { return f.MemberCount(ctx, organization) }, n + 1},
		"invitations": {func() (int64, error) { return f.InvitationCount(ctx, organization, f.Now) }, n},
		"audit entries": {func() (int64, error) {
			total, err := f.AuditCount(ctx, organization, store.AuditFilter{})
			return total.Count, err
		}, n},
		"organizations": {func() (int64, error) { return f.OrganizationCount(ctx, store.UserPrincipal, owner) }, 1},
	} {
		if got, err := c.count(); err != nil || got != c.want {
			t.Errorf("%d %s, want %d, %v", got, name, c.want, err)
		}
	}
}

func TestAssetFilters(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		folder := crier.Folder{ID: crier.NewID(), TeamID: f.Team.ID, Name: "Photos", CreatedAt: f.Now}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertFolder(ctx, folder, "photos") })
		image := f.NewAsset(func(a *store.Asset) { a.FileName, a.FolderID = "Beach.JPG", &folder.ID })
		video := f.NewAsset(func(a *store.Asset) { a.FileName, a.Kind, a.Status = "beach.mp4", "video", "processing" })
		for name, c := range map[string]struct {
			filter store.AssetFilter
			want   []crier.ID
		}{
			"folder":    {store.AssetFilter{Folder: folder.ID}, []crier.ID{image.ID}},
			"no folder": {store.AssetFilter{NoFolder: true}, []crier.ID{video.ID}},
			"status":    {store.AssetFilter{Status: "processing"}, []crier.ID{video.ID}},
			"kind":      {store.AssetFilter{Kind: "image"}, []crier.ID{image.ID}},
			"prefix":    {store.AssetFilter{NamePrefix: "BEACH"}, []crier.ID{image.ID, video.ID}},
			"several":   {store.AssetFilter{NamePrefix: "beach", Kind: "document"}, nil},
		} {
			page, err := f.Assets(context.Background(), f.Team.ID, c.filter, store.PageQuery{Sort: "fileName",
				Limit: 9})
			n, err2 := f.AssetCount(context.Background(), f.Team.ID, c.filter)
			var got []crier.ID
			for _, a := range page.Rows {
				got = append(got, a.ID)
			}
			if err != nil || err2 != nil || !slices.Equal(got, c.want) || n != int64(len(c.want)) {
				t.Errorf("%s: %v and %d, want %v; %v, %v", name, got, n, c.want, err, err2)
			}
		}
	})
}
