package publish

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestNetworkAnswerDecidesFinalStatus(t *testing.T) {
	t.Parallel()
	rejected := &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "no such thing"}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, c := range []struct {
			name     string
			commits  []answer
			parts    int
			want     crier.ScheduledPostStatus
			code     string
			attempts []string
			public   int
			spent    int64
		}{
			{name: "at once", want: crier.Published, attempts: []string{"publish published"}, public: 1, spent: 7},
			{name: "a thread", parts: 2, want: crier.Published, attempts: []string{"publish published",
				"publish published"}, public: 2, spent: 7},
			{name: "after an outage", commits: []answer{{err: outage}, {err: outage}}, want: crier.Published,
				attempts: []string{"publish temporary", "publish temporary", "publish published"}, public: 1, spent: 7},
			{name: "refused", commits: []answer{{err: rejected}}, want: crier.Failed,
				code: string(provider.CodeContentRejected), attempts: []string{"publish rejected"}},
			{name: "the second part is refused", parts: 2, commits: []answer{{}, {err: rejected}}, want: crier.Failed,
				code: string(provider.CodeContentRejected), attempts: []string{"publish published", "publish rejected"},
				public: 1, spent: 4},
			{name: "never sent", commits: []answer{{err: provider.ErrNotSent}}, want: crier.Published,
				attempts: []string{"publish temporary", "publish published"}, public: 1, spent: 7},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				n := newTestNetwork(c.commits...)
				n.parts = max(1, c.parts)
				f := withNetwork(t, st, n)
				p := f.run(t, f.insert(t, f.costs(t, 4, 3)).ID)
				if p.Status != c.want || crier.Text(p.ErrorCode) != c.code || len(n.public) != c.public ||
					len(p.Results.PlatformPostIDs) != c.public {
					t.Errorf("%s with %q, public %v, results %+v", p.Status, crier.Text(p.ErrorCode), n.public,
						p.Results)
				}
				if got := f.attempts(t, p); !slices.Equal(got, c.attempts) {
					t.Errorf("attempts %q", got)
				}
				if balance, reserved := f.credits(t); balance != testCredits-c.spent || reserved != 0 {
					t.Errorf("balance %d, reserved %d", balance, reserved)
				}
				if next := f.step(t, p.ID); !next.IsZero() || n.count("commit post") != len(c.attempts) {
					t.Errorf("a job that comes too late: %v, %v", next, n.calls)
				}
			})
		}
	})
}

func TestLatePublicationIsMissed(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		p := f.insert(t, f.costs(t, 5))
		f.sleep(time.Duration(crier.DefaultPublishLateMinutes)*time.Minute + time.Second)
		if p = f.run(t, p.ID); p.Status != crier.Missed || len(n.calls) > 0 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
		if balance, reserved := f.credits(t); balance != testCredits || reserved != 0 {
			t.Errorf("balance %d, reserved %d", balance, reserved)
		}
	})
}

func TestRetriesStopWhenTheNextWouldBeTooLate(t *testing.T) {
	t.Parallel()
	n := newTestNetwork(slices.Repeat([]answer{{err: outage}}, 50)...)
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	start := f.now()
	p := f.run(t, f.insert(t).ID)
	late := time.Duration(crier.DefaultPublishLateMinutes) * time.Minute
	if p.Status != crier.Missed || f.now().Sub(start) > late ||
		!strings.HasSuffix(crier.Text(p.ErrorMessage), "out of order") {
		t.Errorf("%s after %v: %s", p.Status, f.now().Sub(start), crier.Text(p.ErrorMessage))
	}
}

