package youtube

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

func (n *network) registerVideos() {
	n.env.Route("GET /youtube/v3/videos", sim.Read, n.checked(listThings, n.listVideos))
	n.env.Route("DELETE /youtube/v3/videos", sim.Delete, n.checked(changeThings, n.deleteVideo))
}

// video is a complete upload. If it is visible, it is also a post.
type video struct {
	ID         string    `json:"id"`
	ChannelID  string    `json:"channel"`
	Metadata   metadata  `json:"metadata"`
	File       sim.Media `json:"file"`
	Shape      mp4.Shape `json:"shape"`
	UploadedAt time.Time `json:"uploaded"`
	// Failure and Rejection are the results of processing.
	Failure   string `json:"failure,omitempty"`
	Rejection string `json:"rejection,omitempty"`
	// Thumbnail is set if the channel set its own thumbnail.
	Thumbnail bool      `json:"thumbnail,omitempty"`
	Captions  []caption `json:"captions,omitempty"`
}

// maxShort is the maximum duration of a Short, which must not be wider than high.
const maxShort = 3 * time.Minute

func (v video) isShort() bool {
	return v.Shape.Known() && v.Shape.Height >= v.Shape.Width && v.Shape.Duration <= maxShort
}

// text returns the text on a timeline.
func (v video) text() string {
	return strings.TrimSpace(v.Metadata.Snippet.Title + "\n\n" + v.Metadata.Snippet.Description)
}

// isVisible reports whether a channel may see the video.
func (v video) isVisible(channel string, now time.Time) bool {
	return v.ChannelID == channel || v.Metadata.Status.privacyAt(now) != privacyPrivate
}

// Durations of videos.
const (
	maxLength           = 12 * time.Hour
	maxUnverifiedLength = 15 * time.Minute
)

// judge returns the result of processing a video: a failure, a rejection or neither. A file whose index cannot be read
// passes.
func (v video) judge(channel sim.Account) (failure, rejection string) {
	switch {
	case !strings.HasPrefix(v.File.Type, "video/"):
		return "invalidFile", ""
	case v.Shape.Duration > maxLength, v.Shape.Duration > maxUnverifiedLength && !isVerified(channel):
		return "", "length"
	default:
		return "", ""
	}
}

// finish creates the video of an upload whose last byte has arrived, and returns its id.
func (n *network) finish(tx *sim.Tx, s session) (string, *sim.Reply) {
	file, err := s.Digest.Media()
	if err != nil {
		return "", refuse(n.broken(err))
	}
	v := video{ID: newID(tx), ChannelID: s.ChannelID, Metadata: s.Metadata, Shape: s.Scan.Shape(), UploadedAt: tx.Now()}
	file.ID = v.ID
	if v.Shape.Known() {
		file.Width, file.Height = v.Shape.Width, v.Shape.Height
	}
	v.File = file
	if n.settings.Unaudited {
		v.Metadata.Status.Privacy, v.Metadata.Status.PublishAt = privacyPrivate, ""
	}
	channel, _ := n.env.Accounts.Get(s.ChannelID)
	v.Failure, v.Rejection = v.judge(channel)
	n.videos.Put(tx, v.ID, v)
	if v.Failure == "" && v.Rejection == "" {
		n.env.Posts.Put(tx, sim.Post{ID: v.ID, AccountID: v.ChannelID, Kind: sim.KindPost, Text: v.text(),
			Media: []sim.Media{file}, CreatedAt: tx.Now()})
	}
	s.VideoID, s.Digest, s.Scan = v.ID, sim.Digest{Size: s.Digest.Size}, mp4.Movie{}
	n.sessions.Put(tx, s.ID, s)
	return v.ID, nil
}

// followVideos updates the index of uploads.
func (n *network) followVideos(id string, before, after *video) {
	switch {
	case before == nil:
		n.uploads[after.ChannelID] = append(n.uploads[after.ChannelID], id)
	case after == nil:
		n.uploads[before.ChannelID] = slices.DeleteFunc(n.uploads[before.ChannelID],
			func(other string) bool { return other == id })
	}
}

// maxIDs is the maximum number of videos per call.
const maxIDs = 50

// listVideos returns videos by id. Those that the caller may not see are omitted.
func (n *network) listVideos(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	parts, refusal := readParts(q, videoParts)
	if refusal != nil {
		return *refusal
	}
	if q.Get("id") == "" {
		return badRequest("missingRequiredParameter", "No filter selected. Expected one of: id")
	}
	ids := strings.Split(strings.Join(q["id"], ","), ",")
	if len(ids) > maxIDs {
		return badRequest("invalidFilters", "The request specifies an invalid number of ids: at most 50")
	}
	items := []map[string]any{}
	n.env.View(func() {
		for _, id := range ids {
			if v, ok := n.videos.Get(id); ok && v.isVisible(c.channel.ID, n.env.Now()) {
				items = append(items, n.resource(r, v, parts, v.ChannelID == c.channel.ID))
			}
		}
	})
	return listReply("youtube#videoListResponse", items, len(items), "")
}

// own returns a video that the caller may change. It needs a running View or Update.
func (n *network) own(id string, c caller) (video, *sim.Reply) {
	v, ok := n.videos.Get(id)
	switch {
	case !ok || !v.isVisible(c.channel.ID, n.env.Now()):
		return v, refuse(videoNotFound())
	case v.ChannelID != c.channel.ID:
		return v, refuse(forbidden("youtube.video"))
	default:
		return v, nil
	}
}

// deleteVideo deletes a video.
func (n *network) deleteVideo(r *http.Request, c caller) sim.Reply {
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		v, refusal := n.own(r.URL.Query().Get("id"), c)
		if refusal != nil {
			return refusal
		}
		n.videos.Delete(tx, v.ID)
		if p, live := n.env.Posts.Live(v.ID); live {
			n.env.Posts.Delete(tx, p)
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusNoContent}
}
