package media_test

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"crier/internal/media"
)

func TestSignedAddresses(t *testing.T) {
	t.Parallel()
	key, asset := []byte("a key of the instance"), "0197f0b4-7a6e-7c3a-9a53-0d2f6f3f8a11"
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	signed := media.Sign(key, asset, "original", now.Add(time.Hour))
	if url.QueryEscape(signed) != signed || url.PathEscape(signed) != signed {
		t.Errorf("%q needs escaping", signed)
	}
	flipped := []byte(signed)
	flipped[len(flipped)-5] ^= 1
	later := media.Sign(key, asset, "original", now.Add(2*time.Hour))
	cases := map[string]struct {
		key            []byte
		asset, variant string
		signed         string
		now            time.Time
		want           error
	}{
		"valid":                    {key, asset, "original", signed, now, nil},
		"valid in its last second": {key, asset, "original", signed, now.Add(time.Hour - time.Second), nil},
		"expired":                  {key, asset, "original", signed, now.Add(time.Hour), media.ErrExpired},
		"another key":              {[]byte("another"), asset, "original", signed, now, media.ErrSignature},
		"another asset": {key, "0197f0b4-7a6e-7c3a-9a53-0d2f6f3f8a12", "original", signed, now,
			media.ErrSignature},
		"another variant":               {key, asset, "thumbnail", signed, now, media.ErrSignature},
		"the border moved":              {key, asset + "o", "riginal", signed, now, media.ErrSignature},
		"a changed bit":                 {key, asset, "original", string(flipped), now, media.ErrSignature},
		"a later expiry, old signature": {key, asset, "original", later[:11] + signed[11:], now, media.ErrSignature},
		"expired and of another key": {[]byte("another"), asset, "original", signed, now.Add(2 * time.Hour),
			media.ErrSignature},
		"empty":      {key, asset, "original", "", now, media.ErrSignature},
		"cut":        {key, asset, "original", signed[:20], now, media.ErrSignature},
		"not base64": {key, asset, "original", "!" + signed[1:], now, media.ErrSignature},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := media.Verify(c.key, c.asset, c.variant, c.signed, c.now); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}
