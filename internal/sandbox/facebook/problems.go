package facebook

import (
	"net/http"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

var (
	throttled = graph.Problem{Code: 80001,
		Message: "(#80001) There have been too many calls to this Page account. Wait a bit and try again. " +
			"For more info, please refer to https://developers.facebook.com/docs/graph-api/overview/rate-limiting."}
	pageTokenNeeded = graph.Problem{Code: 190, Subcode: 2069032,
		Message: "A Page access token is required for this call. User Access Token Is Not Supported",
		Title:   "User Access Token Is Not Supported",
		Text:    "A Page access token is required for this call for the new Pages experience."}
	duplicate = graph.Problem{Code: 506, Subcode: 1455006, Message: "Duplicate status message",
		Title: "Duplicate Status Update",
		Text: "This status update is identical to the last one you posted. Try posting something different, or " +
			"delete your previous update."}
	usedPhoto = graph.Problem{Code: 100, Subcode: 1366051, Message: "(#100) These photos were already posted.",
		Title: "Already Posted", Text: "These photos were already posted."}
	restricted = graph.Problem{Status: http.StatusForbidden, Code: 368, Subcode: 1404112,
		Message: "The action attempted has been deemed abusive or is otherwise disallowed", Title: "Limited access",
		Text: "Your access to this feature is limited for now."}
	badLink = graph.Problem{Code: 1500, Subcode: 2061006, Message: "(#1500) The url you supplied is invalid",
		Title: "Invalid URL"}
	ownLink = graph.Problem{Code: 100, Subcode: 1609008,
		Message: "(#100) Links to facebook.com cannot be posted."}
	badImage = graph.Problem{Code: 324, Subcode: 2069019, Message: "(#324) Missing or invalid image file",
		Title: "Invalid image", Text: "The image must be a JPEG, BMP, PNG, GIF or TIFF."}
	largeImage = graph.Problem{Code: 324, Subcode: 1366046, Message: "(#324) Missing or invalid image file",
		Title: "Can't Read Files",
		Text: "Your photos couldn't be uploaded. Photos should be less than 10 MB and saved as JPG, PNG, GIF, TIFF, " +
			"HEIF or WebP files."}
	badVideoFetch = graph.Problem{Code: 389, Message: "(#389) Unable to fetch video file from URL."}
	uploadProblem = graph.Problem{Code: 6000, Subcode: 1363019,
		Message: "There was a problem uploading your video file. Please try again.", Title: "Video Upload Problem"}
	tooManyReels = graph.Problem{Status: http.StatusForbidden, Code: 613,
		Message: "(#613) Calls to this api have exceeded the rate limit: 30 reels in 24 hours."}
)

func noPermission(why string) graph.Problem {
	return graph.Problem{Status: http.StatusForbidden, Code: 200, Message: "(#200) " + why}
}

// videoProblem returns the problem of a video that cannot be processed.
func videoProblem(f failure) graph.Problem {
	return graph.Problem{Code: 6000, Subcode: f.Code, Message: f.Message, Title: "Video Upload Problem",
		Text: f.Message}
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
		return graph.OK(graph.Object{"id": r.PathValue("node"), "status": failedStatus(wrongFormat)})
	case f.Operation == sim.Upload && r.PathValue("edge") == "photos":
		return badImage.Reply()
	case f.Operation == sim.Upload:
		return videoProblem(wrongFormat).Reply()
	default:
		return graph.Invalid("The content was rejected")
	}
}
