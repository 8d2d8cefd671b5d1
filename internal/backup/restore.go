package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/media"
	"crier/internal/store"
)

// Target is where to restore a backup.
type Target struct {
	// DatabaseURL is the URL of an empty PostgreSQL database; empty means SQLite in DataDir.
	DatabaseURL, DataDir string
	Blobs                media.Blobs
	// Secret is the existing secret key; if empty, the one in the archive is used, opened with Passphrase.
	Secret, Passphrase string
	// KeepSecret stores the key of the archive.
	KeepSecret func(secret string) error
	// PrepareJobs creates the tables of the job engine.
	PrepareJobs func(context.Context, *store.Store) error
	// CheckMedia compares the checksums of the media files, not only their sizes.
	CheckMedia bool
	Now        func() time.Time
}

// Restored describes what was restored.
type Restored struct {
	Report
	RestoredAt crier.Time `json:"restoredAt"`
	// Due is the number of posts, comments and reposts that were due since the backup: each is searched at its network,
	// or left to a person. Later is the number that is still to come.
	Due   int64 `json:"due"`
	Later int64 `json:"later"`
}

// Restore restores a backup into an empty place. Nothing can be served from there before everything is restored.
func Restore(ctx context.Context, path string, t Target) (Restored, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return Restored{}, fmt.Errorf("open the backup: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	archive := tar.NewReader(file)
	m, err := readManifest(archive)
	if err != nil {
		return Restored{}, err
	}
	if err := t.checkPlace(m); err != nil {
		return Restored{}, err
	}
	secret, err := t.secret(m)
	if err != nil {
		return Restored{}, err
	}
	if err := os.MkdirAll(t.DataDir, 0o700); err != nil {
		return Restored{}, fmt.Errorf("create the data directory: %w", err)
	}
	work, err := os.MkdirTemp(t.DataDir, ".restore-*")
	if err != nil {
		return Restored{}, fmt.Errorf("create a working directory: %w", err)
	}
	defer os.RemoveAll(work)
	if err := t.unpack(ctx, archive, m, work); err != nil {
		return Restored{}, err
	}
	if t.Secret == "" {
		if err := t.KeepSecret(secret); err != nil {
			return Restored{}, err
		}
	}
	return t.load(ctx, m, work)
}

// checkPlace fails for a database of another kind and a place that is in use, before anything is written.
func (t Target) checkPlace(m Manifest) error {
	there, err := store.Exists(store.Config{DatabaseURL: t.DatabaseURL, DataDir: t.DataDir})
	switch {
	case err != nil:
		return err
	case m.Database.Dialect == store.Postgres && t.DatabaseURL == "":
		return errors.New("this is the backup of a PostgreSQL database: set CRIER_DATABASE_URL to an empty one")
	case m.Database.Dialect == store.SQLite && t.DatabaseURL != "":
		return errors.New("this is the backup of an embedded database: leave CRIER_DATABASE_URL out")
	case m.Database.Dialect == store.SQLite && there:
		return fmt.Errorf("there is a database in %s already: restore into an empty directory", t.DataDir)
	}
	return nil
}

// secret returns the key that opens the sealed data of the database.
func (t Target) secret(m Manifest) (string, error) {
	secret := t.Secret
	if secret == "" {
		if m.SealedKey == nil {
			return "", errors.New("the backup has no secret key: set CRIER_SECRET_KEY, or put the file secret.key " +
				"into the data directory")
		}
		if t.Passphrase == "" {
			return "", errors.New("the secret key in the backup is encrypted with a passphrase: give " +
				"--passphrase-file or set CRIER_BACKUP_PASSPHRASE")
		}
		opened, err := auth.OpenWithPassphrase(m.SealedKey, t.Passphrase)
		if err != nil {
			return "", err
		}
		secret = string(opened)
	}
	ring, err := auth.NewKeyring(secret)
	if err != nil {
		return "", err
	}
	if m.KeyFingerprint != "" && !ring.Holds(m.KeyFingerprint) {
		return "", fmt.Errorf("the backup is sealed with another secret key (fingerprint %.8s…, this one is %.8s…)",
			m.KeyFingerprint, ring.Fingerprint())
	}
	return secret, nil
}

// unpack writes the database files into the working directory and the media files into the library.
func (t Target) unpack(ctx context.Context, archive *tar.Reader, m Manifest, work string) error {
	wanted := map[string]bool{}
	for _, f := range m.Database.Files {
		wanted[f.Name] = true
	}
	listed := map[string]MediaFile{}
	for _, f := range m.Media {
		listed[f.name()] = f
	}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the backup: %w", err)
		}
		name, isDatabase := strings.CutPrefix(header.Name, databaseFolder)
		f, isMedia := listed[strings.TrimPrefix(header.Name, mediaFolder)]
		switch {
		case isDatabase && wanted[name]:
			err = unpackFile(filepath.Join(work, name), checked(archive, m.Checksums[name]))
			delete(wanted, name)
		case isMedia && header.Name == mediaFolder+f.name():
			err = t.Blobs.Put(ctx, f.key(), checked(archive, f.SHA256), f.Size)
		default:
			err = errors.New("it is not in the manifest")
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
	for name := range wanted {
		return fmt.Errorf("the backup is not complete: %s is missing", name)
	}
	return nil
}

func unpackFile(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // a file of this program
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// load fills the database and compares the media library with the manifest.
func (t Target) load(ctx context.Context, m Manifest, work string) (Restored, error) {
	done := Restored{Report: m.report(), RestoredAt: crier.TimeOf(t.Now())}
	var err error
	if done.MissingMedia, err = t.missing(ctx, m); err != nil {
		return done, err
	}
	r := store.RestoreTimes{BackedUpAt: m.CreatedAt, Now: done.RestoredAt}
	var found store.RestoredPublications
	if t.DatabaseURL == "" {
		found, err = store.LoadSQLite(ctx, m.Database, work, t.DataDir, r, t.PrepareJobs)
	} else {
		found, err = t.loadPostgres(ctx, m, work, r)
	}
	done.Due, done.Later = found.Due, found.Later
	return done, err
}

func (t Target) loadPostgres(ctx context.Context, m Manifest, work string,
	r store.RestoreTimes) (found store.RestoredPublications, err error) {
	st, err := store.Open(ctx, store.Config{DatabaseURL: t.DatabaseURL, DataDir: t.DataDir})
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return st.LoadPostgres(ctx, m.Database, work, r, t.PrepareJobs)
}

// missing lists the media files that are missing or differ.
func (t Target) missing(ctx context.Context, m Manifest) ([]string, error) {
	list := []string{}
	for _, f := range m.Media {
		size, err := t.Blobs.Size(ctx, f.key())
		sum := f.SHA256
		if err == nil && size == f.Size && t.CheckMedia && !m.MediaIncluded {
			sum, err = blobSum(ctx, t.Blobs, f.key())
		}
		if err != nil && !errors.Is(err, media.ErrNotFound) {
			return nil, err
		}
		if err != nil || size != f.Size || sum != f.SHA256 {
			list = append(list, f.name())
		}
	}
	return list, nil
}
