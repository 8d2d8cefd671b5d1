package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/media"
	"crier/internal/store"
)

// uploadTime is how long an upload may take.
const uploadTime = 7 * 24 * time.Hour

// Uploads implements files that are uploaded in chunks.
type Uploads struct {
	store  *store.Store
	writes *access.Idempotency
	clock  crier.Clock
	assets *Assets
	chunks media.Uploads
}

// Create starts an upload.
func (s *Uploads) Create(ctx context.Context, scope access.TeamScope, in crier.UploadCreate) (crier.Upload, error) {
	if err := scope.Check(); err != nil {
		return crier.Upload{}, err
	}
	if !acceptedType(in.MimeType) {
		return crier.Upload{}, crier.Invalid(crier.At("must be one of "+strings.Join(acceptedTypes, ", ")+
			", or application/octet-stream when the type is not known", "mimeType"))
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Upload, error) {
		if err := checkFolder(ctx, tx, scope.Team().ID, in.FolderID); err != nil {
			return crier.Upload{}, err
		}
		if err := s.assets.checkQuota(ctx, tx, scope.Team(), in.ByteSize); err != nil {
			return crier.Upload{}, err
		}
		now := s.clock.Now()
		u := store.Upload{
			ID: crier.NewID(), TeamID: scope.Team().ID, FolderID: in.FolderID, FileName: string(in.FileName),
			MimeType: in.MimeType,
			ByteSize: in.ByteSize, AltText: in.AltText, CreatedAt: now, ExpiresAt: crier.TimeOf(now.Add(uploadTime)),
		}
		return shownUpload(u, 0), tx.InsertUpload(ctx, u)
	})
}

var acceptedTypes = []string{
	media.TypeJPEG, media.TypePNG, media.TypeWebP, media.TypeGIF, media.TypeMP4, media.TypeMOV, media.TypeWebM,
	media.TypePDF,
}

// acceptedType reports whether a declared type is supported or says nothing.
func acceptedType(declared string) bool {
	for _, accepted := range acceptedTypes {
		if (media.Info{MimeType: accepted}).CheckDeclared(declared) == nil {
			return true
		}
	}
	return false
}

func shownUpload(u store.Upload, next int64) crier.Upload {
	return crier.Upload{
		UploadID: u.ID, NextByteStart: next, ByteSize: u.ByteSize, ChunkSize: media.DefaultChunkSize,
		ExpiresAt: u.ExpiresAt, AssetID: u.AssetID,
	}
}

// Get returns the state of an upload.
func (s *Uploads) Get(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Upload, error) {
	if err := scope.Check(); err != nil {
		return crier.Upload{}, err
	}
	u, err := s.store.Upload(ctx, scope.Team().ID, id, s.clock.Now())
	if err != nil {
		return crier.Upload{}, err
	}
	if u.AssetID != nil {
		return shownUpload(u, u.ByteSize), nil // its chunks are gone
	}
	next, err := s.chunks.NextByteStart(ctx, id)
	return shownUpload(u, next), err
}

// UploadChunk is a chunk of a file: Length bytes from Start, of Total.
type UploadChunk = media.Chunk

// Append stores the next chunk of an upload.
func (s *Uploads) Append(ctx context.Context, scope access.TeamScope, id crier.ID, chunk UploadChunk,
	body io.Reader) (crier.Upload, error) {
	if err := scope.Check(); err != nil {
		return crier.Upload{}, err
	}
	u, err := s.store.Upload(ctx, scope.Team().ID, id, s.clock.Now())
	if err != nil {
		return crier.Upload{}, err
	}
	if chunk.Total != u.ByteSize {
		return crier.Upload{},
			crier.Invalid(crier.At(fmt.Sprintf("the total is %d, but the upload was started for %d bytes", chunk.Total,
				u.ByteSize), contentRange))
	}
	if u.AssetID != nil {
		return crier.Upload{},
			crier.Conflict("This upload is complete: nextByteStart is %d. It has become the asset %s.", u.ByteSize,
				*u.AssetID)
	}
	// too small a chunk cannot be sniffed
	if chunk.Start == 0 && (chunk.Length >= media.MinChunkSize || chunk.Length == chunk.Total) {
		if body, err = sniff(body, u.MimeType); err != nil {
			return crier.Upload{}, uploadError(err)
		}
	}
	next, err := s.chunks.Append(ctx, id, chunk, body)
	if err != nil {
		return crier.Upload{}, chunkError(err)
	}
	return shownUpload(u, next), nil
}

