//go:build !linux

package server

import (
	"log/slog"
	"runtime/debug"
)

// giveBackStartMemory returns the garbage that only the start needed.
func giveBackStartMemory(*slog.Logger) { debug.FreeOSMemory() }
