package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"crier"
)

// A row of audit_counts is a mark: how many entries of an audit log that pass a filter are older than a time. A list
// counts only the entries between its bounds and the nearest marks, whatever the length of the log. Marks are about
// entries that are settled (see SumAudit), so each is true for good: nodes that write the same marks at once agree.

const (
	// markEvery is the number of entries between two marks of an organization: more make lists slower, fewer take more
	// rows, because a mark is a row for each action and principal that occurs since the mark before.
	markEvery = 500
	// markedAtOnce limits the entries whose marks are written in one transaction.
	markedAtOnce = 10 * markEvery
	// markedByCall limits the entries of one call of MarkAudit, which then takes seconds.
	markedByCall = 200 * markedAtOnce
)

// endOfTime is later than every entry.
var endOfTime = crier.TimeOf(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))

func actionMark(action string) string         { return "action " + action }
func principalMark(principal crier.ID) string { return "principal " + string(principal) }

// mark returns the name of the filter in audit_counts and its condition with $5 for the value; ok is false for a
// combination, which has no marks.
func (f AuditFilter) mark() (name, condition string, value any, ok bool) {
	switch {
	case f.Action != "" && f.PrincipalID != "":
		return "", "", nil, false
	case f.Action != "":
		return actionMark(f.Action), " AND a.action = $5", f.Action, true
	case f.PrincipalID != "":
		return principalMark(f.PrincipalID), " AND a.principal_id = $5", f.PrincipalID, true
	}
	return "", "", nil, true
}

// marked returns a query for the number of entries between the first and the last mark inside the bounds, and the
// numbers of those after and before these marks, each up to maxCounted+1. Without a mark inside, all count as after it.
func (f AuditFilter) marked(organization crier.ID) (query string, args []any, ok bool) {
	name, condition, value, ok := f.mark()
	if !ok {
		return "", nil, false
	}
	from, to := crier.Time{}, endOfTime
	if f.To != nil {
		to = *f.To
	}
	const inside = `(SELECT m.counted_before, m.total FROM audit_counts m WHERE m.organization_id = $1
		AND m.filter = $2 AND m.counted_before >= $3 AND m.counted_before <= $4 ORDER BY m.counted_before %s LIMIT 1)`
	entries := func(from, to string) string {
		return fmt.Sprintf(`(SELECT count(*) FROM (SELECT 1 AS one FROM audit_log a WHERE a.organization_id = $1%s
			AND a.created_at >= %s AND a.created_at < %s LIMIT %d) AS found)`, condition, from, to, maxCounted+1)
	}
	with, oldest, before := "", "0", "0"
	if f.From != nil { // otherwise everything before the last mark counts
		from, with = *f.From, ", oldest AS "+fmt.Sprintf(inside, "ASC")
		oldest, before = `(SELECT total FROM oldest)`, entries("$3", `(SELECT counted_before FROM oldest)`)
	}
	args = []any{organization, name, from, to}
	if condition != "" {
		args = append(args, value)
	}
	return `WITH newest AS ` + fmt.Sprintf(inside, "DESC") + with + ` SELECT coalesce((SELECT total FROM newest) - ` + oldest +
		`, 0), ` + entries(`coalesce((SELECT counted_before FROM newest), $3)`, "$4") + `, ` + before, args, true
}

// markedAuditCount runs a query of marked. The total is capped if the marks are far behind: when many entries are from
// before there were marks, or from the last minutes.
func (r reads) markedAuditCount(ctx context.Context, query string, args []any) (Total, error) {
	var between, after, before int64
	if err := r.q.QueryRowContext(ctx, query, args...).Scan(&between, &after, &before); err != nil {
		return Total{}, fmt.Errorf("count the audit log by marks: %w", err)
	}
	if max(after, before) > maxCounted {
		return Total{Count: maxCounted, Capped: true}, nil
	}
	return Total{Count: between + after + before}, nil
}

// unmarkedLog is an audit log with enough settled entries for a mark.
type unmarkedLog struct {
	organization crier.ID
	marked       crier.Time // the newest mark
	settled      crier.Time // entries up to here are settled
}

