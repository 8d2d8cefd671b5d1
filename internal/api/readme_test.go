package api_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"crier"
)

// The first steps of the README publish a post.
func TestReadmePublishesAPost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, steps, found := strings.Cut(string(readme), "```sh\nKEY=crier_…")
	steps, _, ended := strings.Cut(steps, "```")
	if !found || !ended {
		t.Fatal("the README has no steps that begin with the key")
	}
	eachEngine(t, func(t *testing.T, e *engine) {
		run := exec.CommandContext(t.Context(), "sh", "-ec", "KEY="+e.Key+strings.ReplaceAll(steps,
			"http://127.0.0.1:8080", e.URL))
		run.Stderr = os.Stderr
		output, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		if answer := string(output); !strings.Contains(answer, `"kind":"none_failed"`) ||
			!strings.Contains(answer, `"status":"`+string(crier.Published)+`"`) {
			t.Errorf("post-now answers %s", answer)
		}
	})
}
