package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// secret returns a hash that no other test has: tests share a database.
func secret(f *storetest.Fixture, name string) []byte {
	return []byte(string(f.Organization.ID) + name)
}

// newTokens inserts a login with the tokens "access" and "refresh".
func newTokens(f *storetest.Fixture, change ...func(*store.TokenFamily)) store.TokenFamily {
	family := store.TokenFamily{ID: crier.NewID(), UserID: f.Owner.ID, Name: "shell", CreatedAt: f.Now}
	for _, fn := range change {
		fn(&family)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(tx.InsertTokenFamily(ctx, family), tx.InsertTokens(ctx, family.ID, secret(f, "access"),
			f.After(time.Hour), secret(f, "refresh"), f.After(aDay)))
	})
	return family
}

func newSession(f *storetest.Fixture, name string) {
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		return tx.InsertSession(ctx, store.Session{ID: crier.NewID(), Hash: secret(f, name), User: f.Owner,
			CreatedAt: f.Now, ExpiresAt: f.After(time.Hour)})
	})
}

func TestAuthorizationCodesKeepWhatTheyAreBoundTo(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		code := store.AuthorizationCode{Hash: secret(f, "code"), UserID: f.Owner.ID, ClientID: "https://agent.example",
			ClientName: "Agent", RedirectURI: "http://127.0.0.1/cb", Challenge: "abc", Resource: "https://crier.example/mcp",
			ExpiresAt: f.After(time.Minute)}
		lock := func(hash []byte) (found *store.AuthorizationCode) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				found, err = tx.LockAuthorizationCode(ctx, hash)
				return err
			})
			return found
		}
		if got := lock(code.Hash); got != nil {
			t.Errorf("before it is given: %+v", got)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAuthorizationCode(ctx, code) })
		got := lock(code.Hash)
		if got == nil || got.UserID != code.UserID || got.ClientID != code.ClientID || got.ClientName != "Agent" ||
			got.RedirectURI != code.RedirectURI || got.Challenge != "abc" || got.Resource != code.Resource ||
			got.FamilyID != nil || !got.ExpiresAt.Equal(code.ExpiresAt.Time) {
			t.Fatalf("the code is %+v", got)
		}
		if err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertAuthorizationCode(ctx, code)
		}); err == nil || !strings.HasPrefix(err.Error(), "insert authorization code") {
			t.Errorf("a second code with the hash: %v", err)
		}
		family := newTokens(f)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.UseAuthorizationCode(ctx, code.Hash, family.ID)
		})
		if got := lock(code.Hash); got.FamilyID == nil || *got.FamilyID != family.ID {
			t.Errorf("a used code is of %v", got.FamilyID)
		}
		// Ending all sessions also ends unused codes: they could be exchanged for tokens.
		unused := code
		unused.Hash = secret(f, "unused")
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.InsertAuthorizationCode(ctx, unused), tx.EndSessions(ctx, f.Owner.ID, f.Now))
		})
		if lock(unused.Hash) != nil || lock(code.Hash) == nil {
			t.Error("an unused code outlives the end of all sessions, or a used one does not")
		}
	})
}

