package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/pagination"
	"crier/internal/store"
)

// KeySorts are the orders that API keys can be listed in; the first is the default.
var KeySorts = []string{"createdAt", "name"}

// Keys implements API keys.
type Keys struct {
	store  *store.Store
	writes *access.Idempotency
	keys   *auth.Keyring
	clock  crier.Clock
	pages  *pagination.Cursors
}

// List returns one page of an organization's keys.
func (s *Keys) List(ctx context.Context, scope access.OrgScope, q pagination.Query) (crier.Page[crier.APIKey], error) {
	var none crier.Page[crier.APIKey]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Keys(ctx, scope.Organization().ID, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.KeyCount(ctx, scope.Organization().ID)
	if err != nil {
		return none, err
	}
	return pagination.Page(s.pages, q, rows, total), nil
}

// Create creates a key with at most the caller's rights. Only this response has the secret.
func (s *Keys) Create(ctx context.Context, scope access.OrgScope, in crier.APIKeyCreate) (crier.APIKeyWithSecret,
	error) {
	var none crier.APIKeyWithSecret
	if err := scope.Check(); err != nil {
		return none, err
	}
	if err := withinRights(scope, in); err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.APIKeyWithSecret, error) {
		if err := teamsExist(ctx, tx, scope.Organization().ID, in.TeamIDs); err != nil {
			return none, err
		}
		now, person := s.clock.Now(), scope.Caller().Person()
		key := crier.APIKey{
			ID: crier.NewID(), OrganizationID: scope.Organization().ID, Name: in.Name.Trimmed(), Role: in.Role,
			Permissions: in.Permissions, TeamIDs: in.TeamIDs, CreatedByID: &person.ID,
			ExpiresAt: in.ExpiresAt,
			CreatedAt: now, UpdatedAt: now,
		}
		created, err := s.insertKey(ctx, tx, key, scope.Organization().Organization)
		if err != nil {
			return none, err
		}
		return created, recordOf(tx, s.clock.Now(), key.OrganizationID, crier.APIKeyCreated, created.APIKey, nil)
	})
}

// withinRights rejects a key with more rights than the caller.
func withinRights(scope access.OrgScope, in crier.APIKeyCreate) error {
	if in.Role.Rank() > min(scope.Access().Own.Role.Rank(), scope.Access().Behind.Role.Rank()) {
		return crier.Forbidden("A key cannot have a role above the caller's own.")
	}
	if scope.Caller().Credential().Permissions != nil && in.Permissions == nil {
		return crier.Forbidden("The caller is narrowed to some permissions: name the ones that the new key is to have.")
	}
	for _, p := range in.Permissions {
		if !scope.Caller().Holds(p) {
			return crier.Forbidden("A key cannot have the permission %s, which the caller lacks.", p)
		}
	}
	return nil
}

// teamsExist returns the issues of teams that the organization does not have; had are not looked at.
func teamsExist(ctx context.Context, tx *store.Tx, organization crier.ID, teams []crier.ID, had ...crier.ID) error {
	found, err := tx.TeamsIn(ctx, organization, teams)
	if err != nil {
		return err
	}
	var issues []crier.Issue
	for i, id := range teams {
		if !found[id] && !slices.Contains(had, id) {
			issues = append(issues, crier.At("is not a team of this organization", "teamIds", strconv.Itoa(i)))
		}
	}
	if issues != nil {
		return crier.Invalid(issues...)
	}
	return nil
}

// insertKey writes a key with its membership and its first secret.
func (s *Keys) insertKey(ctx context.Context, tx *store.Tx, key crier.APIKey,
	o crier.Organization) (crier.APIKeyWithSecret, error) {
	out := crier.APIKeyWithSecret{APIKey: key}
	if err := tx.InsertKey(ctx, key); err != nil {
		return out, err
	}
	member := store.Membership{
		ID: crier.NewID(), OrganizationID: key.OrganizationID, Kind: store.KeyPrincipal, PrincipalID: key.ID,
		Role:     key.Role,
		AllTeams: key.TeamIDs == nil, TeamIDs: key.TeamIDs, CreatedAt: key.CreatedAt,
	}
	if err := tx.InsertMembership(ctx, member, o); err != nil {
		return out, err
	}
	return s.insertSecret(ctx, tx, out, *key.CreatedByID, key.CreatedAt)
}

// insertSecret adds a new secret to a key, on behalf of a person; the previous one expires at previousEnds.
func (s *Keys) insertSecret(ctx context.Context, tx *store.Tx, key crier.APIKeyWithSecret, by crier.ID,
	previousEnds crier.Time) (crier.APIKeyWithSecret, error) {
	secret := auth.NewKeySecret()
	sealed, err := s.keys.Seal([]byte(secret), keyContext(key.ID))
	if err != nil {
		return key, err
	}
	key.Secret, key.LastFour = secret, auth.LastFour(secret)
	return key, tx.InsertSecret(ctx, store.KeySecret{
		Hash: auth.Hash(secret), KeyID: key.ID, Sealed: sealed, LastFour: key.LastFour, CreatedAt: s.clock.Now(),
		IssuedByID: by,
	}, previousEnds)
}

// keyContext is what the copies of a key's secrets are sealed for.
func keyContext(key crier.ID) string { return "API key " + string(key) }

// Revoke revokes a key at once.
func (s *Keys) Revoke(ctx context.Context, scope access.OrgScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		key, err := tx.Key(ctx, scope.Organization().ID, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		if err := recordOf(tx, s.clock.Now(), scope.Organization().ID, crier.APIKeyRevoked, key, nil); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, tx.RevokeKey(ctx, scope.Organization().ID, id, s.clock.Now())
	})
}

// Rotate creates a new secret for a key; the old one stays valid for the requested grace period.
func (s *Keys) Rotate(ctx context.Context, scope access.OrgScope, id crier.ID,
	in crier.APIKeyRotate) (crier.APIKeyWithSecret,
	error) {
	var none crier.APIKeyWithSecret
	if err := scope.Check(); err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.APIKeyWithSecret, error) {
		now := s.clock.Now()
		if err := tx.SetKeyRotated(ctx, id, now); err != nil { // locks the row: two rotations at once follow each other
			return none, err
		}
		key, err := tx.Key(ctx, scope.Organization().ID, id)
		if err != nil {
			return none, err
		}
		if err := rotationWithinRights(ctx, tx, scope, key); err != nil {
			return none, err
		}
		grace := time.Duration(in.GraceSeconds) * time.Second
		return s.insertSecret(ctx, tx, crier.APIKeyWithSecret{APIKey: key}, scope.Caller().Person().ID,
			crier.TimeOf(now.Add(grace)))
	})
}

// rotationWithinRights prevents a caller from getting the secret of a key with more rights, here or in another
// organization that the key has created.
func rotationWithinRights(ctx context.Context, tx *store.Tx, scope access.OrgScope, key crier.APIKey) error {
	if err := withinRights(scope, crier.APIKeyCreate{Role: key.Role,
		Permissions: slices.Clone(key.Permissions)}); err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	within, err := tx.KeyStaysWithin(ctx, key.ID, scope.Caller().ID(), scope.Caller().Person().ID)
	if err != nil {
		return err
	}
	if !within {
		return crier.Forbidden("The key reaches organizations that the caller does not administer. It can be " +
			"revoked, not rotated.")
	}
	return nil
}
