package crier

import "time"

// Member is a person in an organization.
type Member struct {
	ID        ID     `json:"id" doc:"Of the membership."`
	UserID    ID     `json:"userId"`
	Email     *Email `json:"email"`
	Name      string `json:"name"`
	Role      Role   `json:"role"`
	TeamIDs   []ID   `json:"teamIds" null:"true" doc:"Teams the member is restricted to; null means all."`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
}

// MemberInvite is the request to invite a person.
type MemberInvite struct {
	Email   Email `json:"email"`
	Role    Role  `json:"role" doc:"Not above the caller's own role."`
	TeamIDs []ID  `json:"teamIds,omitempty" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"Restricts the member to some teams."`
}

// Invitation is an invitation of a person to an organization.
type Invitation struct {
	ID        ID     `json:"id"`
	Email     Email  `json:"email"`
	Role      Role   `json:"role"`
	TeamIDs   []ID   `json:"teamIds" null:"true"`
	InviteURL string `json:"inviteUrl,omitempty" doc:"Shown once; pass it on to the person."`
	ExpiresAt Time   `json:"expiresAt"`
	CreatedAt Time   `json:"createdAt"`
}

// WithoutSecret returns the response as it may be stored.
func (i Invitation) WithoutSecret() any {
	i.InviteURL = ""
	return i
}

// MemberUpdate is the request to update a member; absent fields keep their value.
type MemberUpdate struct {
	Role    Optional[Role] `json:"role,omitzero"`
	TeamIDs Optional[[]ID] `json:"teamIds,omitzero" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"null gives access to all teams."`
}

// PermissionCatalogue lists every permission and the roles that have it.
type PermissionCatalogue struct {
	Data []PermissionEntry `json:"data"`
}

// PermissionEntry is one permission.
type PermissionEntry struct {
	Permission Permission `json:"permission"`
	Roles      []Role     `json:"roles"`
}

// Catalogue returns every permission and the roles that have it.
func Catalogue() PermissionCatalogue {
	out := PermissionCatalogue{Data: []PermissionEntry{}}
	for _, p := range Permissions() {
		entry := PermissionEntry{Permission: p, Roles: []Role{}}
		for _, r := range Roles() {
			if r.Can(p) {
				entry.Roles = append(entry.Roles, r)
			}
		}
		out.Data = append(out.Data, entry)
	}
	return out
}

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 14 * 24 * time.Hour
