package store

import (
	"context"
	"fmt"

	"crier"
)

// AuthorizationCode is a code of the authorization code flow, with the values it is bound to.
type AuthorizationCode struct {
	Hash        []byte
	UserID      crier.ID
	ClientID    string
	ClientName  string
	RedirectURI string
	Challenge   string // the S256 challenge of PKCE
	Resource    string
	FamilyID    *crier.ID // issued for the code; nil until it is used
	ExpiresAt   crier.Time
}

// InsertAuthorizationCode inserts an unused code.
func (tx *Tx) InsertAuthorizationCode(ctx context.Context, c AuthorizationCode) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO authorization_codes (hash, user_id, client_id, client_name,
		redirect_uri, challenge, resource, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.Hash, c.UserID, c.ClientID, c.ClientName, c.RedirectURI, c.Challenge, c.Resource, c.ExpiresAt)
	if err != nil {
		return fmt.Errorf("insert authorization code: %w", err)
	}
	return nil
}

// LockAuthorizationCode reads and locks a code; nil if it is unknown.
func (tx *Tx) LockAuthorizationCode(ctx context.Context, hash []byte) (*AuthorizationCode, error) {
	c := AuthorizationCode{Hash: hash}
	err := tx.q.QueryRowContext(ctx, `SELECT c.user_id, c.client_id, c.client_name, c.redirect_uri, c.challenge,
		c.resource, c.family_id, c.expires_at FROM authorization_codes c WHERE c.hash = $1`+tx.forUpdate, hash).
		Scan(&c.UserID, &c.ClientID, &c.ClientName, &c.RedirectURI, &c.Challenge, &c.Resource, &c.FamilyID,
			&c.ExpiresAt)
	return orNil(c, err, "read authorization code")
}

// UseAuthorizationCode records the token family issued for a code.
func (tx *Tx) UseAuthorizationCode(ctx context.Context, hash []byte, family crier.ID) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE authorization_codes SET family_id = $2 WHERE hash = $1`, hash,
		family); err != nil {
		return fmt.Errorf("use authorization code: %w", err)
	}
	return nil
}

// OrganizationRole is a person's role in an organization.
type OrganizationRole struct {
	Organization string
	Role         crier.Role
}

// RolesOf lists the organizations of a person by name, at most limit.
func (r reads) RolesOf(ctx context.Context, user crier.ID, limit int) ([]OrganizationRole, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT m.organization_name, m.role FROM memberships m
		WHERE m.principal_id = $1 AND m.principal_kind = 'user' ORDER BY m.organization_name LIMIT $2`, user, limit)
	if err != nil {
		return nil, fmt.Errorf("list the roles of a person: %w", err)
	}
	list, err := collect(rows, func(row scanner) (o OrganizationRole, err error) {
		err = row.Scan(&o.Organization, &o.Role)
		return o, err
	})
	if err != nil {
		return nil, fmt.Errorf("list the roles of a person: %w", err)
	}
	return list, nil
}
