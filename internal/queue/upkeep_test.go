package queue

import (
	"testing"
	"time"
)

func TestIndexesAreRebuiltDailyOffPeak(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	for name, c := range map[string]struct{ after, want time.Time }{
		"before it":             {at(15, 0, 0), at(15, 3, 43)},
		"at it":                 {at(15, 3, 43), at(16, 3, 43)},
		"after it":              {at(15, 22, 0), at(16, 3, 43)},
		"over a month":          {at(30, 22, 0), at(31, 3, 43)},
		"on another zone's day": {time.Date(2026, 11, 16, 0, 30, 0, 0, berlin), at(16, 3, 43)},
	} {
		if got := quietTime.Next(c.after); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
