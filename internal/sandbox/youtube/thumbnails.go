package youtube

import (
	"io"
	"net/http"

	"crier/internal/sandbox/sim"
)

// maxThumbnail is the maximum size of a thumbnail.
const maxThumbnail = 50 << 20

func (n *network) registerThumbnails() {
	n.env.Route("POST /upload/youtube/v3/thumbnails/set", sim.Upload, n.checked(setThumbnail, n.setThumbnail))
}

// setThumbnail sets the thumbnail of a video.
func (n *network) setThumbnail(r *http.Request, c caller) sim.Reply {
	id := r.URL.Query().Get("videoId")
	var refusal *sim.Reply
	n.env.View(func() { _, refusal = n.own(id, c) })
	switch {
	case refusal != nil:
		return *refusal
	case !isVerified(c.channel):
		return failure(http.StatusForbidden, "youtube.thumbnail", "forbidden",
			"The authenticated user doesn't have permissions to upload and set custom video thumbnails.")
	}
	digest, err := n.env.Media.Extend(sim.Digest{}, io.LimitReader(r.Body, maxThumbnail+1))
	switch {
	case err != nil || digest.Size == 0:
		return failure(http.StatusBadRequest, "youtube.thumbnail", "mediaBodyRequired",
			"The request does not include the image content.")
	case digest.Size > maxThumbnail || (digest.Type != "image/jpeg" && digest.Type != "image/png"):
		return failure(http.StatusBadRequest, "youtube.thumbnail", "invalidImage",
			"The provided image content is invalid.")
	}
	refusal = n.try(func(tx *sim.Tx) *sim.Reply {
		v, refusal := n.own(id, c)
		if refusal == nil {
			v.Thumbnail = true
			n.videos.Put(tx, v.ID, v)
		}
		return refusal
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: map[string]any{"kind": "youtube#thumbnailSetResponse",
		"etag":  etag("thumbnail", id),
		"items": []any{n.thumbnails(r, id)}}}
}
