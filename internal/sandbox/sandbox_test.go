package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"crier/internal/sandbox"
)

func TestEveryNetworkCanBeSeededOffline(t *testing.T) {
	t.Parallel()
	for _, name := range sandbox.Networks() {
		first, err := sandbox.SeedAccount(name, "crier_demo")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := sandbox.SeedAccount(name, "crier_demo")
		if err != nil || first.AccessToken != again.AccessToken || first.AccountID != again.AccountID {
			t.Errorf("%s: two seeds differ (%v)", name, err)
		}
		if first.AccountID == "" || first.AccessToken == "" || first.DisplayName == "" || len(first.Scopes) == 0 {
			t.Errorf("%s: seed is %+v", name, first)
		}
	}
	if _, err := sandbox.SeedAccount("myspace", "tom"); err == nil || !strings.Contains(err.Error(), "linkedin") {
		t.Errorf("an unknown network: %v", err)
	}
	if _, err := sandbox.SeedAccount("x", "not a handle"); err == nil {
		t.Error("a bad handle was accepted")
	}
}

func TestEveryNetworkHasItsOwnAddresses(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, a := range sandbox.Addresses("http://127.0.0.1:8081/") {
		seen[a.Network] = true
		if !strings.HasPrefix(a.Sandbox, "http://127.0.0.1:8081/"+a.Network) ||
			!strings.HasPrefix(a.Real, "https://") || a.Role == "" {
			t.Errorf("address is %+v", a)
		}
	}
	for _, name := range sandbox.Networks() {
		if !seen[name] {
			t.Errorf("%s has no address", name)
		}
	}
}

func TestOneListenerServesAllNetworks(t *testing.T) {
	t.Parallel()
	s, err := sandbox.New(sandbox.Options{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range sandbox.Networks() {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequest("GET", "/"+name, nil))
		if rec.Code != http.StatusOK {
			t.Errorf("timeline of %s: %d", name, rec.Code)
		}
	}
}

// BenchmarkPostTweets posts through the handler, to a journal on disk, from a thousand accounts.
func BenchmarkPostTweets(b *testing.B) {
	s, err := sandbox.New(sandbox.Options{DataDir: b.TempDir(), LimitFactor: 1_000_000})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	tokens := make([]string, 1000)
	for i := range tokens {
		seed, err := sandbox.SeedAccount("x", fmt.Sprintf("bench_%d", i))
		if err != nil {
			b.Fatal(err)
		}
		tokens[i] = seed.AccessToken
	}
	var next atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := next.Add(1)
			r := httptest.NewRequest("POST", "/x/2/tweets",
				strings.NewReader(fmt.Sprintf(`{"text":"post number %d"}`, i)))
			r.Header.Set("Authorization", "Bearer "+tokens[i%1000])
			rec := httptest.NewRecorder()
			if s.ServeHTTP(rec, r); rec.Code != http.StatusCreated {
				b.Errorf("status %d: %s", rec.Code, rec.Body)
				return
			}
		}
	})
}
