package crier_test

import (
	"strings"
	"testing"

	"crier"
)

func TestWebURLsHaveAHost(t *testing.T) {
	t.Parallel()
	const rule = "must be an http or https address of at most 2048 characters"
	path := strings.Repeat("é", 2048-len("https://a.example/"))
	for address, want := range map[string]string{
		"https://a.example": "", "http://a.example/": "", "HTTPS://A.example": "", "https://a.example:8443/x?y=1#z": "",
		"http://127.0.0.1:8080": "", "http://[::1]/": "", "https://bücher.example/ü": "", "https://user@a.example": "",
		"https://a.example/" + path: "",
		"":                          rule, "a.example": rule, "/path": rule, "//a.example": rule, "https:": rule, "https://": rule,
		"https:///path": rule, "https:a.example": rule, "ftp://a.example": rule, "javascript:alert(1)": rule,
		"mailto:ada@example.com": rule, "http://:80": rule, "https://:443/x": rule, "https://user@": rule,
		"https://a.example:port": rule, "https://a b.example": rule, "https://a.example/%zz": rule, " https://a.example": rule,
		"https://a.example/" + path + "x": rule, "https://[::1": rule, "https://a.example/\n": rule,
		"https://a.example/\u0085": "must not contain control characters, found U+0085",
	} {
		if got := crier.WebURL(address).Problem(); got != want {
			t.Errorf("%.60q: %q, want %q", address, got, want)
		}
	}
}

// TestBareURLKeepsNoSecrets: what is logged and kept of an address has neither its query nor its password.
func TestBareURLKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                                    "",
		"no address":                          "no address",
		"/path?token=secret":                  "/path?token=secret",
		"https://a.example":                   "https://a.example",
		"https://a.example/x/y":               "https://a.example/x/y",
		"https://a.example/x?sig=secret":      "https://a.example/x…",
		"https://a.example?sig=secret":        "https://a.example…",
		"https://a.example/x#secret":          "https://a.example/x…",
		"https://ada:secret@a.example/x":      "https://a.example/x…",
		"https://ada@a.example:8443/x?y#z":    "https://a.example:8443/x…",
		"https://a.example/a%2Fb?sig=secret":  "https://a.example/a%2Fb…",
		"https://a.example/ä b?sig=secret":    "https://a.example/%C3%A4%20b…",
		"s3://bucket/key?X-Amz-Signature=abc": "s3://bucket/key…",
		"https://a.example/%zz?sig=secret":    "https://a.example/%zz?sig=secret",
	} {
		if got := crier.BareURL(address); got != want {
			t.Errorf("%s is cut to %s, want %s", address, got, want)
		}
	}
}
