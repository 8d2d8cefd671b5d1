package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
)

// process is crier as it is shipped, in a process of its own that can be killed. It has no sandbox.
type process struct {
	server
	command *exec.Cmd
	environ []string
	dir     string
	exited  chan struct{}
}

// program builds crier once per run: without the race detector, as it is shipped.
var program = sync.OnceValues(func() (string, error) {
	file := filepath.Join(runDir(), "crier")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build crier: %w\n%s", err, out)
	}
	return file, nil
})

// startProcess starts a process on an empty database. settings are further ones, as NAME=value.
func startProcess(tb testing.TB, db database, settings ...string) *process {
	tb.Helper()
	p := &process{dir: tb.TempDir()}
	listen := freeAddress(tb)
	p.environ = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "CRIER_LISTEN=" + listen, "CRIER_DATA_DIR=" + filepath.Join(p.dir, "data"),
		"CRIER_MEDIA_DIR=" + p.mediaDir(), "CRIER_SECRET_KEY=" + testSecret, "CRIER_SANDBOX=off", "CRIER_RATE_LIMIT=0",
	}, settings...)
	if db.DataDir != "" {
		p.environ = append(p.environ, "CRIER_DATA_DIR="+db.DataDir)
	} else {
		p.environ = append(p.environ, "CRIER_DATABASE_URL="+db.URL)
	}
	p.url, p.client = "http://"+listen, &http.Client{}
	p.initialise(tb)
	p.start(tb)
	tb.Cleanup(func() { p.kill(tb) })
	return p
}

// mediaDir is where the process keeps the files of the media library.
func (p *process) mediaDir() string { return filepath.Join(p.dir, "media") }

func freeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func (p *process) run(tb testing.TB, arguments ...string) *exec.Cmd {
	tb.Helper()
	file, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	command := exec.Command(file, arguments...) //nolint:gosec // built above
	command.Env = p.environ
	return command
}

// initialise makes the first tenant.
func (p *process) initialise(tb testing.TB) {
	tb.Helper()
	out, err := p.run(tb, "init", "--json").Output()
	var made struct {
		APIKey                 string
		OrganizationID, TeamID crier.ID
	}
	if err = errors.Join(err, json.Unmarshal(out, &made)); err != nil {
		tb.Fatalf("init: %v: %s", err, out)
	}
	p.tenant = tenant{key: made.APIKey, organization: made.OrganizationID, team: made.TeamID}
}

// start starts the server and waits until it is ready. Another process tells that in no other way than by answering.
func (p *process) start(tb testing.TB) {
	tb.Helper()
	var log bytes.Buffer
	p.command, p.exited = p.run(tb, "serve"), make(chan struct{})
	p.command.Stderr = &log
	if err := p.command.Start(); err != nil {
		tb.Fatal(err)
	}
	go func(command *exec.Cmd, exited chan struct{}) {
		_ = command.Wait() // it is killed, so it always fails
		close(exited)
	}(p.command, p.exited)
	p.until(tb, "the server is ready", func() bool {
		select {
		case <-p.exited:
			tb.Fatalf("the server ended: %s", log.String())
		default:
		}
		got, err := p.roundTrip(request{method: "GET", path: "/readyz"})
		return err == nil && got.status == http.StatusOK
	})
}

// kill ends the process as a power cut would.
func (p *process) kill(tb testing.TB) {
	tb.Helper()
	p.client.CloseIdleConnections()
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Fatal(err)
	}
	<-p.exited
}

// restart kills the process and starts it anew.
func (p *process) restart(tb testing.TB) {
	tb.Helper()
	p.kill(tb)
	p.start(tb)
}

// until waits for something that another process does.
func (p *process) until(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	deadline := time.Now().Add(time.Minute)
	for !done() {
		if time.Now().After(deadline) {
			tb.Fatalf("waited for a minute until %s", what)
		}
		time.Sleep(10 * time.Millisecond) // nothing else tells when another process has come so far
	}
}

// memory reads how much memory the process has resident now, and had at most since the last call of forgetPeak.
func (p *process) memory(tb testing.TB) (now, peak int64) {
	tb.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "VmRSS" && name != "VmHWM" {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		if name == "VmRSS" {
			now = kilobytes << 10
		} else {
			peak = kilobytes << 10
		}
	}
	return now, peak
}

// forgetPeak makes the kernel count the peak anew.
func (p *process) forgetPeak(tb testing.TB) {
	tb.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte("5"), 0); err != nil {
		tb.Fatal(err)
	}
}
