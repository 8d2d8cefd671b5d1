package threads

import (
	"errors"
	"fmt"
	"net/http"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// validation is the type of validation errors.
const validation = "THApiException"

var (
	throttled = graph.Problem{Status: http.StatusForbidden, Code: 4,
		Message: "(#4) Application request limit reached", Transient: true}
	quotaReached = graph.Problem{Status: http.StatusForbidden, Code: 9, Subcode: 2207042, Type: validation,
		Message: "Application request limit reached", Title: "Maximum number of posts reached",
		Text: "You have reached the maximum number of posts that can be published in 24 hours."}
	restricted = graph.Problem{Code: 25, Subcode: 4279013, Message: "The Threads account is restricted.",
		Title: "Account restricted", Text: "The account is restricted or blocked. Log in to Threads to see what to do."}
	featureless = graph.Problem{Code: 100, Type: validation, Message: "THREADS_API__FEATURE_NOT_AVAILABLE",
		Title: "Feature not available", Text: "This feature is not available for this account."}
	manyLinks = graph.Problem{Code: 100, Type: validation, Message: "THREADS_API__LINK_LIMIT_EXCEEDED",
		Title: "Too many links", Text: "A post can have at most 5 links."}
	badFetch = graph.Problem{Code: 9004, Subcode: 2207052, Message: "The media could not be fetched from this URI",
		Title: "Media download has failed", Text: "The media could not be fetched from this URI."}
	fetchTimeout = graph.Problem{Code: -2, Subcode: 2207003, Message: "It takes too long to download the media.",
		Title: "Media download timeout", Text: "It takes too long to download the media."}
	imageSize = graph.Problem{Code: 36000, Subcode: 2207004, Message: "The image size is too large.",
		Title: "Image size too large", Text: "The image is too large to download. It should be less than 8 MiB."}
	imageFormat = graph.Problem{Code: 36001, Subcode: 2207005, Message: "The image format is not supported.",
		Title: "Unsupported image format", Text: "The image must be a JPEG or a PNG."}
	imageRatio = graph.Problem{Code: 36003, Subcode: 2207009, Message: "The aspect ratio is not supported.",
		Title: "Invalid aspect ratio", Text: "The aspect ratio of an image can be at most 10:1."}
)

// mediaNotFound returns the problem of a container that does not exist, or is not ready, and of a path with another
// account's id.
func mediaNotFound(id string) graph.Problem {
	return graph.Problem{Code: 24, Subcode: 4279009, Message: "The requested resource does not exist",
		Title: "Media Not Found",
		Text:  "The media with id " + id + " cannot be found."}
}

// invalid returns the rejection of a parameter.
func invalid(format string, args ...any) *sim.Reply {
	return graph.Problem{Code: 100, Type: validation, Message: fmt.Sprintf(format, args...)}.Refuse()
}

// fetchProblem returns why a picture could not be fetched.
func fetchProblem(err error) graph.Problem {
	switch {
	case errors.Is(err, graph.ErrTimeout):
		return fetchTimeout
	case errors.Is(err, graph.ErrTooLarge):
		return imageSize
	default:
		return badFetch
	}
}

// Fault returns the response of a scripted failure.
func (n *network) Fault(r *http.Request, f sim.Fault) sim.Reply {
	return n.API.Fault(r, f, func() sim.Reply { return rejected(r, f) })
}

// rejected returns the response to a rejected call, and to one of a restricted account.
func rejected(r *http.Request, f sim.Fault) sim.Reply {
	switch {
	case f.Kind == sim.Restricted:
		return restricted.Reply()
	case f.Operation == sim.Upload && r.Method == http.MethodGet:
		return graph.OK(graph.Object{"id": r.PathValue("node"), "status": graph.Failed,
			"error_message": failedProcessing})
	case f.Operation == sim.Upload:
		return badFetch.Reply()
	default:
		return *invalid("The content was rejected")
	}
}
