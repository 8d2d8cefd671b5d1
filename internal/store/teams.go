package store

import (
	"context"
	"fmt"

	"crier"
)

const teamColumns = `t.id, t.organization_id, t.name, t.website, t.link_tracking_default, t.timezone,
	t.require_approval,
	t.publish_late_minutes, t.created_at, t.updated_at`

func scanTeam(row scanner) (crier.Team, error) {
	var t crier.Team
	err := row.Scan(&t.ID, &t.OrganizationID, &t.Name, &t.Website, &t.LinkTrackingDefault, &t.Timezone,
		&t.RequireApproval, &t.PublishLateMinutes, &t.CreatedAt, &t.UpdatedAt)
	return t, err
}

func scanListedTeam(row scanner) (crier.Team, error) {
	var t crier.Team
	var key string
	err := row.Scan(&t.ID, &t.OrganizationID, &t.Name, &t.Website, &t.LinkTrackingDefault, &t.Timezone,
		&t.RequireApproval, &t.PublishLateMinutes, &t.CreatedAt, &t.UpdatedAt, &key)
	return t, err
}

// InsertTeam inserts a team and increments the organization's counter.
func (tx *Tx) InsertTeam(ctx context.Context, t crier.Team) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO teams (id, organization_id, name, website, link_tracking_default,
		timezone,
		require_approval, publish_late_minutes, created_at, updated_at, name_key) VALUES ($1, $2, $3, $4, $5, $6, $7,
		$8, $9, $10, $11)`,
		t.ID, t.OrganizationID, t.Name, t.Website, t.LinkTrackingDefault, t.Timezone, t.RequireApproval,
		t.PublishLateMinutes, t.CreatedAt, t.UpdatedAt, sortKey(t.Name))
	if err != nil {
		return fmt.Errorf("insert team: %w", err)
	}
	return tx.countTeam(ctx, t.OrganizationID, 1)
}

func (tx *Tx) countTeam(ctx context.Context, organization crier.ID, by int) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE organizations SET team_count = team_count + $2 WHERE id = $1`, organization,
		by)
	if err != nil {
		return fmt.Errorf("count teams: %w", err)
	}
	return nil
}

// Team reads a team that is not deleted.
func (r reads) Team(ctx context.Context, id crier.ID) (crier.Team, error) {
	t, err := scanTeam(r.q.QueryRowContext(ctx,
		`SELECT `+teamColumns+` FROM teams t WHERE t.id = $1 AND t.deleted_at IS NULL`, id))
	return t, orNotFound(err, "team", id)
}

// LockTeam reads and locks a team that is not deleted.
func (tx *Tx) LockTeam(ctx context.Context, id crier.ID) (crier.Team, error) {
	t, err := scanTeam(tx.q.QueryRowContext(ctx,
		`SELECT `+teamColumns+` FROM teams t WHERE t.id = $1 AND t.deleted_at IS NULL`+tx.forUpdate, id))
	return t, orNotFound(err, "team", id)
}

// UpdateTeam writes the settings of a team.
func (tx *Tx) UpdateTeam(ctx context.Context, t crier.Team) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE teams SET name = $2, website = $3, link_tracking_default = $4,
		timezone = $5,
		require_approval = $6, publish_late_minutes = $7, updated_at = $8, name_key = $9 WHERE id = $1
		AND deleted_at IS NULL`,
		t.ID, t.Name, t.Website, t.LinkTrackingDefault, t.Timezone, t.RequireApproval, t.PublishLateMinutes,
		t.UpdatedAt, sortKey(t.Name))
	return affectedOne(res, err, "team", t.ID)
}

// DeleteTeam soft-deletes a team and decrements the organization's counter; PurgeTeam deletes its rows in batches.
func (tx *Tx) DeleteTeam(ctx context.Context, t crier.Team, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx,
		`UPDATE teams SET deleted_at = $2, updated_at = $2 WHERE id = $1 AND deleted_at IS NULL`, t.ID, at)
	if err := affectedOne(res, err, "team", t.ID); err != nil {
		return err
	}
	return tx.countTeam(ctx, t.OrganizationID, -1)
}

// HasTeam reports whether a team, which may be deleted, is one of an organization.
func (r reads) HasTeam(ctx context.Context, organization, team crier.ID) (has bool, err error) {
	err = r.keyed.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM teams t
		WHERE t.id = $1 AND t.organization_id = $2)`, team, organization).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for a team: %w", err)
	}
	return has, nil
}

// TeamsIn returns which of the teams exist in the organization.
func (r reads) TeamsIn(ctx context.Context, organization crier.ID, ids []crier.ID) (map[crier.ID]bool, error) {
	found := map[crier.ID]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := r.q.QueryContext(ctx, `SELECT t.id FROM teams t WHERE t.organization_id = $1 AND t.deleted_at IS NULL
		AND t.id IN (`+placeholders(2, len(ids))+`)`, append([]any{organization}, anys(ids)...)...)
	if err != nil {
		return nil, fmt.Errorf("look for teams: %w", err)
	}
	list, err := collect(rows, scanID)
	if err != nil {
		return nil, fmt.Errorf("look for teams: %w", err)
	}
	for _, id := range list {
		found[id] = true
	}
	return found, nil
}

var teamSorts = map[string]string{"createdAt": "t.created_at", "updatedAt": "t.updated_at", "name": "t.name_key"}

