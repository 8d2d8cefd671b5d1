// Package backup writes the state of an instance to one file and restores it. The file is a tar archive: a manifest
// with checksums of everything, a consistent copy of the database and, on request, the media files and the secret key,
// sealed with a passphrase.
package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"crier"
	"crier/internal/media"
	"crier/internal/store"
)

// format is the version of the archive's layout.
const format = 1

// The names in the archive. The manifest comes first.
const (
	manifestName   = "manifest.json"
	databaseFolder = "database/"
	mediaFolder    = "media/"
	// maxManifest bounds the memory used to read a manifest.
	maxManifest = 1 << 30
)

// Manifest describes an archive.
type Manifest struct {
	Format  int    `json:"format"`
	Version string `json:"version"` // of crier
	// CreatedAt is when the copy of the database was started.
	CreatedAt crier.Time `json:"createdAt"`
	// KeyFingerprint identifies the secret key that the database is sealed with.
	KeyFingerprint string `json:"keyFingerprint"`
	// SealedKey is the secret key, sealed with a passphrase.
	SealedKey json.RawMessage `json:"sealedKey,omitempty"`
	Database  store.Dump      `json:"database"`
	// Checksums are the SHA-256 checksums of the database files.
	Checksums map[string]string `json:"checksums"`
	// Media are the files of the media library; if MediaIncluded is set they are in the archive.
	Media         []MediaFile `json:"media"`
	MediaIncluded bool        `json:"mediaIncluded"`
}

// MediaFile is a file of the media library.
type MediaFile struct {
	ID      crier.ID `json:"id"`
	Variant string   `json:"variant"`
	Size    int64    `json:"size"`
	SHA256  string   `json:"sha256"`
}

func (f MediaFile) key() media.Key { return media.Key{ID: f.ID, Variant: f.Variant} }

func (f MediaFile) name() string { return string(f.ID) + "." + f.Variant }

// fileSum returns the SHA-256 of a file.
func fileSum(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // a file of this program
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return encoded(sum), err
}

func encoded(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// checkedReader fails at the end of the stream if the checksum does not match.
type checkedReader struct {
	r    io.Reader
	sum  hash.Hash
	want string
}

func checked(r io.Reader, want string) *checkedReader {
	return &checkedReader{r: r, sum: sha256.New(), want: want}
}

func (c *checkedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	if errors.Is(err, io.EOF) && encoded(c.sum) != c.want {
		return n, errors.New("the bytes do not match their checksum: the backup is damaged")
	}
	return n, err
}

// readManifest reads the first entry of an archive.
func readManifest(archive *tar.Reader) (Manifest, error) {
	var m Manifest
	header, err := archive.Next()
	if err != nil || header.Name != manifestName || header.Size > maxManifest {
		return m, errors.Join(err, errors.New("this is not a backup of crier: it does not start with a manifest"))
	}
	if err := json.NewDecoder(archive).Decode(&m); err != nil {
		return m, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != format {
		return m, fmt.Errorf("the backup has format %d, this version of crier reads %d", m.Format, format)
	}
	for _, f := range m.Database.Files {
		if f.Name == "" || strings.ContainsAny(f.Name, `/\`) || m.Checksums[f.Name] == "" {
			return m, fmt.Errorf("the manifest has an invalid entry for a database file: %q", f.Name)
		}
	}
	return m, nil
}
