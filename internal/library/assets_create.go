package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/store"
)

// AssetFile is a file being uploaded to the library.
type AssetFile struct {
	// Body is read to its end. A failure of the sender is a *crier.Error.
	Body io.Reader
	// FileName and MimeType are declared by the sender; both may be empty.
	FileName, MimeType string
}

// Create stores a file as an asset. details is called after the file was read, because form fields may follow the file.
func (s *Assets) Create(ctx context.Context, scope access.TeamScope, file AssetFile,
	details func() (crier.AssetDetails, error)) (crier.Asset, error) {
	if err := scope.Check(); err != nil {
		return crier.Asset{}, err
	}
	saved, err := s.storeFile(ctx, file.Body, file.MimeType, errorAt("file"))
	if err != nil {
		return crier.Asset{}, err
	}
	fields, err := details()
	if err != nil {
		s.discard(ctx, saved.id)
		return crier.Asset{}, err
	}
	saved.FolderID, saved.AltText, saved.FileName = fields.FolderID, fields.AltText, cleanName(file.FileName)
	if fields.FileName != nil {
		saved.FileName = string(*fields.FileName)
	}
	digest, err := file.Digest(saved.stored.SHA256, fields)
	if err != nil {
		s.discard(ctx, saved.id)
		return crier.Asset{}, err
	}
	return s.insertAsset(access.WithBody(ctx, digest), scope, saved, errorAt("file"), nil)
}

// Digest identifies a form under its idempotency key: by the hash of its file and its fields.
func (f AssetFile) Digest(sha256Hex string, details crier.AssetDetails) ([]byte, error) {
	data, err := json.Marshal([]any{sha256Hex, f.FileName, f.MimeType, details})
	if err != nil {
		return nil, fmt.Errorf("encode the fields of a form: %w", err)
	}
	return data, nil
}

const (
	// importTime and importBytes limit a download while the caller waits.
	importTime  = time.Minute
	importBytes = 200 << 20
)

// Import fetches a file from the internet and stores it as an asset.
func (s *Assets) Import(ctx context.Context, scope access.TeamScope, in crier.AssetImport) (crier.Asset, error) {
	if err := scope.Check(); err != nil {
		return crier.Asset{}, err
	}
	fetcher := s.fetcher
	fetcher.Timeout, fetcher.MaxBytes = importTime, importBytes
	file, err := fetcher.Fetch(ctx, string(in.URL))
	if err != nil {
		return crier.Asset{}, importError(err)
	}
	saved, err := s.storeFile(ctx, file.Body, claimedType(file.MimeType), importError)
	if err = errors.Join(err, file.Body.Close()); err != nil {
		return crier.Asset{}, err
	}
	saved.FolderID, saved.AltText, saved.FileName = in.FolderID, in.AltText, cleanName(file.FileName)
	if in.FileName != nil {
		saved.FileName = string(*in.FileName)
	}
	return s.insertAsset(ctx, scope, saved, importError, nil)
}

// claimedType returns the type that a server declares, if it is meaningful: many declare everything as text or bytes.
func claimedType(mimeType string) string {
	if strings.HasPrefix(mimeType, "image/") || strings.HasPrefix(mimeType, "video/") || mimeType == media.TypePDF {
		return mimeType
	}
	return ""
}

// refusal turns the reason why a file is rejected into an error at its place in the request. Other errors are returned
// unchanged.
type refusal func(error) error

func errorAt(path ...string) refusal {
	return func(err error) error {
		var refused *media.Refusal
		if !errors.As(err, &refused) {
			return err
		}
		return crier.Invalid(crier.At(refused.Message, path...))
	}
}

func importError(err error) error {
	var refused *media.Refusal
	if errors.As(err, &refused) && (refused.Reason == media.ReasonTooLarge || refused.Reason == media.ReasonTooSlow) {
		return crier.Invalid(crier.At(fmt.Sprintf("%s An import may take %.0f seconds and %d MiB. Upload the file in "+
			"pieces instead: "+
			"POST /v1/teams/{teamId}/assets/uploads takes up to 5 GiB.", refused.Message, importTime.Seconds(),
			importBytes>>20), "url"))
	}
	return errorAt("url")(err)
}

// storedFile is a stored file without an asset. Until it has one, it is invisible.
type storedFile struct {
	id     crier.ID
	stored media.Stored
	info   media.Info

	FileName string
	FolderID *crier.ID
	AltText  *string
}

// storeFile stores a stream and probes it. A rejected file leaves nothing behind.
func (s *Assets) storeFile(ctx context.Context, body io.Reader, declared string, refused refusal) (storedFile, error) {
	body, err := sniff(body, declared)
	if err != nil {
		return storedFile{}, refused(err)
	}
	f := storedFile{id: crier.NewID()}
	if f.stored, err = media.Store(ctx, s.blobs, media.Key{ID: f.id, Variant: media.VariantOriginal}, body,
		crier.MaxAssetSize); err != nil {
		return f, refused(fmt.Errorf("store a file: %w", err))
	}
	if f.info, err = s.probe(ctx, f.id); err == nil {
		err = f.info.CheckDeclared(declared)
	}
	if err != nil {
		s.discard(ctx, f.id)
		return f, refused(err)
	}
	return f, nil
}

