package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/server/servertest"
)

// listen opens a stream of the tenant's events on a node, and sends the time of each data line.
func listen(tb testing.TB, s *servertest.Server, of servertest.Tenant, received chan<- time.Time) {
	tb.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		tb.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "GET /v1/organizations/%s/events/stream?types=post.created HTTP/1.1\r\nHost: %s\r\n"+
		"Authorization: Bearer %s\r\n\r\n", of.Organization, u.Host, of.Key); err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewReaderSize(conn, 512)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			tb.Fatal(err)
		}
		if strings.HasPrefix(line, ": listening") {
			break
		}
	}
	go func() {
		begin := true // of a line, which may be longer than the buffer
		for {
			piece, err := lines.ReadSlice('\n')
			if begin && strings.HasPrefix(string(piece), "data: ") {
				received <- time.Now()
			}
			if begin = err == nil; err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
	}()
}

// waitForEvent waits until a listener has received an event, and returns the time.
func waitForEvent(tb testing.TB, received <-chan time.Time) time.Time {
	tb.Helper()
	select {
	case at := <-received:
		return at
	case <-time.After(2 * time.Minute):
		tb.Fatal("a listener hears nothing")
	}
	return time.Time{}
}

// memory returns the memory in use by the process.
func memory() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestListenersShareOneReader opens many listeners on one node, which receive the events of another node where the
// database allows a second one. CRIER_TEST_LISTENERS sets their number; measure one database at a time, with -run
// 'TestListenersShareOneReader/postgres': the memory is that of the process.
func TestListenersShareOneReader(t *testing.T) {
	t.Parallel()
	listeners := int(servertest.NumberFrom(t, "CRIER_TEST_LISTENERS", 50))
	drafts := int(servertest.NumberFrom(t, "CRIER_TEST_DRAFTS", 5))
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		writes := servertest.Start(t, db, servertest.WithRateLimit(0))
		reads := writes
		if db.Dialect == "postgres" {
			reads = servertest.Start(t, db, servertest.WithRateLimit(0))
		}
		received := make(chan time.Time, (listeners+1)*2)
		// The first listener and the first event make a node build the state that all others share.
		listen(t, reads, writes.Tenant, received)
		writes.NewPostID(t, servertest.Object{"text": "Hello"})
		waitForEvent(t, received)
		before := memory()
		for range listeners - 1 {
			listen(t, reads, writes.Tenant, received)
		}
		log := reads.Node.Services.Events.Log()
		first, start := log.Reads(), time.Now()
		delays := make([]time.Duration, 0, drafts*listeners)
		for range drafts {
			writes.NewPostID(t, servertest.Object{"text": "Hello"})
			created := time.Now()
			for range listeners {
				delays = append(delays, max(0, waitForEvent(t, received).Sub(created)))
			}
		}
		looked, ticks := log.Reads()-first, int64(time.Since(start)/time.Second)+1
		grown := memory() - before // includes the client ends of the connections, which are in this process too
		slices.Sort(delays)
		t.Logf("%d listeners take %.1f MB; the table was read %d times for %d events in %d ticks; heard after %s "+
			"(p50), %s (p99)", listeners, float64(grown)/(1<<20), looked, drafts, ticks, delays[len(delays)/2],
			delays[len(delays)*99/100])
		// Each event is announced by its node and, on PostgreSQL, by a notification.
		if most := ticks + 4*int64(drafts); looked > most {
			t.Errorf("the table was read %d times, at most %d are needed", looked, most)
		}
		if listeners >= 1000 && grown > 60<<20 {
			t.Errorf("%d listeners take %.1f MB, at most 60 are allowed", listeners, float64(grown)/(1<<20))
		}
	})
}
