package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// Fixture is an open store with an organization, its owner, a team and an account on X. Its methods fail the test on
// errors.
type Fixture struct {
	*store.Store
	tb testing.TB
	// Now is the creation time of everything: noon, so that tests can calculate with it.
	Now          crier.Time
	Organization crier.Organization
	Owner        crier.User
	Team         crier.Team
	Account      store.Account
}

// EachFixture is EachStore with a fixture.
func (s *Suite) EachFixture(t *testing.T, test func(t *testing.T, f *Fixture)) {
	t.Helper()
	s.EachStore(t, func(t *testing.T, st *store.Store) {
		t.Helper()
		test(t, NewFixture(t, st))
	})
}

// NewFixture inserts a fixture into a store.
func NewFixture(tb testing.TB, s *store.Store) *Fixture {
	tb.Helper()
	return newFixture(tb, s, "owner@acme.example")
}

func newFixture(tb testing.TB, s *store.Store, owner crier.Email) *Fixture {
	tb.Helper()
	f := &Fixture{Store: s, tb: tb, Now: crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))}
	f.Organization = f.NewOrganization("Acme")
	f.Owner = f.NewUser(owner)
	f.Join(store.UserPrincipal, f.Owner.ID, crier.RoleOwner)
	f.Team = f.NewTeam("Marketing")
	f.Account = f.NewAccount(crier.ProviderX)
	return f
}

// Tx runs fn in a transaction.
func (f *Fixture) Tx(fn func(ctx context.Context, tx *store.Tx) error) {
	f.tb.Helper()
	if err := f.TryTx(fn); err != nil {
		f.tb.Fatal(err)
	}
}

// TryTx runs fn in a transaction and returns its error.
func (f *Fixture) TryTx(fn func(ctx context.Context, tx *store.Tx) error) error {
	ctx := context.Background()
	return f.WithTx(ctx, func(tx *store.Tx) error { return fn(ctx, tx) })
}

// After returns Now plus d, which may be negative.
func (f *Fixture) After(d time.Duration) crier.Time { return crier.TimeOf(f.Now.Add(d)) }

// Merge merges all changes of the team's posts into the indexes.
func (f *Fixture) Merge() {
	f.tb.Helper()
	if _, err := f.MergeChanges(context.Background(), f.Team.ID, 1); err != nil {
		f.tb.Fatal(err)
	}
}

// NewOrganization inserts an organization.
func (f *Fixture) NewOrganization(name string) crier.Organization {
	f.tb.Helper()
	o := crier.Organization{ID: crier.NewID(), Name: name, SubscriptionStatus: "none", SubscriptionPlan: "free",
		SubscriptionStartedAt: f.Now, CreatedAt: f.Now, UpdatedAt: f.Now}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		return tx.InsertOrganization(ctx, store.Organization{Organization: o})
	})
	return o
}

// NewUser inserts a person without a password.
func (f *Fixture) NewUser(email crier.Email) crier.User {
	f.tb.Helper()
	u := crier.User{ID: crier.NewID(), Email: &email, Name: string(email)}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertUser(ctx, u, f.Now) })
	return u
}

// Join adds a principal to the organization, with all teams or the given ones.
func (f *Fixture) Join(kind store.PrincipalKind, principal crier.ID, role crier.Role, teams ...crier.ID) crier.ID {
	f.tb.Helper()
	m := store.Membership{ID: crier.NewID(), OrganizationID: f.Organization.ID, Kind: kind, PrincipalID: principal,
		Role: role, AllTeams: len(teams) == 0, TeamIDs: teams, CreatedAt: f.Now}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertMembership(ctx, m, f.Organization) })
	return m.ID
}

// NewTeam inserts a team of the organization.
func (f *Fixture) NewTeam(name string) crier.Team {
	f.tb.Helper()
	t := crier.Team{ID: crier.NewID(), OrganizationID: f.Organization.ID, Name: name,
		PublishLateMinutes: crier.DefaultPublishLateMinutes, CreatedAt: f.Now, UpdatedAt: f.Now}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTeam(ctx, t) })
	return t
}

// NewAccount inserts a connected account of the team.
func (f *Fixture) NewAccount(network crier.Provider, change ...func(*store.Account)) store.Account {
	f.tb.Helper()
	var a store.Account
	a.ID, a.TeamID, a.Provider, a.Status = crier.NewID(), f.Team.ID, network, crier.AccountConnected
	a.ProviderAccountID, a.DisplayName = string(a.ID), "Acme"
	a.Scopes, a.ProviderSettings = []string{}, json.RawMessage(`{}`)
	a.ConnectedAt, a.CreatedAt, a.UpdatedAt = f.Now, f.Now, f.Now
	for _, fn := range change {
		fn(&a)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAccount(ctx, a) })
	return a
}

