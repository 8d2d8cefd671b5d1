package facebook

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// storyLife is how long a story is visible.
const storyLife = 24 * time.Hour

func (n *network) registerStories() {
	n.Edge(http.MethodPost, "photo_stories", graph.Always(sim.Publish), n.postPhotoStory)
	n.Edge(http.MethodPost, edgeStories, phaseOperation, n.storyPhase)
	n.Edge(http.MethodGet, "stories", graph.Always(sim.Read), n.listStories)
}

// storyPosted is the response to a story. Its id is a number, which may exceed the precision of a float.
type storyPosted struct {
	Success bool        `json:"success"`
	PostID  json.Number `json:"post_id"`
}

// postPhotoStory publishes an unpublished photo as a story.
func (n *network) postPhotoStory(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	if c.Params["photo_id"] == "" {
		return graph.Invalid("The parameter photo_id is required")
	}
	d := draft{PageID: page.ID, Photos: []string{c.Params["photo_id"]}, IsStory: true}
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		if refusal := n.checkPhotos(tx, d); refusal != nil {
			return refusal
		}
		d.ID = newDraftID(tx, d)
		n.release(tx, d, n.partsOf(d), tx.Now())
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(storyPosted{Success: true, PostID: json.Number(d.ID)})
}

// storyPhase starts or ends the upload of a story.
func (n *network) storyPhase(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	switch c.Params["upload_phase"] {
	case "start":
		return n.startUpload(c, page, edgeStories)
	case "finish":
		return n.finishStory(c, page)
	default:
		return graph.Invalid("upload_phase must be start or finish")
	}
}

// finishStory publishes a story whose video is processed.
func (n *network) finishStory(c *graph.Call, page sim.Account) sim.Reply {
	var v video
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		var found bool
		v, found = n.ownVideo(c.Params["video_id"], page, edgeStories)
		switch processing := v.processing(tx.Now(), n.Env.Options.ProcessingTime); {
		case !found:
			return graph.Refuse(graph.Missing(c.Method, c.Params["video_id"]))
		case !v.FinishedAt.IsZero():
			return graph.InvalidParameter("The video %s was published already", v.ID).Refuse()
		case processing == failed:
			return videoProblem(*v.Failure).Refuse()
		case processing != complete:
			return uploadProblem.Refuse()
		}
		return n.finish(tx, c, &v)
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(storyPosted{Success: true, PostID: json.Number(v.PostID)})
}

// listStories returns a Page's stories, newest first.
func (n *network) listStories(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toRead)
	if refusal != nil {
		return *refusal
	}
	since, until, refusal := c.Between()
	if refusal != nil {
		return *refusal
	}
	wanted := c.Params.List("status")
	var reply sim.Reply
	n.Env.View(func() {
		var ids []string
		for _, id := range slices.Backward(n.Env.Posts.ByAccount(page.ID)) {
			post, live := n.Env.Posts.Live(id)
			details, _ := n.pagePosts.Get(id)
			isWanted := len(wanted) == 0 || slices.Contains(wanted, n.storyStatus(post))
			if live && details.IsStory && isWanted && graph.Within(post.CreatedAt, since, until) {
				ids = append(ids, id)
			}
		}
		reply = c.List(n.Env.URL(c.Request, c.GraphPath()), ids,
			func(id string) (graph.Object, *sim.Reply) { return n.storyObject(c, id), nil })
	})
	return reply
}

func (n *network) storyStatus(post sim.Post) string {
	if n.Env.Now().Sub(post.CreatedAt) >= storyLife {
		return "ARCHIVED"
	}
	return "PUBLISHED"
}

func (n *network) storyObject(c *graph.Call, id string) graph.Object {
	post, _ := n.Env.Posts.Get(id)
	details, _ := n.pagePosts.Get(id)
	object := graph.Object{"post_id": id, "status": n.storyStatus(post),
		"creation_time": strconv.FormatInt(post.CreatedAt.Unix(), 10), "media_type": "video",
		"media_id": details.VideoID, "url": n.Env.URL(c.Request, "/stories/"+id)}
	if details.VideoID == "" {
		object["media_type"], object["media_id"] = "photo", details.Photos[0]
	}
	return object
}
