package library

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/provider/all"
	"crier/internal/provider/providertest"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// eachSlowFixture processes every picture by a job, for all networks.
func eachSlowFixture(t *testing.T, test func(t *testing.T, s *fixture)) {
	t.Helper()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) { test(t, newSlowFixture(t, f)) })
}

func newSlowFixture(t *testing.T, f *storetest.Fixture) *fixture {
	t.Helper()
	clock := providertest.NewClock()
	networks, err := all.New(all.Config{Caller: providertest.NewCaller(clock), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return newFixture(t, f, func(c *Config) { c.Providers, c.QuickPixels = networks, 1 })
}

// process runs the jobs that were enqueued for an asset.
func (s *fixture) process(t *testing.T, id crier.ID) {
	t.Helper()
	done := false
	for _, j := range s.jobs.list {
		if args, ok := j.Args.(job.ProcessAsset); ok && args.AssetID == id {
			if args.TeamID != s.f.Team.ID {
				t.Errorf("the job is of the team %q", args.TeamID)
			}
			if err := s.Assets.Process(t.Context(), args); err != nil {
				t.Fatal(err)
			}
			done = true
		}
	}
	if !done {
		t.Fatal("no job was enqueued")
	}
}

func (s *fixture) enqueued(id crier.ID) (retags int) {
	for _, j := range s.jobs.list {
		if args, ok := j.Args.(job.RetagPosts); ok && args.AssetID == id {
			retags++
		}
	}
	return retags
}

func (s *fixture) events(kind crier.EventType) int64 {
	return s.f.Scan(`SELECT count(*) FROM events WHERE type = $1`, string(kind))
}

// The compatibility of a picture before its JPEGs are created must be the same as afterwards, because people plan by
// it.
func TestImageCompatibilityIsKnownBeforeProcessing(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"a small PNG":         mediatest.PNG(64, 48),
		"a wide PNG":          mediatest.PNG(4500, 90),
		"a very wide JPEG":    mediatest.JPEG(4501, 1103),
		"a tall PNG":          mediatest.PNG(90, 4500),
		"a JPEG above 1080p":  mediatest.JPEG(2001, 1201),
		"a JPEG on its side":  mediatest.RotatedJPEG(2001, 1201, 6),
		"a transparent one":   mediatest.TransparentPNG(1301, 1300),
		"a JPEG as it is":     mediatest.JPEG(640, 480),
		"a strip of a JPEG":   mediatest.JPEG(4097, 3),
		"an animation":        mediatest.GIF(32, 32, 3),
		"a picture of 1 by 1": mediatest.PNG(1, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSlowFixture(t, storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t)))
			before, err := s.add(t, "picture", file, crier.AssetDetails{})
			if err != nil {
				t.Fatal(err)
			}
			if before.Status == crier.AssetProcessing {
				s.process(t, before.ID)
			}
			after, err := s.Assets.Get(t.Context(), s.scope, before.ID)
			if err != nil || after.Status != crier.AssetReady {
				t.Fatalf("became %+v, %v", after, err)
			}
			if got, want := fmt.Sprint(before.Compatibility), fmt.Sprint(after.Compatibility); got != want {
				t.Errorf("promised\n%s\nbut is\n%s", got, want)
			}
			if len(after.Compatibility) != 7 {
				t.Errorf("%d networks are told of", len(after.Compatibility))
			}
			row, err := s.f.Asset(t.Context(), s.f.Team.ID, after.ID)
			if err != nil {
				t.Fatal(err)
			}
			s.checkForecast(t, row)
		})
	}
}

// checkForecast compares the created JPEGs with the prediction.
func (s *fixture) checkForecast(t *testing.T, row store.Asset) {
	t.Helper()
	facts, err := media.DecodeFacts(row.Facts)
	if err != nil {
		t.Fatal(err)
	}
	known := facts
	known.JPEG, known.Small = nil, nil
	m := s.Assets.engine.Content.NetworkMedia(row, known)
	created := []*media.JPEGFacts{}
	for _, f := range []*media.JPEGFacts{facts.JPEG, facts.Small} {
		if f != nil {
			created = append(created, f)
		}
	}
	for next := jpegsToCome(m, facts.Info); next != nil; next = next.JPEG {
		if len(created) == 0 {
			t.Fatalf("a JPEG of %dx%d was not made", next.Width, next.Height)
		}
		if next.Width != created[0].Width || next.Height != created[0].Height || created[0].ByteSize > jpegBytes {
			t.Errorf("promised %dx%d, made %+v", next.Width, next.Height, *created[0])
		}
		created = created[1:]
	}
	if len(created) != 0 {
		t.Errorf("made %+v without telling", *created[0])
	}
}

func TestImageIsProcessedOnceAndReported(t *testing.T) {
	t.Parallel()
	eachSlowFixture(t, func(t *testing.T, s *fixture) {
		a, err := s.add(t, "owl.png", mediatest.PNG(64, 48), crier.AssetDetails{})
		if err != nil || a.Status != crier.AssetProcessing || a.ThumbnailURL != nil {
			t.Fatalf("made %+v, %v", a, err)
		}
		if n := s.events(crier.AssetReadyEvent); n != 0 {
			t.Errorf("%d events tell that it is ready", n)
		}
		s.process(t, a.ID)
		s.process(t, a.ID) // every job can run twice
		if n := s.events(crier.AssetReadyEvent); n != 1 {
			t.Errorf("%d events tell that it is ready", n)
		}
		if n := s.enqueued(a.ID); n != 1 {
			t.Errorf("posts are told of its tags %d times", n)
		}
		a, err = s.Assets.Get(t.Context(), s.scope, a.ID)
		if err != nil || a.Status != crier.AssetReady || a.ThumbnailURL == nil || len(a.AssetTags) == 0 {
			t.Errorf("became %+v, %v", a, err)
		}
	})
}

