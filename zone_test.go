package crier_test

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

// TestZonesAreThoseOfTheEmbeddedDatabase: the list is a file, and the database comes with Go. A new Go may bring new
// zones, and they are to be known.
func TestZonesAreThoseOfTheEmbeddedDatabase(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	notZones := []string{"Factory"} // what a machine has before somebody has set its zone
	var want []string
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, "/") && !slices.Contains(notZones, file.Name) {
			want = append(want, file.Name)
		}
	}
	slices.Sort(want)
	data, err := os.ReadFile("zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(data)); !slices.Equal(got, want) {
		t.Errorf("zones.txt has %d names, the embedded database %d: they must be the same, sorted", len(got), len(want))
	}
	for _, name := range want {
		if location, err := crier.Zone(name).Location(); err != nil || location.String() != name {
			t.Errorf("%s: %v, %v", name, location, err)
		}
	}
}

func TestInvalidZoneNamesAreRejected(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "Local", "localtime", "Factory", "posixrules", "posix/Europe/Berlin", "right/UTC", "europe/berlin",
		"+02:00", "UTC+2", "../UTC", "/usr/share/zoneinfo/UTC", "Europe/Berlin\x00", "Europe/Berlin ",
	} {
		if crier.Zone(name).Problem() == "" {
			t.Errorf("%q is taken for a zone", name)
		}
		if location, err := crier.Zone(name).Location(); err == nil {
			t.Errorf("%q leads to %v", name, location)
		}
	}
	if location, err := crier.Zone("Europe/Berlin").Location(); err != nil ||
		time.Date(2026, 7, 1, 12, 0, 0, 0, location).UTC().Hour() != 10 {
		t.Errorf("Europe/Berlin in July: %v, %v", location, err)
	}
}

func TestZonesAreCaseInsensitive(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]crier.Zone{"Europe/Berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin",
		"utc": "UTC", "america/argentina/buenos_aires": "America/Argentina/Buenos_Aires", "Local": "", "": "",
		"berlin": ""} {
		if got, found := crier.ParseZone(word); got != want || found != (want != "") {
			t.Errorf("%q means %q, %v; want %q", word, got, found, want)
		}
	}
}
