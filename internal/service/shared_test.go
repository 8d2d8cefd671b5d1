package service

import (
	"context"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access/accesstest"
	"crier/internal/job"
	"crier/internal/provider/all"
	"crier/internal/provider/providertest"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// outbox records the mails and jobs of the services, for tests that check them.
type outbox struct {
	mu    sync.Mutex
	jobs  []job.Job
	mails []mail
}

type mail struct {
	to            crier.Email
	subject, text string
}

func (b *outbox) Enqueue(_ context.Context, _ *store.Tx, jobs ...job.Job) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, jobs...)
	return nil
}

func (b *outbox) Send(_ context.Context, to crier.Email, subject, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, mail{to, subject, text})
	return nil
}

// kinds returns the kinds of the jobs since the last call.
func (b *outbox) kinds() (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.jobs {
		list = append(list, j.Args.Kind())
	}
	b.jobs = nil
	return list
}

// eachShared is eachOffice for tests that depend on their own organization alone: they share a database. All networks
// are registered, and none can be reached.
func eachShared(t *testing.T, test func(t *testing.T, o office, out *outbox)) {
	t.Helper()
	eachSharedWith(t, func(cfg *Config, out *outbox) { cfg.Mailer = out }, test)
}

func eachSharedWith(t *testing.T, change func(*Config, *outbox), test func(t *testing.T, o office, out *outbox)) {
	t.Helper()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		r := &rules{}
		networks, err := all.New(all.Config{Caller: providertest.NewCaller(providertest.NewClock()),
			Now: func() time.Time { return r.time }}.WithSandbox("http://127.0.0.1:1"))
		if err != nil {
			t.Fatal(err)
		}
		out := &outbox{}
		*r = *newRulesWith(t, f.Store, testSecret, func(cfg *Config) {
			cfg.Providers, cfg.Queue, cfg.PublicURL = networks, out, "https://crier.example"
			cfg.Now = func() time.Time { return r.time }
			change(cfg, out)
		})
		r.time = f.Now.Time
		test(t, office{rules: r, f: f, Guest: accesstest.Owner(t, f)}, out)
	})
}
