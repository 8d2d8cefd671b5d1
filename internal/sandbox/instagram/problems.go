package instagram

import (
	"errors"
	"net/http"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

var throttled = graph.Problem{Code: 80002,
	Message: "(#80002) There have been too many calls to this Instagram account. Wait a bit and try again. " +
		"For more info, please refer to https://developers.facebook.com/docs/graph-api/overview/rate-limiting."}

// The subcodes of problems with media, which also occur in the status of a container.
const (
	subcodeTimeout     = 2207003
	subcodeImageSize   = 2207004
	subcodeImageFormat = 2207005
	subcodeRatio       = 2207009
	subcodeVideo       = 2207026
	subcodeFetch       = 2207052
)

var (
	mediaNotFound = graph.Problem{Code: 24, Subcode: 2207006, Message: "The requested resource does not exist",
		Title: "Media not found", Text: "The media you are trying to access could not be found."}
	builderGone = graph.Problem{Code: 24, Subcode: 2207008, Message: "The requested resource does not exist",
		Title: "Media builder not found",
		Text:  "The media builder with this creation id does not exist or has expired."}
	expired = graph.Problem{Code: -2, Subcode: 2207020, Message: "The media has expired", Title: "Media expired",
		Text: "The media you are trying to access has expired."}
	notReady = graph.Problem{Code: 9007, Subcode: 2207027, Message: "Media ID is not available",
		Title: "Media not ready", Text: "The media is not ready for publishing, please wait for a moment."}
	quotaReached = graph.Problem{Status: http.StatusForbidden, Code: 9, Subcode: 2207042,
		Message: "Application request limit reached", Title: "Maximum number of posts reached",
		Text: "You have reached the maximum number of posts that can be published by the Content Publishing API."}
	restricted = graph.Problem{Code: 25, Subcode: 2207050, Message: "The Instagram account is restricted.",
		Title: "Account restricted",
		Text:  "The Instagram professional account is inactive, checkpointed, or restricted."}
	longCaption = graph.Problem{Code: 36004, Subcode: 2207010, Message: "The caption was too long.",
		Title: "Caption too long", Text: "The caption can have at most 2,200 characters, 30 hashtags and 20 @ tags."}
	manyMentions = graph.Problem{Code: 100, Subcode: 2207040, Message: "Cannot use more than 20 tags.",
		Title: "Too many tags", Text: "The caption can have at most 20 @ tags."}
	wrongKind = graph.Problem{Code: 100, Subcode: 2207023,
		Message: "The media type is unknown or not allowed here.", Title: "Unknown media type",
		Text: "The media_type must be one of CAROUSEL, REELS, STORIES, and VIDEO in a carousel."}
	wrongCount = graph.Problem{Code: 100, Subcode: 2207028, Message: "The number of carousel items is not allowed.",
		Title: "Carousel validation failed", Text: "A carousel needs 2 to 10 photos or videos."}
	badOffset = graph.Problem{Code: 1, Subcode: 2207057, Message: "The thumbnail offset is invalid.",
		Title: "Invalid thumbnail offset", Text: "The thumbnail offset must be inside the video."}
	badLocation = graph.Problem{Code: 100, Message: "INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID"}
	badVideo    = graph.Problem{Code: 352, Subcode: subcodeVideo, Message: "The video format is not supported.",
		Title: "Unsupported video format", Text: "Check the specifications for the video formats."}
	badFetch = graph.Problem{Code: 9004, Subcode: subcodeFetch,
		Message: "Only photo or video can be accepted as media type.", Title: "Media download has failed",
		Text: "The media could not be fetched from this URI."}
	fetchTimeout = graph.Problem{Code: -2, Subcode: subcodeTimeout,
		Message: "It takes too long to download the media.", Title: "Media download timeout",
		Text: "It takes too long to download the media."}
	imageSize = graph.Problem{Code: 36000, Subcode: subcodeImageSize, Message: "The image size is too large.",
		Title: "Image size too large", Text: "The image is too large to download. It should be less than 8 MiB."}
	imageFormat = graph.Problem{Code: 36001, Subcode: subcodeImageFormat,
		Message: "The image format is not supported.", Title: "Unsupported image format",
		Text: "The image format is not supported. Please use JPEG."}
	imageRatio = graph.Problem{Code: 36003, Subcode: subcodeRatio, Message: "The aspect ratio is not supported.",
		Title: "Invalid aspect ratio",
		Text:  "The submitted image has an aspect ratio that cannot be published: it must be 4:5 to 1.91:1."}
)

// fetchProblem returns why a file could not be fetched.
func fetchProblem(err error, tooLarge graph.Problem) graph.Problem {
	switch {
	case errors.Is(err, graph.ErrTimeout):
		return fetchTimeout
	case errors.Is(err, graph.ErrTooLarge):
		return tooLarge
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
		return graph.OK(graph.Object{"id": r.PathValue("node"), "status_code": graph.Failed,
			"status": failedStatus(badVideo.Subcode)})
	case f.Operation == sim.Upload:
		return badVideo.Reply()
	default:
		return graph.Invalid("The content was rejected")
	}
}
