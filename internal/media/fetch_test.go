package media_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier/internal/media"
	"crier/internal/media/mediatest"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// loopbackFetcher may fetch from 127.0.0.1, which represents the public internet, on any port, and from no other
// address.
func loopbackFetcher() media.Fetcher {
	return media.Fetcher{
		AllowAddr: func(addr netip.Addr) bool { return addr == loopback },
		AllowPort: func(uint16) bool { return true },
	}
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// fetch fetches a whole file.
func fetch(t *testing.T, f media.Fetcher, address string) ([]byte, *media.Download, error) {
	t.Helper()
	download, err := f.Fetch(t.Context(), address)
	if err != nil {
		return nil, nil, err
	}
	defer download.Body.Close()
	content, err := io.ReadAll(download.Body)
	return content, download, err
}

func TestFetchGetsAFile(t *testing.T) {
	t.Parallel()
	file := mediatest.JPEG(60, 40)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Authorization", "Cookie", "Referer", "Accept-Encoding"} {
			if value := r.Header.Get(name); value != "" {
				t.Errorf("sends %s: %s", name, value)
			}
		}
		w.Header().Set("Content-Type", "image/jpeg; q=1")
		w.Header().Set("Set-Cookie", "a=b")
		if r.URL.Path == "/start" {
			http.Redirect(w, r, "/pictures/cat.jpg", http.StatusFound)
			return
		}
		_, _ = w.Write(file)
	})
	content, download, err := fetch(t, loopbackFetcher(), address+"/start")
	if err != nil || !bytes.Equal(content, file) {
		t.Fatalf("%d bytes, %v", len(content), err)
	}
	if download.FileName != "cat.jpg" || download.MimeType != "image/jpeg" || download.Size != int64(len(file)) {
		t.Errorf("%q, %q, %d", download.FileName, download.MimeType, download.Size)
	}
}

func TestFetchRejectsInvalidURLs(t *testing.T) {
	t.Parallel()
	addresses := []string{
		"", "example.com/a.jpg", "/a.jpg", "//example.com/a.jpg", "http://", "http:///a.jpg", "http:a.jpg",
		"https://:443/",
		"ftp://example.com/a.jpg", "file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)",
		"data:image/png;base64,AAAA",
		"http://user@example.com/", "https://user:password@example.com/a.jpg",
		"http://example.com:22/", "http://example.com:8080/", "http://example.com:0/", "http://example.com:99999/",
		"http://exa mple.com/", "http://[::1/", "http://%31%32%37.1/", "https://example.com/" +
			strings.Repeat("a", 2048),
	}
	never := func(context.Context, string, string) ([]netip.Addr, error) {
		t.Error("a name was looked up")
		return nil, errors.New("not requested")
	}
	for _, address := range addresses {
		t.Run(printableName(address), func(t *testing.T) {
			t.Parallel()
			_, _, err := fetch(t, media.Fetcher{LookupNetIP: never}, address)
			wantRefusal(t, err, media.ReasonAddress)
		})
	}
}

func printableName(address string) string { return url.PathEscape(address[:min(len(address), 40)]) }

func TestFetchRejectsPrivateNetworks(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	_, port, _ := strings.Cut(strings.TrimPrefix(server, "http://"), ":")
	hosts := []string{
		"127.0.0.1", "localhost", "localhost.", "LOCALHOST", "127.0.0.2", "127.255.255.254", "127.0.0.1.",
		"2130706433", "0x7f000001", "0x7f.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "0",
		"0.0.0.0",
		"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[::ffff:0:127.0.0.1]",
		"[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[fd00:ec2::254]",
		"169.254.169.254", "169.254.1.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "100.100.100.200",
		"168.63.129.16",
		"192.0.0.192", "224.0.0.1", "255.255.255.255", "metadata.example",
	}
	// Like a system resolver that parses every form of an address, and a malicious name server.
	lookup := func(context.Context, string, string) ([]netip.Addr, error) { return []netip.Addr{loopback}, nil }
	for _, host := range hosts {
		for _, fetcher := range []media.Fetcher{{LookupNetIP: lookup},
			{LookupNetIP: lookup, AllowPort: func(uint16) bool { return true }}} {
			address := "http://" + host + "/latest/meta-data/"
			if fetcher.AllowPort != nil {
				address = "http://" + host + ":" + port + "/"
			}
			_, _, err := fetch(t, fetcher, address)
			t.Log(address)
			wantRefusal(t, err, media.ReasonAddress)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("%d requests reached the server", hits.Load())
	}
}

func TestFetchRejectsNamesWithAPrivateAddress(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	for _, other := range []string{"10.0.0.1", "::1", "::ffff:192.168.0.1", "169.254.169.254"} {
		fetcher := loopbackFetcher()
		fetcher.LookupNetIP = func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{loopback, netip.MustParseAddr(other)}, nil
		}
		_, _, err := fetch(t, fetcher, strings.Replace(server, "127.0.0.1", "two-faced.example", 1))
		wantRefusal(t, err, media.ReasonAddress)
	}
	if hits.Load() != 0 {
		t.Errorf("%d requests reached the server", hits.Load())
	}
}

