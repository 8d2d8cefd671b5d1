package tiktok

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf16"

	"crier/internal/sandbox/sim"
)

func (n *network) registerPublish() {
	n.env.RouteBy("POST /v2/post/publish/video/init/{$}", initOperation, n.checked(directInits, n.initDirect))
	n.env.RouteBy("POST /v2/post/publish/inbox/video/init/{$}", initOperation, n.checked(inboxInits, n.initInbox))
	n.env.Route("POST /v2/post/publish/content/init/{$}", sim.Publish, n.checked(postInits, n.initPhotos))
	n.env.Route("POST /v2/post/publish/status/fetch/{$}", sim.Read, n.checked(statusFetches, n.fetchStatus))
}

// initOperation distinguishes an init that publishes, since TikTok pulls the file, from one that only starts an upload.
func initOperation(r *http.Request) sim.Operation {
	body, err := sim.ReadBody(r)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var in initInput
	if err == nil && json.Unmarshal(body, &in) == nil && in.Source.Source == sourcePull {
		return sim.Publish
	}
	return sim.Upload
}

// postInfo is an app's description of a post. Titles of videos are their captions.
type postInfo struct {
	Title          string `json:"title,omitempty"`
	Description    string `json:"description,omitempty"`
	Privacy        string `json:"privacy_level,omitempty"`
	DisableDuet    bool   `json:"disable_duet,omitempty"`
	DisableComment bool   `json:"disable_comment,omitempty"`
	DisableStitch  bool   `json:"disable_stitch,omitempty"`
	CoverMs        int64  `json:"video_cover_timestamp_ms,omitempty"`
	BrandContent   bool   `json:"brand_content_toggle,omitempty"`
	BrandOrganic   bool   `json:"brand_organic_toggle,omitempty"`
	AIGenerated    bool   `json:"is_aigc,omitempty"`
	AutoAddMusic   bool   `json:"auto_add_music,omitempty"`
}

// Where the files come from.
const (
	sourceUpload = "FILE_UPLOAD"
	sourcePull   = "PULL_FROM_URL"
)

type sourceInfo struct {
	Source      string   `json:"source"`
	VideoSize   int64    `json:"video_size"`
	ChunkSize   int64    `json:"chunk_size"`
	TotalChunks int64    `json:"total_chunk_count"`
	VideoURL    string   `json:"video_url"`
	PhotoImages []string `json:"photo_images"`
	CoverIndex  int      `json:"photo_cover_index"`
}

type initInput struct {
	MediaType string     `json:"media_type"`
	PostMode  string     `json:"post_mode"`
	Post      postInfo   `json:"post_info"`
	Source    sourceInfo `json:"source_info"`
}

type initReply struct {
	PublishID string `json:"publish_id"`
	UploadURL string `json:"upload_url,omitempty"`
}

// initDirect starts the post of a video.
func (n *network) initDirect(r *http.Request, c caller) sim.Reply {
	var in initInput
	if err := sim.DecodeJSON(r, &in); err != nil {
		return n.invalidParam("The request body is invalid: " + err.Error())
	}
	if refusal := n.checkPost(in.Post, c.account, videoText); refusal != nil {
		return *refusal
	}
	return n.initVideo(r, c, in, false)
}

// initInbox starts the draft of a video. All settings of the post are left to the person.
func (n *network) initInbox(r *http.Request, c caller) sim.Reply {
	var in initInput
	if err := sim.DecodeJSON(r, &in); err != nil {
		return n.invalidParam("The request body is invalid: " + err.Error())
	}
	in.Post = postInfo{}
	return n.initVideo(r, c, in, true)
}

func (n *network) initVideo(r *http.Request, c caller, in initInput, inbox bool) sim.Reply {
	t := task{AccountID: c.account.ID, Inbox: inbox, Info: n.effective(in.Post, c.account)}
	var refusal *sim.Reply
	switch in.Source.Source {
	case sourceUpload:
		t.Size, t.ChunkSize = in.Source.VideoSize, in.Source.ChunkSize
		refusal = n.checkChunks(in.Source)
	case sourcePull:
		t.Pulled, t.Sources = true, []string{in.Source.VideoURL}
		refusal = n.checkSources(t.Sources)
	default:
		refusal = refuse(n.invalidParam("source must be FILE_UPLOAD or PULL_FROM_URL"))
	}
	if refusal != nil {
		return *refusal
	}
	return n.open(r, t)
}

// maxPhotos is the maximum number of pictures of a post.
const maxPhotos = 35

// initPhotos starts the post, or the draft, of pictures, which TikTok pulls.
func (n *network) initPhotos(r *http.Request, c caller) sim.Reply {
	var in initInput
	if err := sim.DecodeJSON(r, &in); err != nil {
		return n.invalidParam("The request body is invalid: " + err.Error())
	}
	inbox := in.PostMode == "MEDIA_UPLOAD"
	photos := in.Source.PhotoImages
	switch {
	case in.MediaType != "PHOTO":
		return n.invalidParam("media_type must be PHOTO")
	case !inbox && in.PostMode != "DIRECT_POST":
		return n.invalidParam("post_mode must be DIRECT_POST or MEDIA_UPLOAD")
	case inbox && !c.may(scopeUpload), !inbox && !c.may(scopePublish):
		return n.missingScope()
	case in.Source.Source != sourcePull:
		return n.invalidParam("source must be PULL_FROM_URL for photos")
	case len(photos) < 1 || len(photos) > maxPhotos:
		return n.invalidParam("photo_images must have 1 to 35 addresses")
	case in.Source.CoverIndex < 0 || in.Source.CoverIndex >= len(photos):
		return n.invalidParam("photo_cover_index is out of range")
	}
	refusal := n.checkSources(photos)
	if refusal == nil && !inbox {
		refusal = n.checkPost(in.Post, c.account, photoText)
	}
	if refusal != nil {
		return *refusal
	}
	return n.open(r, task{AccountID: c.account.ID, Inbox: inbox, Photo: true, Pulled: true, Sources: photos,
		Info: n.effective(in.Post, c.account)})
}

