package facebook

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// maxComment is the maximum length of a comment.
const maxComment = 8000

func (n *network) registerComments() {
	n.Edge(http.MethodPost, "comments", graph.Always(sim.Comment), n.comment)
	n.Edge(http.MethodGet, "comments", graph.Always(sim.Read), n.listComments)
}

// comment comments on a post, a photo, a video or a comment of the Page.
func (n *network) comment(c *graph.Call) sim.Reply {
	page, refusal := n.acting(c, toComment)
	if refusal != nil {
		return *refusal
	}
	message, picture := c.Params["message"], c.Params["attachment_url"]
	switch {
	case strings.TrimSpace(message) == "" && picture == "":
		return graph.Invalid("The parameter message is required")
	case utf8.RuneCountInString(message) > maxComment:
		return graph.Invalid("param message must be at most %d characters long", maxComment)
	}
	comment := sim.Post{AccountID: page.ID, Kind: sim.KindComment, Text: message}
	if picture != "" {
		file, err := n.Crawler.Fetch(c.Context(), picture, maxPhoto)
		if err != nil || !slices.Contains(photoTypes, file.Type) {
			return badImage.Reply()
		}
		comment.Media = []sim.Media{file.Media}
	}
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		parent, found := n.visible(n.postBehind(c.Node))
		root := n.postOf(parent)
		details, _ := n.pagePosts.Get(root.ID)
		if !found || root.AccountID != page.ID || details.IsStory {
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		}
		number := root.ID[strings.IndexByte(root.ID, '_')+1:]
		comment.ID, comment.ParentID, comment.CreatedAt = number+"_"+graph.NewID(tx), parent.ID, tx.Now()
		n.Env.Posts.Put(tx, comment)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{comment.ID})
}

// postOf returns the post that a comment belongs to. It needs a running View or Update.
func (n *network) postOf(p sim.Post) sim.Post {
	for p.Kind == sim.KindComment {
		p, _ = n.Env.Posts.Get(p.ParentID)
	}
	return p
}

// commentsOn returns the comments on an object, oldest first. It needs a running View or Update.
func (n *network) commentsOn(id string) []string {
	var ids []string
	for _, child := range n.Env.Posts.Children(id) {
		if comment, live := n.Env.Posts.Live(child); live && comment.Kind == sim.KindComment {
			ids = append(ids, child)
		}
	}
	return ids
}

// listComments returns the comments on an object.
func (n *network) listComments(c *graph.Call) sim.Reply {
	page, refusal := n.acting(c, toRead)
	if refusal != nil {
		return *refusal
	}
	id, found := "", false
	n.Env.View(func() {
		id = n.postBehind(c.Node)
		parent, live := n.visible(id)
		found = live && n.postOf(parent).AccountID == page.ID
	})
	if !found {
		return graph.Missing(c.Method, c.Node)
	}
	return n.list(c, "Comment", "id,created_time,from,message", func() []string {
		ids := n.commentsOn(id)
		if c.Params["order"] == "reverse_chronological" {
			slices.Reverse(ids)
		}
		return ids
	}, func(id string) graph.Source {
		comment, _ := n.Env.Posts.Get(id)
		return n.commentSource(comment)
	})
}

// commentSource returns the fields of a comment. It needs a running View or Update.
func (n *network) commentSource(comment sim.Post) graph.Source {
	author, _ := n.Env.Accounts.Get(comment.AccountID)
	parent, _ := n.Env.Posts.Get(comment.ParentID)
	values := map[string]any{"id": comment.ID, "message": comment.Text,
		"created_time": graph.Timestamp(comment.CreatedAt), "like_count": comment.Likes,
		"from": graph.Object{"id": author.ID, "name": author.Name}, "comment_count": len(n.commentsOn(comment.ID)),
		"parent": nil, "is_hidden": false}
	if parent.Kind == sim.KindComment {
		values["parent"] = graph.Object{"id": parent.ID}
	}
	return graph.Lookup(values)
}

// commentObjects returns the comments inside a post's own fields.
func (n *network) commentObjects(id string, f graph.Field) []graph.Object {
	objects := []graph.Object{}
	limit, err := strconv.Atoi(f.Options["limit"])
	if err != nil {
		limit = 25
	}
	fields := f.Sub
	if len(fields) == 0 {
		fields = []graph.Field{{Name: "created_time"}, {Name: "from"}, {Name: "message"}}
	}
	for _, child := range n.commentsOn(id) {
		comment, _ := n.Env.Posts.Get(child)
		if object, refusal := graph.Show("Comment", fields, n.commentSource(comment)); refusal == nil &&
			len(objects) < limit {
			objects = append(objects, object)
		}
	}
	return objects
}
