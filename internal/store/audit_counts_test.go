package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// logModel is an audit log with a copy in memory, to count by looking at every entry.
type logModel struct {
	*storetest.Fixture
	t          *testing.T
	rand       *rand.Rand
	entries    []crier.AuditEntry
	actions    []string
	principals []crier.ID
}

func newLogModel(t *testing.T, f *storetest.Fixture) *logModel {
	t.Helper()
	m := &logModel{Fixture: f, t: t, rand: rand.New(rand.NewPCG(1, 2)), actions: []string{"createPost", "x", "create"}}
	for range 3 {
		m.principals = append(m.principals, crier.NewID())
	}
	return m
}

// insert writes n entries with the times that at returns; the first action and principal are the most frequent.
func (m *logModel) insert(n int, at func() time.Duration) {
	m.t.Helper()
	list := make([]crier.AuditEntry, n)
	for i := range list {
		list[i] = entry(m.Fixture, at())
		list[i].Action = m.actions[m.rand.IntN(1+m.rand.IntN(len(m.actions)))]
		list[i].PrincipalID = m.principals[m.rand.IntN(1+m.rand.IntN(len(m.principals)))]
	}
	m.Tx(func(ctx context.Context, tx *store.Tx) error {
		for _, e := range list {
			if err := tx.InsertAudit(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	m.entries = append(m.entries, list...)
}

func (m *logModel) count(f store.AuditFilter) (n int64) {
	for _, e := range m.entries {
		if (f.Action == "" || f.Action == e.Action) && (f.PrincipalID == "" || f.PrincipalID == e.PrincipalID) &&
			(f.From == nil || !e.CreatedAt.Before(f.From.Time)) && (f.To == nil || e.CreatedAt.Before(f.To.Time)) {
			n++
		}
	}
	return n
}

// bound returns nothing, or a time near that of an entry or a mark.
func (m *logModel) bound(marks []crier.Time) *crier.Time {
	at := m.entries[m.rand.IntN(len(m.entries))].CreatedAt
	if len(marks) > 0 && m.rand.IntN(2) == 0 {
		at = marks[m.rand.IntN(len(marks))]
	}
	at = crier.TimeOf(at.Add(time.Duration(m.rand.IntN(3)-1) * time.Microsecond))
	if m.rand.IntN(4) == 0 {
		return nil
	}
	return &at
}

// isExact compares totals of random filters with the copy.
func (m *logModel) isExact(when string) {
	m.t.Helper()
	marks := m.marksAreTrue()
	for range 150 {
		var f store.AuditFilter
		if m.rand.IntN(2) == 0 {
			f.Action = m.actions[m.rand.IntN(len(m.actions))]
		} else if m.rand.IntN(2) == 0 {
			f.PrincipalID = m.principals[m.rand.IntN(len(m.principals))]
		}
		f.From, f.To = m.bound(marks), m.bound(marks)
		m.is(when, f, store.Total{Count: m.count(f)})
	}
}

func (m *logModel) is(when string, f store.AuditFilter, want store.Total) {
	m.t.Helper()
	if got, err := m.AuditCount(m.t.Context(), m.Organization.ID, f); err != nil || got != want {
		m.t.Errorf("%s: %+v entries of %q by %q from %v to %v, want %+v, %v", when, got, f.Action, f.PrincipalID,
			f.From, f.To, want, err)
	}
}

// marksAreTrue compares every mark with the copy, and returns the times of the marks.
func (m *logModel) marksAreTrue() (times []crier.Time) {
	m.t.Helper()
	rows, err := m.Reader().QueryContext(m.t.Context(), `SELECT filter, counted_before, total FROM audit_counts
		WHERE organization_id = $1 ORDER BY filter, counted_before`, m.Organization.ID)
	if err != nil {
		m.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var before crier.Time
		var total int64
		if err := rows.Scan(&name, &before, &total); err != nil {
			m.t.Fatal(err)
		}
		f := store.AuditFilter{To: &before}
		f.Action, _ = strings.CutPrefix(name, "action ")
		if principal, ok := strings.CutPrefix(name, "principal "); ok {
			f.Action, f.PrincipalID = "", crier.ID(principal)
		}
		if want := m.count(f); total != want {
			m.t.Errorf("the mark %q at %s counts %d entries, want %d", name, before, total, want)
		}
		times = append(times, before)
	}
	if err := rows.Err(); err != nil {
		m.t.Fatal(err)
	}
	return times
}

func (m *logModel) sum(after time.Duration) {
	m.t.Helper()
	if _, err := m.SumAudit(m.t.Context(), m.After(after)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *logModel) mark() {
	m.t.Helper()
	if more, err := m.MarkAudit(m.t.Context()); err != nil || more {
		m.t.Fatalf("more: %v, %v", more, err)
	}
}

func TestAuditLogCountsAreExactBetweenMarks(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		m := newLogModel(t, f)
		for round := range 4 {
			// Up to five entries of the same instant, and from the second hour some thousand in one.
			hour := time.Duration(round) * time.Hour
			m.insert(1000, func() time.Duration { return hour + time.Duration(1+m.rand.IntN(400))*time.Second })
			m.insert(700, func() time.Duration {
				return hour + 10*time.Minute + time.Duration(m.rand.IntN(2_000_000_000))*time.Microsecond
			})
			if round == 1 {
				m.insert(1200, func() time.Duration { return hour + 30*time.Minute })
			}
			m.isExact(fmt.Sprintf("round %d, new", round))
			m.sum(hour + 20*time.Minute)
			m.isExact(fmt.Sprintf("round %d, summed up", round))
			m.mark()
			m.isExact(fmt.Sprintf("round %d, marked", round))
			m.sum(hour + time.Hour)
			m.mark()
			m.isExact(fmt.Sprintf("round %d, all marked", round))
		}
		m.isSparse()
		m.is("a combination", store.AuditFilter{Action: "x", PrincipalID: m.principals[0]},
			store.Total{Count: m.count(store.AuditFilter{Action: "x", PrincipalID: m.principals[0]})})
	})
}

// isSparse checks the distance of marks: at least 500 entries, and more only for those of the same instant.
func (m *logModel) isSparse() {
	m.t.Helper()
	marks := m.Scan(`SELECT count(*) FROM audit_counts WHERE organization_id = $1 AND filter = ''`, m.Organization.ID)
	newest := m.Scan(`SELECT max(total) FROM audit_counts WHERE organization_id = $1 AND filter = ''`, m.Organization.ID)
	most := int64(len(m.entries)) / 500
	if marks > most || marks < most-4 || int64(len(m.entries))-newest > 510 {
		m.t.Errorf("%d entries have %d marks, the newest after %d", len(m.entries), marks, newest)
	}
}

func TestAuditLogsAreMarkedAtOnceByTwoNodes(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		m := newLogModel(t, f)
		for round := range 3 {
			hour := time.Duration(round) * time.Hour
			m.insert(2600, func() time.Duration { return hour + time.Duration(m.rand.IntN(3600))*time.Second })
			var nodes sync.WaitGroup
			for range 3 {
				nodes.Go(func() {
					if _, err := f.SumAudit(t.Context(), f.After(hour+time.Hour-time.Second)); err != nil {
						t.Error(err)
					}
					if _, err := f.MarkAudit(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			nodes.Wait()
			m.isExact(fmt.Sprintf("round %d", round))
		}
		m.isSparse()
		// A node that was interrupted before it wrote its marks adds nothing to those of a faster one.
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.Queue(ctx, "delete marks", `DELETE FROM audit_counts WHERE organization_id = $1 AND total < 2000`,
				f.Organization.ID)
		})
		if err := f.MarkAuditFromTheStart(t.Context(), f.Organization.ID, f.After(3*time.Hour)); err != nil {
			t.Fatal(err)
		}
		m.isExact("a slow node")
		m.isSparse()
	})
}

func TestAuditLogsFromBeforeMarksAreCountedUpToALimit(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		m := newLogModel(t, f)
		m.actions, m.principals = m.actions[:1], m.principals[:1]
		m.insert(6000, func() time.Duration { return time.Minute }) // more than are marked at once
		second := 2 * time.Minute
		m.insert(6000, func() time.Duration {
			second += time.Second
			return second
		})
		m.sum(3 * time.Hour)
		start, later, end := f.After(0), f.After(2*time.Minute), f.After(2*time.Hour)
		all := []store.AuditFilter{{Action: m.actions[0]}, {PrincipalID: m.principals[0]}, {From: &start}, {To: &end},
			{From: &start, To: &end, Action: m.actions[0]}}
		for _, filter := range all {
			m.is("before", filter, store.Total{Count: 10_000, Capped: true})
		}
		for _, filter := range []store.AuditFilter{{From: &later}, {To: &later}, {From: &later, Action: m.actions[0]}} {
			m.is("before, few", filter, store.Total{Count: 6000})
		}
		m.is("before", store.AuditFilter{}, store.Total{Count: 12_000})
		m.mark()
		for _, filter := range all {
			m.is("after", filter, store.Total{Count: 12_000})
		}
		m.isExact("after")
		m.is("a combination", store.AuditFilter{Action: m.actions[0], PrincipalID: m.principals[0]},
			store.Total{Count: 10_000, Capped: true})
	})
}