// NewPost inserts a draft with a text.
func (f *Fixture) NewPost(text string, change ...func(*store.Post)) store.Post {
	f.tb.Helper()
	input := crier.PostInput{Atomic: &crier.AtomicPost{Text: text, Attachments: []crier.Attachment{}}}
	p := store.Post{Post: crier.Post{ID: crier.NewID(), TeamID: f.Team.ID, PostType: crier.TextPost,
		Status: crier.PostDraft, ContentPayloadID: crier.NewID(), PostInput: &input, CreatedAt: f.Now,
		UpdatedAt: f.Now}}
	for _, fn := range change {
		fn(&p)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertPost(ctx, p); err != nil {
			return err
		}
		payload := store.Payload{ID: p.ContentPayloadID, PostID: p.ID, Text: text, PostInput: input,
			CreatedAt: p.CreatedAt}
		return tx.InsertPayload(ctx, payload)
	})
	return p
}

// Schedule inserts a publication of a post on the fixture's account that is due now.
func (f *Fixture) Schedule(post store.Post, change ...func(*store.Publication)) store.Publication {
	f.tb.Helper()
	p := store.Publication{
		ID: crier.NewID(), Kind: store.PostPublication, TeamID: f.Team.ID,
		OrganizationID: f.Organization.ID, PostID: post.ID, SocialAccountID: f.Account.ID, Provider: f.Account.Provider,
		Status: crier.Scheduled, ScheduledAt: f.Now, Timezone: "UTC", PayloadID: post.ContentPayloadID,
		Settings: map[string]json.RawMessage{}, State: json.RawMessage(`{}`), WakeAt: &f.Now, CreatedAt: f.Now,
		UpdatedAt: f.Now, Results: crier.PublishResults{PlatformPostIDs: []string{}},
	}
	for _, fn := range change {
		fn(&p)
	}
	p.ScheduledPostID = p.ID
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertPublication(ctx, p); err != nil {
			return err
		}
		return tx.RefreshPosts(ctx, p.UpdatedAt, post.ID)
	})
	return p
}

// Follow inserts an action that follows a publication and is due now.
func (f *Fixture) Follow(parent store.Publication, kind store.PublicationKind,
	change ...func(*store.Publication)) store.Publication {
	f.tb.Helper()
	p := parent
	p.ID, p.Kind, p.ScheduledPostID = crier.NewID(), kind, parent.ID
	p.Status, p.Spec = crier.Scheduled, json.RawMessage(`{"text":"thanks"}`)
	for _, fn := range change {
		fn(&p)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAction(ctx, p) })
	return p
}

// Lease leases publications for one worker for a minute and returns them as leased.
func (f *Fixture) Lease(owner crier.ID, list ...store.Publication) []store.Publication {
	f.tb.Helper()
	requests := make([]*store.LeaseRequest, len(list))
	for i, p := range list {
		requests[i] = &store.LeaseRequest{ID: p.ID, Epoch: p.Epoch, Owner: owner, Now: f.Now,
			Until: f.After(time.Minute)}
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.Lease(ctx, store.Patient, requests...) })
	if err := f.ReadLeased(context.Background(), requests...); err != nil {
		f.tb.Fatal(err)
	}
	out := make([]store.Publication, len(list))
	for i, r := range requests {
		if !r.Leased {
			f.tb.Fatalf("publication %s was not leased", list[i].ID)
		}
		out[i] = r.Publication
	}
	return out
}

// Read reads a publication.
func (f *Fixture) Read(id crier.ID) store.Publication {
	f.tb.Helper()
	p, err := f.Publication(context.Background(), id)
	if err != nil {
		f.tb.Fatal(err)
	}
	return p
}

// Scan reads one value.
func (f *Fixture) Scan(query string, args ...any) (value int64) {
	f.tb.Helper()
	if err := f.Reader().QueryRowContext(context.Background(), query, args...).Scan(&value); err != nil {
		f.tb.Fatalf("%s: %v", query, err)
	}
	return value
}

// NewKey inserts an API key of the owner with the secret "secret " and its name.
func (f *Fixture) NewKey(name string, teams ...crier.ID) crier.APIKey {
	f.tb.Helper()
	k := crier.APIKey{ID: crier.NewID(), OrganizationID: f.Organization.ID, Name: name, Role: crier.RoleEditor,
		TeamIDs: teams, CreatedByID: &f.Owner.ID, CreatedAt: f.Now, UpdatedAt: f.Now}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertKey(ctx, k); err != nil {
			return err
		}
		return tx.InsertSecret(ctx, store.KeySecret{Hash: []byte("secret " + name), KeyID: k.ID, Sealed: []byte{1},
			LastFour: "1234", CreatedAt: f.Now, IssuedByID: f.Owner.ID}, f.Now)
	})
	f.Join(store.KeyPrincipal, k.ID, k.Role, teams...)
	return k
}

// NewAsset inserts a ready image.
func (f *Fixture) NewAsset(change ...func(*store.Asset)) store.Asset {
	f.tb.Helper()
	a := store.Asset{Asset: crier.Asset{ID: crier.NewID(), TeamID: f.Team.ID, FileName: "a.png", MimeType: "image/png",
		Kind: "image", ByteSize: 5, SHA256: "00", Status: crier.AssetReady, AssetTags: []string{}, CreatedAt: f.Now,
		UpdatedAt: f.Now}, Facts: json.RawMessage(`{}`)}
	for _, fn := range change {
		fn(&a)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAsset(ctx, a) })
	return a
}
