package auth

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"
)

// MinPassphraseLength is the minimum length of a passphrase, in bytes.
const MinPassphraseLength = 12

// The cost of one guess at a passphrase: argon2id with 64 MiB and three passes. It is higher than that of passwords,
// because the holder of the file can guess without limit.
const (
	passphraseTime   = 3
	passphraseMemory = 64 * 1024
)

// sealedSecret is a secret sealed with a passphrase.
type sealedSecret struct {
	Scheme string `json:"scheme"`
	Salt   []byte `json:"salt"`
	Nonce  []byte `json:"nonce"`
	Sealed []byte `json:"sealed"`
}

const passphraseScheme = "argon2id-64MiB-3-xchacha20poly1305" //nolint:gosec // the name of a method

// SealWithPassphrase encrypts a secret with a passphrase.
func SealWithPassphrase(secret []byte, passphrase string) ([]byte, error) {
	if len(passphrase) < MinPassphraseLength {
		return nil, fmt.Errorf("the passphrase must have at least %d characters", MinPassphraseLength)
	}
	s := sealedSecret{Scheme: passphraseScheme, Salt: make([]byte, 16),
		Nonce: make([]byte, chacha20poly1305.NonceSizeX)}
	_, _ = rand.Read(s.Salt) // never fails: crypto/rand ends the program instead
	_, _ = rand.Read(s.Nonce)
	cipher, err := chacha20poly1305.NewX(s.key(passphrase))
	if err != nil {
		return nil, fmt.Errorf("make the cipher: %w", err)
	}
	s.Sealed = cipher.Seal(nil, s.Nonce, secret, []byte(s.Scheme))
	return json.Marshal(s)
}

// OpenWithPassphrase decrypts the result of SealWithPassphrase.
func OpenWithPassphrase(data []byte, passphrase string) ([]byte, error) {
	var s sealedSecret
	if err := json.Unmarshal(data, &s); err != nil || s.Scheme != passphraseScheme ||
		len(s.Nonce) != chacha20poly1305.NonceSizeX {
		return nil, errors.New("the sealed secret has a form that this version does not know")
	}
	cipher, err := chacha20poly1305.NewX(s.key(passphrase))
	if err != nil {
		return nil, fmt.Errorf("make the cipher: %w", err)
	}
	secret, err := cipher.Open(nil, s.Nonce, s.Sealed, []byte(s.Scheme))
	if err != nil {
		return nil, errors.New("the passphrase is wrong, or the sealed secret was changed")
	}
	return secret, nil
}

func (s sealedSecret) key(passphrase string) []byte {
	return argon2.IDKey([]byte(passphrase), s.Salt, passphraseTime, passphraseMemory, 1, chacha20poly1305.KeySize)
}