func TestPublicationWaitsForItsAccount(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		f.setAccount(t, crier.AccountDisabled)
		p := f.insert(t)
		if next := f.step(t, p.ID); next.Sub(f.now()) != time.Minute {
			t.Errorf("it is looked at again after %v", next.Sub(f.now()))
		}
		if p = f.read(t, p.ID); p.Status != crier.Scheduled ||
			crier.Text(p.ErrorCode) != string(provider.CodeAccountDisconnected) {
			t.Errorf("%s with %s", p.Status, crier.Text(p.ErrorCode))
		}
		f.sleep(time.Minute)
		f.setAccount(t, crier.AccountConnected)
		if p = f.run(t, p.ID); p.Status != crier.Published || p.ErrorCode != nil {
			t.Errorf("%s with %s", p.Status, crier.Text(p.ErrorCode))
		}
	})
}

// A worker reads the account up to two seconds before the second, and waits.
func TestAccountThatIsDisabledJustBeforeTheSecondDoesNotPublish(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		p := f.insert(t)
		f.onceLeased(func() { f.setAccount(t, crier.AccountDisabled) })
		if next := f.step(t, p.ID); next.Sub(f.now()) != time.Minute || len(n.calls) != 0 {
			t.Errorf("it is looked at again after %v, calls %v", next.Sub(f.now()), n.calls)
		}
		if p = f.read(t, p.ID); p.Status != crier.Scheduled || p.LeaseOwner != nil ||
			crier.Text(p.ErrorCode) != string(provider.CodeAccountDisconnected) {
			t.Errorf("%s with %s, leased by %v", p.Status, crier.Text(p.ErrorCode), p.LeaseOwner)
		}
		f.sleep(time.Minute)
		f.setAccount(t, crier.AccountConnected)
		if p = f.run(t, p.ID); p.Status != crier.Published || len(n.calls) != 1 {
			t.Errorf("%s with %s, calls %v", p.Status, crier.Text(p.ErrorCode), n.calls)
		}
	})
}

// setAccount changes the status of the fixture's account.
func (f *fixture) setAccount(tb testing.TB, status crier.AccountStatus) {
	tb.Helper()
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error {
		a := f.account
		a.Status = status
		return tx.UpdateAccount(ctx, a)
	})
}

func (f *fixture) readAccount(tb testing.TB) store.Account {
	tb.Helper()
	a, err := f.store.Account(context.Background(), f.account.ID)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestNetworkErrorsUpdateAccountHealth(t *testing.T) {
	t.Parallel()
	scoped := func(kind provider.Kind, code provider.Code) answer {
		return answer{err: &provider.Error{Kind: kind, Code: code, Scope: provider.ScopeAccount, Message: "said so",
			RetryAfter: time.Second}}
	}
	for _, c := range []struct {
		name   string
		answer answer
		issue  string
		status crier.AccountStatus
		want   crier.ScheduledPostStatus
	}{
		{"limited", scoped(provider.RateLimited, provider.CodeRateLimited), HealthRateLimited, crier.AccountConnected,
			crier.Scheduled},
		{"restricted", scoped(provider.Rejected, provider.CodeAccountRestricted), HealthVerification,
			crier.AccountConnected, crier.Failed},
		{"a permission is missing", scoped(provider.Rejected, provider.CodePermissionMissing), HealthAuthFailed,
			crier.AccountRefreshNeeded, crier.Failed},
		{"the token has ended", scoped(provider.AuthExpired, provider.CodeAuthExpired), HealthAuthFailed,
			crier.AccountRefreshNeeded, crier.Scheduled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), newTestNetwork(c.answer))
			p := f.insert(t)
			f.step(t, p.ID)
			a := f.readAccount(t)
			if got := f.read(t, p.ID).Status; got != c.want || a.Status != c.status ||
				crier.Text(a.AccountHealthIssue) != c.issue {
				t.Errorf("%s; the account is %s with %s", got, a.Status, crier.Text(a.AccountHealthIssue))
			}
			if c.issue != HealthRateLimited {
				return
			}
			if p = f.run(t, p.ID); p.Status != crier.Published || f.readAccount(t).AccountHealthIssue != nil {
				t.Errorf("%s; the account has %v", p.Status, f.readAccount(t).AccountHealthIssue)
			}
		})
	}
}

