package store

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldName returns the form in which names are compared: spellings that people take for the same are the same.
func FoldName(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }
