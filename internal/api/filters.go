package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"crier"
)

// enumList parses a comma-separated list of allowed values, in the given order and without duplicates. An empty text
// means no list.
func enumList[T ~string](name, value string, allowed []T) ([]T, []crier.Issue) {
	var list []T
	for _, word := range commaList(value) {
		if !slices.Contains(allowed, T(word)) {
			words := make([]string, len(allowed))
			for i, a := range allowed {
				words[i] = string(a)
			}
			return nil, []crier.Issue{crier.At(fmt.Sprintf("must be a comma-separated list of %s; got %.60q",
				strings.Join(words, ", "), word), name)}
		}
		if !slices.Contains(list, T(word)) {
			list = append(list, T(word))
		}
	}
	return list, nil
}

// idList parses a comma-separated list of ids, without duplicates. An empty text means no list.
func idList(name, value string) ([]crier.ID, []crier.Issue) {
	var list []crier.ID
	for _, word := range commaList(value) {
		id, ok := crier.ParseID(word)
		if !ok {
			return nil, []crier.Issue{crier.At(fmt.Sprintf("must be a comma-separated list of UUIDs; got %.60q", word),
				name)}
		}
		list = append(list, id)
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > crier.MaxAccountsPerCall {
		return nil, []crier.Issue{crier.At("must name at most "+strconv.Itoa(crier.MaxAccountsPerCall)+" ids", name)}
	}
	return list, nil
}

func commaList(value string) []string {
	if value == "" {
		return nil
	}
	words := strings.Split(value, ",")
	for i, word := range words {
		words[i] = strings.TrimSpace(word)
	}
	return words
}

// includes parses the query parameter include of posts.
func includes(value string) (scheduledPosts bool, issues []crier.Issue) {
	list, issues := enumList("include", value, []string{"scheduledPosts"})
	return len(list) > 0, issues
}

// into returns a function that stores a parsed value and returns its issues.
func into[T any](target *T) func(T, []crier.Issue) []crier.Issue {
	return func(value T, issues []crier.Issue) []crier.Issue {
		*target = value
		return issues
	}
}

// orNil returns nil for a time that was not in the query.
func orNil(t crier.Time) *crier.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// rangeIssues rejects a range that ends before it starts, or is empty.
func rangeIssues(fromName, toName string, from, to *crier.Time) []crier.Issue {
	if from == nil || to == nil || from.Before(to.Time) {
		return nil
	}
	return []crier.Issue{crier.At("must be after "+fromName, toName)}
}
