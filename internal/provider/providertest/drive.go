package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"crier/internal/provider"
)

// Clock is a manual clock. It starts at noon on 15 November 2026.
type Clock struct {
	mutex sync.Mutex
	now   time.Time
}

// NewClock returns a clock.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

// Advance advances the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.now = c.now.Add(d)
}

// AdvanceTo advances the clock to a time, unless it has passed.
func (c *Clock) AdvanceTo(t time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if t.After(c.now) {
		c.now = t
	}
}

// NewCaller returns a caller for tests.
func NewCaller(c *Clock) *provider.Caller {
	return provider.NewCaller(provider.CallerConfig{Version: "test", Now: c.Now})
}

// NewMedia returns a media file with the given bytes.
func NewMedia(fileName, mimeType string, content []byte) provider.Media {
	return provider.Media{
		FileName: fileName,
		MIMEType: mimeType,
		Size:     int64(len(content)),
		Open: func(context.Context) (provider.MediaReader, error) {
			return struct {
				*bytes.Reader
				closer
			}{Reader: bytes.NewReader(content)}, nil
		},
		URL: func(context.Context) (string, error) { return "https://media.crier.test/" + fileName, nil },
	}
}

type closer struct{}

// Close does nothing.
func (closer) Close() error { return nil }

// Drive acts as the engine: Prepare until Ready, Commit, Poll, until everything is published or a step fails. It waits
// by advancing the clock, and passes the State through JSON between all steps, as the store would.
func Drive(t *testing.T, p provider.Provider, a provider.Account, c provider.Content, st provider.State,
	clock *Clock) (provider.State, error) {
	t.Helper()
	ctx := context.Background()
	for range 1000 {
		var err error
		switch {
		case st.RequiresPolling:
			st, err = p.Poll(ctx, a, c, Reload(t, st))
		case st.Done:
			return st, nil
		case !st.Ready:
			st, err = p.Prepare(ctx, a, c, Reload(t, st))
		default:
			if st, err = p.Prepare(ctx, a, c, Reload(t, st)); err == nil && st.Ready {
				st, err = p.Commit(ctx, a, c, Reload(t, st))
			}
		}
		if err != nil {
			return st, err
		}
		clock.AdvanceTo(st.NextPollAfter)
	}
	t.Fatal("the publication does not come to an end")
	return st, nil
}

// Reload returns the State as it is read from the store: encoded as JSON and decoded, with the secrets stored
// separately.
func Reload(t *testing.T, st provider.State) provider.State {
	t.Helper()
	data, err := json.Marshal(st)
	if err != nil {
		t.Fatalf("encode state: %v", err)
	}
	var reloaded provider.State
	if err := json.Unmarshal(data, &reloaded); err != nil {
		t.Fatalf("decode state: %v", err)
	}
	reloaded.Secrets = st.Secrets
	return reloaded
}

// DriveOn is Drive that retries temporary errors, as the engine does. It returns how many there were.
func DriveOn(t *testing.T, p provider.Provider, a provider.Account, c provider.Content, clock *Clock) (provider.State,
	int) {
	t.Helper()
	var st provider.State
	for failures := 0; ; failures++ {
		var err error
		if st, err = Drive(t, p, a, c, st, clock); err == nil {
			return st, failures
		}
		if failure := provider.AsError(err); failure.Kind != provider.Temporary || failures > 5 {
			t.Fatalf("publish: %v", err)
		}
	}
}

// DriveCrashing publishes as if the process crashed after each step: the new state is lost, and the step runs again.
// The network is polled at intervals of pause.
func DriveCrashing(t *testing.T, p interface {
	provider.Provider
	provider.Reconciler
}, a provider.Account, c provider.Content, clock *Clock, pause time.Duration) provider.State {
	t.Helper()
	ctx := context.Background()
	st := provider.State{}
	for steps := 0; !st.Ready; steps++ {
		if steps > 50 {
			t.Fatalf("the upload does not end: %+v", st)
		}
		if _, err := p.Prepare(ctx, a, c, Reload(t, st)); err != nil &&
			provider.AsError(err).Kind != provider.Temporary {
			t.Fatalf("Prepare before the crash: %v", err)
		}
		next, err := p.Prepare(ctx, a, c, Reload(t, st))
		if err != nil && provider.AsError(err).Kind != provider.Temporary {
			t.Fatalf("Prepare after the crash: %v", err)
		}
		st = next
	}
	at := provider.Attempt{StartedAt: clock.Now()}
	if _, err := p.Commit(ctx, a, c, Reload(t, st)); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	outcome, st, err := p.Reconcile(ctx, a, c, Reload(t, st), at)
	if err != nil || outcome != provider.OutcomePublished {
		t.Fatalf("Reconcile = %q, %v; want it published", outcome, err)
	}
	for st.RequiresPolling {
		if _, err := p.Poll(ctx, a, c, Reload(t, st)); err != nil {
			t.Fatalf("Poll before the crash: %v", err)
		}
		if st, err = p.Poll(ctx, a, c, Reload(t, st)); err != nil {
			t.Fatalf("Poll after the crash: %v", err)
		}
		clock.Advance(pause)
	}
	return st
}

// WithSettings returns content with publish settings, which are given as JSON.
func WithSettings(c provider.Content, settings string) provider.Content {
	c.Settings = provider.Settings{}
	if err := json.Unmarshal([]byte(settings), &c.Settings); err != nil {
		panic(err) // it is written in a test
	}
	return c
}
