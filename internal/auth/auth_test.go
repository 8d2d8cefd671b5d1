package auth

import (
	"bytes"
	"strings"
	"testing"
)

const testSecret = "0123456789abcdef0123456789abcdef"

func newRing(t *testing.T, secrets string) *Keyring {
	t.Helper()
	ring, err := NewKeyring(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestSealedRecordsOpenOnlyInTheirPlace(t *testing.T) {
	t.Parallel()
	ring := newRing(t, testSecret)
	sealed, err := ring.Seal([]byte("a refresh token"), "token of account 1")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("refresh")) {
		t.Fatal("the sealed record shows its content")
	}
	if got, err := ring.Open(sealed, "token of account 1"); err != nil || string(got) != "a refresh token" {
		t.Fatalf("open: %q, %v", got, err)
	}
	if _, err := ring.Open(sealed, "token of account 2"); err == nil {
		t.Fatal("a record of one account opened as another's")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := ring.Open(sealed, "token of account 1"); err == nil {
		t.Fatal("a changed record opened")
	}
}

func TestKeysCanBeRotated(t *testing.T) {
	t.Parallel()
	older := newRing(t, testSecret)
	sealed, err := older.Seal([]byte("x"), "c")
	if err != nil {
		t.Fatal(err)
	}
	fresh := NewSecretKey()
	both := newRing(t, fresh+","+testSecret)
	if _, err := both.Open(sealed, "c"); err != nil {
		t.Fatalf("the older key no longer opens: %v", err)
	}
	if !both.Holds(older.Fingerprint()) || both.Fingerprint() == older.Fingerprint() {
		t.Fatal("the ring must hold the old fingerprint and lead with the new one")
	}
	resealed, err := both.Seal([]byte("x"), "c")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := older.Open(resealed, "c"); err == nil {
		t.Fatal("the new record was sealed with the old key")
	}
	if _, err := newRing(t, fresh).Open(resealed, "c"); err != nil {
		t.Fatal(err)
	}
}

func TestShortSecretsAreRefused(t *testing.T) {
	t.Parallel()
	for _, secrets := range []string{"", "short", testSecret + ",short", testSecret + ","} {
		if _, err := NewKeyring(secrets); err == nil {
			t.Errorf("%q was accepted", secrets)
		}
	}
}

func TestSignaturesAreBoundToDataAndPurpose(t *testing.T) {
	t.Parallel()
	ring := newRing(t, testSecret)
	sig := ring.Sign([]byte("data"), "cursor")
	if !ring.Verify([]byte("data"), sig, "cursor") {
		t.Fatal("own signature refused")
	}
	if ring.Verify([]byte("datb"), sig, "cursor") || ring.Verify([]byte("data"), sig, "media") ||
		ring.Verify([]byte("data"), sig[:8], "cursor") {
		t.Fatal("a wrong signature was accepted")
	}
}

func TestKeySecretsCatchTypos(t *testing.T) {
	t.Parallel()
	secret := NewKeySecret()
	if !strings.HasPrefix(secret, KeyPrefix) || !ValidKeySecret(secret) || secret == NewKeySecret() {
		t.Fatalf("bad secret %q", secret)
	}
	typo := []byte(secret)
	typo[20] = 'A' + (typo[20]-'A'+1)%26
	for _, bad := range []string{"", KeyPrefix, secret[:len(secret)-1], secret + "0", string(typo),
		strings.TrimPrefix(secret, "crier_")} {
		if bad != secret && ValidKeySecret(bad) {
			t.Errorf("%q passed the checksum", bad)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	hash := HashPassword("correct horse battery")
	if !CheckPassword("correct horse battery", hash) || CheckPassword("correct horse batterx", hash) {
		t.Fatal("the password check is wrong")
	}
	if hash == HashPassword("correct horse battery") {
		t.Fatal("two hashes of one password are equal: no salt")
	}
	for _, garbage := range []string{"", "$argon2id$", "plain", hash[:40],
		strings.Replace(hash, "argon2id", "argon2i", 1)} {
		if CheckPassword("correct horse battery", garbage) {
			t.Errorf("%q was accepted as a hash", garbage)
		}
	}
}

func FuzzValidKeySecret(f *testing.F) {
	f.Add("crier_")
	f.Add(NewKeySecret())
	f.Fuzz(func(t *testing.T, s string) {
		if ValidKeySecret(s) && len(s) != len(KeyPrefix)+bodyLength+checksumLength {
			t.Errorf("%q has the wrong length and passed", s)
		}
	})
}
