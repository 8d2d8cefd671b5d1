package crier

import "encoding/json"

// AuditEntry is an entry of the audit log. Entries never change.
type AuditEntry struct {
	ID             ID              `json:"id"`
	OrganizationID ID              `json:"organizationId"`
	TeamID         *ID             `json:"teamId"`
	PrincipalKind  string          `json:"principalKind" enum:"user,api_key"`
	PrincipalID    ID              `json:"principalId"`
	PersonID       ID              `json:"personId" doc:"The person, or the one behind the key."`
	Action         string          `json:"action" doc:"The operation, by its id in the OpenAPI document."`
	Target         string          `json:"target" doc:"The path of the request, with its query."`
	Changes        json.RawMessage `json:"changes" doc:"The request's content, without secrets; queries and fragments of URLs in it are omitted."`
	CreatedID      *ID             `json:"createdId" doc:"The id of the created object; null when none was created."`
	RequestID      string          `json:"requestId"`
	CreatedAt      Time            `json:"createdAt"`
}
