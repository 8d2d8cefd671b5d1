package x

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// mediaLifetime is how long an uploaded file can be posted.
const mediaLifetime = 24 * time.Hour

// medium is a file that is being or was uploaded.
type medium struct {
	ID        string    `json:"id"`
	OwnerID   string    `json:"owner"`
	Others    []string  `json:"others,omitempty"` // other accounts that may post it
	Type      string    `json:"type"`
	Category  string    `json:"category"`
	Total     int64     `json:"total"`
	ExpiresAt time.Time `json:"expires"`
	// Next is the segment that extends the digest; Early are the sizes of those that arrived out of order.
	Next       int           `json:"next"`
	Early      map[int]int64 `json:"early,omitempty"`
	Digest     sim.Digest    `json:"digest"`
	OutOfOrder bool          `json:"outOfOrder,omitempty"`
	// FinishedAt is when it was complete; processing starts then.
	FinishedAt time.Time `json:"finished,omitzero"`
	Failure    string    `json:"failure,omitempty"`
	AltText    string    `json:"alt,omitempty"`
}

// received returns how many bytes have arrived.
func (m medium) received() int64 {
	size := m.Digest.Size
	for _, early := range m.Early {
		size += early
	}
	return size
}

// usableBy reports whether an account may post the file.
func (m medium) usableBy(accountID string) bool {
	return m.OwnerID == accountID || slices.Contains(m.Others, accountID)
}

// needsProcessing reports whether X processes the file after the upload.
func (m medium) needsProcessing() bool {
	return strings.HasSuffix(m.Category, "_video") || strings.HasSuffix(m.Category, "_gif")
}

// state returns the state of the processing: it only needs time.
func (m medium) state(now time.Time, length time.Duration) string {
	elapsed := now.Sub(m.FinishedAt)
	switch {
	case m.FinishedAt.IsZero():
		return ""
	case !m.needsProcessing():
		return "succeeded"
	case elapsed < length/2:
		return "pending"
	case elapsed < length:
		return "in_progress"
	case m.Failure != "":
		return "failed"
	default:
		return "succeeded"
	}
}

// sim returns the file as timelines show it.
func (m medium) sim() sim.Media {
	file, err := m.Digest.Media()
	if err != nil || m.OutOfOrder {
		file = sim.Media{Type: m.Type, Size: m.received()}
	}
	file.ID, file.AltText = m.ID, m.AltText
	return file
}

// key returns the file's key, which starts with the number of its kind.
func (m medium) key() string {
	switch {
	case strings.HasSuffix(m.Category, "video"):
		return "13_" + m.ID
	case strings.HasSuffix(m.Category, "gif"):
		return "16_" + m.ID
	default:
		return "3_" + m.ID
	}
}

// mediaView is a file as the upload endpoints return it.
type mediaView struct {
	ID               string      `json:"id"`
	MediaKey         string      `json:"media_key,omitempty"`
	Size             int64       `json:"size,omitempty"`
	ExpiresAfterSecs int64       `json:"expires_after_secs,omitempty"`
	Image            *imageView  `json:"image,omitempty"`
	ProcessingInfo   *processing `json:"processing_info,omitempty"`
}

type imageView struct {
	ImageType string `json:"image_type"`
	W         int    `json:"w"`
	H         int    `json:"h"`
}

type processing struct {
	State           string           `json:"state"`
	CheckAfterSecs  int              `json:"check_after_secs,omitempty"`
	ProgressPercent int              `json:"progress_percent,omitempty"`
	Error           *processingError `json:"error,omitempty"`
}

type processingError struct {
	Code    int    `json:"code"`
	Name    string `json:"name"`
	Message string `json:"message"`
}

func (n *network) view(m medium) mediaView {
	now := n.env.Now()
	v := mediaView{ID: m.ID, MediaKey: m.key(), Size: m.received(),
		ExpiresAfterSecs: int64(m.ExpiresAt.Sub(now).Seconds())}
	if !m.needsProcessing() {
		return v
	}
	switch state := m.state(now, n.env.Options.ProcessingTime); state {
	case "":
	case "failed":
		v.ProcessingInfo = &processing{State: state,
			Error: &processingError{Code: 1, Name: "InvalidMedia", Message: m.Failure}}
	case "succeeded":
		v.ProcessingInfo = &processing{State: state, ProgressPercent: 100}
	case "in_progress":
		v.ProcessingInfo = &processing{State: state, CheckAfterSecs: 1, ProgressPercent: 50}
	default:
		v.ProcessingInfo = &processing{State: state, CheckAfterSecs: 1}
	}
	return v
}

// categoryTypes are the types that X accepts for a category.
var categoryTypes = map[string][]string{
	"tweet_image":   {"image/jpeg", "image/png", "image/webp", "image/gif"},
	"dm_image":      {"image/jpeg", "image/png", "image/webp", "image/gif"},
	"tweet_gif":     {"image/gif"},
	"dm_gif":        {"image/gif"},
	"tweet_video":   {"video/mp4", "video/quicktime"},
	"dm_video":      {"video/mp4", "video/quicktime"},
	"amplify_video": {"video/mp4", "video/quicktime"},
	"subtitles":     {"text/plain"},
}

// categoryBytes are the maximum sizes of a category, for an account that is not Premium.
var categoryBytes = map[string]int64{
	"tweet_image": 5 << 20, "dm_image": 5 << 20, "tweet_gif": 15 << 20, "dm_gif": 15 << 20,
	"tweet_video": 512 << 20, "dm_video": 512 << 20, "amplify_video": 512 << 20, "subtitles": 1 << 20,
}

// inspect returns what is wrong with a complete file, or "".
func (m medium) inspect() string {
	if !slices.Contains(categoryTypes[m.Category], m.Digest.Type) {
		return "file is currently unsupported"
	}
	return ""
}

// find returns a file of the caller that has not expired. It needs a running View or Update.
func (n *network) find(id string, c caller) (medium, bool) {
	m, ok := n.media.Get(id)
	return m, ok && m.usableBy(c.accountID) && n.env.Now().Before(m.ExpiresAt)
}

func mediaGone(id string) sim.Reply {
	return invalid("media_id", id, "Media id "+id+" is unknown or has expired.")
}

// status returns the processing state of a file.
func (n *network) status(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	if q.Get("command") != "STATUS" {
		return invalid("command", q.Get("command"), "The `command` query parameter must be STATUS")
	}
	var m medium
	found := false
	n.env.View(func() { m, found = n.find(q.Get("media_id"), c) })
	if !found {
		return mediaGone(q.Get("media_id"))
	}
	return sim.Reply{Status: http.StatusOK, Body: data{n.view(m)}}
}
