package backup

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier"
	"crier/internal/media"
	"crier/internal/store"
)

// file is an entry of an archive.
type file struct{ name, text string }

// pack writes an archive unchecked, even one that crier would not write.
func pack(t *testing.T, files ...file) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.tar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(f)
	for _, e := range files {
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.text)),
			Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// unpacked returns the entries of an archive.
func unpacked(t *testing.T, path string) (m Manifest, files []file) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	archive := tar.NewReader(f)
	for {
		header, err := archive.Next()
		if err != nil {
			break
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{header.Name, string(data)})
	}
	if err := json.Unmarshal([]byte(files[0].text), &m); err != nil {
		t.Fatal(err)
	}
	return m, files
}

func (m Manifest) entry(t *testing.T) file {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return file{manifestName, string(data)}
}

func TestInvalidBackupIsRejectedBeforeWriting(t *testing.T) {
	t.Parallel()
	good := Manifest{Format: format, KeyFingerprint: fingerprint(t, secret),
		Database:  store.Dump{Dialect: store.SQLite, Files: []store.DumpFile{{Name: "crier.db"}}},
		Checksums: map[string]string{"crier.db": sumOf("x")}}
	with := func(change func(*Manifest)) []file {
		m := good
		change(&m)
		return []file{m.entry(t), {databaseFolder + "crier.db", "x"}}
	}
	names := func(name string) []file {
		return with(func(m *Manifest) {
			m.Database.Files = []store.DumpFile{{Name: name}}
			m.Checksums = map[string]string{name: sumOf("x")}
		})
	}
	for name, c := range map[string]struct {
		files   []file
		wantErr string
	}{
		"an archive without entries":   {nil, "not a backup"},
		"another archive":              {[]file{{"README.md", "hello"}}, "not a backup"},
		"a manifest that is not first": {[]file{{"media/x", ""}, good.entry(t)}, "not a backup"},
		"a manifest that is no JSON":   {[]file{{manifestName, "hello"}}, "read the manifest"},
		"an empty manifest":            {[]file{{manifestName, ""}}, "read the manifest"},
		"a later format":               {with(func(m *Manifest) { m.Format = format + 1 }), "has format 2"},
		"no format":                    {with(func(m *Manifest) { m.Format = 0 }), "has format 0"},
		"a file outside of the folder": {names("../crier.db"), "invalid entry"},
		"a file of another system":     {names(`..\crier.db`), "invalid entry"},
		"a file without a name":        {names(""), "invalid entry"},
		"a file without a checksum":    {with(func(m *Manifest) { m.Checksums = nil }), "invalid entry"},
		"sealed with another key":      {with(func(m *Manifest) { m.KeyFingerprint = "f" }), "another secret key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := place(t, store.SQLite)
			_, err := Restore(t.Context(), pack(t, c.files...), target)
			if err == nil || !strings.Contains(err.Error(), c.wantErr) {
				t.Errorf("the error is %v, want one about %q", err, c.wantErr)
			}
			if _, err := os.Stat(target.DataDir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the data directory was made: %v", err)
			}
		})
	}
}

func TestManifestSizeIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backup.tar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: manifestName, Size: maxManifest + 1}
	if err := errors.Join(tar.NewWriter(f).WriteHeader(header), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), path, place(t, store.SQLite)); err == nil ||
		!strings.Contains(err.Error(), "not a backup") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Restore(t.Context(), path+".gone", place(t, store.SQLite)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Whatever is wrong with an archive, nothing may remain that a server could serve from.
func TestArchiveContradictingItsManifestIsNotRestored(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.SQLite))
	id := i.picture(t, "the original")
	s := i.source()
	s.WithMedia = true
	path, _ := write(t, s)
	manifest, files := unpacked(t, path)
	if len(files) != 3 {
		t.Fatalf("the archive has %d entries", len(files))
	}
	database, picture := files[1], files[2]
	flipped := []byte(database.text)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		files   []file
		wantErr string
	}{
		"a byte of the database": {[]file{{database.name, string(flipped)}, picture}, "checksum"},
		"half of the database":   {[]file{{database.name, database.text[:len(database.text)/2]}, picture}, "checksum"},
		"no database":            {[]file{picture}, "crier.db is missing"},
		"the database twice":     {[]file{database, database, picture}, "not in the manifest"},
		"a byte of the picture":  {[]file{database, {picture.name, "The original"}}, "checksum"},
		"a longer picture":       {[]file{database, {picture.name, "the original and more"}}, "declared"},
		"a shorter picture":      {[]file{database, {picture.name, "the orig"}}, "checksum"},
		"a file of nobody": {[]file{database, {mediaFolder + string(crier.NewID()) + ".original", ""}},
			"manifest"},
		"a file beside the library": {[]file{database, {string(id) + ".original", "the original"}},
			"not in the manifest"},
		"another file of the database": {[]file{database, {databaseFolder + "crier.db-wal", "x"}},
			"not in the manifest"},
		"a way out": {[]file{database, {databaseFolder + "../secret.key", "x"}}, "not in the manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := place(t, store.SQLite)
			_, err := Restore(t.Context(), pack(t, append([]file{manifest.entry(t)}, c.files...)...), target)
			if err == nil || !strings.Contains(err.Error(), c.wantErr) {
				t.Errorf("the error is %v, want one about %q", err, c.wantErr)
			}
			untouched(t, target)
			if got := textOf(t, target.Blobs, id, media.VariantOriginal); got != "" && got != "the original" {
				t.Errorf("the library has a damaged file: %q", got)
			}
		})
	}
}

