package linkedin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"crier/internal/sandbox/sim"
)

func (n *network) registerMedia() {
	n.rest("POST /rest/images", sim.Upload, n.action("images", imagePrefix, "image"))
	n.rest("GET /rest/images/{urn}", sim.Upload, n.getAsset(imagePrefix, "images"))
	n.rest("POST /rest/documents", sim.Upload, n.action("documents", documentPrefix, "document"))
	n.rest("GET /rest/documents/{urn}", sim.Upload, n.getAsset(documentPrefix, "documents"))
	n.rest("POST /rest/videos", sim.Upload, n.videoAction)
	n.rest("GET /rest/videos/{urn}", sim.Upload, n.getAsset(videoPrefix, "videos"))
	n.env.Route("PUT /dms-uploads/{id}/{part}", sim.Upload, n.receive)
	n.env.Route("POST /dms-uploads/{id}/captions", sim.Upload, n.receiveCaptions)
	n.env.Route("PUT /dms-uploads/{id}/thumbnail", sim.Upload, n.receiveThumbnail)
}

// uploadLife is how long an upload URL is valid.
const uploadLife = 30 * 24 * time.Hour

// partBytes is the size of a video's parts.
const partBytes = 4 << 20

type initializeInput struct {
	Request struct {
		Owner           string `json:"owner"`
		FileSizeBytes   int64  `json:"fileSizeBytes"`
		UploadCaptions  bool   `json:"uploadCaptions"`
		UploadThumbnail bool   `json:"uploadThumbnail"`
	} `json:"initializeUploadRequest"`
}

// initialize creates a file of the owner.
func (n *network) initialize(c caller, a asset, resource string) (asset, *sim.Reply) {
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if !n.actsAs(c, a.Owner, []string{"w_member_social"}, []string{"w_organization_social"}) {
			return refuse(denied(resource + ".ACTION-initializeUpload.20260701"))
		}
		a.UploadID = "D4E" + strconv.FormatUint(tx.NextSeq(), 36)
		a.URN += a.UploadID
		a.ExpiresAt = tx.Now().Add(uploadLife)
		n.assets.Put(tx, a.URN, a)
		return nil
	})
	return a, refusal
}

func (n *network) uploadURL(r *http.Request, a asset, part int) string {
	return n.env.URL(r, fmt.Sprintf("/dms-uploads/%s/%d", a.UploadID, part))
}

// value is the envelope of an action's response.
type value struct {
	Value any `json:"value"`
}

// action handles initializeUpload of files that are uploaded in one request.
func (n *network) action(resource, prefix, key string) handler {
	return func(r *http.Request, c caller) sim.Reply {
		if r.URL.Query().Get("action") != "initializeUpload" {
			return badField("PARAM_INVALID", "action must be initializeUpload")
		}
		var in initializeInput
		if err := sim.DecodeStrictJSON(r, &in); err != nil {
			return unprocessable("ERROR :: " + err.Error())
		}
		a, refusal := n.initialize(c, asset{URN: prefix, Owner: in.Request.Owner, Parts: make([]part, 1)}, resource)
		if refusal != nil {
			return *refusal
		}
		return sim.Reply{Status: http.StatusOK,
			Body: value{map[string]any{"uploadUrlExpiresAt": millis(a.ExpiresAt), "uploadUrl": n.uploadURL(r, a, 0),
				key: a.URN}}}
	}
}

func (n *network) videoAction(r *http.Request, c caller) sim.Reply {
	switch r.URL.Query().Get("action") {
	case "initializeUpload":
		return n.initializeVideo(r, c)
	case "finalizeUpload":
		return n.finalizeVideo(r, c)
	default:
		return badField("PARAM_INVALID", "action must be initializeUpload or finalizeUpload")
	}
}

type instruction struct {
	UploadURL string `json:"uploadUrl"`
	FirstByte int64  `json:"firstByte"`
	LastByte  int64  `json:"lastByte"`
}

func (n *network) initializeVideo(r *http.Request, c caller) sim.Reply {
	var in initializeInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return unprocessable("ERROR :: " + err.Error())
	}
	size := in.Request.FileSizeBytes
	if size < 1 || size > maxInitialize {
		return badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /initializeUploadRequest/fileSizeBytes :: must be 1 to %d",
			int64(maxInitialize))
	}
	a := asset{URN: videoPrefix, Owner: in.Request.Owner, Total: size,
		Captions:  beside{Announced: in.Request.UploadCaptions},
		Thumbnail: beside{Announced: in.Request.UploadThumbnail}}
	for first := int64(0); first < size; first += partBytes {
		a.Parts = append(a.Parts, part{First: first, Last: min(first+partBytes, size) - 1})
	}
	a, refusal := n.initialize(c, a, "videos")
	if refusal != nil {
		return *refusal
	}
	var instructions []instruction
	for i, p := range a.Parts {
		instructions = append(instructions, instruction{UploadURL: n.uploadURL(r, a, i), FirstByte: p.First,
			LastByte: p.Last})
	}
	answer := map[string]any{"uploadUrlsExpireAt": millis(a.ExpiresAt), "video": a.URN, "uploadToken": "",
		"uploadInstructions": instructions}
	if a.Captions.Announced {
		answer["captionsUploadUrl"] = n.env.URL(r, "/dms-uploads/"+a.UploadID+"/captions")
	}
	if a.Thumbnail.Announced {
		answer["thumbnailUploadUrl"] = n.env.URL(r, "/dms-uploads/"+a.UploadID+"/thumbnail")
	}
	return sim.Reply{Status: http.StatusOK, Body: value{answer}}
}