// TestOnlyAnAcceptedCallClearsRateLimit finds a post public that was sent before the limit.
func TestOnlyAnAcceptedCallClearsRateLimit(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		n.processing = 1
		f := withNetwork(t, st, n)
		p := f.insert(t)
		f.step(t, p.ID)
		a := f.readAccount(t)
		markUnhealthy(&a, crier.AccountConnected, HealthRateLimited, "later", crier.TimeOf(f.now()))
		f.tx(t, func(ctx context.Context, tx *store.Tx) error { return tx.UpdateAccount(ctx, a) })
		if p = f.run(t, p.ID); p.Status != crier.Published || n.count("poll") != 1 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
		if issue := crier.Text(f.readAccount(t).AccountHealthIssue); issue != HealthRateLimited {
			t.Errorf("the account has %q: the post was sent before the limit", issue)
		}
		if p = f.run(t, f.insert(t).ID); p.Status != crier.Published || f.readAccount(t).AccountHealthIssue != nil {
			t.Errorf("the next is %s; the account has %v", p.Status, f.readAccount(t).AccountHealthIssue)
		}
	})
}

func TestProcessingPostIsPolledUntilDone(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		n.processing = 3
		f := withNetwork(t, st, n)
		p := f.insert(t)
		f.step(t, p.ID)
		if got := f.read(t, p.ID).Status; got != crier.Processing {
			t.Errorf("it is %s", got)
		}
		if p = f.run(t, p.ID); p.Status != crier.Published || n.count("poll") != 3 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
	})
}

func TestEndlessProcessingBecomesUnknown(t *testing.T) {
	t.Parallel()
	n := newTestNetwork()
	n.processing, n.parts = 1_000_000, 2
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.insert(t, f.costs(t, 4, 3))
	f.step(t, p.ID)
	f.sleep(25 * time.Hour)
	if p = f.run(t, p.ID); p.Status != crier.Unknown || p.Reserved != 3 || p.Captured != 4 {
		t.Errorf("%s, reserved %d, captured %d", p.Status, p.Reserved, p.Captured)
	}
}

func TestPublicationOfADeletedPostIsCanceled(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		p := f.insert(t)
		f.tx(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.DeletePost(ctx, f.post, crier.TimeOf(f.now()))
		})
		if p = f.run(t, p.ID); p.Status != crier.Canceled || len(n.calls) > 0 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
	})
}

func TestPublicationOnAnUnknownNetworkFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	if p := f.run(t, f.insert(t).ID); p.Status != crier.Failed ||
		crier.Text(p.ErrorCode) != string(provider.CodeProviderUnavailable) {
		t.Errorf("%s with %s", p.Status, crier.Text(p.ErrorCode))
	}
}

func TestWorkerRecordsResultAfterLosingItsLease(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, c := range []struct {
			name   string
			change string // of the row, while the call is made
			want   crier.ScheduledPostStatus
			spent  int64
		}{
			{"the lease has ended", `lease_until = NULL`, crier.Published, 5},
			{"a person has to check", `status = 'unknown'`, crier.Published, 5},
			{"a person has decided", `epoch = epoch + 1, status = 'failed'`,
				crier.Failed, 0},
			{"another worker has found it", `status = 'published'`,
				crier.Published, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				n := newTestNetwork()
				f := withNetwork(t, st, n)
				n.commits = []answer{{before: func() {
					if _, err := st.Writer().ExecContext(context.Background(), `UPDATE publications
						SET lease_owner = NULL, `+c.change+` WHERE post_id = $1`, f.post); err != nil {
						t.Error(err)
					}
				}}}
				p := f.insert(t, f.costs(t, 5))
				if next := f.step(t, p.ID); !next.IsZero() {
					t.Errorf("it wants to come back at %v", next)
				}
				balance, _ := f.credits(t)
				if p = f.read(t, p.ID); p.Status != c.want || balance != testCredits-c.spent {
					t.Errorf("%s, balance %d", p.Status, balance)
				}
				if got := f.attempts(t, p); !slices.Equal(got, []string{"publish published"}) {
					t.Errorf("attempts %q", got)
				}
			})
		}
	})
}

