package crier

import (
	"net/url"
	"unicode/utf8"
)

// WebURL is an http or https address of at most 2048 characters.
type WebURL string

// Problem says what is wrong with the address, or nothing.
func (u WebURL) Problem() string {
	const rule = "must be an http or https address of at most 2048 characters"
	parsed, err := url.Parse(string(u))
	if err != nil || utf8.RuneCountInString(string(u)) > 2048 || parsed.Hostname() == "" || parsed.Scheme != "http" &&
		parsed.Scheme != "https" {
		return rule
	}
	return controlProblem(string(u))
}

// LeftOut stands for what is not kept or shown.
const LeftOut = "…"

// BareURL cuts an address behind its path, because signatures and tokens are in the query, the fragment and the
// password; a text that is no address stays as it is.
func BareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.RawQuery == "" && u.Fragment == "" && u.User == nil {
		return text
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String() + LeftOut
}
