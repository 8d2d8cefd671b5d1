package social

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// consenting is a network whose consent grants access to some accounts.
type consenting struct {
	provider.Defaults
	offers  []string // the ids of accounts
	scopes  []string
	refused error
	revoked []string
	bounded bool // the last revocation had a deadline of some seconds
}

func (*consenting) Info() provider.Info {
	return provider.Info{Name: "threads", DisplayName: "Threads", CommitTimeout: time.Second,
		Formats: []provider.Format{{Name: "post"}}, Scopes: []provider.Grant{{Scope: "write", Required: true}}}
}

func (*consenting) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

func (*consenting) Commit(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	return st, nil
}

func (*consenting) ConsentURL(r provider.ConsentRequest) (string, error) {
	return "https://network.example/consent?state=" + r.State, nil
}

func (n *consenting) Exchange(context.Context, provider.CodeExchange) (provider.Token, error) {
	return provider.Token{Access: "token", Scopes: n.scopes}, n.refused
}

func (n *consenting) Accounts(context.Context, provider.Token) ([]provider.ConnectedAccount, error) {
	var list []provider.ConnectedAccount
	for _, id := range n.offers {
		list = append(list, provider.ConnectedAccount{ProviderAccountID: id, DisplayName: "Account " + id})
	}
	return list, nil
}

func (n *consenting) Revoke(ctx context.Context, a provider.Account) error {
	_, n.bounded = ctx.Deadline()
	n.revoked = append(n.revoked, a.ProviderAccountID)
	return nil
}

// each runs a test with a network and the owner's scope.
func each(t *testing.T, test func(t *testing.T, w *world, n *consenting, scope access.TeamScope)) {
	t.Helper()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		n := &consenting{offers: []string{"1"}, scopes: []string{"write"}}
		test(t, newWorld(t, f, n), n, accesstest.Owner(t, f).Team(crier.ManageSocialAccounts))
	})
}

// startConnection starts a connection and returns its state.
func (w *world) startConnection(t *testing.T, scope access.TeamScope) string {
	t.Helper()
	back := crier.WebURL("https://app.example/back?tab=1")
	started, err := w.Connections.Start(t.Context(), scope, crier.ConnectRequest{Provider: crier.ProviderThreads,
		ReturnURL: &back})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(started.AuthorizationURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("state")
}

// complete returns from the network in a browser in which the owner is signed in.
func (w *world) complete(t *testing.T, state string) (Outcome, error) {
	t.Helper()
	return w.completeAs(t, state, w.Owner.ID)
}

func (w *world) completeAs(t *testing.T, state string, person crier.ID) (Outcome, error) {
	t.Helper()
	return w.Connections.Complete(t.Context(), Callback{Provider: crier.ProviderThreads, State: state, Code: "code",
		Person: person})
}

// The URL of a consent page can be sent to anybody, and its creator knows its state.
func TestConnectionByAnotherPersonNeedsConfirmation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, scope access.TeamScope) {
		for _, person := range []crier.ID{"", w.NewUser("other@acme.example").ID} {
			state := w.startConnection(t, scope)
			out, err := w.completeAs(t, state, person)
			if err != nil || len(out.Connected) != 0 || len(out.Choices) != 1 || out.Team == "" ||
				out.Organization == "" || out.State == "" || out.State == state {
				t.Fatalf("%q: got %+v, %v", person, out, err)
			}
			choose := func(state string) (Outcome, error) {
				return w.Connections.Choose(t.Context(), crier.ProviderThreads, state, []string{"1"})
			}
			if _, err := choose(state); !crier.IsKind(err, crier.KindNotFound) {
				t.Errorf("%q: who began the connection answers for the person in the browser: %v", person, err)
			}
			if out, err = choose(out.State); err != nil || len(out.Connected) != 1 {
				t.Errorf("%q: connected %+v, %v", person, out.Connected, err)
			}
		}
	})
}