// sniff rejects a file by its first bytes, so that a large one need not be received first. It returns the whole file.
func sniff(body io.Reader, declared string) (io.Reader, error) {
	head := make([]byte, media.SniffLen)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // a small file is no error
		return nil, err
	}
	found, err := media.Sniff(head[:n])
	if err != nil {
		return nil, err
	}
	return io.MultiReader(bytes.NewReader(head[:n]), body), media.Info{MimeType: found}.CheckDeclared(declared)
}

func (s *Assets) probe(ctx context.Context, id crier.ID) (info media.Info, err error) {
	blob, err := s.blobs.Open(ctx, media.Key{ID: id, Variant: media.VariantOriginal})
	if err != nil {
		return info, fmt.Errorf("open a file: %w", err)
	}
	defer func() { err = errors.Join(err, blob.Close()) }()
	return media.Probe(ctx, blob, blob.Size())
}

// discardTime limits the cleanup after a request has ended.
const discardTime = 30 * time.Second

// discard removes the files of an id that has no asset. A later sweep removes what it leaves behind.
func (s *Assets) discard(ctx context.Context, id crier.ID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	if err := media.DeleteAll(ctx, s.blobs, id); err != nil {
		s.log.WarnContext(ctx, "could not remove a rejected file; the sweep will remove it", "id", id, "error", err)
	}
}

// insertAsset creates an asset for a stored file. first, if not nil, runs at the start of the transaction and may
// change the asset.
func (s *Assets) insertAsset(ctx context.Context, scope access.TeamScope, f storedFile, refused refusal,
	first func(*store.Tx, *store.Asset) error) (crier.Asset, error) {
	a, facts := newAsset(scope.Team().ID, f, s.clock.Now())
	if s.quick(facts.Info) {
		if err := s.process(ctx, &a, &facts); err != nil {
			s.discard(ctx, f.id)
			return crier.Asset{}, refused(err)
		}
	}
	if err := withFacts(&a, facts); err != nil {
		return crier.Asset{}, err
	}
	done := false
	asset, err := access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Asset, error) {
		done = false
		if first != nil {
			if err := first(tx, &a); err != nil {
				return crier.Asset{}, err
			}
		}
		if err := s.checkQuota(ctx, tx, scope.Team(), a.ByteSize); err != nil {
			return crier.Asset{}, err
		}
		if err := s.insert(ctx, tx, a); err != nil {
			return crier.Asset{}, err
		}
		done = true
		return s.shown(a)
	})
	// An error before done means that nothing was committed. A later one may be a lost connection after the commit: the
	// files are left to the sweep, which checks the database.
	if err != nil && !done {
		s.discard(ctx, f.id)
	}
	return asset, err
}

func (s *Assets) insert(ctx context.Context, tx *store.Tx, a store.Asset) error {
	if err := checkFolder(ctx, tx, a.TeamID, a.FolderID); err != nil {
		return err
	}
	if err := tx.InsertAsset(ctx, a); err != nil {
		return err
	}
	if a.Status == crier.AssetReady {
		return s.recordAsset(tx, a)
	}
	return s.queue.Enqueue(ctx, tx, job.Job{Args: job.ProcessAsset{AssetID: a.ID, TeamID: a.TeamID}})
}

// newAsset describes a file as far as possible without decoding it.
func newAsset(team crier.ID, f storedFile, now crier.Time) (store.Asset, media.Facts) {
	a := store.Asset{Asset: crier.Asset{
		ID: f.id, TeamID: team, FolderID: f.FolderID, FileName: f.FileName, AltText: f.AltText,
		MimeType: f.info.MimeType,
		Kind:     kindOf(f.info), ByteSize: f.stored.Size, SHA256: f.stored.SHA256, Status: crier.AssetProcessing,
		AssetTags: []string{},
		CreatedAt: now, UpdatedAt: now,
	}}
	if a.FileName == "" {
		a.FileName = string(a.Kind) + extensions[a.MimeType]
	}
	if f.info.Width > 0 && f.info.Height > 0 {
		a.Width, a.Height = &f.info.Width, &f.info.Height
	}
	if f.info.DurationSeconds > 0 {
		a.DurationSeconds = &f.info.DurationSeconds
	}
	return a, media.Facts{Info: f.info}
}

func kindOf(info media.Info) crier.AssetKind {
	switch info.Kind {
	case media.KindVideo:
		return crier.VideoAsset
	case media.KindDocument:
		return crier.DocumentAsset
	}
	return crier.ImageAsset
}

// extensions are used for files without a name.
var extensions = map[string]string{
	media.TypeJPEG: ".jpg", media.TypePNG: ".png", media.TypeWebP: ".webp", media.TypeGIF: ".gif",
	media.TypeMP4: ".mp4", media.TypeMOV: ".mov", media.TypeWebM: ".webm", media.TypePDF: ".pdf",
}

// cleanName sanitizes the file name given by a sender; the result may be empty.
func cleanName(given string) string {
	given = strings.ToValidUTF8(given, "")
	given = strings.Map(func(r rune) rune {
		if crier.FileName([]rune{r}).Problem() != "" {
			return -1
		}
		return r
	}, given[strings.LastIndexAny(given, `/\`)+1:])
	if runes := []rune(given); len(runes) > crier.MaxFileNameLength {
		given = string(runes[:crier.MaxFileNameLength])
	}
	return strings.TrimSpace(given)
}
