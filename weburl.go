package crier

import (
	"net/url"
	"unicode/utf8"
)

// WebURL is an http or https URL of at most 2048 characters.
type WebURL string

// Problem describes why the address is invalid; it is empty for a valid one.
func (u WebURL) Problem() string {
	const rule = "must be an http or https address of at most 2048 characters"
	parsed, err := url.Parse(string(u))
	if err != nil || utf8.RuneCountInString(string(u)) > 2048 || parsed.Hostname() == "" || parsed.Scheme != "http" &&
		parsed.Scheme != "https" {
		return rule
	}
	return controlProblem(string(u))
}

// LeftOut replaces what is not stored or shown.
const LeftOut = "…"

// BareURL cuts a URL after its path, because the query, the fragment and the password may contain signatures and
// tokens; a text that is not a URL is returned unchanged.
func BareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.RawQuery == "" && u.Fragment == "" && u.User == nil {
		return text
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String() + LeftOut
}