func TestTokensOfClientsAreBoundToThem(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, client, resource := context.Background(), "https://agent.example", "https://crier.example/mcp"
		family := newTokens(f, func(family *store.TokenFamily) {
			family.ClientID, family.Resource = &client, &resource
		})
		b, err := f.AccessToken(ctx, secret(f, "access"), f.Now)
		if err != nil || b.FamilyID != family.ID || b.Resource != resource || b.LastUsedAt != nil ||
			!b.ExpiresAt.Equal(f.After(time.Hour).Time) {
			t.Errorf("%+v, %v", b, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			token, err := tx.LockRefreshToken(ctx, secret(f, "refresh"), f.Now)
			if err != nil || token == nil || token.ClientID != client || token.FamilyID != family.ID || token.Used ||
				token.Revoked || token.Expired {
				t.Errorf("%+v, %v", token, err)
			}
			return err
		})
		for _, unknown := range [][]byte{secret(f, "other"), {}, nil} {
			if id, err := f.FamilyOfToken(ctx, unknown); err != nil || id != "" {
				t.Errorf("the token %q is of %q, %v", unknown, id, err)
			}
			if _, err := f.AccessToken(ctx, unknown, f.Now); kindOf(err) != crier.KindUnauthorized {
				t.Errorf("the token %q: %v", unknown, err)
			}
		}
		if err := f.CredentialUsed(ctx, "access_token", family.ID, f.After(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if b, err := f.AccessToken(ctx, secret(f, "access"), f.Now); err != nil || b.LastUsedAt == nil ||
			!b.LastUsedAt.Equal(f.After(time.Minute).Time) {
			t.Errorf("last used %v, %v", b.LastUsedAt, err)
		}
		if err := f.CredentialUsed(ctx, "password", family.ID, f.Now); err == nil ||
			!strings.Contains(err.Error(), `unknown kind "password"`) {
			t.Errorf("an unknown kind of credential: %v", err)
		}
	})
}

func TestAKeyIsActiveUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		expires := f.After(time.Hour)
		insert := func(expiresAt *crier.Time) crier.ID {
			k := crier.APIKey{ID: crier.NewID(), OrganizationID: f.Organization.ID, Name: "ci", Role: crier.RoleEditor,
				CreatedByID: &f.Owner.ID, ExpiresAt: expiresAt, CreatedAt: f.Now, UpdatedAt: f.Now}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertKey(ctx, k) })
			return k.ID
		}
		forever, short, revoked := insert(nil), insert(&expires), insert(nil)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.RevokeKey(ctx, f.Organization.ID, revoked, f.Now)
		})
		for name, c := range map[string]struct {
			key  crier.ID
			at   crier.Time
			want bool
		}{
			"without an end":    {forever, f.After(1000 * aDay), true},
			"before its end":    {short, f.After(time.Hour - time.Second), true},
			"at its end":        {short, expires, false},
			"revoked":           {revoked, f.Now, false},
			"an unknown key":    {crier.NewID(), f.Now, false},
			"a person's own id": {f.Owner.ID, f.Now, false},
		} {
			if got, err := f.KeyActive(context.Background(), c.key, c.at); err != nil || got != c.want {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
		for name, c := range map[string]struct{ organization, key crier.ID }{
			"a second time":           {f.Organization.ID, revoked},
			"of another organization": {f.NewOrganization("Other").ID, forever},
		} {
			err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				return tx.RevokeKey(ctx, c.organization, c.key, f.Now)
			})
			if kindOf(err) != crier.KindNotFound || err.Error() != "There is no API key "+string(c.key)+"." {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// The rows that a request needs besides its credential are read with it, whatever the credential.
func TestLookaheadReadsWhatTheCredentialReaches(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		key := f.NewKey("look"+string(f.Team.ID), f.Team.ID)
		newTokens(f)
		newSession(f, "session")
		other := f.NewTeam("Sales")
		keep := func(principal crier.ID) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				answer := store.StoredResponse{PrincipalID: principal, Key: "once", Fingerprint: []byte("f"),
					Status:    201,
					ExpiresAt: f.After(time.Hour)}
				if claimed, err := tx.ClaimKey(ctx, answer, f.Now); err != nil || !claimed {
					t.Errorf("claimed %v, %v", claimed, err)
				}
				return tx.SaveResponse(ctx, principal, "once", []byte("body"), f.Organization.ID)
			})
		}
		keep(key.ID)
		keep(f.Owner.ID)
		for name, c := range map[string]struct {
			kind store.CredentialKind
			hash []byte
			role crier.Role // of the credential's own membership
			all  bool
		}{
			"key":     {store.KeyCredential, []byte("secret look" + string(f.Team.ID)), crier.RoleEditor, false},
			"token":   {store.TokenCredential, secret(f, "access"), crier.RoleOwner, true},
			"session": {store.SessionCredential, secret(f, "session"), crier.RoleOwner, true},
		} {
			team := &store.Lookahead{TeamID: f.Team.ID, IdempotencyKey: "once"}
			foreign := &store.Lookahead{TeamID: other.ID, IdempotencyKey: "twice"}
			whole := &store.Lookahead{OrganizationID: f.Organization.ID}
			nothing := &store.Lookahead{}
			missing := &store.Lookahead{TeamID: crier.NewID()}
			late := &store.Lookahead{IdempotencyKey: "once"}
			for _, a := range []*store.Lookahead{team, foreign, whole, nothing, missing} {
				if err := f.LookAhead(ctx, c.kind, c.hash, f.Now, a); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if err := f.LookAhead(ctx, c.kind, c.hash, f.After(time.Hour), late); err != nil || late.Response != nil {
				t.Errorf("%s: an expired answer: %+v, %v", name, late.Response, err)
			}
			if team.Team == nil || team.Team.ID != f.Team.ID ||
				team.Access.Own == nil || team.Access.Own.Role != c.role ||
				team.Access.Behind == nil || team.Access.Behind.Role != crier.RoleOwner || team.Response == nil ||
				string(team.Response.Body) != "body" || team.Response.Status != 201 || team.Response.Left ||
				team.Response.OrganizationID != f.Organization.ID {
				t.Errorf("%s: %+v, %+v", name, team.Access, team.Response)
			}
			if foreign.Team == nil || foreign.Access.Own == nil || foreign.Access.Own.AllTeams != c.all ||
				foreign.Access.Own.InTeam != false || foreign.Response != nil {
				t.Errorf("%s: a team beside: %+v, %+v", name, foreign.Access.Own, foreign.Response)
			}
			if whole.Organization == nil || whole.Organization.Name != "Acme" || whole.Access.Own.Role != c.role {
				t.Errorf("%s: %+v", name, whole.Organization)
			}
			if nothing.Team != nil || nothing.Organization != nil || missing.Team != nil {
				t.Errorf("%s: found %+v and %+v", name, nothing, missing)
			}
		}
		unknown := &store.Lookahead{TeamID: f.Team.ID, IdempotencyKey: "once"}
		if err := f.LookAhead(ctx, store.KeyCredential, []byte("unknown"), f.Now, unknown); err != nil ||
			unknown.Team == nil || unknown.Access.Own != nil || unknown.Access.Behind != nil ||
			unknown.Response != nil {
			t.Errorf("an unknown credential reaches %+v, %v", unknown, err)
		}
	})
}

