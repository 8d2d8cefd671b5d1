package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier"
	"crier/internal/auth"
	"crier/internal/media"
	"crier/internal/queue"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = storetest.Suite{Prepare: func(ctx context.Context, cfg store.Config) error {
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	_, err = st.Migrate(ctx)
	return errors.Join(err, prepareJobs(ctx, st), st.Close())
}}

// empty creates databases without tables, to restore into.
var empty = storetest.Suite{Prepare: func(context.Context, store.Config) error { return nil }}

func TestMain(m *testing.M) {
	code := databases.Run(m)
	if err := empty.Remove(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func prepareJobs(ctx context.Context, st *store.Store) error {
	jobs, err := queue.New(queue.Config{Store: st, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry()})
	if err != nil {
		return err
	}
	return jobs.Migrate(ctx)
}

var (
	secret      = strings.Repeat("k", 43)
	otherSecret = strings.Repeat("o", 43)
	backedUp    = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	restored    = backedUp.Add(time.Hour)
)

func fingerprint(t *testing.T, secret string) string {
	t.Helper()
	ring, err := auth.NewKeyring(secret)
	if err != nil {
		t.Fatal(err)
	}
	return ring.Fingerprint()
}

// instance is an installation with an organization and a media library.
type instance struct {
	*storetest.Fixture
	blobs *media.Disk
}

func newInstance(t *testing.T, db storetest.Database) *instance {
	t.Helper()
	i := &instance{Fixture: storetest.NewFixture(t, db.Open(t)), blobs: newDisk(t)}
	i.Tx(func(ctx context.Context, tx *store.Tx) error {
		return tx.SetKeyFingerprint(ctx, fingerprint(t, secret), i.Now)
	})
	return i
}

func newDisk(t *testing.T) *media.Disk {
	t.Helper()
	disk, err := media.NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	return disk
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// put stores a file of the media library.
func put(t *testing.T, blobs media.Blobs, id crier.ID, variant, text string) {
	t.Helper()
	if err := blobs.Put(t.Context(), media.Key{ID: id, Variant: variant}, strings.NewReader(text), -1); err != nil {
		t.Fatal(err)
	}
}

// picture inserts an asset and stores its original; with an empty text there is no file.
func (i *instance) picture(t *testing.T, text string) crier.ID {
	t.Helper()
	a := i.NewAsset(func(a *store.Asset) { a.SHA256, a.ByteSize = sumOf(text), int64(len(text)) })
	if text != "" {
		put(t, i.blobs, a.ID, media.VariantOriginal, text)
	}
	return a.ID
}

func (i *instance) source() Source {
	return Source{Store: i.Store, Blobs: i.blobs, Secret: secret, Version: "1.2.3",
		Now: func() time.Time { return backedUp }}
}

// write writes a backup into its own directory.
func write(t *testing.T, s Source) (path string, report Report) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "backup.tar")
	report, err := Write(t.Context(), path, s)
	if err != nil {
		t.Fatal(err)
	}
	return path, report
}

// place returns an empty target.
func place(t *testing.T, dialect store.Dialect) Target {
	t.Helper()
	target := Target{DataDir: filepath.Join(t.TempDir(), "restored"), Blobs: newDisk(t), Secret: secret,
		PrepareJobs: prepareJobs, Now: func() time.Time { return restored },
		KeepSecret: func(string) error { return errors.New("there is a key already") }}
	if dialect == store.Postgres {
		target.DatabaseURL = empty.Fresh(t, store.Postgres).URL
	}
	return target
}

// textOf reads a file of a media library; "" if it does not exist.
func textOf(t *testing.T, blobs media.Blobs, id crier.ID, variant string) string {
	t.Helper()
	blob, err := blobs.Open(t.Context(), media.Key{ID: id, Variant: variant})
	if errors.Is(err, media.ErrNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	data, err := io.ReadAll(blob)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// untouched fails the test if a failed restore has left anything that could be served, or its working directory.
func untouched(t *testing.T, target Target) {
	t.Helper()
	files, err := os.ReadDir(target.DataDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Errorf("the restore left %s", f.Name())
	}
}

func TestBackupRoundTrip(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		i := newInstance(t, db)
		post := i.NewPost("hello")
		due := i.Schedule(post)
		i.Schedule(i.NewPost("later"), func(p *store.Publication) {
			p.ScheduledAt = crier.TimeOf(restored.Add(time.Hour))
		})
		id := i.picture(t, "the original")
		put(t, i.blobs, id, media.VariantThumbnail, "small")
		for _, withMedia := range []bool{false, true} {
			source := i.source()
			source.WithMedia = withMedia
			path, report := write(t, source)
			want := Report{CreatedAt: crier.TimeOf(backedUp), Database: string(db.Dialect), MediaFiles: 2,
				MediaBytes: int64(len("the original" + "small")), WithMedia: withMedia, MissingMedia: []string{}}
			if !sameReport(report, want) {
				t.Errorf("the report is %+v, want %+v", report, want)
			}
			target := place(t, db.Dialect)
			done, err := Restore(t.Context(), path, target)
			if err != nil {
				t.Fatal(err)
			}
			if !withMedia {
				want.MissingMedia = []string{string(id) + ".original", string(id) + ".thumbnail"}
			}
			slices.Sort(done.MissingMedia)
			if !sameReport(done.Report, want) || done.RestoredAt != crier.TimeOf(restored) || done.Due != 1 ||
				done.Later != 1 {
				t.Errorf("restored %+v, want %+v with one due and one later", done, want)
			}
			if got := textOf(t, target.Blobs, id, media.VariantOriginal); withMedia != (got == "the original") {
				t.Errorf("with media: %v, and the original is %q", withMedia, got)
			}
			if got := textOf(t, target.Blobs, id, media.VariantThumbnail); withMedia != (got == "small") {
				t.Errorf("with media: %v, and the thumbnail is %q", withMedia, got)
			}
			checkRestored(t, target, due)
		}
	})
}

func sameReport(a, b Report) bool {
	missing := slices.Equal(a.MissingMedia, b.MissingMedia) && (a.MissingMedia == nil) == (b.MissingMedia == nil)
	a.MissingMedia, b.MissingMedia = nil, nil
	return missing && a.CreatedAt == b.CreatedAt && a.Database == b.Database && a.MediaFiles == b.MediaFiles &&
		a.MediaBytes == b.MediaBytes && a.WithMedia == b.WithMedia && a.WithKey == b.WithKey
}

// checkRestored checks the rows of a restored database.
func checkRestored(t *testing.T, target Target, due store.Publication) {
	t.Helper()
	st, err := store.Open(t.Context(), store.Config{DatabaseURL: target.DatabaseURL, DataDir: target.DataDir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	p, err := st.Publication(t.Context(), due.ID)
	if err != nil || p.PostID != due.PostID || p.WakeAt == nil || *p.WakeAt != crier.TimeOf(restored) {
		t.Errorf("the publication is %+v, %v", p, err)
	}
	_, total, err := st.ScheduledPostPage(t.Context(), store.ScheduledPostFilter{TeamID: due.TeamID},
		store.PageQuery{Sort: "scheduledAt", Limit: 1})
	if err != nil || total.Count != 2 {
		t.Errorf("%d posts are scheduled, %v; want 2", total.Count, err)
	}
	if err := st.WithTx(t.Context(), func(tx *store.Tx) error {
		first, err := tx.ServeRestored(t.Context(), crier.TimeOf(restored.Add(time.Hour)))
		if !first {
			t.Error("the store does not know that it was restored")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	r, err := st.Restoration(t.Context())
	if err != nil || r == nil || r.BackedUpAt != crier.TimeOf(backedUp) ||
		r.ServedAt != crier.TimeOf(restored.Add(time.Hour)) {
		t.Errorf("the restoration is %+v, %v", r, err)
	}
	if key, err := st.KeyFingerprint(t.Context()); err != nil || key != fingerprint(t, secret) {
		t.Errorf("the fingerprint is %q, %v", key, err)
	}
	files, err := filepath.Glob(filepath.Join(target.DataDir, ".restore-*"))
	if err != nil || len(files) != 0 {
		t.Errorf("the working directory is there still: %v, %v", files, err)
	}
}

func TestBackupReplacesNothingAndLeavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.SQLite))
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		change  func(t *testing.T, s *Source)
		wantErr string
	}{
		"a file is there": {prepare: func(t *testing.T, path string) {
			t.Helper()
			if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, wantErr: "exists already"},
		"a link that leads nowhere is there": {prepare: func(t *testing.T, path string) {
			t.Helper()
			if err := os.Symlink("nowhere", path); err != nil {
				t.Fatal(err)
			}
		}, wantErr: "exists already"},
		"the folder is missing": {prepare: func(t *testing.T, path string) {
			t.Helper()
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, wantErr: "working directory"},
		"the passphrase is short": {change: func(_ *testing.T, s *Source) { s.Passphrase = "short" },
			wantErr: "at least"},
		"a media file changes while it is read": {change: func(t *testing.T, s *Source) {
			t.Helper()
			id := crier.NewID()
			put(t, s.Blobs, id, media.VariantThumbnail, "before")
			s.WithMedia = true
			s.Blobs = &busyBlobs{Blobs: s.Blobs, opened: 2, then: func() { put(t, s.Blobs, id, "thumbnail", "behind") }}
		}, wantErr: "checksum"},
		"the library cannot be listed": {change: func(_ *testing.T, s *Source) {
			s.Blobs = &busyBlobs{Blobs: s.Blobs, broken: errors.New("the disk is gone")}
		}, wantErr: "the disk is gone"},
		"a file appears under the name meanwhile": {change: func(*testing.T, *Source) {}, wantErr: "in its place"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "backups")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			path, s := filepath.Join(folder, "backup.tar"), i.source()
			s.Blobs = newDisk(t)
			if c.prepare != nil {
				c.prepare(t, path)
			}
			if c.change != nil {
				c.change(t, &s)
			}
			if strings.Contains(name, "meanwhile") {
				s.Now = func() time.Time {
					if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
						t.Error(err)
					}
					return backedUp
				}
			}
			before := contents(t, folder)
			_, err := Write(t.Context(), path, s)
			if err == nil || !strings.Contains(err.Error(), c.wantErr) {
				t.Errorf("the error is %v, want one about %q", err, c.wantErr)
			}
			if strings.Contains(name, "meanwhile") {
				before = map[string]string{"backup.tar": "mine"}
			}
			if after := contents(t, folder); !maps.Equal(before, after) {
				t.Errorf("in the folder was %v, now is %v", before, after)
			}
		})
	}
}

// contents returns the files of a directory; a link counts by its target.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(folder, f.Name())
		if link, err := os.Readlink(path); err == nil {
			out[f.Name()] = "-> " + link
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(data)
	}
	return out
}

