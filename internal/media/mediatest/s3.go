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
)

// The S3-compatible server of the tests: a real gateway that keeps its objects in a folder. It is built by the Go
// command, once for a machine, and is no dependency of crier's module.
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
	address := freeAddress(t)
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

func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// waitForServer returns when the server takes connections. Another program tells that in no other way.
func waitForServer(address string, exited chan error) error {
	deadline := time.After(30 * time.Second)
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

// gateway returns the server's program, which it builds when this machine does not have it yet.
func gateway(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "crier-test")
	program := filepath.Join(folder, "versitygw-"+gatewayVersion)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	built, err := os.MkdirTemp(folder, "build-") //nolint:usetesting // a rename must not cross file systems
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(built)
	build := exec.Command("go", "install", gatewayModule+"@"+gatewayVersion)
	build.Env = append(os.Environ(), "GOBIN="+built, "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the S3 server of the tests: %v\n%s", err, out)
	}
	// Two tests may build at once: the rename lets the last one win with a whole file.
	if err := os.Rename(filepath.Join(built, "versitygw"), program); err != nil {
		t.Fatal(err)
	}
	return program
}
