package crier

// Organization is the billing and credit boundary: teams, members, keys and credits belong to one.
type Organization struct {
	ID                               ID              `json:"id"`
	Name                             string          `json:"name"`
	BillingEmail                     *string         `json:"billingEmail"`
	OnboardingData                   *OnboardingData `json:"onboardingData"`
	PaymentCustomerID                *string         `json:"paymentCustomerId"`
	PaymentSubscriptionID            *string         `json:"paymentSubscriptionId"`
	PaymentMethodID                  *string         `json:"paymentMethodId"`
	PaymentMeteredSubscriptionItemID *string         `json:"paymentMeteredSubscriptionItemId"`
	CreditsBalance                   int64           `json:"creditsBalance" number:"true" doc:"The organization's credits; 1 credit is 0.001 USD."`
	ReservedCredits                  int64           `json:"reservedCredits" number:"true" doc:"Credits reserved for scheduled posts."`
	AutoRechargeEnabled              bool            `json:"autoRechargeEnabled"`
	AutoRechargeThreshold            *int64          `json:"autoRechargeThreshold" number:"true"`
	AutoRechargeAmount               *int64          `json:"autoRechargeAmount" number:"true"`
	IsSubscribed                     bool            `json:"isSubscribed"`
	SubscriptionStatus               string          `json:"subscriptionStatus" enum:"none,trialing,active,past_due,canceled"`
	SubscriptionPlan                 string          `json:"subscriptionPlan"`
	SubscriptionStartedAt            Time            `json:"subscriptionStartedAt"`
	SubscriptionEndsAt               Time            `json:"subscriptionEndsAt"`
	SubscriptionCurrentPeriodEnd     Time            `json:"subscriptionCurrentPeriodEnd"`
	MetricsPolicy                    MetricsPolicy   `json:"metricsPolicy" doc:"free: metrics that a network charges for are not read; all: they are, and cost credits by the list of costs."`
	ReturnOrigins                    []Origin        `json:"returnOrigins" doc:"Sites allowed in returnUrl of a connection, besides crier itself. An empty list allows any https URL."`
	CreatedAt                        Time            `json:"createdAt"`
	UpdatedAt                        Time            `json:"updatedAt"`
}

// OrganizationCreate is the request to create an organization.
type OrganizationCreate struct {
	Name Name `json:"name" doc:"2 to 64 characters after trimming, no control characters."`
}

// OrganizationUpdate is the request to update an organization; absent fields keep their value.
type OrganizationUpdate struct {
	Name                  Optional[Name]           `json:"name,omitzero"`
	BillingEmail          Optional[Email]          `json:"billingEmail,omitzero" null:"true"`
	OnboardingData        Optional[OnboardingData] `json:"onboardingData,omitzero" null:"true"`
	AutoRechargeEnabled   Optional[bool]           `json:"autoRechargeEnabled,omitzero" doc:"Needs a payment method; without one the request is a conflict."`
	AutoRechargeThreshold Optional[int64]          `json:"autoRechargeThreshold,omitzero" null:"true" minimum:"1" maximum:"1000000000000" doc:"Credits; required while autoRechargeEnabled is true."`
	AutoRechargeAmount    Optional[int64]          `json:"autoRechargeAmount,omitzero" null:"true" minimum:"1" maximum:"1000000000000" doc:"Credits; required while autoRechargeEnabled is true."`
	MetricsPolicy         Optional[MetricsPolicy]  `json:"metricsPolicy,omitzero" doc:"free: metrics that a network charges for are not read; all: they are, and cost credits by the list of costs."`
	ReturnOrigins         Optional[[]Origin]       `json:"returnOrigins,omitzero" maxItems:"50" doc:"Exact origins such as https://app.example.com; http only on this machine. Duplicates are removed."`
}

// OnboardingData are an organization's answers during onboarding. They are stored as given.
type OnboardingData struct {
	Version             int                  `json:"version" number:"true" enum:"1"`
	Status              string               `json:"status" enum:"in_progress,completed"`
	CurrentStep         string               `json:"currentStep" enum:"organization_profile,job_role,workspace_setup,goals,mcp_cli_setup,spend_cap,completed"`
	CompletedSteps      []string             `json:"completedSteps" enum:"organization_profile,job_role,workspace_setup,goals,mcp_cli_setup,spend_cap,completed" maxItems:"100" doc:"Duplicates are removed."`
	OrganizationProfile *OrganizationProfile `json:"organizationProfile,omitempty"`
	WorkspaceProfile    *WorkspaceProfile    `json:"workspaceProfile,omitempty"`
	Goals               *OnboardingGoals     `json:"goals,omitempty"`
	CompletedAt         Optional[Time]       `json:"completedAt,omitzero" null:"true" doc:"Set by the server when status becomes completed."`
}

// OrganizationProfile is the step organization_profile.
type OrganizationProfile struct {
	DisplayName Name   `json:"displayName"`
	JobRole     string `json:"jobRole,omitempty" enum:"developer_or_technical_founder,founder_or_owner,marketing_or_social,agency_or_client_services,operations_or_admin,other"`
}

// WorkspaceProfile is the step workspace_setup.
type WorkspaceProfile struct {
	TeamName Name    `json:"teamName"`
	Website  *WebURL `json:"website" maxLength:"2048"`
}

// OnboardingGoals is the step goals.
type OnboardingGoals struct {
	PrimaryGoal string `json:"primaryGoal,omitempty" enum:"vibe_marketing,social_media_marketing,automated_campaigns_for_clients"`
	TeamSize    string `json:"teamSize,omitempty" enum:"1-5,6-20,21-50,51+"`
}
