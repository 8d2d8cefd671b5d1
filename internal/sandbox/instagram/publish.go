package instagram

import (
	"net/http"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Where a post is shown.
const (
	productFeed  = "FEED"
	productReels = "REELS"
	productStory = "STORY"
)

// The media types of posts.
const (
	typeImage    = "IMAGE"
	typeVideo    = "VIDEO"
	typeCarousel = "CAROUSEL_ALBUM"
)

// medium is Instagram's own data of a post.
type medium struct {
	ID       string   `json:"id"`
	Product  string   `json:"product"`
	Type     string   `json:"type"`
	Children []string `json:"children,omitempty"`
	// CommentsOff is set if nobody may comment.
	CommentsOff bool `json:"commentsOff,omitempty"`
}

// path returns the path of the post's page.
func (m medium) path() string {
	if m.Product == productReels {
		return "/reel/" + graph.Shortcode(m.ID) + "/"
	}
	return "/p/" + graph.Shortcode(m.ID) + "/"
}

func (n *network) followMedia(id string, before, after *medium) {
	if before != nil || after == nil {
		return
	}
	for _, child := range after.Children {
		n.childOf[child] = id
	}
}

// postsPerDay is how many posts an account may publish through the API per day.
const postsPerDay = 50

const day = 24 * time.Hour

func (n *network) registerPublishing() {
	n.Edge(http.MethodPost, "media_publish", graph.Always(sim.Publish), n.publish)
	n.Edge(http.MethodGet, "content_publishing_limit", graph.Always(sim.Read), n.publishingLimit)
	n.Node(http.MethodPost, graph.Always(sim.Comment), n.update)
	n.Node(http.MethodDelete, graph.Always(sim.Delete), n.remove)
}

type idBody struct {
	ID string `json:"id"`
}

// publish publishes a finished container. A container is published once.
func (n *network) publish(c *graph.Call) sim.Reply {
	a, refusal := n.accountOf(c)
	if refusal == nil {
		refusal = lacks(c, mayPublish)
	}
	if refusal != nil {
		return *refusal
	}
	if c.Params["creation_id"] == "" {
		return graph.Invalid("The parameter creation_id is required")
	}
	var post sim.Post
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		draft, found := n.containers.Get(c.Params["creation_id"])
		if refusal := n.checkPublishable(tx, a, draft, found); refusal != nil {
			return refusal
		}
		post = n.release(tx, draft)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{post.ID})
}

func (n *network) checkPublishable(tx *sim.Tx, a sim.Account, draft container, found bool) *sim.Reply {
	if !found || draft.OwnerID != a.ID {
		return mediaNotFound.Refuse()
	}
	if draft.IsChild {
		return graph.InvalidParameter("A carousel item cannot be published by itself").Refuse()
	}
	switch draft.Status(tx.Now()) {
	case graph.Published:
		return builderGone.Refuse()
	case graph.Lapsed:
		return expired.Refuse()
	case graph.Finished:
	default:
		return notReady.Refuse()
	}
	if n.publishedSince(a.ID, tx.Now().Add(-day)) >= n.quota() {
		return quotaReached.Refuse()
	}
	return nil
}

// quota returns how many posts an account may publish per day.
func (n *network) quota() int { return postsPerDay * n.Env.Options.LimitFactor }

// publishedSince counts the posts of an account. A carousel is one.
func (n *network) publishedSince(account string, since time.Time) int {
	return n.CountSince(account, since, func(p sim.Post) bool { return p.Kind == sim.KindPost })
}

