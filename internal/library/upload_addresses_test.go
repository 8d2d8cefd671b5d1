package library

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"crier"
	"crier/internal/access/accesstest"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/store"
)

// address creates an upload URL and returns the part after its path.
func (s *fixture) address(t *testing.T, in crier.UploadAddressCreate) string {
	t.Helper()
	a, err := s.UploadAddresses.Create(t.Context(), s.scope, in)
	if err != nil {
		t.Fatal(err)
	}
	signed, ok := strings.CutPrefix(a.URL, "https://crier.example/media/uploads/")
	if !ok {
		t.Fatalf("the address is %s", a.URL)
	}
	return signed
}

// files returns the number of files.
func (s *fixture) files(t *testing.T) (n int) {
	t.Helper()
	for _, err := range s.blobs.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestUploadMustMatchItsURL(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		folder, err := s.Folders.Create(t.Context(), s.scope, crier.FolderCreate{Name: "Birds"})
		if err != nil {
			t.Fatal(err)
		}
		name, alt := crier.FileName("owl.png"), "an owl"
		file := mediatest.PNG(8, 8)
		full := s.address(t, crier.UploadAddressCreate{FileName: &name, AltText: &alt, FolderID: &folder.ID,
			MimeType: media.TypePNG, MaxBytes: int64(len(file))})
		a, err := s.UploadAddresses.Receive(t.Context(), full, -1, iotest.OneByteReader(bytes.NewReader(file)))
		if err != nil || a.FileName != "owl.png" || *a.AltText != alt || *a.FolderID != folder.ID ||
			a.Status != crier.AssetReady || a.ByteSize != int64(len(file)) {
			t.Errorf("made %+v, %v", a, err)
		}
		bare, err := s.UploadAddresses.Create(t.Context(), s.scope, crier.UploadAddressCreate{})
		if err != nil || bare.MaxBytes != defaultUploadSize || bare.MimeType != "" ||
			!bare.ExpiresAt.Equal(s.time.Add(uploadAddressLife)) {
			t.Errorf("an address without wishes is %+v, %v", bare, err)
		}
		b, err := s.UploadAddresses.Receive(t.Context(), s.address(t, crier.UploadAddressCreate{}), int64(len(file)),
			bytes.NewReader(file))
		if err != nil || b.FileName != "image.png" || b.AltText != nil || b.FolderID != nil {
			t.Errorf("made %+v, %v", b, err)
		}
	})
}

func TestInvalidUploadURLRequestsAreRejected(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		_, err := s.UploadAddresses.Create(t.Context(), s.scope, crier.UploadAddressCreate{MimeType: "text/html"})
		wantKind(t, err, crier.KindInvalid)
		unknown := crier.NewID()
		_, err = s.UploadAddresses.Create(t.Context(), s.scope, crier.UploadAddressCreate{FolderID: &unknown})
		wantKind(t, err, crier.KindInvalid)
	})
}

// A rejected file leaves the URL usable, and no file behind.
func TestRejectedFileLeavesItsURLUsable(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		file := mediatest.PNG(8, 8)
		size := int64(len(file))
		signed := s.address(t, crier.UploadAddressCreate{MimeType: media.TypePNG, MaxBytes: size})
		broken := errors.New("the connection was lost")
		for name, c := range map[string]struct {
			size int64
			body io.Reader
			kind crier.Kind
		}{
			"it says that it is larger": {size + 1, bytes.NewReader(file), crier.KindInvalid},
			"it is larger":              {-1, bytes.NewReader(append(bytes.Clone(file), 0)), crier.KindInvalid},
			"it is larger than it says": {size, iotest.OneByteReader(bytes.NewReader(append(bytes.Clone(file), 0))),
				crier.KindInvalid},
			"another type":  {-1, bytes.NewReader(mediatest.GIF(1, 1, 1)), crier.KindInvalid},
			"no media":      {-1, strings.NewReader("<html>"), crier.KindInvalid},
			"nothing":       {0, strings.NewReader(""), crier.KindInvalid},
			"it breaks off": {-1, io.MultiReader(bytes.NewReader(file[:20]), iotest.ErrReader(broken)), ""},
		} {
			_, err := s.UploadAddresses.Receive(t.Context(), signed, c.size, c.body)
			if c.kind != "" && !crier.IsKind(err, c.kind) || c.kind == "" && !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
			if n := s.files(t); n != 0 {
				t.Errorf("%s: %d files are left", name, n)
			}
		}
		if _, err := s.UploadAddresses.Receive(t.Context(), signed, size, bytes.NewReader(file)); err != nil {
			t.Errorf("the address is used up: %v", err)
		}
		_, err := s.UploadAddresses.Receive(t.Context(), signed, size, bytes.NewReader(file))
		wantKind(t, err, crier.KindConflict)
	})
}

