package api

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"crier/internal/api/contract"
)

func TestUnparsableRequestsGetTheErrorBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("served"))
	}))
	server.Listener = Listen(server.Listener)
	server.Config.MaxHeaderBytes = 1 << 10
	server.Start()
	t.Cleanup(server.Close)
	for name, tc := range map[string]struct {
		request string
		status  int
	}{
		"a good request":   {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", http.StatusOK},
		"a malformed path": {"GET /v1/teams/%zz HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusBadRequest},
		"no host":          {"GET / HTTP/1.1\r\n\r\n", http.StatusBadRequest},
		"another protocol": {"hello\r\n\r\n", http.StatusBadRequest},
		"a long header": {"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 10_000) + "\r\n\r\n",
			http.StatusRequestHeaderFieldsTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, header, body := exchange(t, server.Listener.Addr().String(), tc.request)
			if status != tc.status {
				t.Fatalf("status %d, want %d: %+v", status, tc.status, body)
			}
			if status == http.StatusOK {
				return
			}
			if header.Get("X-Request-Id") == "" || header.Get("Content-Type") != "application/json" ||
				body.Tag != "HttpApiDecodeError" || len(body.Issues) != 1 || body.Message == "" {
				t.Errorf("answered %v %+v", header, body)
			}
		})
	}
}

// exchange sends the bytes of a request and reads the response.
func exchange(t *testing.T, address, request string) (int, http.Header, contract.HttpApiDecodeError) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	requireNoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte(request))
	requireNoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	requireNoError(t, err)
	defer resp.Body.Close()
	var body contract.HttpApiDecodeError
	_ = json.NewDecoder(resp.Body).Decode(&body) // not JSON leaves it empty
	return resp.StatusCode, resp.Header, body
}
