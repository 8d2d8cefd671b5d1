package auth

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
	"sync"
)

// commonPasswords holds those of the 10,000 most common passwords that are long enough to be accepted otherwise: the
// first eight bytes of the SHA-256 of each, in lower case, as hex, one per line. Hashed, because most are not fit to be
// read.
//
//go:embed common_passwords.txt
var commonPasswords string

var commonSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.FieldsSeq(commonPasswords) {
		set[line] = true
	}
	return set
})

// IsCommonPassword reports whether a password is among the most common ones, ignoring case.
func IsCommonPassword(password string) bool {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(password))))
	return commonSet()[hex.EncodeToString(sum[:8])]
}
