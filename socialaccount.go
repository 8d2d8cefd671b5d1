package crier

import (
	"encoding/json"
	"net/url"
	"time"
)

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
	ConnectionEndsAt     *Time           `json:"connectionEndsAt" doc:"When the connection ends without a way to renew it: connect the account again before. Null when no end is known."`
	PostsAtRisk          int64           `json:"postsAtRisk" number:"true" doc:"How many scheduled posts cannot be published unless the account is connected again."`
}

// SocialAccountList is all accounts of a team.
type SocialAccountList struct {
	Data []SocialAccount `json:"data"`
}

// SocialAccountUpdate is the body that switches an account on or off.
type SocialAccountUpdate struct {
	Status string `json:"status" enum:"connected,disabled"`
}

// ConnectRequest is the body that begins to connect an account.
type ConnectRequest struct {
	Provider  Provider `json:"provider"`
	ReturnURL *WebURL  `json:"returnUrl,omitempty" null:"true" doc:"Where the person's browser goes afterwards, with socialAccountIds or error in the query. An https address, or http on this machine."`
}

// Validate keeps a token of this flow from being sent somewhere in the clear.
func (in ConnectRequest) Validate(time.Time) []Issue {
	if in.ReturnURL == nil {
		return nil
	}
	u, err := url.Parse(string(*in.ReturnURL))
	if err != nil {
		return []Issue{At("must be an address", "returnUrl")}
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && !local {
		return []Issue{At("must be an https address, or http on this machine", "returnUrl")}
	}
	return nil
}

// ConnectResponse tells where to send the person.
type ConnectResponse struct {
	AuthorizationURL string `json:"authorizationUrl"`
	ExpiresAt        Time   `json:"expiresAt"`
}

// ProviderList is what the networks of this installation can do.
type ProviderList struct {
	Data []json.RawMessage `json:"data" doc:"Per network: name, displayName, abilities, formats with their limits, comment, settings, scopes, costs, rateLimits."`
}