func TestTruncatedBackupIsNotRestored(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.SQLite))
	i.picture(t, strings.Repeat("p", 2000))
	s := i.source()
	s.WithMedia = true
	path, _ := write(t, s)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// In the manifest, in the header of the database, in the database, in the header of the picture, in the picture.
	// The two empty blocks at the end of the archive carry nothing.
	end := len(whole) - 1024
	for _, length := range []int{0, 100, 600, 1500, len(whole) / 2, end - 2048 - 100, end - 2048 + 1, end - 100} {
		target := place(t, store.SQLite)
		cut := filepath.Join(t.TempDir(), "cut.tar")
		if err := os.WriteFile(cut, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(t.Context(), cut, target); err == nil {
			t.Errorf("the first %d of %d bytes were restored", length, len(whole))
		}
		untouched(t, target)
	}
}

func TestRestoreNeedsAnEmptyTargetOfTheSameKind(t *testing.T) {
	t.Parallel()
	of := func(dialect store.Dialect) Manifest { return Manifest{Database: store.Dump{Dialect: dialect}} }
	used := databases.Fresh(t, store.SQLite).DataDir
	for name, c := range map[string]struct {
		backup  Manifest
		target  Target
		wantErr string
	}{
		"SQLite into nothing":         {of(store.SQLite), Target{DataDir: t.TempDir()}, ""},
		"SQLite over a database":      {of(store.SQLite), Target{DataDir: used}, "there is a database"},
		"SQLite into PostgreSQL":      {of(store.SQLite), Target{DataDir: used, DatabaseURL: "postgres://x"}, "leave"},
		"PostgreSQL into SQLite":      {of(store.Postgres), Target{DataDir: t.TempDir()}, "set CRIER_DATABASE_URL"},
		"PostgreSQL beside an unused": {of(store.Postgres), Target{DataDir: used, DatabaseURL: "postgres://x"}, ""},
	} {
		err := c.target.checkPlace(c.backup)
		if (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.wantErr)
		}
	}
}

func TestDatabaseInUseIsNotOverwritten_postgres(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.Postgres))
	path, _ := write(t, i.source())
	db := databases.Fresh(t, store.Postgres)
	there := newInstance(t, db)
	target := place(t, store.Postgres)
	target.DatabaseURL = db.URL
	if _, err := Restore(t.Context(), path, target); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("the error is %v", err)
	}
	if n := there.Scan(`SELECT count(*) FROM organizations WHERE id = $1`, there.Organization.ID); n != 1 {
		t.Errorf("the rows that were there are %d", n)
	}
}

func TestRestoreNeedsTheMatchingKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fingerprint, has string
		sealed           string
		wantErr          string
		noPassphrase     bool
	}{
		"the same key":                     {fingerprint(t, secret), secret, "", "", false},
		"the key before is kept":           {fingerprint(t, otherSecret), secret + "," + otherSecret, "", "", false},
		"another key":                      {fingerprint(t, otherSecret), secret, "", "another secret key", false},
		"a backup that was never unsealed": {"", otherSecret, "", "", false},
		"a key that is none":               {fingerprint(t, secret), "too-short-a-key", "", "too short", false},
		"no key anywhere":                  {fingerprint(t, secret), "", "", "set CRIER_SECRET_KEY", false},
		"a sealed key of a later version":  {fingerprint(t, secret), "", `{"scheme":"later"}`, "does not know", false},
		"the present key goes first":       {fingerprint(t, secret), secret, `{"scheme":"later"}`, "", false},
		"a sealed key without a passphrase": {fingerprint: fingerprint(t, secret), sealed: `{}`, noPassphrase: true,
			wantErr: "give --passphrase-file or set CRIER_BACKUP_PASSPHRASE"},
	} {
		m := Manifest{KeyFingerprint: c.fingerprint}
		if c.sealed != "" {
			m.SealedKey = json.RawMessage(c.sealed)
		}
		target := Target{Secret: c.has, Passphrase: "correct horse battery"}
		if c.noPassphrase {
			target.Passphrase = ""
		}
		got, err := target.secret(m)
		switch {
		case c.wantErr == "" && (err != nil || got != c.has):
			t.Errorf("%s: the key is %q, %v", name, got, err)
		case c.wantErr != "" && (err == nil || !strings.Contains(err.Error(), c.wantErr)):
			t.Errorf("%s: the error is %v, want one about %q", name, err, c.wantErr)
		}
		if err != nil && c.has != "" && strings.Contains(err.Error(), c.has) {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}

// A key that cannot be stored would leave a database that nobody can open.
func TestKeyIsWrittenBeforeTheDatabase(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.SQLite))
	s := i.source()
	s.Passphrase = "correct horse battery"
	path, report := write(t, s)
	if !report.WithKey {
		t.Error("the report does not tell of the key")
	}
	target := place(t, store.SQLite)
	target.Secret, target.Passphrase = "", s.Passphrase
	target.KeepSecret = func(got string) error {
		if there, err := store.Exists(store.Config{DataDir: target.DataDir}); there || err != nil || got != secret {
			t.Errorf("the key %q is kept when there is a database: %v, %v", got, there, err)
		}
		return errors.New("the disk is full")
	}
	if _, err := Restore(t.Context(), path, target); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("the error is %v", err)
	}
	untouched(t, target)
}

func TestBackupOfALaterVersionIsRejected(t *testing.T) {
	t.Parallel()
	i := newInstance(t, databases.Fresh(t, store.SQLite))
	path, _ := write(t, i.source())
	m, files := unpacked(t, path)
	m.Database.Schema += 1000
	target := place(t, store.SQLite)
	_, err := Restore(t.Context(), pack(t, m.entry(t), files[1]), target)
	if err == nil || !strings.Contains(err.Error(), "newer version of crier") {
		t.Errorf("the error is %v", err)
	}
	untouched(t, target)
}
