package provider_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crier/internal/provider"
)

var perMinute = provider.RateLimit{Name: "posts of an account a minute", Scope: provider.ScopeAccount, Max: 3,
	Seconds: 60}

func TestSlidingLimitHoldsInEveryWindow(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 15, 9, 0, 0, 700_000_000, time.UTC)
	var uses, taken []provider.Use
	for step := range 3000 {
		at := start.Add(time.Duration(step) * 100 * time.Millisecond)
		kept, free, ok := perMinute.Take(uses, at, 1)
		if !ok {
			if !free.After(at) || free.Sub(at) > 62*time.Second {
				t.Fatalf("full at %s, free at %s", at, free)
			}
			continue
		}
		uses, taken = kept, append(taken, provider.Use{At: at, Units: 1})
		inWindow := 0
		for _, u := range taken {
			if at.Sub(u.At) < time.Minute {
				inWindow++
			}
		}
		if inWindow > 3 {
			t.Fatalf("%d within the minute before %s", inWindow, at)
		}
	}
	if len(taken) < 13 { // five minutes, three each, minus the rounding of the buckets
		t.Errorf("only %d were allowed", len(taken))
	}
	if len(uses) > 4 {
		t.Errorf("expired uses are not removed: %v", uses)
	}
}

func TestDailyLimitResetsAtMidnightInItsZone(t *testing.T) {
	t.Parallel()
	daily := provider.RateLimit{Name: "videos", Scope: provider.ScopeInstallation, Max: 2, Seconds: 86400,
		ResetZone: "America/Los_Angeles"}
	for _, tc := range []struct{ name, at, free string }{
		{"winter", "2026-11-15T09:00:00Z", "2026-11-16T08:00:00Z"},
		{"summer", "2026-07-01T09:00:00Z", "2026-07-02T07:00:00Z"},
		{"the day that has 25 hours", "2026-11-01T07:30:00Z", "2026-11-02T08:00:00Z"},
		{"the day that has 23 hours", "2026-03-08T08:30:00Z", "2026-03-09T07:00:00Z"},
		{"a moment before midnight", "2026-11-16T07:59:59Z", "2026-11-16T08:00:00Z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			at, free := mustTime(t, tc.at), mustTime(t, tc.free)
			uses, _, ok := daily.Take(nil, at, 2)
			if !ok || daily.Used(uses, at) != 2 {
				t.Fatalf("a new day refuses: %v", uses)
			}
			_, got, ok := daily.Take(uses, at, 1)
			if ok || !got.Equal(free) {
				t.Errorf("free at %s, %v; want %s", got, ok, free)
			}
			if _, _, ok := daily.Take(uses, free, 2); !ok {
				t.Error("the next day refuses")
			}
		})
	}
}

func TestExhaustedLimitReportsNameAndDelay(t *testing.T) {
	t.Parallel()
	now := mustTime(t, "2026-11-15T09:00:00Z")
	e := perMinute.Exhausted(now, now.Add(40*time.Second))
	if e.Kind != provider.RateLimited || e.Code != provider.CodeRateLimited || e.Scope != provider.ScopeAccount ||
		e.RetryAfter != 40*time.Second ||
		e.Message != "the network allows 3 posts of an account a minute, and they are used up" {
		t.Errorf("%+v", e)
	}
	daily := provider.RateLimit{ResetZone: "UTC"}
	if e := daily.Exhausted(now, now); e.Code != provider.CodeQuotaExhausted || e.RetryAfter <= 0 {
		t.Errorf("%+v", e)
	}
}

func TestClosedGateBlocksRequests(t *testing.T) {
	t.Parallel()
	arrived := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived++ }))
	t.Cleanup(server.Close)
	caller := provider.NewCaller(provider.CallerConfig{Version: "test", Now: time.Now})
	var operations []provider.Operation
	closed := &provider.Error{Kind: provider.RateLimited, Code: provider.CodeQuotaExhausted}
	ctx := provider.WithGate(context.Background(), func(_ context.Context, op provider.Operation) *provider.Error {
		operations = append(operations, op)
		if op == provider.OpPublish {
			return closed
		}
		return nil
	})
	for op, want := range map[provider.Operation]*provider.Error{provider.OpPublish: closed, provider.OpRead: nil} {
		_, err := caller.Send(ctx, provider.Request{Operation: op, Method: "POST", URL: server.URL, Publishes: true})
		if got := provider.AsError(err); got != want {
			t.Errorf("%s: %v, want %v", op, got, want)
		}
	}
	if arrived != 1 || len(operations) != 2 {
		t.Errorf("%d requests arrived, the gate was called for %v", arrived, operations)
	}
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
