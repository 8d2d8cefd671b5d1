package crier_test

import (
	"database/sql/driver"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"crier"
)

func TestTimesAreReadFromJSONStringsAlone(t *testing.T) {
	t.Parallel()
	const format = "must be an RFC 3339 time with Z or an offset, such as 2026-11-15T09:00:00Z"
	for text, want := range map[string]string{
		`"2026-11-15T09:00:00Z"`: "", `"2026-11-15t10:00:00+01:00"`: "",
		`"2026-11-15T10:00:00\u002B01:00"`: "", // as encoders for HTML write the +
		`"2026-11-15\u00"`:                 "invalid character '\"' in \\u hexadecimal character escape",
		`"\n"`:                             format,
		`1763197200`:                       "a time is a JSON string", `true`: "a time is a JSON string",
		`{}`:                       "a time is a JSON string",
		`["2026-11-15T09:00:00Z"]`: "a time is a JSON string",
		`""`:                       format, `"now"`: format, `"2026-11-15"`: format, `"2026-11-15T09:00:00"`: format,
		`"0000-01-01T00:00:00Z"`:      "must be a time between the years 1 and 9999",
		`"9999-12-31T23:59:59-00:01"`: "must be a time between the years 1 and 9999",
		`"0001-01-01T00:00:00+00:01"`: "must be a time between the years 1 and 9999",
	} {
		var got struct{ At crier.Time }
		err := json.Unmarshal([]byte(`{"At":`+text+`}`), &got)
		if want == "" {
			if err != nil || got.At.String() != "2026-11-15T09:00:00.000Z" {
				t.Errorf("%s is read as %s, %v", text, got.At, err)
			}
			continue
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if !got.At.IsZero() {
			t.Errorf("%s leaves %s behind", text, got.At)
		}
	}
}

func TestTimesLeaveNullAlone(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	if err := json.Unmarshal([]byte("null"), &at); err != nil || at.String() != "2026-11-15T09:00:00.000Z" {
		t.Errorf("null makes it %s, %v", at, err)
	}
	var optional crier.Optional[crier.Time]
	if err := json.Unmarshal([]byte("null"), &optional); err != nil || !optional.Null {
		t.Errorf("an optional null is %+v, %v", optional, err)
	}
}

// TestTimesAreKeysOfMaps: a time is text where JSON wants text, such as in keys.
func TestTimesAreKeysOfMaps(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 5e8, time.UTC))
	data, err := json.Marshal(map[crier.Time]int{at: 1})
	if err != nil || string(data) != `{"2026-11-15T09:00:00.500Z":1}` {
		t.Errorf("written as %s, %v", data, err)
	}
	var again map[crier.Time]int
	if err := json.Unmarshal(data, &again); err != nil || again[at] != 1 {
		t.Errorf("read as %v, %v", again, err)
	}
	if err := json.Unmarshal([]byte(`{"today":1}`), &again); err == nil {
		t.Error("a key that is no time is read")
	}
}

func TestTimesComeFromAndGoToTheDatabaseInUTC(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("JST", 9*3600)
	stored := time.Date(2026, 11, 15, 18, 0, 0, 123_456_789, tokyo)
	var at crier.Time
	if err := at.Scan(stored); err != nil || !at.Equal(stored.Truncate(time.Microsecond)) || at.Location() != time.UTC {
		t.Errorf("scanned as %v, %v", at.Time, err)
	}
	value, err := (crier.Time{Time: stored}).Value()
	if back, ok := value.(time.Time); err != nil || !ok || back.Location() != time.UTC || !back.Equal(stored) {
		t.Errorf("handed over as %v, %v", value, err)
	}
	for _, src := range []any{nil, "2026-11-15T09:00:00Z", int64(1), []byte("x"), 1.5} {
		var other crier.Time
		if err := other.Scan(src); err == nil || !other.IsZero() {
			t.Errorf("%T is scanned as %v, %v", src, other, err)
		}
	}
	if err := at.Scan(int64(1)); err == nil || err.Error() != "scan a time from int64" {
		t.Errorf("an integer: %v", err)
	}
	var _ driver.Valuer = at
}

