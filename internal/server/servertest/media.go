package servertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/nettest"
	"crier/internal/server"
)

// Library is a server with helpers for the media library. Its clock can be moved.
type Library struct {
	*Server
	Clock *Clock
	Blobs media.Blobs
}

// StartLibrary starts a server with the role api and a clock that can be moved.
func StartLibrary(tb testing.TB, db Database, options ...Option) Library {
	tb.Helper()
	l := Library{Clock: &Clock{}}
	l.Server = Start(tb, db, append([]Option{WithRole("api"), WithClock(l.Clock)}, options...)...)
	var err error
	if l.Blobs, err = l.Config.OpenBlobs(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return l
}

// Join returns the same library for a new tenant.
func (l Library) Join(tb testing.TB) Library {
	tb.Helper()
	s := *l.Server
	s.Tenant = s.createTenant(tb, firstTenant)
	l.Server = &s
	return l
}

// FormPart is a field of a form, or a file when it has a name.
type FormPart struct {
	Field, FileName, ContentType string
	Data                         []byte
}

// Form encodes a multipart form and returns its body and content type.
func Form(parts ...FormPart) (body []byte, contentType string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q", p.Field)}}
		if p.FileName != "" {
			header.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q; filename=%q", p.Field, p.FileName))
		}
		if p.ContentType != "" {
			header.Set("Content-Type", p.ContentType)
		}
		part, err := w.CreatePart(header)
		if err == nil {
			_, err = part.Write(p.Data)
		}
		if err != nil {
			panic(err) // a buffer never fails
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes(), w.FormDataContentType()
}

// LongVideo returns a video of the given size: it is padded with a box that players skip.
func LongVideo(size int) []byte {
	clip := mediatest.VerticalMP4()
	filler := make([]byte, max(8, size-len(clip)))
	copy(filler, BoxHeader(len(filler), "free"))
	return append(clip, filler...)
}

// BoxHeader returns the header of a box of an MP4 file.
func BoxHeader(size int, kind string) []byte {
	return append([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}, kind...)
}

// Assets returns the path of the team's assets, or a path below it.
func (l Library) Assets(rest ...string) string { return l.below("assets", rest) }

// Folders returns the path of the folders, or a path below it.
func (l Library) Folders(rest ...string) string { return l.below("folders", rest) }

// Uploads returns the path of the uploads, or a path below it.
func (l Library) Uploads(rest ...string) string { return l.below("assets/uploads", rest) }

func (l Library) below(what string, rest []string) string {
	return strings.Join(append([]string{Path("/v1/teams/%s/%s", l.Team, what)}, rest...), "/")
}

// SendForm sends a form to the library.
func (l Library) SendForm(tb testing.TB, parts []FormPart, headers ...string) Response {
	tb.Helper()
	body, contentType := Form(parts...)
	return l.Do(tb, "POST", l.Assets(), body, append([]string{"Content-Type", contentType}, headers...)...)
}

// Upload uploads a file to the library.
func (l Library) Upload(tb testing.TB, fileName string, data []byte, fields ...FormPart) Response {
	tb.Helper()
	return l.SendForm(tb, append(fields, FormPart{Field: "file", FileName: fileName, Data: data}))
}

// Ready uploads a valid file and returns its id.
func (l Library) Ready(tb testing.TB, fileName string, data []byte, fields ...FormPart) string {
	tb.Helper()
	got := l.Upload(tb, fileName, data, fields...).Want(tb, http.StatusCreated)
	if status := got.Text(tb, "status"); status != crier.AssetReady {
		tb.Fatalf("%s is %s: %s", fileName, status, got.Body)
	}
	return got.Text(tb, "id")
}

// StartUpload starts a chunked upload and returns its id.
func (l Library) StartUpload(tb testing.TB, mimeType string, size int) string {
	tb.Helper()
	body := Object{"fileName": "clip.mp4", "mimeType": mimeType, "byteSize": size}
	return l.Do(tb, "POST", l.Uploads(), body).Want(tb, http.StatusCreated).Text(tb, "uploadId")
}

// SendChunk sends the bytes from start to end of a file as one chunk.
func (l Library) SendChunk(tb testing.TB, upload string, file []byte, start, end int) Response {
	tb.Helper()
	return l.Do(tb, "PUT", l.Uploads(upload), file[start:end], "Content-Range",
		fmt.Sprintf("bytes %d-%d/%d", start, end-1, len(file)))
}

// Files returns the names of all stored files, sorted.
func (l Library) Files(tb testing.TB) []string {
	tb.Helper()
	names := []string{}
	for entry, err := range l.Blobs.List(context.Background(), "") {
		if err != nil {
			tb.Fatal(err)
		}
		names = append(names, string(entry.Key.ID)+"/"+entry.Key.Variant)
	}
	slices.Sort(names)
	return names
}

// WantNothing fails the test unless the library is empty: no asset, no upload, no file.
func (l Library) WantNothing(tb testing.TB) {
	tb.Helper()
	for _, table := range []string{"assets", "uploads"} {
		if n := l.Number(tb, "SELECT count(*) FROM "+table); n != 0 {
			tb.Errorf("%d rows are left in %s", n, table)
		}
	}
	if left := l.Files(tb); len(left) > 0 {
		tb.Errorf("files are left behind: %q", left)
	}
}

// Raw sends a request and returns the response unchecked.
func (l Library) Raw(tb testing.TB, method, address string, headers ...string) (*http.Response, []byte) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, l.URL+strings.TrimPrefix(address, "http://crier.test"),
		nil)
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := l.Client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return resp, body
}

