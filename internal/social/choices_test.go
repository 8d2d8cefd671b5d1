package social

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// queryableNetwork is a network that can be queried about its accounts.
type queryableNetwork struct {
	consenting
	choices provider.Choices
	people  []provider.Mention
	profile provider.ConnectedAccount
	failure error
	calls   []string
}

func (n *queryableNetwork) Info() provider.Info {
	info := n.consenting.Info()
	info.Abilities.Mentions, info.ProfileLife = true, time.Hour
	info.Settings = []provider.Setting{{Key: "threadsBoard", Type: provider.TypeString, Choices: true},
		{Key: "threadsMode", Type: provider.TypeString},
		{Key: "threadsTopic", Type: provider.TypeString, Choices: true}}
	return info
}

func (n *queryableNetwork) Choices(_ context.Context, a provider.Account,
	setting, query string) (provider.Choices, error) {
	n.calls = append(n.calls, a.Token.Access.Reveal()+" "+setting+" "+query)
	return n.choices, n.failure
}

func (n *queryableNetwork) Mentions(_ context.Context, a provider.Account, query string) ([]provider.Mention, error) {
	n.calls = append(n.calls, a.Token.Access.Reveal()+" "+query)
	return n.people, n.failure
}

func (n *queryableNetwork) Profile(_ context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	n.calls = append(n.calls, a.Token.Access.Reveal())
	return n.profile, n.failure
}

// eachQueryable runs a test with such a network, an account on it and the owner's scope.
func eachQueryable(t *testing.T,
	test func(t *testing.T, w *world, n *queryableNetwork, scope access.TeamScope, a store.Account)) {
	t.Helper()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		n := &queryableNetwork{}
		w := newWorld(t, f, n)
		test(t, w, n, accesstest.Owner(t, f).Team(crier.ManageSocialAccounts), w.connect("1"))
	})
}

// connect inserts an account whose token is "token of" its id.
func (w *world) connect(id string) (a store.Account) {
	w.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
		a, err = w.Connections.Insert(ctx, tx, w.Team.ID, NewAccount{Provider: crier.ProviderThreads,
			Account: provider.ConnectedAccount{ProviderAccountID: id, DisplayName: "Account " + id,
				Token: provider.Token{Access: provider.Secret("token of " + id)}}})
		return err
	})
	return a
}

func wantError(t *testing.T, name string, err error, kind crier.Kind, text string) {
	t.Helper()
	if !crier.IsKind(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v, want %s with %q", name, err, kind, text)
	}
}

func TestChoicesAreThoseOfTheAccountsNetwork(t *testing.T) {
	t.Parallel()
	eachQueryable(t, func(t *testing.T, w *world, n *queryableNetwork, scope access.TeamScope, a store.Account) {
		ctx := t.Context()
		n.choices = provider.Choices{
			List: []provider.Choice{{Value: "7", Label: "Owls", Detail: "public"}, {Value: "8", Label: "Cats"}},
			Face: &provider.Face{DisplayName: "Ada", Handle: "ada", ImageURL: "https://i.test/a"}}
		out, err := w.Accounts.Choices(ctx, scope, a.ID, "threadsBoard", "ow")
		if err != nil || out.Setting != "threadsBoard" || !slices.Equal(out.Data, []crier.AccountChoice{
			{Value: "7", Label: "Owls", Detail: "public"}, {Value: "8", Label: "Cats"}}) || out.Face == nil ||
			*out.Face != (crier.AccountFace{DisplayName: "Ada", Handle: "ada", ImageURL: "https://i.test/a"}) {
			t.Errorf("the choices are %+v, %v", out, err)
		}
		n.choices = provider.Choices{}
		if out, err := w.Accounts.Choices(ctx, scope, a.ID, "threadsTopic", ""); err != nil || out.Data == nil ||
			len(out.Data) != 0 || out.Face != nil {
			t.Errorf("no choices are %+v, %v", out, err)
		}
		if want := []string{"token of 1 threadsBoard ow", "token of 1 threadsTopic "}; !slices.Equal(n.calls, want) {
			t.Errorf("asked were %q, want %q", n.calls, want)
		}
		for _, setting := range []string{"threadsMode", "threadsOther", ""} {
			_, err := w.Accounts.Choices(ctx, scope, a.ID, setting, "")
			wantError(t, setting, err, crier.KindInvalid, "setting: must be one of threadsBoard, threadsTopic")
		}
		if len(n.calls) != 2 {
			t.Errorf("a setting without choices was asked for: %q", n.calls[2:])
		}
	})
}

