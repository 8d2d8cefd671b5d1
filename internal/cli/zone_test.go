package cli

import (
	"errors"
	"testing"
	"time"

	"crier"
)

func TestLocalZoneIsDetected(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 17, 9, 0, 0, 0, berlin)
	unnamed := time.Date(2026, 11, 17, 9, 0, 0, 0, time.FixedZone("Local", 3600)) // as far as it tells
	for name, c := range map[string]struct {
		now        time.Time
		link, file string
		want       crier.Zone
	}{
		"a variable": {now: now, link: "/usr/share/zoneinfo/Asia/Tokyo", want: "Europe/Berlin"},
		"a link":     {now: unnamed, link: "/usr/share/zoneinfo/Africa/Algiers", want: "Africa/Algiers"},
		"a link elsewhere": {now: unnamed, link: "../var/db/timezone/zoneinfo/Africa/Tunis",
			want: "Africa/Tunis"},
		"a file":                   {now: unnamed, file: "Africa/Lagos\n", want: "Africa/Lagos"},
		"a file of another time":   {now: unnamed, file: "Asia/Tokyo\n"},
		"a file of another winter": {now: unnamed, file: "Europe/Berlin\n"},
		"nothing":                  {now: unnamed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(text string) (string, error) {
				if text == "" {
					return "", errors.New("there is none")
				}
				return text, nil
			}
			got := zoneOf(c.now, func(string) (string, error) { return read(c.link) },
				func(string) ([]byte, error) {
					text, err := read(c.file)
					return []byte(text), err
				})
			if text(got) != string(c.want) {
				t.Errorf("got %q, want %q", text(got), c.want)
			}
		})
	}
}

func TestLocalTimesUseTheLocalZone(t *testing.T) {
	t.Parallel()
	home := crier.Zone("Europe/Berlin")
	now := time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)
	for words, want := range map[string]crier.Zone{
		"tomorrow 9:00":                 home,
		"+3h":                           home,
		"2026-12-24 18:00":              home,
		"friday 17:30 America/New_York": "America/New_York",
		"2026-12-24 18:00 +02:00":       "",
		"2026-12-24T18:00:00Z":          "",
	} {
		if _, zone, err := parseWhenAndZone(words, now, &home); err != nil || text(zone) != string(want) {
			t.Errorf("%s: %q and %v, want %q", words, text(zone), err, want)
		}
	}
}
