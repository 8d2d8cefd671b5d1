package auth

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"
)

func TestEncode62FillsItsLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n      string
		length int
		want   string
	}{
		{"0", 6, "000000"}, {"1", 1, "1"}, {"61", 2, "0z"}, {"62", 2, "10"}, {"3843", 2, "zz"},
		{"4294967295", checksumLength, "4gfFC3"}, // the largest CRC-32
	} {
		n, _ := new(big.Int).SetString(c.n, 10)
		if got := encode62(n, c.length); got != c.want {
			t.Errorf("%s in %d digits is %s, want %s", c.n, c.length, got, c.want)
		}
	}
	largest := new(big.Int).SetBytes(bytes.Repeat([]byte{0xff}, 32))
	if n := new(big.Int).Exp(big.NewInt(62), big.NewInt(bodyLength), nil); n.Cmp(largest) <= 0 {
		t.Errorf("%d digits do not hold 32 bytes: keys would share their secrets' beginnings", bodyLength)
	}
}

// Issued keys must stay valid: their form must not change.
func TestKeySecretsHaveTheFormOfThoseInUse(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("0", bodyLength)
	if secret := KeyPrefix + body + checksum(body); !ValidKeySecret(secret) ||
		secret != "crier_0000000000000000000000000000000000000000000"+checksum(body) {
		t.Errorf("a secret of zeros is %s", secret)
	}
	form := regexp.MustCompile(`^crier_[0-9A-Za-z]{49}$`)
	seen := map[string]bool{}
	for range 200 {
		secret := NewKeySecret()
		if !form.MatchString(secret) || !ValidKeySecret(secret) || seen[secret] {
			t.Fatalf("%q is no new secret", secret)
		}
		seen[secret] = true
	}
}

// Every mistyped character and every swap of two adjacent ones must be distinguished from a revoked key.
func TestKeySecretsCatchEveryTypoOfOneCharacter(t *testing.T) {
	t.Parallel()
	secret := NewKeySecret()
	for i := len(KeyPrefix); i < len(secret); i++ {
		for _, c := range []byte("0aZ-") {
			if typo := secret[:i] + string(c) + secret[i+1:]; typo != secret && ValidKeySecret(typo) {
				t.Errorf("%q passed for %q", typo, secret)
			}
		}
		if i+1 < len(secret) && secret[i] != secret[i+1] {
			if swapped := secret[:i] + secret[i+1:i+2] + secret[i:i+1] + secret[i+2:]; ValidKeySecret(swapped) {
				t.Errorf("%q passed for %q", swapped, secret)
			}
		}
	}
	for _, other := range []string{strings.ToUpper(secret), " " + secret, secret + "\n", "crier_" + secret,
		strings.Replace(secret, "crier_", "crierat_", 1)} {
		if ValidKeySecret(other) {
			t.Errorf("%q passed", other)
		}
	}
}

func TestLastFourShowsTheEndAlone(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]string{"crier_abcdefgh": "efgh", "1234": "1234"} {
		if got := LastFour(secret); got != want {
			t.Errorf("of %q is shown %q, want %q", secret, got, want)
		}
	}
}

// Databases hold hashes of secrets in use.
func TestHashIsSHA256(t *testing.T) {
	t.Parallel()
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := hex.EncodeToString(Hash("abc")); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
	if len(Hash("")) != 32 || bytes.Equal(Hash("a"), Hash("a ")) {
		t.Error("hashes of different secrets are equal")
	}
}

func TestLinkAndBearerTokensCarry256Bits(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		for _, prefix := range []string{AccessPrefix, RefreshPrefix, ""} {
			token := NewBearerToken(prefix)
			rest, ok := strings.CutPrefix(token, prefix)
			raw, err := base64.RawURLEncoding.DecodeString(rest)
			if !ok || err != nil || len(raw) != 32 || seen[token] || ValidKeySecret(token) {
				t.Fatalf("%q is no new token of %q: %d bytes, %v", token, prefix, len(raw), err)
			}
			seen[token] = true
		}
	}
}

func TestUserCodesCanBeReadAloud(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`)
	letters, codes := map[rune]bool{}, map[string]bool{}
	for range 1000 {
		code := NewUserCode()
		if !form.MatchString(code) {
			t.Fatalf("%q is no code", code)
		}
		codes[code] = true
		for _, r := range code {
			letters[r] = true
		}
	}
	if len(codes) < 999 || len(letters) != len(userCodeLetters)+1 {
		t.Errorf("1000 codes are %d different ones of %d letters", len(codes), len(letters)-1)
	}
}

func TestCheckPasswordRefusesHashesOfAnotherForm(t *testing.T) {
	t.Parallel()
	salt, key := base64.RawStdEncoding.EncodeToString([]byte("saltsaltsaltsalt")), strings.Repeat("A", 43)
	for name, encoded := range map[string]string{
		"nothing":               "",
		"another method":        "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"another version":       "$argon2id$v=16$m=64,t=1,p=1$" + salt + "$" + key,
		"no passes":             "$argon2id$v=19$m=64,t=0,p=1$" + salt + "$" + key,
		"no threads":            "$argon2id$v=19$m=64,t=1,p=0$" + salt + "$" + key,
		"more threads than fit": "$argon2id$v=19$m=64,t=1,p=256$" + salt + "$" + key,
		"a negative cost":       "$argon2id$v=19$m=-64,t=1,p=1$" + salt + "$" + key,
		"no salt":               "$argon2id$v=19$m=64,t=1,p=1$$" + key,
		"a salt that is none":   "$argon2id$v=19$m=64,t=1,p=1$####$" + key,
		"no key":                "$argon2id$v=19$m=64,t=1,p=1$" + salt + "$",
		"a key that is none":    "$argon2id$v=19$m=64,t=1,p=1$" + salt + "$####",
		"half a hash":           "$argon2id$v=19$m=64,t=1",
		"another order":         "$argon2id$m=64,t=1,p=1$v=19$" + salt + "$" + key,
	} {
		if CheckPassword("", encoded) || CheckPassword("correct horse battery", encoded) {
			t.Errorf("%s: %q was taken for the hash of a password", name, encoded)
		}
	}
}

// A hash from before a change of the cost still works: the cost is in the hash.
func TestCheckPasswordTakesTheCostFromTheHash(t *testing.T) {
	t.Parallel()
	const cost = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
	for _, password := range []string{"correct horse battery", "", "pässwörd 🐎"} {
		key := argon2.IDKey([]byte(password), []byte("saltsaltsaltsalt"), 1, 64, 1, argonKeyLen)
		hash := cost + base64.RawStdEncoding.EncodeToString(key)
		if !CheckPassword(password, hash) || CheckPassword(password+" ", hash) {
			t.Errorf("%q does not open its hash alone", password)
		}
	}
	if hash := HashPassword("x"); !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the cost of a new hash is %s", hash)
	}
}
