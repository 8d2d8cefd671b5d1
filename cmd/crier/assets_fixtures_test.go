package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/store"
)

// library is a server with helpers for the media library. Its clock can be moved.
type library struct {
	postServer
	clock *clock
	blobs media.Blobs
}

func startLibrary(tb testing.TB, db database, options ...option) library {
	tb.Helper()
	l := library{clock: &clock{}}
	var program *app
	options = append([]option{withClock(l.clock)}, options...)
	l.postServer = startPostServer(tb, db, append(options, func(a *app) { program = a })...)
	var err error
	if l.blobs, err = program.openBlobs(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return l
}

// withS3 keeps the files in a bucket, under a prefix of their own.
func withS3(s3 mediatest.S3) option {
	return func(a *app) {
		a.config.s3 = s3Config{
			endpoint: s3.Endpoint, bucket: s3.Bucket, accessKey: s3.AccessKey, secretKey: s3.SecretKey, prefix: string(crier.NewID()),
		}
	}
}

// TestMediaLibrary holds the library to its rules on both databases, with its files on disk, and with its files on S3.
func TestMediaLibrary(t *testing.T) {
	t.Parallel()
	rules := []map[string]func(*testing.T, library){assetRules, contentRules, uploadRules, folderRules, sweepRules}
	all := func(t *testing.T, start func(*testing.T) library) {
		t.Helper()
		for _, group := range rules {
			for name, rule := range group {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					rule(t, start(t))
				})
			}
		}
	}
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			all(t, func(t *testing.T) library { t.Helper(); return startLibrary(t, databases.Fresh(t, dialect)) })
		})
	}
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		s3 := mediatest.StartS3(t)
		all(t, func(t *testing.T) library {
			t.Helper()
			return startLibrary(t, databases.Fresh(t, store.SQLite), withS3(s3))
		})
	})
}

// assets is the address of the team's assets, or of something below it; the others likewise.
func (l library) assets(rest ...string) string  { return l.below("assets", rest) }
func (l library) folders(rest ...string) string { return l.below("folders", rest) }
func (l library) uploads(rest ...string) string { return l.below("assets/uploads", rest) }

func (l library) below(what string, rest []string) string {
	return strings.Join(append([]string{path("/v1/teams/%s/%s", l.team, what)}, rest...), "/")
}

// formPart is a field of a form, or a file when it has a name.
type formPart struct {
	field, fileName, contentType string
	data                         []byte
}

// form writes the body of a form and its type.
func form(parts ...formPart) (body []byte, contentType string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q", p.field)}}
		if p.fileName != "" {
			header.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q; filename=%q", p.field, p.fileName))
		}
		if p.contentType != "" {
			header.Set("Content-Type", p.contentType)
		}
		part, err := w.CreatePart(header)
		if err == nil {
			_, err = part.Write(p.data)
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes(), w.FormDataContentType()
}

// send sends a form to the library.
func (l library) sendForm(tb testing.TB, parts []formPart, headers ...string) response {
	tb.Helper()
	body, contentType := form(parts...)
	return l.do(tb, "POST", l.assets(), body, append([]string{"Content-Type", contentType}, headers...)...)
}

// upload puts a file into the library.
func (l library) upload(tb testing.TB, fileName string, data []byte, fields ...formPart) response {
	tb.Helper()
	return l.sendForm(tb, append(fields, formPart{field: "file", fileName: fileName, data: data}))
}

func formField(name, value string) formPart { return formPart{field: name, data: []byte(value)} }

// ready uploads a file that is good and returns its id.
func (l library) ready(tb testing.TB, fileName string, data []byte, fields ...formPart) string {
	tb.Helper()
	got := l.upload(tb, fileName, data, fields...).want(tb, http.StatusCreated)
	if status := got.text(tb, "status"); status != crier.AssetReady {
		tb.Fatalf("%s is %s: %s", fileName, status, got.body)
	}
	return got.text(tb, "id")
}

// begin begins an upload in pieces and returns its id.
func (l library) begin(tb testing.TB, mimeType string, size int) string {
	tb.Helper()
	body := object{"fileName": "clip.mp4", "mimeType": mimeType, "byteSize": size}
	return l.do(tb, "POST", l.uploads(), body).want(tb, http.StatusCreated).text(tb, "uploadId")
}

// piece sends the bytes from start to end of a file.
func (l library) piece(tb testing.TB, upload string, file []byte, start, end int) response {
	tb.Helper()
	return l.do(tb, "PUT", l.uploads(upload), file[start:end], "Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, end-1, len(file)))
}

// files are the names of everything in the store of files, sorted.
func (l library) files(tb testing.TB) []string {
	tb.Helper()
	names := []string{}
	for entry, err := range l.blobs.List(context.Background(), "") {
		if err != nil {
			tb.Fatal(err)
		}
		names = append(names, string(entry.Key.ID)+"/"+entry.Key.Variant)
	}
	slices.Sort(names)
	return names
}

// wantNothing fails unless the library is as empty as on its first day: no asset, no upload, no file.
func (l library) wantNothing(tb testing.TB) {
	tb.Helper()
	for _, table := range []string{"assets", "uploads"} {
		if n := l.number(tb, "SELECT count(*) FROM "+table); n != 0 {
			tb.Errorf("%d rows are left in %s", n, table)
		}
	}
	if left := l.files(tb); len(left) > 0 {
		tb.Errorf("files are left behind: %q", left)
	}
}

// raw fetches bytes with no opinion about them.
func (l library) raw(tb testing.TB, method, address string, headers ...string) (*http.Response, []byte) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, l.url+strings.TrimPrefix(address, "http://crier.test"), nil)
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := l.client.Do(req)
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

// fetch is raw with the token of the first tenant.
func (l library) fetch(tb testing.TB, address string, headers ...string) (*http.Response, []byte) {
	tb.Helper()
	return l.raw(tb, "GET", address, append([]string{"Authorization", "Bearer " + l.key}, headers...)...)
}

// longVideo is a video of some bytes: what is missing is filled up with a box that players skip.
func longVideo(size int) []byte {
	clip := mediatest.VerticalMP4()
	filler := make([]byte, max(8, size-len(clip)))
	copy(filler, boxHeader(len(filler), "free"))
	return append(clip, filler...)
}

func boxHeader(size int, kind string) []byte {
	return append([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}, kind...)
}

// compatible are the networks that take an asset, and the issues of those that do not.
func compatible(tb testing.TB, asset response) (ok []string, issues map[string][]string) {
	tb.Helper()
	var body struct {
		Compatibility []struct {
			Provider string
			OK       bool
			Issues   []string
		}
	}
	asset.into(tb, &body)
	issues = map[string][]string{}
	for _, c := range body.Compatibility {
		if c.OK != (len(c.Issues) == 0) {
			tb.Errorf("%s: ok is %v with the issues %q", c.Provider, c.OK, c.Issues)
		}
		if c.OK {
			ok = append(ok, c.Provider)
		} else {
			issues[c.Provider] = c.Issues
		}
	}
	slices.SortFunc(ok, cmp.Compare[string])
	return ok, issues
}
