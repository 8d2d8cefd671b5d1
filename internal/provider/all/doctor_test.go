package all_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"crier/internal/provider"
	"crier/internal/provider/all"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox"
)

func TestExamineChecksAppCredentials(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(sandbox.Options{Clients: map[string]string{"client": "secret"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box)
	t.Cleanup(func() { server.Close(); _ = box.Close() })
	for _, tc := range []struct {
		name   string
		access provider.Credentials
		ok     bool
		advice string
	}{
		{"known", provider.Credentials{ClientID: "client", ClientSecret: "secret"}, true, ""},
		{"wrong secret", provider.Credentials{ClientID: "client", ClientSecret: "guess"}, false, "_CLIENT_SECRET"},
		{"none", provider.Credentials{}, false, "create an app"},
	} {
		clock := providertest.NewClock()
		config := all.Config{Caller: providertest.NewCaller(clock), Now: clock.Now}
		for _, name := range newRegistry(t).Names() {
			config = config.WithAccess(name, all.Access{Credentials: tc.access})
		}
		registry, err := all.New(config.WithSandbox(server.URL))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range registry.All() {
			list := registry.Examine(context.Background(), p, "https://crier.test/oauth/cb")
			last := list[len(list)-1]
			if last.Name != "credentials" || last.OK != tc.ok || !strings.Contains(last.Advice, tc.advice) {
				t.Errorf("%s at %s: %+v", tc.name, p.Info().Name, last)
			}
			if !list[0].OK || !strings.Contains(list[1].Detail, "needed: ") {
				t.Errorf("%s: %+v", p.Info().Name, list)
			}
		}
	}
	p := newRegistry(t).All()[0]
	if list := newRegistry(t).Examine(context.Background(), p, "http://crier.example/oauth/x/callback"); list[0].OK {
		t.Errorf("a redirect address without TLS passes: %+v", list[0])
	}
}
