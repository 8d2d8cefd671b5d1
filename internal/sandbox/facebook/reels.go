package facebook

import (
	"net/http"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// reelsPerDay is how many reels a Page may publish through the API per day.
const reelsPerDay = 30

func (n *network) registerReels() {
	n.Edge(http.MethodPost, edgeReels, phaseOperation, n.reelPhase)
	n.Edge(http.MethodPost, "collaborators", graph.Always(sim.Upload), n.inviteCollaborator)
}

// phaseOperation distinguishes the start of an upload from its end, which publishes.
func phaseOperation(c *graph.Call) sim.Operation {
	if c.Params["upload_phase"] == "finish" {
		return sim.Publish
	}
	return sim.Upload
}

type uploadStarted struct {
	VideoID   string `json:"video_id"`
	UploadURL string `json:"upload_url"`
}

// startUpload creates a video whose bytes are sent to another host.
func (n *network) startUpload(c *graph.Call, page sim.Account, edge string) sim.Reply {
	v := video{PageID: page.ID, Edge: edge}
	if refusal := n.createVideo(&v); refusal != nil {
		return *refusal
	}
	return graph.OK(uploadStarted{VideoID: v.ID, UploadURL: n.UploadURL(c, "video-upload", v.ID)})
}

// reelPhase starts or ends the upload of a reel.
func (n *network) reelPhase(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	switch c.Params["upload_phase"] {
	case "start":
		return n.startUpload(c, page, edgeReels)
	case "finish":
		return n.finishReel(c, page)
	default:
		return graph.Invalid("upload_phase must be start or finish")
	}
}

// finishReel accepts a reel. Its status tells whether it can be processed.
func (n *network) finishReel(c *graph.Call, page sim.Account) sim.Reply {
	if refusal := checkReelState(c); refusal != nil {
		return *refusal
	}
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		v, found := n.ownVideo(c.Params["video_id"], page, edgeReels)
		switch {
		case !found:
			return graph.Refuse(graph.Missing(c.Method, c.Params["video_id"]))
		case !v.FinishedAt.IsZero():
			return graph.InvalidParameter("The video %s was published already", v.ID).Refuse()
		case v.CompleteAt.IsZero():
			return uploadProblem.Refuse()
		case n.reelsSince(tx, page.ID) >= reelsPerDay*n.Env.Options.LimitFactor:
			return tooManyReels.Refuse()
		}
		return n.finish(tx, c, &v)
	})
	if refusal != nil {
		return *refusal
	}
	return graph.Done()
}

func checkReelState(c *graph.Call) *sim.Reply {
	isTimed := c.Params["scheduled_publish_time"] != ""
	switch state := c.Params["video_state"]; {
	case state != "PUBLISHED" && state != "SCHEDULED" && state != "DRAFT":
		return graph.InvalidParameter("video_state must be one of PUBLISHED, SCHEDULED and DRAFT").Refuse()
	case isTimed != (state == "SCHEDULED"):
		return graph.InvalidParameter("scheduled_publish_time belongs to the video_state SCHEDULED").Refuse()
	}
	return nil
}

// reelsSince counts a Page's reels of the last day.
func (n *network) reelsSince(tx *sim.Tx, page string) int {
	return n.CountSince(page, tx.Now().Add(-24*time.Hour), func(p sim.Post) bool {
		details, _ := n.pagePosts.Get(p.ID)
		return details.IsReel
	})
}

// inviteCollaborator asks another Page to share a reel.
func (n *network) inviteCollaborator(c *graph.Call) sim.Reply {
	page, refusal := n.acting(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	found := false
	n.Env.View(func() { _, found = n.ownVideo(c.Node, page, edgeReels) })
	switch {
	case !found:
		return graph.Missing(c.Method, c.Node)
	case c.Params["target_id"] == "":
		return graph.Invalid("The parameter target_id is required")
	}
	return graph.Done()
}