func TestDamagedImageFailsPermanently(t *testing.T) {
	t.Parallel()
	eachSlowFixture(t, func(t *testing.T, s *fixture) {
		a, err := s.add(t, "owl.png", mediatest.GarbledPNG(64, 48), crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		s.process(t, a.ID)
		a, err = s.Assets.Get(t.Context(), s.scope, a.ID)
		if err != nil || a.Status != crier.AssetFailed || a.FailureMessage == "" || a.ThumbnailURL != nil {
			t.Fatalf("became %+v, %v", a, err)
		}
		for _, c := range a.Compatibility {
			if c.OK || len(c.Issues) != 1 || c.Issues[0] != a.FailureMessage {
				t.Errorf("%s takes it: %+v", c.Provider, c)
			}
		}
		if s.events(crier.AssetFailedEvent) != 1 || s.events(crier.AssetReadyEvent) != 0 {
			t.Error("nobody is told that it failed, or they are told wrongly")
		}
	})
}

func TestDeletedAssetIsNotProcessed(t *testing.T) {
	t.Parallel()
	eachSlowFixture(t, func(t *testing.T, s *fixture) {
		a, err := s.add(t, "owl.png", mediatest.PNG(8, 8), crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Assets.Delete(t.Context(), s.scope, a.ID); err != nil {
			t.Fatal(err)
		}
		s.process(t, a.ID)
		if n := s.events(crier.AssetReadyEvent) + s.events(crier.AssetFailedEvent); n != 0 || s.files(t) != 1 {
			t.Errorf("%d events and %d files", n, s.files(t))
		}
		if err := s.Assets.Process(t.Context(), job.ProcessAsset{AssetID: crier.NewID()}); err != nil {
			t.Errorf("an asset that never was: %v", err)
		}
	})
}

func TestMissingFileFailsTheJobNotTheAsset(t *testing.T) {
	t.Parallel()
	eachSlowFixture(t, func(t *testing.T, s *fixture) {
		a, err := s.add(t, "owl.png", mediatest.PNG(8, 8), crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		if err := media.DeleteAll(t.Context(), s.blobs, a.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Assets.Process(t.Context(), job.ProcessAsset{AssetID: a.ID}); err == nil {
			t.Error("the job is done")
		}
		if a, err = s.Assets.Get(t.Context(), s.scope, a.ID); err != nil || a.Status != crier.AssetProcessing {
			t.Errorf("became %+v, %v: another try may find the file", a, err)
		}
	})
}

func TestAssetInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		a, err := s.add(t, "owl.png", mediatest.PNG(8, 8), crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		post := s.f.NewPost("with an owl")
		s.f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplacePostAssets(ctx, post.ID, []crier.ID{a.ID})
		})
		s.f.Schedule(post)
		_, err = s.Assets.Delete(t.Context(), s.scope, a.ID)
		wantKind(t, err, crier.KindConflict)
		if _, err := s.Assets.Get(t.Context(), s.scope, a.ID); err != nil {
			t.Errorf("it is gone: %v", err)
		}
	})
}

func TestSweepRemovesOnlyUnusedAssets(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx, file := t.Context(), mediatest.PNG(8, 8)
		s.time = time.Now() // files have the time of the machine
		kept, err := s.add(t, "kept.png", file, crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		deleted, err := s.add(t, "deleted.png", file, crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		perAsset := s.files(t) / 2
		if _, err := s.Assets.Delete(ctx, s.scope, deleted.ID); err != nil {
			t.Fatal(err)
		}
		u, err := s.Uploads.Create(ctx, s.scope, crier.UploadCreate{FileName: "u.png", MimeType: media.TypePNG,
			ByteSize: int64(len(file))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Uploads.Append(ctx, s.scope, u.UploadID, UploadChunk{Length: 10, Total: int64(len(file))},
			bytes.NewReader(file[:10])); err != nil {
			t.Fatal(err)
		}
		orphan := media.Key{ID: crier.NewID(), Variant: media.VariantOriginal}
		if err := s.blobs.Put(ctx, orphan, bytes.NewReader(file), -1); err != nil {
			t.Fatal(err)
		}
		sweep := func(at time.Time, want int, what string) {
			t.Helper()
			s.time = at
			if err := s.Assets.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
			if got := s.files(t); got != want {
				t.Errorf("%d files are there, want %d: %s", got, want, what)
			}
		}
		sweep(s.time, 2*perAsset+2, "nothing is old")
		s.time = s.time.Add(orphanRetention + time.Hour)
		sweep(s.time, 2*perAsset+1, "the orphan belongs to nobody")
		sweep(s.time.Add(uploadTime+time.Hour), 2*perAsset, "the upload has expired")
		if _, err := s.Uploads.Get(ctx, s.scope, u.UploadID); !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("the upload is there: %v", err)
		}
		sweep(s.time.Add(assetRetention), perAsset, "the asset was deleted long ago")
		if _, err := s.Assets.Content(ctx, s.scope, kept.ID); err != nil {
			t.Errorf("what is needed is gone: %v", err)
		}
		if n := s.f.Scan(`SELECT count(*) FROM assets`); n != 1 {
			t.Errorf("%d assets are there", n)
		}
	})
}
