package crier

// CreditTransaction is one entry of an organization's ledger. The sum of Amount is the balance, the sum of
// ReservedAmount what is reserved.
type CreditTransaction struct {
	ID              ID     `json:"id"`
	Kind            string `json:"kind" enum:"grant,reserve,capture,release,adjust"`
	Amount          int64  `json:"amount" number:"true"`
	ReservedAmount  int64  `json:"reservedAmount" number:"true"`
	ScheduledPostID *ID    `json:"scheduledPostId,omitempty"`
	CreatedAt       Time   `json:"createdAt"`
}
