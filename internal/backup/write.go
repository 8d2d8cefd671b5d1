package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/media"
	"crier/internal/store"
)

// Source is the instance to back up.
type Source struct {
	Store *store.Store
	Blobs media.Blobs
	// Secret is the secret key of the instance. It is added to the archive if there is a passphrase.
	Secret, Passphrase string
	// WithMedia adds the media files to the archive.
	WithMedia bool
	Version   string
	Now       func() time.Time
}

// Report describes a backup, or what was restored from it.
type Report struct {
	CreatedAt    crier.Time `json:"createdAt"`
	Database     string     `json:"database"`
	MediaFiles   int        `json:"mediaFiles"`
	MediaBytes   int64      `json:"mediaBytes"`
	WithMedia    bool       `json:"mediaIncluded"`
	WithKey      bool       `json:"keyIncluded"`
	MissingMedia []string   `json:"missingMedia"`
}

func (m Manifest) report() Report {
	r := Report{CreatedAt: m.CreatedAt, Database: string(m.Database.Dialect), MediaFiles: len(m.Media),
		WithMedia: m.MediaIncluded, WithKey: m.SealedKey != nil, MissingMedia: []string{}}
	for _, f := range m.Media {
		r.MediaBytes += f.Size
	}
	return r
}

// Write creates a backup while the instance runs. The file gets its name when it is complete; an existing file is not
// replaced.
func Write(ctx context.Context, path string, s Source) (Report, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return Report{}, errors.Join(err, fmt.Errorf("%s exists already", path))
	}
	work, err := os.MkdirTemp(filepath.Dir(path), ".crier-backup-*")
	if err != nil {
		return Report{}, fmt.Errorf("create a working directory: %w", err)
	}
	defer os.RemoveAll(work)
	m, err := s.describe(ctx, work)
	if err != nil {
		return Report{}, err
	}
	assets, err := s.listMedia(ctx, &m)
	if err != nil {
		return Report{}, err
	}
	report := m.report()
	report.MissingMedia = m.missing(assets)
	partial := filepath.Join(work, "archive")
	if err := s.writeArchive(ctx, partial, work, m); err != nil {
		return report, fmt.Errorf("write the backup: %w", err)
	}
	if err := os.Link(partial, path); err != nil { // a rename would replace a file that was created meanwhile
		return report, fmt.Errorf("put the backup in its place: %w", err)
	}
	return report, nil
}

// describe copies the database into the working directory and describes it.
func (s Source) describe(ctx context.Context, work string) (Manifest, error) {
	m := Manifest{Format: format, Version: s.Version, CreatedAt: crier.TimeOf(s.Now()), Checksums: map[string]string{},
		MediaIncluded: s.WithMedia}
	var err error
	if m.KeyFingerprint, err = s.Store.KeyFingerprint(ctx); err != nil {
		return m, err
	}
	if s.Passphrase != "" {
		if m.SealedKey, err = auth.SealWithPassphrase([]byte(s.Secret), s.Passphrase); err != nil {
			return m, err
		}
	}
	if m.Database, err = s.Store.Dump(ctx, work); err != nil {
		return m, err
	}
	for _, f := range m.Database.Files {
		if m.Checksums[f.Name], err = fileSum(filepath.Join(work, f.Name)); err != nil {
			return m, fmt.Errorf("read the copy of the database: %w", err)
		}
	}
	return m, nil
}

// listMedia lists the files of the media library. It runs after the database was copied, so that no file of an asset in
// the copy is missing. The checksums of originals are known; other files are read. It returns the checksums of the
// assets that existed before the listing started.
func (s Source) listMedia(ctx context.Context, m *Manifest) (known map[crier.ID]string, err error) {
	known = map[crier.ID]string{}
	if err := s.Store.AssetChecksums(ctx, func(id crier.ID, sum string) { known[id] = sum }); err != nil {
		return nil, err
	}
	m.Media = []MediaFile{}
	for entry, err := range s.Blobs.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		f := MediaFile{ID: entry.Key.ID, Variant: entry.Key.Variant, Size: entry.Size}
		if entry.Key.Variant == media.VariantOriginal && !s.WithMedia {
			f.SHA256 = known[entry.Key.ID]
		}
		if len(f.SHA256) != sha256.Size*2 {
			if f.SHA256, err = blobSum(ctx, s.Blobs, entry.Key); errors.Is(err, media.ErrNotFound) {
				continue // deleted meanwhile
			}
		}
		if err != nil {
			return nil, err
		}
		m.Media = append(m.Media, f)
	}
	return known, nil
}

// missing lists the assets whose original file is missing.
func (m Manifest) missing(assets map[crier.ID]string) []string {
	there := map[crier.ID]bool{}
	for _, f := range m.Media {
		there[f.ID] = there[f.ID] || f.Variant == media.VariantOriginal
	}
	list := []string{}
	for _, id := range slices.Sorted(maps.Keys(assets)) {
		if !there[id] {
			list = append(list, string(id)+"."+media.VariantOriginal)
		}
	}
	return list
}

func blobSum(ctx context.Context, blobs media.Blobs, key media.Key) (string, error) {
	blob, err := blobs.Open(ctx, key)
	if err != nil {
		return "", err
	}
	defer blob.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, blob); err != nil {
		return "", fmt.Errorf("read %s.%s: %w", key.ID, key.Variant, err)
	}
	return encoded(sum), nil
}

func (s Source) writeArchive(ctx context.Context, path, work string, m Manifest) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return err
	}
	archive := tar.NewWriter(file)
	err = s.writeEntries(ctx, archive, work, m)
	return errors.Join(err, archive.Close(), file.Sync(), file.Close())
}

func (s Source) writeEntries(ctx context.Context, archive *tar.Writer, work string, m Manifest) error {
	manifest, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := addEntry(archive, manifestName, int64(len(manifest)), m, bytes.NewReader(manifest)); err != nil {
		return err
	}
	for _, f := range m.Database.Files {
		if err := addFile(archive, databaseFolder+f.Name, filepath.Join(work, f.Name), m); err != nil {
			return err
		}
	}
	if !s.WithMedia {
		return nil
	}
	for _, f := range m.Media {
		if err := s.addMedia(ctx, archive, f, m); err != nil {
			return fmt.Errorf("%s: %w", f.name(), err)
		}
	}
	return nil
}

// addMedia adds a file of the media library. A missing file was deleted after it was listed.
func (s Source) addMedia(ctx context.Context, archive *tar.Writer, f MediaFile, m Manifest) error {
	blob, err := s.Blobs.Open(ctx, f.key())
	if errors.Is(err, media.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer blob.Close()
	return addEntry(archive, mediaFolder+f.name(), f.Size, m, checked(blob, f.SHA256))
}

func addFile(archive *tar.Writer, name, path string, m Manifest) error {
	f, err := os.Open(path) //nolint:gosec // a file that this program has just written
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it is only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return addEntry(archive, name, info.Size(), m, f)
}

func addEntry(archive *tar.Writer, name string, size int64, m Manifest, r io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: m.CreatedAt.Time}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(archive, r)
	return err
}
