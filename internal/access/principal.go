package access

import (
	"context"

	"crier"
	"crier/internal/store"
)

// Principal identifies the caller of something that continues after the request, such as a network's consent.
type Principal struct {
	Kind     store.PrincipalKind
	ID       crier.ID
	PersonID crier.ID
}

// Principal returns the caller's principal.
func (c Caller) Principal() Principal {
	return Principal{Kind: c.kind, ID: c.id, PersonID: c.person.ID}
}

// TeamOf proves that a principal now has a permission in a team.
func (a *Control) TeamOf(ctx context.Context, p Principal, team crier.ID, permission crier.Permission) (TeamScope,
	error) {
	if p.Kind == store.KeyPrincipal {
		active, err := a.store.KeyActive(ctx, p.ID, a.clock.Now())
		if err != nil {
			return TeamScope{}, err
		}
		if !active {
			return TeamScope{}, crier.Forbidden("The API key that requested this is no longer valid.")
		}
	}
	caller := Caller{kind: p.Kind, id: p.ID, person: crier.User{ID: p.PersonID}}
	return a.Team(ctx, caller, team, permission)
}

// MayStill reports whether the principal still has a permission in a team: since the request, a member may have been
// removed, a key revoked or the team deleted.
func (p Principal) MayStill(ctx context.Context, tx *store.Tx, team crier.ID, permission crier.Permission,
	now crier.Time) (bool, error) {
	if p.Kind == store.KeyPrincipal {
		if active, err := tx.KeyActive(ctx, p.ID, now); err != nil || !active {
			return false, err
		}
	}
	_, access, err := tx.TeamAccess(ctx, team, p.ID, p.PersonID)
	if crier.IsKind(err, crier.KindNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return (Caller{}).May(permission, access, "team") == nil && reachesTeam(access), nil
}
