package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash/crc32"
	"math/big"
	"strings"
)

// KeyPrefix begins every secret of an API key, so that scanners find leaked ones.
const KeyPrefix = "crier_"

const (
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	bodyLength     = 43 // 32 bytes in base 62
	checksumLength = 6  // a CRC-32 in base 62
)

// NewKeySecret makes the secret of an API key: prefix, 32 random bytes in base 62, checksum.
func NewKeySecret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	body := encode62(new(big.Int).SetBytes(raw), bodyLength)
	return KeyPrefix + body + checksum(body)
}

// ValidKeySecret tells a well-formed secret from a typo, without a look into the store.
func ValidKeySecret(secret string) bool {
	rest, found := strings.CutPrefix(secret, KeyPrefix)
	if !found || len(rest) != bodyLength+checksumLength {
		return false
	}
	return checksum(rest[:bodyLength]) == rest[bodyLength:]
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	return encode62(new(big.Int).SetUint64(uint64(sum)), checksumLength)
}

func encode62(n *big.Int, length int) string {
	out := make([]byte, length)
	base, digit := big.NewInt(62), new(big.Int)
	for i := length - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = base62[digit.Int64()]
	}
	return string(out)
}

// LastFour returns what may be shown of a secret.
func LastFour(secret string) string { return secret[len(secret)-4:] }

// Hash returns what a secret is looked up by. The secrets have 256 random bits, so a plain hash cannot be reversed, and
// an index look-up by it tells a timing observer nothing that helps to guess one.
func Hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// NewLinkToken makes the secret part of a one-time link.
func NewLinkToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// The prefixes of the tokens that a device login gives.
const (
	AccessPrefix  = "crierat_"
	RefreshPrefix = "crierrt_"
)

// NewBearerToken makes an access or refresh token.
func NewBearerToken(prefix string) string { return prefix + NewLinkToken() }

// userCodeLetters leave out what people mistake for each other, and vowels, so that no words appear.
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// NewUserCode makes the code that a person types to approve a device, such as BDWP-HQXT.
func NewUserCode() string {
	code := make([]byte, 0, 9)
	for i := range 8 {
		if i == 4 {
			code = append(code, '-')
		}
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userCodeLetters))))
		if err != nil {
			panic(err) // crypto/rand ends the program instead
		}
		code = append(code, userCodeLetters[n.Int64()])
	}
	return string(code)
}
