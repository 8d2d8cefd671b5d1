package service

import (
	"context"

	"crier"
	"crier/internal/store"
)

// Members are the rules of people in organizations.
type Members struct {
	*core
	pages *Pages
}

// List returns one page of an organization's members.
func (s *Members) List(ctx context.Context, scope OrgScope, q PageQuery) (crier.Page[crier.Member], error) {
	var none crier.Page[crier.Member]
	if err := scope.check(); err != nil {
		return none, err
	}
	rows, err := s.store.Members(ctx, scope.organization.ID, q.query)
	if err != nil {
		return none, err
	}
	total, err := s.store.MemberCount(ctx, scope.organization.ID)
	if err != nil {
		return none, err
	}
	return pageOf(s.pages, q, rows, total, same), nil
}

// roleWithin refuses a role above the caller's own, and one with permissions that a narrowed key lacks.
func roleWithin(scope OrgScope, role crier.Role) error {
	if role.Rank() > min(scope.access.Own.Role.Rank(), scope.access.Behind.Role.Rank()) {
		return crier.Forbidden("Nobody can give a role above their own.")
	}
	if role == crier.RoleViewer { // who may invite at all may invite onlookers
		return nil
	}
	for _, p := range crier.Permissions() {
		if role.Can(p) && !scope.caller.holds(p) {
			return crier.Forbidden("The role %s has the permission %s, which the caller lacks.", role, p)
		}
	}
	return nil
}

// Update changes a member's role and teams. Only an owner may demote an owner, and an organization keeps at least one
// owner or admin.
func (s *Members) Update(ctx context.Context, scope OrgScope, id crier.ID, in crier.MemberUpdate) (crier.Member, error) {
	if err := scope.check(); err != nil {
		return crier.Member{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Member, error) {
		m, err := s.lock(ctx, tx, scope, id)
		if err != nil {
			return m, err
		}
		if err := s.apply(ctx, tx, scope, &m, in); err != nil {
			return m, err
		}
		m.UpdatedAt = s.now()
		return m, tx.UpdateMember(ctx, m)
	})
}

// apply changes a member as far as the caller and the organization's rules allow.
func (s *Members) apply(ctx context.Context, tx *store.Tx, scope OrgScope, m *crier.Member, in crier.MemberUpdate) error {
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
		if err := teamsExist(ctx, tx, scope.organization.ID, m.TeamIDs); err != nil {
			return err
		}
	}
	if m.Role.Rank() < crier.RoleAdmin.Rank() || m.TeamIDs != nil {
		return s.keepAdmin(ctx, tx, scope, m.ID)
	}
	return nil
}

// lock reads a member whom the caller may change: oneself, or anybody not above.
func (s *Members) lock(ctx context.Context, tx *store.Tx, scope OrgScope, id crier.ID) (crier.Member, error) {
	if _, err := tx.LockOrganization(ctx, scope.organization.ID); err != nil {
		return crier.Member{}, err
	}
	m, err := tx.LockMember(ctx, scope.organization.ID, id)
	if err != nil {
		return m, err
	}
	if m.Role == crier.RoleOwner && (scope.access.Own.Role != crier.RoleOwner || scope.access.Behind.Role != crier.RoleOwner) {
		return m, crier.Forbidden("Only an owner may change or remove an owner.")
	}
	return m, nil
}

func (s *Members) keepAdmin(ctx context.Context, tx *store.Tx, scope OrgScope, but crier.ID) error {
	others, err := tx.OtherAdmins(ctx, scope.organization.ID, but)
	if err != nil {
		return err
	}
	if others == 0 {
		return crier.Conflict("An organization keeps at least one owner or admin of all its teams.")
	}
	return nil
}

// Remove takes a person out of an organization; everybody may remove themselves. The keys that the person made go too.
func (s *Members) Remove(ctx context.Context, scope OrgScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.check(); err != nil {
		return crier.Deleted{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Deleted, error) {
		m, err := s.lock(ctx, tx, scope, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		if err := scope.mayRemove(m); err != nil {
			return crier.Deleted{}, err
		}
		if m.Role.Rank() >= crier.RoleAdmin.Rank() {
			if err := s.keepAdmin(ctx, tx, scope, id); err != nil {
				return crier.Deleted{}, err
			}
		}
		return crier.Deleted{Deleted: true}, tx.RemoveMember(ctx, scope.organization.ID, m, s.now())
	})
}

// mayRemove lets people leave; removing others needs manage_members.
func (s OrgScope) mayRemove(m crier.Member) error {
	if s.caller.kind == store.UserPrincipal && s.caller.id == m.UserID {
		return nil
	}
	if err := s.caller.may(crier.ManageMembers, s.access, "organization"); err != nil {
		return err
	}
	if !s.access.Own.AllTeams || !s.access.Behind.AllTeams {
		return crier.Forbidden("Removing members needs the permission %s in the whole organization; the caller is narrowed to some teams.", crier.ManageMembers)
	}
	return nil
}
