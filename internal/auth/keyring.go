package auth

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// minSecretLength is the minimum length of an instance secret, in bytes.
const minSecretLength = 32

// NewSecretKey generates a secret for an instance.
func NewSecretKey() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Keyring holds the keys derived from the instance's secret. It is safe for concurrent use.
type Keyring struct {
	seal         tink.AEAD
	signing      [][]byte
	fingerprints []string
	marks        [][]byte
}

// NewKeyring derives the keys. secrets is one secret, or several separated by commas during key rotation: the first
// seals, all open. Only the first signs.
func NewKeyring(secrets string) (*Keyring, error) {
	ring := &Keyring{}
	manager := keyset.NewManager()
	var primary uint32
	list := strings.Split(secrets, ",")
	for i, secret := range list {
		secret = strings.TrimSpace(secret)
		list[i] = secret
		if first := slices.Index(list, secret); first < i {
			return nil, fmt.Errorf("secret key %d is the same as secret key %d: remove one of them", i+1, first+1)
		}
		if len(secret) < minSecretLength {
			return nil, fmt.Errorf("secret key %d is too short: at least %d characters are needed", i+1,
				minSecretLength)
		}
		id, mark, err := addSealKey(manager, secret)
		if err != nil {
			return nil, err
		}
		ring.marks = append(ring.marks, mark)
		if i == 0 {
			primary = id
		}
		signing, err := derive(secret, "sign", 32)
		if err != nil {
			return nil, err
		}
		ring.signing = append(ring.signing, signing)
		fingerprint, err := derive(secret, "fingerprint", 16)
		if err != nil {
			return nil, err
		}
		ring.fingerprints = append(ring.fingerprints, hex.EncodeToString(fingerprint))
	}
	if err := manager.SetPrimary(primary); err != nil {
		return nil, fmt.Errorf("choose the sealing key: %w", err)
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, fmt.Errorf("build the keyset: %w", err)
	}
	if ring.seal, err = aead.New(handle); err != nil {
		return nil, fmt.Errorf("build the sealing primitive: %w", err)
	}
	return ring, nil
}

// addSealKey adds the sealing key of one secret. Its id is derived too, so that every node writes the same id into
// sealed records, at their beginning: that is the mark.
func addSealKey(manager *keyset.Manager, secret string) (id uint32, mark []byte, err error) {
	raw, err := derive(secret, "seal", 32)
	if err != nil {
		return 0, nil, err
	}
	idBytes, err := derive(secret, "seal id", 4)
	if err != nil {
		return 0, nil, err
	}
	id = max(1, binary.BigEndian.Uint32(idBytes))
	params, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantTink)
	if err != nil {
		return 0, nil, fmt.Errorf("choose the cipher: %w", err)
	}
	key, err := xchacha20poly1305.NewKey(secretdata.NewBytesFromData(raw, insecuresecretdataaccess.Token{}), id, params)
	if err != nil {
		return 0, nil, fmt.Errorf("make the sealing key: %w", err)
	}
	if _, err := manager.AddKey(key); err != nil {
		return 0, nil, fmt.Errorf("add the sealing key: %w", err)
	}
	return id, key.OutputPrefix(), nil
}

func derive(secret, purpose string, length int) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), []byte("crier instance secret"), purpose, length)
	if err != nil {
		return nil, fmt.Errorf("derive the %s key: %w", purpose, err)
	}
	return key, nil
}

// Seal encrypts data for a context, such as "idempotency <principal> <key>": a record can only be opened in the context
// it was sealed for.
func (k *Keyring) Seal(data []byte, context string) ([]byte, error) {
	sealed, err := k.seal.Encrypt(data, []byte(context))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts the result of Seal for the same context, with any key of the ring.
func (k *Keyring) Open(sealed []byte, context string) ([]byte, error) {
	data, err := k.seal.Decrypt(sealed, []byte(context))
	if err != nil {
		return nil, errors.New("open a sealed record: it was changed, or sealed with a key that is not in the ring")
	}
	return data, nil
}

// signatureLength is long enough to be unguessable, short enough for URLs.
const signatureLength = 16

// Sign returns a signature of data for a purpose, by the first key.
func (k *Keyring) Sign(data []byte, purpose string) []byte {
	return signature(k.signing[0], data, purpose)
}

func signature(key, data []byte, purpose string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%d:%s:", len(purpose), purpose)
	mac.Write(data)
	return mac.Sum(nil)[:signatureLength]
}

// Verify reports, in constant time, whether the signature is that of Sign.
func (k *Keyring) Verify(data, signature []byte, purpose string) bool {
	return hmac.Equal(signature, k.Sign(data, purpose))
}

// VerifyByAny reports whether the signature is that of any key of the ring. It is for what grants nothing, such as a
// cursor: its readers go on where they were when the key is rotated.
func (k *Keyring) VerifyByAny(data, sum []byte, purpose string) bool {
	return slices.ContainsFunc(k.signing, func(key []byte) bool {
		return hmac.Equal(sum, signature(key, data, purpose))
	})
}

// Signatures returns the signatures of data by all keys of the ring, that of Sign first.
func (k *Keyring) Signatures(data []byte, purpose string) [][]byte {
	sums := make([][]byte, len(k.signing))
	for i, key := range k.signing {
		sums[i] = signature(key, data, purpose)
	}
	return sums
}

// Fingerprint identifies the sealing key without revealing it.
func (k *Keyring) Fingerprint() string { return k.fingerprints[0] }

// Holds reports whether the ring has the key of a fingerprint.
func (k *Keyring) Holds(fingerprint string) bool { return slices.Contains(k.fingerprints, fingerprint) }

// Marks returns what records sealed by each key begin with: the mark of the key that seals, then those of the others.
func (k *Keyring) Marks() [][]byte { return k.marks }
