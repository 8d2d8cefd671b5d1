package auth_test

import (
	"testing"

	"crier/internal/auth"
)

func TestNetworkOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7":            "192.0.2.7",
		"::ffff:192.0.2.7":     "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::1":      "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
		"":                     "",
		"unix":                 "unix",
	} {
		if got := auth.NetworkOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
