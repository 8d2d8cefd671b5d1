package facebook

import (
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// draft is a post that is not public yet: it is published at once, at its time, or on request.
type draft struct {
	ID      string   `json:"id"`
	PageID  string   `json:"page"`
	Message string   `json:"message,omitempty"`
	Link    string   `json:"link,omitempty"`
	Photos  []string `json:"photos,omitempty"`
	VideoID string   `json:"video,omitempty"`
	IsStory bool     `json:"story,omitempty"`
	// PublishAt is when it becomes public; zero means not automatically.
	PublishAt time.Time `json:"publishAt,omitzero"`
	CreatedAt time.Time `json:"created"`
}

// pagePost is Facebook's own data of a post.
type pagePost struct {
	Link    string   `json:"link,omitempty"`
	Photos  []string `json:"photos,omitempty"`
	VideoID string   `json:"video,omitempty"`
	IsStory bool     `json:"story,omitempty"`
	IsReel  bool     `json:"reel,omitempty"`
}

// newDraftID returns the id of a post before it is public: its Page's, and its video's or a new one. Stories have only
// the latter.
func newDraftID(tx *sim.Tx, d draft) string {
	switch {
	case d.IsStory:
		return graph.NewID(tx)
	case d.VideoID != "":
		return d.PageID + "_" + d.VideoID
	default:
		return d.PageID + "_" + graph.NewID(tx)
	}
}

// postID returns the id of the draft's post. A video and its post are one entry on a timeline with the video's id,
// which apps know from the start.
func (d draft) postID() string {
	if d.VideoID != "" && !d.IsStory {
		return d.VideoID
	}
	return d.ID
}

// wireID returns the id of a post in lists. It needs a running View or Update.
func (n *network) wireID(post sim.Post) string {
	if _, isVideo := n.videos.Get(post.ID); isVideo {
		return post.AccountID + "_" + post.ID
	}
	return post.ID
}

// parts are the photos and the video of a post, as they are inside the running transaction.
type parts struct {
	photos []photo
	video  *video
}

// partsOf looks up the parts of a draft. It needs a running View or Update.
func (n *network) partsOf(d draft) parts {
	var p parts
	for _, id := range d.Photos {
		found, _ := n.photos.Get(id)
		p.photos = append(p.photos, found)
	}
	if v, found := n.videos.Get(d.VideoID); found {
		p.video = &v
	}
	return p
}

// release publishes a draft and updates its parts.
func (n *network) release(tx *sim.Tx, d draft, of parts, at time.Time) {
	post := sim.Post{ID: d.postID(), AccountID: d.PageID, Kind: sim.KindPost, Text: d.Message, CreatedAt: at}
	details := pagePost{Link: d.Link, Photos: d.Photos, VideoID: d.VideoID, IsStory: d.IsStory}
	for _, p := range of.photos {
		p.PostID, p.IsUsed = post.ID, true
		n.photos.Put(tx, p.ID, p)
		post.Media = append(post.Media, p.Media)
	}
	if v := of.video; v != nil {
		v.PostID, v.ReleasedAt = post.ID, at
		details.IsReel = v.Edge == edgeReels
		n.videos.Put(tx, v.ID, *v)
		post.Media = append(post.Media, v.media())
	}
	n.Env.Posts.Put(tx, post)
	n.pagePosts.Put(tx, post.ID, details)
	if _, waited := n.drafts.Get(d.ID); waited {
		n.drafts.Delete(tx, d.ID)
	}
}

// keep stores a draft for later. Its photos are marked as used.
func (n *network) keep(tx *sim.Tx, d draft) {
	for _, id := range d.Photos {
		p, _ := n.photos.Get(id)
		p.IsUsed = true
		n.photos.Put(tx, id, p)
	}
	n.drafts.Put(tx, d.ID, d)
}

// publishDue publishes the drafts that are due.
func (n *network) publishDue() error {
	var due []string
	n.Env.View(func() { due = n.due() })
	if len(due) == 0 {
		return nil
	}
	return n.Env.Update(func(tx *sim.Tx) error {
		for _, id := range n.due() {
			d, _ := n.drafts.Get(id)
			n.release(tx, d, n.partsOf(d), d.PublishAt)
		}
		return nil
	})
}

// due needs a running View or Update.
func (n *network) due() []string {
	var ids []string
	for id, d := range n.drafts.Newest() {
		if !d.PublishAt.IsZero() && !n.Env.Now().Before(d.PublishAt) {
			ids = append(ids, id)
		}
	}
	return ids
}

// The period in which posts can be scheduled on Facebook.
const (
	minAhead = 10 * time.Minute
	maxAhead = 30 * 24 * time.Hour
)

// scheduledTime returns when a post is to become public; zero if the call does not say.
func (n *network) scheduledTime(c *graph.Call) (time.Time, *sim.Reply) {
	text := c.Params["scheduled_publish_time"]
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := graph.ParseTime(text)
	ahead := at.Sub(n.Env.Now())
	if !ok || ahead < minAhead || ahead > maxAhead {
		return at, graph.InvalidParameter("The specified scheduled publish time is invalid: it must be between 10 " +
			"minutes and 30 days from now").Refuse()
	}
	return at, nil
}
