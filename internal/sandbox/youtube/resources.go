package youtube

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// videoParts are the objects of a video that can be read.
var videoParts = []string{"snippet", "status", "contentDetails", "statistics", "processingDetails", "player",
	"paidProductPlacementDetails",
	"recordingDetails", "localizations", "topicDetails", "suggestions", "fileDetails", "liveStreamingDetails"}

// etag returns a tag for something that changed at a time.
func etag(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, " ")))
	return hex.EncodeToString(sum[:10])
}

// listReply returns the response with a list.
func listReply(kind string, items []map[string]any, total int, nextPage string) sim.Reply {
	body := map[string]any{"kind": kind, "etag": etag(kind, fmt.Sprint(items)), "items": items,
		"pageInfo": map[string]int{"totalResults": total, "resultsPerPage": len(items)}}
	if nextPage != "" {
		body["nextPageToken"] = nextPage
	}
	return sim.Reply{Status: http.StatusOK, Body: body}
}

// resource returns the resource of a video. Some parts are only for its channel. It needs a running View.
func (n *network) resource(r *http.Request, v video, parts []string, owner bool) map[string]any {
	status := n.status(v)
	out := map[string]any{"kind": "youtube#video", "etag": etag(v.ID, v.Metadata.Snippet.Title, fmt.Sprint(status)),
		"id": v.ID}
	for _, part := range parts {
		switch part {
		case "snippet":
			out[part] = n.snippet(r, v)
		case "status":
			out[part] = status
		case "contentDetails":
			out[part] = contentDetails(v)
		case "statistics":
			out[part] = n.statistics(v)
		case "paidProductPlacementDetails":
			out[part] = v.Metadata.Placement
		case "processingDetails":
			if owner {
				out[part] = n.processing(v)
			}
		case "recordingDetails":
			out[part] = orEmpty(v.Metadata.Recording)
		case "localizations":
			out[part] = orEmpty(v.Metadata.Localizations)
		}
	}
	return out
}

func orEmpty(raw json.RawMessage) any {
	if len(raw) == 0 {
		return struct{}{}
	}
	return raw
}

func (n *network) snippet(r *http.Request, v video) map[string]any {
	s := v.Metadata.Snippet
	channel, _ := n.env.Accounts.Get(v.ChannelID)
	out := map[string]any{"publishedAt": wireTime(v.UploadedAt), "channelId": v.ChannelID, "channelTitle": channel.Name,
		"title":       s.Title,
		"description": s.Description, "categoryId": s.CategoryID, "liveBroadcastContent": "none",
		"thumbnails": n.thumbnails(r, v.ID),
		"localized":  map[string]string{"title": s.Title, "description": s.Description}}
	if len(s.Tags) > 0 {
		out["tags"] = s.Tags
	}
	if s.DefaultLanguage != "" {
		out["defaultLanguage"] = s.DefaultLanguage
	}
	if s.DefaultAudioLanguage != "" {
		out["defaultAudioLanguage"] = s.DefaultAudioLanguage
	}
	return out
}

// thumbnails returns the thumbnails of a video, in YouTube's sizes.
func (n *network) thumbnails(r *http.Request, id string) map[string]any {
	sizes := map[string]any{}
	for size, width := range map[string]int{"default": 120, "medium": 320, "high": 480} {
		height := width * 9 / 16
		if size != "medium" {
			height = width * 3 / 4
		}
		sizes[size] = map[string]any{"url": n.env.AvatarURL(r, id+"."+size+".png"), "width": width, "height": height}
	}
	return sizes
}

func (n *network) status(v video) map[string]any {
	s := v.Metadata.Status
	out := map[string]any{"uploadStatus": n.uploadStatus(v), "privacyStatus": s.privacyAt(n.env.Now()),
		"license":    s.License,
		"embeddable": s.Embeddable == nil || *s.Embeddable, "publicStatsViewable": s.PublicStats == nil ||
			*s.PublicStats,
		"madeForKids": s.MadeForKids, "selfDeclaredMadeForKids": s.MadeForKids,
		"containsSyntheticMedia": s.SyntheticMedia}
	switch out["uploadStatus"] {
	case "failed":
		out["failureReason"] = v.Failure
	case "rejected":
		out["rejectionReason"] = v.Rejection
	}
	if s.PublishAt != "" && out["privacyStatus"] == privacyPrivate {
		out["publishAt"] = s.PublishAt
	}
	return out
}

func (n *network) isProcessed(v video) bool {
	return n.env.Now().Sub(v.UploadedAt) >= n.env.Options.ProcessingTime
}

func (n *network) uploadStatus(v video) string {
	switch {
	case !n.isProcessed(v):
		return "uploaded"
	case v.Failure != "":
		return "failed"
	case v.Rejection != "":
		return "rejected"
	default:
		return "processed"
	}
}

func (n *network) processing(v video) map[string]any {
	switch {
	case !n.isProcessed(v):
		return map[string]any{"processingStatus": "processing"}
	case v.Failure != "":
		return map[string]any{"processingStatus": "failed", "processingFailureReason": "transcodeFailed"}
	case v.Rejection != "":
		return map[string]any{"processingStatus": "terminated"}
	default:
		return map[string]any{"processingStatus": "succeeded"}
	}
}

func contentDetails(v video) map[string]any {
	definition := "sd"
	if v.Shape.Height >= 720 {
		definition = "hd"
	}
	return map[string]any{"duration": isoDuration(v.Shape.Duration), "dimension": "2d", "definition": definition,
		"caption":         strconv.FormatBool(len(v.Captions) > 0),
		"licensedContent": false, "projection": "rectangular", "hasCustomThumbnail": v.Thumbnail}
}

// isoDuration formats a duration as YouTube does, in whole seconds.
func isoDuration(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	out := "PT"
	if h := seconds / 3600; h > 0 {
		out += strconv.FormatInt(h, 10) + "H"
	}
	if m := seconds / 60 % 60; m > 0 {
		out += strconv.FormatInt(m, 10) + "M"
	}
	if s := seconds % 60; s > 0 || seconds == 0 {
		out += strconv.FormatInt(s, 10) + "S"
	}
	return out
}

// statistics returns counts as strings. Nobody watches here: everybody who likes a video counts as a viewer.
func (n *network) statistics(v video) map[string]string {
	p, _ := n.env.Posts.Get(v.ID)
	likes := n.env.Likes(p)
	return map[string]string{"viewCount": strconv.Itoa(p.ViewsOr(likes)), "likeCount": strconv.Itoa(likes),
		"favoriteCount": "0",
		"commentCount":  strconv.Itoa(n.env.Posts.CountChildren(v.ID, sim.KindComment))}
}