func TestConfirmationIsSingleUseAndBoundToItsConsent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, n *consenting, scope access.TeamScope) {
		confirmation := func() Outcome {
			out, err := w.completeAs(t, w.startConnection(t, scope), "")
			if err != nil || len(out.Choices) != 1 {
				t.Fatalf("got %+v, %v", out, err)
			}
			return out
		}
		confirm := func(state, id string) error {
			out, err := w.Connections.Choose(t.Context(), crier.ProviderThreads, state, []string{id})
			if err != nil && len(out.Connected) > 0 {
				t.Errorf("refused, but connected %+v", out.Connected)
			}
			return err
		}
		first := confirmation()
		n.offers = []string{"2"}
		second := confirmation()
		if err := confirm(second.State, "1"); !crier.IsKind(err, crier.KindInvalid) {
			t.Errorf("an account of another consent: %v", err)
		}
		if err := confirm("made up", "1"); !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("a state that was not given out: %v", err)
		}
		if err := confirm(first.State, "1"); err != nil {
			t.Error(err)
		}
		if err := confirm(first.State, "1"); !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("a second time: %v", err)
		}
		w.Now = crier.TimeOf(w.Now.Add(connectionLife))
		if err := confirm(second.State, "2"); !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("too late: %v", err)
		}
	})
}

func TestDeclinedConnectionConnectsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, scope access.TeamScope) {
		started := w.startConnection(t, scope)
		confirmation, err := w.completeAs(t, started, "")
		if err != nil {
			t.Fatal(err)
		}
		decline := func(state string) (Outcome, error) {
			return w.Connections.Decline(t.Context(), crier.ProviderThreads, state)
		}
		if _, err := decline(started); !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("who began the connection declines for the person in the browser: %v", err)
		}
		out, err := decline(confirmation.State)
		back, parseErr := url.Parse(out.ReturnURL())
		if err != nil || parseErr != nil || back.Query().Get("error") != out.Failure || out.Failure == "" {
			t.Errorf("got %+v, %v", out, err)
		}
		_, err = w.Connections.Choose(t.Context(), crier.ProviderThreads, confirmation.State, []string{"1"})
		if !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("confirmed after it was declined: %v", err)
		}
	})
}

func TestDeclinedTokenIsRevokedUnlessShared(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, n *consenting, scope access.TeamScope) {
		decline := func() {
			t.Helper()
			confirmation, err := w.completeAs(t, w.startConnection(t, scope), "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Connections.Decline(t.Context(), crier.ProviderThreads, confirmation.State); err != nil {
				t.Fatal(err)
			}
			if left := w.Scan(`SELECT count(*) FROM connections`); left != 0 {
				t.Errorf("%d connections with tokens are left", left)
			}
		}
		n.offers = []string{"1", "2"} // one consent, one token
		decline()
		if !slices.Equal(n.revoked, []string{"1"}) || !n.bounded {
			t.Errorf("revoked the tokens of %v, within a time: %t", n.revoked, n.bounded)
		}
		n.offers, n.revoked = []string{"1"}, nil
		if _, err := w.complete(t, w.startConnection(t, scope)); err != nil { // it is connected now
			t.Fatal(err)
		}
		w.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.SweepConnections(ctx, w.After(connectionLife))
		})
		decline()
		if len(n.revoked) != 0 {
			t.Errorf("revoked the tokens of %v, which is connected", n.revoked)
		}
	})
}

func TestConsentConnectsItsOnlyAccountOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, scope access.TeamScope) {
		state := w.startConnection(t, scope)
		out, err := w.complete(t, state)
		if err != nil || len(out.Connected) != 1 || out.Failure != "" {
			t.Fatalf("got %+v, %v", out, err)
		}
		back, err := url.Parse(out.ReturnURL())
		if err != nil || back.Query().Get("tab") != "1" ||
			back.Query().Get("socialAccountIds") != string(out.Connected[0].ID) {
			t.Errorf("the browser goes to %q, %v", out.ReturnURL(), err)
		}
		if _, err := w.complete(t, state); err == nil {
			t.Error("a state worked twice")
		}
		again, err := w.complete(t, w.startConnection(t, scope))
		if err != nil || len(again.Connected) != 1 || again.Connected[0].ID != out.Connected[0].ID {
			t.Errorf("connected again as %+v, %v", again.Connected, err)
		}
	})
}

