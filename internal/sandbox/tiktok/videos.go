package tiktok

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

func (n *network) registerVideos() {
	n.env.Route("POST /v2/video/list/{$}", sim.Read, n.checked(videoLists, n.listVideos))
	n.env.Route("POST /v2/video/query/{$}", sim.Read, n.checked(videoQueries, n.queryVideos))
}

// maxVideos is the maximum number of videos per call.
const maxVideos = 20

var videoFields = []string{"id", "create_time", "cover_image_url", "share_url", "video_description", "duration",
	"height", "width", "title",
	"embed_html", "embed_link", "like_count", "comment_count", "share_count", "view_count"}

// fields returns the requested fields.
func (n *network) fields(r *http.Request) ([]string, *sim.Reply) {
	text := r.URL.Query().Get("fields")
	if text == "" {
		return nil, refuse(n.invalidParams("The parameter fields is required."))
	}
	list := strings.Split(text, ",")
	for _, field := range list {
		if !slices.Contains(videoFields, field) {
			return nil, refuse(n.invalidParams("Invalid field: " + field))
		}
	}
	return list, nil
}

type listReply struct {
	Videos  []map[string]any `json:"videos"`
	Cursor  int64            `json:"cursor"`
	HasMore bool             `json:"has_more"`
}

// listVideos returns an account's public posts, newest first. The cursor is the time of the oldest one returned so far,
// in milliseconds.
func (n *network) listVideos(r *http.Request, c caller) sim.Reply {
	in := struct {
		Cursor   int64 `json:"cursor"`
		MaxCount int   `json:"max_count"`
	}{MaxCount: 10}
	fields, refusal := n.fields(r)
	if refusal != nil {
		return *refusal
	}
	if err := sim.DecodeJSON(r, &in); err != nil {
		return n.invalidParams("The request body is invalid: " + err.Error())
	}
	if in.MaxCount < 1 || in.MaxCount > maxVideos {
		return n.invalidParams("max_count must be 1 to 20")
	}
	reply := listReply{Videos: []map[string]any{}}
	n.env.View(func() {
		for _, id := range slices.Backward(n.env.Posts.ByAccount(c.account.ID)) {
			p, ok := n.revealedPost(id)
			if !ok || (in.Cursor > 0 && p.CreatedAt.UnixMilli() >= in.Cursor) {
				continue
			}
			if len(reply.Videos) == in.MaxCount {
				reply.HasMore = true
				return
			}
			reply.Videos = append(reply.Videos, n.video(r, p, c.account, fields))
			reply.Cursor = p.CreatedAt.UnixMilli()
		}
	})
	return n.ok(reply)
}

// queryVideos returns some of an account's public posts by id. Others are omitted.
func (n *network) queryVideos(r *http.Request, c caller) sim.Reply {
	var in struct {
		Filters struct {
			VideoIDs []string `json:"video_ids"`
		} `json:"filters"`
	}
	fields, refusal := n.fields(r)
	if refusal != nil {
		return *refusal
	}
	if err := sim.DecodeJSON(r, &in); err != nil {
		return n.invalidParams("The request body is invalid: " + err.Error())
	}
	if len(in.Filters.VideoIDs) < 1 || len(in.Filters.VideoIDs) > maxVideos {
		return n.invalidParams("video_ids must have 1 to 20 ids")
	}
	videos := []map[string]any{}
	n.env.View(func() {
		for _, id := range in.Filters.VideoIDs {
			if p, ok := n.revealedPost(id); ok && p.AccountID == c.account.ID {
				videos = append(videos, n.video(r, p, c.account, fields))
			}
		}
	})
	return n.ok(map[string]any{"videos": videos})
}

// revealedPost returns a post that may be known to everybody. It needs a running View.
func (n *network) revealedPost(id string) (sim.Post, bool) {
	p, live := n.env.Posts.Live(id)
	t, _ := n.tasks.Get(n.byPost[id])
	return p, live && t.revealed(n.env.Now(), n.env.Options.ProcessingTime)
}

// video returns the requested fields of a post. It needs a running View.
func (n *network) video(r *http.Request, p sim.Post, author sim.Account, fields []string) map[string]any {
	t, _ := n.tasks.Get(n.byPost[p.ID])
	description := t.Info.Description
	if !t.Photo {
		description = t.Info.Title
	}
	address, likes := n.env.URL(r, n.PostPath(p, author)), n.env.Likes(p)
	all := map[string]any{
		"id": p.ID, "create_time": p.CreatedAt.Unix(), "cover_image_url": n.env.AvatarURL(r, p.ID+".png"),
		"share_url":         address,
		"video_description": description, "title": t.Info.Title, "embed_html": "", "embed_link": address,
		"duration": int64(t.Duration / time.Second),
		"height":   0, "width": 0, "like_count": likes, "comment_count": 0, "share_count": 0,
		"view_count": p.ViewsOr(likes),
	}
	if len(p.Media) > 0 {
		all["height"], all["width"] = p.Media[0].Height, p.Media[0].Width
	}
	video := map[string]any{}
	for _, field := range fields {
		video[field] = all[field]
	}
	return video
}
