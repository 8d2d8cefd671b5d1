package threads

import (
	"net/http"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Kinds of containers.
const (
	kindText     = "TEXT"
	kindImage    = "IMAGE"
	kindVideo    = "VIDEO"
	kindCarousel = "CAROUSEL"
)

// container is a post that is not public yet.
type container struct {
	graph.Container
	Kind     string   `json:"kind"`
	IsChild  bool     `json:"child,omitempty"` // of a carousel
	Text     string   `json:"text,omitempty"`
	Children []string `json:"children,omitempty"`
	ReplyTo  string   `json:"replyTo,omitempty"`
	Quotes   string   `json:"quotes,omitempty"`
	Details  details  `json:"details"`
}

// details is the data of a post besides text and media.
type details struct {
	Audience string `json:"audience,omitempty"`
	Topic    string `json:"topic,omitempty"`
	Link     string `json:"link,omitempty"`
	// Ghost posts disappear after a day.
	Ghost bool `json:"ghost,omitempty"`
}

func (n *network) registerContainers() {
	n.Edge(http.MethodPost, "threads", createOperation, n.createContainer)
}

// createOperation distinguishes creating a container from publishing a text in one call.
func createOperation(c *graph.Call) sim.Operation {
	if isAutomatic(c) {
		return sim.Publish
	}
	return sim.Upload
}

func isAutomatic(c *graph.Call) bool {
	return c.Params.Bool("auto_publish_text", false) && c.Params["media_type"] == kindText
}

// acts rejects a path with an id that is not the token's. Threads responds as for a missing container.
func acts(c *graph.Call) *sim.Reply {
	if c.Node != c.Token.AccountID {
		return mediaNotFound(c.Node).Refuse()
	}
	return nil
}

type idBody struct {
	ID string `json:"id"`
}

// createContainer fetches the media of a post and creates its container.
func (n *network) createContainer(c *graph.Call) sim.Reply {
	refusal := acts(c)
	if refusal == nil {
		refusal = lacks(c, scopePublish)
	}
	if refusal != nil {
		return *refusal
	}
	draft, refusal := readContainer(c)
	if refusal == nil {
		refusal = n.fetchMedia(c, &draft)
	}
	if refusal != nil {
		return *refusal
	}
	draft.OwnerID = c.Token.AccountID
	id := ""
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		if refusal := n.resolve(tx, c, &draft); refusal != nil {
			return refusal
		}
		n.put(tx, &draft)
		id = draft.ID
		if !isAutomatic(c) {
			return nil
		}
		if refusal := n.checkQuota(tx, draft); refusal != nil {
			return refusal
		}
		id = n.release(tx, draft).ID
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{id})
}

// put writes a new container. All but videos need less time.
func (n *network) put(tx *sim.Tx, draft *container) {
	draft.ID, draft.CreatedAt, draft.CompleteAt, draft.Work = graph.NewID(tx), tx.Now(), tx.Now(),
		n.Env.Options.ProcessingTime
	if draft.Kind != kindVideo {
		draft.Work /= 4
	}
	n.containers.Put(tx, draft.ID, *draft)
}

// resolve looks up what a draft refers to: the items of a carousel, the post that it replies to or quotes.
func (n *network) resolve(tx *sim.Tx, c *graph.Call, draft *container) *sim.Reply {
	for _, id := range draft.Children {
		child, found := n.containers.Get(id)
		switch {
		case !found || child.OwnerID != draft.OwnerID || !child.IsChild:
			return mediaNotFound(id).Refuse()
		case child.Status(tx.Now()) != graph.Finished:
			return mediaNotFound(id).Refuse()
		}
		draft.Media = append(draft.Media, child.Media...)
	}
	if draft.Quotes != "" {
		if _, found := n.live(draft.Quotes); !found {
			return invalid("Param quote_post_id is not a valid post: %s", draft.Quotes)
		}
	}
	if draft.ReplyTo == "" {
		return nil
	}
	parent, found := n.live(draft.ReplyTo)
	switch {
	case !found:
		return invalid("Param reply_to_id is not a valid post: %s", draft.ReplyTo)
	case parent.AccountID != draft.OwnerID && !c.Token.Has(scopeSearch) && !c.Token.Has(scopeMentions):
		return lacks(c, scopeMentions)
	}
	return nil
}

