package providertest

import (
	"maps"

	"crier/internal/provider"
)

// Class is the classification of an error.
type Class struct {
	Kind provider.Kind
	Code provider.Code
}

// Classes returns the network's classification of the faults of publishing calls, by kind.
func (n Network) Classes() map[string]Class {
	classes := map[string]Class{
		"rate_limit":    {provider.RateLimited, provider.CodeRateLimited},
		"outage":        {provider.OutcomeUnknown, provider.CodeOutcomeUnknown},
		"slow":          {},
		"lost_response": {provider.OutcomeUnknown, provider.CodeOutcomeUnknown},
		"auth_expired":  {provider.AuthExpired, provider.CodeAuthExpired},
		"reject":        {provider.Rejected, provider.CodeContentRejected},
		"restricted":    {provider.Rejected, provider.CodeAccountRestricted},
	}
	maps.Copy(classes, n.Faults)
	return classes
}

// End is how a publication ended.
type End string

// The ends of publications.
const (
	Published End = "published"
	Refused   End = "refused"    // by the network, permanently
	Unknown   End = "unknown"    // cannot be determined: a person has to check
	LostToken End = "lost token" // the account has to be reconnected
)

// Ends returns how a publication may end if its call failed once with an error of the class.
func (n Network) Ends(info provider.Info, c Class) []End {
	switch {
	case c.Kind == provider.Rejected:
		return []End{Refused}
	case c.Kind == provider.AuthExpired && (!info.Abilities.Refresh || n.RenewsInTime):
		return []End{LostToken}
	case c.Kind == provider.OutcomeUnknown && n.NeverSureOfAbsence:
		return []End{Published, Unknown}
	}
	return []End{Published}
}
