package youtube

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"crier/internal/sandbox/sim"
)

func (n *network) registerComments() {
	n.env.Route("POST /youtube/v3/commentThreads", sim.Comment, n.checked(writeComment, n.insertThread))
	n.env.Route("GET /youtube/v3/commentThreads", sim.Read, n.checked(listComments, n.listThreads))
	n.env.Route("DELETE /youtube/v3/comments", sim.Delete, n.checked(writeComment, n.deleteComment))
}

var listComments = endpoint{unitBucket, 1, []string{scopeForceSSL}}

// maxComment is the maximum length of a comment, in characters.
const maxComment = 10_000

var commentParts = []string{"snippet", "replies"}

type commentInput struct {
	TextOriginal string `json:"textOriginal"`
	ParentID     string `json:"parentId"`
}

func checkComment(domain, text string) *sim.Reply {
	switch {
	case strings.TrimSpace(text) == "":
		return refuse(failure(http.StatusBadRequest, domain, "commentTextRequired",
			"The resource that is being inserted must specify a value for the textOriginal property. Comments cannot "+
				"be empty."))
	case utf8.RuneCountInString(text) > maxComment:
		return refuse(failure(http.StatusBadRequest, domain, "commentTextTooLong",
			"The resource that is being inserted contains too many characters in the textOriginal property."))
	}
	return nil
}

// insertThread starts a comment thread on a video.
func (n *network) insertThread(r *http.Request, c caller) sim.Reply {
	const domain = "youtube.commentThread"
	var in struct {
		Snippet struct {
			ChannelID string `json:"channelId"`
			VideoID   string `json:"videoId"`
			TopLevel  struct {
				Snippet commentInput `json:"snippet"`
			} `json:"topLevelComment"`
		} `json:"snippet"`
	}
	if _, refusal := readParts(r.URL.Query(), commentParts); refusal != nil {
		return *refusal
	}
	if err := sim.DecodeJSON(r, &in); err != nil {
		return badRequest("parseError", "Parse Error")
	}
	text := in.Snippet.TopLevel.Snippet.TextOriginal
	if in.Snippet.ChannelID == "" || in.Snippet.VideoID == "" {
		return failure(http.StatusBadRequest, domain, "channelOrVideoIdMissing",
			"The resource that is being inserted must specify values for the channelId and videoId properties.")
	}
	if refusal := checkComment(domain, text); refusal != nil {
		return *refusal
	}
	p := sim.Post{AccountID: c.channel.ID, Kind: sim.KindComment, ParentID: in.Snippet.VideoID, Text: text}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if refusal := n.commentable(in.Snippet.VideoID, c); refusal != nil {
			return refusal
		}
		p.ID, p.CreatedAt = "Ugx"+newID(tx)+newID(tx)+"AaABAg", tx.Now()
		n.env.Posts.Put(tx, p)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return n.commentReply(r, p, n.thread)
}

// commentable rejects comments on videos that do not allow them. It needs a running View or Update.
func (n *network) commentable(videoID string, c caller) *sim.Reply {
	v, ok := n.videos.Get(videoID)
	_, live := n.env.Posts.Live(videoID)
	switch {
	case !ok || !live || !v.isVisible(c.channel.ID, n.env.Now()):
		return refuse(videoNotFound())
	case v.Metadata.Status.MadeForKids, v.Metadata.Status.privacyAt(n.env.Now()) == privacyPrivate:
		return refuse(failure(http.StatusForbidden, "youtube.commentThread", "commentsDisabled",
			"The video identified by the videoId parameter has disabled comments."))
	}
	return nil
}

// commentReply returns the response with a new comment.
func (n *network) commentReply(r *http.Request, p sim.Post,
	show func(*http.Request, sim.Post) map[string]any) sim.Reply {
	var body map[string]any
	n.env.View(func() { body = show(r, p) })
	return sim.Reply{Status: http.StatusOK, Body: body}
}

// comment returns the resource of a comment. It needs a running View.
func (n *network) comment(r *http.Request, p sim.Post) map[string]any {
	author, _ := n.env.Accounts.Get(p.AccountID)
	snippet := map[string]any{"textDisplay": p.Text, "textOriginal": p.Text, "authorDisplayName": "@" + author.Handle,
		"authorProfileImageUrl": n.env.AvatarURL(r, author.ID+".png"),
		"authorChannelId":       map[string]string{"value": author.ID},
		"canRate":               true, "viewerRating": "none", "likeCount": p.Likes,
		"publishedAt": wireTime(p.CreatedAt),
		"updatedAt":   wireTime(p.CreatedAt)}
	if strings.Contains(p.ID, ".") {
		snippet["parentId"] = p.ParentID
	} else {
		snippet["videoId"] = p.ParentID
	}
	return map[string]any{"kind": "youtube#comment", "etag": etag(p.ID, p.Text), "id": p.ID, "snippet": snippet}
}

// thread returns the resource of a comment thread, which belongs to the channel of the video, whoever started it. It
// needs a running View.
func (n *network) thread(r *http.Request, p sim.Post) map[string]any {
	v, _ := n.videos.Get(p.ParentID)
	return map[string]any{"kind": "youtube#commentThread", "etag": etag("thread", p.ID, p.Text), "id": p.ID,
		"snippet": map[string]any{
			"channelId": v.ChannelID, "videoId": p.ParentID, "topLevelComment": n.comment(r, p), "canReply": true,
			"isPublic":        true,
			"totalReplyCount": n.env.Posts.CountChildren(p.ID, sim.KindComment)}}
}

// listThreads returns the comment threads of a video, newest first.
func (n *network) listThreads(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	if _, refusal := readParts(q, commentParts); refusal != nil {
		return *refusal
	}
	var refusal *sim.Reply
	n.env.View(func() { refusal = n.commentable(q.Get("videoId"), c) })
	if refusal != nil {
		return *refusal
	}
	return n.listChildren(r, q.Get("videoId"), "youtube#commentThreadListResponse", n.thread)
}

func (n *network) listChildren(r *http.Request, parent, kind string,
	show func(*http.Request, sim.Post) map[string]any) sim.Reply {
	var ids []string
	n.env.View(func() {
		for _, id := range n.env.Posts.Children(parent) {
			if _, live := n.env.Posts.Live(id); live {
				ids = append(ids, id)
			}
		}
	})
	return n.page(r, kind, ids, func(id string) map[string]any {
		p, _ := n.env.Posts.Get(id)
		return show(r, p)
	})
}

// deleteComment deletes a comment, for its author and the video's channel.
func (n *network) deleteComment(r *http.Request, c caller) sim.Reply {
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		p, ok := n.env.Posts.Live(r.URL.Query().Get("id"))
		if !ok || p.Kind != sim.KindComment {
			return refuse(failure(http.StatusNotFound, "youtube.comment", "commentNotFound",
				"The specified comment could not be found."))
		}
		v, _ := n.videos.Get(p.ParentID)
		if p.AccountID != c.channel.ID && v.ChannelID != c.channel.ID {
			return refuse(forbidden("youtube.comment"))
		}
		n.env.Posts.Delete(tx, p)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusNoContent}
}
