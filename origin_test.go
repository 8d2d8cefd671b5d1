package crier_test

import (
	"net/url"
	"strings"
	"testing"

	"crier"
)

func TestOriginsAreASchemeAndAHost(t *testing.T) {
	t.Parallel()
	for origin, canonical := range map[crier.Origin]crier.Origin{
		"https://app.example.com":       "https://app.example.com",
		"HTTPS://App.Example.com":       "https://app.example.com",
		"https://app.example.com:443":   "https://app.example.com",
		"https://app.example.com:8443":  "https://app.example.com:8443",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
		"http://localhost:3000":         "http://localhost:3000",
		"http://127.0.0.1:80":           "http://127.0.0.1",
		"http://[::1]:3000":             "http://[::1]:3000",
	} {
		if problem := origin.Problem(); problem != "" || origin.Canonical() != canonical {
			t.Errorf("%s: %q, canonical %s, want %s", origin, problem, origin.Canonical(), canonical)
		}
	}
	for _, origin := range []crier.Origin{"", "app.example.com", "https://", "http://app.example.com",
		"https://app.example.com/", "https://app.example.com/back", "https://app.example.com?", "https://a.example?x=1",
		"https://a.example#", "https://ada@a.example", "https://*.example.com", "ftp://a.example", "https://a.example;b",
		"https://bücher.example", "null", "https://:443", "https://a.example\\b", "https://a.example\n",
		crier.Origin("https://" + strings.Repeat("a", 300))} {
		if origin.Problem() == "" {
			t.Errorf("%q is taken for an origin", origin)
		}
	}
}

func TestLoopbackAddressesAreOnThisMachine(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://localhost:3000": true, "http://LocalHost": true, "http://127.0.0.1": true, "http://127.8.9.1:80": true,
		"http://[::1]:3000": true, "http://[::ffff:127.0.0.1]": true,
		"http://localhost.example": false, "http://127.0.0.1.example": false, "http://0.0.0.0": false,
		"http://10.0.0.1": false, "http://[::2]": false, "http://localhost.": false, "http://": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if crier.OnThisMachine(u) != want || crier.Protected(u) != want {
			t.Errorf("%s is on this machine: %t, want %t", address, !want, want)
		}
	}
}
