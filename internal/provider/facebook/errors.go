package facebook

import (
	"errors"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Marks of errors, which are more specific than their class.
var (
	// errLink means that Facebook could not read the page behind a link.
	errLink = errors.New("the link could not be read")
	// errPosted means that the same photos were posted before, perhaps by the attempt without a response.
	errPosted = errors.New("the photos were posted before")
)

func rejected(number int, as provider.Code) []graph.Rule {
	// Numbers of this range occur as a code or as a subcode.
	return []graph.Rule{{Code: number, Kind: provider.Rejected, As: as},
		{Subcode: number, Kind: provider.Rejected, As: as}}
}

func needsPerson(number int) []graph.Rule {
	return []graph.Rule{
		{Code: number, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount},
		{Subcode: number, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount},
	}
}

// rules are Facebook's errors besides those of the whole Graph API.
var rules = newRules()

func newRules() []graph.Rule {
	list := []graph.Rule{
		{Code: 1, Subcode: 2853006, Kind: provider.AuthExpired, As: provider.CodePermissionMissing,
			Scope: provider.ScopeAccount},
		{Code: 1366051, Kind: provider.Rejected, As: provider.CodeDuplicateContent, Mark: errPosted},
		{Subcode: 1366051, Kind: provider.Rejected, As: provider.CodeDuplicateContent, Mark: errPosted},
		{Code: 1609005, Kind: provider.Rejected, As: provider.CodeContentRejected, Mark: errLink},
		{Subcode: 1609005, Kind: provider.Rejected, As: provider.CodeContentRejected, Mark: errLink},
		{Code: 1363042, Kind: provider.AuthExpired, As: provider.CodePermissionMissing, Scope: provider.ScopeAccount},
		{Subcode: 1363042, Kind: provider.AuthExpired, As: provider.CodePermissionMissing,
			Scope: provider.ScopeAccount},
		{Says: "No permission to publish the video", Kind: provider.AuthExpired, As: provider.CodePermissionMissing,
			Scope: provider.ScopeAccount},
	}
	for _, number := range []int{1404078, 4854002, 1404006} {
		list = append(list, needsPerson(number)...)
	}
	for _, number := range []int{324, 2069019, 1363022, 1363023, 1363024, 1363026, 1363040, 1363127, 1363128, 1363129} {
		list = append(list, rejected(number, provider.CodeMediaRejected)...)
	}
	for _, number := range []int{1609008, 1500, 2061006, 1705, 2500} {
		list = append(list, rejected(number, provider.CodeContentRejected)...)
	}
	for _, number := range []int{1363047, 1609010, 1363019, 1363030} {
		list = append(list, graph.Rule{Code: number, Ambiguous: true}, graph.Rule{Subcode: number, Ambiguous: true})
	}
	// The general codes come last: their subcodes are more specific.
	return append(list,
		graph.Rule{Code: 389, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
		graph.Rule{Code: 6000, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	)
}

// mediaError turns a rejection during an upload into an error about media.
func mediaError(err error) error {
	failure := provider.AsError(err)
	if failure != nil && failure.Kind == provider.Rejected && failure.Code == provider.CodeContentRejected {
		failure.Code = provider.CodeMediaRejected
	}
	return failure
}

func unreadable(err error) error {
	return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
		Message: "the media could not be read", Err: err}
}
