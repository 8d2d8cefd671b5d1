package publish

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

const testSecret = "0123456789abcdef0123456789abcdef"

// jobLog is a queue that records its jobs.
type jobLog struct {
	mu   sync.Mutex
	jobs []job.Job
}

func (l *jobLog) Enqueue(_ context.Context, _ *store.Tx, jobs ...job.Job) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs = append(l.jobs, jobs...)
	return nil
}

// take empties the log.
func (l *jobLog) take() []job.Job {
	l.mu.Lock()
	defer l.mu.Unlock()
	jobs := l.jobs
	l.jobs = nil
	return jobs
}

// fixture is an engine over a store with one organization, team, account and post, at a time that the test sets.
type fixture struct {
	*Engine
	store *store.Store
	jobs  *jobLog

	organization, team, post, payload crier.ID
	account                           store.Account

	mu   sync.Mutex
	time time.Time
}

// testCredits is the balance of a fixture's organization.
const testCredits = 1000

func newFixture(tb testing.TB, st *store.Store, networks ...provider.Provider) *fixture {
	tb.Helper()
	keys, err := auth.NewKeyring(testSecret)
	if err != nil {
		tb.Fatal(err)
	}
	registry, err := provider.NewRegistry(networks...)
	if err != nil {
		tb.Fatal(err)
	}
	f := &fixture{store: st, jobs: &jobLog{}, time: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	f.Engine = New(Config{
		Store: st, Keys: keys, Queue: f.jobs, Providers: registry, Observer: noObserver{},
		Addresses: &media.Addresses{Key: []byte(testSecret), BaseURL: "https://crier.test", Now: f.now},
		Clock:     f.now, Logger: slog.New(slog.DiscardHandler),
	})
	f.fill(tb)
	return f
}

type noObserver struct{}

func (noObserver) Late(crier.Provider, time.Duration)     {}
func (noObserver) Attempt(crier.Provider, string, string) {}

func (f *fixture) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.time
}

// sleep advances the clock.
func (f *fixture) sleep(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.time = f.time.Add(d)
}

// fill inserts the rows that a publication belongs to.
func (f *fixture) fill(tb testing.TB) {
	tb.Helper()
	now := crier.TimeOf(f.time)
	o := store.Organization{Organization: crier.Organization{
		ID: crier.NewID(), Name: "Acme", SubscriptionStatus: "none", SubscriptionPlan: "free",
		SubscriptionStartedAt: now, CreatedAt: now, UpdatedAt: now,
	}}
	team := crier.Team{ID: crier.NewID(), OrganizationID: o.ID, Name: "Acme",
		PublishLateMinutes: crier.DefaultPublishLateMinutes, CreatedAt: now, UpdatedAt: now}
	input := crier.PostInput{Atomic: &crier.AtomicPost{Text: "Hello", Attachments: []crier.Attachment{}}}
	post := store.Post{Post: crier.Post{ID: crier.NewID(), TeamID: team.ID, PostType: "text", Status: "approved",
		ContentPayloadID: crier.NewID(), PostInput: &input, CreatedAt: now, UpdatedAt: now}}
	a := &f.account
	a.ID, a.TeamID, a.Provider, a.Status, a.ProviderAccountID = crier.NewID(), team.ID, crier.ProviderX,
		crier.AccountConnected, "1"
	a.DisplayName, a.Scopes, a.ProviderSettings = "An account", []string{}, json.RawMessage(`{}`)
	a.ConnectedAt, a.CreatedAt, a.UpdatedAt = now, now, now
	if err := f.Tokens.Seal(a, provider.Token{Access: "token"}); err != nil {
		tb.Fatal(err)
	}
	f.organization, f.team, f.post, f.payload = o.ID, team.ID, post.ID, post.ContentPayloadID
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error {
		for _, write := range []func() error{
			func() error { return tx.InsertOrganization(ctx, o) },
			func() error { return tx.InsertTeam(ctx, team) },
			func() error { return tx.InsertPost(ctx, post) },
			func() error {
				return tx.InsertPayload(ctx, store.Payload{ID: f.payload, PostID: post.ID, Text: "Hello",
					PostInput: input, CreatedAt: now})
			},
			func() error { return tx.InsertAccount(ctx, *a) },
			func() error {
				return ledger.Grant(ctx, tx, ledger.Charge{Organization: o.ID, Amount: testCredits, At: now})
			},
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) tx(tb testing.TB, fn func(context.Context, *store.Tx) error) {
	tb.Helper()
	ctx := context.Background()
	if err := f.store.WithTx(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		tb.Fatal(err)
	}
}

// insert inserts a publication of the fixture's post that is due now, changed by the test.
func (f *fixture) insert(tb testing.TB, change ...func(*store.Publication)) store.Publication {
	tb.Helper()
	now := crier.TimeOf(f.now())
	p := store.Publication{
		ID: crier.NewID(), Kind: store.PostPublication, TeamID: f.team, OrganizationID: f.organization,
		PostID: f.post, SocialAccountID: f.account.ID, Provider: f.account.Provider, Status: crier.Scheduled,
		ScheduledAt: now, Timezone: "UTC", PayloadID: f.payload, Settings: map[string]json.RawMessage{},
		State: EmptyState(), WakeAt: &now, CreatedAt: now, UpdatedAt: now,
		Results: crier.PublishResults{PlatformPostIDs: []string{}},
	}
	p.ScheduledPostID = p.ID
	for _, fn := range change {
		fn(&p)
	}
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error { return tx.InsertPublication(ctx, p) })
	return p
}