// MarkAudit writes marks of entries that SumAudit has counted, in short transactions; more is true if entries are left.
// After an upgrade from a version without marks, that may be all entries.
func (s *Store) MarkAudit(ctx context.Context) (more bool, err error) {
	rows, err := s.q.QueryContext(ctx, `SELECT o.id, o.audit_counted_to, coalesce((SELECT max(m.counted_before)
			FROM audit_counts m WHERE m.organization_id = o.id AND m.filter = ''), $1)
		FROM organizations o WHERE o.audit_total > $2 AND o.audit_total > $2 + coalesce((SELECT m.total
			FROM audit_counts m WHERE m.organization_id = o.id AND m.filter = '' ORDER BY m.counted_before DESC LIMIT 1), 0)`,
		crier.Time{}, markEvery)
	if err != nil {
		return false, fmt.Errorf("look for audit logs to mark: %w", err)
	}
	logs, err := collect(rows, func(row scanner) (l unmarkedLog, err error) {
		return l, row.Scan(&l.organization, &l.settled, &l.marked)
	})
	if err != nil {
		return false, fmt.Errorf("look for audit logs to mark: %w", err)
	}
	budget := markedByCall
	for _, l := range logs {
		for left := true; left; {
			if budget <= 0 {
				return true, nil
			}
			var marked int
			if marked, left, err = s.markAuditLog(ctx, &l); err != nil {
				return false, fmt.Errorf("mark an audit log: %w", err)
			}
			budget -= marked
		}
	}
	return false, nil
}

// markAuditLog writes the marks that follow the newest one, and returns for how many entries; left is true if there are
// more.
func (s *Store) markAuditLog(ctx context.Context, l *unmarkedLog) (marked int, left bool, err error) {
	var entries []crier.AuditEntry
	var marks []auditMark
	for limit := markedAtOnce; ; limit *= 2 { // again if all are of one instant: a mark is between two
		if entries, err = s.unmarkedEntries(ctx, *l, limit); err != nil {
			return 0, false, err
		}
		marks, left = auditMarks(entries), len(entries) == limit
		if len(marks) > 0 {
			break
		}
		if !left {
			return 0, false, nil
		}
	}
	err = s.WithTx(ctx, func(tx *Tx) error {
		// Totals start at the mark that was read, also if another node has written later ones since.
		return tx.queueExec(ctx, changed("write marks"), `INSERT INTO audit_counts
			(organization_id, filter, counted_before, total)
			SELECT $2, v.name, v.before, v.entries + coalesce((SELECT m.total FROM audit_counts m
				WHERE m.organization_id = $2 AND m.filter = v.name AND m.counted_before <= $3
				ORDER BY m.counted_before DESC LIMIT 1), 0)
			FROM `+tx.jsonRows(`name text, before timestamptz, entries bigint`)+` WHERE true
			ON CONFLICT (organization_id, filter, counted_before) DO NOTHING`, asJSON(&marks), l.organization, l.marked)
	})
	l.marked = crier.Time(marks[len(marks)-1].Before)
	return len(entries), left, err
}

func (s *Store) unmarkedEntries(ctx context.Context, l unmarkedLog, limit int) ([]crier.AuditEntry, error) {
	rows, err := s.q.QueryContext(ctx, `SELECT a.created_at, a.action, a.principal_id FROM audit_log a
		WHERE a.organization_id = $1 AND a.created_at >= $2 AND a.created_at <= $3 ORDER BY a.created_at LIMIT $4`,
		l.organization, l.marked, l.settled, limit)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(row scanner) (e crier.AuditEntry, err error) {
		return e, row.Scan(&e.CreatedAt, &e.Action, &e.PrincipalID)
	})
}

// auditMark is a mark to write; Entries counts from the newest mark that exists.
type auditMark struct {
	Name    string   `json:"name"`
	Before  jsonTime `json:"before"`
	Entries int64    `json:"entries"`
}

// auditMarks returns the marks of entries, both in order of time. A mark is between two instants, so none is wrong if
// further entries have the same time as the last of these.
func auditMarks(entries []crier.AuditEntry) (marks []auditMark) {
	counts, since, unmarked := map[string]int64{}, map[string]bool{}, 0
	for i, e := range entries {
		if unmarked >= markEvery && e.CreatedAt.After(entries[i-1].CreatedAt.Time) {
			for _, name := range slices.Sorted(maps.Keys(since)) {
				marks = append(marks, auditMark{name, jsonTime(e.CreatedAt), counts[name]})
			}
			clear(since)
			unmarked = 0
		}
		for _, name := range []string{"", actionMark(e.Action), principalMark(e.PrincipalID)} {
			counts[name]++
			since[name] = true
		}
		unmarked++
	}
	return marks
}
