package cli

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"crier"
)

// parseWhen parses a time as people write it: RFC 3339, a date and a time, a day and a time, a time of day, or a
// duration from now. It is in the zone of now unless it ends in one, such as Europe/Berlin, UTC or +02:00.
func parseWhen(words string, now time.Time) (crier.Time, error) {
	t, _, err := parseWhenAndZone(words, now, nil)
	return t, err
}

// parseWhenAndZone is parseWhen that also returns the IANA zone in which the time was chosen: the one in the text, or
// home, that of now, for a local time. It is nil for an instant and for an offset from UTC.
func parseWhenAndZone(words string, now time.Time, home *crier.Zone) (crier.Time, *crier.Zone, error) {
	if t, err := crier.ParseTime(words); err == nil {
		return t, nil, nil
	}
	fields := strings.Fields(words)
	zone := home
	if last := len(fields) - 1; last > 0 {
		if location, name, ok := parseZone(fields[last]); ok {
			now, zone, fields = now.In(location), name, fields[:last]
		}
	}
	if t, ok := wallClock(strings.ToLower(strings.Join(fields, " ")), now); ok {
		return crier.TimeOf(t), zone, nil
	}
	return crier.Time{}, nil, usagef("%q is not a time: write \"tomorrow 9:00\", \"friday 17:30 Europe/Berlin\", "+
		"\"2026-11-15 09:00\" in your zone, +3h, or 2026-11-15T09:00:00Z", words)
}

// parseZone parses the zone at the end of a time: a name, Z, or an offset from UTC, which has no name.
func parseZone(word string) (*time.Location, *crier.Zone, bool) {
	if strings.EqualFold(word, "z") {
		word = "UTC"
	}
	for _, layout := range []string{"-07:00", "-0700"} {
		if t, err := time.Parse(layout, word); err == nil {
			return t.Location(), nil, true
		}
	}
	name, known := crier.ParseZone(word)
	if !known {
		return nil, nil, false
	}
	location, err := name.Location()
	return location, &name, err == nil
}

// wallClock parses a time in the zone of now.
func wallClock(text string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02t15:04", "2006-01-02 15:04:05",
		"2006-01-02t15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	if t, ok := fromNow(text, now); ok {
		return t, true
	}
	return dayAndClock(text, now)
}

var (
	spanPart = regexp.MustCompile(`^(\d+(?:\.\d+)?) ?([a-z]+) ?(?:and )?`)
	clockOf  = regexp.MustCompile(`^(\d{1,2})(?::(\d\d))? ?(am|pm)?$`)
)

// spanUnits are units of time by their names; days and weeks have no fixed length.
var spanUnits = map[string]time.Duration{
	"h": time.Hour, "hour": time.Hour, "m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"s": time.Second, "sec": time.Second, "second": time.Second,
}

// longUnits are units of time in days.
var longUnits = map[string]int{"d": 1, "day": 1, "w": 7, "week": 7}

// fromNow parses +3h, in 2 days, 1d12h or 90 minutes. Days and weeks keep the time of day across clock changes.
func fromNow(text string, now time.Time) (at time.Time, ok bool) {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "+"), "in ")
	at = now
	for rest != "" {
		m := spanPart.FindStringSubmatch(rest)
		if m == nil {
			return now, false
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || n > 1e6 {
			return now, false
		}
		unit := m[2]
		if len(unit) > 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		if days, long := longUnits[unit]; long {
			whole, part := math.Modf(n * float64(days))
			at = at.AddDate(0, 0, int(whole)).Add(time.Duration(part * float64(24*time.Hour)))
		} else if length, short := spanUnits[unit]; short {
			at = at.Add(time.Duration(n * float64(length)))
		} else {
			return now, false
		}
		rest, ok = rest[len(m[0]):], true
	}
	return at, ok
}

// dayAndClock parses tomorrow 9:00, friday at 5pm, next monday 09:30 or 18:00, which is the next time that the clock
// shows it.
func dayAndClock(text string, now time.Time) (time.Time, bool) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, " at ", " "), "at ")
	day := ""
	hour, minute, ok := parseClock(text)
	if !ok {
		var clock string
		day, clock, _ = strings.Cut(strings.TrimPrefix(text, "next "), " ")
		if hour, minute, ok = parseClock(clock); !ok {
			return now, false
		}
	}
	at := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, hour, minute, 0, 0, now.Location())
	}
	switch day {
	case "":
		if !at(0).After(now) {
			return at(1), true
		}
		return at(0), true
	case "today":
		return at(0), true
	case "tomorrow":
		return at(1), true
	}
	for i := range 7 {
		name := strings.ToLower(time.Weekday(i).String())
		if day != name && day != name[:3] {
			continue
		}
		days := (i - int(now.Weekday()) + 7) % 7
		if days == 0 && !at(0).After(now) {
			days = 7
		}
		return at(days), true
	}
	return now, false
}

// parseClock parses 9:00, 09:00, 9am or 5:30 pm. A number alone is ambiguous and no time.
func parseClock(text string) (hour, minute int, ok bool) {
	m := clockOf.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return 0, 0, false
	}
	hour, _ = strconv.Atoi(m[1])   // digits
	minute, _ = strconv.Atoi(m[2]) // digits, or nothing
	switch {
	case m[3] != "" && (hour < 1 || hour > 12), hour > 23, minute > 59:
		return 0, 0, false
	case m[3] == "pm" && hour < 12:
		hour += 12
	case m[3] == "am" && hour == 12:
		hour = 0
	}
	return hour, minute, true
}

// parseDay parses a date, or a time as parseWhen does.
func parseDay(words string, now time.Time) (crier.Time, error) {
	if t, err := time.ParseInLocation("2006-01-02", words, now.Location()); err == nil {
		return crier.TimeOf(t), nil
	}
	return parseWhen(words, now)
}

// parseLastDay parses the end of a period: a date, which is its last day as in the dashboard, or a time.
func parseLastDay(words string, now time.Time) (crier.Time, error) {
	if t, err := time.ParseInLocation("2006-01-02", words, now.Location()); err == nil {
		return crier.TimeOf(time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 0, 0, now.Location())), nil
	}
	return parseWhen(words, now)
}

// span formats a duration for people.
func span(d time.Duration) string {
	d = d.Abs()
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
