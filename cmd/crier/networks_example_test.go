package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/nettest"
	"crier/internal/server/servertest"
)

// TestExamplePublishesOneVideoOnSevenTimelines runs the documentation's example script against a fresh install: from
// the first start to the last timeline within a minute.
func TestExamplePublishesOneVideoOnSevenTimelines(t *testing.T) {
	t.Parallel()
	if _, err := program(); err != nil { // users have built it before they start it
		t.Fatal(err)
	}
	start := time.Now()
	simulator := nettest.FreeAddress(t)
	settings := []string{"CRIER_DATA_DIR=" + filepath.Join(t.TempDir(), "data"), "CRIER_SANDBOX=on",
		"CRIER_SANDBOX_LISTEN=" + simulator}
	key := runProgram(t, settings, "init", "--json").report(t).APIKey
	p := serveProcess(t, settings)

	script := exec.Command("../../examples/seven-networks/publish.sh", key, p.URL)
	script.Stderr = os.Stderr
	links, err := script.Output()
	if err != nil {
		t.Fatalf("the script failed: %v\n%s", err, links)
	}
	if took := time.Since(start); took > servertest.Pace(time.Minute) {
		t.Errorf("it took %s", took)
	}
	box := &servertest.Box{URL: "http://" + simulator}
	for _, network := range crier.Providers() {
		posts := box.Posts(t, map[string][]string{"provider": {string(network)}})
		if len(posts) != 1 || !strings.Contains(posts[0].Text, "Seven networks, one request") {
			t.Errorf("the timeline of %s: %+v", network, posts)
		}
		if !strings.Contains(string(links), box.URL+"/"+string(network)+"/") {
			t.Errorf("the script printed no link for %s:\n%s", network, links)
		}
	}
}