func TestSeveralAccountsAreOfferedAndChosen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, n *consenting, scope access.TeamScope) {
		n.offers = []string{"1", "2", "3"}
		state := w.startConnection(t, scope)
		out, err := w.complete(t, state)
		if err != nil || len(out.Choices) != 3 || len(out.Connected) != 0 {
			t.Fatalf("got %+v, %v", out, err)
		}
		offered := out.State
		choose := func(ids ...string) (Outcome, error) {
			return w.Connections.Choose(t.Context(), crier.ProviderThreads, offered, ids)
		}
		for _, ids := range [][]string{{}, {"1", "9"}} {
			if _, err := choose(ids...); !crier.IsKind(err, crier.KindInvalid) {
				t.Errorf("%v: %v", ids, err)
			}
		}
		if out, err = choose("1", "3"); err != nil || len(out.Connected) != 2 {
			t.Errorf("connected %+v, %v", out.Connected, err)
		}
		if _, err := choose("2"); err == nil {
			t.Error("a choice was made twice")
		}
	})
}

func TestFailedConsentHasAReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		change  func(*consenting)
		code    string
		missing []string
	}{
		{name: "the person declines", change: func(*consenting) {}},
		{name: "the network refuses the code", code: "code", missing: []string{"write"}, change: func(n *consenting) {
			n.scopes, n.refused = []string{"read"},
				&provider.Error{Kind: provider.Rejected, Message: "no such code"}
		}},
		{name: "no account", code: "code", change: func(n *consenting) { n.offers = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w *world, n *consenting, scope access.TeamScope) {
				c.change(n)
				out, err := w.Connections.Complete(t.Context(), Callback{Provider: crier.ProviderThreads,
					State: w.startConnection(t, scope), Code: c.code, Error: "access_denied"})
				if c.code != "" {
					out, err = w.complete(t, w.startConnection(t, scope))
				}
				back, parseErr := url.Parse(out.ReturnURL())
				if err != nil || parseErr != nil || out.Failure == "" || back.Query().Get("error") != out.Failure ||
					!slices.Equal(out.MissingScopes, c.missing) || len(out.Connected) != 0 {
					t.Errorf("got %+v, %v", out, err)
				}
			})
		})
	}
}

func TestConnectionNeedsPermissionAtTheEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, _ access.TeamScope) {
		person := w.NewUser("leaver@acme.example")
		membership := w.Join(store.UserPrincipal, person.ID, crier.RoleAdmin)
		state := w.startConnection(t, accesstest.SignIn(t, w.Fixture, person).Team(crier.ManageSocialAccounts))
		w.Tx(func(ctx context.Context, tx *store.Tx) error {
			m, err := tx.LockMember(ctx, w.Organization.ID, membership)
			if err != nil {
				return err
			}
			return tx.RemoveMember(ctx, w.Organization.ID, m, w.Now)
		})
		_, err := w.complete(t, state)
		if !crier.IsKind(err, crier.KindForbidden) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNetworksWithoutAConsentCannotBeConnected(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, scope access.TeamScope) {
		_, err := w.Connections.Start(t.Context(), scope, crier.ConnectRequest{Provider: crier.ProviderX})
		if !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("got %v", err)
		}
		_, err = w.Connections.Start(t.Context(), access.TeamScope{}, crier.ConnectRequest{})
		if !errors.Is(err, access.ErrNoScope) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAccountIsSwitchedOffAndDisconnected(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, n *consenting, scope access.TeamScope) {
		ctx := t.Context()
		out, err := w.complete(t, w.startConnection(t, scope))
		if err != nil {
			t.Fatal(err)
		}
		id := out.Connected[0].ID
		set := func(status string) (crier.SocialAccount, error) {
			return w.Accounts.Update(ctx, scope, id, crier.SocialAccountUpdate{Status: status})
		}
		if a, err := set("disabled"); err != nil || a.Status != crier.AccountDisabled {
			t.Errorf("switched to %s, %v", a.Status, err)
		}
		if a, err := set("connected"); err != nil || a.Status != crier.AccountConnected {
			t.Errorf("switched to %s, %v", a.Status, err)
		}
		a, err := w.Accounts.Disconnect(ctx, scope, id)
		if err != nil || a.Status != crier.AccountDisconnected || !slices.Equal(n.revoked, []string{"1"}) {
			t.Errorf("disconnected to %s, %v; revoked %v", a.Status, err, n.revoked)
		}
		if _, err := set("connected"); !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("a disconnected account is switched on: %v", err)
		}
		_, err = w.Accounts.Mentions(ctx, scope, id, "ada")
		if !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("a disconnected account is asked: %v", err)
		}
		list, err := w.Accounts.List(ctx, scope)
		if err != nil || len(list.Data) != 2 { // including the fixture's own
			t.Errorf("lists %+v, %v", list.Data, err)
		}
		networks, err := w.Accounts.Providers(ctx, accesstest.Owner(t, w.Fixture).Control.Caller(scope.Caller()))
		if err != nil || len(networks.Data) != 1 {
			t.Errorf("networks %s, %v", networks.Data, err)
		}
	})
}

func TestReturnURLMustBelongToTheOrganization(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, scope access.TeamScope) {
		refused := func(address string) bool {
			t.Helper()
			to := crier.WebURL(address)
			_, err := w.Connections.Start(t.Context(), scope, crier.ConnectRequest{Provider: crier.ProviderThreads,
				ReturnURL: &to})
			if err != nil && !crier.IsKind(err, crier.KindInvalid) {
				t.Fatal(err)
			}
			return err != nil
		}
		wantRefused := func(want bool, addresses ...string) {
			t.Helper()
			for _, address := range addresses {
				if refused(address) != want {
					t.Errorf("%s is refused: %v", address, !want)
				}
			}
		}
		always := []string{"https://crier.example/accounts?tab=1", "https://CRIER.example:443/"}
		never := []string{"http://elsewhere.example/", "http://crier.example/", "http://crier.example:443/"}
		wantRefused(false, append(always, "https://elsewhere.example/x", "http://localhost:3000/")...)
		wantRefused(true, never...)
		w.Tx(func(ctx context.Context, tx *store.Tx) error {
			o, err := tx.LockOrganization(ctx, w.Organization.ID)
			if err != nil {
				return err
			}
			o.ReturnOrigins = []crier.Origin{"https://app.example", "https://app.example:8443", "http://localhost:3000"}
			return tx.UpdateOrganization(ctx, o)
		})
		wantRefused(false, append(always, "https://app.example/back?tab=1", "https://APP.example:443/",
			"https://app.example:8443", "http://localhost:3000/back")...)
		wantRefused(true, append(never, "https://elsewhere.example/x", "http://app.example/", "https://app.example:444/",
			"https://app.example.evil.example/", "https://app.example@evil.example/", "https://sub.app.example/",
			"http://localhost:3001/", "https://localhost:3000/")...)
	})
}

func TestConfirmationShowsTheReturnURL(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, _ *consenting, scope access.TeamScope) {
		out, err := w.completeAs(t, w.startConnection(t, scope), "")
		if err != nil || out.Destination != "app.example" {
			t.Errorf("the page names %q, %v", out.Destination, err)
		}
		own := "https://crier.example/accounts"
		if to := w.Connections.destination(&own); to != "" {
			t.Errorf("the page names %q for crier itself", to)
		}
	})
}
