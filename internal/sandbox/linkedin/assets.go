package linkedin

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const (
	imagePrefix    = "urn:li:image:"
	videoPrefix    = "urn:li:video:"
	documentPrefix = "urn:li:document:"
)

// Statuses of a file.
const (
	statusWaiting    = "WAITING_UPLOAD"
	statusProcessing = "PROCESSING"
	statusFailed     = "PROCESSING_FAILED"
	statusAvailable  = "AVAILABLE"
)

// asset is a file that is being or was uploaded.
type asset struct {
	URN      string `json:"urn"`
	UploadID string `json:"upload"`
	Owner    string `json:"owner"`
	// Total is the announced size of videos.
	Total     int64      `json:"total,omitempty"`
	Parts     []part     `json:"parts"`
	Digest    sim.Digest `json:"digest"`
	ExpiresAt time.Time  `json:"expires"` // of the upload URLs
	// OutOfOrder is set if the parts of a video arrived in another order.
	OutOfOrder bool      `json:"outOfOrder,omitempty"`
	UploadedAt time.Time `json:"uploaded,omitzero"` // complete and finalized
	// Captions and thumbnail of a video: whether they were announced, and have arrived.
	Captions  beside `json:"captions,omitzero"`
	Thumbnail beside `json:"thumbnail,omitzero"`
}

// beside is a file that belongs to a video.
type beside struct {
	Announced bool `json:"announced,omitempty"`
	There     bool `json:"there,omitempty"`
}

// part is a part of a file with its own upload URL.
type part struct {
	First int64  `json:"first"`
	Last  int64  `json:"last"`
	ETag  string `json:"etag,omitempty"` // set when it has arrived
}

func (a asset) isImage() bool    { return strings.HasPrefix(a.URN, imagePrefix) }
func (a asset) isVideo() bool    { return strings.HasPrefix(a.URN, videoPrefix) }
func (a asset) isDocument() bool { return strings.HasPrefix(a.URN, documentPrefix) }

// status returns the status of the file: after the upload it only needs time. Pictures need less of it.
func (a asset) status(now time.Time, processing time.Duration) string {
	if a.isImage() {
		processing /= 4
	}
	switch {
	case a.UploadedAt.IsZero():
		return statusWaiting
	case now.Sub(a.UploadedAt) < processing:
		return statusProcessing
	case a.failure() != "":
		return statusFailed
	default:
		return statusAvailable
	}
}

// Limits of files.
const (
	maxPixels     = 36_152_320
	minVideo      = 75 << 10
	maxVideo      = 500 << 20
	maxInitialize = 5 << 30
	maxDocument   = 100 << 20
	maxImage      = 20 << 20
)

var (
	imageTypes    = []string{"image/jpeg", "image/png", "image/gif"}
	videoTypes    = []string{"video/mp4"}
	documentTypes = []string{"application/pdf", "application/zip", "application/x-ole-storage"}
)

// failure returns why a file cannot be processed, or "".
func (a asset) failure() string {
	switch {
	case a.isImage() && !slices.Contains(imageTypes, a.Digest.Type):
		return "the image is neither JPG, PNG nor GIF"
	case a.isImage() && a.Digest.Width*a.Digest.Height >= maxPixels:
		return "the image has too many pixels"
	case a.isVideo() && !slices.Contains(videoTypes, a.Digest.Type):
		return "the video is no MP4"
	case a.isVideo() && (a.Total < minVideo || a.Total > maxVideo):
		return "the video is smaller than 75 KB or larger than 500 MB"
	case a.isDocument() && !slices.Contains(documentTypes, a.Digest.Type):
		return "the document is neither PDF, PPT nor DOC"
	}
	return ""
}

// media returns the file as timelines show it.
func (a asset) media(altText string) sim.Media {
	file, err := a.Digest.Media()
	if err != nil || a.OutOfOrder {
		file = sim.Media{Type: a.Digest.Type, Size: a.Total}
	}
	file.ID, file.AltText = a.URN, altText
	return file
}

func (n *network) followAssets(urn string, _, after *asset) {
	if after != nil {
		n.assetByID[after.UploadID] = urn
	}
}

type assetView struct {
	ID                      string `json:"id"`
	Owner                   string `json:"owner"`
	Status                  string `json:"status"`
	ProcessingFailureReason string `json:"processingFailureReason,omitempty"`
	Thumbnail               string `json:"thumbnail,omitempty"`
}

type logoView struct {
	ID          string `json:"id"`
	Owner       string `json:"owner"`
	Status      string `json:"status"`
	DownloadURL string `json:"downloadUrl"`
}

// logoOf returns the logo of an organization, which existed before the sandbox started.
func (n *network) logoOf(r *http.Request, urn string) (view logoView, isLogo bool) {
	id, isImage := strings.CutPrefix(urn, imagePrefix)
	n.env.View(func() { _, isLogo = n.organization(id) })
	return logoView{ID: urn, Owner: organizationPrefix + id, Status: statusAvailable,
		DownloadURL: n.env.AvatarURL(r, id+".png")}, isImage && isLogo
}

// getAsset returns the status of a file. A member's token can read videos only.
func (n *network) getAsset(prefix, resource string) handler {
	return func(r *http.Request, c caller) sim.Reply {
		if prefix != videoPrefix && !c.may("r_organization_social", "w_organization_social") {
			return denied(resource + ".GET.20260701")
		}
		if logo, isLogo := n.logoOf(r, r.PathValue("urn")); isLogo {
			return sim.Reply{Status: http.StatusOK, Body: logo}
		}
		var a asset
		found, isOwn := false, false
		n.env.View(func() {
			a, found = n.assets.Get(r.PathValue("urn"))
			isOwn = a.Owner == c.member.ID || n.administers(c, a.Owner)
		})
		switch {
		case !found || !strings.HasPrefix(a.URN, prefix):
			return notFound(r.PathValue("urn"))
		case !isOwn:
			return restError(http.StatusForbidden, 0, "ACCESS_DENIED",
				"Accessing this "+strings.TrimSuffix(resource, "s")+" resource is forbidden")
		}
		view := assetView{ID: a.URN, Owner: a.Owner, Status: a.status(n.env.Now(), n.env.Options.ProcessingTime)}
		if a.Thumbnail.There {
			view.Thumbnail = n.env.URL(r, "/dms-uploads/"+a.UploadID+"/thumbnail")
		}
		if view.Status == statusFailed {
			view.ProcessingFailureReason = a.failure()
		}
		return sim.Reply{Status: http.StatusOK, Body: view}
	}
}
