package crier

import "net/url"

// WebURL is an http or https address of at most 2048 characters.
type WebURL string

// Problem says what is wrong with the address, or nothing.
func (u WebURL) Problem() string {
	const rule = "must be an http or https address of at most 2048 characters"
	parsed, err := url.Parse(string(u))
	if err != nil || len(u) > 2048 || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return rule
	}
	return controlProblem(string(u))
}
