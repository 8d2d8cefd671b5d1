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
	// MaxLabelLength is the maximum length of titles and labels.
	MaxLabelLength = 200
	// MaxFileNameLength is the maximum length of file names.
	MaxFileNameLength = 255
)

// Name is the name of an organization or a team: 2 to 64 characters after trimming, no control characters.
type Name string

// Trimmed returns the name as it is stored.
func (n Name) Trimmed() string { return strings.TrimSpace(string(n)) }

// Problem describes why the name is invalid; it is empty for a valid one.
func (n Name) Problem() string {
	trimmed := n.Trimmed()
	if length := utf8.RuneCountInString(trimmed); length < MinNameLength || length > MaxNameLength {
		return fmt.Sprintf("must be %d to %d characters long after trimming, got %d", MinNameLength, MaxNameLength,
			length)
	}
	return controlProblem(trimmed)
}

func controlProblem(s string) string {
	if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("must not contain control characters, found %U", []rune(s[i:])[0])
	}
	return ""
}

// TagName is the name of a tag: 1 to 64 characters after trimming, no control characters.
type TagName string

// Trimmed returns the name as it is stored.
func (n TagName) Trimmed() string { return strings.TrimSpace(string(n)) }

// Problem describes why the name is invalid; it is empty for a valid one.
func (n TagName) Problem() string {
	trimmed := n.Trimmed()
	if length := utf8.RuneCountInString(trimmed); length < 1 || length > MaxNameLength {
		return fmt.Sprintf("must be 1 to %d characters long after trimming, got %d", MaxNameLength, length)
	}
	return controlProblem(trimmed)
}

// Colour is a colour such as #1d9bf0.
type Colour string

// Problem describes why the colour is invalid; it is empty for a valid one.
func (c Colour) Problem() string {
	const rule = "must be a colour of the form #rrggbb, such as #1d9bf0"
	if len(c) != 7 || c[0] != '#' {
		return rule
	}
	for _, digit := range []byte(c[1:]) {
		if !isHex(digit) {
			return rule
		}
	}
	return ""
}

// FileName is the display name of a file: 1 to 255 characters, no path, no control characters.
type FileName string

// Problem describes why the name is invalid; it is empty for a valid one.
func (n FileName) Problem() string {
	const rule = "must be 1 to 255 characters long, without slashes"
	if length := utf8.RuneCountInString(string(n)); length < 1 || length > MaxFileNameLength ||
		strings.ContainsAny(string(n), `/\`) {
		return rule
	}
	return controlProblem(string(n))
}

// Text returns the text that p points to; empty for nil.
func Text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// TextOrNil returns a pointer to the text; nil for an empty one.
func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Printable returns the name of a program without unprintable characters, truncated to a number of characters.
func Printable(name string, length int) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(name, "")))
	if runes := []rune(name); len(runes) > length {
		name = string(runes[:length])
	}
	return name
}