// live returns a post that is visible. It needs a running View or Update.
func (n *network) live(id string) (sim.Post, bool) {
	post, live := n.Env.Posts.Live(id)
	t, found := n.threads.Get(id)
	isGone := t.Ghost && n.Env.Now().Sub(post.CreatedAt) >= day
	return post, live && found && !isGone
}

// showContainer returns the status of a container.
func (n *network) showContainer(c *graph.Call, found container) sim.Reply {
	fields, refusal := c.Fields("id,status")
	if refusal != nil {
		return *refusal
	}
	status := found.Status(n.Env.Now())
	values := map[string]any{"id": found.ID, "status": status, "error_message": nil}
	if status == graph.Failed {
		values["error_message"] = found.Failure
	}
	object, refusal := graph.Show("ThreadsMediaContainer", fields, graph.Lookup(values))
	if refusal != nil {
		return *refusal
	}
	return graph.OK(object)
}

// The problems of videos that could not be processed.
const (
	failedDownload   = "FAILED_DOWNLOADING_VIDEO"
	failedProcessing = "FAILED_PROCESSING_VIDEO"
	failedAudio      = "FAILED_PROCESSING_AUDIO"
	invalidRatio     = "INVALID_ASPEC_RATIO" // Threads' spelling
	invalidBitRate   = "INVALID_BIT_RATE"
	invalidDuration  = "INVALID_DURATION"
)

// Limits of files.
const (
	maxImage      = 8 << 20
	maxVideo      = 1 << 30
	maxImageRatio = 10.0
	minVideoRatio = 0.01
	maxVideoRatio = 10.0
	maxVideoWidth = 1920
	maxVideoTime  = 5 * time.Minute
	maxBitRate    = 100_000_000
)

// fetchMedia downloads the file of a container. Problems of a picture are reported at once; a video fails later, during
// processing.
func (n *network) fetchMedia(c *graph.Call, draft *container) *sim.Reply {
	switch draft.Kind {
	case kindImage:
		return n.fetchImage(c, draft)
	case kindVideo:
		n.fetchVideo(c, draft)
	}
	return nil
}

func (n *network) fetchImage(c *graph.Call, draft *container) *sim.Reply {
	file, err := n.Crawler.Fetch(c.Context(), c.Params["image_url"], maxImage)
	if err != nil {
		return fetchProblem(err).Refuse()
	}
	ratio := file.Ratio()
	switch {
	case ratio == 0 || (file.Type != "image/jpeg" && file.Type != "image/png"):
		return imageFormat.Refuse()
	case ratio > maxImageRatio || ratio < 1/maxImageRatio:
		return imageRatio.Refuse()
	}
	draft.addFile(c, file)
	return nil
}

func (d *container) addFile(c *graph.Call, file graph.File) {
	file.AltText = c.Params["alt_text"]
	d.Media = []sim.Media{file.Media}
}

func (n *network) fetchVideo(c *graph.Call, draft *container) {
	file, err := n.Crawler.Fetch(c.Context(), c.Params["video_url"], maxVideo)
	if err != nil {
		draft.Failure = failedDownload
		return
	}
	draft.Failure = inspect(file)
	draft.addFile(c, file)
}

// inspect returns why a video cannot be processed, or "".
func inspect(file graph.File) string {
	m := file.Movie
	switch {
	case !file.IsVideo() || !m.Whole() || m.Width > maxVideoWidth:
		return failedProcessing
	case m.Video != "" && !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1"}, m.Video):
		return failedProcessing
	case m.Audio != "" && m.Audio != "mp4a":
		return failedAudio
	case m.Ratio() != 0 && (m.Ratio() < minVideoRatio || m.Ratio() > maxVideoRatio):
		return invalidRatio
	case m.Length > maxVideoTime:
		return invalidDuration
	case m.BitRate(file.Size) > maxBitRate:
		return invalidBitRate
	}
	return ""
}
