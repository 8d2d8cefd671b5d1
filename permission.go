package crier

import "slices"

// Permission is a permission of a principal in an organization.
type Permission string

// The catalogue of permissions.
const (
	ManageOrganization   Permission = "manage_organization"
	ManageMembers        Permission = "manage_members"
	ManageAPIKeys        Permission = "manage_api_keys"
	ManageBilling        Permission = "manage_billing"
	ManageWebhooks       Permission = "manage_webhooks"
	CreateTeams          Permission = "create_teams"
	ManageTeams          Permission = "manage_teams"
	DeleteTeams          Permission = "delete_teams"
	ManageSocialAccounts Permission = "manage_social_accounts"
	ManageSlots          Permission = "manage_slots"
	ManageMedia          Permission = "manage_media"
	WritePosts           Permission = "write_posts"
	ApprovePosts         Permission = "approve_posts"
	PublishPosts         Permission = "publish_posts"
	DeletePosts          Permission = "delete_posts"
	Read                 Permission = "read"
	ReadAnalytics        Permission = "read_analytics"
	// ReadLiveAnalytics is a separate permission because live readings may cost credits.
	ReadLiveAnalytics Permission = "read_live_analytics"
)

// Permissions lists the whole catalogue.
func Permissions() []Permission {
	return []Permission{
		ManageOrganization, ManageMembers, ManageAPIKeys, ManageBilling, ManageWebhooks, CreateTeams, ManageTeams,
		DeleteTeams, ManageSocialAccounts, ManageSlots, ManageMedia, WritePosts, ApprovePosts, PublishPosts,
		DeletePosts, Read, ReadAnalytics, ReadLiveAnalytics,
	}
}

// Role is a named set of permissions.
type Role string

// The roles, highest first.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleEditor Role = "editor"
	RoleViewer Role = "viewer"
)

// editorPermissions are the permissions within a team, except for deleting it and approving posts.
var editorPermissions = []Permission{
	ManageTeams, ManageSocialAccounts, ManageSlots, ManageMedia, WritePosts, PublishPosts, DeletePosts, Read,
	ReadAnalytics, ReadLiveAnalytics,
}

var viewerPermissions = []Permission{Read, ReadAnalytics}

// Can reports whether the role has the permission.
func (r Role) Can(p Permission) bool {
	switch r {
	case RoleOwner, RoleAdmin:
		return slices.Contains(Permissions(), p)
	case RoleEditor:
		return slices.Contains(editorPermissions, p)
	case RoleViewer:
		return slices.Contains(viewerPermissions, p)
	}
	return false
}

// Roles lists all roles, highest first.
func Roles() []Role { return []Role{RoleOwner, RoleAdmin, RoleEditor, RoleViewer} }

// Rank orders roles: a higher one includes the lower ones. Unknown roles have rank 0.
func (r Role) Rank() int {
	switch r {
	case RoleOwner:
		return 4
	case RoleAdmin:
		return 3
	case RoleEditor:
		return 2
	case RoleViewer:
		return 1
	}
	return 0
}

// Enum lists the values on the wire.
func (Permission) Enum() []string { return enumOf(Permissions()) }

// Enum lists the values on the wire.
func (Role) Enum() []string {
	return enumOf(Roles())
}

func enumOf[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