type finalizeInput struct {
	Request struct {
		Video           string   `json:"video"`
		UploadToken     string   `json:"uploadToken"`
		UploadedPartIDs []string `json:"uploadedPartIds"`
	} `json:"finalizeUploadRequest"`
}

// finalizeVideo completes an upload: every part must have arrived, and its tag be named in order.
func (n *network) finalizeVideo(r *http.Request, c caller) sim.Reply {
	var in finalizeInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return unprocessable("ERROR :: " + err.Error())
	}
	return n.changed(http.StatusOK, func(tx *sim.Tx) *sim.Reply {
		a, found := n.assets.Get(in.Request.Video)
		tags := []string{}
		for _, p := range a.Parts {
			tags = append(tags, p.ETag)
		}
		switch {
		case !found || !a.isVideo():
			return refuse(badField("INVALID_VIDEO_ID", "Video %s is invalid", in.Request.Video))
		case a.Owner != c.member.ID && !n.administers(c, a.Owner):
			return refuse(denied("videos.ACTION-finalizeUpload.20260701"))
		case in.Request.UploadToken != "" || slices.Contains(tags, "") ||
			!slices.Equal(tags, in.Request.UploadedPartIDs):
			return refuse(badField("INVALID_VALUE_FOR_FIELD",
				"ERROR :: /finalizeUploadRequest/uploadedPartIds :: does not match the parts that were uploaded"))
		case a.Captions.Announced && !a.Captions.There, a.Thumbnail.Announced && !a.Thumbnail.There:
			return refuse(badField("INVALID_VALUE_FOR_FIELD",
				"ERROR :: /finalizeUploadRequest/video :: captions or thumbnail were announced and did not come"))
		case a.UploadedAt.IsZero():
			a.UploadedAt = tx.Now()
			n.assets.Put(tx, a.URN, a)
		}
		return nil
	})
}

// maxBeside is the maximum size of captions and thumbnails.
const maxBeside = 10 << 20

// receiveCaptions accepts the captions of a video: a form with their metadata, and a SubRip file.
func (n *network) receiveCaptions(r *http.Request) sim.Reply {
	var metadata struct {
		Format         string `json:"format"`
		TranscriptType string `json:"transcriptType"`
		Locale         struct {
			Language string `json:"language"`
		} `json:"locale"`
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBeside)
	if err := r.ParseMultipartForm(maxBeside); err != nil { //nolint:gosec // the body is bounded
		return n.finish(r, badField("INVALID_VALUE_FOR_FIELD", "The captions are no form"))
	}
	file, _, err := r.FormFile("file")
	if err != nil || json.Unmarshal([]byte(r.FormValue("metadata")), &metadata) != nil {
		return n.finish(r, badField("MISSING_FIELD", "Captions need metadata and a file"))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxBeside))
	isSubRip := err == nil && bytes.Contains(text, []byte(" --> "))
	if metadata.Format != "SRT" || metadata.TranscriptType != "CLOSED_CAPTION" || metadata.Locale.Language != "EN" ||
		!isSubRip {
		return n.finish(r, badField("INVALID_VALUE_FOR_FIELD", "Captions must be an English SRT file"))
	}
	return n.finish(r, n.note(r, func(a *asset) *beside { return &a.Captions }))
}

// receiveThumbnail accepts the thumbnail of a video. Its URL is signed, like those of the parts.
func (n *network) receiveThumbnail(r *http.Request) sim.Reply {
	if refusal := refuseToken(r); refusal != nil {
		return n.finish(r, *refusal)
	}
	digest, err := n.env.Media.Extend(sim.Digest{}, io.LimitReader(r.Body, maxBeside))
	if err != nil || r.Header.Get("Media-Type-Family") != "STILLIMAGE" ||
		digest.Type != "image/jpeg" && digest.Type != "image/png" {
		return n.finish(r, badField("INVALID_VALUE_FOR_FIELD", "The thumbnail must be a still image, JPG or PNG"))
	}
	return n.finish(r, n.note(r, func(a *asset) *beside { return &a.Thumbnail }))
}

