package slot

import "time"

// maxOffset is more than the largest offset of any zone from UTC.
const maxOffset = 24 * time.Hour

// At returns the instant at which the clocks of loc show the given date and time. A time that exists twice that day
// means the first; one that the clocks skip moves forward by the gap: 02:30 becomes 03:30 if 02:00 to 03:00 is missing.
// Values outside their usual range carry over, as with time.Date. The result is in UTC.
//
// time.Date is not enough: for both cases it does not guarantee which of the two zones involved it uses.
func At(loc *time.Location, year int, month time.Month, day, hour, minute int) time.Time {
	at, _ := locate(loc, time.Date(year, month, day, hour, minute, 0, 0, time.UTC))
	return at
}

// DaysLater returns the instant that is the given number of days after t and shows the same time of day on the clocks
// of loc, by the rules of At. A series counts from its first instant: a step from an instant that was moved by a clock
// change would keep the moved time of day.
func DaysLater(t time.Time, days int, loc *time.Location) time.Time {
	at, _ := locate(loc, wallOf(t, loc).AddDate(0, 0, days))
	return at
}

// wallOf returns the wall-clock time of loc at t. Wall-clock values are times in UTC that represent no instant: UTC has
// neither gaps nor repetitions, so that days and hours can be added to them.
func wallOf(t time.Time, loc *time.Location) time.Time {
	t = t.In(loc)
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// locate finds the instant of a wall-clock value by the rules of At. gap is how far it was moved, zero when the value
// exists.
func locate(loc *time.Location, wall time.Time) (at time.Time, gap time.Duration) {
	before, after := around(loc, wall)
	if at = wall.Add(-after.offset); at.Before(after.start) {
		return wall.Add(-before.offset), after.offset - before.offset // as if the clock before the change had gone on
	}
	return at, 0
}

// reach returns the first instant at which the clocks of loc show wall or later. locate never puts wall, or a value
// after it, before this instant.
func reach(loc *time.Location, wall time.Time) time.Time {
	_, after := around(loc, wall)
	if at := wall.Add(-after.offset); at.After(after.start) {
		return at
	}
	return after.start
}

// period is a period during which a zone has the same offset from UTC.
type period struct {
	start  time.Time // the zero time when there is none before
	offset time.Duration
}

// around returns the first period that does not end before its clocks show wall, and the one before it.
func around(loc *time.Location, wall time.Time) (before, after period) {
	for t := wall.Add(-maxOffset).In(loc); ; {
		start, end := t.ZoneBounds()
		_, offset := t.Zone()
		before, after = after, period{start.UTC(), time.Duration(offset) * time.Second}
		if end.IsZero() || wall.Add(-after.offset).Before(end) {
			return before, after
		}
		t = end
	}
}
