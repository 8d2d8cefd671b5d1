package service

import (
	"context"
	"slices"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// OrganizationSorts are the orders that organizations can be listed in; the first is the default.
var OrganizationSorts = []string{"createdAt", "updatedAt", "name"}

// Organizations implements organizations.
type Organizations struct {
	store  *store.Store
	writes *access.Idempotency
	clock  crier.Clock
	pages  *pagination.Cursors
}

// List returns one page of the caller's organizations.
func (s *Organizations) List(ctx context.Context, scope access.CallerScope,
	q pagination.Query) (crier.Page[crier.Organization],
	error) {
	var none crier.Page[crier.Organization]
	if err := scope.Check(); err != nil {
		return none, err
	}
	if err := scope.MayRead(); err != nil {
		return none, err
	}
	rows, err := s.store.Organizations(ctx, scope.Caller().ID(), scope.Caller().Person().ID, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.OrganizationCount(ctx, scope.Caller().Kind(), scope.Caller().ID())
	if err != nil {
		return none, err
	}
	return pagination.PageOf(s.pages, q, rows, total, s.shown), nil
}

// Get returns one organization.
func (s *Organizations) Get(_ context.Context, scope access.OrgScope) (crier.Organization, error) {
	if err := scope.Check(); err != nil {
		return crier.Organization{}, err
	}
	return s.shown(scope.Organization()), nil
}

// Create makes an organization and its first team, named like it. The caller becomes its admin, and so does the person
// behind a key.
func (s *Organizations) Create(ctx context.Context, scope access.CallerScope,
	in crier.OrganizationCreate) (crier.Organization,
	error) {
	var none crier.Organization
	if err := scope.Check(); err != nil {
		return none, err
	}
	if err := s.mayCreate(ctx, scope.Caller()); err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Organization, error) {
		o, _, err := s.found(ctx, tx, in.Name, crier.RoleAdmin, scope.Caller().Principals()...)
		return o, err
	})
}

// mayCreate requires an unrestricted owner or admin of some organization.
func (s *Organizations) mayCreate(ctx context.Context, caller access.Caller) error {
	refused := crier.Forbidden("Creating organizations needs an owner or admin of an organization whose key is not " +
		"narrowed.")
	if caller.Kind() == store.UserPrincipal {
		return nil // a person's own token
	}
	if caller.Credential().Permissions != nil {
		return refused
	}
	may, err := s.store.MayCreateOrganizations(ctx, caller.ID(), caller.Person().ID)
	if err != nil {
		return err
	}
	if !may {
		return refused
	}
	return nil
}

// found writes a new organization with its members and its first team.
func (s *Organizations) found(ctx context.Context, tx *store.Tx, name crier.Name, role crier.Role,
	members ...store.Membership) (crier.Organization, crier.Team, error) {
	now := s.clock.Now()
	o := store.Organization{Organization: crier.Organization{
		ID: crier.NewID(), Name: name.Trimmed(), SubscriptionStatus: "none", SubscriptionPlan: "free",
		SubscriptionStartedAt: now, MetricsPolicy: crier.MetricsFree, ReturnOrigins: []crier.Origin{},
		CreatedAt: now, UpdatedAt: now,
	}}
	team := newTeam(crier.TeamCreate{OrganizationID: o.ID, Name: name}, now)
	if err := tx.InsertOrganization(ctx, o); err != nil {
		return crier.Organization{}, team, err
	}
	for _, m := range members {
		m.ID, m.OrganizationID, m.Role, m.AllTeams, m.CreatedAt = crier.NewID(), o.ID, role, true, now
		if err := tx.InsertMembership(ctx, m, o.Organization); err != nil {
			return crier.Organization{}, team, err
		}
	}
	if err := tx.InsertTeam(ctx, team); err != nil {
		return crier.Organization{}, team, err
	}
	return s.shown(o), team, nil
}

// Update changes an organization's settings.
func (s *Organizations) Update(ctx context.Context, scope access.OrgScope,
	in crier.OrganizationUpdate) (crier.Organization,
	error) {
	if err := scope.Check(); err != nil {
		return crier.Organization{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Organization, error) {
		o, err := tx.LockOrganization(ctx, scope.Organization().ID)
		if err != nil {
			return crier.Organization{}, err
		}
		now := s.clock.Now()
		applyOrganization(&o.Organization, in, now)
		if err := checkAutoRecharge(o.Organization); err != nil {
			return crier.Organization{}, err
		}
		o.UpdatedAt = now
		return s.shown(o), tx.UpdateOrganization(ctx, o)
	})
}