// A name server that returns a public address for the check and a private one for the connection.
func TestFetchPreventsDNSRebinding(t *testing.T) {
	t.Parallel()
	var hits, lookups atomic.Int32
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/secret", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("public"))
	})
	address := strings.Replace(server, "127.0.0.1", "rebinding.example", 1)
	fetcher := loopbackFetcher()
	fetcher.LookupNetIP = func(context.Context, string, string) ([]netip.Addr, error) {
		if lookups.Add(1)%2 == 1 {
			return []netip.Addr{loopback}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	}

	// One connection means one lookup: the checked address is the one connected to.
	content, _, err := fetch(t, fetcher, address+"/")
	if err != nil || string(content) != "public" || lookups.Load() != 1 {
		t.Errorf("%q after %d lookups, %v", content, lookups.Load(), err)
	}
	// The second connection gets the second response, and its own check.
	lookups.Store(0)
	hits.Store(0)
	_, _, err = fetch(t, fetcher, address+"/again")
	wantRefusal(t, err, media.ReasonAddress)
	if hits.Load() != 1 || lookups.Load() != 2 {
		t.Errorf("%d requests and %d lookups, want 1 and 2", hits.Load(), lookups.Load())
	}
}

func TestFetchChecksEveryRedirect(t *testing.T) {
	t.Parallel()
	targets := []string{
		"http://169.254.169.254/latest/meta-data/", "http://127.0.0.2/", "http://[::1]/", "http://localhost:1/",
		"http://0x7f000001/",
		"http://10.0.0.1/", "file:///etc/passwd", "ftp://127.0.0.1/", "http://user:password@127.0.0.1/",
		"//192.168.0.1/a.jpg",
	}
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	fetcher := loopbackFetcher()
	fetcher.LookupNetIP = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.3")}, nil
	}
	for _, target := range targets {
		_, _, err := fetch(t, fetcher, address+"/?to="+url.QueryEscape(target))
		t.Log(target)
		wantRefusal(t, err, media.ReasonAddress)
	}
}

func TestFetchFollowsFiveRedirects(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var left int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &left)
		if left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", left-1), http.StatusFound)
		}
	})
	if _, _, err := fetch(t, loopbackFetcher(), address+"/5"); err != nil {
		t.Errorf("five redirects: %v", err)
	}
	_, _, err := fetch(t, loopbackFetcher(), address+"/6")
	wantRefusal(t, err, media.ReasonUnreachable)
}

func TestFetchLimits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	block := make([]byte, 64<<10)
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	// stall sends the start of a file and then nothing, until the client disconnects.
	stall := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(block)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	drip := func(w http.ResponseWriter, r *http.Request) {
		ticks := time.NewTicker(5 * time.Millisecond)
		defer ticks.Stop()
		for r.Context().Err() == nil {
			<-ticks.C
			_, _ = w.Write([]byte("."))
			_ = http.NewResponseController(w).Flush()
		}
	}
	cases := map[string]struct {
		handler http.HandlerFunc
		change  func(*media.Fetcher)
		reason  media.Reason
	}{
		"an endless body": {endless, func(f *media.Fetcher) { f.MaxBytes = limit },
			media.ReasonTooLarge},
		"a body that announces too much": {stall, func(f *media.Fetcher) { f.MaxBytes = 999_999 },
			media.ReasonTooLarge},
		"a body that stalls": {stall, func(f *media.Fetcher) { f.IdleTimeout = 100 * time.Millisecond },
			media.ReasonTooSlow},
		"a body that drips": {drip, func(f *media.Fetcher) { f.Timeout = 300 * time.Millisecond },
			media.ReasonTooSlow},
		"headers that do not come": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			func(f *media.Fetcher) { f.IdleTimeout = 100 * time.Millisecond }, media.ReasonTooSlow},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetcher := loopbackFetcher()
			c.change(&fetcher)
			content, _, err := fetch(t, fetcher, serve(t, c.handler))
			wantRefusal(t, err, c.reason)
			if len(content) > limit {
				t.Errorf("%d bytes came through", len(content))
			}
		})
	}
}

