package media

import (
	"errors"
	"fmt"
	"time"

	"crier"
)

const (
	// addressValid is the minimum validity of a URL.
	addressValid = 24 * time.Hour
	// addressStable is how long a file keeps the same URL, so that caches recognize it.
	addressStable = time.Hour
)

// Addresses creates and verifies signed URLs from which files can be fetched without a token.
type Addresses struct {
	// Key signs the URLs.
	Key []byte
	// OtherKeys are accepted too while the secret key is rotated: a network fetches a file a while after it has got the
	// URL, and from any node.
	OtherKeys [][]byte
	// BaseURL is the public base URL of the installation, without a trailing slash.
	BaseURL string
	Now     func() time.Time
}

// URL returns a signed URL of a file.
func (a *Addresses) URL(key Key) string {
	expires := a.Now().Truncate(addressStable).Add(addressStable + addressValid)
	signature := Sign(a.Key, string(key.ID), key.Variant, expires)
	return fmt.Sprintf("%s/media/%s/%s?signature=%s", a.BaseURL, key.ID, key.Variant, signature)
}

// Thumbnail returns a signed URL of an asset's thumbnail.
func (a *Addresses) Thumbnail(asset crier.ID) string {
	return a.URL(Key{ID: asset, Variant: VariantThumbnail})
}

// Verify checks the signature of a URL: it returns ErrSignature or ErrExpired if it is not valid.
func (a *Addresses) Verify(key Key, signature string) error {
	now := a.Now()
	err := Verify(a.Key, string(key.ID), key.Variant, signature, now)
	for _, other := range a.OtherKeys {
		if !errors.Is(err, ErrSignature) {
			break
		}
		err = Verify(other, string(key.ID), key.Variant, signature, now)
	}
	return err
}
