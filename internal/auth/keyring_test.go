package auth

import (
	"bytes"
	"strings"
	"testing"
)

// Data sealed and signed by one version is opened by the next: the derivation must not change.
func TestKeysFollowFromTheSecretAlone(t *testing.T) {
	t.Parallel()
	ring, again := newRing(t, testSecret), newRing(t, "  "+testSecret+"\n")
	if ring.Fingerprint() != again.Fingerprint() || len(ring.Fingerprint()) != 32 {
		t.Errorf("the fingerprints are %s and %s", ring.Fingerprint(), again.Fingerprint())
	}
	sealed, err := ring.Seal([]byte("x"), "c")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := again.Open(sealed, "c"); err != nil || string(data) != "x" {
		t.Errorf("another node opens %q, %v", data, err)
	}
	if twice, err := ring.Seal([]byte("x"), "c"); err != nil || string(twice) == string(sealed) {
		t.Errorf("two seals of one record are equal: whoever reads the database sees which are (%v)", err)
	}
	if strings.Contains(ring.Fingerprint(), testSecret[:8]) {
		t.Error("the fingerprint tells the secret")
	}
}

func TestSecretsAreToldByTheirPlace(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", minSecretLength)
	for secrets, want := range map[string]string{
		"":                        "secret key 1 is too short: at least 32 characters are needed",
		long[1:]:                  "secret key 1 is too short: at least 32 characters are needed",
		long + ", ":               "secret key 2 is too short: at least 32 characters are needed",
		long + ", " + long:        "secret key 2 is the same as secret key 1: remove one of them",
		testSecret + "," + "   x": "secret key 2 is too short: at least 32 characters are needed",
	} {
		if _, err := NewKeyring(secrets); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", secrets, err, want)
		}
	}
	if _, err := NewKeyring(long); err != nil {
		t.Errorf("%d characters are refused: %v", minSecretLength, err)
	}
}

func TestTheSameSecretTwiceIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := NewKeyring(testSecret + "," + testSecret); err == nil {
		t.Error("a ring of one key twice hides that the old one was forgotten")
	}
}

func TestSignaturesAreMadeWithTheFirstKeyAlone(t *testing.T) {
	t.Parallel()
	older, fresh := newRing(t, testSecret), NewSecretKey()
	rotated := newRing(t, fresh+","+testSecret)
	signature := older.Sign([]byte("data"), "cursor")
	if len(signature) != signatureLength || rotated.Verify([]byte("data"), signature, "cursor") {
		t.Error("a signature of the older key is taken: an address that it signed would never end")
	}
	if !rotated.VerifyByAny([]byte("data"), signature, "cursor") || !rotated.VerifyByAny([]byte("data"),
		rotated.Sign([]byte("data"), "cursor"), "cursor") {
		t.Error("a cursor is not taken, whichever key signed it")
	}
	if rotated.VerifyByAny([]byte("datb"), signature, "cursor") || rotated.VerifyByAny([]byte("data"), signature,
		"media") || newRing(t, fresh).VerifyByAny([]byte("data"), signature, "cursor") {
		t.Error("a signature of no key of the ring is taken")
	}
	if !newRing(t, fresh).Verify([]byte("data"), rotated.Sign([]byte("data"), "cursor"), "cursor") {
		t.Error("the first key does not verify what the ring signed")
	}
	if all := rotated.Signatures([]byte("data"), "cursor"); len(all) != 2 || !bytes.Equal(all[1], signature) ||
		!bytes.Equal(all[0], rotated.Sign([]byte("data"), "cursor")) {
		t.Errorf("the signatures of all keys are %x", all)
	}
	// The border between purpose and data is signed, too.
	if older.Verify([]byte("b:data"), older.Sign([]byte("data"), "a:b"), "a") ||
		older.Verify([]byte("data"), nil, "cursor") || older.Verify(nil, signature, "cursor") {
		t.Error("a signature fits another purpose")
	}
}

func TestOpenRefusesWhatWasNeverSealed(t *testing.T) {
	t.Parallel()
	ring := newRing(t, testSecret)
	sealed, err := ring.Seal(nil, "c")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := ring.Open(sealed, "c"); err != nil || len(data) != 0 {
		t.Errorf("an empty record opens as %q, %v", data, err)
	}
	const want = "open a sealed record: it was changed, or sealed with a key that is not in the ring"
	for name, garbage := range map[string][]byte{"nothing": nil, "a byte": {1}, "half a record": sealed[:len(sealed)/2],
		"a record and a byte": append(append([]byte{}, sealed...), 0), "zeros": make([]byte, 64)} {
		if _, err := ring.Open(garbage, "c"); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := newRing(t, NewSecretKey()).Open(sealed, "c"); err == nil || err.Error() != want {
		t.Errorf("with another installation's key: %v", err)
	}
}

func TestNewSecretKeysAreGoodEnough(t *testing.T) {
	t.Parallel()
	one, two := NewSecretKey(), NewSecretKey()
	if one == two || len(one) != 43 || strings.ContainsAny(one, ",= \n") {
		t.Errorf("%q and %q are no secrets for a list that is separated by commas", one, two)
	}
	newRing(t, one)
}

func TestSealedRecordsBeginWithTheMarkOfTheirKey(t *testing.T) {
	t.Parallel()
	older, fresh := newRing(t, testSecret), NewSecretKey()
	rotated := newRing(t, fresh+","+testSecret)
	for _, ring := range []*Keyring{older, rotated} {
		sealed, err := ring.Seal([]byte("x"), "c")
		if err != nil || !bytes.HasPrefix(sealed, ring.Marks()[0]) {
			t.Errorf("%x begins with another mark than %x (%v)", sealed, ring.Marks()[0], err)
		}
	}
	if marks := rotated.Marks(); len(marks) != 2 || len(marks[0]) != 5 || bytes.Equal(marks[0], marks[1]) ||
		!bytes.Equal(marks[1], older.Marks()[0]) {
		t.Errorf("the marks are %x, that of the older key is %x", marks, older.Marks()[0])
	}
}
