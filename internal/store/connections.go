package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// Connection is an OAuth consent in progress.
type Connection struct {
	StateHash []byte
	TeamID    crier.ID
	// OrganizationID is the organization of the team. It is read only.
	OrganizationID crier.ID
	// PrincipalKind, PrincipalID and PersonID identify the caller that started it.
	PrincipalKind PrincipalKind
	PrincipalID   crier.ID
	PersonID      crier.ID
	Provider      crier.Provider
	Verifier      []byte // sealed
	ReturnURL     *string
	Choices       []byte // sealed
	ExpiresAt     crier.Time
}

// InsertConnection inserts a new consent.
func (tx *Tx) InsertConnection(ctx context.Context, c Connection) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO connections (state_hash, team_id, provider, verifier, return_url,
		status, expires_at, principal_kind, principal_id, person_id)
		VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $7, $8, $9)`,
		c.StateHash, c.TeamID, c.Provider, c.Verifier, c.ReturnURL, c.ExpiresAt, c.PrincipalKind, c.PrincipalID,
		c.PersonID)
	if err != nil {
		return fmt.Errorf("insert connection: %w", err)
	}
	return nil
}

// AdvanceConnection moves a consent from one state to the next. Only the first caller succeeds.
func (tx *Tx) AdvanceConnection(ctx context.Context, hash []byte, network crier.Provider, from, to string,
	now crier.Time) (Connection, error) {
	c := Connection{StateHash: hash, Provider: network}
	err := tx.q.QueryRowContext(ctx, `UPDATE connections SET status = $4 WHERE state_hash = $1 AND provider = $2
		AND status = $3 AND expires_at > $5
		RETURNING team_id, (SELECT organization_id FROM teams WHERE id = team_id), verifier, return_url, choices,
		expires_at, principal_kind, principal_id, person_id`, hash, network, from, to, now).
		Scan(&c.TeamID, &c.OrganizationID, &c.Verifier, &c.ReturnURL, &c.Choices, &c.ExpiresAt, &c.PrincipalKind,
			&c.PrincipalID, &c.PersonID)
	if errors.Is(err, sql.ErrNoRows) {
		return c, crier.NotFound("This connection was completed already, or it has expired. Begin again.")
	}
	if err != nil {
		return c, fmt.Errorf("advance connection: %w", err)
	}
	return c, nil
}

// OfferChoices stores the accounts that the user can choose from, under the hash of a new state: the old state cannot
// be used to choose.
func (tx *Tx) OfferChoices(ctx context.Context, hash, newHash, choices []byte) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE connections SET status = 'choosing', state_hash = $2, choices = $3
		WHERE state_hash = $1`, hash, newHash, choices)
	if err != nil {
		return fmt.Errorf("offer choices: %w", err)
	}
	return nil
}

// DeleteConnection deletes a consent with all its data.
func (tx *Tx) DeleteConnection(ctx context.Context, hash []byte) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM connections WHERE state_hash = $1`, hash); err != nil {
		return fmt.Errorf("delete connection: %w", err)
	}
	return nil
}

// SweepConnections deletes expired consents.
func (tx *Tx) SweepConnections(ctx context.Context, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM connections WHERE expires_at <= $1`, now); err != nil {
		return fmt.Errorf("sweep connections: %w", err)
	}
	return nil
}

// AccountByIdentity finds and locks a team's account on a network by its id there, connected or not; nil if there is
// none.
func (tx *Tx) AccountByIdentity(ctx context.Context, team crier.ID, network crier.Provider,
	providerAccountID string) (*Account, error) {
	a, err := scanAccount(tx.q.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM social_accounts a
		WHERE a.team_id = $1 AND a.provider = $2
		AND a.provider_account_id = $3`+tx.forUpdate, team, network, providerAccountID))
	return orNil(a, err, "look for the account")
}

// ConnectionsBeside returns the accounts with a token that may share the consent of an account: those of its team on
// the same network, and the same account in other teams.
func (r reads) ConnectionsBeside(ctx context.Context, a Account) ([]Account, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+accountColumns+` FROM social_accounts a
		WHERE a.provider = $1 AND a.id <> $2 AND a.token IS NOT NULL AND (a.team_id = $3
		OR a.provider_account_id = $4)`,
		a.Provider, a.ID, a.TeamID, a.ProviderAccountID)
	if err != nil {
		return nil, fmt.Errorf("look for other accounts of a consent: %w", err)
	}
	return collect(rows, scanAccount)
}
