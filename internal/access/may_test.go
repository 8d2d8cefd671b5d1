package access

import (
	"testing"

	"crier"
	"crier/internal/store"
)

func TestMayTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	role := func(r crier.Role, all, in bool) *store.Grant { return &store.Grant{Role: r, AllTeams: all, InTeam: in} }
	owner, viewer := role(crier.RoleOwner, true, false), role(crier.RoleViewer, true, false)
	narrowed := role(crier.RoleAdmin, false, true)
	only := Caller{credential: crier.Credential{Permissions: []crier.Permission{crier.Read}}}
	for _, c := range []struct {
		name       string
		caller     Caller
		own        *store.Grant
		behind     *store.Grant
		permission crier.Permission
		want       string
	}{
		{"an owner", Caller{}, owner, owner, crier.ManageMembers, ""},
		{"a stranger", Caller{}, nil, owner, crier.Read,
			"The caller does not belong to the organization of this team."},
		{"a key of a stranger", Caller{}, owner, nil, crier.Read,
			"The caller does not belong to the organization of this team."},
		{"a viewer", Caller{}, viewer, viewer, crier.WritePosts, "The caller lacks the permission write_posts."},
		{"a key above its maker", Caller{}, owner, viewer, crier.WritePosts,
			"The caller lacks the permission write_posts."},
		{"a narrowed key", only, owner, owner, crier.WritePosts, "The caller lacks the permission write_posts."},
		{"a narrowed key that reads", only, owner, owner, crier.Read, ""},
		{"an admin of a team", Caller{}, narrowed, owner, crier.ManageWebhooks, "This needs the permission " +
			"manage_webhooks in the whole organization; the caller is narrowed to some teams."},
		{"a key of an admin of a team", Caller{}, owner, narrowed, crier.ManageWebhooks, "This needs the permission " +
			"manage_webhooks in the whole organization; the caller is narrowed to some teams."},
	} {
		err := c.caller.May(c.permission, store.Access{Own: c.own, Behind: c.behind}, "team")
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	const want = "The caller does not belong to this organization."
	err := (Caller{}).May(crier.Read, store.Access{Behind: owner}, "organization")
	if err == nil || err.Error() != want {
		t.Errorf("a stranger to an organization: %v, want %q", err, want)
	}
}
