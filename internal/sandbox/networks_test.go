package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"crier/internal/sandbox"
)

func TestNetworkOrder(t *testing.T) {
	t.Parallel()
	want := []string{"x", "tiktok", "instagram", "facebook", "youtube", "linkedin", "threads"}
	if got := sandbox.Networks(); !slices.Equal(got, want) {
		t.Errorf("networks are %v", got)
	}
}

func TestAddressesOfTheRealHosts(t *testing.T) {
	t.Parallel()
	type key struct{ network, role string }
	got := map[key]string{}
	for _, a := range sandbox.Addresses("http://sandbox:8081") {
		got[key{a.Network, a.Role}] = a.Real + " " + a.Sandbox
	}
	for k, want := range map[key]string{
		{"x", "api"}:                     "https://api.x.com http://sandbox:8081/x",
		{"x", "consent"}:                 "https://x.com http://sandbox:8081/x",
		{"tiktok", "api"}:                "https://open.tiktokapis.com http://sandbox:8081/tiktok",
		{"tiktok", "consent"}:            "https://www.tiktok.com http://sandbox:8081/tiktok",
		{"linkedin", "api"}:              "https://api.linkedin.com http://sandbox:8081/linkedin",
		{"linkedin", "consent"}:          "https://www.linkedin.com http://sandbox:8081/linkedin",
		{"youtube", "api"}:               "https://www.googleapis.com http://sandbox:8081/youtube",
		{"youtube", "token"}:             "https://oauth2.googleapis.com http://sandbox:8081/youtube",
		{"youtube", "analytics"}:         "https://youtubeanalytics.googleapis.com http://sandbox:8081/youtube",
		{"facebook", "api"}:              "https://graph.facebook.com http://sandbox:8081/facebook",
		{"facebook", "upload"}:           "https://rupload.facebook.com http://sandbox:8081/facebook/rupload",
		{"instagram", "api"}:             "https://graph.instagram.com http://sandbox:8081/instagram",
		{"instagram", "token"}:           "https://api.instagram.com http://sandbox:8081/instagram",
		{"instagram", "facebook-upload"}: "https://rupload.facebook.com http://sandbox:8081/instagram/rupload",
		{"threads", "api"}:               "https://graph.threads.net http://sandbox:8081/threads",
		{"threads", "consent"}:           "https://threads.com http://sandbox:8081/threads",
	} {
		if got[k] != want {
			t.Errorf("%v is %q, want %q", k, got[k], want)
		}
	}
}

// Every network reports unknown paths in its own error format, as the real network does.
func TestUnknownPathsUseTheNetworksErrorFormat(t *testing.T) {
	t.Parallel()
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for network, want := range map[string]struct {
		status int
		body   string
	}{
		"x":         {404, `"title":"Not Found"`},
		"tiktok":    {404, `"code":"unsupported_path"`},
		"instagram": {400, `"code":2500`},
		"facebook":  {400, `"code":2500`},
		"youtube":   {404, `"reason":"notFound"`},
		"linkedin":  {404, `"code":"NOT_FOUND"`},
		"threads":   {400, `"code":2500`},
	} {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPatch,
			"/"+network+"/no/such/path/at/all", http.NoBody))
		if rec.Code != want.status || !strings.Contains(rec.Body.String(), want.body) ||
			!strings.Contains(rec.Header().Get("Content-Type"), "json") {
			t.Errorf("%s: %d %s", network, rec.Code, rec.Body)
		}
	}
}

func TestGeneratedHandlesAreAllowedEverywhere(t *testing.T) {
	t.Parallel()
	for _, seed := range []string{"", "a", "team one", "01J9Z2V3K4M5N6P7Q8R9S0T1V2"} {
		handle := sandbox.MadeUpHandle(seed)
		if handle != sandbox.MadeUpHandle(seed) || len(handle) > 15 {
			t.Errorf("%q is %q", seed, handle)
		}
		ids := map[string]bool{}
		for _, network := range sandbox.Networks() {
			account, err := sandbox.SeedAccount(network, handle)
			if err != nil || account.Network != network || ids[account.AccountID] {
				t.Errorf("%s on %s: %+v, %v", handle, network, account, err)
			}
			ids[account.AccountID] = true
		}
	}
}