// Reach is the part of an organization that a caller can see: all its teams, or those of up to two memberships (the
// caller's own and that of the person behind it).
type Reach struct {
	OrganizationID crier.ID
	Limits         []crier.ID // memberships limited to teams
}

// maxReaches limits how many organizations are merged from an index scan each; beyond it, the list is read in one query
// and sorted.
const maxReaches = 200

// Reaches reads what a caller can see in one organization or, if organization is empty, in all.
func (r reads) Reaches(ctx context.Context, principal, person, organization crier.ID) ([]Reach, error) {
	query := `SELECT m.organization_id, m.id, m.all_teams, b.id, b.all_teams FROM memberships m
		JOIN memberships b ON b.principal_id = $2 AND b.organization_id = m.organization_id
		WHERE m.principal_id = $1`
	args := []any{principal, person}
	if organization != "" {
		query += ` AND m.organization_id = $3`
		args = append(args, organization)
	}
	rows, err := r.q.QueryContext(ctx, query+` ORDER BY m.organization_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read what the caller sees: %w", err)
	}
	return collect(rows, scanReach)
}

func scanReach(row scanner) (Reach, error) {
	var reach Reach
	var own, behind crier.ID
	var ownAll, behindAll bool
	err := row.Scan(&reach.OrganizationID, &own, &ownAll, &behind, &behindAll)
	if !ownAll {
		reach.Limits = append(reach.Limits, own)
	}
	if !behindAll && behind != own {
		reach.Limits = append(reach.Limits, behind)
	}
	return reach, err
}

const inLimit = " AND t.id IN (SELECT x.team_id FROM membership_teams x WHERE x.membership_id = ?)"

// TeamIDs returns the teams of an organization that a caller can see.
func (r reads) TeamIDs(ctx context.Context, reach Reach) ([]crier.ID, error) {
	b := reach.branch()
	rows, err := r.q.QueryContext(ctx, `SELECT t.id FROM teams t WHERE `+bind(b.where, 0), b.args...)
	if err != nil {
		return nil, fmt.Errorf("read the teams that the caller sees: %w", err)
	}
	return collect(rows, scanID)
}

func (reach Reach) branch() branch {
	b := branch{where: "t.organization_id = ? AND t.deleted_at IS NULL", args: []any{reach.OrganizationID}}
	for _, limit := range reach.Limits {
		b.where += inLimit
		b.args = append(b.args, limit)
	}
	return b
}

// everyTeam returns the condition for callers with very many organizations.
func everyTeam(principal, person crier.ID) branch {
	const member = ` FROM memberships %[1]s WHERE %[1]s.organization_id = t.organization_id AND %[1]s.principal_id = ?
		AND
		(%[1]s.all_teams OR EXISTS (SELECT 1 FROM membership_teams x WHERE x.membership_id = %[1]s.id
		AND x.team_id = t.id))`
	return branch{
		where: "t.deleted_at IS NULL AND EXISTS (SELECT 1" + fmt.Sprintf(member, "m") + ") AND EXISTS (SELECT 1" +
			fmt.Sprintf(member, "b") + ")",
		args: []any{principal, person},
	}
}

// Teams reads one page of the teams that the caller can see.
func (r reads) Teams(ctx context.Context, principal, person crier.ID, reaches []Reach,
	q PageQuery) (PageRows[crier.Team], error) {
	list := listing[crier.Team]{
		columns: teamColumns + ", t.name_key", // a list of several branches is sorted by their selected columns
		from:    "teams t",
		id:      "t.id",
		sorts:   teamSorts,
		scan:    scanListedTeam,
		key: func(t crier.Team, sort string) Key {
			return Key{Value: sortValue(sort, t.CreatedAt, t.UpdatedAt, t.Name), ID: t.ID}
		},
	}
	if len(reaches) > maxReaches {
		list.branches = []branch{everyTeam(principal, person)}
	} else {
		for _, reach := range reaches {
			list.branches = append(list.branches, reach.branch())
		}
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list teams: %w", err)
	}
	return page, nil
}

// TeamCount counts the teams that the caller can see: it sums the counters of organizations, and counts where a
// membership is limited to teams (those are few).
func (r reads) TeamCount(ctx context.Context, principal, person, organization crier.ID, reaches []Reach) (int64,
	error) {
	var total int64
	query := `SELECT CAST(coalesce(sum(o.team_count), 0) AS bigint) FROM memberships m
		JOIN memberships b ON b.principal_id = $2 AND b.organization_id = m.organization_id AND b.all_teams
		JOIN organizations o ON o.id = m.organization_id
		WHERE m.principal_id = $1 AND m.all_teams`
	args := []any{principal, person}
	if organization != "" {
		query += ` AND m.organization_id = $3`
		args = append(args, organization)
	}
	if err := r.q.QueryRowContext(ctx, query, args...).Scan(&total); err != nil {
		return 0, fmt.Errorf("count teams: %w", err)
	}
	for _, reach := range reaches {
		if len(reach.Limits) == 0 {
			continue
		}
		var n int64
		b := reach.branch()
		err := r.q.QueryRowContext(ctx, `SELECT count(*) FROM teams t WHERE `+bind(b.where, 0), b.args...).Scan(&n)
		if err != nil {
			return 0, fmt.Errorf("count teams: %w", err)
		}
		total += n
	}
	return total, nil
}
