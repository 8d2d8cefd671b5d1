package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
)

func TestRiverErrorsAreLoggedExceptAtShutdown(t *testing.T) {
	t.Parallel()
	const running, stopped = false, true
	wrapped := fmt.Errorf("begin: %w", context.Canceled)
	for name, c := range map[string]struct {
		stops  bool
		level  slog.Level
		attrs  []any
		logged bool
	}{
		"chatter":                    {running, slog.LevelInfo, nil, false},
		"a failure":                  {running, slog.LevelError, []any{"error", "disk full"}, true},
		"a failure without an error": {stopped, slog.LevelError, []any{"queue", "default"}, true},
		"a failure while stopping": {stopped, slog.LevelError, []any{"err", errors.New("disk full")},
			true},
		"a cancellation while nothing stops": {running, slog.LevelError, []any{"error", wrapped.Error()}, true},
		"a cancellation by the stop, as text": {stopped, slog.LevelError,
			[]any{"queue", "default", "error", wrapped.Error()}, false},
		"a cancellation by the stop, as an error": {stopped, slog.LevelWarn, []any{"err", wrapped}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log := slog.New(quieter{slog.NewTextHandler(&out, nil)}).With("engine", "river").WithGroup("g")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if c.stops {
				cancel()
			}
			log.Log(ctx, c.level, "something", c.attrs...)
			if logged := out.Len() > 0; logged != c.logged {
				t.Errorf("kept: %v, want %v: %s", logged, c.logged, out.String())
			}
		})
	}
}
