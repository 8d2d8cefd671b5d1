package facebook

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// maxPhoto is the maximum size of a photo.
const maxPhoto = 10 << 20

// unusedLife is how long unused photos and uploads are kept.
const unusedLife = 24 * time.Hour

var photoTypes = []string{"image/jpeg", "image/png", "image/gif", "image/bmp", "image/tiff"}

// photo is a picture of a Page. It can be posted once.
type photo struct {
	ID        string    `json:"id"`
	PageID    string    `json:"page"`
	Media     sim.Media `json:"media"`
	Caption   string    `json:"caption,omitempty"`
	CreatedAt time.Time `json:"created"`
	IsUsed    bool      `json:"used,omitempty"`
	PostID    string    `json:"post,omitempty"`
}

// isOver reports whether an unused photo has expired.
func (p photo) isOver(now time.Time) bool { return !p.IsUsed && now.Sub(p.CreatedAt) >= unusedLife }

func (n *network) registerPhotos() {
	n.Edge(http.MethodPost, "photos", publishOrUpload, n.addPhoto)
}

// publishOrUpload distinguishes publishing from uploading for a later post.
func publishOrUpload(c *graph.Call) sim.Operation {
	if c.Params.Bool("published", true) {
		return sim.Publish
	}
	return sim.Upload
}

type photoAdded struct {
	ID     string `json:"id"`
	PostID string `json:"post_id,omitempty"`
}

// addPhoto accepts a photo by its URL or its bytes, and posts it unless it is unpublished.
func (n *network) addPhoto(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	file, refusal := n.receivePhoto(c)
	if refusal != nil {
		return *refusal
	}
	text := c.Params["caption"]
	if text == "" {
		text = c.Params["message"]
	}
	p := photo{PageID: page.ID, Media: file.Media, Caption: text}
	p.Media.AltText = c.Params["alt_text_custom"]
	added := photoAdded{}
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		p.ID, p.CreatedAt = graph.NewID(tx), tx.Now()
		p.Media.ID, added.ID = p.ID, p.ID
		if !c.Params.Bool("published", true) {
			n.photos.Put(tx, p.ID, p)
			return nil
		}
		d := draft{PageID: page.ID, Message: text, Photos: []string{p.ID}}
		d.ID = newDraftID(tx, d)
		added.PostID = d.ID
		n.release(tx, d, parts{photos: []photo{p}}, tx.Now())
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(added)
}

// receivePhoto fetches a photo, or reads it from the body.
func (n *network) receivePhoto(c *graph.Call) (graph.File, *sim.Reply) {
	file, err := n.receiveFile(c, "url", "source", maxPhoto)
	switch {
	case errors.Is(err, graph.ErrTooLarge):
		return file, largeImage.Refuse()
	case err != nil || file.Size == 0 || !slices.Contains(photoTypes, file.Type):
		return file, badImage.Refuse()
	}
	return file, nil
}

// receiveFile fetches the file that a parameter names, or reads the one in a field of the body. A call with neither
// yields an empty file.
func (n *network) receiveFile(c *graph.Call, address, field string, limit int64) (graph.File, error) {
	if c.Params[address] != "" {
		return n.Crawler.Fetch(c.Context(), c.Params[address], limit)
	}
	var file graph.File
	err := c.EachFile(func(name string, body io.Reader) (err error) {
		if name == field {
			file, err = n.Crawler.Receive(body, limit)
		}
		return err
	})
	if err != nil {
		return graph.File{}, fmt.Errorf("receive %s: %w", field, err)
	}
	return file, nil
}

// checkPhotos rejects photos that do not exist, or were posted before. It needs a running Update.
func (n *network) checkPhotos(tx *sim.Tx, d draft) *sim.Reply {
	for i, id := range d.Photos {
		p, found := n.photos.Get(id)
		switch {
		case !found || p.PageID != d.PageID || p.isOver(tx.Now()):
			return graph.InvalidParameter("media_fbid %s is not a photo of this Page", id).Refuse()
		case p.IsUsed || slices.Contains(d.Photos[:i], id):
			return usedPhoto.Refuse()
		}
	}
	return nil
}

// photoSource returns the fields of a photo.
func (n *network) photoSource(c *graph.Call, p photo) graph.Source {
	link := n.FileURL(c, p.Media)
	return graph.Lookup(map[string]any{"id": p.ID, "page_story_id": textOrNil(p.PostID), "name": textOrNil(p.Caption),
		"alt_text_custom": textOrNil(p.Media.AltText),
		"created_time":    graph.Timestamp(p.CreatedAt), "link": n.Env.URL(c.Request, "/"+p.PostID), "picture": link,
		"width": p.Media.Width, "height": p.Media.Height,
		"images": []graph.Object{{"source": link, "width": p.Media.Width, "height": p.Media.Height}}})
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
