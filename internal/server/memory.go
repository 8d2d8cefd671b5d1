package server

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// headroomBytes is by how much more the heap of a node grows between garbage collections.
const headroomBytes = 16 << 20

// heapHeadroom returns a block that counts as live and is never touched, so it takes addresses and no memory. The live
// heap of a node is about as small as the garbage of a hundred requests: without the block, collecting took a tenth of
// their processor time. The share of a large heap stays what it is, unlike with a higher GOGC. Where GOGC or
// GOMEMLIMIT is set, it decides alone.
func heapHeadroom() []byte {
	set := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(set)
	if set[0].Value.Uint64() != 100 || set[1].Value.Uint64() != math.MaxInt64 {
		return nil
	}
	return make([]byte, headroomBytes)
}

// idlePeriod is how often a node checks whether it is idle.
const idlePeriod = 5 * time.Second

// releaseMemory releases the memory that only the start needed, most of it for building the document and the pages.
// After that it releases unused memory whenever the node is idle: the pages of the executable at every check, garbage
// once a minute, first when the jobs that run at every start have finished.
func (n *Node) releaseMemory(ctx context.Context) {
	debug.FreeOSMemory()
	unmapProgram(n.log)
	tick := time.NewTicker(idlePeriod)
	defer tick.Stop()
	used := processorTime()
	for look := 1; ; look++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		before := used
		used = processorTime()
		if used-before >= idlePeriod/10 {
			continue
		}
		if look%12 == 4 {
			debug.FreeOSMemory()
		}
		unmapProgram(n.log)
	}
}
