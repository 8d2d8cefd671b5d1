package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// Invitation is a stored invitation.
type Invitation struct {
	crier.Invitation
	TokenHash      []byte
	OrganizationID crier.ID
	InvitedByID    crier.ID
	// OrganizationName is joined in, to be shown to the invited person.
	OrganizationName string
}

// InsertInvitation writes an invitation.
func (tx *Tx) InsertInvitation(ctx context.Context, i Invitation) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO invitations (id, token_hash, organization_id, email, role, team_ids,
		invited_by_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		i.ID, i.TokenHash, i.OrganizationID, i.Email, i.Role, asJSON(listOrNull(i.TeamIDs)), i.InvitedByID, i.CreatedAt,
		i.ExpiresAt)
	if err != nil {
		return fmt.Errorf("insert invitation: %w", err)
	}
	return nil
}

// openInvitations are the invitations whose inviter could still grant the role: members who were removed or demoted
// leave no way back in.
const openInvitations = `invitations i JOIN organizations o ON o.id = i.organization_id
	JOIN memberships b ON b.principal_id = i.invited_by_id AND b.organization_id = i.organization_id
		AND b.all_teams AND (b.role = 'owner' OR b.role = 'admin' AND i.role <> 'owner')`

const stillOpen = `i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > `

const invitationColumns = `i.id, i.organization_id, i.email, i.role, i.team_ids, i.invited_by_id, i.created_at,
	i.expires_at, o.name`

func scanInvitation(row scanner) (Invitation, error) {
	var i Invitation
	var teams *[]crier.ID
	err := row.Scan(&i.ID, &i.OrganizationID, &i.Email, &i.Role, intoJSON(&teams), &i.InvitedByID, &i.CreatedAt,
		&i.ExpiresAt, &i.OrganizationName)
	if teams != nil {
		i.TeamIDs = *teams
	}
	return i, err
}

// errInvitationEnded is the same for every reason, so that a dead link reveals nothing.
var errInvitationEnded = crier.NotFound("This invitation was accepted already, was withdrawn, or has expired.")

// OpenInvitation reads an invitation that can still be accepted, by the hash of its link's token.
func (r reads) OpenInvitation(ctx context.Context, hash []byte, now crier.Time) (Invitation, error) {
	return r.openInvitation(ctx, `i.token_hash = $1`, hash, now)
}

// OpenInvitationByID reads an invitation that can still be accepted.
func (r reads) OpenInvitationByID(ctx context.Context, id crier.ID, now crier.Time) (Invitation, error) {
	return r.openInvitation(ctx, `i.id = $1`, id, now)
}

func (r reads) openInvitation(ctx context.Context, which string, value any, now crier.Time) (Invitation, error) {
	i, err := scanInvitation(r.q.QueryRowContext(ctx, `SELECT `+invitationColumns+` FROM `+openInvitations+`
		WHERE `+which+` AND `+stillOpen+`$2`, value, now))
	if errors.Is(err, sql.ErrNoRows) {
		return i, errInvitationEnded
	}
	if err != nil {
		return i, fmt.Errorf("read invitation: %w", err)
	}
	return i, nil
}

// OpenInvitationsOf reads the newest invitations of an e-mail address that can still be accepted.
func (r reads) OpenInvitationsOf(ctx context.Context, email crier.Email, now crier.Time, limit int) ([]Invitation,
	error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+invitationColumns+` FROM `+openInvitations+`
		WHERE i.email = $1 AND `+stillOpen+`$2 ORDER BY i.created_at DESC, i.id LIMIT $3`, email, now, limit)
	if err != nil {
		return nil, fmt.Errorf("read the invitations of an address: %w", err)
	}
	return collect(rows, scanInvitation)
}

// Invitations reads one page of an organization's invitations that can still be accepted.
func (r reads) Invitations(ctx context.Context, organization crier.ID, now crier.Time,
	q PageQuery) (PageRows[Invitation], error) {
	list := listing[Invitation]{
		columns:  invitationColumns,
		from:     openInvitations,
		id:       "i.id",
		sorts:    map[string]string{"createdAt": "i.created_at"},
		branches: []branch{{where: "i.organization_id = ? AND " + stillOpen + "?", args: []any{organization, now}}},
		scan:     scanInvitation,
		key:      func(i Invitation, _ string) Key { return Key{Value: i.CreatedAt, ID: i.ID} },
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list invitations: %w", err)
	}
	return page, nil
}

// InvitationCount counts the invitations of an organization that can still be accepted.
func (r reads) InvitationCount(ctx context.Context, organization crier.ID, now crier.Time) (int64, error) {
	var n int64
	err := r.q.QueryRowContext(ctx,
		`SELECT count(*) FROM `+openInvitations+` WHERE i.organization_id = $1 AND `+stillOpen+`$2`, organization,
		now).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count invitations: %w", err)
	}
	return n, nil
}

// WithdrawInvitation revokes an invitation that is not accepted yet.
func (tx *Tx) WithdrawInvitation(ctx context.Context, organization, id crier.ID, now crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE invitations SET revoked_at = $3
		WHERE id = $2 AND organization_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $3`,
		organization, id, now)
	return affectedOne(res, err, "invitation", id)
}

// ReplaceInvitations revokes earlier invitations of an e-mail address: only the newest counts.
func (tx *Tx) ReplaceInvitations(ctx context.Context, organization crier.ID, email crier.Email, now crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE invitations SET revoked_at = $3
		WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
		organization, email, now)
	if err != nil {
		return fmt.Errorf("replace earlier invitations: %w", err)
	}
	return nil
}

// AcceptInvitation marks an invitation as accepted. Only the first call succeeds.
func (tx *Tx) AcceptInvitation(ctx context.Context, id crier.ID, now crier.Time) error {
	res, err := tx.q.ExecContext(ctx,
		`UPDATE invitations SET accepted_at = $2 WHERE id = $1 AND accepted_at IS NULL AND revoked_at IS NULL`, id, now)
	return affectedOne(res, err, "invitation", id)
}