// contentRange is the header with the byte range of a chunk.
const contentRange = "Content-Range"

// chunkError returns the error for a chunk that does not fit.
func chunkError(err error) error {
	if offset, ok := errors.AsType[*media.OffsetError](err); ok {
		return crier.Conflict("The upload continues at another byte: nextByteStart is %d.", offset.NextByteStart)
	}
	return errorAt(contentRange)(err)
}

// uploadError reports a false declaration at its field, any other problem at the file.
func uploadError(err error) error {
	var refused *media.Refusal
	if errors.As(err, &refused) && refused.Reason == media.ReasonWrongType {
		return errorAt("mimeType")(err)
	}
	return errorAt("file")(err)
}

// Complete creates an asset from a complete upload. Repeated, it returns the same asset. A rejected file is removed
// with its upload, because it cannot become valid.
func (s *Uploads) Complete(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Asset, error) {
	if err := scope.Check(); err != nil {
		return crier.Asset{}, err
	}
	u, err := s.store.Upload(ctx, scope.Team().ID, id, s.clock.Now())
	if err != nil {
		return crier.Asset{}, err
	}
	if u.AssetID != nil {
		return s.assets.Get(ctx, scope, *u.AssetID)
	}
	a, err := s.assemble(ctx, scope, u)
	if err != nil {
		// A concurrent caller has created the asset, and may have removed the chunks while they were read here.
		if now, readErr := s.store.Upload(ctx, scope.Team().ID, id, s.clock.Now()); readErr == nil &&
			now.AssetID != nil {
			return s.assets.Get(ctx, scope, *now.AssetID)
		}
	}
	var known *crier.Error
	if err == nil || errors.As(err, &known) && known.Kind == crier.KindInvalid {
		s.assets.discard(ctx, u.ID) // the chunks
	}
	return a, err
}

// errCompleted means that a concurrent caller has completed the upload.
var errCompleted = errors.New("the upload was completed meanwhile")

func (s *Uploads) assemble(ctx context.Context, scope access.TeamScope, u store.Upload) (a crier.Asset, err error) {
	whole, err := s.chunks.Open(ctx, u.ID, u.ByteSize)
	if err != nil {
		return a, chunkError(err)
	}
	defer func() { err = errors.Join(err, whole.Close()) }()
	taken, err := s.assets.storeFile(ctx, whole, u.MimeType, uploadError)
	if err != nil {
		return a, s.giveUp(ctx, u, err)
	}
	taken.FileName, taken.AltText = u.FileName, u.AltText
	a, err = s.assets.insertAsset(ctx, scope, taken, uploadError, func(tx *store.Tx, a *store.Asset) error {
		present, err := tx.LockUpload(ctx, scope.Team().ID, u.ID, s.clock.Now())
		if err != nil {
			return err
		}
		if present.AssetID != nil {
			return errCompleted
		}
		a.FolderID = present.FolderID // it may have been deleted since the upload started
		return tx.CompleteUpload(ctx, u.ID, a.ID)
	})
	return a, s.giveUp(ctx, u, err)
}

// giveUp removes an upload whose file was rejected; other errors leave it unchanged.
func (s *Uploads) giveUp(ctx context.Context, u store.Upload, err error) error {
	var known *crier.Error
	if !errors.As(err, &known) || known.Kind != crier.KindInvalid {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	return errors.Join(err, s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.DeleteUpload(ctx, u.ID) }))
}
