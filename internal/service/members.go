package service

import (
	"context"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// MemberSorts are the orders that members can be listed in; the first is the default.
var MemberSorts = []string{"createdAt"}

// Members implements organization members.
type Members struct {
	store  *store.Store
	writes *access.Idempotency
	clock  crier.Clock
	pages  *pagination.Cursors
}

// List returns one page of an organization's members.
func (s *Members) List(ctx context.Context, scope access.OrgScope, q pagination.Query) (crier.Page[crier.Member],
	error) {
	var none crier.Page[crier.Member]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Members(ctx, scope.Organization().ID, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.MemberCount(ctx, scope.Organization().ID)
	if err != nil {
		return none, err
	}
	return pagination.Page(s.pages, q, rows, total), nil
}

// roleWithin rejects a role above the caller's own, and one with permissions that a restricted key lacks.
func roleWithin(scope access.OrgScope, role crier.Role) error {
	if role.Rank() > min(scope.Access().Own.Role.Rank(), scope.Access().Behind.Role.Rank()) {
		return crier.Forbidden("Nobody can give a role above their own.")
	}
	if role == crier.RoleViewer { // everybody who may invite may invite viewers
		return nil
	}
	for _, p := range crier.Permissions() {
		if role.Can(p) && !scope.Caller().Holds(p) {
			return crier.Forbidden("The role %s has the permission %s, which the caller lacks.", role, p)
		}
	}
	return nil
}

// Update changes a member's role and teams. Only an owner may demote an owner, and an organization keeps at least one
// owner or admin.
func (s *Members) Update(ctx context.Context, scope access.OrgScope, id crier.ID, in crier.MemberUpdate) (crier.Member,
	error) {
	if err := scope.Check(); err != nil {
		return crier.Member{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Member, error) {
		m, err := s.lock(ctx, tx, scope, id)
		if err != nil {
			return m, err
		}
		before := m
		if err := s.apply(ctx, tx, scope, &m, in); err != nil {
			return m, err
		}
		m.UpdatedAt = s.clock.Now()
		if err := tx.EndSecretsIssuedBy(ctx, scope.Organization().ID, m.UserID, beyond(m), m.UpdatedAt); err != nil {
			return m, err
		}
		if err := recordOf(tx, s.clock.Now(), scope.Organization().ID, crier.MemberChanged, m, before); err != nil {
			return m, err
		}
		return m, tx.UpdateMember(ctx, m)
	})
}

// beyond returns the roles of keys whose secrets a member may not know: those above the member's own, and all of them
// unless the member manages the keys of the whole organization.
func beyond(m crier.Member) []crier.Role {
	if !m.Role.Can(crier.ManageAPIKeys) || m.TeamIDs != nil {
		return crier.Roles()
	}
	return slices.DeleteFunc(crier.Roles(), func(r crier.Role) bool { return r.Rank() <= m.Role.Rank() })
}

// apply changes a member as far as the caller and the organization's rules allow.
func (s *Members) apply(ctx context.Context, tx *store.Tx, scope access.OrgScope, m *crier.Member,
	in crier.MemberUpdate) error {
	if in.Role.Set {
		m.Role = in.Role.Value
	}
	if err := roleWithin(scope, m.Role); err != nil {
		return err
	}
	if in.TeamIDs.Set {
		if m.TeamIDs = in.TeamIDs.Value; in.TeamIDs.Null {
			m.TeamIDs = nil
		}
		if err := teamsExist(ctx, tx, scope.Organization().ID, m.TeamIDs); err != nil {
			return err
		}
	}
	if m.Role.Rank() < crier.RoleAdmin.Rank() || m.TeamIDs != nil {
		return s.keepAdmin(ctx, tx, scope, m.ID)
	}
	return nil
}

// lock reads and locks a member whom the caller may change: themselves, or anybody not above.
func (s *Members) lock(ctx context.Context, tx *store.Tx, scope access.OrgScope, id crier.ID) (crier.Member, error) {
	if _, err := tx.LockOrganization(ctx, scope.Organization().ID); err != nil {
		return crier.Member{}, err
	}
	m, err := tx.LockMember(ctx, scope.Organization().ID, id)
	if err != nil {
		return m, err
	}
	if m.Role == crier.RoleOwner && (scope.Access().Own.Role != crier.RoleOwner ||
		scope.Access().Behind.Role != crier.RoleOwner) {
		return m, crier.Forbidden("Only an owner may change or remove an owner.")
	}
	return m, nil
}

func (s *Members) keepAdmin(ctx context.Context, tx *store.Tx, scope access.OrgScope, but crier.ID) error {
	others, err := tx.OtherAdmins(ctx, scope.Organization().ID, but)
	if err != nil {
		return err
	}
	if others == 0 {
		return crier.Conflict("An organization keeps at least one owner or admin of all its teams.")
	}
	return nil
}

// Remove removes a person from an organization; everybody may remove themselves. The keys that the person created are
// revoked.
func (s *Members) Remove(ctx context.Context, scope access.OrgScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		m, err := s.lock(ctx, tx, scope, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		if err := mayRemove(scope, m); err != nil {
			return crier.Deleted{}, err
		}
		if m.Role.Rank() >= crier.RoleAdmin.Rank() {
			if err := s.keepAdmin(ctx, tx, scope, id); err != nil {
				return crier.Deleted{}, err
			}
		}
		now := s.clock.Now()
		if err := tx.EndSecretsIssuedBy(ctx, scope.Organization().ID, m.UserID, crier.Roles(), now); err != nil {
			return crier.Deleted{}, err
		}
		if err := recordOf(tx, s.clock.Now(), scope.Organization().ID, crier.MemberRemoved, m, nil); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, tx.RemoveMember(ctx, scope.Organization().ID, m, now)
	})
}

// mayRemove lets people leave; removing others needs manage_members.
func mayRemove(scope access.OrgScope, m crier.Member) error {
	caller, granted := scope.Caller(), scope.Access()
	if caller.Kind() == store.UserPrincipal && caller.ID() == m.UserID {
		return nil
	}
	if err := caller.May(crier.ManageMembers, granted, "organization"); err != nil {
		return err
	}
	if !granted.Own.AllTeams || !granted.Behind.AllTeams {
		return crier.Forbidden("Removing members needs the permission %s in the whole organization; the caller is "+
			"narrowed to some teams.", crier.ManageMembers)
	}
	return nil
}
