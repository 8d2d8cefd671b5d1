//go:build !linux

package server

import (
	"log/slog"
	"runtime/debug"
)

// giveBackMemory returns garbage.
func giveBackMemory(*slog.Logger) { debug.FreeOSMemory() }
