package programtest

import (
	"os"
	"testing"
)

func TestProgramIsBuiltOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	builds := 0
	build := func(path string) {
		builds++
		if err := os.WriteFile(path, []byte("program"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	first, second := Cached(t, "one-1.0", build), Cached(t, "one-1.0", build)
	if data, err := os.ReadFile(first); first != second || builds != 1 || err != nil || string(data) != "program" {
		t.Errorf("%s and %s after %d builds: %q, %v", first, second, builds, data, err)
	}
	if third := Cached(t, "one-1.1", build); third == first || builds != 2 {
		t.Errorf("another version is at %s after %d builds", third, builds)
	}
}
