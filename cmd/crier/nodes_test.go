package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"crier/internal/nettest"
	"crier/internal/publish"
	"crier/internal/server/servertest"
)

// The nodes of these tests are separate processes, which can be killed and suspended. Publishing waits up to a minute
// and a half before it searches for a lost post, and no setting shortens that: so the test program itself serves as
// crier, with timings that only it can set.

// nodeVariable makes the test program run as crier serve. Its value is the pace.
const nodeVariable = "CRIER_TEST_NODE"

// The paces of nodes.
const (
	brisk = "brisk"
	usual = "usual"
)

// paces are the timings of nodes by their pace. Brisk ones tolerate a busy machine.
var paces = map[string]publish.Timings{
	brisk: {
		SendWindow: 2 * time.Second, CommitTimeout: 3 * time.Second, SettleSlack: time.Second,
		LookupPause: 300 * time.Millisecond,
		Lease:       4 * time.Second, RetryPause: 200 * time.Millisecond, AccountPause: 500 * time.Millisecond,
		LikePause: 300 * time.Millisecond,
	},
	usual: {},
}

// serveAsNode runs the test program as a node and returns the exit code.
func serveAsNode(pace string) int {
	timings, ok := paces[pace]
	if !ok {
		fmt.Fprintf(os.Stderr, "%s=%s is no pace\n", nodeVariable, pace)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	a := &app{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now}
	a.config.Timings = timings
	serve := a.serveCommand()
	addFlags(serve.PersistentFlags())
	serve.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.load(cmd) }
	serve.SetArgs([]string{})
	if err := serve.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// nodeProgram is the test program without the race detector, which would slow the nodes down and find nothing in them
// that it does not find in the other tests.
var nodeProgram = sync.OnceValues(func() (string, error) {
	if !servertest.RaceDetector {
		return os.Executable()
	}
	path := filepath.Join(servertest.RunDir(), "node")
	build := exec.Command("go", "test", "-c", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the node: %w\n%s", err, out)
	}
	return path, nil
})

// nodeProcess is a node that can be killed, suspended and restarted at the same address.
type nodeProcess struct {
	*process
	environment []string
}

// newNode prepares a node; start starts it.
func newNode(tb testing.TB, pace string, environment ...string) *nodeProcess {
	tb.Helper()
	address := nettest.FreeAddress(tb)
	n := &nodeProcess{
		process: &process{stdout: &servertest.LogBuffer{}},
		environment: append(environment, nodeVariable+"="+pace, "CRIER_LISTEN="+address, "HOME="+tb.TempDir(),
			"CRIER_RATE_LIMIT=0"),
	}
	n.testServer = &testServer{&servertest.Server{URL: "http://" + address, Log: &servertest.LogBuffer{},
		Client: &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}}}
	tb.Cleanup(func() {
		n.kill(tb)
		if tb.Failed() {
			tb.Logf("what the node at %s found worth a warning:\n%s", address, n.Log.Warnings(30))
		}
	})
	return n
}

// start starts the node without waiting for it.
func (n *nodeProcess) start(tb testing.TB) {
	tb.Helper()
	path, err := nodeProgram()
	if err != nil {
		tb.Fatal(err)
	}
	n.cmd = exec.Command(path)
	n.cmd.Env, n.cmd.Stdout, n.cmd.Stderr = n.environment, n.stdout, n.Log
	n.process.start(tb)
}

// restartAfterFailure starts a node again that has ended with an error message, as its supervisor does. A panic fails
// the test.
func (n *nodeProcess) restartAfterFailure(tb testing.TB) {
	tb.Helper()
	select {
	case <-n.exited:
	default:
		return
	}
	if code := n.cmd.ProcessState.ExitCode(); code != 1 {
		tb.Fatalf("a node ended with %d\n%s", code, n.Log)
	}
	n.start(tb)
}

// kill ends the node at once, wherever it is, and waits until it has ended. A node that does not run is left alone.
func (n *nodeProcess) kill(tb testing.TB) {
	tb.Helper()
	if n.cmd == nil {
		return
	}
	if err := n.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Error(err)
	}
	<-n.exited
	n.cmd = nil
}

// signal sends a signal to a node: SIGSTOP suspends it and SIGCONT resumes it.
func (n *nodeProcess) signal(tb testing.TB, s syscall.Signal) {
	tb.Helper()
	if err := n.cmd.Process.Signal(s); err != nil {
		tb.Fatal(err)
	}
}

// boxProcess starts a sandbox as a separate process, which outlives the nodes.
func boxProcess(tb testing.TB) *servertest.Box {
	tb.Helper()
	address := nettest.FreeAddress(tb)
	cmd := command(tb, nil, "sandbox", "--listen", address, "--data-dir", tb.TempDir(), "--log-level", "error")
	log := &servertest.LogBuffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself, which the test has noticed
		_ = cmd.Wait()
		if tb.Failed() {
			tb.Logf("the sandbox:\n%s", log)
		}
	})
	b := &servertest.Box{URL: "http://" + address}
	servertest.Eventually(tb, func() (any, bool) { return nil, b.TryControl("GET", "faults", nil, nil) == nil })
	return b
}
