package sim_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
)

func TestEverythingAnsweredSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := setup(t, sim.Options{DataDir: dir})
	first.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"one"}`)
	id := first.posts()[0].PlatformPostID
	first.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"reply","parent":"`+id+`"}`)
	first.must(http.StatusOK, "POST", "/_control/likes", `{"provider":"toy","platformPostId":"`+id+`","count":3}`)

	// The journal as a killed process leaves it: written, never closed.
	copied := t.TempDir()
	copyJournal(t, dir, copied, "")
	second := setup(t, sim.Options{DataDir: copied})
	posts := second.posts()
	if len(posts) != 2 || posts[0].Text != "one" || posts[0].Likes != 3 || posts[1].Kind != "comment" ||
		*posts[1].ParentID != id {
		t.Fatalf("after the restart: %+v", posts)
	}
	second.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"two"}`)
	if posts := second.posts(); posts[2].PlatformPostID <= posts[1].PlatformPostID {
		t.Errorf("ids went back after the restart: %+v", posts)
	}
}

func copyJournal(t *testing.T, from, to, tail string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, "sandbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "sandbox.jsonl"), append(text, tail...), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTornLastLineIsDropped(t *testing.T) {
	t.Parallel()
	dir, copied := t.TempDir(), t.TempDir()
	first := setup(t, sim.Options{DataDir: dir})
	first.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"whole"}`)
	copyJournal(t, dir, copied, `{"n":"toy","s":99,"r":[{"t":"po`)
	second := setup(t, sim.Options{DataDir: copied})
	second.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"after"}`)

	again := t.TempDir()
	copyJournal(t, copied, again, "")
	third := setup(t, sim.Options{DataDir: again})
	if posts := third.posts(); len(posts) != 2 || posts[0].Text != "whole" || posts[1].Text != "after" {
		t.Fatalf("timeline is %+v", posts)
	}
}

func TestCorruptJournalIsNotOpened(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"broken line in the middle": "{\"n\":\"toy\"\n{\"n\":\"toy\",\"s\":1,\"r\":[]}\n",
		"network of another build":  "{\"n\":\"nosuch\",\"s\":1,\"r\":[]}\n",
		"table of another build":    "{\"n\":\"toy\",\"s\":1,\"r\":[{\"t\":\"nosuch\",\"k\":\"1\",\"v\":1}]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "sandbox.jsonl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := sim.Open(sim.Options{DataDir: dir}, []sim.Network{toyNetwork()})
			if err == nil || !strings.Contains(err.Error(), "line 1") {
				t.Fatalf("error is %v, want one that names line 1", err)
			}
		})
	}
}

func TestOneDataDirectoryServesOneSandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	setup(t, sim.Options{DataDir: dir})
	if _, err := sim.Open(sim.Options{DataDir: dir}, []sim.Network{toyNetwork()}); err == nil {
		t.Fatal("a second sandbox opened the same directory")
	}
}
