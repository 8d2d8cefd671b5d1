package client

import (
	"context"
	"net/http"

	"crier"
)

func membersPath(organization crier.ID) string { return organizationPath(organization) + "/members" }

// ListMembers returns a page of an organization's members.
func (c *Client) ListMembers(ctx context.Context, organization crier.ID, o ListOptions) (crier.Page[crier.Member],
	error) {
	return get[crier.Page[crier.Member]](ctx, c, membersPath(organization), o.query())
}

// InviteMember invites a person, by mail or by the link in the response.
func (c *Client) InviteMember(ctx context.Context, organization crier.ID, in crier.MemberInvite) (crier.Invitation,
	error) {
	return change[crier.Invitation](ctx, c, http.MethodPost, membersPath(organization), in)
}

func invitationsPath(organization crier.ID) string {
	return organizationPath(organization) + "/invitations"
}

// ListInvitations returns a page of the pending invitations.
func (c *Client) ListInvitations(ctx context.Context, organization crier.ID,
	o ListOptions) (crier.Page[crier.Invitation], error) {
	return get[crier.Page[crier.Invitation]](ctx, c, invitationsPath(organization), o.query())
}

// WithdrawInvitation withdraws a pending invitation.
func (c *Client) WithdrawInvitation(ctx context.Context, organization, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, invitationsPath(organization)+"/"+string(id), nil)
}

// UpdateMember changes a member's role and teams.
func (c *Client) UpdateMember(ctx context.Context, organization, id crier.ID, in crier.MemberUpdate) (crier.Member,
	error) {
	return change[crier.Member](ctx, c, http.MethodPatch, membersPath(organization)+"/"+string(id), in)
}

// RemoveMember removes a member.
func (c *Client) RemoveMember(ctx context.Context, organization, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, membersPath(organization)+"/"+string(id), nil)
}

// ListAuditLog returns a page of the audit log.
func (c *Client) ListAuditLog(ctx context.Context, organization crier.ID, o ListOptions) (crier.Page[crier.AuditEntry],
	error) {
	return c.SearchAuditLog(ctx, organization, AuditFilter{ListOptions: o})
}

// AuditFilter filters an audit log; empty fields match everything.
type AuditFilter struct {
	ListOptions
	From, To    *crier.Time
	Action      string
	PrincipalID crier.ID
}

// SearchAuditLog returns a page of the matching entries of an organization's audit log.
func (c *Client) SearchAuditLog(ctx context.Context, organization crier.ID, f AuditFilter) (
	crier.Page[crier.AuditEntry], error) {
	q := f.ListOptions.query()
	setTime(q, "from", f.From)
	setTime(q, "to", f.To)
	set(q, "action", f.Action)
	set(q, "principalId", string(f.PrincipalID))
	return get[crier.Page[crier.AuditEntry]](ctx, c, organizationPath(organization)+"/audit-log", q)
}

// Permissions lists every permission and the roles that have it.
func (c *Client) Permissions(ctx context.Context) (crier.PermissionCatalogue, error) {
	return get[crier.PermissionCatalogue](ctx, c, "/v1/permissions", nil)
}
