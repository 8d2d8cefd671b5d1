package crier

import (
	"fmt"
	"strconv"
	"time"
)

// Bounds of API keys.
const (
	MaxKeyTeams = 100
	// MaxRotationGraceSeconds is the maximum time that the old secret of a rotated key stays valid.
	MaxRotationGraceSeconds = 24 * 60 * 60
)

// APIKey is a credential of an organization, used directly as a bearer token. It does not contain the secret.
type APIKey struct {
	ID             ID           `json:"id"`
	OrganizationID ID           `json:"organizationId"`
	Name           string       `json:"name"`
	Role           Role         `json:"role"`
	Permissions    []Permission `json:"permissions" null:"true" doc:"Permissions the key is restricted to; null means all of its role."`
	TeamIDs        []ID         `json:"teamIds" null:"true" doc:"Teams the key is restricted to; null means all."`
	LastFour       string       `json:"lastFour" doc:"The last four characters of the secret, to distinguish keys."`
	CreatedByID    *ID          `json:"createdById" doc:"The person behind the key."`
	ExpiresAt      *Time        `json:"expiresAt"`
	LastUsedAt     *Time        `json:"lastUsedAt" doc:"Accurate to the minute."`
	CreatedAt      Time         `json:"createdAt"`
	UpdatedAt      Time         `json:"updatedAt"`
}

// APIKeyWithSecret is the response to the creation and the rotation of a key: the only time the secret is shown.
type APIKeyWithSecret struct {
	APIKey
	Secret string `json:"secret,omitempty" doc:"Shown once. A replayed response does not contain it."`
}

// WithoutSecret returns the response as it may be stored.
func (k APIKeyWithSecret) WithoutSecret() any {
	k.Secret = ""
	return k
}

// APIKeyCreate is the request to create a key.
type APIKeyCreate struct {
	Name        Name         `json:"name" doc:"2 to 64 characters after trimming, no control characters."`
	Role        Role         `json:"role" doc:"Not above the caller's own role."`
	Permissions []Permission `json:"permissions,omitempty" null:"true" minItems:"1" maxItems:"18" uniqueItems:"true" doc:"Restricts the key; the role and the caller must have each of them."`
	TeamIDs     []ID         `json:"teamIds,omitempty" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"Restricts the key to some teams of the organization."`
	ExpiresAt   *Time        `json:"expiresAt,omitempty" null:"true" doc:"In the future; null or absent means that the key does not expire."`
}

// APIKeyRotate is the request to rotate the secret of a key.
type APIKeyRotate struct {
	GraceSeconds int `json:"graceSeconds,omitempty" minimum:"0" maximum:"86400" doc:"How long the old secret stays valid; 0, the default, ends it at once."`
}

// Validate checks the rules that the schema does not cover.
func (in APIKeyCreate) Validate(now time.Time) []Issue {
	var issues []Issue
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		issues = append(issues, At("must be in the future", "expiresAt"))
	}
	for i, p := range in.Permissions {
		if in.Role.Rank() > 0 && !in.Role.Can(p) {
			issues = append(issues, At(fmt.Sprintf("is not held by the role %s", in.Role), "permissions",
				strconv.Itoa(i)))
		}
	}
	return issues
}
