package store

import (
	"context"
	"fmt"

	"crier"
)

// Organization is an organization with the fields that the API does not show.
type Organization struct {
	crier.Organization
	TeamCount int64
	// PaidUntil and PaidPeriodEnd are nil on the free plan, whose periods are computed.
	PaidUntil, PaidPeriodEnd *crier.Time
}

const organizationColumns = `o.id, o.name, o.billing_email, o.onboarding_data, o.payment_customer_id,
	o.payment_subscription_id, o.payment_method_id, o.payment_metered_subscription_item_id, o.credits_balance,
	o.reserved_credits, o.auto_recharge_enabled, o.auto_recharge_threshold, o.auto_recharge_amount,
	o.subscription_status, o.subscription_plan, o.subscription_started_at, o.subscription_ends_at,
	o.subscription_current_period_end, o.team_count, o.metrics_policy, o.return_origins,
	o.created_at, o.updated_at`

func scanOrganization(row scanner) (Organization, error) {
	var (
		o       Organization
		origins *[]crier.Origin
	)
	err := row.Scan(&o.ID, &o.Name, &o.BillingEmail, intoJSON(&o.OnboardingData), &o.PaymentCustomerID,
		&o.PaymentSubscriptionID, &o.PaymentMethodID, &o.PaymentMeteredSubscriptionItemID, &o.CreditsBalance,
		&o.ReservedCredits, &o.AutoRechargeEnabled, &o.AutoRechargeThreshold, &o.AutoRechargeAmount,
		&o.SubscriptionStatus, &o.SubscriptionPlan, &o.SubscriptionStartedAt, &o.PaidUntil,
		&o.PaidPeriodEnd, &o.TeamCount, &o.MetricsPolicy, intoJSON(&origins), &o.CreatedAt,
		&o.UpdatedAt)
	o.ReturnOrigins = []crier.Origin{}
	if origins != nil {
		o.ReturnOrigins = *origins
	}
	return o, err
}

// InsertOrganization inserts an organization without members, teams or credits.
func (tx *Tx) InsertOrganization(ctx context.Context, o Organization) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO organizations
		(id, name, subscription_status, subscription_plan, subscription_started_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		o.ID, o.Name, o.SubscriptionStatus, o.SubscriptionPlan, o.SubscriptionStartedAt, o.CreatedAt, o.UpdatedAt)
	if err != nil {
		return fmt.Errorf("insert organization: %w", err)
	}
	return nil
}

// Organization reads one organization.
func (r reads) Organization(ctx context.Context, id crier.ID) (Organization, error) {
	o, err := scanOrganization(r.q.QueryRowContext(ctx,
		`SELECT `+organizationColumns+` FROM organizations o WHERE o.id = $1`, id))
	return o, orNotFound(err, "organization", id)
}

// LockOrganization reads and locks an organization.
func (tx *Tx) LockOrganization(ctx context.Context, id crier.ID) (Organization, error) {
	o, err := scanOrganization(tx.q.QueryRowContext(ctx,
		`SELECT `+organizationColumns+` FROM organizations o WHERE o.id = $1`+tx.forUpdate, id))
	return o, orNotFound(err, "organization", id)
}

// UpdateOrganization writes the settings of an organization; credits and counters have their own methods.
func (tx *Tx) UpdateOrganization(ctx context.Context, o Organization) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE organizations SET name = $2, billing_email = $3, onboarding_data = $4,
		auto_recharge_enabled = $5, auto_recharge_threshold = $6, auto_recharge_amount = $7, updated_at = $8,
		metrics_policy = $9, return_origins = $10 WHERE id = $1`,
		o.ID, o.Name, o.BillingEmail, asJSON(o.OnboardingData), o.AutoRechargeEnabled, o.AutoRechargeThreshold,
		o.AutoRechargeAmount, o.UpdatedAt, o.MetricsPolicy, asJSON(&o.ReturnOrigins))
	if err := affectedOne(res, err, "organization", o.ID); err != nil {
		return err
	}
	tx.changeCredits(o.ID, 0, o.UpdatedAt) // the threshold may have changed
	_, err = tx.q.ExecContext(ctx, `UPDATE memberships SET organization_name = $2, organization_updated_at = $3,
		organization_name_key = $4 WHERE organization_id = $1`, o.ID, o.Name, o.UpdatedAt, sortKey(o.Name))
	if err != nil {
		return fmt.Errorf("copy the organization's name to its members: %w", err)
	}
	return nil
}

var organizationSorts = map[string]string{
	"createdAt": "m.organization_created_at",
	"updatedAt": "m.organization_updated_at",
	"name":      "m.organization_name_key",
}

// Organizations reads one page of the organizations that both a principal and the person behind it belong to.
func (r reads) Organizations(ctx context.Context, principal, person crier.ID, q PageQuery) (PageRows[Organization],
	error) {
	list := listing[Organization]{
		columns: organizationColumns,
		from:    "memberships m JOIN organizations o ON o.id = m.organization_id",
		id:      "m.organization_id",
		sorts:   organizationSorts,
		branches: []branch{{
			where: "m.principal_id = ? AND EXISTS (SELECT 1 FROM memberships b WHERE b.principal_id = ? AND " +
				"b.organization_id = m.organization_id)",
			args: []any{principal, person},
		}},
		scan: scanOrganization,
		key: func(o Organization, sort string) Key {
			return Key{Value: sortValue(sort, o.CreatedAt, o.UpdatedAt, o.Name), ID: o.ID}
		},
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list organizations: %w", err)
	}
	return page, nil
}

// sortValue returns the value of one of the three sorts that most lists have.
func sortValue(sort string, created, updated crier.Time, name string) any {
	switch sort {
	case "updatedAt":
		return updated
	case "name":
		return sortKey(name)
	}
	return created
}

// OrganizationCount returns the number of organizations of a principal, from its counter.
func (r reads) OrganizationCount(ctx context.Context, kind PrincipalKind, principal crier.ID) (int64, error) {
	var n int64
	err := r.q.QueryRowContext(ctx, `SELECT organization_count FROM `+kind.table()+` WHERE id = $1`, principal).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count organizations: %w", err)
	}
	return n, nil
}