func TestTimesAreReadFromTheTextThatSQLiteStores(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04:05.999999999-07:00"
	for _, text := range []string{"2026-11-15 09:00:00+00:00", "2026-11-15 09:00:00.1+00:00",
		"2026-11-15 09:00:00.000001+00:00", "2024-02-29 23:59:59.999999+00:00", "0001-01-01 00:00:00+00:00",
		"9999-12-31 23:59:59.999999+00:00", "2026-11-15 18:00:00.5+09:00", "2026-11-15 09:00:00.123456789+00:00"} {
		var got crier.Time
		want, err := time.Parse(layout, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Scan(text); err != nil || got != crier.TimeOf(want) {
			t.Errorf("%s is read as %v, %v", text, got.Time, err)
		}
	}
	for _, text := range []string{"", "2026-11-15", "2026-11-15 09:00:00", "2026-11-15T09:00:00Z",
		"2026-02-29 09:00:00+00:00", "2026-13-01 09:00:00+00:00", "2026-11-00 09:00:00+00:00",
		"2026-11-15 24:00:00+00:00", "2026-11-15 09:60:00+00:00", "2026-11-15 09:00:60+00:00",
		"2026-11-15 09:00:00.+00:00", "2026-11-15 09:00:00:5+00:00", "2026-11-15 0a:00:00+00:00",
		"2026-11-15 09:00:00.5x+00:00", "-026-11-15 09:00:00+00:00"} {
		var got crier.Time
		if err := got.Scan(text); err == nil || !got.IsZero() {
			t.Errorf("%q is read as %v, %v", text, got.Time, err)
		}
	}
}

func FuzzTimesAreReadLikeTimeParse(f *testing.F) {
	const layout = "2006-01-02 15:04:05.999999999-07:00"
	f.Add("2026-11-15 09:00:00.123456+00:00")
	f.Add("0001-01-01 00:00:00+00:00")
	f.Fuzz(func(t *testing.T, text string) {
		var got crier.Time
		err := got.Scan(text)
		want, wantErr := time.Parse(layout, text)
		if (err == nil) != (wantErr == nil) || err == nil && got != crier.TimeOf(want) {
			t.Errorf("%q is read as %v, %v, want %v, %v", text, got.Time, err, want, wantErr)
		}
	})
}

func TestTimeOrNilIsNilForTheZeroTime(t *testing.T) {
	t.Parallel()
	if got := crier.TimeOrNil(time.Time{}); got != nil {
		t.Errorf("the zero time is %v", got)
	}
	at := time.Date(2026, 11, 15, 9, 0, 0, 1_999, time.UTC)
	if got := crier.TimeOrNil(at); got == nil || got.Nanosecond() != 1_000 {
		t.Errorf("a time is %v", got)
	}
}

func TestClockTellsTheTimeAsDatabasesKeepIt(t *testing.T) {
	t.Parallel()
	clock := crier.Clock(func() time.Time {
		return time.Date(2026, 11, 15, 1, 0, 0, 999_999_999, time.FixedZone("", -8*3600))
	})
	if got := clock.Now(); got.Location() != time.UTC || got.Nanosecond() != 999_999_000 || got.Hour() != 9 {
		t.Errorf("now is %v", got.Time)
	}
}

// TestTimesSurviveTheWire: what was read is written so that reading it again gives the same instant, to the
// millisecond.
func TestTimesSurviveTheWire(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z",
		"2024-02-29T12:00:00+14:00", "2026-03-29T02:30:00+01:00", "9999-12-31T23:59:59.999999Z",
		"2026-11-15T09:00:00.000000001Z", "2026-11-15T09:00:00-12:00"} {
		first, err := crier.ParseTime(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		second, err := crier.ParseTime(first.String())
		if err != nil || !second.Equal(first.Truncate(time.Millisecond)) || second.String() != first.String() {
			t.Errorf("%s is written as %s and read as %s, %v", text, first, second, err)
		}
	}
}

func TestTimesAreWrittenLikeFormatDoes(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -12*3600)
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Unix(-1, 999_999_999), time.Unix(1<<40, 1),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, zone), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2024, 2, 29, 1, 2, 3, 4_000_000, zone), time.Date(2026, 11, 5, 9, 0, 0, 99_900_000, time.UTC)} {
		want := at.UTC().Format("2006-01-02T15:04:05.000Z")
		text, err := crier.Time{Time: at}.MarshalText()
		quoted, err2 := json.Marshal(crier.Time{Time: at})
		if got := (crier.Time{Time: at}).String(); got != want || string(text) != want || string(quoted) != `"`+want+`"` ||
			err != nil || err2 != nil {
			t.Errorf("%v is written as %s, %s and %s, %v, %v; want %s", at, got, text, quoted, err, err2, want)
		}
	}
}
