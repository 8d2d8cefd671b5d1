package crier

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// timeLayout is the format of every instant in responses: RFC 3339, UTC, milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// StoredTimeLayout is the format in which SQLite stores times; PostgreSQL reads it as well. The driver writes it.
const StoredTimeLayout = "2006-01-02 15:04:05.999999999-07:00"

// rfc3339 rejects what time.Parse accepts in addition: an hour of one digit, a comma before the fraction. Section 5.6
// of the RFC allows T and Z in lower case.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

// Time is an instant on the wire and in the store: UTC, stored in microseconds, shown in milliseconds.
type Time struct{ time.Time }

// TimeOf truncates t to the precision of both databases.
func TimeOf(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// ParseTime parses RFC 3339 with Z or an offset. A local time without one is rejected: it is ambiguous.
func ParseTime(s string) (Time, error) {
	s = strings.ToUpper(s)
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !rfc3339.MatchString(s) {
		return Time{}, fmt.Errorf("must be an RFC 3339 time with Z or an offset, such as 2026-11-15T09:00:00Z")
	}
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return Time{}, fmt.Errorf("must be a time between the years 1 and 9999")
	}
	return TimeOf(t), nil
}

// String returns the form on the wire.
func (t Time) String() string { return string(t.append(make([]byte, 0, len(timeLayout)))) }

// MarshalText writes the form on the wire.
func (t Time) MarshalText() ([]byte, error) { return t.append(nil), nil }

// MarshalJSON writes the form on the wire; it hides the method of the embedded time.
func (t Time) MarshalJSON() ([]byte, error) {
	return append(t.append(append(make([]byte, 0, len(timeLayout)+2), '"')), '"'), nil
}

// append appends the form on the wire. A list has more than a hundred times; Format takes several times as long.
func (t Time) append(b []byte) []byte {
	u := t.UTC()
	year, month, day := u.Date()
	if year < 0 || year > 9999 {
		return u.AppendFormat(b, timeLayout)
	}
	hour, minute, second := u.Clock()
	b = append(appendDigits(b, year, 1000), '-')
	b = append(appendDigits(b, int(month), 10), '-')
	b = append(appendDigits(b, day, 10), 'T')
	b = append(appendDigits(b, hour, 10), ':')
	b = append(appendDigits(b, minute, 10), ':')
	b = append(appendDigits(b, second, 10), '.')
	return append(appendDigits(b, u.Nanosecond()/int(time.Millisecond), 100), 'Z')
}

// appendDigits appends a number with leading zeros; first is the value of its first digit.
func appendDigits(b []byte, n, first int) []byte {
	for ; first > 0; first /= 10 {
		b = append(b, byte('0'+n/first%10))
	}
	return b
}

// UnmarshalText accepts what ParseTime accepts.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := ParseTime(string(text))
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// UnmarshalJSON accepts what ParseTime accepts, as a JSON string.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return fmt.Errorf("a time is a JSON string")
	}
	if bytes.IndexByte(data, '\\') < 0 {
		return t.UnmarshalText(data[1 : len(data)-1])
	}
	// Some encoders escape the + of an offset.
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a time is a JSON string: %w", err)
	}
	return t.UnmarshalText([]byte(text))
}

// Scan implements sql.Scanner: PostgreSQL returns times, SQLite the text that it stores.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*t = TimeOf(v)
		return nil
	case string:
		if parsed, ok := parseStored(v); ok {
			*t = parsed
			return nil
		}
		parsed, err := time.Parse(StoredTimeLayout, v)
		if err != nil {
			return fmt.Errorf("scan a time from %q", v)
		}
		*t = TimeOf(parsed)
		return nil
	}
	return fmt.Errorf("scan a time from %T", src)
}

// parseStored parses a time as SQLite stores it: 2026-11-15 09:00:00.123456+00:00, with up to six digits of a fraction.
// It is called for every time that is read; time.Parse takes several times as long.
func parseStored(s string) (Time, bool) {
	const layout, zone = "2006-01-02 15:04:05", "+00:00"
	clock, ok := strings.CutSuffix(s, zone)
	if !ok || len(clock) < len(layout) || clock[4] != '-' || clock[7] != '-' || clock[10] != ' ' || clock[13] != ':' ||
		clock[16] != ':' {
		return Time{}, false
	}
	micros, ok := parseFraction(clock[len(layout):])
	year, ok1 := digits(clock[:4])
	month, ok2 := digits(clock[5:7])
	day, ok3 := digits(clock[8:10])
	hour, ok4 := digits(clock[11:13])
	minute, ok5 := digits(clock[14:16])
	second, ok6 := digits(clock[17:19])
	if !ok || !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || hour > 23 || minute > 59 || second > 59 {
		return Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, micros*int(time.Microsecond), time.UTC)
	return Time{t}, t.Month() == time.Month(month) && t.Day() == day
}

// parseFraction parses the fraction of a second, with its point, as microseconds; nothing is zero.
func parseFraction(s string) (micros int, ok bool) {
	if s == "" {
		return 0, true
	}
	fraction := s[1:]
	if s[0] != '.' || len(fraction) == 0 || len(fraction) > 6 {
		return 0, false
	}
	micros, ok = digits(fraction)
	for range 6 - len(fraction) {
		micros *= 10
	}
	return micros, ok
}

// digits parses decimal digits.
func digits(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// Value implements driver.Valuer for both databases.
func (t Time) Value() (driver.Value, error) { return t.UTC(), nil }

// TimeOrNil returns a pointer to the time; nil for the zero time.
func TimeOrNil(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	at := TimeOf(t)
	return &at
}

// Clock returns the current time: time.Now, except in tests.
type Clock func() time.Time

// Now returns the current time with the precision of both databases.
func (c Clock) Now() Time { return TimeOf(c()) }
