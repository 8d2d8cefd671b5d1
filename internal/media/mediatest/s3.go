package mediatest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"crier/internal/nettest"
	"crier/internal/programtest"
)

// The S3-compatible server of the tests: a real gateway that stores its objects in a directory. It is built by the Go
// command, once per machine, and is no dependency of crier's module.
const (
	gatewayModule  = "github.com/versity/versitygw/cmd/versitygw"
	gatewayVersion = "v1.8.0"
)

// S3 is a running S3-compatible server with an empty bucket.
type S3 struct {
	Endpoint, Bucket     string
	AccessKey, SecretKey string
}

// StartS3 runs an S3-compatible server on a loopback port until the test ends. The first call on a machine builds it,
// which takes a minute or two and needs the module proxy.
func StartS3(t testing.TB) S3 {
	t.Helper()
	server := S3{Bucket: "crier-test", AccessKey: "crier-test", SecretKey: "crier-test-secret"}
	folder := t.TempDir()
	for _, name := range []string{filepath.Join("objects", server.Bucket), "metadata"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	address := nettest.FreeAddress(t)
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, gateway(t), "--port", address, "--access", server.AccessKey,
		"--secret", server.SecretKey, "--quiet", "posix",
		"--sidecar", filepath.Join(folder, "metadata"), filepath.Join(folder, "objects"))
	if err := command.Start(); err != nil {
		t.Fatalf("start S3 server: %v", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- command.Wait() }()
	t.Cleanup(func() {
		stop()
		<-exited
	})
	if err := waitForServer(address, exited); err != nil {
		t.Fatalf("start S3 server: %v", err)
	}
	server.Endpoint = "http://" + address
	return server
}

// waitForServer returns when the server accepts connections. A separate program gives no other signal.
func waitForServer(address string, exited chan error) error {
	deadline := time.After(2 * time.Minute)
	for {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			return conn.Close()
		}
		select {
		case err := <-exited:
			exited <- err
			return fmt.Errorf("it stopped: %w", err)
		case <-deadline:
			return fmt.Errorf("nothing listens on %s", address)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// gateway returns the server's program.
func gateway(t testing.TB) string {
	t.Helper()
	return programtest.Cached(t, "versitygw-"+gatewayVersion, func(path string) {
		folder := filepath.Dir(path)
		build := exec.Command("go", "install", gatewayModule+"@"+gatewayVersion)
		build.Env = append(os.Environ(), "GOBIN="+folder, "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the S3 server of the tests: %v\n%s", err, out)
		}
		if err := os.Rename(filepath.Join(folder, "versitygw"), path); err != nil {
			t.Fatal(err)
		}
	})
}
