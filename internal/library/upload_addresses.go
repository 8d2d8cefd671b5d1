package library

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

const (
	// uploadAddressLife is how long a signed upload URL is valid.
	uploadAddressLife = 15 * time.Minute
	// defaultUploadSize is the default maximum size of a file.
	defaultUploadSize = 1 << 30
)

// UploadAddresses implements signed URLs that accept one file without a token, for agents whose files are on their
// user's machine.
type UploadAddresses struct {
	store   *store.Store
	writes  *access.Idempotency
	control *access.Control
	assets  *Assets
	clock   crier.Clock
	baseURL string
	sign    func([]byte) []byte
}

// uploadTicket is the signed content of a URL.
type uploadTicket struct {
	ID        crier.ID            `json:"i"`
	TeamID    crier.ID            `json:"t"`
	Kind      store.PrincipalKind `json:"k"`
	Principal crier.ID            `json:"p"`
	Person    crier.ID            `json:"o"`
	MaxBytes  int64               `json:"m"`
	MimeType  string              `json:"y,omitempty"`
	FileName  string              `json:"n,omitempty"`
	FolderID  *crier.ID           `json:"f,omitempty"`
	AltText   *string             `json:"a,omitempty"`
	Expires   int64               `json:"e"`
}

func (t uploadTicket) principal() access.Principal {
	return access.Principal{Kind: t.Kind, ID: t.Principal, PersonID: t.Person}
}

func (t uploadTicket) expiresAt() crier.Time { return crier.TimeOf(time.Unix(t.Expires, 0)) }

// Create returns a new upload URL.
func (s *UploadAddresses) Create(ctx context.Context, scope access.TeamScope, in crier.UploadAddressCreate) (
	crier.UploadAddress, error) {
	if err := scope.Check(); err != nil {
		return crier.UploadAddress{}, err
	}
	if in.MimeType != "" && !acceptedType(in.MimeType) {
		return crier.UploadAddress{}, crier.Invalid(crier.At("must be one of "+strings.Join(acceptedTypes, ", "),
			"mimeType"))
	}
	p := scope.Caller().Principal()
	t := uploadTicket{ID: crier.NewID(), TeamID: scope.Team().ID, Kind: p.Kind, Principal: p.ID, Person: p.PersonID,
		MaxBytes: in.MaxBytes, MimeType: in.MimeType, FolderID: in.FolderID, AltText: in.AltText,
		Expires: s.clock().Add(uploadAddressLife).Unix()}
	if t.MaxBytes == 0 {
		t.MaxBytes = defaultUploadSize
	}
	if in.FileName != nil {
		t.FileName = string(*in.FileName)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return crier.UploadAddress{}, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	out := crier.UploadAddress{URL: s.baseURL + "/media/uploads/" + encode(data) + "." + encode(s.sign(data)),
		MaxBytes: t.MaxBytes, MimeType: t.MimeType, ExpiresAt: t.expiresAt()}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.UploadAddress, error) {
		return out, checkFolder(ctx, tx, t.TeamID, t.FolderID)
	})
}

var errUploadAddress = crier.Forbidden("This address is not valid: its signature is wrong.")

// open verifies a URL and its expiry.
func (s *UploadAddresses) open(signed string) (t uploadTicket, err error) {
	text, signature, _ := strings.Cut(signed, ".")
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return t, errUploadAddress
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(given, s.sign(data)) || json.Unmarshal(data, &t) != nil {
		return uploadTicket{}, errUploadAddress
	}
	if !t.expiresAt().After(s.clock()) {
		return t, crier.Forbidden("This upload address has expired: it works for %.0f minutes. Ask for a new one.",
			uploadAddressLife.Minutes())
	}
	return t, nil
}

var errUploadAddressUsed = crier.Conflict("This upload address was already used: it accepts one file. Request " +
	"a new one.")

// Receive stores the file that is sent to a URL as an asset. size is -1 if unknown. A rejected file does not use up the
// URL.
func (s *UploadAddresses) Receive(ctx context.Context, signed string, size int64, body io.Reader) (crier.Asset,
	error) {
	t, err := s.open(signed)
	if err != nil {
		return crier.Asset{}, err
	}
	access.AuditPrincipal(ctx, t.principal(), nil)
	scope, err := s.control.TeamOf(ctx, t.principal(), t.TeamID, crier.ManageMedia)
	if err != nil {
		return crier.Asset{}, err
	}
	used, err := s.store.UploadAddressUsed(ctx, t.ID)
	if err != nil {
		return crier.Asset{}, err
	}
	if used {
		return crier.Asset{}, errUploadAddressUsed
	}
	if size > t.MaxBytes {
		return crier.Asset{}, tooManyBytes(t.MaxBytes)
	}
	taken, err := s.assets.storeFile(ctx, &boundedBody{body: body, left: t.MaxBytes, limit: t.MaxBytes}, t.MimeType,
		errorAt("file"))
	if err != nil {
		return crier.Asset{}, err
	}
	taken.FolderID, taken.AltText, taken.FileName = t.FolderID, t.AltText, cleanName(t.FileName)
	return s.assets.insertAsset(ctx, scope, taken, errorAt("file"), func(tx *store.Tx, _ *store.Asset) error {
		return s.use(ctx, tx, t)
	})
}

// use marks the URL as used, if its user still may upload now that the file has arrived.
func (s *UploadAddresses) use(ctx context.Context, tx *store.Tx, t uploadTicket) error {
	may, err := t.principal().MayStill(ctx, tx, t.TeamID, crier.ManageMedia, s.clock.Now())
	if err != nil {
		return err
	}
	if !may {
		return crier.Forbidden("The caller that requested this upload address may no longer upload.")
	}
	first, err := tx.UseUploadAddress(ctx, t.ID, t.expiresAt())
	if err == nil && !first {
		err = errUploadAddressUsed
	}
	return err
}

func tooManyBytes(limit int64) error {
	return crier.Invalid(crier.At("is larger than the address allows: at most "+byteCount(limit), "file"))
}

// boundedBody fails after a maximum number of bytes.
type boundedBody struct {
	body        io.Reader
	left, limit int64
}

// Read reads from the body.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooManyBytes(b.limit)
	}
	return n, err
}
