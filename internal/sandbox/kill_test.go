package sandbox_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"crier/internal/sandbox"
)

// childDir names the data directory to a test binary that plays the sandbox's process.
const childDir = "CRIER_SANDBOX_TEST_CHILD_DIR"

// TestMain runs a sandbox instead of the tests when it is told to, so that a test has a process to kill.
func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := sandbox.New(sandbox.Options{DataDir: dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, httptest.NewServer(s).URL)
	select {} // until it is killed
}

// startChild runs a sandbox in a process of its own and returns its address and how to kill it.
func startChild(t *testing.T, dir string) (address string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("start child: %v", err)
	}
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("read address: %v", err)
	}
	return strings.TrimSpace(address), sync.OnceFunc(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Errorf("kill: %v", err)
		}
		_ = cmd.Wait() // it was killed, and says so
	})
}

func TestKilledSandboxLosesNothingItAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address, kill := startChild(t, dir)
	t.Cleanup(kill)
	const workers, answersBeforeKill = 4, 200
	answered := make(chan string)
	var wg sync.WaitGroup
	for worker := range workers {
		seed, err := sandbox.SeedAccount("x", fmt.Sprintf("worker_%d", worker))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { postUntilDead(address, seed, answered) })
	}
	go func() {
		wg.Wait()
		close(answered)
	}()
	ids := map[string]bool{}
	for id := range answered {
		ids[id] = true
		if len(ids) == answersBeforeKill {
			kill()
		}
	}
	seen := timelineAfterRestart(t, dir)
	for id := range ids {
		if seen[id] != 1 {
			t.Errorf("post %s was answered and is there %d times", id, seen[id])
		}
	}
	if len(ids) < answersBeforeKill || len(seen) > len(ids)+workers {
		t.Errorf("%d answered, %d on the timeline", len(ids), len(seen))
	}
}

// postUntilDead posts until the sandbox does not answer any more.
func postUntilDead(address string, seed sandbox.Seed, answered chan<- string) {
	for i := 0; ; i++ {
		req, err := http.NewRequest("POST", address+"/x/2/tweets",
			strings.NewReader(fmt.Sprintf(`{"text":"number %d"}`, i)))
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+seed.AccessToken)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		var out struct{ Data struct{ ID string } }
		err = json.NewDecoder(resp.Body).Decode(&out)
		_ = resp.Body.Close() // it was read to its end, or the sandbox is dead
		if err != nil || out.Data.ID == "" {
			return
		}
		answered <- out.Data.ID
	}
}

// timelineAfterRestart returns how often each post is there in a new sandbox on the same data.
func timelineAfterRestart(t *testing.T, dir string) map[string]int {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{DataDir: dir})
	if err != nil {
		t.Fatalf("restart: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest("GET", "/_control/posts?provider=x", nil))
	var out struct {
		Data []struct{ PlatformPostID string }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, post := range out.Data {
		seen[post.PlatformPostID]++
	}
	return seen
}
