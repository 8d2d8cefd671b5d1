package cli

import (
	"testing"
	"time"
)

func TestParseTimes(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// a Monday
	now := time.Date(2026, 11, 16, 10, 30, 0, 0, berlin)
	for words, want := range map[string]string{
		"2026-11-20T09:00:00Z":      "2026-11-20T10:00:00+01:00",
		"2026-11-20T09:00:00+02:00": "2026-11-20T08:00:00+01:00",
		"2026-11-20 09:00":          "2026-11-20T09:00:00+01:00",
		"2026-11-20T09:00":          "2026-11-20T09:00:00+01:00",
		"2026-07-01 09:00":          "2026-07-01T09:00:00+02:00",
		"tomorrow 9:00":             "2026-11-17T09:00:00+01:00",
		"Tomorrow at 9am":           "2026-11-17T09:00:00+01:00",
		"today 18:00":               "2026-11-16T18:00:00+01:00",
		"18:00":                     "2026-11-16T18:00:00+01:00",
		"9:00":                      "2026-11-17T09:00:00+01:00",
		"5:30 pm":                   "2026-11-16T17:30:00+01:00",
		"12am":                      "2026-11-17T00:00:00+01:00",
		"friday 17:30":              "2026-11-20T17:30:00+01:00",
		"fri 17:30":                 "2026-11-20T17:30:00+01:00",
		"monday 11:00":              "2026-11-16T11:00:00+01:00",
		"monday 9:00":               "2026-11-23T09:00:00+01:00",
		"next monday 9:00":          "2026-11-23T09:00:00+01:00",
		"+3h":                       "2026-11-16T13:30:00+01:00",
		"3h":                        "2026-11-16T13:30:00+01:00",
		"in 90 minutes":             "2026-11-16T12:00:00+01:00",
		"2h30m":                     "2026-11-16T13:00:00+01:00",
		"+1d12h":                    "2026-11-17T22:30:00+01:00",
		"in 2 days":                 "2026-11-18T10:30:00+01:00",
		"in 1 hour and 5 minutes":   "2026-11-16T11:35:00+01:00",
		"2 weeks":                   "2026-11-30T10:30:00+01:00",

		"tomorrow 9:00 America/New_York": "2026-11-17T15:00:00+01:00",
		"friday at 17:30 asia/tokyo":     "2026-11-20T09:30:00+01:00",
		"2026-07-01 09:00 UTC":           "2026-07-01T11:00:00+02:00",
		"2026-11-20T09:00 Z":             "2026-11-20T10:00:00+01:00",
		"2026-11-20 09:00:00 +0530":      "2026-11-20T04:30:00+01:00",
		"18:00 -05:00":                   "2026-11-17T00:00:00+01:00",
		"today 1:00 Pacific/Kiritimati":  "2026-11-15T12:00:00+01:00",
		"5:30 pm Europe/London":          "2026-11-16T18:30:00+01:00",
		"in 2 days America/New_York":     "2026-11-18T10:30:00+01:00",
	} {
		got, err := parseWhen(words, now)
		if err != nil || got.In(berlin).Format(time.RFC3339) != want {
			t.Errorf("%q is %s, %v; want %s", words, got.In(berlin).Format(time.RFC3339), err, want)
		}
	}
	for _, wrong := range []string{"", "soon", "9", "25:00", "13pm", "tomorrow", "blursday 9:00", "2026-13-01 09:00",
		"3 lightyears", "+h", "9:00 Europe/Atlantis", "Europe/Berlin", "+02:00", "9 UTC"} {
		if got, err := parseWhen(wrong, now); err == nil {
			t.Errorf("%q is read as %s", wrong, got)
		} else if ExitCode(err) != exitUsage {
			t.Errorf("%q ends with %d", wrong, ExitCode(err))
		}
	}
}

func TestEndDateIsInclusive(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 17, 9, 0, 0, 0, berlin)
	for words, want := range map[string]string{
		"2027-06-07":       "2027-06-07T23:59:00+02:00",
		"2027-06-07 08:00": "2027-06-07T08:00:00+02:00",
		"+1w":              "2026-11-24T09:00:00+01:00",
	} {
		if got, err := parseLastDay(words, now); err != nil || got.In(berlin).Format(time.RFC3339) != want {
			t.Errorf("%s ends at %s, %v; want %s", words, got.In(berlin), err, want)
		}
	}
}

func TestDaysFromNowKeepTheTimeOfDayAcrossAClockChange(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	before := time.Date(2026, 10, 24, 9, 0, 0, 0, berlin) // the clocks change during the night
	got, err := parseWhen("+1d", before)
	if err != nil || got.In(berlin).Format("2006-01-02 15:04") != "2026-10-25 09:00" {
		t.Errorf("%s, %v", got.In(berlin), err)
	}
}
