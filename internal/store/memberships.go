package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

const memberColumns = `m.id, m.principal_id, u.email, u.name, m.role, m.all_teams, m.created_at, m.updated_at`

const memberTables = `memberships m JOIN users u ON u.id = m.principal_id`

// storedMember is a member without their teams.
type storedMember struct {
	crier.Member
	allTeams bool
}

func scanMember(row scanner) (storedMember, error) {
	var m storedMember
	err := row.Scan(&m.ID, &m.UserID, &m.Email, &m.Name, &m.Role, &m.allTeams, &m.CreatedAt, &m.UpdatedAt)
	return m, err
}

// Members reads one page of the people in an organization.
func (r reads) Members(ctx context.Context, organization crier.ID, q PageQuery) (PageRows[crier.Member], error) {
	list := listing[storedMember]{
		columns:  memberColumns,
		from:     memberTables,
		id:       "m.id",
		sorts:    map[string]string{"createdAt": "m.created_at"},
		branches: []branch{{where: "m.organization_id = ? AND m.principal_kind = 'user'", args: []any{organization}}},
		scan:     scanMember,
		key:      func(m storedMember, _ string) Key { return Key{Value: m.CreatedAt, ID: m.ID} },
	}
	var out PageRows[crier.Member]
	page, err := list.page(ctx, r, q)
	if err != nil {
		return out, fmt.Errorf("list members: %w", err)
	}
	out = PageRows[crier.Member]{First: page.First, Last: page.Last, Before: page.Before, After: page.After}
	out.Rows, err = r.membersWithTeams(ctx, page.Rows)
	return out, err
}

func (r reads) membersWithTeams(ctx context.Context, members []storedMember) ([]crier.Member, error) {
	var narrowed []crier.ID
	for _, m := range members {
		if !m.allTeams {
			narrowed = append(narrowed, m.ID)
		}
	}
	teams, err := r.teamsOf(ctx, narrowed)
	if err != nil {
		return nil, err
	}
	out := make([]crier.Member, len(members))
	for i, m := range members {
		out[i] = m.Member
		if !m.allTeams {
			out[i].TeamIDs = append([]crier.ID{}, teams[m.ID]...)
		}
	}
	return out, nil
}

// LockMember reads and locks a person's membership. Lock the organization first, so that concurrent changes see each
// other.
func (tx *Tx) LockMember(ctx context.Context, organization, id crier.ID) (crier.Member, error) {
	m, err := scanMember(tx.q.QueryRowContext(ctx, `SELECT `+memberColumns+` FROM `+memberTables+`
		WHERE m.id = $1 AND m.organization_id = $2 AND m.principal_kind = 'user'`, id, organization))
	if err := orNotFound(err, "member", id); err != nil {
		return m.Member, err
	}
	list, err := tx.membersWithTeams(ctx, []storedMember{m})
	if err != nil {
		return m.Member, err
	}
	return list[0], nil
}

// MemberCount returns the number of members of an organization, from its counter.
func (r reads) MemberCount(ctx context.Context, organization crier.ID) (int64, error) {
	var n int64
	if err := r.q.QueryRowContext(ctx, `SELECT member_count FROM organizations WHERE id = $1`,
		organization).Scan(&n); err != nil {
		return 0, fmt.Errorf("count members: %w", err)
	}
	return n, nil
}

// OtherAdmins counts the owners and admins of an organization except for one member.
func (tx *Tx) OtherAdmins(ctx context.Context, organization, but crier.ID) (int, error) {
	var n int
	err := tx.q.QueryRowContext(ctx, `SELECT count(*) FROM memberships m WHERE m.organization_id = $1
		AND m.principal_kind = 'user'
		AND m.role IN ('owner', 'admin') AND m.all_teams AND m.id <> $2`, organization, but).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count admins: %w", err)
	}
	return n, nil
}

// UpdateMember writes a member's role and teams.
func (tx *Tx) UpdateMember(ctx context.Context, m crier.Member) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE memberships SET role = $2, all_teams = $3, updated_at = $4 WHERE id = $1`,
		m.ID, m.Role, m.TeamIDs == nil, m.UpdatedAt)
	if err := affectedOne(res, err, "member", m.ID); err != nil {
		return err
	}
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM membership_teams WHERE membership_id = $1`, m.ID); err != nil {
		return fmt.Errorf("change the teams of a member: %w", err)
	}
	for _, team := range m.TeamIDs {
		if _, err := tx.q.ExecContext(ctx, `INSERT INTO membership_teams (membership_id, team_id) VALUES ($1, $2)`,
			m.ID, team); err != nil {
			return fmt.Errorf("change the teams of a member: %w", err)
		}
	}
	return nil
}

// RemoveMember removes a person from an organization and revokes the keys that the person created there.
func (tx *Tx) RemoveMember(ctx context.Context, organization crier.ID, m crier.Member, now crier.Time) error {
	const keys = `SELECT k.id FROM api_keys k WHERE k.created_by_id = $2`
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`UPDATE api_keys SET revoked_at = $3, updated_at = $3 WHERE created_by_id = $2 AND organization_id = $1
			AND revoked_at IS NULL`, []any{organization, m.UserID, now}},
		{`UPDATE api_keys SET organization_count = organization_count - 1 WHERE id IN (SELECT x.principal_id
			FROM memberships x
			WHERE x.organization_id = $1 AND x.principal_id IN (` + keys + `))`, []any{organization, m.UserID}},
		{`DELETE FROM memberships WHERE organization_id = $1 AND (principal_id = $2 OR principal_id IN (` + keys + `))`,
			[]any{organization, m.UserID}},
		{`UPDATE users SET organization_count = organization_count - 1 WHERE id = $1`, []any{m.UserID}},
		{`UPDATE organizations SET member_count = member_count - 1 WHERE id = $1`, []any{organization}},
	} {
		if _, err := tx.q.ExecContext(ctx, step.query, step.args...); err != nil {
			return fmt.Errorf("remove member: %w", err)
		}
	}
	return nil
}

// HasMemberWith reports whether an organization has a member with an e-mail address.
func (r reads) HasMemberWith(ctx context.Context, organization crier.ID, email crier.Email) (bool, error) {
	var has bool
	err := r.q.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM `+memberTables+` WHERE m.organization_id = $1 AND u.email = $2)`, organization,
		email).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for a member with an address: %w", err)
	}
	return has, nil
}

// IsMember reports whether a person is a member of an organization.
func (r reads) IsMember(ctx context.Context, organization, user crier.ID) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM memberships m WHERE m.principal_id = $1 AND m.organization_id = $2`,
		user, organization).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the member: %w", err)
	}
	return true, nil
}
