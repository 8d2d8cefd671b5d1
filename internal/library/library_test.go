package library

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

// jobs records the enqueued jobs.
type jobs struct{ list []job.Job }

func (j *jobs) Enqueue(_ context.Context, _ *store.Tx, list ...job.Job) error {
	j.list = append(j.list, list...)
	return nil
}

// fixture is a library over a fixture, with files on disk and at a time set by the test.
type fixture struct {
	Library
	f     *storetest.Fixture
	jobs  *jobs
	time  time.Time
	scope access.TeamScope
	blobs *media.Disk
}

func eachFixture(t *testing.T, quota int64, test func(t *testing.T, s *fixture)) {
	t.Helper()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		test(t, newFixture(t, f, func(c *Config) { c.Quota = quota }))
	})
}

// newFixture returns a library over a fixture, with no networks unless they are added.
func newFixture(t *testing.T, f *storetest.Fixture, change ...func(*Config)) *fixture {
	t.Helper()
	keys, err := auth.NewKeyring("0123456789abcdef0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	networks, err := provider.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := media.NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	guest := accesstest.Owner(t, f)
	s := &fixture{f: f, jobs: &jobs{}, time: f.Now.Time, scope: guest.Team(crier.ManageMedia), blobs: blobs}
	now := func() time.Time { return s.time }
	addresses := &media.Addresses{Key: []byte("key"), BaseURL: "https://crier.example", Now: now}
	log := slog.New(slog.DiscardHandler)
	cfg := Config{Store: f.Store, Writes: access.NewIdempotency(f.Store, keys, now), Pages: pagination.NewCursors(keys),
		Providers: networks, Queue: s.jobs, Blobs: blobs, Addresses: addresses, Clock: now, Logger: log,
		Access: guest.Control, PublicURL: "https://crier.example",
		SignUpload: func(data []byte) []byte { return keys.Sign(data, "uploads") }}
	for _, fn := range change {
		fn(&cfg)
	}
	cfg.Engine = publish.New(publish.Config{Store: f.Store, Keys: keys, Queue: s.jobs,
		Providers: cfg.Providers, Blobs: blobs, Addresses: addresses, Clock: now, Logger: log})
	s.Library = New(cfg)
	return s
}

// add creates an asset from a file.
func (s *fixture) add(t *testing.T, name string, file []byte, details crier.AssetDetails) (crier.Asset, error) {
	t.Helper()
	return s.Assets.Create(t.Context(), s.scope, AssetFile{Body: bytes.NewReader(file), FileName: name},
		func() (crier.AssetDetails, error) { return details, nil })
}

func wantKind(t *testing.T, err error, kind crier.Kind) {
	t.Helper()
	if !crier.IsKind(err, kind) {
		t.Errorf("got %v, want a %s", err, kind)
	}
}

func TestSmallImageIsReadyAtOnceAndReadAsItCame(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		file, alt := mediatest.PNG(64, 48), "an owl"
		a, err := s.add(t, "../owl.png", file, crier.AssetDetails{AltText: &alt})
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != crier.AssetReady || a.FileName != "owl.png" || *a.Width != 64 || a.ThumbnailURL == nil {
			t.Errorf("made %+v", a)
		}
		opened, err := s.Assets.Content(t.Context(), s.scope, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		if got, err := io.ReadAll(io.NewSectionReader(opened, 0, opened.Size())); err != nil ||
			!bytes.Equal(got, file) {
			t.Errorf("read %d bytes, %v; want %d", len(got), err, len(file))
		}
		page, err := s.Assets.List(t.Context(), s.scope, AssetFilter{}, pagination.Oldest(10))
		if err != nil || page.Total != 1 || page.Data[0].ID != a.ID {
			t.Errorf("lists %+v, %v", page, err)
		}
	})
}

func TestVideoIsProcessedByAJob(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		a, err := s.add(t, "clip.mp4", mediatest.VerticalMP4(), crier.AssetDetails{})
		if err != nil || a.Status != crier.AssetReady && a.Status != crier.AssetProcessing {
			t.Fatalf("made %+v, %v", a, err)
		}
		for _, j := range s.jobs.list {
			if process, ok := j.Args.(job.ProcessAsset); ok {
				if err := s.Assets.Process(t.Context(), process); err != nil {
					t.Fatal(err)
				}
			}
		}
		if a, err = s.Assets.Get(t.Context(), s.scope, a.ID); err != nil || a.Status != crier.AssetReady ||
			a.Kind != crier.VideoAsset {
			t.Errorf("became %+v, %v", a, err)
		}
	})
}

func TestRefusedFilesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		for name, file := range map[string][]byte{"page.png": mediatest.HTML(), "photo.heic": mediatest.HEIC(),
			"bomb.png": mediatest.BombPNG(), "nothing.png": nil} {
			_, err := s.add(t, name, file, crier.AssetDetails{})
			if !crier.IsKind(err, crier.KindInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		unknown := crier.NewID()
		_, err := s.add(t, "owl.png", mediatest.PNG(8, 8), crier.AssetDetails{FolderID: &unknown})
		wantKind(t, err, crier.KindInvalid)
		failed := errors.New("the form ended early")
		_, err = s.Assets.Create(t.Context(), s.scope, AssetFile{Body: bytes.NewReader(mediatest.PNG(8, 8))},
			func() (crier.AssetDetails, error) { return crier.AssetDetails{}, failed })
		if !errors.Is(err, failed) {
			t.Errorf("got %v", err)
		}
		if n := s.f.Scan(`SELECT count(*) FROM assets`); n != 0 {
			t.Errorf("%d assets were made", n)
		}
	})
}

func TestAssetsBeyondTheQuotaAreRefused(t *testing.T) {
	t.Parallel()
	file := mediatest.PNG(64, 64)
	eachFixture(t, int64(len(file))+1, func(t *testing.T, s *fixture) {
		if _, err := s.add(t, "first.png", file, crier.AssetDetails{}); err != nil {
			t.Fatal(err)
		}
		_, err := s.add(t, "second.png", file, crier.AssetDetails{})
		wantKind(t, err, crier.KindPaymentRequired)
	})
}

