package facebook

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Limits of posts.
const (
	maxMessage    = 63_206
	maxPhotos     = 10
	maxBackground = 130 // characters on a colored background
)

func (n *network) registerFeed() {
	n.Edge(http.MethodPost, "feed", graph.Always(sim.Publish), n.postToFeed)
}

type idBody struct {
	ID string `json:"id"`
}

// postToFeed publishes a text, a link or uploaded photos, or stores them for later.
func (n *network) postToFeed(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	d := draft{PageID: page.ID, Message: c.Params["message"], Link: c.Params["link"]}
	if refusal = d.readPhotos(c); refusal == nil {
		refusal = checkFeed(c, d)
	}
	if refusal != nil {
		return *refusal
	}
	if d.PublishAt, refusal = n.scheduledTime(c); refusal != nil {
		return *refusal
	}
	isPublished := c.Params.Bool("published", true)
	if isPublished && !d.PublishAt.IsZero() {
		return graph.Invalid("published must be false for a scheduled post")
	}
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		if refusal := n.checkPhotos(tx, d); refusal != nil {
			return refusal
		}
		d.ID, d.CreatedAt = newDraftID(tx, d), tx.Now()
		if !isPublished {
			n.keep(tx, d)
			return nil
		}
		if n.isDuplicate(d) {
			return duplicate.Refuse()
		}
		n.release(tx, d, n.partsOf(d), tx.Now())
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return n.created(c, d.ID)
}

// created returns the response with the id of a post, and with more if the call requests fields.
func (n *network) created(c *graph.Call, id string) sim.Reply {
	if c.Params["fields"] == "" {
		return graph.OK(idBody{id})
	}
	c.Node = id
	return n.readNode(c)
}

// readPhotos reads the photos of a post.
func (d *draft) readPhotos(c *graph.Call) *sim.Reply {
	for _, text := range c.Params.List("attached_media") {
		var attached struct {
			ID json.Number `json:"media_fbid"`
		}
		if err := json.Unmarshal([]byte(text), &attached); err != nil || attached.ID == "" {
			return graph.InvalidParameter("param attached_media must be an array of objects with a media_fbid").Refuse()
		}
		d.Photos = append(d.Photos, attached.ID.String())
	}
	return nil
}

func checkFeed(c *graph.Call, d draft) *sim.Reply {
	length := utf8.RuneCountInString(d.Message)
	switch {
	case strings.TrimSpace(d.Message) == "" && d.Link == "" && len(d.Photos) == 0:
		return graph.InvalidParameter("The post is empty. Please enter a message to share.").Refuse()
	case length > maxMessage:
		return graph.InvalidParameter("param message must be at most %d characters long", maxMessage).Refuse()
	case d.Link != "" && len(d.Photos) > 0:
		return graph.InvalidParameter("link and attached_media cannot be used together").Refuse()
	case len(d.Photos) > maxPhotos:
		return graph.InvalidParameter("attached_media can have at most %d photos", maxPhotos).Refuse()
	case c.Params["text_format_preset_id"] != "" && (d.Link != "" || len(d.Photos) > 0 || length > maxBackground):
		return graph.InvalidParameter("text_format_preset_id is only allowed for texts of at most %d characters",
			maxBackground).Refuse()
	}
	return checkLink(d.Link)
}

func checkLink(link string) *sim.Reply {
	if link == "" {
		return nil
	}
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return badLink.Refuse()
	}
	if host := strings.ToLower(u.Hostname()); host == "facebook.com" || strings.HasSuffix(host, ".facebook.com") {
		return ownLink.Refuse()
	}
	return nil
}

// isDuplicate reports whether the Page's latest post has the same text. Photos make a post unique. It needs a running
// Update.
func (n *network) isDuplicate(d draft) bool {
	if len(d.Photos) > 0 {
		return false
	}
	for _, id := range slices.Backward(n.Env.Posts.ByAccount(d.PageID)) {
		post, live := n.Env.Posts.Live(id)
		details, _ := n.pagePosts.Get(id)
		if !live || post.Kind != sim.KindPost || details.IsStory {
			continue
		}
		return post.Text == d.Message && details.Link == d.Link && len(post.Media) == 0
	}
	return false
}