func TestFetchRejectsNonFiles(t *testing.T) {
	t.Parallel()
	cases := map[string]http.HandlerFunc{
		"not found":        http.NotFound,
		"a partial answer": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPartialContent) },
		"a packed answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("\x1f\x8b"))
		},
		"a connection that breaks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("only the beginning"))
		},
		"a connection that is closed": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, handler := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blobs, key := newDisk(t), newKey()
			download, err := loopbackFetcher().Fetch(t.Context(), serve(t, handler))
			if err == nil {
				defer download.Body.Close()
				_, err = media.Store(t.Context(), blobs, key, download.Body, 1<<20)
			}
			wantRefusal(t, err, media.ReasonUnreachable)
			wantMissing(t, blobs, key)
		})
	}
	_, _, err := fetch(t, media.Fetcher{LookupNetIP: func(context.Context, string, string) ([]netip.Addr,
		error) {
		return nil, nil
	}},
		"https://nobody.example/a.jpg")
	wantRefusal(t, err, media.ReasonUnreachable)
}

func TestCanceledFetchIsNotARejection(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := loopbackFetcher().Fetch(ctx, address)
	var refusal *media.Refusal
	if !errors.Is(err, context.Canceled) || errors.As(err, &refusal) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestDownloadFileNamesHaveNoDirectory(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ disposition, path, want string }{
		"from the address":           {"", "/a/b/cat.jpg", "cat.jpg"},
		"escaped":                    {"", "/b%C3%A4r%20eins.png", "bär eins.png"},
		"none":                       {"", "/", ""},
		"from the header":            {`attachment; filename="dog.png"`, "/cat.jpg", "dog.png"},
		"in UTF-8":                   {`attachment; filename*=UTF-8''b%C3%A4r.png`, "/cat.jpg", "bär.png"},
		"up the folders":             {`attachment; filename="../../etc/passwd"`, "/", "passwd"},
		"up the folders, backslash":  {`attachment; filename="..\\..\\boot.ini"`, "/", "boot.ini"},
		"only dots":                  {`attachment; filename=".."`, "/cat.jpg", ""},
		"control characters":         {"attachment; filename*=UTF-8''a%00b%0Ac.png", "/", "abc.png"},
		"a header that is no header": {`;;;`, "/cat.jpg", "cat.jpg"},
		"too long":                   {"", "/" + strings.Repeat("a", 300), strings.Repeat("a", 200)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.disposition != "" {
					w.Header().Set("Content-Disposition", c.disposition)
				}
			})
			_, download, err := fetch(t, loopbackFetcher(), address+c.path)
			if err != nil {
				t.Fatal(err)
			}
			if download.FileName != c.want {
				t.Errorf("%q, want %q", download.FileName, c.want)
			}
		})
	}
}

func TestFetchDocumentFollowsNoRedirects(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/good", http.StatusFound)
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", media.MaxDocument+1))
		case "/good":
			_, _ = io.WriteString(w, "{}")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	open := media.Fetcher{AllowAddr: netip.Addr.IsLoopback, AllowPort: func(uint16) bool { return true }}
	if data, err := open.Document(t.Context(), site.URL+"/good"); err != nil || string(data) != "{}" {
		t.Errorf("%q, %v", data, err)
	}
	for _, bad := range []string{"/moved", "/long", "/none"} {
		if _, err := open.Document(t.Context(), site.URL+bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if _, err := (media.Fetcher{AllowPort: open.AllowPort}).Document(t.Context(), site.URL+"/good"); err == nil ||
		media.RefusedAddress(err) == "" {
		t.Errorf("a document of this machine: %v", err)
	}
}