func TestAccountAtItsLimitIsPostponed(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		p := f.insert(t)
		for range maxAccountCalls + maxAccountWaiting {
			if !f.Publisher.limiter.admit(f.account.ID) {
				t.Fatal("not admitted")
			}
		}
		next := f.step(t, p.ID)
		if pause := next.Sub(f.now()); pause < 200*time.Millisecond || pause > time.Second || len(n.calls) > 0 {
			t.Errorf("postponed by %v after %v", pause, n.calls)
		}
		f.Publisher.limiter.leave(f.account.ID)
		f.sleep(next.Sub(f.now()))
		if p = f.run(t, p.ID); p.Status != crier.Published {
			t.Errorf("%s", p.Status)
		}
	})
}

func TestDrainReleasesLeases(t *testing.T) {
	t.Parallel()
	n := newTestNetwork()
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.insert(t)
	for range maxAccountCalls { // all calls of the account are in use
		if _, err := f.Publisher.limiter.acquire(context.Background(), f.account.ID); err != nil {
			t.Fatal(err)
		}
	}
	f.onceLeased(f.Publisher.Drain)
	next := f.step(t, p.ID)
	if got := f.read(t, p.ID); got.Status != crier.Scheduled || got.LeaseOwner != nil || !next.Equal(f.now()) ||
		len(n.calls) > 0 {
		t.Errorf("%s, leased by %v, back at %v, %v", got.Status, got.LeaseOwner, next, n.calls)
	}
}

func TestJobOfAnEarlierEpochDoesNothing(t *testing.T) {
	t.Parallel()
	n := newTestNetwork()
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.insert(t, func(p *store.Publication) { p.Epoch = 3 })
	next, err := f.Publisher.Advance(context.Background(), job.Publish{ID: p.ID, Epoch: 2, Provider: p.Provider,
		SocialAccountID: p.SocialAccountID}, store.Run{})
	if err != nil || !next.IsZero() || len(n.calls) > 0 {
		t.Errorf("%v, %v, %v", next, err, n.calls)
	}
}

func TestSeriesReservesCreditsWhenDue(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		days := 1
		first := f.insert(t, func(p *store.Publication) { p.Actions.RecurrenceIntervalDays = &days },
			f.costs(t, 600))
		f.jobs.take()
		if p := f.run(t, first.ID); p.Status != crier.Published {
			t.Fatalf("the first is %s", p.Status)
		}
		next := f.nextOf(t, first)
		if next.Reserved != 0 || next.ScheduledAt.Sub(first.ScheduledAt.Time) != 24*time.Hour {
			t.Errorf("the next has %d credits and is due at %s", next.Reserved, next.ScheduledAt)
		}
		f.sleep(next.ScheduledAt.Sub(f.now()))
		if p := f.run(t, next.ID); p.Status != crier.Failed || crier.Text(p.ErrorCode) != codeCreditsExhausted {
			t.Errorf("without credits it is %s with %s", p.Status, crier.Text(p.ErrorCode))
		}
		if balance, reserved := f.credits(t); balance != testCredits-600 || reserved != 0 || len(n.public) != 1 {
			t.Errorf("balance %d, reserved %d, public %v", balance, reserved, n.public)
		}
	})
}

// nextOf returns the publication that was enqueued after another one.
func (f *fixture) nextOf(tb testing.TB, p store.Publication) store.Publication {
	tb.Helper()
	for _, j := range f.jobs.take() {
		if args, ok := j.Args.(job.Publish); ok && args.ID != p.ID {
			return f.read(tb, args.ID)
		}
	}
	tb.Fatal("nothing follows")
	return store.Publication{}
}