func TestUploadURLExpiresAndCannotBeForged(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		file := mediatest.PNG(8, 8)
		start, signed, late := s.time, s.address(t, crier.UploadAddressCreate{MaxBytes: 1000}),
			s.address(t, crier.UploadAddressCreate{})
		text, signature, _ := strings.Cut(signed, ".")
		ticket, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		larger := base64.RawURLEncoding.EncodeToString(bytes.Replace(ticket, []byte(`"m":1000`), []byte(`"m":9000`), 1))
		for name, c := range map[string]struct {
			signed string
			after  time.Duration
		}{
			"changed":           {larger + "." + signature, 0},
			"of another":        {text + "." + strings.SplitN(late, ".", 2)[1], 0},
			"without signature": {text, 0},
			"an empty one":      {text + ".", 0},
			"padded":            {signed + "=", 0},
			"nothing":           {"", 0},
			"no base64":         {"%." + signature, 0},
			"too late":          {signed, uploadAddressLife},
		} {
			s.time = start.Add(c.after)
			_, err := s.UploadAddresses.Receive(t.Context(), c.signed, -1, bytes.NewReader(file))
			if !crier.IsKind(err, crier.KindForbidden) {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.time = start.Add(uploadAddressLife - time.Second)
		if _, err := s.UploadAddresses.Receive(t.Context(), late, -1, bytes.NewReader(file)); err != nil {
			t.Errorf("at the last second: %v", err)
		}
	})
}

// leaving is a body whose sender loses the permission to upload while it arrives.
type leaving struct {
	io.Reader
	leave func()
}

func (l *leaving) Read(p []byte) (int, error) {
	if l.leave != nil {
		l.leave()
		l.leave = nil
	}
	return l.Reader.Read(p)
}

func TestUploadOfARemovedMemberIsRejected(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		person := s.f.NewUser("leaver@acme.example")
		membership := s.f.Join(store.UserPrincipal, person.ID, crier.RoleAdmin)
		s.scope = accesstest.SignIn(t, s.f, person).Team(crier.ManageMedia)
		signed := s.address(t, crier.UploadAddressCreate{})
		body := &leaving{Reader: bytes.NewReader(mediatest.PNG(8, 8)), leave: func() {
			s.f.Tx(func(ctx context.Context, tx *store.Tx) error {
				m, err := tx.LockMember(ctx, s.f.Organization.ID, membership)
				if err != nil {
					return err
				}
				return tx.RemoveMember(ctx, s.f.Organization.ID, m, s.f.Now)
			})
		}}
		_, err := s.UploadAddresses.Receive(t.Context(), signed, -1, body)
		wantKind(t, err, crier.KindForbidden)
		if n := s.f.Scan(`SELECT count(*) FROM assets`); n != 0 || s.files(t) != 0 {
			t.Errorf("%d assets and %d files are there", n, s.files(t))
		}
	})
}

func TestSignedURLOpensOnlyItsFileForALimitedTime(t *testing.T) {
	t.Parallel()
	eachFixture(t, 0, func(t *testing.T, s *fixture) {
		ctx := t.Context()
		a, err := s.add(t, "owl.final.png", mediatest.PNG(64, 48), crier.AssetDetails{})
		if err != nil {
			t.Fatal(err)
		}
		_, signature, ok := strings.Cut(*a.ThumbnailURL, "?signature=")
		if !ok || !strings.Contains(*a.ThumbnailURL, string(a.ID)+"/"+media.VariantThumbnail) {
			t.Fatalf("the address is %s", *a.ThumbnailURL)
		}
		f, err := s.Assets.SignedContent(ctx, a.ID, media.VariantThumbnail, signature)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.FileName != "owl.final-thumbnail.jpg" || f.MimeType != media.TypeJPEG || f.Tag == a.SHA256 {
			t.Errorf("the thumbnail is %+v", f)
		}
		start := s.time
		for name, c := range map[string]struct {
			id                 crier.ID
			variant, signature string
			after              time.Duration
			kind               crier.Kind
		}{
			"another variant": {a.ID, media.VariantOriginal, signature, 0, crier.KindForbidden},
			"another file":    {crier.NewID(), media.VariantThumbnail, signature, 0, crier.KindForbidden},
			"no signature":    {a.ID, media.VariantThumbnail, "", 0, crier.KindForbidden},
			"days later":      {a.ID, media.VariantThumbnail, signature, 48 * time.Hour, crier.KindForbidden},
		} {
			s.time = start.Add(c.after)
			_, err := s.Assets.SignedContent(ctx, c.id, c.variant, c.signature)
			if !crier.IsKind(err, c.kind) {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.time = start
		if _, err := s.Assets.Delete(ctx, s.scope, a.ID); err != nil {
			t.Fatal(err)
		}
		_, err = s.Assets.SignedContent(ctx, a.ID, media.VariantThumbnail, signature)
		wantKind(t, err, crier.KindNotFound)
	})
}
