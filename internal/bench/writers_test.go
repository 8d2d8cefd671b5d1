package bench_test

import (
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// roundTrip is the latency that a database in another building adds to every response.
const roundTrip = 2 * time.Millisecond

// aimedRatio is the rate that many writers should reach together, as a multiple of the rate of one.
const aimedRatio = 4

// BenchmarkWriters has the users of one customer write drafts in eight teams, with PostgreSQL two milliseconds away:
// one writer, 32 as fast as they can, and 32 that together aim at four times the rate of one. Limits: 32 reach four
// times the rate of one, and half of the drafts at that rate take at most 15 ms. As fast as they can, on two cores
// which also run PostgreSQL and the writers, 32 wait for the CPU, not for each other.
func BenchmarkWriters(b *testing.B) {
	db := servertest.Databases.Fresh(b, store.Postgres)
	db.URL = delayed(b, db.URL)
	s := startServer(b, db, discardLogs, servertest.WithRole("api"))
	teams := []crier.ID{s.Team}
	for len(teams) < 8 {
		created := s.Do(b, "POST", "/v1/teams", servertest.Object{"organizationId": s.Organization, "name": "A team"}).
			Want(b, http.StatusCreated)
		teams = append(teams, crier.ID(created.Text(b, "id")))
	}
	one, oneHalf := s.write(b, teams, 1, 0)
	many, manyHalf := s.write(b, teams, benchClients, 0)
	aimed, aimedHalf := s.write(b, teams, benchClients, aimedRatio*one)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(one, "one/s")
	b.ReportMetric(many, "many/s")
	b.ReportMetric(many/one, "ratio")
	b.ReportMetric(float64(oneHalf.Microseconds())/1000, "one-ms-p50")
	b.ReportMetric(float64(manyHalf.Microseconds())/1000, "many-ms-p50")
	b.ReportMetric(aimed, "aimed/s")
	b.ReportMetric(float64(aimedHalf.Microseconds())/1000, "aimed-ms-p50")
}

// write makes writers create drafts for some rounds, at a rate per second for all of them or, if it is 0, as fast as
// they can. It returns the rate that they reached, and their median latency.
func (s *testServer) write(b *testing.B, teams []crier.ID, writers int, rate float64) (perSecond float64,
	half time.Duration) {
	b.Helper()
	var mu sync.Mutex
	var times []time.Duration
	var all sync.WaitGroup
	start := time.Now()
	for w := range writers {
		all.Go(func() {
			for i := range math.MaxInt {
				if rate > 0 {
					due := time.Duration(float64(i*writers+w) / rate * float64(time.Second))
					<-time.After(time.Until(start.Add(due)))
				}
				sent := time.Now()
				if sent.Sub(start) >= benchRounds*benchRound {
					return
				}
				got, err := s.RoundTrip(servertest.Request{Method: "POST",
					Path: servertest.Path("/v1/teams/%s/posts", teams[w%len(teams)]),
					Key:  s.Key, Body: servertest.Object{"text": "A draft of one of many writers"}})
				if err != nil || got.Status != http.StatusCreated {
					b.Errorf("%d %s, %v", got.Status, got.Body, err)
					return
				}
				mu.Lock()
				times = append(times, time.Since(sent))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	slices.Sort(times)
	return float64(len(times)) / took.Seconds(), times[len(times)/2]
}

// delayed returns the address of a proxy in front of a database that delays every response.
func delayed(b *testing.B, database string) string {
	b.Helper()
	address, err := url.Parse(database)
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = listener.Close() })
	behind := address.Host
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go relay(conn, behind)
		}
	}()
	address.Host = listener.Addr().String()
	return address.String()
}

func relay(client net.Conn, address string) {
	server, err := net.Dial("tcp", address)
	if err != nil {
		_ = client.Close()
		return
	}
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	holdBack(client, server)
	_ = client.Close()
}

// holdBack copies data, delaying each chunk by the round trip. Chunks do not wait for each other.
func holdBack(to io.Writer, from io.Reader) {
	type piece struct {
		due  time.Time
		data []byte
	}
	pieces := make(chan piece, 1024)
	var gone atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for p := range pieces {
			<-time.After(time.Until(p.due))
			if _, err := to.Write(p.data); err != nil {
				gone.Store(true)
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for !gone.Load() {
		n, err := from.Read(buffer)
		if n > 0 {
			pieces <- piece{time.Now().Add(roundTrip), slices.Clone(buffer[:n])}
		}
		if err != nil {
			break
		}
	}
	close(pieces)
	<-done
}