// Fetch is Raw with the token of the first tenant.
func (l Library) Fetch(tb testing.TB, address string, headers ...string) (*http.Response, []byte) {
	tb.Helper()
	return l.Raw(tb, "GET", address, append([]string{"Authorization", "Bearer " + l.Key}, headers...)...)
}

// SevenNetworks returns the names of all networks.
func SevenNetworks() []string {
	var names []string
	for _, p := range crier.Providers() {
		names = append(names, string(p))
	}
	return names
}

// WithReachableMedia serves at an address that is known in advance, so that networks can fetch media from it.
func WithReachableMedia(tb testing.TB) Option {
	tb.Helper()
	address := nettest.FreeAddress(tb)
	return func(a *server.Config) { a.Listen, a.PublicURL = address, "http://"+address }
}

// Everywhere are settings that each of the networks needs.
var Everywhere = Object{"tiktokPrivacyLevel": "PUBLIC_TO_EVERYONE", "youtubeTitle": "A film"}

// File uploads a file to the library of a crew.
func (s *Server) File(tb testing.TB, c Crew, name string, data []byte) string {
	tb.Helper()
	body, contentType := Form(FormPart{Field: "file", FileName: name, Data: data})
	return s.Call(tb, c, "POST", "assets", body, "Content-Type", contentType).Want(tb, http.StatusCreated).Text(tb,
		"id")
}

// NewVideoPost creates a post with a video.
func (s *Server) NewVideoPost(tb testing.TB, c Crew, text string) string {
	tb.Helper()
	asset := s.File(tb, c, "film.mp4", mediatest.VerticalMP4())
	return s.Call(tb, c, "POST", "posts", Object{"text": text, "assetIds": []string{asset}}).Want(tb,
		http.StatusCreated).Text(tb, "id")
}

// Warnings returns the warnings of a dry run.
func (s *Server) Warnings(tb testing.TB, c Crew, post string, on Account, at time.Time) string {
	tb.Helper()
	var result crier.ValidationResult
	body := Object{"socialAccountIds": []crier.ID{on.ID}, "platformSettings": Everywhere,
		"scheduledAt": at.UTC().Format(time.RFC3339)}
	s.Call(tb, c, "POST", "posts/"+post+"/validate", body).Want(tb, http.StatusOK).Into(tb, &result)
	var messages []string
	for _, w := range result.Data[0].Warnings {
		messages = append(messages, w.Message)
	}
	return strings.Join(messages, "; ")
}