func TestAssetIsChangedAndDeleted(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx := t.Context()
		a, err := s.add(t, "owl.png", mediatest.PNG(8, 8), crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		folder, err := s.Folders.Create(ctx, s.scope, crier.FolderCreate{Name: "Birds"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Assets.Update(ctx, s.scope, a.ID, crier.AssetUpdate{FolderID: crier.Some(crier.NewID())})
		wantKind(t, err, crier.KindInvalid)
		a, err = s.Assets.Update(ctx, s.scope, a.ID, crier.AssetUpdate{FolderID: crier.Some(folder.ID),
			FileName: crier.Some(crier.FileName("bird.png")), AltText: crier.Some("a bird")})
		if err != nil || *a.FolderID != folder.ID || a.FileName != "bird.png" || *a.AltText != "a bird" {
			t.Errorf("changed to %+v, %v", a, err)
		}
		_, err = s.Folders.Delete(ctx, s.scope, folder.ID)
		wantKind(t, err, crier.KindConflict) // it is not empty
		if _, err := s.Assets.Delete(ctx, s.scope, a.ID); err != nil {
			t.Fatal(err)
		}
		_, err = s.Assets.Get(ctx, s.scope, a.ID)
		wantKind(t, err, crier.KindNotFound)
		s.time = s.time.Add(31 * 24 * time.Hour)
		if err := s.Assets.Sweep(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestFolderDepthAndCycles(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx := t.Context()
		var parent *crier.ID
		var path []crier.ID
		for range maxFolderDepth {
			f, err := s.Folders.Create(ctx, s.scope, crier.FolderCreate{Name: "Level", ParentID: parent})
			if err != nil {
				t.Fatal(err)
			}
			parent, path = &f.ID, append(path, f.ID)
		}
		_, err := s.Folders.Create(ctx, s.scope, crier.FolderCreate{Name: "Deeper", ParentID: parent})
		wantKind(t, err, crier.KindInvalid)
		_, err = s.Folders.Create(ctx, s.scope, crier.FolderCreate{Name: "level"})
		wantKind(t, err, crier.KindConflict)
		_, err = s.Folders.Update(ctx, s.scope, path[0], crier.FolderUpdate{ParentID: crier.Some(path[3])})
		wantKind(t, err, crier.KindInvalid)
		_, err = s.Folders.Delete(ctx, s.scope, path[0])
		wantKind(t, err, crier.KindConflict)
		moved, err := s.Folders.Update(ctx, s.scope, path[9],
			crier.FolderUpdate{ParentID: crier.Null[crier.ID](), Name: crier.Some(crier.TagName("Top"))})
		if err != nil || moved.ParentID != nil || moved.Name != "Top" {
			t.Errorf("moved to %+v, %v", moved, err)
		}
		if _, err := s.Folders.Delete(ctx, s.scope, path[9]); err != nil {
			t.Error(err)
		}
		page, err := s.Folders.List(ctx, s.scope, FolderFilter{}, pagination.Oldest(20))
		if err != nil || page.Total != maxFolderDepth-1 {
			t.Errorf("lists %d folders, %v", page.Total, err)
		}
	})
}

func TestUploadInChunks(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx, file := t.Context(), mediatest.PNG(64, 64)
		size := int64(len(file))
		_, err := s.Uploads.Create(ctx, s.scope, crier.UploadCreate{FileName: "a.txt", MimeType: "text/plain",
			ByteSize: 5})
		wantKind(t, err, crier.KindInvalid)
		u, err := s.Uploads.Create(ctx, s.scope, crier.UploadCreate{FileName: "owl.png", MimeType: media.TypePNG,
			ByteSize: size})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Uploads.Append(ctx, s.scope, u.UploadID, UploadChunk{Length: size, Total: size + 1},
			bytes.NewReader(file))
		wantKind(t, err, crier.KindInvalid)
		_, err = s.Uploads.Complete(ctx, s.scope, u.UploadID)
		wantKind(t, err, crier.KindConflict) // nothing has arrived
		if u, err = s.Uploads.Append(ctx, s.scope, u.UploadID, UploadChunk{Length: size, Total: size},
			bytes.NewReader(file)); err != nil || u.NextByteStart != size {
			t.Fatalf("after the piece: %+v, %v", u, err)
		}
		_, err = s.Uploads.Append(ctx, s.scope, u.UploadID, UploadChunk{Start: 3, Length: size - 3, Total: size},
			bytes.NewReader(file[3:]))
		wantKind(t, err, crier.KindConflict)
		a, err := s.Uploads.Complete(ctx, s.scope, u.UploadID)
		if err != nil || a.FileName != "owl.png" || a.ByteSize != size {
			t.Fatalf("completed to %+v, %v", a, err)
		}
		again, err := s.Uploads.Complete(ctx, s.scope, u.UploadID)
		if err != nil || again.ID != a.ID {
			t.Errorf("completed again to %s, %v; want %s", again.ID, err, a.ID)
		}
		got, err := s.Uploads.Get(ctx, s.scope, u.UploadID)
		if err != nil || got.AssetID == nil || *got.AssetID != a.ID {
			t.Errorf("the upload is %+v, %v", got, err)
		}
	})
}

func TestUploadOfAnotherTypeThanDeclaredIsRejected(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx, file := t.Context(), mediatest.JPEG(8, 8)
		size := int64(len(file))
		u, err := s.Uploads.Create(ctx, s.scope, crier.UploadCreate{FileName: "owl.png", MimeType: media.TypePNG,
			ByteSize: size})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Uploads.Append(ctx, s.scope, u.UploadID, UploadChunk{Length: size, Total: size},
			bytes.NewReader(file))
		var refused *crier.Error
		if !errors.As(err, &refused) || len(refused.Issues) != 1 ||
			strings.Join(refused.Issues[0].Path, ".") != "mimeType" {
			t.Errorf("got %v", err)
		}
	})
}

func TestLibraryRequiresAScope(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx, none := t.Context(), access.TeamScope{}
		_, list := s.Assets.List(ctx, none, AssetFilter{}, pagination.Query{})
		_, get := s.Assets.Get(ctx, none, "id")
		_, remove := s.Assets.Delete(ctx, none, "id")
		_, folder := s.Folders.Create(ctx, none, crier.FolderCreate{})
		_, upload := s.Uploads.Create(ctx, none, crier.UploadCreate{})
		_, content := s.Assets.Content(ctx, none, "id")
		for _, err := range []error{list, get, remove, folder, upload, content} {
			if !errors.Is(err, access.ErrNoScope) {
				t.Errorf("got %v", err)
			}
		}
	})
}
