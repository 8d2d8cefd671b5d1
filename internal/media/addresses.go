package media

import (
	"fmt"
	"time"

	"crier"
)

const (
	// addressValid is how long an address works at least.
	addressValid = 24 * time.Hour
	// addressStable is how long a file keeps the same address, so that caches recognize it.
	addressStable = time.Hour
)

// Addresses makes the addresses from which files can be fetched without a token, and checks them.
type Addresses struct {
	// Key signs addresses.
	Key []byte
	// BaseURL is where the installation is reached, without a slash at the end.
	BaseURL string
	Now     func() time.Time
}

// URL returns an address of a file.
func (a *Addresses) URL(key Key) string {
	expires := a.Now().Truncate(addressStable).Add(addressStable + addressValid)
	signature := Sign(a.Key, string(key.ID), key.Variant, expires)
	return fmt.Sprintf("%s/media/%s/%s?signature=%s", a.BaseURL, key.ID, key.Variant, signature)
}

// Thumbnail returns an address of an asset's thumbnail.
func (a *Addresses) Thumbnail(asset crier.ID) string {
	return a.URL(Key{ID: asset, Variant: VariantThumbnail})
}

// Verify checks the signature of an address: ErrSignature or ErrExpired if it is not valid.
func (a *Addresses) Verify(key Key, signature string) error {
	return Verify(a.Key, string(key.ID), key.Variant, signature, a.Now())
}
