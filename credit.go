package crier

// CreditTransaction is one entry of an organization's ledger. The sum of Amount is the balance, the sum of
// ReservedAmount the reserved credits.
type CreditTransaction struct {
	ID              ID     `json:"id"`
	Kind            string `json:"kind" enum:"grant,reserve,capture,release,adjust"`
	Amount          int64  `json:"amount" number:"true"`
	ReservedAmount  int64  `json:"reservedAmount" number:"true"`
	ScheduledPostID *ID    `json:"scheduledPostId,omitempty"`
	CreatedAt       Time   `json:"createdAt"`
}

// CreditsEvent is the object of events about an organization's credits.
type CreditsEvent struct {
	CreditsBalance   int64 `json:"creditsBalance" number:"true"`
	ReservedCredits  int64 `json:"reservedCredits" number:"true"`
	AvailableCredits int64 `json:"availableCredits" number:"true"`
	Amount           int64 `json:"amount,omitempty" number:"true" doc:"How many were granted."`
	Threshold        int64 `json:"threshold,omitempty" number:"true" doc:"Below which credits are few."`
}

// Credits are the credits of an organization, and the prices.
type Credits struct {
	CreditsBalance   int64        `json:"creditsBalance" number:"true"`
	ReservedCredits  int64        `json:"reservedCredits" number:"true"`
	AvailableCredits int64        `json:"availableCredits" number:"true"`
	Costs            []CreditCost `json:"costs" doc:"Unlisted operations are free."`
}

// CreditCost is the price of one call to a network.
type CreditCost struct {
	Provider    Provider `json:"provider"`
	Operation   string   `json:"operation"`
	Credits     int64    `json:"credits" number:"true"`
	Description string   `json:"description"`
}
