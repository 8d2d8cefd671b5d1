package facebook

import (
	"net/http"
	"slices"
	"strings"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

func (n *network) registerNodes() {
	n.Node(http.MethodGet, n.readOperation, n.readNode)
	n.Node(http.MethodDelete, graph.Always(sim.Delete), n.removeNode)
	for _, edge := range []string{"feed", "posts", "published_posts"} {
		n.Edge(http.MethodGet, edge, graph.Always(sim.Read), n.listPosts)
	}
	n.Edge(http.MethodGet, edgeVideos, graph.Always(sim.Read), n.listVideos(func(video) bool { return true }))
	n.Edge(http.MethodGet, edgeReels, graph.Always(sim.Read),
		n.listVideos(func(v video) bool { return v.Edge == edgeReels }))
}

// readOperation distinguishes reading the status of an upload from other reads.
func (n *network) readOperation(c *graph.Call) sim.Operation {
	isVideo := false
	n.Env.View(func() { _, isVideo = n.videos.Get(c.Node) })
	if isVideo {
		return sim.Upload
	}
	return sim.Read
}

// readNode returns the object of an id.
func (n *network) readNode(c *graph.Call) sim.Reply {
	if a, isSelf := n.self(c); isSelf {
		return n.showSelf(c, a)
	}
	page, refusal := n.acting(c, toRead)
	if refusal != nil {
		return *refusal
	}
	var kind, fallback string
	var source graph.Source
	n.Env.View(func() { kind, fallback, source = n.nodeOf(c, page) })
	if source == nil {
		return graph.Missing(c.Method, c.Node)
	}
	return n.showOne(c, kind, fallback, source)
}

// self returns the account of the token if the call is about it.
func (n *network) self(c *graph.Call) (sim.Account, bool) {
	var a sim.Account
	n.Env.View(func() { a, _ = n.Env.Accounts.Get(c.Token.AccountID) })
	return a, c.Node == a.ID
}

func (n *network) showSelf(c *graph.Call, a sim.Account) sim.Reply {
	if a.Kind == kindPage {
		var source graph.Source
		n.Env.View(func() { source = n.pageSource(c, a) })
		return n.showOne(c, "Page", "id,name", source)
	}
	return n.showOne(c, "User", "id,name", graph.Lookup(map[string]any{"id": a.ID, "name": a.Name, "email": nil,
		"picture": graph.Object{"data": graph.Object{"url": n.Env.AvatarURL(c.Request, a.ID+".png")}}}))
}

// nodeOf finds a post, a draft, a photo, a video or a comment of a Page. It needs a running View or Update.
func (n *network) nodeOf(c *graph.Call, page sim.Account) (kind, fallback string, source graph.Source) {
	post, isPost := n.visible(n.postBehind(c.Node))
	d, isDraft := n.drafts.Get(c.Node)
	p, isPhoto := n.photos.Get(c.Node)
	v, isVideo := n.videos.Get(c.Node)
	switch {
	case isPhoto && p.PageID == page.ID && !p.isOver(n.Env.Now()) && !n.wasDeleted(p.PostID):
		return "Photo", "id,created_time", n.photoSource(c, p)
	case isVideo && v.PageID == page.ID && !n.wasDeleted(v.PostID):
		return "Video", "id,created_time", n.videoSource(c, v)
	case isPost && post.Kind == sim.KindComment && n.postOf(post).AccountID == page.ID:
		return "Comment", "id,created_time,message", n.commentSource(post)
	case isPost && post.Kind != sim.KindComment && post.AccountID == page.ID:
		return "Post", "id,created_time,message", n.postSource(c, post)
	case isDraft && d.PageID == page.ID:
		return "Post", "id,created_time,message", n.draftSource(c, d)
	default:
		return "", "", nil
	}
}

// wasDeleted reports whether a post was deleted, and with it its photos or its video. It needs a running View or
// Update.
func (n *network) wasDeleted(post string) bool {
	p, found := n.Env.Posts.Get(post)
	return found && p.Deleted()
}

// visible returns a post that is visible: its video has been processed. It needs a running View or Update.
func (n *network) visible(id string) (sim.Post, bool) {
	post, live := n.Env.Posts.Live(id)
	details, _ := n.pagePosts.Get(id)
	v, hasVideo := n.videos.Get(details.VideoID)
	return post, live && (!hasVideo || v.isPublic(n.Env.Now(), n.Env.Options.ProcessingTime))
}

// showOne returns the fields of one node. The source is called while the store's lock is held.
func (n *network) showOne(c *graph.Call, kind, fallback string, source graph.Source) sim.Reply {
	fields, refusal := c.Fields(fallback)
	if refusal != nil {
		return *refusal
	}
	var object graph.Object
	n.Env.View(func() { object, refusal = graph.Show(kind, fields, source) })
	if refusal != nil {
		return *refusal
	}
	return graph.OK(object)
}

// removeNode deletes a post, a draft, a photo or a video with its post, or a comment.
func (n *network) removeNode(c *graph.Call) sim.Reply {
	page, refusal := n.acting(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		d, isDraft := n.drafts.Get(c.Node)
		if isDraft && d.PageID == page.ID {
			n.drafts.Delete(tx, d.ID)
			return nil
		}
		if v, isVideo := n.videos.Get(c.Node); isVideo && v.PageID == page.ID && v.PostID == "" {
			n.removeUnpublished(tx, v)
			return nil
		}
		id := n.postBehind(c.Node)
		post, live := n.Env.Posts.Live(id)
		details, _ := n.pagePosts.Get(id)
		isOwn := post.AccountID == page.ID || (post.Kind == sim.KindComment && n.postOf(post).AccountID == page.ID)
		if !live || !isOwn || details.IsStory {
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		}
		n.Env.Posts.Delete(tx, post)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.Done()
}

// removeUnpublished deletes a video without a post, and the draft that it waits in.
func (n *network) removeUnpublished(tx *sim.Tx, v video) {
	for id, d := range n.drafts.Newest() {
		if d.VideoID == v.ID {
			n.drafts.Delete(tx, id)
			break
		}
	}
	n.videos.Delete(tx, v.ID)
}

// postBehind returns the post of a photo or a video, by either of its ids, and any other id unchanged. It needs a
// running View or Update.
func (n *network) postBehind(id string) string {
	if _, number, isPost := strings.Cut(id, "_"); isPost {
		if v, isVideo := n.videos.Get(number); isVideo && v.PageID+"_"+number == id {
			return v.PostID
		}
		return id
	}
	if p, isPhoto := n.photos.Get(id); isPhoto {
		return p.PostID
	}
	if v, isVideo := n.videos.Get(id); isVideo {
		return v.PostID
	}
	return id
}

// list returns a page of nodes; ids and source are called while the store's lock is held.
func (n *network) list(c *graph.Call, kind, fallback string, ids func() []string,
	source func(id string) graph.Source) sim.Reply {
	fields, refusal := c.Fields(fallback)
	if refusal != nil {
		return *refusal
	}
	var reply sim.Reply
	n.Env.View(func() {
		reply = c.List(n.Env.URL(c.Request, c.GraphPath()), ids(),
			func(id string) (graph.Object, *sim.Reply) { return graph.Show(kind, fields, source(id)) })
	})
	return reply
}

// listPosts returns a Page's posts, newest first. Stories have their own list.
func (n *network) listPosts(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toRead)
	if refusal != nil {
		return *refusal
	}
	since, until, refusal := c.Between()
	if refusal != nil {
		return *refusal
	}
	return n.list(c, "Post", "id,created_time,message", func() []string {
		var ids []string
		for _, id := range slices.Backward(n.Env.Posts.ByAccount(page.ID)) {
			post, isVisible := n.visible(id)
			details, _ := n.pagePosts.Get(id)
			if isVisible && post.Kind == sim.KindPost && !details.IsStory &&
				graph.Within(post.CreatedAt, since, until) {
				ids = append(ids, id)
			}
		}
		return ids
	}, func(id string) graph.Source {
		post, _ := n.Env.Posts.Get(id)
		return n.postSource(c, post)
	})
}

// listVideos returns a Page's videos of some kind, newest first.
func (n *network) listVideos(wanted func(video) bool) graph.Handler {
	return func(c *graph.Call) sim.Reply {
		page, refusal := n.page(c, toRead)
		if refusal != nil {
			return *refusal
		}
		since, until, refusal := c.Between()
		if refusal != nil {
			return *refusal
		}
		return n.list(c, "Video", "id,description,updated_time", func() []string {
			var ids []string
			for id, v := range n.videos.Newest() {
				_, isVisible := n.visible(v.PostID)
				if v.PageID == page.ID && v.Edge != edgeStories && isVisible && wanted(v) &&
					graph.Within(v.CreatedAt, since, until) {
					ids = append(ids, id)
				}
			}
			return ids
		}, func(id string) graph.Source {
			v, _ := n.videos.Get(id)
			return n.videoSource(c, v)
		})
	}
}