// textLimits are the maximum lengths of a post's texts, in UTF-16 code units.
type textLimits struct{ title, description int }

var (
	videoText = textLimits{title: 2200, description: 2200}
	photoText = textLimits{title: 90, description: 4000}
)

func units(text string) int { return len(utf16.Encode([]rune(text))) }

// checkPost rejects what the account may not post.
func (n *network) checkPost(p postInfo, a sim.Account, limits textLimits) *sim.Reply {
	switch {
	case units(p.Title) > limits.title:
		return refuse(n.invalidParam("title is too long"))
	case units(p.Description) > limits.description:
		return refuse(n.invalidParam("description is too long"))
	case p.Privacy == "":
		return refuse(n.invalidParam("privacy_level is required"))
	case n.settings.Unaudited && (!isPrivate(a) || p.Privacy != privacySelf):
		return refuse(n.failure(http.StatusForbidden, "unaudited_client_can_only_post_to_private_accounts",
			"Unaudited clients can only post to private accounts, with privacy level SELF_ONLY."))
	case !slices.Contains(privacyLevels(a), p.Privacy):
		return refuse(n.failure(http.StatusForbidden, "privacy_level_option_mismatch",
			"privacy_level is not one of the creator's privacy_level_options."))
	case p.BrandContent && p.Privacy == privacySelf:
		return refuse(n.invalidParam("Branded content cannot be private"))
	}
	return nil
}

// effective returns the effective settings: what the account does not allow stays off.
func (n *network) effective(p postInfo, a sim.Account) postInfo {
	if isPrivate(a) {
		p.DisableDuet, p.DisableStitch = true, true
	}
	return p
}

// open writes a task that passed all checks except the daily limits, and starts pulling if there is nothing to upload.
func (n *network) open(r *http.Request, asked task) sim.Reply {
	if !asked.Pulled {
		asked.UploadToken = newUploadToken()
	}
	var t task
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if n.dayIsFull(asked.AccountID, asked.Inbox) {
			return refuse(n.fullDay(asked.Inbox))
		}
		t = n.create(tx, asked)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	reply := initReply{PublishID: t.ID}
	if t.Pulled {
		n.pullPatiently(r.Context(), t.Number)
	} else {
		reply.UploadURL = n.uploadURL(r, t)
	}
	return n.ok(reply)
}

func (n *network) fullDay(inbox bool) sim.Reply {
	if inbox {
		return n.failure(http.StatusForbidden, "spam_risk_too_many_pending_share",
			"There may be at most 5 pending shares within any 24-hour period.")
	}
	return n.tooManyPosts(http.StatusForbidden)
}

type statusView struct {
	Status     string   `json:"status"`
	FailReason string   `json:"fail_reason"`
	PostIDs    []uint64 `json:"publicaly_available_post_id"`
	Uploaded   int64    `json:"uploaded_bytes"`
	Downloaded int64    `json:"downloaded_bytes"`
}

// fetchStatus returns the status of a post.
func (n *network) fetchStatus(r *http.Request, c caller) sim.Reply {
	var in struct {
		PublishID string `json:"publish_id"`
	}
	if err := sim.DecodeJSON(r, &in); err != nil {
		return n.invalidParam("The request body is invalid: " + err.Error())
	}
	var t task
	found := false
	n.env.View(func() { t, found = n.find(in.PublishID) })
	switch {
	case !found:
		return n.failure(http.StatusBadRequest, "invalid_publish_id", "The publish_id does not exist.")
	case t.AccountID != c.account.ID:
		return n.failure(http.StatusBadRequest, "token_not_authorized_for_specified_publish_id",
			"The access token is not authorized for the publish_id.")
	}
	view, err := n.statusView(t)
	if err != nil {
		return n.broken(err)
	}
	return n.ok(view)
}

// statusView returns the view of a task. A public post's id is added when moderation is finished.
func (n *network) statusView(t task) (statusView, error) {
	now, processing := n.env.Now(), n.env.Options.ProcessingTime
	v := statusView{Status: t.status(now, processing), PostIDs: []uint64{}, Uploaded: t.Digest.Size}
	if v.Status == statusFailed {
		v.FailReason = t.Failure
	}
	if t.Pulled {
		for _, file := range t.Media {
			v.Downloaded += file.Size
		}
	}
	if t.revealed(now, processing) {
		id, err := strconv.ParseUint(t.PostID, 10, 64)
		if err != nil {
			return v, fmt.Errorf("read post id: %w", err)
		}
		v.PostIDs = append(v.PostIDs, id)
	}
	return v, nil
}
