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

// childDir is the variable with the data directory of a test binary that runs as the sandbox process.
const childDir = "CRIER_SANDBOX_TEST_CHILD_DIR"

// TestMain runs a sandbox instead of the tests if childDir is set, so that a test has a process to kill.
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

// startChild runs a sandbox in a separate process and returns its address and a function that kills it.
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
		_ = cmd.Wait() // the error says that it was killed
	})
}

func TestKilledSandboxLosesNoAcknowledgedPost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address, kill := startChild(t, dir)
	t.Cleanup(kill)
	const workers, postsBeforeKill = 4, 200
	posted := make(chan string)
	var wg sync.WaitGroup
	for worker := range workers {
		seed, err := sandbox.SeedAccount("x", fmt.Sprintf("worker_%d", worker))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { postUntilDead(address, seed, posted) })
	}
	go func() {
		wg.Wait()
		close(posted)
	}()
	ids := map[string]bool{}
	for id := range posted {
		ids[id] = true
		if len(ids) == postsBeforeKill {
			kill()
		}
	}
	seen := timelineAfterRestart(t, dir)
	for id := range ids {
		if seen[id] != 1 {
			t.Errorf("post %s was acknowledged and exists %d times", id, seen[id])
		}
	}
	if len(ids) < postsBeforeKill || len(seen) > len(ids)+workers {
		t.Errorf("%d acknowledged, %d on the timeline", len(ids), len(seen))
	}
}

// postUntilDead posts until the sandbox stops responding.
func postUntilDead(address string, seed sandbox.Seed, posted chan<- string) {
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
		_ = resp.Body.Close() // it was read completely, or the sandbox was killed
		if err != nil || out.Data.ID == "" {
			return
		}
		posted <- out.Data.ID
	}
}

// timelineAfterRestart counts each post in a new sandbox on the same data.
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