func TestAnswersAreKeptUntilTheyExpireAndClaimedOnce(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		answer := store.StoredResponse{PrincipalID: f.Owner.ID, Key: "k", Fingerprint: []byte("one"), Status: 200,
			ExpiresAt: f.After(time.Hour)}
		claim := func(a store.StoredResponse, at crier.Time) (claimed bool) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				claimed, err = tx.ClaimKey(ctx, a, at)
				return err
			})
			return claimed
		}
		foreign := answer
		foreign.PrincipalID = crier.NewID()
		if !claim(answer, f.Now) || claim(answer, f.Now) || !claim(foreign, f.Now) {
			t.Error("a key is claimed once for each principal")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.SaveResponse(ctx, f.Owner.ID, "k", []byte("body"), "")
		})
		got, err := f.StoredResponse(ctx, f.Owner.ID, "k", f.Now)
		if err != nil || got == nil || string(got.Body) != "body" || got.OrganizationID != "" || got.Left ||
			string(got.Fingerprint) != "one" {
			t.Errorf("%+v, %v", got, err)
		}
		for name, c := range map[string]struct {
			principal crier.ID
			key       string
			at        crier.Time
		}{"expired": {f.Owner.ID, "k", f.After(time.Hour)}, "another key": {f.Owner.ID, "K", f.Now},
			"a stranger": {crier.NewID(), "k", f.Now}} {
			if got, err := f.StoredResponse(ctx, c.principal, c.key, c.at); err != nil || got != nil {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		again := answer
		again.Fingerprint, again.ExpiresAt = []byte("two"), f.After(2*time.Hour)
		if !claim(again, f.After(time.Hour)) {
			t.Error("an expired key cannot be claimed")
		}
		got, err = f.StoredResponse(ctx, f.Owner.ID, "k", f.After(time.Hour))
		if err != nil || got == nil || string(got.Fingerprint) != "two" || got.Body != nil {
			t.Errorf("the answer of before is left: %+v, %v", got, err)
		}
		// The stored response of an organization is returned only while its principal belongs to it.
		elsewhere := f.NewOrganization("Other")
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.SaveResponse(ctx, f.Owner.ID, "k", []byte("body"), elsewhere.ID)
		})
		if got, err := f.StoredResponse(ctx, f.Owner.ID, "k", f.After(time.Hour)); err != nil || !got.Left {
			t.Errorf("who does not belong there: %+v, %v", got, err)
		}
	})
}

func TestAccessInIsOfTheAskedOrganizations(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, other := context.Background(), f.NewOrganization("Other")
		key := f.NewKey("in"+string(f.Team.ID), f.Team.ID)
		got, err := f.AccessIn(ctx, []crier.ID{f.Organization.ID, other.ID, crier.NewID()}, key.ID, f.Owner.ID)
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		access := got[f.Organization.ID]
		if access.Own.Role != crier.RoleEditor || access.Own.AllTeams || access.Behind.Role != crier.RoleOwner ||
			!access.Behind.AllTeams {
			t.Errorf("%+v, %+v", access.Own, access.Behind)
		}
		if got, err := f.AccessIn(ctx, []crier.ID{f.Organization.ID}, key.ID, crier.NewID()); err != nil ||
			got[f.Organization.ID].Behind != nil {
			t.Errorf("without a person behind: %+v, %v", got, err)
		}
		if got, err := f.AccessIn(ctx, nil, key.ID, f.Owner.ID); err != nil || len(got) != 0 {
			t.Errorf("of none: %v, %v", got, err)
		}
	})
}

func TestRolesOfAPersonAreListedByOrganization(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		for _, name := range []string{"Zeta", "Beta"} {
			o := f.NewOrganization(name)
			m := store.Membership{ID: crier.NewID(), OrganizationID: o.ID, Kind: store.UserPrincipal,
				PrincipalID: f.Owner.ID, Role: crier.RoleViewer, AllTeams: true, CreatedAt: f.Now}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertMembership(ctx, m, o) })
		}
		for limit, want := range map[int]string{
			10: "[{Acme owner} {Beta viewer} {Zeta viewer}]", 2: "[{Acme owner} {Beta viewer}]",
		} {
			list, err := f.RolesOf(ctx, f.Owner.ID, limit)
			if got := fmt.Sprint(list); err != nil || got != want {
				t.Errorf("at most %d: %s, %v", limit, got, err)
			}
		}
		key := f.NewKey("roles" + string(f.Team.ID))
		if list, err := f.RolesOf(ctx, key.ID, 10); err != nil || len(list) != 0 {
			t.Errorf("a key is a person with %v, %v", list, err)
		}
	})
}

