package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// Key is the position of a row in a sorted list: its sort value, and its id to break ties.
type Key struct {
	Value any // a crier.Time, an int64 or a string
	ID    crier.ID
}

// PageQuery selects one page of a sorted list.
type PageQuery struct {
	// Sort is one of the list's sort names.
	Sort string
	Desc bool
	// Limit is at least 1.
	Limit int
	// Seek is nil for the first page. Otherwise the page follows this row, or precedes it if Backward; if Inclusive,
	// the page starts with the row itself if it still exists.
	Seek      *Key
	Backward  bool
	Inclusive bool
}

// PageRows is one page, in the order of the list.
type PageRows[T any] struct {
	Rows        []T
	First, Last Key // of Rows; unset when there are none
	// Before and After report whether there are rows before and after the page.
	Before, After bool
}

// whole reports whether the page is the whole list, which then needs no counting.
func (p PageRows[T]) whole() bool { return !p.Before && !p.After }

// branch is an indexable condition of a list. A list can be the union of several disjoint branches.
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

// maxReserved limits the rows for which memory is allocated before they are read.
const maxReserved = 100

// scanner is a row that can be scanned.
type scanner interface{ Scan(dest ...any) error }

// page reads one page by keyset: the last page costs as much as the first. More questions, such as the total of the
// list, are asked in the same round trip.
func (l listing[T]) page(ctx context.Context, r reads, q PageQuery, more ...question) (PageRows[T], error) {
	var out PageRows[T]
	if len(l.branches) == 0 {
		return out, nil
	}
	if q.Seek != nil && textSorts[q.Sort] {
		// A cursor from before sort keys existed holds the name itself; the sort key of a sort key is itself.
		if text, ok := q.Seek.Value.(string); ok {
			q.Seek = &Key{Value: sortKey(text), ID: q.Seek.ID}
		}
	}
	column, ok := l.sorts[q.Sort]
	if !ok {
		return out, fmt.Errorf("no sort named %q", q.Sort)
	}
	rows, beyond := make([]T, 0, min(q.Limit, maxReserved)+1), []T(nil)
	questions := append([]question{l.question(&rows, span{column, q.Desc != q.Backward, q.Seek, q.Inclusive,
		q.Limit + 1})}, more...)
	if q.Seek != nil { // nothing precedes the first page
		questions = append(questions, l.question(&beyond, span{column, q.Desc == q.Backward, q.Seek, !q.Inclusive, 1}))
	}
	if err := r.q.Ask(ctx, questions...); err != nil {
		return out, err
	}
	ahead, behind := len(rows) > q.Limit, len(beyond) > 0
	rows = rows[:min(len(rows), q.Limit)]
	if q.Backward {
		slices.Reverse(rows)
	}
	out.Rows = rows
	if len(rows) > 0 {
		out.First, out.Last = l.key(rows[0], q.Sort), l.key(rows[len(rows)-1], q.Sort)
	}
	out.Before, out.After = behind, ahead
	if q.Backward {
		out.Before, out.After = ahead, behind
	}
	return out, nil
}

// span is a range of rows starting at a key.
type span struct {
	column    string
	desc      bool
	seek      *Key
	inclusive bool
	limit     int
}

// order returns the comparison with the key and the sort direction.
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

// question reads the rows of a span.
func (l listing[T]) question(rows *[]T, s span) question {
	query, args := l.query(s)
	return newQuestion(query, args, collectInto(rows, l.scan))
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

// bind replaces the ? marks of a condition with numbers after the given one.
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

// unqualified strips table aliases, which are unknown outside the branches.
func unqualified(order string) string {
	words := strings.Fields(order)
	for i, w := range words {
		if _, column, found := strings.Cut(w, "."); found {
			words[i] = column
		}
	}
	return " " + strings.Join(words, " ")
}
