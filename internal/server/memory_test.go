package server

import (
	"math"
	"runtime/debug"
	"testing"
)

// Not parallel: it sets what holds for the whole process.
func TestHeapHeadroomIsLeftToWhoSetsTheCollection(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	if got := len(heapHeadroom()); got != headroomBytes {
		t.Errorf("%d bytes by default", got)
	}
	debug.SetMemoryLimit(1 << 40)
	if got := len(heapHeadroom()); got != 0 {
		t.Errorf("%d bytes with GOMEMLIMIT=1TiB", got)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	debug.SetGCPercent(200)
	if got := len(heapHeadroom()); got != 0 {
		t.Errorf("%d bytes with GOGC=200", got)
	}
}
