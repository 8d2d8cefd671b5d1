package oauth

import (
	"context"
	"errors"
	"strings"
	"testing"

	"crier"
	"crier/internal/media"
)

func TestRedirectAddressesAreComparedExactly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		known, requested string
		same             bool
	}{
		{"https://a.example/back", "https://a.example/back", true},
		{"https://a.example/back", "https://a.example/back/", false},
		{"https://a.example/back", "https://a.example:8443/back", false},
		{"https://a.example/back", "https://a.example/back?x=1", false},
		{"http://127.0.0.1/back", "http://127.0.0.1:49152/back", true},
		{"http://127.0.0.1:33418/", "http://127.0.0.1:1/", true},
		{"http://[::1]/back", "http://[::1]:49152/back", true},
		{"http://localhost/callback", "http://localhost:3118/callback", true},
		{"http://localhost/callback", "http://127.0.0.1:3118/callback", false},
		{"http://127.0.0.1/back", "http://127.0.0.1:49152/other", false},
		{"http://127.0.0.1/back", "https://127.0.0.1:49152/back", false},
		{"http://10.0.0.1/back", "http://10.0.0.1:49152/back", false},
		{"http://127.0.0.1/back", "http://x@127.0.0.1:49152/back", false},
	} {
		if got := sameRedirect(c.known, c.requested); got != c.same {
			t.Errorf("%s and %s: %v", c.known, c.requested, got)
		}
	}
}

func TestConfiguredClientsAreRead(t *testing.T) {
	t.Parallel()
	list, err := ParseClients(" inspector=http://localhost:6274/oauth/callback http://localhost/debug , " +
		"site=https://a.example/back")
	if err != nil || len(list) != 2 || list[0].ID != "inspector" || len(list[0].RedirectURIs) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	for _, bad := range []string{"inspector", "=https://a.example/", "a b=https://a.example/", "a=http://a.example/"} {
		if _, err := ParseClients(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestClientMetadataDocuments(t *testing.T) {
	t.Parallel()
	const id = "https://a.example/client.json"
	good := `{"client_id":"` + id + `","client_name":"A \u202e\u0007client","redirect_uris":["https://a.example/back"]`
	for name, c := range map[string]struct {
		id, body string
		known    bool
	}{
		"a good one":          {id, good + `}`, true},
		"public":              {id, good + `,"token_endpoint_auth_method":"none"}`, true},
		"with a secret":       {id, good + `,"client_secret":"x"}`, false},
		"with a key":          {id, good + `,"token_endpoint_auth_method":"private_key_jwt"}`, false},
		"of another address":  {id + "?x", good + `}`, false},
		"without redirects":   {id, `{"client_id":"` + id + `"}`, false},
		"no JSON":             {id, `<html>`, false},
		"nobody":              {id, "", false},
		"the root":            {"https://a.example/", good + `}`, false},
		"a fragment":          {id + "#x", good + `}`, false},
		"a user name":         {"https://x@a.example/client.json", good + `}`, false},
		"dots":                {"https://a.example/x/../client.json", good + `}`, false},
		"without TLS":         {"http://a.example/client.json", good + `}`, false},
		"no host":             {"https:///client.json", good + `}`, false},
		"longer than allowed": {id + "?" + strings.Repeat("x", maxClientID), good + `}`, false},
	} {
		d := clientDirectory{documents: func(context.Context, string) ([]byte, error) { return []byte(c.body), nil }}
		got, err := d.find(t.Context(), c.id)
		if (err == nil) != c.known {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if _, known := errors.AsType[*crier.Error](err); err != nil && !known {
			t.Errorf("%s: a person cannot be told %v", name, err)
		}
		if c.known && (got.Name != "A client" || got.Host != "a.example") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestClientMetadataIsNotReadFromPrivateNetworks(t *testing.T) {
	t.Parallel()
	d := clientDirectory{documents: media.Fetcher{AllowPort: func(uint16) bool { return true }}.Document}
	for _, id := range []string{"https://127.0.0.1/c", "https://localhost/c", "https://10.1.2.3/c", "https://[::1]/c",
		"https://169.254.169.254/latest", "https://[::ffff:127.0.0.1]/c", "https://192.168.0.1:8443/c"} {
		if _, err := d.find(t.Context(), id); err == nil || !strings.Contains(err.Error(), "private network") {
			t.Errorf("%s: %v", id, err)
		}
	}
}
