package client

import (
	"context"
	"net/http"

	"crier"
)

const organizationsPath = "/v1/organizations"

func organizationPath(id crier.ID) string { return organizationsPath + "/" + string(id) }

// AgentContext returns who the caller is and what it can access.
func (c *Client) AgentContext(ctx context.Context) (crier.AgentContext, error) {
	return get[crier.AgentContext](ctx, c, "/v1/agent/context", nil)
}

// Providers returns the abilities and limits of the networks.
func (c *Client) Providers(ctx context.Context) (crier.ProviderList, error) {
	return get[crier.ProviderList](ctx, c, "/v1/providers", nil)
}

// ListOrganizations returns a page of the caller's organizations.
func (c *Client) ListOrganizations(ctx context.Context, o ListOptions) (crier.Page[crier.Organization], error) {
	return get[crier.Page[crier.Organization]](ctx, c, organizationsPath, o.query())
}

// CreateOrganization creates an organization; the caller becomes its admin.
func (c *Client) CreateOrganization(ctx context.Context, in crier.OrganizationCreate) (crier.Organization, error) {
	return change[crier.Organization](ctx, c, http.MethodPost, organizationsPath, in)
}

// GetOrganization returns an organization.
func (c *Client) GetOrganization(ctx context.Context, id crier.ID) (crier.Organization, error) {
	return get[crier.Organization](ctx, c, organizationPath(id), nil)
}

// UpdateOrganization changes an organization's settings.
func (c *Client) UpdateOrganization(ctx context.Context, id crier.ID, in crier.OrganizationUpdate) (crier.Organization,
	error) {
	return change[crier.Organization](ctx, c, http.MethodPatch, organizationPath(id), in)
}

// GetCredits returns the credit balance and the prices.
func (c *Client) GetCredits(ctx context.Context, organization crier.ID) (crier.Credits, error) {
	return get[crier.Credits](ctx, c, organizationPath(organization)+"/credits", nil)
}

// ListCreditTransactions returns a page of the ledger.
func (c *Client) ListCreditTransactions(ctx context.Context, organization crier.ID,
	o ListOptions) (crier.Page[crier.CreditTransaction], error) {
	return c.SearchCreditTransactions(ctx, organization, CreditFilter{ListOptions: o})
}

// CreditFilter filters a ledger; empty fields match everything.
type CreditFilter struct {
	ListOptions
	From, To        *crier.Time
	Kind            string
	ScheduledPostID crier.ID
}

// SearchCreditTransactions returns a page of the matching entries of an organization's ledger.
func (c *Client) SearchCreditTransactions(ctx context.Context, organization crier.ID, f CreditFilter) (
	crier.Page[crier.CreditTransaction], error) {
	q := f.ListOptions.query()
	setTime(q, "from", f.From)
	setTime(q, "to", f.To)
	set(q, "kind", f.Kind)
	set(q, "scheduledPostId", string(f.ScheduledPostID))
	return get[crier.Page[crier.CreditTransaction]](ctx, c, organizationPath(organization)+"/credits/transactions", q)
}
