package crier_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// SQLite and its C library are translated to Go together. The library keeps no compatibility between versions for
// anything but the SQLite that was tested with it, and Go picks the newest version that any module asks for.
func TestSQLiteHasItsOwnCLibrary(t *testing.T) {
	t.Parallel()
	const library = "modernc.org/libc"
	used := listModule(t, "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}", library)
	requirements, err := os.ReadFile(listModule(t, "{{.GoMod}}", "modernc.org/sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(requirements), library+" ")
	if !found {
		t.Fatalf("modernc.org/sqlite does not require %s any more", library)
	}
	if wanted := strings.Fields(behind)[0]; used != wanted {
		t.Errorf("%s is %s, and SQLite was tested with %s: set that version in the replace directive of go.mod",
			library, used, wanted)
	}
}

func listModule(t *testing.T, format, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", format, module).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}
