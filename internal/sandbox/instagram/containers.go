package instagram

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Kinds of containers. A picture for the feed has none on the wire.
const (
	kindImage    = "IMAGE"
	kindVideo    = "VIDEO" // in a carousel only
	kindReels    = "REELS"
	kindStories  = "STORIES"
	kindCarousel = "CAROUSEL"
)

// container is a post that is not public yet.
type container struct {
	graph.Container
	Kind     string   `json:"kind"`
	IsChild  bool     `json:"child,omitempty"` // of a carousel
	Caption  string   `json:"caption,omitempty"`
	AltText  string   `json:"alt,omitempty"`
	Children []string `json:"children,omitempty"`
	// Resumable containers wait for the bytes of their video.
	Resumable bool           `json:"resumable,omitempty"`
	Transfer  graph.Transfer `json:"transfer,omitzero"`
}

// containersPerDay is how many containers an account may create per day.
const containersPerDay = 400

// uploadPath is the upload path of videos.
const uploadPath = "ig-api-upload"

func (n *network) registerContainers() {
	n.Edge(http.MethodPost, "media", graph.Always(sim.Upload), n.createContainer)
	n.ServeUploads(uploadPath, n, map[string]any{"success": true, "message": "Upload successful."})
}

// accountOf returns the account in a call's path, if its token acts for it.
func (n *network) accountOf(c *graph.Call) (sim.Account, *sim.Reply) {
	var a sim.Account
	found := false
	n.Env.View(func() {
		a, found = n.Env.Accounts.Get(c.Node)
		found = found && (a.ID == c.Token.AccountID ||
			(c.Token.Kind == graph.UserToken && a.OwnerID == c.Token.AccountID))
	})
	if isPageItself := byFacebook(c) && c.PathValue("node") == "me"; !found || isPageItself {
		return a, graph.Refuse(graph.Missing(c.Method, c.Node))
	}
	return a, nil
}

// createContainer fetches the media of a post and creates its container.
func (n *network) createContainer(c *graph.Call) sim.Reply {
	a, refusal := n.accountOf(c)
	if refusal == nil {
		refusal = lacks(c, mayPublish)
	}
	if refusal != nil {
		return *refusal
	}
	draft, refusal := readContainer(c)
	if refusal != nil {
		return *refusal
	}
	if n.Env.Limits.Take("containers "+a.ID, containersPerDay, 24*time.Hour, false).Exceeded {
		return quotaReached.Reply()
	}
	draft.OwnerID = a.ID
	if draft.Kind == kindCarousel {
		return n.createCarousel(draft)
	}
	if refusal := n.fetchMedia(c, &draft); refusal != nil {
		return *refusal
	}
	return n.create(c, draft)
}

type containerCreated struct {
	ID  string `json:"id"`
	URI string `json:"uri,omitempty"`
}

// create writes a container whose media are complete, or are uploaded later.
func (n *network) create(c *graph.Call, draft container) sim.Reply {
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		n.put(tx, &draft)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	created := containerCreated{ID: draft.ID}
	if draft.Resumable {
		created.URI = n.UploadURL(c, uploadPath, draft.ID)
	}
	return graph.OK(created)
}

// put writes a new container. Pictures need less time than videos.
func (n *network) put(tx *sim.Tx, draft *container) {
	draft.ID, draft.CreatedAt, draft.Work = graph.NewID(tx), tx.Now(), n.Env.Options.ProcessingTime
	isVideo := draft.Resumable || draft.Failure != "" || slices.ContainsFunc(draft.Media, isVideoMedia)
	if !isVideo || draft.Kind == kindCarousel {
		draft.Work /= 4
	}
	if !draft.Resumable {
		draft.CompleteAt = tx.Now()
	}
	n.containers.Put(tx, draft.ID, *draft)
}

func isVideoMedia(m sim.Media) bool { return strings.HasPrefix(m.Type, "video/") }

// createCarousel creates a container from several, which all have to be finished.
func (n *network) createCarousel(draft container) sim.Reply {
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		for _, id := range draft.Children {
			child, found := n.containers.Get(id)
			switch status := child.Status(tx.Now()); {
			case !found || child.OwnerID != draft.OwnerID:
				return mediaNotFound.Refuse()
			case !child.IsChild:
				return graph.InvalidParameter("container %s is no carousel item", id).Refuse()
			case status == graph.Lapsed:
				return expired.Refuse()
			case status != graph.Finished:
				return notReady.Refuse()
			}
			draft.Media = append(draft.Media, child.Media...)
		}
		n.put(tx, &draft)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(containerCreated{ID: draft.ID})
}

// failedStatus returns the status text of a failed container.
func failedStatus(subcode int) string {
	return fmt.Sprintf("Error: Media upload has failed with error code %d", subcode)
}

// sentence returns a container's status text.
func (d container) sentence(status string) string {
	switch status {
	case graph.InProgress:
		return "In Progress: Media is still being processed."
	case graph.Finished:
		return "Finished: Media has been uploaded and it is ready to be published."
	case graph.Published:
		return "Published: Media has been successfully published."
	case graph.Lapsed:
		return "Expired: The container was not published within 24 hours and has expired."
	default:
		return d.Failure
	}
}

// showContainer returns the status of a container.
func (n *network) showContainer(c *graph.Call, found container) sim.Reply {
	fields, refusal := c.Fields("id")
	if refusal != nil {
		return *refusal
	}
	status := found.Status(n.Env.Now())
	values := map[string]any{"id": found.ID, "status_code": status, "status": found.sentence(status),
		"video_status":           nil,
		"copyright_check_status": graph.Object{"status": "completed", "matches_found": false}}
	if found.Resumable {
		values["video_status"] = found.phases(status)
	}
	object, refusal := graph.Show("IGMediaBuilder", fields, graph.Lookup(values))
	if refusal != nil {
		return *refusal
	}
	return graph.OK(object)
}

// phases returns the upload progress of a video.
func (d container) phases(status string) graph.Object {
	uploading, processing := "in_progress", "not_started"
	if d.Transfer.Done {
		uploading, processing = "complete", "complete"
	}
	switch {
	case d.Transfer.Size() == 0:
		uploading = "not_started"
	case d.Transfer.Done && status == graph.InProgress:
		processing = "in_progress"
	case status == graph.Failed:
		processing = "error"
	}
	return graph.Object{"uploading_phase": graph.Object{"status": uploading, "bytes_transferred": d.Transfer.Size()},
		"processing_phase": graph.Object{"status": processing}}
}
