package crier_test

import (
	"slices"
	"testing"

	"crier"
)

// TestRolePermissions has the matrix in full, so that nobody changes it by accident.
func TestRolePermissions(t *testing.T) {
	t.Parallel()
	const owner, admin, editor, viewer = "owner", "admin", "editor", "viewer"
	matrix := map[crier.Permission][]crier.Role{
		"manage_organization": {owner, admin}, "manage_members": {owner, admin}, "manage_api_keys": {owner, admin},
		"manage_billing": {owner, admin}, "manage_webhooks": {owner, admin},
		"create_teams": {owner, admin}, "manage_teams": {owner, admin, editor}, "delete_teams": {owner, admin},
		"manage_social_accounts": {owner, admin, editor}, "manage_slots": {owner, admin, editor},
		"manage_media": {owner, admin, editor},
		"write_posts":  {owner, admin, editor}, "approve_posts": {owner, admin},
		"publish_posts": {owner, admin, editor},
		"delete_posts":  {owner, admin, editor},
		"read":          {owner, admin, editor, viewer}, "read_analytics": {owner, admin, editor, viewer},
		"read_live_analytics": {owner, admin, editor},
	}
	if len(crier.Permissions()) != len(matrix) {
		t.Errorf("the catalogue has %d permissions, want %d", len(crier.Permissions()), len(matrix))
	}
	for _, p := range crier.Permissions() {
		for _, role := range []crier.Role{owner, admin, editor, viewer, "", "root", "Owner"} {
			if want := slices.Contains(matrix[p], role); role.Can(p) != want {
				t.Errorf("%q can %s: %v, want %v", role, p, role.Can(p), want)
			}
		}
	}
	if crier.RoleOwner.Can("fly") || crier.RoleOwner.Can("") {
		t.Error("an owner can do what is not in the catalogue")
	}
	order := []crier.Role{"root", viewer, editor, admin, owner}
	if !slices.IsSortedFunc(order, func(a, b crier.Role) int { return a.Rank() - b.Rank() }) {
		t.Error("the ranks of the roles are not in order")
	}
}
