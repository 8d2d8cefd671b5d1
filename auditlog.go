package crier

import "encoding/json"

// AuditEntry says who did what. Entries never change.
type AuditEntry struct {
	ID             ID              `json:"id"`
	OrganizationID ID              `json:"organizationId"`
	TeamID         *ID             `json:"teamId"`
	PrincipalKind  string          `json:"principalKind" enum:"user,api_key"`
	PrincipalID    ID              `json:"principalId"`
	PersonID       ID              `json:"personId" doc:"The person, or the one behind the key."`
	Action         string          `json:"action" doc:"The operation, by its id in the OpenAPI document."`
	Target         string          `json:"target" doc:"The path that the request was made to, with what its query asked for."`
	Changes        json.RawMessage `json:"changes" doc:"What the request asked for, without secrets: of addresses in it, queries and fragments are left out."`
	CreatedID      *ID             `json:"createdId" doc:"The id of what was made; null when nothing was."`
	RequestID      string          `json:"requestId"`
	CreatedAt      Time            `json:"createdAt"`
}