func TestMentionsAreLookedUpAtTheNetwork(t *testing.T) {
	t.Parallel()
	eachQueryable(t, func(t *testing.T, w *world, n *queryableNetwork, scope access.TeamScope, a store.Account) {
		ctx := t.Context()
		n.people = []provider.Mention{{ID: "urn:1", Name: "Ada", Handle: "ada", ImageURL: "https://i.test/a", Kind: "person"}}
		out, err := w.Accounts.Mentions(ctx, scope, a.ID, "ad")
		if err != nil || !slices.Equal(out.Data, []crier.Mention{{ID: "urn:1", Name: "Ada", Handle: "ada",
			ImageURL: "https://i.test/a", Kind: "person"}}) || !slices.Equal(n.calls, []string{"token of 1 ad"}) {
			t.Errorf("found are %+v, %v; asked %q", out.Data, err, n.calls)
		}
		n.people = nil
		if out, err := w.Accounts.Mentions(ctx, scope, a.ID, "zz"); err != nil || out.Data == nil ||
			len(out.Data) != 0 {
			t.Errorf("nobody is %#v, %v", out.Data, err)
		}
		for _, query := range []string{"", " \t"} {
			_, err := w.Accounts.Mentions(ctx, scope, a.ID, query)
			wantError(t, "an empty question", err, crier.KindInvalid, "q: must be a name, or the start of one")
		}
	})
}

// TestAskingSaysWhyTheNetworkDidNotAnswer: a caller can wait for a limit, and no error of a network is an error of
// crier.
func TestAskingSaysWhyTheNetworkDidNotAnswer(t *testing.T) {
	t.Parallel()
	eachQueryable(t, func(t *testing.T, w *world, n *queryableNetwork, scope access.TeamScope, a store.Account) {
		for _, tc := range []struct {
			failure error
			kind    crier.Kind
			text    string
		}{
			{&provider.Error{Kind: provider.RateLimited, Code: provider.CodeRateLimited, Message: "slow down"},
				crier.KindTooManyRequests, "The network limits the rate of requests: slow down"},
			{&provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "down"},
				crier.KindConflict, "The network did not answer (provider_unavailable): down"},
			{&provider.Error{Kind: provider.AuthExpired, Code: provider.CodePermissionMissing, Message: "no"},
				crier.KindConflict, "The network did not answer (permission_missing): no"},
			{errors.New("oops"), crier.KindConflict,
				"The network did not answer (outcome_unknown): the outcome is not known"},
		} {
			n.failure = tc.failure
			_, err := w.Accounts.Choices(t.Context(), scope, a.ID, "threadsBoard", "")
			wantError(t, "choices", err, tc.kind, tc.text)
			_, err = w.Accounts.Mentions(t.Context(), scope, a.ID, "ada")
			wantError(t, "mentions", err, tc.kind, tc.text)
		}
	})
}

