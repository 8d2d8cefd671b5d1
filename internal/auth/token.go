package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash/crc32"
	"math/big"
	"strings"
)

// KeyPrefix is the prefix of API key secrets, so that scanners find leaked ones.
const KeyPrefix = "crier_"

const (
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	bodyLength     = 43 // 32 bytes in base 62
	checksumLength = 6  // a CRC-32 in base 62
)

// NewKeySecret generates the secret of an API key: prefix, 32 random bytes in base 62, checksum.
func NewKeySecret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	body := encode62(new(big.Int).SetBytes(raw), bodyLength)
	return KeyPrefix + body + checksum(body)
}

// ValidKeySecret reports whether a secret is well-formed, without reading the store.
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

// LastFour returns the part of a secret that may be shown.
func LastFour(secret string) string { return secret[len(secret)-4:] }

// Hash returns the hash by which a secret is looked up. The secrets have 256 random bits, so a plain hash cannot be
// reversed, and the timing of an index look-up by it does not help to guess one.
func Hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// NewLinkToken generates the secret part of a one-time link.
func NewLinkToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// The prefixes of the tokens of a device login.
const (
	AccessPrefix  = "crierat_"
	RefreshPrefix = "crierrt_"
)

// NewBearerToken generates an access or refresh token.
func NewBearerToken(prefix string) string { return prefix + NewLinkToken() }

// userCodeLetters omits letters that people confuse, and vowels, so that no words appear.
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// NewUserCode generates the code that a person types to approve a device, such as BDWP-HQXT.
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
