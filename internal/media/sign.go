package media

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"
)

// The errors of an invalid signature.
var (
	ErrSignature = errors.New("the signature of the media address is wrong")
	ErrExpired   = errors.New("the media address has expired")
)

// expiryBytes is the length of the expiry in a signature.
const expiryBytes = 8

// Sign returns a signature that makes the URL of a file usable without a token until it expires, to the second. It
// covers asset, variant and expiry, and has only characters that need no escaping in a URL.
func Sign(key []byte, assetID, variant string, expires time.Time) string {
	stamp := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix())) //nolint:gosec // decoded the same way
	return base64.RawURLEncoding.EncodeToString(append(stamp, signature(key, assetID, variant, stamp)...))
}

// Verify checks a signature of Sign: it returns ErrSignature if it was not created with this key for this file,
// ErrExpired if it was but has expired.
func Verify(key []byte, assetID, variant, signed string, now time.Time) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(signed)
	if err != nil || len(raw) != expiryBytes+sha256.Size {
		return ErrSignature
	}
	stamp, given := raw[:expiryBytes], raw[expiryBytes:]
	if !hmac.Equal(given, signature(key, assetID, variant, stamp)) {
		return ErrSignature
	}
	if now.Unix() >= int64(binary.BigEndian.Uint64(stamp)) { //nolint:gosec // encoded the same way
		return ErrExpired
	}
	return nil
}

// signature covers every part with its length, so that no two files share a signature.
func signature(key []byte, assetID, variant string, stamp []byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range [][]byte{[]byte("crier media address 1"), []byte(assetID), []byte(variant), stamp} {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write(part)
	}
	return mac.Sum(nil)
}
