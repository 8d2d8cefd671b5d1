package crier

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of names.
const (
	MinNameLength = 2
	MaxNameLength = 64
	// MaxLabelLength bounds titles and labels.
	MaxLabelLength = 200
)

// Name is the name of an organization or a team: 2 to 64 characters after trimming, no control characters.
type Name string

// Trimmed is the name as it is kept.
func (n Name) Trimmed() string { return strings.TrimSpace(string(n)) }

// Problem says what is wrong with the name, or nothing.
func (n Name) Problem() string {
	trimmed := n.Trimmed()
	if length := utf8.RuneCountInString(trimmed); length < MinNameLength || length > MaxNameLength {
		return fmt.Sprintf("must be %d to %d characters long after trimming, got %d", MinNameLength, MaxNameLength, length)
	}
	return controlProblem(trimmed)
}

func controlProblem(s string) string {
	if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("must not contain control characters, found %U", []rune(s[i:])[0])
	}
	return ""
}
