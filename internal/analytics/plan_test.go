package analytics

import (
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func account(connected crier.Time) store.Account {
	return store.Account{SocialAccount: crier.SocialAccount{ID: crier.NewID(), ConnectedAt: connected}}
}

func TestReadingsOfAccountsAreSpreadOverTheDay(t *testing.T) {
	t.Parallel()
	now := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	const accounts = 24_000
	var hours [24]int
	for range accounts {
		a := account(crier.TimeOf(now.AddDate(0, -1, 0)))
		at := nextRead(a, now)
		for range 5 { // every day at the same minute
			next := nextRead(a, at)
			if next.Sub(at.Time) != 24*time.Hour {
				t.Fatalf("after %s it is read at %s", at, next)
			}
			at = next
			if due := dueRead(a, crier.TimeOf(at.Add(20*time.Second))); due.Sub(at.Time) > time.Minute {
				t.Fatalf("it is due at %s and read at %s", at, due)
			}
		}
		if first := nextRead(a, now).Sub(now.Time); first < minPause || first > minPause+24*time.Hour {
			t.Fatalf("it is read %s after a reading", first)
		}
		hours[at.UTC().Hour()]++
	}
	for hour, n := range hours {
		if n < accounts/24*4/5 || n > accounts/24*6/5 {
			t.Errorf("%d of %d accounts are read between %d and %d o'clock", n, accounts, hour, hour+1)
		}
	}
}

func TestReadingsAreSpreadAfterDowntime(t *testing.T) {
	t.Parallel()
	now := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	const accounts = 12_000
	var minutes [120]int
	atOnce := 0
	for range accounts {
		a := account(crier.TimeOf(now.AddDate(0, -1, 0)))
		at := dueRead(a, now)
		if at == now {
			atOnce++
			continue
		}
		minutes[int(at.Sub(now.Time)/time.Minute)]++
		if next := nextRead(a, at); next.Sub(at.Time) < minPause {
			t.Fatalf("read at %s and again at %s", at, next)
		}
	}
	for minute, n := range minutes {
		if n > accounts/120*2 {
			t.Errorf("%d of %d accounts are read in minute %d", n, accounts, minute)
		}
	}
	if atOnce > accounts/50 { // those whose minute it is, and one in 120 by chance
		t.Errorf("%d of %d accounts are read at once", atOnce, accounts)
	}
	if a := account(crier.TimeOf(now.Add(-time.Minute))); dueRead(a, now) != now {
		t.Error("an account that was just connected is not read at once")
	}
	young, old := account(crier.TimeOf(now.Add(-time.Minute))), account(crier.TimeOf(now.Add(-time.Hour)))
	young.Sandbox, old.Sandbox = true, true
	if nextRead(young, now).Sub(now.Time) != time.Minute || nextRead(old, now).Sub(now.Time) != time.Hour ||
		dueRead(old, now) != now {
		t.Error("accounts of the sandbox are read every minute while they are young, then every hour")
	}
}
