package crier

// User is a person.
type User struct {
	ID    ID     `json:"id"`
	Email *Email `json:"email" doc:"Null until the person has opened the set-up link."`
	Name  string `json:"name"`
}

// The kinds of credentials.
const (
	CredentialKey     = "api_key"
	CredentialToken   = "access_token"
	CredentialSession = "session"
)

// Credential is the credential that the caller authenticated with.
type Credential struct {
	Kind        string       `json:"kind" enum:"api_key,access_token,session"`
	ID          ID           `json:"id"`
	Name        string       `json:"name"`
	Permissions []Permission `json:"permissions" null:"true" doc:"Permissions an API key is restricted to; null means all of its role."`
	TeamIDs     []ID         `json:"teamIds" null:"true" doc:"Teams an API key is restricted to; null means all."`
	ExpiresAt   *Time        `json:"expiresAt"`
}

// ContextOrganization is an organization with the caller's role and permissions in it.
type ContextOrganization struct {
	Organization
	Role        Role         `json:"role" doc:"The caller's role; for an API key, the lower one of its own and its creator's."`
	Permissions []Permission `json:"permissions" doc:"The caller's permissions in the organization; team-scoped ones apply to the teams it can access."`
	EventCursor string       `json:"eventCursor" doc:"Position in the organization's events before anything here was read. A client that follows the stream from it and reloads what it reports misses nothing."`
}

// ContextTeam is a team with the caller's role and permissions in it.
type ContextTeam struct {
	Team
	Role        Role         `json:"role"`
	Permissions []Permission `json:"permissions" doc:"The caller's team-scoped permissions in this team."`
}

// AgentContext is the overview that an agent starts with. The lists have at most 100 entries each, oldest first; the
// list operations return all.
type AgentContext struct {
	User                  *User                 `json:"user" doc:"The caller; for an API key the person behind it."`
	Credential            Credential            `json:"credential"`
	Organizations         []ContextOrganization `json:"organizations"`
	Teams                 []ContextTeam         `json:"teams"`
	DefaultOrganizationID *ID                   `json:"defaultOrganizationId"`
	DefaultTeamID         *ID                   `json:"defaultTeamId"`
	ServerTime            Time                  `json:"serverTime"`
}
