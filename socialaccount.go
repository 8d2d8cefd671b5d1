package crier

import (
	"encoding/json"
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
	ID                   ID                 `json:"id"`
	TeamID               ID                 `json:"teamId"`
	Provider             Provider           `json:"provider"`
	ProviderAccountID    string             `json:"providerAccountId"`
	DisplayName          string             `json:"displayName"`
	ProfileHandle        *string            `json:"profileHandle"`
	ProfileImageURL      *string            `json:"profileImageUrl"`
	AccountSubType       *string            `json:"accountSubType"`
	Status               AccountStatus      `json:"status"`
	Scopes               []string           `json:"scopes"`
	ProviderSettings     json.RawMessage    `json:"providerSettings" doc:"Details of the connection; never a secret."`
	Capabilities         JSON[Capabilities] `json:"capabilities" doc:"The capabilities of the network and this connection, as data."`
	Sandbox              bool               `json:"sandbox" doc:"The account is on the sandbox that ships with crier."`
	ConnectedAt          Time               `json:"connectedAt"`
	DisconnectedAt       *Time              `json:"disconnectedAt"`
	CreatedAt            Time               `json:"createdAt"`
	UpdatedAt            Time               `json:"updatedAt"`
	AccountHealthIssue   *string            `json:"accountHealthIssue" enum:"verification_required,auth_failed,rate_limited"`
	AccountHealthMessage *string            `json:"accountHealthMessage"`
	AccountHealthSince   *Time              `json:"accountHealthSince"`
	MetricsHint          *string            `json:"metricsHint" doc:"Why crier cannot read the account's metrics, such as a permission that was not granted. Publishing is not affected."`
	ConnectionEndsAt     *Time              `json:"connectionEndsAt" doc:"When the connection expires and cannot be renewed: reconnect the account before. Null when no expiry is known."`
	PostsAtRisk          int64              `json:"postsAtRisk" number:"true" doc:"Number of scheduled posts that cannot be published unless the account is reconnected."`
}

// SocialAccountList is all accounts of a team.
type SocialAccountList struct {
	Data []SocialAccount `json:"data"`
}

// SocialAccountUpdate is the request to enable or disable an account.
type SocialAccountUpdate struct {
	Status string `json:"status" enum:"connected,disabled"`
}

// ConnectRequest is the request to start connecting an account.
type ConnectRequest struct {
	Provider  Provider `json:"provider"`
	ReturnURL *WebURL  `json:"returnUrl,omitempty" null:"true" doc:"Where the person's browser is redirected afterwards, with socialAccountIds or error in the query. An https URL, or http on this machine; one of crier itself or of the organization's returnOrigins, if there are any."`
}

// ConnectResponse has the URL to send the person to.
type ConnectResponse struct {
	ConnectionID     ID     `json:"connectionId" doc:"Contained in the event social_account.connection_failed if the connection fails."`
	AuthorizationURL string `json:"authorizationUrl"`
	ExpiresAt        Time   `json:"expiresAt"`
}

// AccountChoices are the values that a publish setting can have on an account, as reported by its network.
type AccountChoices struct {
	Setting string          `json:"setting"`
	Data    []AccountChoice `json:"data"`
	Face    *AccountFace    `json:"face,omitempty" doc:"The account's current profile on its network, if the network includes it."`
}

// AccountChoice is one value of a setting.
type AccountChoice struct {
	Value  string `json:"value" doc:"The value of the setting; true and false for booleans."`
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty" doc:"Distinguishes values with the same label."`
}

// AccountFace is the name and picture of an account.
type AccountFace struct {
	DisplayName string `json:"displayName"`
	Handle      string `json:"handle,omitempty"`
	ImageURL    string `json:"imageUrl,omitempty"`
}

// MentionList is the result of a search for mentions.
type MentionList struct {
	Data []Mention `json:"data"`
}

// Mention is a person or an organization that a post can mention.
type Mention struct {
	ID       string `json:"id" doc:"Their id on the network, such as a URN."`
	Name     string `json:"name"`
	Handle   string `json:"handle,omitempty"`
	ImageURL string `json:"imageUrl,omitempty"`
	Kind     string `json:"kind" enum:"person,organization"`
}

// ProviderList describes the networks of this installation.
type ProviderList struct {
	Data []JSON[ProviderInfo] `json:"data"`
}
