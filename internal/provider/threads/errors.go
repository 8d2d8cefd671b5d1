package threads

import (
	"cmp"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// rules are Threads' errors besides those of the whole Graph API. Subcodes of the 2207 family are shared with
// Instagram.
var rules = []graph.Rule{
	{Code: 24, Subcode: 4279009, Kind: provider.Temporary, As: provider.CodeProviderUnavailable,
		Mark: graph.ErrUnknownContainer},
	{Subcode: 2207052, Kind: provider.Temporary, As: provider.CodeMediaRejected, Mark: graph.ErrTryAnew},
	{Says: "media could not be fetched from this URI", Kind: provider.Temporary, As: provider.CodeMediaRejected,
		Mark: graph.ErrTryAnew},
	{Says: "Media download has failed", Kind: provider.Temporary, As: provider.CodeMediaRejected,
		Mark: graph.ErrTryAnew},
	{Subcode: 2207050, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount},
	{Subcode: 2207051, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount},
	{Subcode: 4279013, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Scope: provider.ScopeAccount},
	{Subcode: 2207042, Kind: provider.RateLimited, As: provider.CodeQuotaExhausted, Scope: provider.ScopeAccount,
		Pause: graph.QuotaPause, Mark: graph.ErrQuota},
	{Says: "THREADS_API__FEATURE_NOT_AVAILABLE", Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Says: "THREADS_API__LINK_LIMIT_EXCEEDED", Kind: provider.Rejected, As: provider.CodeContentRejected},
	{Says: "THREADS_API__GEO_GATING", Kind: provider.Rejected, As: provider.CodeContentRejected},
}

// failures are the reasons of failed containers, for people.
var failures = map[string]string{
	"FAILED_DOWNLOADING_VIDEO":     "Threads could not fetch the video",
	"FAILED_PROCESSING_AUDIO":      "Threads could not process the sound",
	"FAILED_PROCESSING_VIDEO":      "Threads could not process the video",
	"INVALID_ASPEC_RATIO":          "the aspect ratio is not accepted",
	"INVALID_BIT_RATE":             "the bit rate is not accepted",
	"INVALID_DURATION":             "the length is not accepted",
	"INVALID_FRAME_RATE":           "the frame rate is not accepted",
	"INVALID_AUDIO_CHANNELS":       "the number of sound channels is not accepted",
	"INVALID_AUDIO_CHANNEL_LAYOUT": "the layout of the sound channels is not accepted",
}

// mayPass are the failures for which a new container may help, once.
var mayPass = map[string]bool{"FAILED_DOWNLOADING_VIDEO": true, "UNKNOWN": true, "": true}

// explain returns the error for a failed container.
func explain(s graph.ContainerStatus) *provider.Error {
	message, known := failures[s.Reason]
	if !known {
		message = "Threads could not process the post: " + cmp.Or(s.Reason, "it does not say why")
	}
	e := &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: message}
	if mayPass[s.Reason] {
		e.Kind, e.Err = provider.Temporary, graph.ErrTryAnew
	}
	return e
}