func TestAccountsOfOthersAreNotAsked(t *testing.T) {
	t.Parallel()
	eachQueryable(t, func(t *testing.T, w *world, n *queryableNetwork, scope access.TeamScope, a store.Account) {
		ctx := t.Context()
		team := w.NewTeam("Other")
		foreign := w.NewAccount(crier.ProviderThreads, func(a *store.Account) { a.TeamID = team.ID })
		for name, id := range map[string]crier.ID{"of another team": foreign.ID, "of nobody": crier.NewID()} {
			_, err := w.Accounts.Get(ctx, scope, id)
			wantError(t, name, err, crier.KindNotFound, "")
			_, err = w.Accounts.Choices(ctx, scope, id, "threadsBoard", "")
			wantError(t, name, err, crier.KindNotFound, "")
			_, err = w.Accounts.Mentions(ctx, scope, id, "ada")
			wantError(t, name, err, crier.KindNotFound, "")
			_, err = w.Accounts.Update(ctx, scope, id, crier.SocialAccountUpdate{Status: "disabled"})
			wantError(t, name, err, crier.KindNotFound, "There is no social account "+string(id))
			_, err = w.Accounts.Disconnect(ctx, scope, id)
			wantError(t, name, err, crier.KindNotFound, "There is no social account "+string(id))
		}
		for status, network := range map[crier.AccountStatus]crier.Provider{
			crier.AccountDisabled: crier.ProviderThreads, crier.AccountRefreshNeeded: crier.ProviderThreads,
			crier.AccountConnected: crier.ProviderTikTok} {
			other := w.NewAccount(network, func(a *store.Account) { a.Status = status })
			_, err := w.Accounts.Choices(ctx, scope, other.ID, "threadsBoard", "")
			text := "The account is " + string(status) + ". Connect it first."
			if network == crier.ProviderTikTok {
				text = "This installation has no client for tiktok."
			}
			wantError(t, string(status), err, crier.KindConflict, text)
		}
		if len(n.calls) != 0 {
			t.Errorf("the network was asked: %q", n.calls)
		}
		if got, err := w.Accounts.Get(ctx, scope, a.ID); err != nil || got.ID != a.ID ||
			got.DisplayName != "Account 1" || got.Status != crier.AccountConnected ||
			string(got.ProviderSettings) != "{}" || got.PostsAtRisk != 0 {
			t.Errorf("the team's own is %+v, %v", got, err)
		}
	})
}

func TestFreshenKeepsWhatTheNetworkSays(t *testing.T) {
	t.Parallel()
	eachQueryable(t, func(t *testing.T, w *world, n *queryableNetwork, scope access.TeamScope, a store.Account) {
		ctx := t.Context()
		freshen := func() store.Account {
			t.Helper()
			if err := w.Profiles.Refresh(ctx, scope, []crier.ID{a.ID}); err != nil {
				t.Fatal(err)
			}
			got, err := w.SocialAccount(ctx, w.Team.ID, a.ID)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		// A network that does not respond blocks nothing, and is not called again for a minute.
		n.failure = &provider.Error{Kind: provider.Temporary, Message: "down"}
		freshen()
		if got := freshen(); got.DisplayName != "Account 1" || got.ProfileAt != nil || len(n.calls) != 1 {
			t.Errorf("after a failure the account is %+v, asked %q", got.SocialAccount, n.calls)
		}
		w.Now = w.After(profilePause)
		n.failure, n.profile = nil, provider.ConnectedAccount{ProviderAccountID: "1", DisplayName: "New", Handle: "new",
			ImageURL: "https://i.test/new", Details: json.RawMessage(`{"max":9}`)}
		got := freshen()
		if got.DisplayName != "New" || crier.Text(got.ProfileHandle) != "new" ||
			crier.Text(got.ProfileImageURL) != "https://i.test/new" ||
			got.ProfileAt == nil || !got.ProfileAt.Equal(w.Now.Time) ||
			!strings.Contains(string(got.ProviderSettings), "9") {
			t.Errorf("the account is %+v", got.SocialAccount)
		}
		w.Now = w.After(time.Hour - time.Minute)
		if freshen(); len(n.calls) != 2 {
			t.Errorf("within the hour it is asked again: %q", n.calls)
		}
		// The token's account is never confused with another one.
		w.Now = w.After(2 * time.Minute)
		n.profile = provider.ConnectedAccount{ProviderAccountID: "2", DisplayName: "Somebody else"}
		if got := freshen(); got.DisplayName != "New" || len(n.calls) != 3 {
			t.Errorf("the account has become %+v, asked %q", got.SocialAccount, n.calls)
		}
	})
}
