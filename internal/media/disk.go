package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"

	"crier"
)

// Disk stores blobs in a local directory: blobs/<2 hex digits>/<2 hex digits>/<id>.<variant>. A write goes to a
// temporary file, which is synced and then renamed, so that a crash leaves either the old blob or the new one.
type Disk struct {
	root *os.Root // confines every path to the directory, whatever links are in it
}

const (
	blobFolder      = "blobs"
	temporaryFolder = "tmp"
)

// NewDisk opens a directory and creates it if needed. Nothing else should be stored in it.
func NewDisk(folder string) (*Disk, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("create media folder: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open media folder: %w", err)
	}
	for _, name := range []string{blobFolder, temporaryFolder} {
		if err := root.MkdirAll(name, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("create media folder: %w", err), root.Close())
		}
	}
	disk := &Disk{root: root}
	if err := disk.syncFolder("."); err != nil {
		return nil, errors.Join(fmt.Errorf("sync media folder: %w", err), root.Close())
	}
	return disk, nil
}

// Close closes the directory; open blobs stay readable.
func (d *Disk) Close() error { return d.root.Close() }

// folderOf spreads the blobs over 65,536 directories by the last digits of the id, which are random; the first digits
// are its time.
func folderOf(id crier.ID) string {
	n := len(id)
	return path.Join(blobFolder, string(id[n-4:n-2]), string(id[n-2:]))
}

func fileOf(key Key) string { return path.Join(folderOf(key.ID), string(key.ID)+"."+key.Variant) }

// Put implements Blobs.
func (d *Disk) Put(ctx context.Context, key Key, r io.Reader, size int64) error {
	if err := key.check(); err != nil {
		return err
	}
	temporary := path.Join(temporaryFolder, string(crier.NewID()))
	err := d.writeFile(temporary, &exactReader{r: contextReader{ctx, r}, size: size})
	if err == nil {
		err = d.moveInto(temporary, folderOf(key.ID), fileOf(key))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("put blob: %w", err), ignoreMissing(d.root.Remove(temporary)))
	}
	return nil
}

// writeFile writes and syncs a new file.
func (d *Disk) writeFile(name string, r io.Reader) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// moveInto renames a written file to its final name and makes the name durable.
func (d *Disk) moveInto(temporary, folder, name string) error {
	if err := d.ensureFolder(folder); err != nil {
		return err
	}
	if err := d.root.Rename(temporary, name); err != nil {
		return err
	}
	return d.syncFolder(folder)
}

// ensureFolder creates a missing directory and makes it and its parents durable.
func (d *Disk) ensureFolder(folder string) error {
	if _, err := d.root.Stat(folder); err == nil {
		return nil
	}
	if err := d.root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for parent := path.Dir(folder); parent != "."; parent = path.Dir(parent) {
		if err := d.syncFolder(parent); err != nil {
			return err
		}
	}
	return nil
}

func (d *Disk) syncFolder(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open implements Blobs.
func (d *Disk) Open(_ context.Context, key Key) (Blob, error) {
	if err := key.check(); err != nil {
		return nil, err
	}
	f, err := d.root.Open(fileOf(key))
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", notFound(err))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open blob: %w", err), f.Close())
	}
	return diskBlob{f, info.Size()}, nil
}

// diskBlob is an open file and its size, which cannot change: blobs are replaced, never modified.
type diskBlob struct {
	*os.File
	size int64
}

func (b diskBlob) Size() int64 { return b.size }

// Size implements Blobs.
func (d *Disk) Size(_ context.Context, key Key) (int64, error) {
	if err := key.check(); err != nil {
		return 0, err
	}
	info, err := d.root.Stat(fileOf(key))
	if err != nil {
		return 0, fmt.Errorf("size of blob: %w", notFound(err))
	}
	return info.Size(), nil
}

// Delete implements Blobs.
func (d *Disk) Delete(_ context.Context, key Key) error {
	if err := key.check(); err != nil {
		return err
	}
	if err := ignoreMissing(d.root.Remove(fileOf(key))); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}

// List implements Blobs.
func (d *Disk) List(ctx context.Context, id crier.ID) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		folder := blobFolder
		if id != "" {
			if err := (Key{id, VariantOriginal}).check(); err != nil {
				yield(Entry{}, err)
				return
			}
			folder = folderOf(id)
		}
		err := fs.WalkDir(d.root.FS(), folder, func(name string, file fs.DirEntry, err error) error {
			return visit(ctx, id, name, file, err, yield)
		})
		if err != nil {
			yield(Entry{}, fmt.Errorf("list blobs: %w", err))
		}
	}
}

// visit yields a file of the walk if it is a blob of the wanted id. Files that disappear meanwhile were deleted.
func visit(ctx context.Context, id crier.ID, name string, file fs.DirEntry, err error,
	yield func(Entry, error) bool) error {
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return ignoreMissing(err)
	}
	key, ok := keyOfFile(file.Name())
	if file.IsDir() || !ok || id != "" && key.ID != id || fileOf(key) != name {
		return nil
	}
	info, err := file.Info()
	if err != nil {
		return ignoreMissing(err)
	}
	if !yield(Entry{Key: key, Size: info.Size(), StoredAt: info.ModTime()}, nil) {
		return fs.SkipAll
	}
	return nil
}

// keyOfFile parses the name of a file into its key.
func keyOfFile(name string) (Key, bool) {
	id, variant, _ := strings.Cut(name, ".")
	key := Key{ID: crier.ID(id), Variant: variant}
	return key, key.check() == nil
}

// RemoveUnfinished implements Blobs.
func (d *Disk) RemoveUnfinished(ctx context.Context, before time.Time) error {
	entries, err := fs.ReadDir(d.root.FS(), temporaryFolder)
	if err != nil {
		return fmt.Errorf("list unfinished blobs: %w", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(before) {
			err = d.root.Remove(path.Join(temporaryFolder, entry.Name()))
		}
		if err = errors.Join(ignoreMissing(err), ctx.Err()); err != nil {
			return fmt.Errorf("remove unfinished blob: %w", err)
		}
	}
	return nil
}

// contextReader stops reading when the context ends.
type contextReader struct {
	ctx context.Context //nolint:containedctx // Read takes no context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
