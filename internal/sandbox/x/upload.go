package x

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"

	"crier/internal/sandbox/sim"
)

func (n *network) registerMedia() {
	n.route("POST /2/media/upload", sim.Upload, postMedia, n.uploadWhole)
	n.route("GET /2/media/upload", sim.Upload, getMedia, n.status)
	n.route("POST /2/media/upload/initialize", sim.Upload, initMedia, n.initialize)
	n.route("POST /2/media/upload/{id}/append", sim.Upload, appendMedia, n.append)
	n.route("POST /2/media/upload/{id}/finalize", sim.Upload, finalizeMedia, n.finalize)
	n.route("POST /2/media/metadata", sim.Upload, postMetadata, n.describe)
}

const (
	// maxUploadBody is the limit of X's edge: parts of 5 MB with their multipart framing exceed it.
	maxUploadBody = 5_000_000
	// maxWholeBody is a picture of 5 MiB in base64.
	maxWholeBody = 7 << 20
	maxSegment   = 999
	maxTotal     = 17179869184
)

var errTooLarge = errors.New("body is too large")

// uploadForm is the content of an upload, as multipart or as JSON.
type uploadForm struct {
	media    []byte
	category string
	segment  string
}

// readUpload reads an upload of either form.
func readUpload(r *http.Request, limit int64) (uploadForm, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return uploadForm{}, fmt.Errorf("read upload: %w", err)
	}
	if int64(len(body)) > limit {
		return uploadForm{}, errTooLarge
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return uploadForm{}, fmt.Errorf("read content type: %w", err)
	}
	if kind == "application/json" {
		return readUploadJSON(body)
	}
	return readUploadParts(multipart.NewReader(bytes.NewReader(body), params["boundary"]))
}

func readUploadJSON(body []byte) (uploadForm, error) {
	var in struct {
		Media         string      `json:"media"`
		MediaCategory string      `json:"media_category"`
		MediaType     string      `json:"media_type"`
		SegmentIndex  json.Number `json:"segment_index"`
		Shared        bool        `json:"shared"`
		Owners        []string    `json:"additional_owners"`
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return uploadForm{}, fmt.Errorf("decode upload: %w", err)
	}
	media, err := base64.StdEncoding.DecodeString(in.Media)
	if err != nil {
		return uploadForm{}, fmt.Errorf("decode media: %w", err)
	}
	return uploadForm{media: media, category: in.MediaCategory, segment: in.SegmentIndex.String()}, nil
}

func readUploadParts(parts *multipart.Reader) (form uploadForm, err error) {
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return form, fmt.Errorf("read part: %w", err)
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return form, fmt.Errorf("read part %s: %w", part.FormName(), err)
		}
		switch part.FormName() {
		case "media":
			form.media = value
		case "media_category":
			form.category = string(value)
		case "segment_index":
			form.segment = string(value)
		}
	}
}

// uploadWhole accepts a picture in one request.
func (n *network) uploadWhole(r *http.Request, c caller) sim.Reply {
	form, err := readUpload(r, maxWholeBody)
	if errors.Is(err, errTooLarge) {
		return sim.Reply{Status: http.StatusRequestEntityTooLarge}
	}
	if err != nil || len(form.media) == 0 {
		return invalid("media", "", "The `media` parameter is missing or cannot be read.")
	}
	if form.category == "" {
		form.category = "tweet_image"
	}
	if form.category != "tweet_image" && form.category != "dm_image" && form.category != "subtitles" {
		return invalid("media_category", form.category,
			"media_category is not one of [tweet_image, dm_image, subtitles]")
	}
	m := medium{OwnerID: c.accountID, Category: form.category, Total: int64(len(form.media))}
	if m.Total > categoryBytes[m.Category] {
		return invalid("media", "", "File size exceeds "+strconv.FormatInt(categoryBytes[m.Category], 10)+" bytes.")
	}
	if m.Digest, err = n.env.Media.Extend(m.Digest, bytes.NewReader(form.media)); err != nil {
		return n.broken(err)
	}
	if failure := m.inspect(); failure != "" {
		return invalid("media", "", "media type unrecognized.")
	}
	m.Type, m.FinishedAt = m.Digest.Type, n.env.Now()
	if m, err = n.create(m); err != nil {
		return n.broken(err)
	}
	v := n.view(m)
	v.Image = &imageView{ImageType: m.Type, W: m.Digest.Width, H: m.Digest.Height}
	return sim.Reply{Status: http.StatusOK, Body: data{v}}
}

// create writes a new file with a new id.
func (n *network) create(m medium) (medium, error) {
	err := n.env.Update(func(tx *sim.Tx) error {
		m.ID, m.ExpiresAt = newID(tx), tx.Now().Add(mediaLifetime)
		n.media.Put(tx, m.ID, m)
		return nil
	})
	return m, err
}