func TestOpenInvitationsOfAnAddress(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, email := context.Background(), crier.Email("new-"+string(f.Team.ID)+"@acme.example")
		invite := func(i int, o crier.ID, expires time.Duration) crier.ID {
			v := store.Invitation{TokenHash: secret(f, fmt.Sprint("invitation", i)), OrganizationID: o,
				InvitedByID: f.Owner.ID}
			v.ID, v.Email, v.Role = crier.NewID(), email, crier.RoleEditor
			v.CreatedAt, v.ExpiresAt = f.After(time.Duration(i)*time.Minute), f.After(expires)
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertInvitation(ctx, v) })
			return v.ID
		}
		first, second := invite(1, f.Organization.ID, aDay), invite(2, f.Organization.ID, 2*time.Hour)
		invite(3, f.NewOrganization("Other").ID, aDay) // of a user who does not belong there
		for name, c := range map[string]struct {
			at    time.Duration
			limit int
			want  []crier.ID
		}{
			"both":          {time.Hour, 9, []crier.ID{second, first}},
			"the newest":    {time.Hour, 1, []crier.ID{second}},
			"one has ended": {2 * time.Hour, 9, []crier.ID{first}},
			"both have":     {aDay, 9, nil},
		} {
			list, err := f.OpenInvitationsOf(ctx, email, f.After(c.at), c.limit)
			var got []crier.ID
			for _, i := range list {
				got = append(got, i.ID)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
			}
		}
		if list, err := f.OpenInvitationsOf(ctx, "nobody@acme.example", f.Now, 9); err != nil || len(list) != 0 {
			t.Errorf("of another address: %v, %v", list, err)
		}
	})
}

// Callers with very many organizations are served by another query, which must find the same teams.
func TestTeamsOfVeryManyOrganizationsAreTheSame(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		other := f.NewTeam("Sales")
		key := f.NewKey("many"+string(f.Team.ID), f.Team.ID)
		for name, c := range map[string]struct {
			principal crier.ID
			want      []crier.ID
		}{
			"a key of one team": {key.ID, []crier.ID{f.Team.ID}},
			"the owner":         {f.Owner.ID, []crier.ID{f.Team.ID, other.ID}},
			"a stranger":        {crier.NewID(), nil},
		} {
			few, err := f.Reaches(ctx, c.principal, f.Owner.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			many := slices.Clone(few)
			for len(many) <= 200 {
				many = append(many, store.Reach{OrganizationID: crier.NewID()})
			}
			for length, reaches := range map[string][]store.Reach{"few": few, "many": many} {
				page, err := f.Teams(ctx, c.principal, f.Owner.ID, reaches, store.PageQuery{Sort: "name", Limit: 9})
				var got []crier.ID
				for _, team := range page.Rows {
					got = append(got, team.ID)
				}
				n, err2 := f.TeamCount(ctx, c.principal, f.Owner.ID, "", reaches)
				if err != nil || err2 != nil || !slices.Equal(got, c.want) || n != int64(len(c.want)) {
					t.Errorf("%s, %s organizations: %v of %d; %v, %v", name, length, got, n, err, err2)
				}
			}
			for _, reach := range few {
				ids, err := f.TeamIDs(ctx, reach)
				slices.Sort(ids)
				if err != nil || !slices.Equal(ids, slices.Sorted(slices.Values(c.want))) {
					t.Errorf("%s reaches the teams %v, %v", name, ids, err)
				}
			}
		}
	})
}

func TestATeamIsReadUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		if got, err := f.Store.Team(ctx, f.Team.ID); err != nil || got.Name != "Marketing" ||
			got.OrganizationID != f.Organization.ID || got.PublishLateMinutes != crier.DefaultPublishLateMinutes {
			t.Errorf("%+v, %v", got, err)
		}
		f.NewAsset(func(a *store.Asset) { a.ByteSize = 40 })
		sales := f.Team
		f.Team = f.NewTeam("Sales")
		f.NewAsset(func(a *store.Asset) { a.ByteSize = 2 })
		stored := func() int64 {
			n, err := f.StoredBytes(ctx, f.Organization.ID)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := stored(); n != 42 {
			t.Errorf("%d bytes are stored", n)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, sales, f.Now) })
		if n := stored(); n != 2 {
			t.Errorf("%d bytes are stored after a team was deleted", n)
		}
		if n, err := f.StoredBytes(ctx, crier.NewID()); err != nil || n != 0 {
			t.Errorf("an unknown organization stores %d bytes, %v", n, err)
		}
		for name, id := range map[string]crier.ID{"deleted": sales.ID, "unknown": crier.NewID()} {
			if _, err := f.Store.Team(ctx, id); kindOf(err) != crier.KindNotFound ||
				err.Error() != "There is no team "+string(id)+"." {
				t.Errorf("%s: %v", name, err)
			}
		}
		err := f.TryTx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, sales, f.Now) })
		if kindOf(err) != crier.KindNotFound {
			t.Errorf("deleted twice: %v", err)
		}
		if n := f.Scan(`SELECT team_count FROM organizations WHERE id = $1`, f.Organization.ID); n != 1 {
			t.Errorf("the organization counts %d teams", n)
		}
	})
}

func TestAConsentIsCompletedOnce(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		back := "https://app.example/done"
		state, chosen := secret(f, "state"), secret(f, "chosen")
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertConnection(ctx, store.Connection{StateHash: state, TeamID: f.Team.ID,
				PrincipalKind: store.UserPrincipal, PrincipalID: f.Owner.ID, PersonID: f.Owner.ID,
				Provider: crier.ProviderX, Verifier: []byte("sealed"), ReturnURL: &back, ExpiresAt: f.After(time.Hour)})
		})
		advance := func(hash []byte, network crier.Provider, from, to string, after time.Duration) (
			c store.Connection, err error) {
			err = f.TryTx(func(ctx context.Context, tx *store.Tx) (err error) {
				c, err = tx.AdvanceConnection(ctx, hash, network, from, to, f.After(after))
				return err
			})
			return c, err
		}
		for name, refused := range map[string]func() error{
			"another network": func() error {
				_, err := advance(state, crier.ProviderTikTok, "waiting", "exchanging", 0)
				return err
			},
			"another state": func() error {
				_, err := advance(chosen, crier.ProviderX, "waiting", "exchanging", 0)
				return err
			},
			"too late": func() error {
				_, err := advance(state, crier.ProviderX, "waiting", "exchanging", time.Hour)
				return err
			},
			"a step ahead": func() error {
				_, err := advance(state, crier.ProviderX, "choosing", "exchanging", 0)
				return err
			},
		} {
			if err := refused(); kindOf(err) != crier.KindNotFound ||
				err.Error() != "This connection was completed already, or it has expired. Begin again." {
				t.Errorf("%s: %v", name, err)
			}
		}
		c, err := advance(state, crier.ProviderX, "waiting", "exchanging", 0)
		if err != nil || c.TeamID != f.Team.ID || c.OrganizationID != f.Organization.ID || *c.ReturnURL != back ||
			string(c.Verifier) != "sealed" || c.PersonID != f.Owner.ID || c.PrincipalKind != store.UserPrincipal {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := advance(state, crier.ProviderX, "waiting", "exchanging", 0); kindOf(err) != crier.KindNotFound {
			t.Errorf("a second time: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.OfferChoices(ctx, state, chosen, []byte("choices"))
		})
		if _, err := advance(state, crier.ProviderX, "choosing", "exchanging", 0); kindOf(err) != crier.KindNotFound {
			t.Errorf("who knows the first state can choose: %v", err)
		}
		if c, err := advance(chosen, crier.ProviderX, "choosing", "choosing", 0); err != nil ||
			string(c.Choices) != "choices" {
			t.Errorf("%+v, %v", c, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.DeleteConnection(ctx, chosen), tx.DeleteConnection(ctx, chosen))
		})
		if _, err := advance(chosen, crier.ProviderX, "choosing", "exchanging", 0); kindOf(err) != crier.KindNotFound {
			t.Errorf("a deleted one: %v", err)
		}
	})
}
