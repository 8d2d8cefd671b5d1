package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// expiring creates an account whose token expires some time after now.
func expiring(f *storetest.Fixture, after time.Duration, change ...func(*store.Account)) store.Account {
	return f.NewAccount(crier.ProviderX, append([]func(*store.Account){func(a *store.Account) {
		at := f.After(after)
		a.TokenExpiresAt, a.Token = &at, []byte{1}
	}}, change...)...)
}

func TestTokensAreRenewedBeforeTheyExpireAndSoonestFirst(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		second, first := expiring(f, 2*time.Hour), expiring(f, time.Hour)
		expiring(f, 100*time.Hour)
		expiring(f, time.Hour, func(a *store.Account) { a.Status = crier.AccountDisabled })
		refused := expiring(f, time.Hour)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			issue := "auth_failed"
			refused.AccountHealthIssue = &issue
			return tx.UpdateAccount(ctx, refused)
		})
		ids, err := f.ExpiringAccounts(ctx, crier.ProviderX, f.Now, f.After(24*time.Hour), 10)
		if err != nil || !slices.Equal(ids, []crier.ID{first.ID, second.ID}) {
			t.Errorf("expiring %v, %v", ids, err)
		}
		f.Schedule(f.NewPost("x"), func(p *store.Publication) { p.SocialAccountID = second.ID })
		ids, err = f.NeededAccounts(ctx, crier.ProviderX, f.Now, f.After(time.Hour), f.After(24*time.Hour), 10)
		if err != nil || !slices.Equal(ids, []crier.ID{second.ID}) {
			t.Errorf("needed %v, %v", ids, err)
		}
		counts, err := f.ScheduledFrom(ctx, map[crier.ID]crier.Time{second.ID: f.Now, first.ID: f.Now})
		later, err2 := f.ScheduledFrom(ctx, map[crier.ID]crier.Time{second.ID: f.After(time.Second)})
		if err != nil || err2 != nil || counts[second.ID] != 1 || counts[first.ID] != 0 || later[second.ID] != 0 {
			t.Errorf("scheduled %v, later %v; %v, %v", counts, later, err, err2)
		}
	})
}

func TestExpiringAccountsAreInterleavedByTeam(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		var many []crier.ID
		for i := range 5 {
			many = append(many, expiring(f, time.Duration(i+1)*time.Minute).ID)
		}
		other := f.NewTeam("Support")
		ofOther := func(a *store.Account) { a.TeamID = other.ID }
		late, later := expiring(f, time.Hour, ofOther), expiring(f, 2*time.Hour, ofOther)
		claimed := expiring(f, time.Second, ofOther) // another node refreshes it
		if ok, err := f.ClaimRefresh(ctx, claimed.ID, crier.NewID(), f.Now, f.After(time.Minute)); err != nil || !ok {
			t.Fatal(ok, err)
		}
		ids, err := f.ExpiringAccounts(ctx, crier.ProviderX, f.Now, f.After(24*time.Hour), 5)
		want := []crier.ID{many[0], late.ID, many[1], later.ID, many[2]}
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("expiring %v, %v; want %v", ids, err, want)
		}
	})
}

func TestOneNodeRefreshesATokenAtATime(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		one, two := crier.NewID(), crier.NewID()
		for _, c := range []struct {
			name  string
			owner crier.ID
			at    crier.Time
			want  bool
		}{
			{"free", one, f.Now, true},
			{"claimed", two, f.Now, false},
			{"expired", two, f.After(time.Minute), true},
		} {
			ok, err := f.ClaimRefresh(context.Background(), f.Account.ID, c.owner, c.at,
				crier.TimeOf(c.at.Add(time.Minute)))
			if err != nil || ok != c.want {
				t.Errorf("%s: %v, %v", c.name, ok, err)
			}
		}
		for at, want := range map[crier.Time]bool{f.After(time.Minute): true, f.After(2 * time.Minute): false} {
			if claimed, err := f.RefreshClaimed(context.Background(), f.Account.ID, at); err != nil || claimed != want {
				t.Errorf("claimed at %s: %v, %v", at, claimed, err)
			}
		}
		for owner, want := range map[crier.ID]int64{one: 1, two: 0} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.ReleaseRefresh(ctx, f.Account.ID, owner) })
			if n := f.Scan(`SELECT count(*) FROM social_accounts
				WHERE refresh_owner IS NOT NULL`); n != want && owner == two {
				t.Errorf("%d claims are left", n)
			}
		}
	})
}