// change updates a file of the caller; fn returns the rejection that ends it without a change, or nil.
func (n *network) change(id string, c caller, fn func(m *medium) *sim.Reply) (medium, *sim.Reply) {
	var m medium
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		var found bool
		if m, found = n.find(id, c); !found {
			return refuse(mediaGone(id))
		}
		if refusal := fn(&m); refusal != nil {
			return refusal
		}
		n.media.Put(tx, m.ID, m)
		return nil
	})
	return m, refusal
}

type initializeInput struct {
	MediaType     string   `json:"media_type"`
	TotalBytes    int64    `json:"total_bytes"`
	MediaCategory string   `json:"media_category"`
	Owners        []string `json:"additional_owners"`
	Shared        bool     `json:"shared"`
}

var mediaTypes = map[string]bool{"video/mp4": true, "video/webm": true, "video/mp2t": true, "video/quicktime": true,
	"text/srt": true,
	"text/vtt": true, "image/jpeg": true, "image/gif": true, "image/bmp": true, "image/png": true, "image/webp": true,
	"image/pjpeg": true,
	"image/tiff":  true, "model/gltf-binary": true, "model/vnd.usdz+zip": true}

// initialize starts an upload in segments.
func (n *network) initialize(r *http.Request, c caller) sim.Reply {
	var in initializeInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return invalid("", "", err.Error())
	}
	if in.MediaCategory == "" {
		in.MediaCategory = "tweet_image"
	}
	limit, known := categoryBytes[in.MediaCategory]
	switch {
	case !mediaTypes[in.MediaType]:
		return invalid("media_type", in.MediaType, "media_type is not one of the supported types")
	case !known:
		return invalid("media_category", in.MediaCategory, "media_category is not one of the supported categories")
	case in.TotalBytes < 1 || in.TotalBytes > maxTotal:
		return invalid("total_bytes", strconv.FormatInt(in.TotalBytes, 10), "total_bytes must be 1 to 17179869184")
	case in.TotalBytes > limit:
		return invalid("total_bytes", strconv.FormatInt(in.TotalBytes, 10),
			"File size exceeds "+strconv.FormatInt(limit, 10)+" bytes.")
	}
	m, err := n.create(medium{OwnerID: c.accountID, Others: in.Owners, Type: in.MediaType, Category: in.MediaCategory,
		Total: in.TotalBytes})
	if err != nil {
		return n.broken(err)
	}
	return sim.Reply{Status: http.StatusOK, Body: data{n.view(m)}}
}

// append accepts one segment. A repeated segment is treated as the same one.
func (n *network) append(r *http.Request, c caller) sim.Reply {
	form, err := readUpload(r, maxUploadBody)
	if errors.Is(err, errTooLarge) {
		return sim.Reply{Status: http.StatusRequestEntityTooLarge}
	}
	if err != nil || len(form.media) == 0 {
		return invalid("media", "", "The `media` parameter is missing or cannot be read.")
	}
	segment, err := strconv.Atoi(form.segment)
	if err != nil || segment < 0 || segment > maxSegment {
		return invalid("segment_index", form.segment, "segment_index must be 0 to 999")
	}
	m, refusal := n.change(r.PathValue("id"), c,
		func(m *medium) *sim.Reply { return n.addSegment(m, segment, form.media) })
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: data{map[string]int64{"expires_at": m.ExpiresAt.Unix()}}}
}

func (n *network) addSegment(m *medium, segment int, bytesOfIt []byte) *sim.Reply {
	_, early := m.Early[segment]
	switch {
	case !m.FinishedAt.IsZero():
		return refuse(invalid("id", m.ID, "The upload is finalized."))
	case segment < m.Next || early:
		return nil
	case m.received()+int64(len(bytesOfIt)) > m.Total:
		return refuse(invalid("media", "", "Segments exceed the total_bytes of "+strconv.FormatInt(m.Total, 10)+"."))
	case segment > m.Next:
		m.Early = maps.Clone(m.Early)
		if m.Early == nil {
			m.Early = map[int]int64{}
		}
		m.Early[segment], m.OutOfOrder = int64(len(bytesOfIt)), true
		return nil
	}
	digest, err := n.env.Media.Extend(m.Digest, bytes.NewReader(bytesOfIt))
	if err != nil {
		return refuse(n.broken(err))
	}
	m.Digest = digest
	m.Next++
	return nil
}

// finalize completes an upload in segments. It requires a JSON object, which may be empty.
func (n *network) finalize(r *http.Request, c caller) sim.Reply {
	var in struct{}
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return invalid("", "", "Request body must be a JSON object.")
	}
	m, refusal := n.change(r.PathValue("id"), c, func(m *medium) *sim.Reply {
		if !m.FinishedAt.IsZero() {
			return nil
		}
		if m.received() != m.Total {
			return refuse(invalid("id", m.ID,
				fmt.Sprintf("Segments do not add up to provided total file size: %d of %d bytes.", m.received(),
					m.Total)))
		}
		m.FinishedAt, m.Failure = n.env.Now(), m.inspect()
		if m.Failure != "" && !m.needsProcessing() {
			return refuse(invalid("id", m.ID, "media type unrecognized."))
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: data{n.view(m)}}
}
