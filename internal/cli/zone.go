package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"crier"
)

// localZone returns the IANA name of the person's zone, in which what they repeat keeps its time of day; nil where the
// machine does not tell it.
func localZone(now time.Time) *crier.Zone {
	return zoneOf(now.Local(), os.Readlink, os.ReadFile)
}

// zoneOf finds the name of the zone of now: TZ has it, or /etc/localtime leads to it, or /etc/timezone has it.
func zoneOf(now time.Time, readLink func(string) (string, error), readFile func(string) ([]byte, error)) *crier.Zone {
	names := []string{now.Location().String()} // "Local" where TZ does not name one
	if link, err := readLink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(link), "zoneinfo/"); ok {
			names = append(names, name)
		}
	}
	if data, err := readFile("/etc/timezone"); err == nil {
		names = append(names, strings.TrimSpace(string(data)))
	}
	for _, name := range names {
		zone, known := crier.ParseZone(name)
		if !known {
			continue
		}
		if location, err := zone.Location(); err == nil && sameClock(now, location) {
			return &zone
		}
	}
	return nil
}

// sameClock reports whether a zone shows what now does, today and on the other side of a clock change: a file may name
// a zone that is not in use.
func sameClock(now time.Time, zone *time.Location) bool {
	for _, t := range []time.Time{now, now.AddDate(0, 6, 0)} {
		_, here := t.Zone()
		if _, there := t.In(zone).Zone(); here != there {
			return false
		}
	}
	return true
}
