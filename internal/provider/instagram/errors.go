package instagram

import (
	"cmp"
	"regexp"
	"strconv"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// spamPause is how long to pause an account that Instagram considers a spammer.
const spamPause = graph.BlockedPause

// rules are Instagram's errors besides those of the whole Graph API.
var rules = []graph.Rule{
	{Subcode: 2207051, Kind: provider.Temporary, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount,
		Pause: spamPause},
	{Subcode: 2207042, Kind: provider.RateLimited, As: provider.CodeQuotaExhausted, Scope: provider.ScopeAccount,
		Pause: graph.QuotaPause, Mark: graph.ErrQuota},
	{Subcode: 2207050, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount},
	{Subcode: 2207003, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	{Subcode: 2207020, Kind: provider.Temporary, As: provider.CodeProviderUnavailable, Mark: graph.ErrExpired},
	{Subcode: 2207001, Ambiguous: true},
	{Subcode: 2207032, Ambiguous: true},
	{Subcode: 2207053, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	{Subcode: 2207082, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	{Subcode: 2207006, Kind: provider.Temporary, As: provider.CodeProviderUnavailable, Mark: graph.ErrUnknownContainer},
	{Subcode: 2207008, Kind: provider.Temporary, As: provider.CodeProviderUnavailable, Mark: graph.ErrUnknownContainer},
	{Subcode: 2207027, Kind: provider.Temporary, As: provider.CodeProviderUnavailable, Mark: graph.ErrNotReady},
	{Subcode: 2207052, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	{Subcode: 2207077, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	{Subcode: 2207026, Kind: provider.Rejected, As: provider.CodeMediaRejected},
	{Subcode: 2207004, Kind: provider.Rejected, As: provider.CodeMediaRejected},
	{Subcode: 2207005, Kind: provider.Rejected, As: provider.CodeMediaRejected},
	{Subcode: 2207009, Kind: provider.Rejected, As: provider.CodeMediaRejected},
	{Subcode: 2207010, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207023, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207028, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207035, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207036, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207037, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207040, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207057, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207073, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Subcode: 2207081, Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Code: -1, Ambiguous: true},
	{Code: -2, Kind: provider.Temporary, As: provider.CodeProviderUnavailable},
}

// subcode is the number in the status of a failed container.
var subcode = regexp.MustCompile(`22070\d\d`)

// explain returns the error for a failed container, by the number in its status.
func explain(s graph.ContainerStatus) *provider.Error {
	e := &provider.Error{Kind: provider.Temporary, Code: provider.CodeMediaRejected, Err: graph.ErrTryAnew,
		Message: cmp.Or(s.Reason, "Instagram could not process the media")}
	number, err := strconv.Atoi(subcode.FindString(s.Reason))
	if err != nil {
		return e // no reason given: retry once
	}
	for _, rule := range rules {
		if rule.Subcode == number && !rule.Ambiguous {
			e.Kind, e.Code, e.Scope, e.RetryAfter, e.Err = rule.Kind, rule.As, rule.Scope, rule.Pause, rule.Mark
		}
	}
	return e
}
