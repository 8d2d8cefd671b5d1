package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/argon2"
)

// Limits of passwords, in characters of the input.
const (
	MinPasswordLength = 10
	MaxPasswordLength = 200
)

// The cost of one guess: argon2id with 19 MiB and two passes.
const (
	argonTime    = 2
	argonMemory  = 19 * 1024
	argonThreads = 1
	argonKeyLen  = 32
)

// HashPassword returns the encoded argon2id hash of a password, including salt and cost.
func HashPassword(password string) string { return hashPassword(password, argonMemory) }

func hashPassword(password string, memory uint32) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	key := argon2.IDKey([]byte(password), salt, argonTime, memory, argonThreads, argonKeyLen)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, argonTime, argonThreads,
		enc.EncodeToString(salt), enc.EncodeToString(key))
}

// CheckPassword reports, in constant time, whether a password matches a hash of HashPassword.
func CheckPassword(password, encoded string) bool {
	var version, memory, passes uint32
	var threads uint8
	var saltText, keyText string
	n, err := fmt.Sscanf(replaceDollars(encoded), " argon2id v=%d m=%d,t=%d,p=%d %s %s", &version, &memory, &passes,
		&threads, &saltText, &keyText)
	if err != nil || n != 6 || version != argon2.Version || passes == 0 || threads == 0 { // argon2 panics otherwise
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(saltText)
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(keyText)
	if err != nil || len(want) == 0 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, threads, uint32(len(want))) //nolint:gosec // a hash's length fits
	return subtle.ConstantTimeCompare(got, want) == 1
}

// replaceDollars prepares the encoded form for Sscanf, which reads words.
func replaceDollars(encoded string) string {
	out := []byte(encoded)
	for i, c := range out {
		if c == '$' {
			out[i] = ' '
		}
	}
	return string(out)
}