func TestAccountsAreScopedToTheirTeam(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		threads := f.NewAccount(crier.ProviderThreads, func(a *store.Account) { a.Token = []byte{1} })
		twin := threads
		twin.ID = crier.NewID()
		if err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertAccount(ctx, twin)
		}); kindOf(err) != crier.KindConflict {
			t.Errorf("the same account twice: %v", err)
		}
		all, err := f.SocialAccounts(ctx, f.Team.ID)
		one, err2 := f.SocialAccount(ctx, f.Team.ID, threads.ID)
		byID, err3 := f.Store.Account(ctx, threads.ID)
		if err := errors.Join(err, err2, err3); err != nil || len(all) != 2 || one.ID != threads.ID ||
			byID.ID != threads.ID {
			t.Errorf("%d accounts, %v", len(all), err)
		}
		if _, err := f.SocialAccount(ctx, crier.NewID(), threads.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("another team reads it: %v", err)
		}
		networks, err := f.AccountNetworks(ctx, f.Team.ID, []crier.ID{threads.ID, f.Account.ID})
		stale, err2 := f.StaleProfiles(ctx, f.Team.ID, []crier.ID{threads.ID, f.Account.ID}, crier.ProviderThreads,
			f.Now)
		beside, err3 := f.ConnectionsBeside(ctx, f.Account)
		if err := errors.Join(err, err2, err3); err != nil || networks[threads.ID] != crier.ProviderThreads ||
			len(stale) != 1 ||
			len(beside) != 0 {
			t.Errorf("%v, %d stale, %d beside, %v", networks, len(stale), len(beside), err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			locked, err := tx.LockAccounts(ctx, f.Team.ID, []crier.ID{threads.ID, crier.NewID()})
			if len(locked) != 1 {
				t.Errorf("locked %v", locked)
			}
			found, err2 := tx.AccountByIdentity(ctx, f.Team.ID, crier.ProviderThreads, threads.ProviderAccountID)
			if found == nil || found.ID != threads.ID {
				t.Errorf("found %+v", found)
			}
			none, err3 := tx.AccountByIdentity(ctx, f.Team.ID, crier.ProviderThreads, "nobody")
			if none != nil {
				t.Errorf("found %+v", none)
			}
			return errors.Join(err, err2, err3)
		})
	})
}

func TestConsentAdvancesOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		c := store.Connection{StateHash: []byte("state"), TeamID: f.Team.ID, Provider: crier.ProviderX,
			Verifier:      []byte{1},
			PrincipalKind: store.UserPrincipal, PrincipalID: f.Owner.ID, PersonID: f.Owner.ID,
			ExpiresAt: f.After(time.Minute)}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertConnection(ctx, c) })
		advance := func(from, to string, at crier.Time) (got store.Connection, err error) {
			return got, f.TryTx(func(ctx context.Context, tx *store.Tx) (err error) {
				got, err = tx.AdvanceConnection(ctx, c.StateHash, crier.ProviderX, from, to, at)
				return err
			})
		}
		if _, err := advance("waiting", "exchanging", c.ExpiresAt); kindOf(err) != crier.KindNotFound {
			t.Errorf("an expired consent: %v", err)
		}
		got, err := advance("waiting", "exchanging", f.Now)
		if err != nil || got.OrganizationID != f.Organization.ID || got.PersonID != f.Owner.ID {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := advance("waiting", "exchanging", f.Now); kindOf(err) != crier.KindNotFound {
			t.Errorf("a second time: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.OfferChoices(ctx, c.StateHash, []byte("another state"), []byte("choices"))
		})
		if _, err := advance("choosing", "done", f.Now); kindOf(err) != crier.KindNotFound {
			t.Errorf("a choice by the old state: %v", err)
		}
		c.StateHash = []byte("another state")
		if got, err := advance("choosing", "done", f.Now); err != nil || string(got.Choices) != "choices" {
			t.Errorf("%+v, %v", got, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SweepConnections(ctx, c.ExpiresAt) })
		if n := f.Scan(`SELECT count(*) FROM connections`); n != 0 {
			t.Errorf("%d consents are left", n)
		}
	})
}

