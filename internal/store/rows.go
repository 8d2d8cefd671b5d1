package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// batchSize bounds the rows of one statement: both databases bound its parameters.
const batchSize = 500

// batches cuts a list into parts that fit into one statement.
func batches[T any](list []T) iter.Seq[[]T] { return slices.Chunk(list, batchSize) }

// insertRows writes rows in as few statements as it takes. into names the table and its columns.
func (tx *Tx) insertRows(ctx context.Context, into string, rows [][]any) error {
	for batch := range batches(rows) {
		values, args := valueList(batch)
		if _, err := tx.q.ExecContext(ctx, `INSERT INTO `+into+` VALUES `+values, args...); err != nil {
			return fmt.Errorf("insert into %s: %w", into, err)
		}
	}
	return nil
}

// valueList writes ($1, $2), ($3, $4), … and the arguments.
func valueList(rows [][]any) (string, []any) {
	var args []any
	marks := make([]string, len(rows))
	for i, row := range rows {
		marks[i] = "(" + placeholders(len(args)+1, len(row)) + ")"
		args = append(args, row...)
	}
	return strings.Join(marks, ", "), args
}

// difference tells what has to be added to and removed from before to get after.
func difference[T comparable](before, after []T) (added, removed []T) {
	had, has := setOf(before), setOf(after)
	for _, v := range after {
		if !had[v] {
			added = append(added, v)
			had[v] = true
		}
	}
	for _, v := range before {
		if !has[v] {
			removed = append(removed, v)
		}
	}
	return added, removed
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}
