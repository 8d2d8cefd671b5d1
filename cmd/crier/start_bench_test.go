package main

import (
	"slices"
	"testing"
	"time"

	"crier/internal/nettest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// BenchmarkStart starts the program with its defaults on an initialized store: the time until it is ready, and its
// resident memory when idle. Limits: 500 ms, 45 MiB.
func BenchmarkStart(b *testing.B) {
	db := servertest.Databases.Fresh(b, store.SQLite)
	environment := append(settingsOf(db), "CRIER_SANDBOX=on", "CRIER_SANDBOX_LISTEN="+nettest.FreeAddress(b))
	runProgram(b, environment, "init", "--json").report(b)
	var times, sizes []float64
	for range 7 {
		start := time.Now()
		p := serveProcess(b, environment)
		times = append(times, float64(time.Since(start).Milliseconds()))
		idle := time.NewTimer(3 * time.Second)
		<-idle.C
		sizes = append(sizes, float64(residentMemory(b, p.cmd.Process.Pid))/(1<<20))
		p.terminate(b)
	}
	b.ReportMetric(0, "ns/op")
	slices.Sort(times)
	slices.Sort(sizes)
	b.ReportMetric(times[len(times)/2], "ms-to-ready")
	b.ReportMetric(sizes[len(sizes)/2], "MiB-idle")
}
