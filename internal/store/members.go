package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// PrincipalKind distinguishes users from API keys.
type PrincipalKind string

// The kinds of principals.
const (
	UserPrincipal PrincipalKind = "user"
	KeyPrincipal  PrincipalKind = "api_key"
)

// table returns the table of the principal, which has its organization counter.
func (k PrincipalKind) table() string {
	if k == KeyPrincipal {
		return "api_keys"
	}
	return "users"
}

// Membership is a principal in an organization.
type Membership struct {
	ID             crier.ID
	OrganizationID crier.ID
	Kind           PrincipalKind
	PrincipalID    crier.ID
	Role           crier.Role
	AllTeams       bool
	TeamIDs        []crier.ID // when not AllTeams
	CreatedAt      crier.Time
}

// InsertMembership adds a principal to an organization.
func (tx *Tx) InsertMembership(ctx context.Context, m Membership, o crier.Organization) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO memberships (id, organization_id, principal_kind, principal_id, role,
		all_teams, organization_name, organization_created_at, organization_updated_at, created_at, updated_at,
		organization_name_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)`,
		m.ID, m.OrganizationID, m.Kind, m.PrincipalID, m.Role, m.AllTeams, o.Name, o.CreatedAt, o.UpdatedAt,
		m.CreatedAt, sortKey(o.Name))
	if err != nil {
		return fmt.Errorf("insert membership: %w", err)
	}
	for _, team := range m.TeamIDs {
		_, err := tx.q.ExecContext(ctx, `INSERT INTO membership_teams (membership_id, team_id) VALUES ($1, $2)`, m.ID,
			team)
		if err != nil {
			return fmt.Errorf("insert team of membership: %w", err)
		}
	}
	_, err = tx.q.ExecContext(ctx,
		`UPDATE `+m.Kind.table()+` SET organization_count = organization_count + 1 WHERE id = $1`,
		m.PrincipalID)
	if err != nil {
		return fmt.Errorf("count the organizations of the member: %w", err)
	}
	if m.Kind != UserPrincipal {
		return nil
	}
	if _, err := tx.q.ExecContext(ctx, `UPDATE organizations SET member_count = member_count + 1 WHERE id = $1`,
		m.OrganizationID); err != nil {
		return fmt.Errorf("count the members of the organization: %w", err)
	}
	return nil
}

// Grant holds the rights of a membership in an organization or team.
type Grant struct {
	Role     crier.Role
	AllTeams bool
	InTeam   bool // if not AllTeams: the requested team is one of its teams
}

// Access holds the grants of the caller's own membership and of the person behind it; they are equal for a person. A
// nil grant means no membership.
type Access struct {
	Own, Behind *Grant
}

// grantTarget scans the three columns of a left-joined membership.
type grantTarget struct {
	role     sql.NullString
	allTeams sql.NullBool
	inTeam   bool
}

func (g *grantTarget) grant() *Grant {
	if !g.role.Valid {
		return nil
	}
	return &Grant{Role: crier.Role(g.role.String), AllTeams: g.allTeams.Bool, InTeam: g.inTeam}
}

const teamAccessColumns = teamColumns + `, m.role, m.all_teams,
	EXISTS (SELECT 1 FROM membership_teams x WHERE x.membership_id = m.id AND x.team_id = t.id),
	b.role, b.all_teams,
	EXISTS (SELECT 1 FROM membership_teams x WHERE x.membership_id = b.id AND x.team_id = t.id)`

func scanTeamAccess(row scanner) (crier.Team, Access, error) {
	var own, behind grantTarget
	t, err := scanTeam(withMore(row, &own.role, &own.allTeams, &own.inTeam, &behind.role, &behind.allTeams,
		&behind.inTeam))
	return t, Access{Own: own.grant(), Behind: behind.grant()}, err
}

// TeamAccess reads a team and the caller's access to it.
func (r reads) TeamAccess(ctx context.Context, team, principal, person crier.ID) (crier.Team, Access, error) {
	t, access, err := scanTeamAccess(r.keyed.QueryRowContext(ctx, `SELECT `+teamAccessColumns+` FROM teams t
		LEFT JOIN memberships m ON m.principal_id = $2 AND m.organization_id = t.organization_id
		LEFT JOIN memberships b ON b.principal_id = $3 AND b.organization_id = t.organization_id
		WHERE t.id = $1 AND t.deleted_at IS NULL`, team, principal, person))
	return t, access, orNotFound(err, "team", team)
}

const organizationAccessColumns = organizationColumns + `, m.role, m.all_teams, b.role, b.all_teams`

func scanOrganizationAccess(row scanner) (Organization, Access, error) {
	var own, behind grantTarget
	o, err := scanOrganization(withMore(row, &own.role, &own.allTeams, &behind.role, &behind.allTeams))
	return o, Access{Own: own.grant(), Behind: behind.grant()}, err
}

// OrganizationAccess reads an organization and the caller's access to it.
func (r reads) OrganizationAccess(ctx context.Context, id, principal, person crier.ID) (Organization, Access, error) {
	o, access, err := scanOrganizationAccess(r.keyed.QueryRowContext(ctx, `SELECT `+organizationAccessColumns+`
		FROM organizations o
		LEFT JOIN memberships m ON m.principal_id = $2 AND m.organization_id = o.id
		LEFT JOIN memberships b ON b.principal_id = $3 AND b.organization_id = o.id
		WHERE o.id = $1`, id, principal, person))
	return o, access, orNotFound(err, "organization", id)
}

// AccessIn reads the caller's access to organizations, by organization.
func (r reads) AccessIn(ctx context.Context, organizations []crier.ID, principal, person crier.ID) (
	map[crier.ID]Access, error) {
	out := map[crier.ID]Access{}
	for batch := range batches(organizations) {
		args := []any{principal, person}
		for _, id := range batch {
			args = append(args, id)
		}
		rows, err := r.q.QueryContext(ctx, `SELECT m.organization_id, m.role, m.all_teams, b.role, b.all_teams
			FROM memberships m
			LEFT JOIN memberships b ON b.principal_id = $2 AND b.organization_id = m.organization_id
			WHERE m.principal_id = $1 AND m.organization_id IN (`+placeholders(3, len(batch))+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("read the caller's roles: %w", err)
		}
		_, err = collect(rows, func(row scanner) (id crier.ID, err error) {
			var own, behind grantTarget
			err = row.Scan(&id, &own.role, &own.allTeams, &behind.role, &behind.allTeams)
			out[id] = Access{Own: own.grant(), Behind: behind.grant()}
			return id, err
		})
		if err != nil {
			return nil, fmt.Errorf("read the caller's roles: %w", err)
		}
	}
	return out, nil
}

// MayCreateOrganizations reports whether both the principal and the person behind it are owner or admin of the same
// organization, with all its teams.
func (r reads) MayCreateOrganizations(ctx context.Context, principal, person crier.ID) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM memberships m
		JOIN memberships b ON b.principal_id = $2 AND b.organization_id = m.organization_id
		WHERE m.principal_id = $1 AND m.role IN ('owner', 'admin') AND m.all_teams
		AND b.role IN ('owner', 'admin') AND b.all_teams LIMIT 1`, principal, person).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for an organization the caller administers: %w", err)
	}
	return true, nil
}

// withMore scans additional columns after those of the main row.
func withMore(row scanner, more ...any) scanner { return moreColumns{row, more} }

type moreColumns struct {
	row  scanner
	more []any
}

func (m moreColumns) Scan(dest ...any) error { return m.row.Scan(append(dest, m.more...)...) }
