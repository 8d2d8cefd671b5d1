package slot_test

import (
	"testing"
	"time"

	"crier"
	"crier/internal/slot"
)

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := crier.Zone(name).Location()
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// wallLayout reads and writes wall-clock times in tables.
const wallLayout = "2006-01-02 15:04"

func wall(t testing.TB, s string) time.Time {
	t.Helper()
	w, err := time.Parse(wallLayout, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAtMovesSkippedTimesForwardAndTakesTheFirstOfTwo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ rule, zone, wall, want string }{
		{"an ordinary time", "Europe/Berlin", "2026-07-01 09:00", "2026-07-01T09:00:00+02:00"},
		{"a zone without changes", "Asia/Kathmandu", "2026-07-01 09:00", "2026-07-01T09:00:00+05:45"},
		{"the last minute before a gap", "Europe/Berlin", "2026-03-29 01:59", "2026-03-29T01:59:00+01:00"},
		{"the first minute of a gap", "Europe/Berlin", "2026-03-29 02:00", "2026-03-29T03:00:00+02:00"},
		{"inside a gap", "Europe/Berlin", "2026-03-29 02:30", "2026-03-29T03:30:00+02:00"},
		{"the first minute after a gap", "Europe/Berlin", "2026-03-29 03:00", "2026-03-29T03:00:00+02:00"},
		{"inside an overlap", "Europe/Berlin", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00"},
		{"the first minute after an overlap", "Europe/Berlin", "2026-10-25 03:00", "2026-10-25T03:00:00+01:00"},
		{"west of Greenwich, gap", "America/New_York", "2026-03-08 02:30", "2026-03-08T03:30:00-04:00"},
		{"west of Greenwich, overlap", "America/New_York", "2026-11-01 01:30", "2026-11-01T01:30:00-04:00"},
		{"gap at midnight", "Asia/Beirut", "2026-03-29 00:00", "2026-03-29T01:00:00+03:00"},
		{"gap at midnight, inside", "America/Sao_Paulo", "2018-11-04 00:15", "2018-11-04T01:15:00-02:00"},
		{"overlap at midnight belongs to the day before", "America/Sao_Paulo", "2018-02-17 23:30",
			"2018-02-17T23:30:00-02:00"},
		{"midnight after that overlap", "America/Sao_Paulo", "2018-02-18 00:00", "2018-02-18T00:00:00-03:00"},
		{"gap of half an hour", "Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-04T02:45:00+11:00"},
		{"overlap of half an hour", "Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-05T01:45:00+11:00"},
		{"gap of two hours", "Antarctica/Troll", "2026-03-29 01:30", "2026-03-29T03:30:00+02:00"},
		{"overlap of two hours", "Antarctica/Troll", "2026-10-25 01:30", "2026-10-25T01:30:00+02:00"},
		{"summer time suspended in Ramadan", "Africa/Casablanca", "2026-03-22 02:30", "2026-03-22T03:30:00+01:00"},
		{"a change of zone and of summer time at once", "America/Scoresbysund", "2024-03-31 00:30",
			"2024-03-31T00:30:00-01:00"},
		{"gap on a Saturday evening", "America/Scoresbysund", "2025-03-29 23:30", "2025-03-30T00:30:00-01:00"},
		{"a day that was skipped", "Pacific/Apia", "2011-12-30 09:00", "2011-12-31T09:00:00+14:00"},
		{"the day after", "Pacific/Apia", "2011-12-31 09:00", "2011-12-31T09:00:00+14:00"},
		{"a day that came twice", "America/Juneau", "1867-10-18 12:00", "1867-10-17T20:57:41Z"},
	} {
		w := wall(t, test.wall)
		got := slot.At(location(t, test.zone), w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute())
		want, err := time.Parse(time.RFC3339, test.want)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %s in %s: got %s, want %s", test.rule, test.wall, test.zone, got, want.UTC())
		}
	}
}

func TestDaysLaterKeepsTheTimeOfDay(t *testing.T) {
	t.Parallel()
	berlin := location(t, "Europe/Berlin")
	for _, test := range []struct {
		rule string
		from time.Time
		days int
		want time.Time
	}{
		{"seconds stay", time.Date(2026, 3, 1, 8, 0, 7, 5000, berlin), 1, time.Date(2026, 3, 2, 8, 0, 7, 5000, berlin)},
		{"over a change", time.Date(2026, 3, 28, 8, 0, 0, 0, berlin), 1, time.Date(2026, 3, 29, 8, 0, 0, 0, berlin)},
		{"into a gap", time.Date(2026, 3, 28, 2, 30, 0, 0, berlin), 1, time.Date(2026, 3, 29, 3, 30, 0, 0, berlin)},
		{"over a gap", time.Date(2026, 3, 28, 2, 30, 0, 0, berlin), 2, time.Date(2026, 3, 30, 2, 30, 0, 0, berlin)},
		{"into the first of two", time.Date(2026, 10, 24, 2, 30, 0, 0, berlin), 1,
			time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)},
		{"from the second of two", time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), 1,
			time.Date(2026, 10, 26, 2, 30, 0, 0, berlin)},
		{"over the end of a leap year", time.Date(2028, 2, 28, 12, 0, 0, 0, berlin), 365,
			time.Date(2029, 2, 27, 12, 0, 0, 0, berlin)},
	} {
		if got := slot.DaysLater(test.from, test.days, berlin); !got.Equal(test.want) {
			t.Errorf("%s: got %s, want %s", test.rule, got.In(berlin), test.want)
		}
	}
}
