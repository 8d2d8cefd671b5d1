package service

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/provider/all"
	"crier/internal/provider/providertest"
	"crier/internal/social"
	"crier/internal/store"
)

// desk is a team with an account of each network and no publisher: scheduled posts stay scheduled.
type desk struct {
	*rules
	scope    access.TeamScope
	accounts map[crier.Provider]crier.ID
}

func newDesk(t *testing.T, st *store.Store) *desk {
	t.Helper()
	return newDeskWith(t, st, func(*all.Config) {})
}

// newDeskWith is newDesk with other settings of the networks.
func newDeskWith(t *testing.T, st *store.Store, change func(*all.Config)) *desk {
	t.Helper()
	d := &desk{rules: &rules{store: st, time: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)},
		accounts: map[crier.Provider]crier.ID{}}
	now := func() time.Time { return d.time }
	keys, err := auth.NewKeyring(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	config := all.Config{Caller: providertest.NewCaller(providertest.NewClock()), Now: now}
	change(&config)
	networks, err := all.New(config.WithSandbox("http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	d.Services = New(Config{Store: st, Keys: keys, Queue: noJobs{}, Providers: networks, Now: now,
		Logger: slog.New(slog.DiscardHandler)})
	seed := func(crier.ID) ([]social.NewAccount, error) {
		var accounts []social.NewAccount
		for _, network := range networks.All() {
			accounts = append(accounts, social.NewAccount{Provider: crier.Provider(network.Info().Name), Sandbox: true,
				Account: provider.ConnectedAccount{ProviderAccountID: "1", DisplayName: network.Info().Name,
					Token: provider.Token{Access: "token", Scopes: provider.ScopeNames(network.Info().Scopes)}}})
		}
		return accounts, nil
	}
	ctx := context.Background()
	tenant, err := d.Instance.Initialise(ctx, TenantRequest{Name: "Acme", Credits: 10_000, Accounts: seed})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range tenant.Accounts {
		d.accounts[a.Provider] = a.ID
	}
	caller, err := d.Access.Authenticate(ctx, tenant.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	if d.scope, err = d.Access.Team(ctx, caller, tenant.TeamID, crier.PublishPosts); err != nil {
		t.Fatal(err)
	}
	return d
}

// asset inserts a finished file of a type into the library.
func (d *desk) asset(t *testing.T, mimeType string) crier.ID {
	t.Helper()
	width, height := 1080, 1080
	a := store.Asset{Asset: crier.Asset{
		ID: crier.NewID(), TeamID: d.scope.Team().ID, FileName: "file", MimeType: mimeType, Kind: crier.ImageAsset,
		ByteSize: 1000, Width: &width, Height: &height, Status: crier.AssetReady, AssetTags: []string{},
		CreatedAt: crier.TimeOf(d.time), UpdatedAt: crier.TimeOf(d.time),
	}, Facts: []byte(`{}`)}
	if err := d.store.WithTx(t.Context(), func(tx *store.Tx) error {
		return tx.InsertAsset(t.Context(),
			a)
	}); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func (d *desk) post(t *testing.T, in crier.PostCreate) crier.Post {
	t.Helper()
	p, err := d.Posts.Create(t.Context(), d.scope, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// textOf returns a post with a text.
func textOf(text string) crier.PostCreate { return crier.PostCreate{Text: &text} }

// wantIssueAt fails the test unless err is a 400 with exactly these paths.
func wantIssueAt(t *testing.T, err error, paths ...string) {
	t.Helper()
	var refused *crier.Error
	if !errors.As(err, &refused) || refused.Kind != crier.KindInvalid {
		t.Fatalf("got %v, want issues at %v", err, paths)
	}
	var got []string
	for _, issue := range refused.Issues {
		got = append(got, strings.Join(issue.Path, "."))
	}
	if strings.Join(got, " ") != strings.Join(paths, " ") {
		t.Errorf("issues at %v, want %v: %v", got, paths, err)
	}
}

func wantKind(t *testing.T, err error, kind crier.Kind) {
	t.Helper()
	var refused *crier.Error
	if !errors.As(err, &refused) || refused.Kind != kind {
		t.Errorf("got %v, want a %s", err, kind)
	}
}

func TestAttachedLinksAreFoundAndCounted(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		p := d.post(t, crier.PostCreate{PostInput: &crier.PostInput{Atomic: &crier.AtomicPost{
			Text: "Read this at https://first.example/a", Attachments: []crier.Attachment{
				{Link: &crier.LinkAttachment{URL: "https://www.Second.example/ducks"}},
				{Link: &crier.LinkAttachment{URL: "https://first.example/b"}}},
		}}})
		if err := d.Facets.Enrich(t.Context(), job.EnrichPost{PostID: p.ID,
			PayloadID: p.ContentPayloadID}); err != nil {
			t.Fatal(err)
		}
		facets, err := d.Facets.Get(t.Context(), d.scope, []crier.FacetField{crier.FacetLinkDomains})
		if err != nil {
			t.Fatal(err)
		}
		var domains []string
		for _, v := range facets.Data[0].Values {
			domains = append(domains, v.Value)
		}
		if strings.Join(domains, " ") != "first.example second.example" {
			t.Errorf("the domains are %v", domains)
		}
		for _, query := range []string{"second.example", "ducks"} {
			q, err := d.Pages.Query(pagination.Request{List: "posts", SortBy: "createdAt", Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			found, err := d.Posts.List(t.Context(), d.scope, PostFilter{Query: query}, q)
			if err != nil || len(found.Data) != 1 {
				t.Errorf("%q finds %d posts: %v", query, len(found.Data), err)
			}
		}
	})
}

func TestDocumentsCannotBeMixedWithImages(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		jpeg, pdf, carousel := d.asset(t, "image/jpeg"), d.asset(t, "application/pdf"), crier.Carousel
		for name, tc := range map[string]struct {
			in   crier.PostCreate
			path string // of the issue; empty when the post is accepted
		}{
			"an image and a document": {crier.PostCreate{AssetIDs: []crier.ID{jpeg, pdf}}, "assetIds.1"},
			"a document and an image": {crier.PostCreate{AssetIDs: []crier.ID{pdf, jpeg}}, "assetIds.1"},
			"a carousel of an image and a document": {crier.PostCreate{AssetIDs: []crier.ID{jpeg, pdf},
				PostType: &carousel},
				"assetIds.1"},
			"a carousel of a document": {crier.PostCreate{AssetIDs: []crier.ID{pdf}, PostType: &carousel},
				"assetIds.0"},
			"two documents": {crier.PostCreate{AssetIDs: []crier.ID{pdf, d.asset(t, "application/pdf")}},
				"assetIds.1"},
			"a document": {crier.PostCreate{AssetIDs: []crier.ID{pdf}}, ""},
		} {
			_, err := d.Posts.Create(t.Context(), d.scope, tc.in)
			if tc.path == "" {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			wantIssueAt(t, err, tc.path)
		}
	})
}

func TestPostsOfAnEarlierVersionAreReindexed(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		p := d.post(t, textOf("Crème brûlée"))
		found := func(query string) int {
			q, err := d.Pages.Query(pagination.Request{List: "posts", SortBy: "createdAt", Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			page, err := d.Posts.List(ctx, d.scope, PostFilter{Query: query}, q)
			if err != nil {
				t.Fatal(err)
			}
			return len(page.Data)
		}
		err := st.WithTx(ctx, func(tx *store.Tx) error {
			return tx.ReplaceWords(ctx, p.TeamID, p.ID, []string{"crème", "brûlée"})
		})
		if err == nil {
			_, err = st.Writer().ExecContext(ctx, `UPDATE posts SET words_version = 1`)
		}
		if err != nil || found("creme") != 0 {
			t.Fatalf("the words of before are found: %v", err)
		}
		for range 2 {
			if err := d.Posts.IndexAll(ctx); err != nil {
				t.Fatal(err)
			}
			if found("creme") != 1 || found("Brûlée") != 1 {
				t.Error("the post is not found")
			}
		}
	})
}

func TestCompatibilityPerPostType(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		a, err := d.Assets.Get(t.Context(), d.scope, d.asset(t, "image/jpeg"))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, c := range a.Compatibility {
			for _, p := range c.PostTypes {
				got[string(c.Provider)+" "+p.Format+" "+string(p.PostType)] = p.OK
				if p.OK != (len(p.Issues) == 0) {
					t.Errorf("%s %s: %v, %v", c.Provider, p.Format, p.OK, p.Issues)
				}
			}
		}
		for way, want := range map[string]bool{"instagram feed text_image": true, "instagram feed carousel": true,
			"instagram story text_image": true} {
			if ok, told := got[way]; !told || ok != want {
				t.Errorf("%s: %v, told %v", way, ok, told)
			}
		}
		for way := range got {
			if strings.HasSuffix(way, "text_video") || strings.HasSuffix(way, "text_post") {
				t.Errorf("an image in a post that carries none: %s", way)
			}
		}
	})
}