// release writes the post of a container.
func (n *network) release(tx *sim.Tx, draft container) sim.Post {
	m := medium{ID: graph.NewID(tx), Product: productFeed, Type: typeImage}
	media := slices.Clone(draft.Media)
	if isVideoMedia(media[0]) {
		m.Type = typeVideo
	}
	switch draft.Kind {
	case kindReels:
		m.Product = productReels
	case kindStories:
		m.Product = productStory
	case kindCarousel:
		m.Type = typeCarousel
		for range media {
			m.Children = append(m.Children, graph.NewID(tx))
		}
	}
	for i := range media {
		media[i].ID = m.ID
		if m.Children != nil {
			media[i].ID = m.Children[i]
		}
	}
	post := sim.Post{ID: m.ID, AccountID: draft.OwnerID, Kind: sim.KindPost, Text: draft.Caption, Media: media,
		CreatedAt: tx.Now()}
	draft.PostID = post.ID
	n.Env.Posts.Put(tx, post)
	n.media.Put(tx, m.ID, m)
	n.containers.Put(tx, draft.ID, draft)
	return post
}

// publishingLimit returns how much of the day's quota is used.
func (n *network) publishingLimit(c *graph.Call) sim.Reply {
	a, refusal := n.accountOf(c)
	if refusal != nil {
		return *refusal
	}
	fields, refusal := c.Fields("quota_usage")
	if refusal != nil {
		return *refusal
	}
	since := n.Env.Now().Add(-day)
	if seconds, ok := c.Params.Int("since"); ok {
		if time.Unix(seconds, 0).Before(since) {
			return graph.Invalid("param since must be at most 24 hours ago")
		}
		since = time.Unix(seconds, 0)
	}
	usage := 0
	n.Env.View(func() { usage = n.publishedSince(a.ID, since) })
	object, refusal := graph.Show("ContentPublishingLimit", fields,
		graph.Lookup(map[string]any{"id": nil, "quota_usage": usage,
			"config": graph.Object{"quota_total": n.quota(), "quota_duration": int(day.Seconds())}}))
	if refusal != nil {
		return *refusal
	}
	return graph.OK(map[string]any{"data": []graph.Object{object}})
}

// ownPost returns a live post of the caller. It needs a running View or Update.
func (n *network) ownPost(c *graph.Call, id string) (sim.Post, medium, bool) {
	post, live := n.Env.Posts.Live(id)
	m, isPost := n.media.Get(id)
	return post, m, live && isPost && n.actsFor(c, post.AccountID)
}

// actsFor reports whether a call's token stands for an account. It needs a running View or Update.
func (n *network) actsFor(c *graph.Call, id string) bool {
	a, _ := n.Env.Accounts.Get(id)
	return id == c.Token.AccountID || (c.Token.Kind == graph.UserToken && a.OwnerID == c.Token.AccountID)
}

// update opens or closes the comments of a post: nothing else can be changed.
func (n *network) update(c *graph.Call) sim.Reply {
	if refusal := lacks(c, mayComment); refusal != nil {
		return *refusal
	}
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		_, m, found := n.ownPost(c, c.Node)
		switch {
		case !found:
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		case c.Params["comment_enabled"] == "":
			return graph.InvalidParameter("The parameter comment_enabled is required").Refuse()
		}
		m.CommentsOff = !c.Params.Bool("comment_enabled", true)
		n.media.Put(tx, m.ID, m)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.Done()
}

// remove deletes a comment, or a post with Facebook Login.
func (n *network) remove(c *graph.Call) sim.Reply {
	answer := any(map[string]any{"success": true})
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		post, live := n.Env.Posts.Live(c.Node)
		switch {
		case n.childOf[c.Node] != "" && byFacebook(c):
			return graph.Problem{Code: -1, Subcode: 2207073, Message: "Fatal", Title: "Media Type Not Supported",
				Text: "The media type is not supported for this endpoint"}.Refuse()
		case !live:
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		case post.Kind == sim.KindComment:
			return n.removeComment(tx, c, post)
		case !byFacebook(c) || !n.actsFor(c, post.AccountID):
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		}
		if refusal := lacks(c, mayDeletion); refusal != nil {
			return refusal
		}
		n.Env.Posts.Delete(tx, post)
		answer = map[string]any{"success": true, "deleted_id": post.ID}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(answer)
}

// permalink returns the URL of a post's page.
func (n *network) permalink(c *graph.Call, m medium) string {
	return n.Env.URL(c.Request, m.path())
}
