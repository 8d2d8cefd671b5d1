package crier

import "encoding/json"

// AccountStatus says whether an account can be used.
type AccountStatus string

// The states of a social account.
const (
	AccountConnected     AccountStatus = "connected"
	AccountDisabled      AccountStatus = "disabled"
	AccountRefreshNeeded AccountStatus = "refresh_needed"
	AccountDisconnected  AccountStatus = "disconnected"
)

// Enum lists the values on the wire.
func (AccountStatus) Enum() []string {
	return enumOf([]AccountStatus{AccountConnected, AccountDisabled, AccountRefreshNeeded, AccountDisconnected})
}

// SocialAccount is an account on a network that a team has connected.
type SocialAccount struct {
	ID                   ID              `json:"id"`
	TeamID               ID              `json:"teamId"`
	Provider             Provider        `json:"provider"`
	ProviderAccountID    string          `json:"providerAccountId"`
	DisplayName          string          `json:"displayName"`
	ProfileHandle        *string         `json:"profileHandle"`
	ProfileImageURL      *string         `json:"profileImageUrl"`
	AccountSubType       *string         `json:"accountSubType"`
	Status               AccountStatus   `json:"status"`
	Scopes               []string        `json:"scopes"`
	ProviderSettings     json.RawMessage `json:"providerSettings" doc:"What the connection carries; never a secret."`
	Capabilities         json.RawMessage `json:"capabilities" doc:"What the network and this connection can do, as data."`
	Sandbox              bool            `json:"sandbox" doc:"The account lives on the simulator that ships with crier."`
	ConnectedAt          Time            `json:"connectedAt"`
	DisconnectedAt       *Time           `json:"disconnectedAt"`
	CreatedAt            Time            `json:"createdAt"`
	UpdatedAt            Time            `json:"updatedAt"`
	AccountHealthIssue   *string         `json:"accountHealthIssue" enum:"verification_required,auth_failed,rate_limited"`
	AccountHealthMessage *string         `json:"accountHealthMessage"`
	AccountHealthSince   *Time           `json:"accountHealthSince"`
}

// SocialAccountList is all accounts of a team.
type SocialAccountList struct {
	Data []SocialAccount `json:"data"`
}

// SocialAccountUpdate is the body that switches an account on or off.
type SocialAccountUpdate struct {
	Status string `json:"status" enum:"connected,disabled"`
}
