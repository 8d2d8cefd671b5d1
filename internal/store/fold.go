package store

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldName returns the form in which names are compared: spellings that look the same to people are equal.
func FoldName(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }
