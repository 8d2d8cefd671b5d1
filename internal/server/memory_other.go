//go:build !linux

package server

import (
	"log/slog"
	"time"
)

// unmapProgram leaves the pages of the program to the system.
func unmapProgram(*slog.Logger) {}

func processorTime() time.Duration { return 0 }
