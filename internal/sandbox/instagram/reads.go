package instagram

import (
	"net/http"
	"slices"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

func (n *network) registerReads() {
	n.Node(http.MethodGet, n.nodeOperation, n.readNode)
	n.Edge(http.MethodGet, "media", graph.Always(sim.Read),
		n.listPosts(func(m medium) bool { return m.Product != productStory }))
	n.Edge(http.MethodGet, "stories", graph.Always(sim.Read),
		n.listPosts(func(m medium) bool { return m.Product == productStory }))
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

// readNode returns an account, a container, a post or a comment.
func (n *network) readNode(c *graph.Call) sim.Reply {
	if c.PathValue("node") == "me" && byFacebook(c) {
		return n.readMe(c)
	}
	if refusal := lacks(c, mayRead); refusal != nil {
		return *refusal
	}
	var draft container
	var post sim.Post
	isContainer, isPost, isBelowOwn := false, false, false
	n.Env.View(func() {
		draft, isContainer = n.containers.Get(c.Node)
		isContainer = isContainer && n.actsFor(c, draft.OwnerID)
		post, isPost = n.Env.Posts.Live(n.postOf(c.Node))
		_, _, isBelowOwn = n.ownPost(c, n.rootOf(post))
	})
	switch {
	case isContainer:
		return n.showContainer(c, draft)
	case isPost && post.Kind == sim.KindComment && !isBelowOwn:
		return graph.Missing(c.Method, c.Node)
	case isPost && post.Kind == sim.KindComment:
		return n.showOne(c, "IGComment", "id,text,timestamp", n.commentSource(c, post))
	case isPost:
		return n.readPost(c, post)
	}
	a, refusal := n.accountOf(c)
	if refusal != nil {
		return *refusal
	}
	return n.showOne(c, "IGUser", "id", n.accountSource(c, a))
}

// postOf returns the post of an id: its own, or the carousel of one of its files. It needs a running View or Update.
func (n *network) postOf(id string) string {
	if carousel, isChild := n.childOf[id]; isChild {
		return carousel
	}
	return id
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

// readMe returns the person or the Page of a token of Facebook Login.
func (n *network) readMe(c *graph.Call) sim.Reply {
	var a sim.Account
	n.Env.View(func() { a, _ = n.Env.Accounts.Get(c.Token.AccountID) })
	if c.Token.Kind == graph.UserToken {
		p := person(a.ID)
		return n.showOne(c, "User", "id,name", graph.Lookup(map[string]any{"id": p.ID, "name": p.Name}))
	}
	return n.showOne(c, "Page", "id,name", n.linked(c, n.pageOf(c, a.Handle).Source, a))
}

// accountSource returns the fields of an account. With Instagram Login its id is app-scoped.
func (n *network) accountSource(c *graph.Call, a sim.Account) graph.Source {
	return func(f graph.Field) (any, bool) {
		switch f.Name {
		case "id":
			if byFacebook(c) {
				return a.ID, true
			}
			return stableDigits(17, "scoped", a.ID, c.Token.ClientID), true
		case "user_id":
			return a.ID, !byFacebook(c)
		case "username":
			return a.Handle, true
		case "name":
			return a.Name, true
		case "account_type":
			return a.Kind, !byFacebook(c)
		case "profile_picture_url":
			return n.Env.AvatarURL(c.Request, a.ID+".png"), true
		case "followers_count":
			return n.Env.Followers(a.ID), true
		case "follows_count":
			return 0, true
		case "media_count":
			return len(n.livePosts(a.ID, func(m medium) bool { return m.Product != productStory })), true
		case "biography", "website":
			return nil, true
		default:
			return nil, false
		}
	}
}

// livePosts returns an account's posts, newest first. Stories are visible for a day. It needs a running View or Update.
func (n *network) livePosts(account string, wanted func(medium) bool) []string {
	var ids []string
	for _, id := range slices.Backward(n.Env.Posts.ByAccount(account)) {
		post, live := n.Env.Posts.Live(id)
		m, isPost := n.media.Get(id)
		isOver := m.Product == productStory && n.Env.Now().Sub(post.CreatedAt) >= day
		if live && isPost && !isOver && wanted(m) {
			ids = append(ids, id)
		}
	}
	return ids
}

// listPosts returns an account's posts of some kind, newest first.
func (n *network) listPosts(wanted func(medium) bool) graph.Handler {
	return func(c *graph.Call) sim.Reply {
		a, refusal := n.accountOf(c)
		if refusal == nil {
			refusal = lacks(c, mayRead)
		}
		if refusal != nil {
			return *refusal
		}
		since, until, refusal := c.Between()
		if refusal != nil {
			return *refusal
		}
		return n.list(c, "IGMedia", "id", func() []string {
			return slices.DeleteFunc(n.livePosts(a.ID, wanted), func(id string) bool {
				post, _ := n.Env.Posts.Get(id)
				return !graph.Within(post.CreatedAt, since, until)
			})
		}, func(id string) graph.Source {
			post, _ := n.Env.Posts.Get(id)
			return n.postSource(c, post)
		})
	}
}

// list returns a page of nodes.
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

// readPost returns a post of the caller, or one file of a carousel.
func (n *network) readPost(c *graph.Call, post sim.Post) sim.Reply {
	isOwn := false
	n.Env.View(func() { isOwn = n.actsFor(c, post.AccountID) })
	if !isOwn {
		return graph.Missing(c.Method, c.Node)
	}
	if c.Node != post.ID {
		return n.showOne(c, "IGMedia", "id", n.childSource(c, post, c.Node))
	}
	return n.showOne(c, "IGMedia", "id", n.postSource(c, post))
}

// postSource returns the fields of a post. It needs a running View or Update.
func (n *network) postSource(c *graph.Call, post sim.Post) graph.Source {
	return func(f graph.Field) (any, bool) {
		m, _ := n.media.Get(post.ID)
		author, _ := n.Env.Accounts.Get(post.AccountID)
		switch f.Name {
		case "id":
			return post.ID, true
		case "caption":
			return textOrNil(post.Text), true
		case "media_type":
			return m.Type, true
		case "media_product_type":
			return m.Product, true
		case "permalink":
			return n.permalink(c, m), true
		case "shortcode":
			return graph.Shortcode(post.ID), true
		case "timestamp":
			return graph.Timestamp(post.CreatedAt), true
		case "username":
			return author.Handle, true
		case "owner":
			return graph.Object{"id": post.AccountID}, true
		case "media_url":
			return n.FileURL(c, post.Media[0]), true
		case "thumbnail_url":
			return nil, true
		case "alt_text":
			return textOrNil(post.Media[0].AltText), true
		case "is_comment_enabled":
			return !m.CommentsOff, true
		case "children":
			return n.childrenField(c, post, f), true
		default:
			return n.counts(c, post, f.Name)
		}
	}
}

// counts returns the number of reactions to a post. Facebook Login includes more of them.
func (n *network) counts(c *graph.Call, post sim.Post, field string) (any, bool) {
	r := n.Receive(post)
	switch field {
	case "like_count":
		return r.Likes, true
	case "comments_count":
		return r.Comments, true
	case "total_like_count":
		return r.Likes, byFacebook(c)
	case "total_comments_count":
		return r.Comments, byFacebook(c)
	case "total_views_count":
		return r.Views(), byFacebook(c)
	case "saved_count", "shares_count", "reposts_count":
		return 0, byFacebook(c)
	default:
		return nil, false
	}
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// childSource returns the fields of one file of a carousel.
func (n *network) childSource(c *graph.Call, post sim.Post, id string) graph.Source {
	return func(f graph.Field) (any, bool) {
		at := slices.IndexFunc(post.Media, func(m sim.Media) bool { return m.ID == id })
		if at < 0 {
			return nil, false
		}
		file := post.Media[at]
		switch f.Name {
		case "id":
			return id, true
		case "media_type":
			if isVideoMedia(file) {
				return typeVideo, true
			}
			return typeImage, true
		case "media_url":
			return n.FileURL(c, file), true
		case "alt_text":
			return textOrNil(file.AltText), true
		case "timestamp", "username", "owner", "permalink", "media_product_type":
			return n.postSource(c, post)(f)
		case "shortcode":
			return graph.Shortcode(id), true
		case "thumbnail_url":
			return nil, true
		default:
			return nil, false
		}
	}
}

// childrenField returns the files of a carousel inside its own fields.
func (n *network) childrenField(c *graph.Call, post sim.Post, f graph.Field) any {
	m, _ := n.media.Get(post.ID)
	if len(m.Children) == 0 {
		return nil
	}
	list := []graph.Object{}
	for _, id := range m.Children {
		if object, refusal := graph.Show("IGMedia", f.Sub, n.childSource(c, post, id)); refusal == nil {
			list = append(list, object)
		}
	}
	return graph.Object{"data": list}
}