// note records that captions or a thumbnail have arrived.
func (n *network) note(r *http.Request, which func(*asset) *beside) sim.Reply {
	return n.changed(http.StatusCreated, func(tx *sim.Tx) *sim.Reply {
		a, found := n.assets.Get(n.assetByID[r.PathValue("id")])
		switch {
		case !found || !which(&a).Announced:
			return refuse(notFound(r.URL.Path))
		case !tx.Now().Before(a.ExpiresAt):
			return refuse(badField("EXPIRED_UPLOAD_URL", "The upload URL has expired"))
		}
		which(&a).There = true
		n.assets.Put(tx, a.URN, a)
		return nil
	})
}

// refuseToken rejects the token of a member where the URL alone is the credential: "the upload video call … doesn't
// accept an OAuth token" (LinkedIn's pages on uploads). The actual error is not documented.
func refuseToken(r *http.Request) *sim.Reply {
	if r.Header.Get("Authorization") == "" {
		return nil
	}
	return refuse(badField("INVALID_REQUEST", "This upload does not accept an OAuth token"))
}

// receive accepts the bytes of one part. Pictures and documents need the token of the member, parts of videos none.
func (n *network) receive(r *http.Request) sim.Reply {
	var a asset
	n.env.View(func() { a, _ = n.assets.Get(n.assetByID[r.PathValue("id")]) })
	index, err := strconv.Atoi(r.PathValue("part"))
	switch {
	case a.URN == "" || err != nil || index < 0 || index >= len(a.Parts):
		return n.finish(r, notFound(r.URL.Path))
	case !n.env.Now().Before(a.ExpiresAt):
		return n.finish(r, badField("EXPIRED_UPLOAD_URL", "The upload URL has expired"))
	case a.isVideo():
		if refusal := refuseToken(r); refusal != nil {
			return n.finish(r, *refusal)
		}
		return n.finish(r, n.receivePart(r, a.URN, index))
	}
	if _, refusal := n.authenticate(r); refusal != nil {
		return n.finish(r, *refusal)
	}
	return n.finish(r, n.receiveWhole(r, a))
}

// receiveWhole accepts a picture or a document.
func (n *network) receiveWhole(r *http.Request, a asset) sim.Reply {
	limit := int64(maxImage)
	if a.isDocument() {
		limit = maxDocument
	}
	digest, err := n.env.Media.Extend(sim.Digest{}, io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return badField("INVALID_VALUE_FOR_FIELD", "The upload could not be read")
	case digest.Size > limit:
		return restError(http.StatusRequestEntityTooLarge, 0, "REQUEST_ENTITY_TOO_LARGE", "The file is too large")
	case digest.Size == 0:
		return badField("INVALID_VALUE_FOR_FIELD", "The upload is empty")
	}
	return n.changed(http.StatusCreated, func(tx *sim.Tx) *sim.Reply {
		a.Digest, a.Total, a.UploadedAt = digest, digest.Size, tx.Now()
		n.assets.Put(tx, a.URN, a)
		return nil
	})
}

// receivePart accepts one part of a video, which must have exactly its size.
func (n *network) receivePart(r *http.Request, urn string, index int) sim.Reply {
	body, err := io.ReadAll(io.LimitReader(r.Body, partBytes+1))
	if err != nil {
		return badField("INVALID_VALUE_FOR_FIELD", "The upload could not be read")
	}
	tag := partTag(index, body)
	reply := n.changed(http.StatusOK, func(tx *sim.Tx) *sim.Reply {
		a, _ := n.assets.Get(urn)
		p := a.Parts[index]
		if int64(len(body)) != p.Last-p.First+1 {
			return refuse(badField("INVALID_VALUE_FOR_FIELD", "Expected bytes %d to %d, got %d bytes", p.First, p.Last,
				len(body)))
		}
		if p.ETag == tag {
			return nil // a repetition after a lost response
		}
		digest, err := n.env.Media.Extend(a.Digest, bytes.NewReader(body))
		switch {
		case err != nil:
			return refuse(n.broken(err))
		case p.ETag != "" || a.Digest.Size != p.First:
			a.OutOfOrder = true
		default:
			a.Digest = digest
		}
		if index == 0 {
			a.Digest.Type = digest.Type
		}
		a.Parts = slices.Clone(a.Parts)
		a.Parts[index].ETag = tag
		n.assets.Put(tx, a.URN, a)
		return nil
	})
	if reply.Status == http.StatusOK {
		return reply.With("ETag", tag)
	}
	return reply
}

// partTag returns the tag of a part, from its index and its content.
func partTag(index int, body []byte) string {
	sum := sha256.Sum256(body)
	return strconv.Itoa(index) + "-" + hex.EncodeToString(sum[:16])
}