func applyOrganization(o *crier.Organization, in crier.OrganizationUpdate, now crier.Time) {
	if in.Name.Set {
		o.Name = in.Name.Value.Trimmed()
	}
	if in.BillingEmail.Set {
		o.BillingEmail = (*string)(in.BillingEmail.Ptr())
	}
	if in.OnboardingData.Set {
		o.OnboardingData = onboarding(o.OnboardingData, in.OnboardingData.Ptr(), now)
	}
	if in.AutoRechargeEnabled.Set {
		o.AutoRechargeEnabled = in.AutoRechargeEnabled.Value
	}
	if in.AutoRechargeThreshold.Set {
		o.AutoRechargeThreshold = in.AutoRechargeThreshold.Ptr()
	}
	if in.AutoRechargeAmount.Set {
		o.AutoRechargeAmount = in.AutoRechargeAmount.Ptr()
	}
	if in.MetricsPolicy.Set {
		o.MetricsPolicy = in.MetricsPolicy.Value
	}
	if in.ReturnOrigins.Set {
		o.ReturnOrigins = origins(in.ReturnOrigins.Value)
	}
}

// origins are written as browsers write them, each once.
func origins(list []crier.Origin) []crier.Origin {
	out := make([]crier.Origin, len(list))
	for i, o := range list {
		out[i] = o.Canonical()
	}
	return dedupe(out)
}

// onboarding applies the answers, except the time of completion, which the server sets, and repeated steps.
func onboarding(before, after *crier.OnboardingData, now crier.Time) *crier.OnboardingData {
	if after == nil {
		return nil
	}
	data := *after
	data.CompletedSteps = dedupe(data.CompletedSteps)
	switch {
	case data.Status != "completed":
		data.CompletedAt = crier.Null[crier.Time]()
	case before != nil && before.Status == "completed" && before.CompletedAt.HasValue():
		data.CompletedAt = before.CompletedAt
	default:
		data.CompletedAt = crier.Some(now)
	}
	if p := data.OrganizationProfile; p != nil {
		data.OrganizationProfile = &crier.OrganizationProfile{DisplayName: crier.Name(p.DisplayName.Trimmed()),
			JobRole: p.JobRole}
	}
	if p := data.WorkspaceProfile; p != nil {
		data.WorkspaceProfile = &crier.WorkspaceProfile{TeamName: crier.Name(p.TeamName.Trimmed()), Website: p.Website}
	}
	return &data
}

func dedupe[T comparable](list []T) []T {
	out := []T{}
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// checkAutoRecharge requires both amounts and a payment method.
func checkAutoRecharge(o crier.Organization) error {
	if !o.AutoRechargeEnabled {
		return nil
	}
	var issues []crier.Issue
	if o.AutoRechargeThreshold == nil {
		issues = append(issues, crier.At("is required while autoRechargeEnabled is true", "autoRechargeThreshold"))
	}
	if o.AutoRechargeAmount == nil {
		issues = append(issues, crier.At("is required while autoRechargeEnabled is true", "autoRechargeAmount"))
	}
	if issues != nil {
		return crier.Invalid(issues...)
	}
	if o.PaymentMethodID == nil {
		return crier.Conflict("Automatic recharge needs a payment method, and the organization has none.")
	}
	return nil
}

// shown fills in what is computed: the running period of the free plan, which always ends in the future.
func (s *Organizations) shown(o store.Organization) crier.Organization {
	out := o.Organization
	out.IsSubscribed = out.SubscriptionStatus == "active" || out.SubscriptionStatus == "trialing"
	end := periodEnd(out.SubscriptionStartedAt, s.clock.Now())
	out.SubscriptionCurrentPeriodEnd, out.SubscriptionEndsAt = end, end
	if o.PaidPeriodEnd != nil {
		out.SubscriptionCurrentPeriodEnd, out.SubscriptionEndsAt = *o.PaidPeriodEnd, *o.PaidPeriodEnd
	}
	if o.PaidUntil != nil {
		out.SubscriptionEndsAt = *o.PaidUntil
	}
	return out
}

// periodEnd returns the end of the monthly period that now lies in. A period that began on the 31st ends on the last
// day of a shorter month.
func periodEnd(start, now crier.Time) crier.Time {
	months := max(0, (now.Year()-start.Year())*12+int(now.Month())-int(start.Month()))
	for {
		first := time.Date(start.Year(), start.Month()+time.Month(months), 1, start.Hour(), start.Minute(),
			start.Second(), start.Nanosecond(), time.UTC)
		day := min(start.Day(), first.AddDate(0, 1, -1).Day())
		if end := first.AddDate(0, 0, day-1); end.After(now.Time) && end.After(start.Time) {
			return crier.TimeOf(end)
		}
		months++
	}
}