// busyBlobs is a media library that is changed while it is backed up.
type busyBlobs struct {
	media.Blobs
	broken error
	// listed is called when the listing has ended, then before a file is opened for the nth time.
	listed func()
	opened int
	then   func()
}

func (b *busyBlobs) List(ctx context.Context, id crier.ID) iter.Seq2[media.Entry, error] {
	return func(yield func(media.Entry, error) bool) {
		if b.broken != nil {
			yield(media.Entry{}, b.broken)
			return
		}
		list := slices.Collect(func(yield func(media.Entry) bool) {
			for e, err := range b.Blobs.List(ctx, id) {
				if err != nil || !yield(e) {
					return
				}
			}
		})
		if b.listed != nil {
			b.listed()
		}
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (b *busyBlobs) Open(ctx context.Context, key media.Key) (media.Blob, error) {
	if b.opened--; b.opened == 0 && b.then != nil {
		b.then()
	}
	return b.Blobs.Open(ctx, key)
}

// An instance is used while it is backed up: that is neither a failure nor a reason for a warning.
func TestMediaChangesDuringBackupAreTolerated(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		i := newInstance(t, db)
		var kept, leaves, leavesLate, comes crier.ID
		kept, leaves, leavesLate = i.picture(t, "kept"), crier.NewID(), crier.NewID()
		put(t, i.blobs, leaves, media.VariantThumbnail, "leaves")
		put(t, i.blobs, leavesLate, media.VariantThumbnail, "leaves late")
		remove := func(id crier.ID) {
			if err := i.blobs.Delete(t.Context(), media.Key{ID: id, Variant: media.VariantThumbnail}); err != nil {
				t.Error(err)
			}
		}
		s := i.source()
		s.WithMedia = true
		s.Blobs = &busyBlobs{Blobs: i.blobs, listed: func() {
			remove(leaves)
			comes = i.picture(t, "comes")
		}, opened: 4, then: func() { remove(leavesLate) }} // three times to list them, then to copy the first
		path, report := write(t, s)
		if len(report.MissingMedia) != 0 {
			t.Errorf("%v are missing: one has come after the copy of the database", report.MissingMedia)
		}
		target := place(t, db.Dialect)
		done, err := Restore(t.Context(), path, target)
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, target.Blobs, kept, media.VariantOriginal); got != "kept" {
			t.Errorf("the file that stayed is %q", got)
		}
		for _, id := range []crier.ID{leaves, comes} {
			if slices.ContainsFunc(done.MissingMedia, func(name string) bool {
				return strings.HasPrefix(name,
					string(id))
			}) {
				t.Errorf("%s was never in the backup, and is missing", id)
			}
		}
	})
}

