package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// Keys are the rules of API keys.
type Keys struct {
	*core
	pages *Pages
}

// List returns one page of an organization's keys.
func (s *Keys) List(ctx context.Context, scope OrgScope, q PageQuery) (crier.Page[crier.APIKey], error) {
	var none crier.Page[crier.APIKey]
	if err := scope.check(); err != nil {
		return none, err
	}
	rows, err := s.store.Keys(ctx, scope.organization.ID, q.query)
	if err != nil {
		return none, err
	}
	total, err := s.store.KeyCount(ctx, scope.organization.ID)
	if err != nil {
		return none, err
	}
	return pageOf(s.pages, q, rows, total, same), nil
}

// Create makes a key that may do no more than the caller. The secret is in this answer and never again.
func (s *Keys) Create(ctx context.Context, scope OrgScope, in crier.APIKeyCreate) (crier.APIKeyWithSecret, error) {
	var none crier.APIKeyWithSecret
	if err := scope.check(); err != nil {
		return none, err
	}
	if err := withinRights(scope, in); err != nil {
		return none, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.APIKeyWithSecret, error) {
		if err := teamsExist(ctx, tx, scope.organization.ID, in.TeamIDs); err != nil {
			return none, err
		}
		now := s.now()
		key := crier.APIKey{
			ID: crier.NewID(), OrganizationID: scope.organization.ID, Name: in.Name.Trimmed(), Role: in.Role,
			Permissions: in.Permissions, TeamIDs: in.TeamIDs, CreatedByID: &scope.caller.person.ID, ExpiresAt: in.ExpiresAt,
			CreatedAt: now, UpdatedAt: now,
		}
		return s.insertKey(ctx, tx, key, scope.organization.Organization)
	})
}

// withinRights refuses a key that could do more than the caller can.
func withinRights(scope OrgScope, in crier.APIKeyCreate) error {
	if in.Role.Rank() > min(scope.access.Own.Role.Rank(), scope.access.Behind.Role.Rank()) {
		return crier.Forbidden("A key cannot have a role above the caller's own.")
	}
	if scope.caller.credential.Permissions != nil && in.Permissions == nil {
		return crier.Forbidden("The caller is narrowed to some permissions: name the ones that the new key is to have.")
	}
	for _, p := range in.Permissions {
		if !scope.caller.holds(p) {
			return crier.Forbidden("A key cannot have the permission %s, which the caller lacks.", p)
		}
	}
	return nil
}

func teamsExist(ctx context.Context, tx *store.Tx, organization crier.ID, teams []crier.ID) error {
	found, err := tx.TeamsIn(ctx, organization, teams)
	if err != nil {
		return err
	}
	var issues []crier.Issue
	for i, id := range teams {
		if !found[id] {
			issues = append(issues, crier.At("is not a team of this organization", "teamIds", strconv.Itoa(i)))
		}
	}
	if issues != nil {
		return crier.Invalid(issues...)
	}
	return nil
}

// insertKey writes a key with its membership and its first secret.
func (c *core) insertKey(ctx context.Context, tx *store.Tx, key crier.APIKey, o crier.Organization) (crier.APIKeyWithSecret, error) {
	out := crier.APIKeyWithSecret{APIKey: key}
	if err := tx.InsertKey(ctx, key); err != nil {
		return out, err
	}
	member := store.Membership{
		ID: crier.NewID(), OrganizationID: key.OrganizationID, Kind: store.KeyPrincipal, PrincipalID: key.ID, Role: key.Role,
		AllTeams: key.TeamIDs == nil, TeamIDs: key.TeamIDs, CreatedAt: key.CreatedAt,
	}
	if err := tx.InsertMembership(ctx, member, o); err != nil {
		return out, err
	}
	return c.insertSecret(ctx, tx, out, key.CreatedAt)
}

// insertSecret gives a key a new secret; the one before ends at previousEnds.
func (c *core) insertSecret(ctx context.Context, tx *store.Tx, key crier.APIKeyWithSecret, previousEnds crier.Time) (crier.APIKeyWithSecret, error) {
	secret := auth.NewKeySecret()
	sealed, err := c.keys.Seal([]byte(secret), "API key "+string(key.ID))
	if err != nil {
		return key, err
	}
	key.Secret, key.LastFour = secret, auth.LastFour(secret)
	return key, tx.InsertSecret(ctx, store.KeySecret{
		Hash: auth.Hash(secret), KeyID: key.ID, Sealed: sealed, LastFour: key.LastFour, CreatedAt: c.now(),
	}, previousEnds)
}

// Revoke ends a key at once.
func (s *Keys) Revoke(ctx context.Context, scope OrgScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.check(); err != nil {
		return crier.Deleted{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Deleted, error) {
		return crier.Deleted{Deleted: true}, tx.RevokeKey(ctx, scope.organization.ID, id, s.now())
	})
}

// Rotate gives a key a new secret; the old one stays valid for the grace asked for.
func (s *Keys) Rotate(ctx context.Context, scope OrgScope, id crier.ID, in crier.APIKeyRotate) (crier.APIKeyWithSecret, error) {
	var none crier.APIKeyWithSecret
	if err := scope.check(); err != nil {
		return none, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.APIKeyWithSecret, error) {
		now := s.now()
		if err := tx.TouchKey(ctx, id, now); err != nil { // locks the row: two rotations at once follow each other
			return none, err
		}
		key, err := tx.Key(ctx, scope.organization.ID, id)
		if err != nil {
			return none, err
		}
		if err := rotationWithinRights(ctx, tx, scope, key); err != nil {
			return none, err
		}
		grace := time.Duration(in.GraceSeconds) * time.Second
		return s.insertSecret(ctx, tx, crier.APIKeyWithSecret{APIKey: key}, crier.TimeOf(now.Add(grace)))
	})
}

// rotationWithinRights keeps a caller from getting the secret of a key that may do more than it, here or in another
// organization that the key has made.
func rotationWithinRights(ctx context.Context, tx *store.Tx, scope OrgScope, key crier.APIKey) error {
	if err := withinRights(scope, crier.APIKeyCreate{Role: key.Role, Permissions: slices.Clone(key.Permissions)}); err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	within, err := tx.KeyStaysWithin(ctx, key.ID, scope.caller.id, scope.caller.person.ID)
	if err != nil {
		return err
	}
	if !within {
		return crier.Forbidden("The key reaches organizations that the caller does not administer. It can be revoked, not rotated.")
	}
	return nil
}
