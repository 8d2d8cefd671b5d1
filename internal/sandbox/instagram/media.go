package instagram

import (
	"errors"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Limits of files.
const (
	maxImage      = 8 << 20
	maxReel       = 300 << 20
	maxStory      = 100 << 20
	maxVideoWidth = 1920
	maxBitRate    = 25_000_000
	minVideoTime  = 3 * time.Second
	maxReelTime   = 15 * time.Minute
	maxStoryTime  = time.Minute

	// minRatio and maxRatio bound the aspect ratio of feed pictures; the tolerance is for whole pixels.
	minRatio       = 0.8
	maxRatio       = 1.91
	ratioTolerance = 0.01
)

var (
	videoCodecs = []string{"avc1", "avc3", "hvc1", "hev1"}
	audioCodecs = []string{"mp4a"}
)

// fetchMedia fetches the files of a container. Problems of a picture are reported at once; a video fails later, during
// processing.
func (n *network) fetchMedia(c *graph.Call, draft *container) *sim.Reply {
	if cover := c.Params["cover_url"]; cover != "" {
		if _, problem := n.fetchImage(c, cover); problem != nil {
			return problem.Refuse()
		}
	}
	switch {
	case draft.Resumable:
		return nil
	case c.Params["image_url"] != "":
		return n.fetchPicture(c, draft)
	default:
		return n.fetchVideo(c, draft)
	}
}

func (n *network) fetchPicture(c *graph.Call, draft *container) *sim.Reply {
	file, problem := n.fetchImage(c, c.Params["image_url"])
	if problem != nil {
		return problem.Refuse()
	}
	ratio := file.Ratio()
	if draft.Kind == kindImage && (ratio < minRatio-ratioTolerance || ratio > maxRatio+ratioTolerance) {
		return imageRatio.Refuse()
	}
	draft.addFile(file)
	return nil
}

// fetchImage fetches a picture, which has to be a JPEG.
func (n *network) fetchImage(c *graph.Call, address string) (graph.File, *graph.Problem) {
	file, err := n.Crawler.Fetch(c.Context(), address, maxImage)
	problem := fetchProblem(err, imageSize)
	switch {
	case err != nil:
		return file, &problem
	case file.Type != "image/jpeg" || file.Width == 0:
		problem = imageFormat
		return file, &problem
	}
	return file, nil
}

func (d *container) addFile(file graph.File) {
	file.AltText = d.AltText
	d.Media = []sim.Media{file.Media}
}

func (n *network) fetchVideo(c *graph.Call, draft *container) *sim.Reply {
	file, err := n.Crawler.Fetch(c.Context(), c.Params["video_url"], draft.largestVideo())
	switch {
	case errors.Is(err, graph.ErrTooLarge):
		draft.Failure = failedStatus(subcodeVideo)
	case err != nil:
		draft.Failure = failedStatus(fetchProblem(err, badVideo).Subcode)
	default:
		return draft.takeVideo(c, file)
	}
	return nil
}

func (d *container) largestVideo() int64 {
	if d.Kind == kindStories {
		return maxStory
	}
	return maxReel
}

// takeVideo stores a video, or why it cannot be processed.
func (d *container) takeVideo(c *graph.Call, file graph.File) *sim.Reply {
	if offset, ok := c.Params.Int("thumb_offset"); ok && file.Movie.Length > 0 &&
		time.Duration(offset)*time.Millisecond > file.Movie.Length {
		return badOffset.Refuse()
	}
	d.inspect(file)
	d.addFile(file)
	return nil
}

// inspect records why a video cannot be processed.
func (d *container) inspect(file graph.File) {
	longest := maxReelTime
	if d.Kind == kindStories {
		longest = maxStoryTime
	}
	m := file.Movie
	isWrong := !file.IsVideo() || !m.Whole() || file.Size > d.largestVideo() ||
		(m.Length > 0 && (m.Length < minVideoTime || m.Length > longest)) ||
		m.Width > maxVideoWidth || m.BitRate(file.Size) > maxBitRate ||
		(m.Video != "" && !slices.Contains(videoCodecs, m.Video)) ||
		(m.Audio != "" && !slices.Contains(audioCodecs, m.Audio))
	if isWrong {
		d.Failure = failedStatus(subcodeVideo)
	}
}

// Transfer returns a container that waits for the bytes of its video.
func (n *network) Transfer(id string, t sim.Token) (graph.Transfer, bool) {
	c, found := n.containers.Get(id)
	isOpen := found && c.Resumable && c.OwnerID == t.AccountID && c.Status(n.Env.Now()) != graph.Lapsed
	return c.Transfer, isOpen
}

// Keep writes the bytes that have arrived; after the last of them processing starts.
func (n *network) Keep(tx *sim.Tx, id string, t graph.Transfer) {
	c, _ := n.containers.Get(id)
	c.Transfer = t
	if t.Done {
		c.CompleteAt = tx.Now()
		file, err := t.File()
		if err != nil {
			c.Failure = failedStatus(subcodeVideo)
		} else {
			c.inspect(file)
			c.addFile(file)
		}
	}
	n.containers.Put(tx, id, c)
}

// LargestTransfer returns the maximum size of uploads.
func (n *network) LargestTransfer() int64 { return maxReel }
