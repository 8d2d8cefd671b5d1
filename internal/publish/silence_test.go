package publish

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// line is a proxy before PostgreSQL. It can lose an answer and all that follow it on the same connection, which stays
// open: to the client, the server has fallen silent.
type line struct {
	target string
	// lose is what the next lost answer contains; nil for none.
	lose atomic.Pointer[[]byte]
	lost atomic.Int64 // how many connections fell silent
}

// openThrough opens a database through a line.
func openThrough(t *testing.T, db storetest.Database) (*store.Store, *line) {
	t.Helper()
	address, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	l := &line{target: address.Host}
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			go l.forward(conn)
		}
	}()
	address.Host = listener.Addr().String()
	return storetest.Database{Dialect: store.Postgres, URL: address.String()}.Open(t), l
}

func (l *line) forward(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer server.Close() // the server learns when the client has given up
		l.copy(server, client, func([]byte) bool { return false })
	}()
	l.copy(client, server, l.loses)
}

// loses reports whether an answer is the one to lose.
func (l *line) loses(answer []byte) bool {
	what := l.lose.Load()
	if what == nil || !bytes.Contains(answer, *what) || !l.lose.CompareAndSwap(what, nil) {
		return false
	}
	l.lost.Add(1)
	return true
}

// copy passes on what it reads, until loses returns true; after that it only reads.
func (l *line) copy(to, from net.Conn, loses func([]byte) bool) {
	silent := false
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if silent = silent || loses(buffer[:n]); silent {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// What is lost of a transaction: the first answer, so that it is rolled back, or that to its commit.
var (
	firstAnswer  = []byte("BEGIN\x00")
	commitAnswer = []byte("COMMIT\x00")
)

// silentAt returns an engine over a database that falls silent once, in the first write after a step; an empty step is
// the start. The clock runs, and timeouts are short.
func silentAt(t *testing.T, n *testNetwork, at Step, answer []byte) (*fixture, *line) {
	t.Helper()
	db := databases.Fresh(t, store.Postgres)
	st, l := openThrough(t, db)
	f := withNetwork(t, st, n)
	f.store = db.Open(t) // what the test reads itself
	began := time.Now()
	clock := func() time.Time { return f.now().Add(time.Since(began)) }
	n.now, f.Publisher.clock, f.Tokens.clock = clock, clock, clock
	f.Publisher.timings.WriteTimeout, f.Tokens.writeTimeout = time.Second, time.Second
	f.Publisher.timings.Lease, f.Publisher.timings.RetryPause = 3*time.Second, time.Millisecond
	f.Publisher.groupWrites()
	var once sync.Once
	lose := func() { once.Do(func() { l.lose.Store(&answer) }) }
	if at == "" {
		lose()
	}
	f.Publisher.checkpoint = func(_ crier.ID, step Step) {
		if step == at {
			lose()
		}
	}
	return f, l
}

// persevere runs the job of a publication until it has ended, as the job engine does.
func (f *fixture) persevere(t *testing.T, p store.Publication) store.Publication {
	t.Helper()
	ended := make(chan store.Publication)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			_, _ = f.Publisher.Advance(ctx, job.Publish{ID: p.ID, Epoch: p.Epoch, Provider: p.Provider,
				SocialAccountID: p.SocialAccountID}, store.Run{Job: "1", Attempt: "1"})
			if now, err := f.store.Publication(ctx, p.ID); err == nil && now.WakeAt == nil {
				ended <- now
				return
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
	select {
	case now := <-ended:
		return now
	case <-ctx.Done():
		t.Fatal("the publication does not end")
		return p
	}
}

// A connection that falls silent leaves open whether the last commit happened. Either way the post is published once,
// and paid for once.
func TestASilentDatabaseConnectionNeitherStopsNorRepeatsAPost_postgres(t *testing.T) {
	t.Parallel()
	storetest.Need(t, store.Postgres)
	for name, c := range map[string]struct {
		at     Step
		answer []byte
	}{
		"the lease is lost":       {"", firstAnswer},
		"the lease is committed":  {"", commitAnswer},
		"the start is lost":       {StepLeased, firstAnswer},
		"the start is committed":  {StepLeased, commitAnswer},
		"the result is lost":      {StepSent, firstAnswer},
		"the result is committed": {StepSent, commitAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newTestNetwork()
			f, l := silentAt(t, n, c.at, c.answer)
			p := f.insert(t, f.costs(t, 30))
			got := f.persevere(t, p)
			balance, reserved := f.credits(t)
			if got.Status != crier.Published || len(n.public) != 1 || balance != testCredits-30 || reserved != 0 {
				t.Errorf("%s, public %v, balance %d, reserved %d", got.Status, n.public, balance, reserved)
			}
			said := f.attempts(t, got)
			if slices.Index(said, "publish published") < 0 || n.count("commit post") != 1 || n.count("look") != 0 {
				t.Errorf("%v, %v", said, n.calls)
			}
			if l.lost.Load() != 1 {
				t.Errorf("%d connections fell silent", l.lost.Load())
			}
		})
	}
}

// A lease that was taken without its worker's knowledge keeps nobody out, however long it lasts.
func TestALeaseWhoseCommitWasNotHeardOfIsUsed_postgres(t *testing.T) {
	t.Parallel()
	storetest.Need(t, store.Postgres)
	n := newTestNetwork()
	f, l := silentAt(t, n, "", commitAnswer)
	f.Publisher.timings.Lease = time.Hour
	if p := f.persevere(t, f.insert(t)); p.Status != crier.Published || len(n.public) != 1 || l.lost.Load() != 1 {
		t.Errorf("%s, public %v, %d connections fell silent", p.Status, n.public, l.lost.Load())
	}
}
