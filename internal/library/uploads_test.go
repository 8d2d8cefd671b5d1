package library

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
)

// startUpload starts an upload.
func (s *fixture) startUpload(t *testing.T, mimeType string, size int) crier.Upload {
	t.Helper()
	u, err := s.Uploads.Create(t.Context(), s.scope, crier.UploadCreate{FileName: "owl.png", MimeType: mimeType,
		ByteSize: int64(size)})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (s *fixture) sendChunk(t *testing.T, u crier.Upload, file []byte, from, to int) (crier.Upload, error) {
	t.Helper()
	return s.Uploads.Append(t.Context(), s.scope, u.UploadID, UploadChunk{Start: int64(from), Length: int64(to - from),
		Total: u.ByteSize}, bytes.NewReader(file[from:to]))
}

func TestUploadResumesWhereItStopped(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		file := mediatest.PNG(64, 64)
		u := s.startUpload(t, "application/octet-stream", len(file)) // the type is unknown
		middle := len(file) / 2
		for _, c := range []struct {
			name     string
			from, to int
			next     int64 // -1: rejected
		}{
			{"the second piece first", middle, len(file), -1},
			{"the first piece", 0, middle, int64(middle)},
			{"the first piece again", 0, middle, -1},
			{"a piece that overlaps", middle - 1, len(file), -1},
			{"a piece with a gap", middle + 1, len(file), -1},
			{"the second piece", middle, len(file), int64(len(file))},
		} {
			got, err := s.sendChunk(t, u, file, c.from, c.to)
			if c.next < 0 && !crier.IsKind(err, crier.KindConflict) || c.next >= 0 && (err != nil ||
				got.NextByteStart != c.next) {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
		a, err := s.Uploads.Complete(t.Context(), s.scope, u.UploadID)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := s.Assets.Content(t.Context(), s.scope, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		if got, err := io.ReadAll(opened); err != nil || !bytes.Equal(got, file) {
			t.Errorf("the file has %d bytes, %v; want %d", len(got), err, len(file))
		}
		for entry, err := range s.blobs.List(t.Context(), u.UploadID) {
			t.Errorf("the piece %v is left, %v", entry, err)
		}
		_, err = s.sendChunk(t, u, file, 0, middle)
		wantKind(t, err, crier.KindConflict)
	})
}

func TestInterruptedChunkIsSentAgain(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		file := mediatest.PNG(64, 64)
		u := s.startUpload(t, media.TypePNG, len(file))
		broken := errors.New("the connection was lost")
		_, err := s.Uploads.Append(t.Context(), s.scope, u.UploadID, UploadChunk{Length: u.ByteSize, Total: u.ByteSize},
			io.MultiReader(bytes.NewReader(file[:100]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
		got, err := s.Uploads.Get(t.Context(), s.scope, u.UploadID)
		if err != nil || got.NextByteStart != 0 {
			t.Fatalf("the upload is %+v, %v", got, err)
		}
		for _, short := range [][]byte{file[:10], append(bytes.Clone(file), 0)} {
			if _, err := s.Uploads.Append(t.Context(), s.scope, u.UploadID, UploadChunk{Length: u.ByteSize,
				Total: u.ByteSize}, bytes.NewReader(short)); err == nil {
				t.Errorf("%d bytes are taken for %d", len(short), u.ByteSize)
			}
		}
		if _, err := s.sendChunk(t, u, file, 0, len(file)); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// A file that cannot become an asset ends its upload; any other failure leaves the chunks for a retry.
func TestRejectedUploadEndsAndOthersContinue(t *testing.T) {
	t.Parallel()
	eachFixture(t, 3000, func(t *testing.T, s *fixture) {
		html := []byte(strings.Repeat("<html>", 20))
		bad := s.startUpload(t, media.TypePNG, len(html))
		// Chunks that are too small to detect the type.
		for _, cut := range [][2]int{{0, 10}, {10, len(html)}} {
			if _, err := s.sendChunk(t, bad, html, cut[0], cut[1]); err != nil {
				t.Fatal(err)
			}
		}
		_, err := s.Uploads.Complete(t.Context(), s.scope, bad.UploadID)
		wantKind(t, err, crier.KindInvalid)
		_, err = s.Uploads.Get(t.Context(), s.scope, bad.UploadID)
		wantKind(t, err, crier.KindNotFound)
		if n := s.files(t); n != 0 {
			t.Errorf("%d files are left", n)
		}
		file := mediatest.PNG(64, 64)
		first, second := s.startUpload(t, media.TypePNG, len(file)), s.startUpload(t, media.TypePNG, len(file))
		for _, u := range []crier.Upload{first, second} {
			if _, err := s.sendChunk(t, u, file, 0, len(file)); err != nil {
				t.Fatal(err)
			}
		}
		s.Assets.quota = int64(len(file))
		if _, err := s.Uploads.Complete(t.Context(), s.scope, first.UploadID); err != nil {
			t.Fatal(err)
		}
		_, err = s.Uploads.Complete(t.Context(), s.scope, second.UploadID)
		wantKind(t, err, crier.KindPaymentRequired)
		s.Assets.quota = 0 // space was freed
		if _, err := s.Uploads.Complete(t.Context(), s.scope, second.UploadID); err != nil {
			t.Errorf("the pieces are gone: %v", err)
		}
	})
}

func TestUploadCompletedManyTimesAtOnceCreatesOneAsset(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		file := mediatest.PNG(64, 64)
		u := s.startUpload(t, media.TypePNG, len(file))
		if _, err := s.sendChunk(t, u, file, 0, len(file)); err != nil {
			t.Fatal(err)
		}
		assets, errs := make([]crier.Asset, 3), make([]error, 3)
		var callers sync.WaitGroup
		for i := range assets {
			callers.Go(func() { assets[i], errs[i] = s.Uploads.Complete(t.Context(), s.scope, u.UploadID) })
		}
		callers.Wait()
		for i := range assets {
			if errs[i] != nil || assets[i].ID != assets[0].ID {
				t.Errorf("caller %d has %s, %v", i, assets[i].ID, errs[i])
			}
		}
		if n := s.f.Scan(`SELECT count(*) FROM assets`); n != 1 || s.events(crier.AssetReadyEvent) != 1 {
			t.Errorf("there are %d assets", n)
		}
		for entry, err := range s.blobs.List(t.Context(), "") {
			if err != nil || entry.Key.ID != assets[0].ID {
				t.Errorf("%s is left, %v", entry.Key.ID, err)
			}
		}
	})
}

func TestUploadExpiresAfterAWeekAndOutlivesItsFolder(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx, file := t.Context(), mediatest.PNG(8, 8)
		folder, err := s.Folders.Create(ctx, s.scope, crier.FolderCreate{Name: "Birds"})
		if err != nil {
			t.Fatal(err)
		}
		u, err := s.Uploads.Create(ctx, s.scope, crier.UploadCreate{FileName: "owl.png", MimeType: media.TypePNG,
			ByteSize: int64(len(file)), FolderID: &folder.ID})
		if err != nil {
			t.Fatal(err)
		}
		late := s.startUpload(t, media.TypePNG, len(file))
		if _, err := s.Folders.Delete(ctx, s.scope, folder.ID); err != nil {
			t.Fatal(err)
		}
		start := s.time
		s.time = start.Add(uploadTime - time.Microsecond)
		if _, err := s.sendChunk(t, u, file, 0, len(file)); err != nil {
			t.Fatal(err)
		}
		a, err := s.Uploads.Complete(ctx, s.scope, u.UploadID)
		if err != nil || a.FolderID != nil {
			t.Errorf("made %+v, %v", a, err)
		}
		s.time = start.Add(uploadTime)
		_, append1 := s.sendChunk(t, late, file, 0, len(file))
		_, get := s.Uploads.Get(ctx, s.scope, late.UploadID)
		_, complete := s.Uploads.Complete(ctx, s.scope, late.UploadID)
		for _, err := range []error{append1, get, complete} {
			wantKind(t, err, crier.KindNotFound)
		}
	})
}

func TestGenericContentTypesAreAccepted(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]bool{
		"": true, "application/octet-stream": true, "image/png": true, "IMAGE/PNG": true, "video/quicktime": true,
		"application/pdf": true, "image/jpeg; charset=x": true, "text/html": false, "image/svg+xml": false,
		"image/heic": false, "x": false, "application/json": false,
	} {
		if got := acceptedType(declared); got != want {
			t.Errorf("%q: %v", declared, got)
		}
	}
	for given, want := range map[string]string{
		"image/png": "image/png", "video/x": "video/x", "application/pdf": "application/pdf", "text/plain": "",
		"application/octet-stream": "", "": "", "imagex/png": "",
	} {
		if got := claimedType(given); got != want {
			t.Errorf("a server says %q: %q", given, got)
		}
	}
}
