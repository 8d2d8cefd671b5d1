// Package programtest builds programs that tests run, and keeps them for the next run.
package programtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Cached returns the path of a program, which build makes when this machine does not have it yet. The name says which
// version it is.
func Cached(tb testing.TB, name string, build func(path string)) string {
	tb.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		tb.Fatal(err)
	}
	folder := filepath.Join(cache, "crier-test")
	program := filepath.Join(folder, name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		tb.Fatal(err)
	}
	built, err := os.MkdirTemp(folder, "build-") //nolint:usetesting // a rename must not cross file systems
	if err != nil {
		tb.Fatal(err)
	}
	defer os.RemoveAll(built)
	path := filepath.Join(built, name)
	build(path)
	// Two tests may build at once: the rename lets the last one win with a whole file.
	if err := os.Rename(path, program); err != nil {
		tb.Fatal(err)
	}
	return program
}
