package youtube

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/internal/sandbox/sim"
)

// insertCaption is the cost of adding captions.
var insertCaption = endpoint{unitBucket, 400, manageScopes}

const (
	maxCaptionName  = 150
	maxCaptionBytes = 100 << 20
)

// caption are captions of a video; the text is not stored.
type caption struct {
	Language string `json:"language"`
	Name     string `json:"name,omitempty"`
}

func (n *network) registerCaptions() {
	n.env.Route("POST /upload/youtube/v3/captions", sim.Upload, n.checked(insertCaption, n.insertCaptions))
	n.env.Route("GET /youtube/v3/captions", sim.Read, n.checked(endpoint{unitBucket, 50, manageScopes}, n.listCaptions))
}

type captionInput struct {
	Snippet struct {
		VideoID  string `json:"videoId"`
		Language string `json:"language"`
		Name     string `json:"name"`
		IsDraft  bool   `json:"isDraft"`
	} `json:"snippet"`
}

func badCaption(status int, reason, message string) sim.Reply {
	return failure(status, "youtube.caption", reason, message)
}

// insertCaptions adds captions to a video: metadata and file in one request. Each language and name can exist once.
func (n *network) insertCaptions(r *http.Request, c caller) sim.Reply {
	if r.URL.Query().Get("uploadType") != "multipart" {
		return badRequest("badRequest", "uploadType must be multipart: the sandbox has no other protocol here")
	}
	if _, refusal := readParts(r.URL.Query(), []string{"snippet"}); refusal != nil {
		return *refusal
	}
	in, text, ok := readRelated(r)
	s := in.Snippet
	switch {
	case !ok:
		return badRequest("parseError", "Parse Error")
	case s.Language == "" || s.VideoID == "":
		return badCaption(http.StatusBadRequest, "invalidMetadata",
			"The request contains invalid metadata values, which prevent the track from being created.")
	case utf8.RuneCountInString(s.Name) > maxCaptionName:
		return badCaption(http.StatusBadRequest, "nameTooLong",
			"The snippet.name specified in the request is too long. The maximum length supported is 150 characters.")
	case !strings.Contains(text, "-->"):
		return badCaption(http.StatusBadRequest, "contentRequired",
			"The request does not contain the caption track contents.")
	}
	added := caption{Language: s.Language, Name: s.Name}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		v, refusal := n.own(s.VideoID, c)
		switch {
		case refusal != nil:
			return refusal
		case slices.Contains(v.Captions, added):
			return refuse(badCaption(http.StatusConflict, "captionExists",
				"The specified video already has a caption track with the given snippet.language and snippet.name."))
		}
		v.Captions = append(slices.Clone(v.Captions), added)
		n.videos.Put(tx, v.ID, v)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: captionResource(s.VideoID, added)}
}

// readRelated reads the two parts of a multipart/related body: metadata, and the file.
func readRelated(r *http.Request) (in captionInput, text string, ok bool) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" {
		return in, "", false
	}
	parts := multipart.NewReader(io.LimitReader(r.Body, maxCaptionBytes), params["boundary"])
	metadata, err := parts.NextPart()
	if err != nil || json.NewDecoder(metadata).Decode(&in) != nil {
		return in, "", false
	}
	file, err := parts.NextPart()
	if err != nil {
		return in, "", false
	}
	content, err := io.ReadAll(file)
	return in, string(content), err == nil
}

func captionResource(video string, c caption) map[string]any {
	id := etag(video, c.Language, c.Name)
	return map[string]any{"kind": "youtube#caption", "etag": id, "id": id, "snippet": map[string]any{"videoId": video,
		"language": c.Language, "name": c.Name, "trackKind": "standard", "isDraft": false, "status": "serving"}}
}

// listCaptions returns the captions of a video.
func (n *network) listCaptions(r *http.Request, c caller) sim.Reply {
	if _, refusal := readParts(r.URL.Query(), []string{"id", "snippet"}); refusal != nil {
		return *refusal
	}
	var v video
	var refusal *sim.Reply
	n.env.View(func() { v, refusal = n.own(r.URL.Query().Get("videoId"), c) })
	if refusal != nil {
		return *refusal
	}
	items := []map[string]any{}
	for _, one := range v.Captions {
		items = append(items, captionResource(v.ID, one))
	}
	return listReply("youtube#captionListResponse", items, len(items), "")
}
