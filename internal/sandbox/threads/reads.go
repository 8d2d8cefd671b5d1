package threads

import (
	"net/http"
	"slices"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

func (n *network) registerReads() {
	n.Node(http.MethodGet, n.nodeOperation, n.readNode)
	n.Edge(http.MethodGet, "threads", graph.Always(sim.Read),
		n.listOwn(func(p sim.Post) bool { return p.Kind != sim.KindComment }))
	n.Edge(http.MethodGet, "replies", graph.Always(sim.Read), n.listReplies)
}

// nodeOperation distinguishes reading the status of a container from other reads.
func (n *network) nodeOperation(c *graph.Call) sim.Operation {
	isContainer := false
	n.Env.View(func() { _, isContainer = n.containers.Get(c.Node) })
	if isContainer {
		return sim.Upload
	}
	return sim.Read
}

// readNode returns the caller's own profile, a container or a post.
func (n *network) readNode(c *graph.Call) sim.Reply {
	if refusal := lacks(c, scopeBasic); refusal != nil {
		return *refusal
	}
	switch c.Node {
	case c.Token.AccountID:
		return n.showOne(c, "ThreadsUser", n.profileSource(c))
	case "location_search":
		return n.searchLocations(c)
	}
	var draft container
	var post sim.Post
	isContainer, isPost := false, false
	n.Env.View(func() {
		draft, isContainer = n.containers.Get(c.Node)
		post, isPost = n.live(c.Node)
	})
	switch {
	case isContainer && draft.OwnerID == c.Token.AccountID:
		return n.showContainer(c, draft)
	case isPost && (post.AccountID == c.Token.AccountID || n.isConversationOf(c, post)):
		return n.showOne(c, "ThreadsMedia", n.postSource(c, post))
	default:
		return graph.Missing(c.Method, c.Node)
	}
}

// isConversationOf reports whether a post replies to one of the caller's.
func (n *network) isConversationOf(c *graph.Call, post sim.Post) (isOwn bool) {
	n.Env.View(func() {
		root, _ := n.Env.Posts.Get(n.rootOf(post))
		isOwn = root.AccountID == c.Token.AccountID
	})
	return isOwn
}

// rootOf returns the first post of a conversation. It needs a running View or Update.
func (n *network) rootOf(p sim.Post) string {
	for p.Kind == sim.KindComment {
		p, _ = n.Env.Posts.Get(p.ParentID)
	}
	return p.ID
}

// showOne returns the fields of one node. The source is called while the store's lock is held.
func (n *network) showOne(c *graph.Call, kind string, source graph.Source) sim.Reply {
	fields, refusal := c.Fields("id")
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

// profileSource returns the fields of the caller's account.
func (n *network) profileSource(c *graph.Call) graph.Source {
	return func(f graph.Field) (any, bool) {
		a, _ := n.Env.Accounts.Get(c.Token.AccountID)
		return graph.Lookup(map[string]any{"id": a.ID, "username": a.Handle, "name": a.Name,
			"threads_profile_picture_url": n.Env.AvatarURL(c.Request, a.ID+".png"),
			"threads_biography":           "An account of the sandbox.", "is_verified": false,
			"is_eligible_for_geo_gating": false})(f)
	}
}

// list returns a page of posts; ids is called while the store's lock is held.
func (n *network) list(c *graph.Call, ids func() []string) sim.Reply {
	fields, refusal := c.Fields("id")
	if refusal != nil {
		return *refusal
	}
	since, until, refusal := c.Between()
	if refusal != nil {
		return *refusal
	}
	var reply sim.Reply
	n.Env.View(func() {
		wanted := slices.DeleteFunc(slices.Clone(ids()), func(id string) bool {
			post, live := n.live(id)
			return !live || !graph.Within(post.CreatedAt, since, until)
		})
		reply = c.List(n.Env.URL(c.Request, c.GraphPath()), wanted, func(id string) (graph.Object, *sim.Reply) {
			post, _ := n.Env.Posts.Get(id)
			return graph.Show("ThreadsMedia", fields, n.postSource(c, post))
		})
	})
	return reply
}

// listOwn returns the caller's posts of some kind, newest first.
func (n *network) listOwn(wanted func(sim.Post) bool) graph.Handler {
	return func(c *graph.Call) sim.Reply {
		if refusal := lacks(c, scopeBasic); refusal != nil {
			return *refusal
		}
		if c.Node != c.Token.AccountID {
			return graph.Missing(c.Method, c.Node)
		}
		return n.list(c, func() []string {
			var ids []string
			for _, id := range slices.Backward(n.Env.Posts.ByAccount(c.Node)) {
				if post, _ := n.Env.Posts.Get(id); wanted(post) {
					ids = append(ids, id)
				}
			}
			return ids
		})
	}
}

// listReplies returns the caller's replies, or the replies to one post.
func (n *network) listReplies(c *graph.Call) sim.Reply {
	if c.Node == c.Token.AccountID {
		return n.listOwn(func(p sim.Post) bool { return p.Kind == sim.KindComment })(c)
	}
	return n.listBelow(c, func() []string { return n.repliesTo(c.Node) })
}

func (n *network) listBelow(c *graph.Call, ids func() []string) sim.Reply {
	if refusal := lacks(c, scopeReplies); refusal != nil {
		return *refusal
	}
	found := false
	n.Env.View(func() {
		post, live := n.live(c.Node)
		root, _ := n.Env.Posts.Get(n.rootOf(post))
		found = live && root.AccountID == c.Token.AccountID
	})
	if !found {
		return graph.Missing(c.Method, c.Node)
	}
	return n.list(c, ids)
}

// repliesTo returns the replies to a post, newest first unless requested otherwise. It needs a running View or Update.
func (n *network) repliesTo(id string) []string {
	var ids []string
	for _, child := range slices.Backward(n.Env.Posts.Children(id)) {
		if post, live := n.live(child); live && post.Kind == sim.KindComment {
			ids = append(ids, child)
		}
	}
	return ids
}

// postSource returns the fields of a post. It needs a running View or Update.
func (n *network) postSource(c *graph.Call, post sim.Post) graph.Source {
	return func(f graph.Field) (any, bool) {
		t, _ := n.threads.Get(post.ID)
		author, _ := n.Env.Accounts.Get(post.AccountID)
		switch f.Name {
		case "id":
			return post.ID, true
		case "media_product_type":
			return "THREADS", true
		case "media_type":
			return t.Type, true
		case "permalink":
			return n.Env.URL(c.Request, n.PostPath(post, author)), true
		case "shortcode":
			return graph.Shortcode(post.ID), true
		case "owner":
			return graph.Object{"id": post.AccountID}, true
		case "username":
			return author.Handle, true
		case "text":
			return orNil(post.Text), true
		case "timestamp":
			return graph.Timestamp(post.CreatedAt), true
		case "reply_audience":
			return orNil(t.Audience), true
		case "topic_tag":
			return orNil(t.Topic), true
		case "link_attachment_url":
			return orNil(t.Link), true
		case "media_url", "alt_text", "children", "thumbnail_url":
			return n.mediaField(c, post, f), true
		default:
			return n.relation(c, post, t, f.Name)
		}
	}
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// mediaField returns the files of a post.
func (n *network) mediaField(c *graph.Call, post sim.Post, f graph.Field) any {
	isCarousel := len(post.Media) > 1
	if f.Name == "children" && isCarousel {
		list := []graph.Object{}
		for _, file := range post.Media {
			list = append(list, graph.Object{"id": file.ID})
		}
		return graph.Object{"data": list}
	}
	if len(post.Media) == 0 || f.Name == "children" {
		return nil
	}
	switch f.Name {
	case "media_url":
		return n.FileURL(c, post.Media[0])
	case "alt_text":
		return orNil(post.Media[0].AltText)
	default:
		return nil
	}
}

// relation returns a post's references to others.
func (n *network) relation(c *graph.Call, post sim.Post, t thread, field string) (any, bool) {
	isReply := post.Kind == sim.KindComment
	root, _ := n.Env.Posts.Get(n.rootOf(post))
	switch field {
	case "is_quote_post":
		return post.Quotes() != "", true
	case "quoted_post":
		return reference(post.Quotes(), post.Quotes() != ""), true
	case "reposted_post":
		return reference(post.ParentID, post.Kind == sim.KindRepost), true
	case "has_replies":
		return len(n.repliesTo(post.ID)) > 0, true
	case "is_reply":
		return isReply, true
	case "root_post":
		return reference(root.ID, isReply), true
	case "replied_to":
		return reference(post.ParentID, isReply), true
	case "is_reply_owned_by_me":
		return isReply && post.AccountID == c.Token.AccountID, true
	case "hide_status":
		if t.Hidden {
			return "HIDDEN", true
		}
		return "NOT_HUSHED", true
	default:
		return nil, false
	}
}

func reference(id string, isThere bool) any {
	if !isThere {
		return nil
	}
	return graph.Object{"id": id}
}
