package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// Key is where a row stands in a sorted list: the value it is sorted by, and its id to break ties.
type Key struct {
	Value any // a crier.Time, an int64 or a string
	ID    crier.ID
}

// PageQuery asks for one page of a sorted list.
type PageQuery struct {
	// Sort is one of the list's own sort names.
	Sort string
	Desc bool
	// Limit is at least 1.
	Limit int
	// Seek is nil for the first page, else the row that the page lies behind, or before when Backward; with Inclusive
	// the page begins with that row, if it still exists.
	Seek      *Key
	Backward  bool
	Inclusive bool
}

// PageRows is one page, in the order of the list.
type PageRows[T any] struct {
	Rows        []T
	First, Last Key // of Rows; unset when there are none
	// Before and After tell whether the list goes on in front of and behind the page.
	Before, After bool
}

// branch is one indexable condition of a list; a list may be the union of several that do not overlap.
type branch struct {
	where string // with ? for its parameters
	args  []any
}

// listing describes a list to page through.
type listing[T any] struct {
	columns  string
	from     string
	id       string            // the tie breaker's column
	sorts    map[string]string // sort name → column
	branches []branch
	scan     func(row scanner) (T, error)
	key      func(T, string) Key
}

// scanner is a row to read from.
type scanner interface{ Scan(dest ...any) error }

// page reads one page by seeking, never by counting rows off: the last page costs what the first does.
func (l listing[T]) page(ctx context.Context, r reads, q PageQuery) (PageRows[T], error) {
	var out PageRows[T]
	if len(l.branches) == 0 {
		return out, nil
	}
	column, ok := l.sorts[q.Sort]
	if !ok {
		return out, fmt.Errorf("no sort named %q", q.Sort)
	}
	rows, err := l.read(ctx, r, span{column, q.Desc != q.Backward, q.Seek, q.Inclusive, q.Limit + 1})
	if err != nil {
		return out, err
	}
	more := len(rows) > q.Limit
	rows = rows[:min(len(rows), q.Limit)]
	if q.Backward {
		slices.Reverse(rows)
	}
	out.Rows = rows
	edge := q.Seek
	if len(rows) > 0 {
		out.First, out.Last = l.key(rows[0], q.Sort), l.key(rows[len(rows)-1], q.Sort)
		edge = &out.First
		if q.Backward {
			edge = &out.Last
		}
	}
	other, err := l.beyond(ctx, r, column, q, edge)
	if err != nil {
		return out, err
	}
	out.Before, out.After = other, more
	if q.Backward {
		out.Before, out.After = more, other
	}
	return out, nil
}

// beyond tells whether the list goes on at the end that the page was not read towards.
func (l listing[T]) beyond(ctx context.Context, r reads, column string, q PageQuery, edge *Key) (bool, error) {
	if q.Seek == nil {
		return false, nil // the first page begins at the beginning
	}
	// Behind an empty page the row that was sought may itself be the end of the list.
	rows, err := l.read(ctx, r, span{column, q.Desc == q.Backward, edge, edge == q.Seek, 1})
	return len(rows) > 0, err
}

// span is a run of rows from a key on.
type span struct {
	column    string
	desc      bool
	seek      *Key
	inclusive bool
	limit     int
}

// order is the direction of the walk in SQL: the comparison with the key, and the sort.
func (s span) order() (compare, direction string) {
	compare, direction = ">", "ASC"
	if s.desc {
		compare, direction = "<", "DESC"
	}
	if s.inclusive {
		compare += "="
	}
	return compare, direction
}

// read returns the rows of a span.
func (l listing[T]) read(ctx context.Context, r reads, s span) ([]T, error) {
	query, args := l.query(s)
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, l.scan)
}

func (l listing[T]) query(s span) (string, []any) {
	compare, direction := s.order()
	order := fmt.Sprintf(" ORDER BY %s %s, %s %s", s.column, direction, l.id, direction)
	var args []any
	parts := make([]string, len(l.branches))
	for i, b := range l.branches {
		where := bind(b.where, len(args))
		args = append(args, b.args...)
		if s.seek != nil {
			where += fmt.Sprintf(" AND (%s, %s) %s ($%d, $%d)", s.column, l.id, compare, len(args)+1, len(args)+2)
			args = append(args, s.seek.Value, s.seek.ID)
		}
		args = append(args, s.limit)
		parts[i] = fmt.Sprintf("SELECT %s FROM %s WHERE %s%s LIMIT $%d", l.columns, l.from, where, order, len(args))
	}
	if len(parts) == 1 {
		return parts[0], args
	}
	for i, part := range parts {
		parts[i] = fmt.Sprintf("SELECT * FROM (%s) AS branch%d", part, i)
	}
	args = append(args, s.limit)
	union := strings.Join(parts, " UNION ALL ")
	return fmt.Sprintf("SELECT * FROM (%s) AS list%s LIMIT $%d", union, unqualified(order), len(args)), args
}

// bind numbers the ? marks of a condition from after on.
func bind(where string, after int) string {
	var b strings.Builder
	for _, c := range where {
		if c == '?' {
			after++
			fmt.Fprintf(&b, "$%d", after)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// unqualified strips table names: outside the branches only the columns are known.
func unqualified(order string) string {
	words := strings.Fields(order)
	for i, w := range words {
		if _, column, found := strings.Cut(w, "."); found {
			words[i] = column
		}
	}
	return " " + strings.Join(words, " ")
}
