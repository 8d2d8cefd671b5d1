package instagram

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

func (n *network) registerComments() {
	for _, edge := range []string{"comments", "replies"} {
		n.Edge(http.MethodPost, edge, graph.Always(sim.Comment), n.comment)
		n.Edge(http.MethodGet, edge, graph.Always(sim.Read), n.listComments)
	}
}

// comment comments on a post of the caller, or replies to a comment there.
func (n *network) comment(c *graph.Call) sim.Reply {
	if refusal := lacks(c, mayComment); refusal != nil {
		return *refusal
	}
	message := c.Params["message"]
	switch {
	case strings.TrimSpace(message) == "":
		return graph.Invalid("The parameter message is required")
	case len(utf16.Encode([]rune(message))) > maxCaption:
		return graph.Invalid("param message must be at most %d characters long", maxCaption)
	}
	comment := sim.Post{Kind: sim.KindComment, ParentID: c.Node, Text: message}
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		parent, live := n.Env.Posts.Live(c.Node)
		root, m, found := n.ownPost(c, n.rootOf(parent))
		isReply := parent.Kind == sim.KindComment
		switch {
		case !live || !found || isReply != (c.PathValue("edge") == "replies"):
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		case m.Product == productStory:
			return graph.InvalidParameter("Stories cannot be commented").Refuse()
		case m.CommentsOff:
			return graph.InvalidParameter("Comments are turned off for this media").Refuse()
		}
		comment.ID, comment.AccountID, comment.CreatedAt = graph.NewID(tx), root.AccountID, tx.Now()
		n.Env.Posts.Put(tx, comment)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{comment.ID})
}

// rootOf returns the post that a comment belongs to. It needs a running View or Update.
func (n *network) rootOf(p sim.Post) string {
	for p.Kind == sim.KindComment {
		p, _ = n.Env.Posts.Get(p.ParentID)
	}
	return p.ID
}

// removeComment deletes a comment on a post of the caller.
func (n *network) removeComment(tx *sim.Tx, c *graph.Call, comment sim.Post) *sim.Reply {
	if refusal := lacks(c, mayComment); refusal != nil {
		return refusal
	}
	if _, _, found := n.ownPost(c, n.rootOf(comment)); !found {
		return graph.Refuse(graph.Missing(c.Method, c.Node))
	}
	n.Env.Posts.Delete(tx, comment)
	return nil
}

// listComments returns the comments on a post or a comment, newest first.
func (n *network) listComments(c *graph.Call) sim.Reply {
	if refusal := lacks(c, mayComment); refusal != nil {
		return *refusal
	}
	found := false
	n.Env.View(func() {
		parent, live := n.Env.Posts.Live(c.Node)
		_, _, isOwn := n.ownPost(c, n.rootOf(parent))
		found = live && isOwn
	})
	if !found {
		return graph.Missing(c.Method, c.Node)
	}
	return n.list(c, "IGComment", "id,text,timestamp", func() []string { return n.commentsOn(c.Node) },
		func(id string) graph.Source {
			comment, _ := n.Env.Posts.Get(id)
			return n.commentSource(c, comment)
		})
}

// commentsOn needs a running View or Update.
func (n *network) commentsOn(id string) []string {
	var ids []string
	for _, child := range slices.Backward(n.Env.Posts.Children(id)) {
		if comment, live := n.Env.Posts.Live(child); live && comment.Kind == sim.KindComment {
			ids = append(ids, child)
		}
	}
	return ids
}

// commentSource returns the fields of a comment.
func (n *network) commentSource(_ *graph.Call, comment sim.Post) graph.Source {
	return func(f graph.Field) (any, bool) {
		author, _ := n.Env.Accounts.Get(comment.AccountID)
		parent, _ := n.Env.Posts.Get(comment.ParentID)
		switch f.Name {
		case "id":
			return comment.ID, true
		case "text":
			return comment.Text, true
		case "timestamp":
			return graph.Timestamp(comment.CreatedAt), true
		case "username":
			return author.Handle, true
		case "from":
			return graph.Object{"id": author.ID, "username": author.Handle}, true
		case "like_count":
			return comment.Likes, true
		case "hidden":
			return false, true
		case "media":
			return graph.Object{"id": n.rootOf(comment)}, true
		case "parent_id":
			if parent.Kind != sim.KindComment {
				return nil, true
			}
			return parent.ID, true
		default:
			return nil, false
		}
	}
}
