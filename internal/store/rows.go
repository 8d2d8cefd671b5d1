package store

import (
	"iter"
	"slices"
)

// batchSize limits the rows of one statement: both databases limit its parameters.
const batchSize = 500

// batches splits a list into parts that fit into one statement.
func batches[T any](list []T) iter.Seq[[]T] { return slices.Chunk(list, batchSize) }

// difference returns the elements to add to and remove from before to get after.
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