func TestQuotasAreCountedUnderALock(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		key := store.QuotaKey{Subject: "instance", Name: "youtube"}
		use := func() store.PlannedUse {
			t.Helper()
			use := store.PlannedUse{Key: key, Account: f.Account.ID, Span: store.Span{From: f.Now,
				To: f.After(time.Hour)}}
			if err := f.PlannedUses(context.Background(), []*store.PlannedUse{&use}); err != nil {
				t.Error(err)
			}
			return use
		}
		if uses := use().Uses; uses != nil {
			t.Errorf("unused: %s", uses)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			uses, err := tx.LockQuota(ctx, key, f.Now)
			if string(uses) != "[]" {
				t.Errorf("uses %s", uses)
			}
			return errors.Join(err, tx.UpdateQuota(ctx, key, json.RawMessage(`[1]`), f.Now))
		})
		f.Schedule(f.NewPost("x"))
		if got := use(); string(got.Uses) != "[1]" || got.Planned != 1 {
			t.Errorf("used: %s, planned: %d", got.Uses, got.Planned)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SweepQuotas(ctx, f.After(time.Second)) })
		if uses := use().Uses; uses != nil {
			t.Errorf("swept: %s", uses)
		}
	})
}

func TestIdempotencyKeyIsClaimedOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		answer := store.StoredResponse{PrincipalID: f.Owner.ID, Key: "k", Fingerprint: []byte{1}, Status: 201,
			ExpiresAt: f.After(time.Hour)}
		claim := func(at crier.Time) (claimed bool) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				if claimed, err = tx.ClaimKey(ctx, answer, at); err != nil || !claimed {
					return err
				}
				return tx.SaveResponse(ctx, f.Owner.ID, "k", []byte("body"), f.Organization.ID)
			})
			return claimed
		}
		if !claim(f.Now) || claim(f.Now) {
			t.Error("a key is claimed once")
		}
		kept, err := f.StoredResponse(ctx, f.Owner.ID, "k", f.Now)
		if err != nil || kept == nil || string(kept.Body) != "body" || kept.Status != 201 || kept.Left ||
			kept.OrganizationID != f.Organization.ID {
			t.Errorf("%+v, %v", kept, err)
		}
		other := f.NewOrganization("Other")
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.SaveResponse(ctx, f.Owner.ID, "k", []byte("body"), other.ID)
		})
		if kept, err = f.StoredResponse(ctx, f.Owner.ID, "k", f.Now); err != nil || !kept.Left {
			t.Errorf("an answer of an organization that the caller is not in: %+v, %v", kept, err)
		}
		if kept, err := f.StoredResponse(ctx, f.Owner.ID, "k", answer.ExpiresAt); err != nil || kept != nil {
			t.Errorf("expired: %+v, %v", kept, err)
		}
		if !claim(answer.ExpiresAt) {
			t.Error("an expired key cannot be claimed")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			n, err := tx.SweepResponses(ctx, answer.ExpiresAt)
			if n != 1 {
				t.Errorf("swept %d", n)
			}
			return err
		})
	})
}