func TestBackupReportsAssetsWithoutFiles(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		i := newInstance(t, db)
		i.picture(t, "there")
		lost, derived := i.picture(t, ""), i.picture(t, "")
		put(t, i.blobs, derived, media.VariantJPEG, "made of what is lost")
		_, report := write(t, i.source())
		want := []string{string(lost) + ".original", string(derived) + ".original"}
		slices.Sort(want) // sorted as in the report
		if !slices.Equal(report.MissingMedia, want) || report.MediaFiles != 2 {
			t.Errorf("the report is %+v, want %v to be missing", report, want)
		}
	})
}

// The library may be restored by other means. Sizes are always compared, bytes on request.
func TestMediaLibraryIsComparedWithTheBackup(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.SQLite))
	var ids []crier.ID
	for _, text := range []string{"same", "other bytes", "other length", "gone"} {
		id := i.picture(t, text)
		put(t, i.blobs, id, media.VariantThumbnail, text)
		ids = append(ids, id)
	}
	path, _ := write(t, i.source())
	for _, check := range []bool{false, true} {
		target := place(t, store.SQLite)
		target.CheckMedia = check
		for n, text := range []string{"same", "OTHER BYTES", "longer than before"} {
			put(t, target.Blobs, ids[n], media.VariantOriginal, text)
			put(t, target.Blobs, ids[n], media.VariantThumbnail, text)
		}
		done, err := Restore(t.Context(), path, target)
		if err != nil {
			t.Fatal(err)
		}
		wrong := ids[2:]
		if check {
			wrong = ids[1:]
		}
		var want []string
		for _, id := range wrong {
			want = append(want, string(id)+".original", string(id)+".thumbnail")
		}
		slices.Sort(want)
		slices.Sort(done.MissingMedia)
		if !slices.Equal(done.MissingMedia, want) {
			t.Errorf("with checksums: %v; %v are missing, want %v", check, done.MissingMedia, want)
		}
	}
}

func TestStreamChecksumIsVerifiedAtEOF(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some bytes ", 1000)
	for _, size := range []int{1, 7, len(text), len(text) + 1} {
		for want, damaged := range map[string]bool{sumOf(text): false, sumOf("other"): true, "": true} {
			var got bytes.Buffer
			_, err := io.CopyBuffer(struct{ io.Writer }{&got}, checked(strings.NewReader(text), want), make([]byte,
				size))
			if (err != nil) != damaged || got.String() != text {
				t.Errorf("in pieces of %d with the checksum %.8q: %d bytes, %v", size, want, got.Len(), err)
			}
		}
	}
	if _, err := io.ReadAll(checked(strings.NewReader(""), sumOf(""))); err != nil {
		t.Errorf("an empty file: %v", err)
	}
}
