package graph

import (
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

func TestSinceIsTheFirstSuspectAttempt(t *testing.T) {
	t.Parallel()
	now := providertest.NewClock().Now()
	for name, tc := range map[string]struct {
		noted string
		want  time.Time
	}{
		"nothing was noted":  {"", now},
		"an earlier attempt": {now.Add(-time.Hour).Format(time.RFC3339), now.Add(-time.Hour)},
		"a later one":        {now.Add(time.Hour).Format(time.RFC3339), now},
		"an invalid note":    {"yesterday", now},
		"the same attempt":   {now.Format(time.RFC3339), now},
	} {
		st := provider.State{Data: map[string]string{noteSuspect: tc.noted}}
		if got := Since(st, provider.Attempt{StartedAt: now}); !got.Equal(tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	var st provider.State
	if IsSuspect(st) {
		t.Error("a new publication is suspect")
	}
	Suspect(&st, now.In(time.FixedZone("", 3600)))
	if !IsSuspect(st) || st.Data[noteSuspect] != "2026-11-15T12:00:00Z" {
		t.Errorf("notes %v", st.Data)
	}
}

func TestSettledRemovesOnlyItsOwnNotes(t *testing.T) {
	t.Parallel()
	st := provider.State{Data: map[string]string{noteSuspect: "x", notePublished: "x", noteUntold: "x",
		noteListings: "1", noteRefusals: "1", "other": "kept"}}
	if Settled(&st); len(st.Data) != 1 || st.Data["other"] != "kept" {
		t.Errorf("remaining notes %v", st.Data)
	}
	st = provider.State{Data: map[string]string{noteSuspect: "x"}}
	if Settled(&st); st.Data != nil {
		t.Errorf("remaining notes %#v, want nil", st.Data)
	}
	if Settled(&st); st.Data != nil {
		t.Errorf("notes after the second call: %v", st.Data)
	}
}

// TestNearestReturnsTheClosestInTime: the time distinguishes posts with the same text; a post that is
// older than the allowed clock skew existed before the attempt.
func TestNearestReturnsTheClosestInTime(t *testing.T) {
	t.Parallel()
	attempt := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	type post struct {
		text   string
		offset time.Duration
	}
	for name, tc := range map[string]struct {
		list []post
		want time.Duration
		none bool
	}{
		"nothing":                               {none: true},
		"another text":                          {list: []post{{"other", 0}}, none: true},
		"one a moment after":                    {list: []post{{"text", time.Second}}, want: time.Second},
		"one a moment before, by another clock": {list: []post{{"text", -30 * time.Second}}, want: -30 * time.Second},
		"one before that":                       {list: []post{{"text", -31 * time.Second}}, none: true},
		"the nearer of two": {list: []post{{"text", time.Hour}, {"text", 2 * time.Second}},
			want: 2 * time.Second},
		"the nearer of two, before": {list: []post{{"text", -time.Second}, {"text", 2 * time.Second}},
			want: -time.Second},
		"the first of two as near": {list: []post{{"text", 2 * time.Second}, {"text", -2 * time.Second}},
			want: 2 * time.Second},
		"not a nearer other": {list: []post{{"other", 0}, {"text", time.Minute}}, want: time.Minute},
	} {
		got, found := Nearest(tc.list, attempt, func(p post) time.Time { return attempt.Add(p.offset) },
			func(p post) bool { return p.text == "text" })
		if found == tc.none || found && got.offset != tc.want {
			t.Errorf("%s: %+v, %t; want %v", name, got, found, tc.want)
		}
	}
}

func TestStrategyNeedsTwoAbsences(t *testing.T) {
	t.Parallel()
	want := provider.Strategy{Method: provider.ByReading, NotBefore: 10 * time.Second, Absences: 2,
		Apart: 30 * time.Second}
	if got := Strategy(); got != want {
		t.Errorf("strategy %+v", got)
	}
}
