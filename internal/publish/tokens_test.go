package publish

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// renewing is a network that refreshes tokens.
type renewing struct{ remover }

func (*renewing) Info() provider.Info {
	info := (*remover)(nil).Info()
	info.Abilities.Refresh = true
	return info
}

func (*renewing) Refresh(context.Context, provider.Account) (provider.Token, error) {
	return provider.Token{Access: "renewed"}, nil
}

func TestAskRefreshesRejectedTokenAndRetriesOnce(t *testing.T) {
	t.Parallel()
	refusal := &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, tc := range []struct {
			name     string
			answers  []error
			accesses []string
		}{
			{"no refusal", []error{nil}, []string{"token"}},
			{"one refusal", []error{refusal, nil}, []string{"token", "renewed"}},
			{"two refusals", []error{refusal, refusal}, []string{"token", "renewed"}},
			{"another failure", []error{&provider.Error{Kind: provider.Temporary}}, []string{"token"}},
		} {
			f := newFixture(t, st, &renewing{})
			var accesses []string
			err := f.Tokens.Call(context.Background(), f.account, func(a provider.Account) error {
				accesses = append(accesses, a.Token.Access.Reveal())
				return tc.answers[len(accesses)-1]
			})
			if want := tc.answers[len(tc.answers)-1]; !errors.Is(err, want) || len(accesses) != len(tc.accesses) ||
				accesses[len(accesses)-1] != tc.accesses[len(tc.accesses)-1] {
				t.Errorf("%s: %v with tokens %v; want %v with %v", tc.name, err, accesses, want, tc.accesses)
			}
		}
	})
}

// hanging is a network whose refreshes hang for the accounts of one team.
type hanging struct {
	renewing
	team    map[crier.ID]bool // its accounts
	release chan struct{}
	calls   chan crier.ID
}

func (h *hanging) Refresh(_ context.Context, a provider.Account) (provider.Token, error) {
	h.calls <- a.ID
	if h.team[a.ID] {
		<-h.release
	}
	return provider.Token{Access: "renewed", ExpiresAt: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}, nil
}

func TestRenewalsOfOneTeamDoNotDelayThoseOfAnother(t *testing.T) {
	t.Parallel()
	const many = 3 * refreshWorkers
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		network := &hanging{team: map[crier.ID]bool{}, release: make(chan struct{}), calls: make(chan crier.ID, 2*many)}
		flood, other := newFixture(t, st, network), newFixture(t, st, network)
		insert := func(f *fixture, remote string, ends time.Duration) crier.ID {
			a := f.account
			a.ID, a.ProviderAccountID = crier.NewID(), remote
			if err := f.Tokens.Seal(&a, provider.Token{Access: "token", ExpiresAt: f.now().Add(ends)}); err != nil {
				t.Fatal(err)
			}
			f.tx(t, func(ctx context.Context, tx *store.Tx) error { return tx.InsertAccount(ctx, a) })
			return a.ID
		}
		for i := range many {
			network.team[insert(flood, "many "+strconv.Itoa(i), time.Minute)] = true
		}
		last := insert(other, "one", 10*time.Minute)
		ended := make(chan error, 1)
		go func() { ended <- flood.Tokens.RenewExpiring(context.Background()) }()
		deadline := time.After(2 * time.Minute)
		for found := false; !found; {
			select {
			case id := <-network.calls:
				found = id == last
			case <-deadline:
				t.Fatal("the account of the other team is not renewed")
			}
		}
		close(network.release)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for id := range network.team {
			if a, err := st.Account(context.Background(), id); err != nil || a.TokenExpiresAt.Year() != 2027 {
				t.Errorf("%s is not renewed: %v", id, err)
			}
		}
	})
}
