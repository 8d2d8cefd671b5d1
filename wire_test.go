package crier_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"crier"
)

func TestTimesOnTheWire(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	at := crier.TimeOf(time.Date(2026, 11, 15, 10, 0, 0, 123_456_789, berlin))
	data, err := json.Marshal(struct{ At crier.Time }{at})
	if err != nil || string(data) != `{"At":"2026-11-15T09:00:00.123Z"}` {
		t.Errorf("written as %s, %v", data, err)
	}
	if at.Nanosecond() != 123_456_000 {
		t.Errorf("kept to %d ns, want microseconds", at.Nanosecond())
	}
	for text, want := range map[string]string{
		"2026-11-15T09:00:00Z": "2026-11-15T09:00:00.000Z", "2026-11-15T10:00:00.5+01:00": "2026-11-15T09:00:00.500Z",
		"2024-02-29T23:59:59.999999Z": "2024-02-29T23:59:59.999Z", "2026-11-15t09:00:00z": "2026-11-15T09:00:00.000Z",
		"2026-11-15t09:00:00+01:00": "2026-11-15T08:00:00.000Z",
	} {
		if got, err := crier.ParseTime(text); err != nil || got.String() != want {
			t.Errorf("%s is read as %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "2026-11-15", "2026-11-15T09:00:00", "2026-11-15 09:00:00Z", "2026-11-15T9:00:00Z",
		"2026-11-15T09:00:00,5Z", "2026-02-29T09:00:00Z", "2026-11-15T24:00:00Z",
		"2026-11-15T09:00:00+0100", "2026-11-15T09:00:00+25:00", "12026-11-15T09:00:00Z", "9999-12-31T23:59:59-01:00",
		"2026-11-15t09:00:00", "now", "1763197200",
	} {
		if got, err := crier.ParseTime(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestIdsOnTheWire(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		id := crier.NewID()
		text := []byte(id)
		for i := range text {
			if rapid.Bool().Draw(rt, "upper") {
				text[i] = strings.ToUpper(string(text[i]))[0]
			}
		}
		if got, ok := crier.ParseID(string(text)); !ok || got != id {
			rt.Fatalf("%s is read as %s, %v", text, got, ok)
		}
		broken := rapid.SliceOfN(rapid.Byte(), 36, 36).Draw(rt, "broken")
		if got, ok := crier.ParseID(string(broken)); ok && string(got) != strings.ToLower(string(broken)) {
			rt.Fatalf("%q is read as %s", broken, got)
		}
	})
	var last crier.ID
	for range 1000 {
		next := crier.NewID()
		if next <= last {
			t.Fatalf("%s comes after %s and sorts before it", next, last)
		}
		last = next
	}
	if again := crier.DerivedID(last, "a"); again != crier.DerivedID(last, "a") ||
		crier.DerivedID(last, "a") == crier.DerivedID(last, "b") {
		t.Error("derived ids are not what they are derived from")
	}
}

func TestOptionalDistinguishesAbsentNullAndValue(t *testing.T) {
	t.Parallel()
	type body struct {
		Name crier.Optional[string] `json:"name,omitzero"`
	}
	for text, want := range map[string]crier.Optional[string]{`{}`: {}, `{"name":null}`: crier.Null[string](),
		`{"name":""}`: crier.Some(""), `{"name":"x"}`: crier.Some("x")} {
		var got body
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Name != want {
			t.Errorf("%s is read as %+v, %v", text, got.Name, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != text {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
		if (got.Name.Ptr() != nil) != want.HasValue() {
			t.Errorf("%s: the pointer does not tell", text)
		}
	}
}

func TestNamesAreCountedInCharactersAfterTrimming(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.SliceOfN(rapid.RuneFrom([]rune("aZ9ß漢🦉é")), 0, 70).Draw(rt, "letters")
		padded := strings.Repeat(" ", rapid.IntRange(0, 3).Draw(rt, "before")) + string(letters) +
			strings.Repeat("\u00a0", rapid.IntRange(0, 3).Draw(rt, "behind"))
		problem := crier.Name(padded).Problem()
		if good := len(letters) >= 2 && len(letters) <= 64; (problem == "") != good {
			rt.Fatalf("%q with %d characters: %q", padded, len(letters), problem)
		}
		if crier.Name(padded).Trimmed() != string(letters) {
			rt.Fatalf("%q is kept as %q", padded, crier.Name(padded).Trimmed())
		}
	})
}

func TestErrorsListTheirIssues(t *testing.T) {
	t.Parallel()
	err := crier.Invalid(crier.At("must be short", "posts", "1", "text"), crier.At("the body is odd"))
	if got := err.Error(); got != "The request is not valid: 2 problems. posts.1.text: must be short; the body is odd" {
		t.Errorf("got %q", got)
	}
	if data, _ := json.Marshal(err.Issues); string(data) != `[{"path":["posts","1","text"],"message":"must be short"},{"path":[],"message":"the body is odd"}]` {
		t.Errorf("written as %s", data)
	}
}
