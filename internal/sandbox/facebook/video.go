package facebook

import (
	"math"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Edges for uploading videos.
const (
	edgeVideos  = "videos"
	edgeReels   = "video_reels"
	edgeStories = "video_stories"
)

// Limits of videos.
const (
	minVideo     = 1 << 10
	maxVideo     = 10 << 30
	maxTransfer  = 2 << 30
	minReelTime  = 3 * time.Second
	maxReelTime  = 90 * time.Second
	maxStoryTime = 60 * time.Second
	maxVideoTime = 4 * time.Hour
	minShortSide = 540
	minLongSide  = 960

	// widest is the maximum aspect ratio of a video; the minimum is its inverse. The tolerance is for whole pixels.
	widest         = 16.0 / 9
	ratioTolerance = 0.05
)

var videoCodecs = []string{"avc1", "avc3", "hvc1", "hev1", "vp09", "av01"}

// failure is why a video cannot be processed.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

var (
	tooSmall    = failure{1363022, "The video file is too small. Please try again with a larger file."}
	tooLarge    = failure{1363023, "The video file is too large. Please try again with a smaller file."}
	wrongFormat = failure{1363024, "The video file you selected is in a format that we don't support."}
	tooLong     = failure{1363026, "The video you tried to upload is too long."}
	wrongRatio  = failure{1363040, "The video's aspect ratio must be between 16x9 and 9x16."}
	lowQuality  = failure{1363127, "Resolution too low. Video must have a minimum resolution of 540p."}
	wrongLength = failure{1363128,
		"The video's duration must be between 3 and 90 seconds for a reel, and at most 60 for a story."}
)

// video is a video of a Page, from its first byte.
type video struct {
	ID       string         `json:"id"`
	PageID   string         `json:"page"`
	Edge     string         `json:"edge"`
	Transfer graph.Transfer `json:"transfer"`
	Title    string         `json:"title,omitempty"`
	Text     string         `json:"text,omitempty"`
	// Failure is why it cannot be processed, which is reported when the processing time is over.
	Failure   *failure  `json:"failure,omitempty"`
	CreatedAt time.Time `json:"created"`
	// CompleteAt is when all bytes had arrived, FinishedAt when the app asked to publish it, and ReleasedAt when its
	// post was created.
	CompleteAt time.Time `json:"complete,omitzero"`
	FinishedAt time.Time `json:"finished,omitzero"`
	ReleasedAt time.Time `json:"released,omitzero"`
	PostID     string    `json:"post,omitempty"`
}

// complete handles the last byte.
func (v *video) complete(t graph.Transfer, at time.Time) {
	v.Transfer, v.CompleteAt = t, at
	file, err := t.File()
	if err != nil {
		v.Failure = &wrongFormat
		return
	}
	v.Failure = inspect(v.Edge, file)
}

// media returns the file as timelines show it.
func (v video) media() sim.Media {
	file, err := v.Transfer.File()
	if err != nil {
		return sim.Media{ID: v.ID, Size: v.Transfer.Size()}
	}
	file.ID = v.ID
	return file.Media
}

// inspect returns why a video cannot be processed, or nil.
func inspect(edge string, file graph.File) *failure {
	m := file.Movie
	ratio := m.Ratio()
	switch {
	case file.Size < minVideo:
		return &tooSmall
	case file.Size > maxVideo:
		return &tooLarge
	case !file.IsVideo() || !m.Whole() || (m.Video != "" && !slices.Contains(videoCodecs, m.Video)):
		return &wrongFormat
	case ratio != 0 && (ratio > widest+ratioTolerance || ratio < 1/widest-ratioTolerance):
		return &wrongRatio
	case edge == edgeVideos && m.Length > maxVideoTime:
		return &tooLong
	case edge == edgeVideos:
		return nil
	case min(m.Width, m.Height) < minShortSide || max(m.Width, m.Height) < minLongSide:
		return &lowQuality
	}
	longest := maxReelTime
	if edge == edgeStories {
		longest = maxStoryTime
	}
	if length := m.Length.Round(time.Second / 10); length > 0 && (length < minReelTime || length > longest) {
		return &wrongLength
	}
	return nil
}

// Statuses of a phase.
const (
	notStarted = "not_started"
	inProgress = "in_progress"
	complete   = "complete"
	failed     = "error"
)

// processing returns the status of the processing: it only needs time.
func (v video) processing(now time.Time, length time.Duration) string {
	switch {
	case v.CompleteAt.IsZero():
		return notStarted
	case now.Sub(v.CompleteAt) < length:
		return inProgress
	case v.Failure != nil:
		return failed
	default:
		return complete
	}
}

// isPublic reports whether the video's post is visible.
func (v video) isPublic(now time.Time, length time.Duration) bool {
	return v.PostID != "" && v.processing(now, length) == complete
}

// isOver reports whether an unfinished video has expired.
func (v video) isOver(now time.Time) bool {
	return v.FinishedAt.IsZero() && now.Sub(v.CreatedAt) >= unusedLife
}

// bytesCounter is the number of bytes that have arrived.
const bytesCounter = "bytes_transfered"

// status returns the status of the video, by phase.
func (v video) status(now time.Time, length time.Duration) graph.Object {
	processing := v.processing(now, length)
	uploading := graph.Object{"status": v.uploading(), bytesCounter: v.Transfer.Size()}
	work := graph.Object{"status": processing}
	if processing == failed {
		work["error"] = *v.Failure
		work["errors"] = []failure{*v.Failure}
	}
	return graph.Object{"video_status": v.summary(now, processing), "uploading_phase": uploading,
		"processing_phase": work, "publishing_phase": v.publishing(processing)}
}

func (v video) uploading() string {
	switch {
	case !v.CompleteAt.IsZero():
		return complete
	case v.Transfer.Size() > 0:
		return inProgress
	default:
		return notStarted
	}
}

func (v video) summary(now time.Time, processing string) string {
	switch {
	case processing == failed:
		return "error"
	case v.isOver(now):
		return "expired"
	case processing == complete:
		return "ready"
	default:
		return "processing"
	}
}

func (v video) publishing(processing string) graph.Object {
	switch {
	case v.FinishedAt.IsZero():
		return graph.Object{"status": notStarted}
	case processing == failed:
		return graph.Object{"status": failed, "publish_status": "not_published"}
	case v.PostID == "":
		return graph.Object{"status": complete, "publish_status": "scheduled"}
	case processing != complete:
		return graph.Object{"status": inProgress, "publish_status": "not_published"}
	default:
		return graph.Object{"status": complete, "publish_status": "published", "publish_time": v.ReleasedAt.Unix()}
	}
}

// failedStatus returns the status of a video that could not be processed.
func failedStatus(f failure) graph.Object {
	v := video{CompleteAt: time.Unix(0, 0), FinishedAt: time.Unix(0, 0), Failure: &f}
	return v.status(time.Unix(math.MaxInt32, 0), 0)
}

// videoSource returns the fields of a video.
func (n *network) videoSource(c *graph.Call, v video) graph.Source {
	now, length := n.Env.Now(), n.Env.Options.ProcessingTime
	values := map[string]any{"id": v.ID, "status": v.status(now, length), "post_id": nil,
		"permalink_url": n.Env.URL(c.Request, "/reel/"+v.ID), "published": v.isPublic(now, length),
		"title": textOrNil(v.Title), "description": textOrNil(v.Text), "created_time": graph.Timestamp(v.CreatedAt),
		"updated_time": graph.Timestamp(v.CreatedAt),
		"length":       v.Transfer.Movie.Length.Seconds(), "source": n.FileURL(c, v.media())}
	switch {
	case v.isPublic(now, length) && v.Edge == edgeStories:
		values["post_id"] = v.PostID
	case v.isPublic(now, length):
		values["post_id"] = v.PageID + "_" + v.PostID
	}
	return graph.Lookup(values)
}
