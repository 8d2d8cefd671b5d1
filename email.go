package crier

import "net/mail"

// Email is an address such as ada@example.com: no display name, at most 254 characters.
type Email string

// Problem describes why the address is invalid; it is empty for a valid one.
func (e Email) Problem() string {
	const rule = "must be an e-mail address of at most 254 characters, such as ada@example.com"
	if len(e) > 254 {
		return rule
	}
	parsed, err := mail.ParseAddress(string(e))
	if err != nil || parsed.Address != string(e) {
		return rule
	}
	return controlProblem(string(e))
}
