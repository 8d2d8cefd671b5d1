package crier

// Session is a browser or a device on which a person is signed in.
type Session struct {
	ID         ID     `json:"id"`
	Kind       string `json:"kind" enum:"session,access_token" doc:"A browser, or a device login."`
	Name       string `json:"name" doc:"The browser's user agent, or the name of the device; may be empty."`
	Address    string `json:"address,omitempty" doc:"The IP address that the person signed in from."`
	Current    bool   `json:"current" doc:"True for the session that this request was made with."`
	CreatedAt  Time   `json:"createdAt"`
	LastUsedAt *Time  `json:"lastUsedAt" doc:"To the minute; null until it is used."`
	ExpiresAt  Time   `json:"expiresAt"`
}

// SessionList lists the sessions of a person, newest first.
type SessionList struct {
	Data []Session `json:"data"`
}

// SessionEnded is the response to ending a session.
type SessionEnded struct {
	Ended bool `json:"ended"`
}
