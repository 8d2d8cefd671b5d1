package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"crier"
)

// localZone returns the IANA name of the person's zone, in which repeated posts keep their time of day; nil if the
// machine does not know it.
func localZone(now time.Time) *crier.Zone {
	return zoneOf(now.Local(), os.Readlink, os.ReadFile)
}

// zoneOf returns the name of the zone of now, from TZ, /etc/localtime or /etc/timezone.
func zoneOf(now time.Time, readLink func(string) (string, error), readFile func(string) ([]byte, error)) *crier.Zone {
	names := []string{now.Location().String()} // "Local" if TZ does not name one
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

// sameClock reports whether a zone shows the same time as now, today and across a clock change: a file may name a zone
// that is not in use.
func sameClock(now time.Time, zone *time.Location) bool {
	for _, t := range []time.Time{now, now.AddDate(0, 6, 0)} {
		_, here := t.Zone()
		if _, there := t.In(zone).Zone(); here != there {
			return false
		}
	}
	return true
}
