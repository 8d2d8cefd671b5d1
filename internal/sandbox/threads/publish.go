package threads

import (
	"net/http"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// The media types of posts.
const (
	typeText     = "TEXT_POST"
	typeImage    = "IMAGE"
	typeVideo    = "VIDEO"
	typeCarousel = "CAROUSEL_ALBUM"
	typeRepost   = "REPOST_FACADE"
)

// thread is Threads' own data of a post.
type thread struct {
	details
	Type string `json:"type"`
	// Hidden is set for replies that the author of the post has hidden.
	Hidden bool `json:"hidden,omitempty"`
}

// The daily limits of an account.
const (
	postsPerDay    = 250
	repliesPerDay  = 1000
	deletesPerDay  = 100
	searchesPerDay = 500
	day            = 24 * time.Hour
)

func (n *network) registerPublishing() {
	n.Edge(http.MethodPost, "threads_publish", graph.Always(sim.Publish), n.publish)
	n.Edge(http.MethodPost, "repost", graph.Always(sim.Publish), n.repost)
	n.Edge(http.MethodGet, "threads_publishing_limit", graph.Always(sim.Read), n.publishingLimit)
	n.Node(http.MethodDelete, graph.Always(sim.Delete), n.remove)
}

// publish publishes a finished container. A container is published once.
func (n *network) publish(c *graph.Call) sim.Reply {
	refusal := acts(c)
	if refusal == nil {
		refusal = lacks(c, scopePublish)
	}
	if refusal != nil {
		return *refusal
	}
	id := c.Params["creation_id"]
	if id == "" {
		return *invalid("Param creation_id is required")
	}
	var post sim.Post
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		draft, found := n.containers.Get(id)
		if refusal := n.checkPublishable(tx, c, draft, found); refusal != nil {
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

func (n *network) checkPublishable(tx *sim.Tx, c *graph.Call, draft container, found bool) *sim.Reply {
	id := c.Params["creation_id"]
	status := draft.Status(tx.Now())
	if !found || draft.OwnerID != c.Token.AccountID {
		return mediaNotFound(id).Refuse()
	}
	switch {
	case draft.IsChild:
		return invalid("A carousel item cannot be published by itself")
	case status == graph.Published:
		return invalid("The container %s was published already", id)
	case status == graph.Failed:
		return invalid("The container %s has the status ERROR", id)
	case status != graph.Finished:
		return mediaNotFound(id).Refuse()
	}
	if draft.ReplyTo != "" {
		if _, live := n.live(draft.ReplyTo); !live {
			return mediaNotFound(draft.ReplyTo).Refuse()
		}
	}
	return n.checkQuota(tx, draft)
}

func (n *network) checkQuota(tx *sim.Tx, draft container) *sim.Reply {
	since := tx.Now().Add(-day)
	if draft.ReplyTo != "" && n.replied(draft.OwnerID, since) >= n.quota(repliesPerDay) {
		return quotaReached.Refuse()
	}
	if draft.ReplyTo == "" && n.posted(draft.OwnerID, since) >= n.quota(postsPerDay) {
		return quotaReached.Refuse()
	}
	return nil
}

func (n *network) quota(perDay int) int { return perDay * n.Env.Options.LimitFactor }

func (n *network) posted(account string, since time.Time) int {
	return n.CountSince(account, since, func(p sim.Post) bool { return p.Kind != sim.KindComment })
}

func (n *network) replied(account string, since time.Time) int {
	return n.CountSince(account, since, func(p sim.Post) bool { return p.Kind == sim.KindComment })
}

func (n *network) followDeletions(_ string, before, after *sim.Post) {
	if before != nil && after != nil && !before.Deleted() && after.Deleted() {
		n.deletions[after.AccountID] = append(n.deletions[after.AccountID], after.DeletedAt)
	}
}

// deleted counts what an account deleted since a time. It needs a running View or Update.
func (n *network) deleted(account string, since time.Time) int {
	list := n.deletions[account]
	count := 0
	for i := len(list) - 1; i >= 0 && !list[i].Before(since); i-- {
		count++
	}
	return count
}

// release writes the post of a container.
func (n *network) release(tx *sim.Tx, draft container) sim.Post {
	post := sim.Post{ID: graph.NewID(tx), AccountID: draft.OwnerID, Kind: sim.KindPost, ParentID: draft.Quotes,
		Text: draft.Text, CreatedAt: tx.Now()}
	if draft.ReplyTo != "" {
		post.Kind, post.ParentID, post.QuotedID = sim.KindComment, draft.ReplyTo, draft.Quotes
	}
	for _, file := range draft.Media {
		file.ID = post.ID
		if draft.Kind == kindCarousel {
			file.ID = graph.NewID(tx)
		}
		post.Media = append(post.Media, file)
	}
	types := map[string]string{kindText: typeText, kindImage: typeImage, kindVideo: typeVideo,
		kindCarousel: typeCarousel}
	draft.PostID = post.ID
	n.Env.Posts.Put(tx, post)
	n.threads.Put(tx, post.ID, thread{details: draft.Details, Type: types[draft.Kind]})
	n.containers.Put(tx, draft.ID, draft)
	return post
}

// repost reposts a post. Repeating it has no effect.
func (n *network) repost(c *graph.Call) sim.Reply {
	if refusal := lacks(c, scopePublish); refusal != nil {
		return *refusal
	}
	id := ""
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		if _, found := n.live(c.Node); !found {
			return mediaNotFound(c.Node).Refuse()
		}
		for _, child := range n.Env.Posts.Children(c.Node) {
			if post, live := n.live(child); live && post.Kind == sim.KindRepost && post.AccountID == c.Token.AccountID {
				id = post.ID
				return nil
			}
		}
		if refusal := n.checkQuota(tx,
			container{Container: graph.Container{OwnerID: c.Token.AccountID}}); refusal != nil {
			return refusal
		}
		id = graph.NewID(tx)
		n.Env.Posts.Put(tx, sim.Post{ID: id, AccountID: c.Token.AccountID, Kind: sim.KindRepost, ParentID: c.Node,
			CreatedAt: tx.Now()})
		n.threads.Put(tx, id, thread{Type: typeRepost})
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{id})
}

// remove deletes a post of the caller.
func (n *network) remove(c *graph.Call) sim.Reply {
	if refusal := lacks(c, scopeDelete); refusal != nil {
		return *refusal
	}
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		post, live := n.live(c.Node)
		switch {
		case !live || post.AccountID != c.Token.AccountID:
			return graph.Refuse(graph.Missing(c.Method, c.Node))
		case n.deleted(post.AccountID, tx.Now().Add(-day)) >= n.quota(deletesPerDay):
			return quotaReached.Refuse()
		}
		n.Env.Posts.Delete(tx, post)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(map[string]any{"success": true, "deleted_id": c.Node})
}

// limitScopes are the scopes that fields of the limit need besides that of publishing.
var limitScopes = map[string]string{
	"reply_quota_usage": scopeReply, "reply_config": scopeReply,
	"delete_quota_usage": scopeDelete, "delete_config": scopeDelete,
	"location_search_quota_usage": scopeLocation, "location_search_config": scopeLocation,
}

// publishingLimit returns how much of the day's quotas is used.
func (n *network) publishingLimit(c *graph.Call) sim.Reply {
	refusal := acts(c)
	if refusal == nil {
		refusal = lacks(c, scopePublish)
	}
	if refusal != nil {
		return *refusal
	}
	fields, refusal := c.Fields("quota_usage,config")
	if refusal != nil {
		return *refusal
	}
	for _, field := range fields {
		if scope, needed := limitScopes[field.Name]; needed && !c.Token.Has(scope) {
			return graph.Forbidden(scope)
		}
	}
	config := func(perDay int) graph.Object {
		return graph.Object{"quota_total": n.quota(perDay), "quota_duration": int(day.Seconds())}
	}
	values := map[string]any{"id": nil, "config": config(postsPerDay), "reply_config": config(repliesPerDay),
		"delete_config":               config(deletesPerDay),
		"location_search_quota_usage": 0, "location_search_config": config(searchesPerDay)}
	n.Env.View(func() {
		since := n.Env.Now().Add(-day)
		values["quota_usage"], values["reply_quota_usage"] = n.posted(c.Node, since), n.replied(c.Node, since)
		values["delete_quota_usage"] = n.deleted(c.Node, since)
	})
	object, refusal := graph.Show("ThreadsPublishingLimit", fields, graph.Lookup(values))
	if refusal != nil {
		return *refusal
	}
	return graph.OK(map[string]any{"data": []graph.Object{object}})
}
