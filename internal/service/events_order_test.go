package service

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// orderedEvents returns how many events the test writes; CRIER_TEST_EVENTS sets another number.
func orderedEvents(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("CRIER_TEST_EVENTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("CRIER_TEST_EVENTS: %v", err)
		}
		return n
	}
	return 1500
}

const orderWriters = 32

// subject is the subject of an event of the test: the nth change of one of a few things.
type subject struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// TestEveryReaderSeesEveryEventOnceAndInOrder has 32 writers on two nodes change a few things, with commits delayed at
// random after the events were written, while readers follow by cursor, by stream, and by a stream that is repeatedly
// disconnected.
func TestEveryReaderSeesEveryEventOnceAndInOrder(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		first := newRules(t, db.Open(t), testSecret)
		nodes := []*rules{first}
		if db.Dialect == store.Postgres {
			nodes = append(nodes, newRules(t, db.Open(t), testSecret))
		}
		proof := newOrderProof(t, first, orderedEvents(t))
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		var loops sync.WaitGroup
		defer loops.Wait()
		defer stop()
		for _, n := range nodes {
			loops.Go(func() { n.Events.Log().Run(ctx) })
		}
		var readers sync.WaitGroup
		cuts := 0
		for i, n := range nodes {
			readers.Go(func() { proof.check(t, fmt.Sprintf("cursor on node %d", i), proof.byCursor(ctx, t, n)) })
			readers.Go(func() {
				proof.check(t, fmt.Sprintf("stream on node %d", i),
					proof.byStream(ctx, t, n, 0, nil))
			})
		}
		readers.Go(func() {
			seen := proof.byStream(ctx, t, nodes[len(nodes)-1], max(2, proof.total/1000), &cuts)
			proof.check(t, "stream that is cut off", seen)
		})
		proof.write(ctx, t, nodes)
		readers.Wait()
		if cuts < min(1000, proof.total/10) {
			t.Errorf("the stream was cut off %d times only", cuts)
		}
		t.Logf("%d events, cut off %d times", proof.total, cuts)
	})
}

type orderProof struct {
	scope access.OrgScope
	total int
}

func newOrderProof(t *testing.T, r *rules, total int) *orderProof {
	t.Helper()
	team := r.initialise(t, crier.Read)
	scope, err := r.Access.Organization(t.Context(), team.Caller(), team.Team().OrganizationID, crier.Read)
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{`CREATE TABLE test_subjects (name text PRIMARY KEY, n integer NOT NULL)`}
	for i := range orderWriters / 4 {
		statements = append(statements, fmt.Sprintf(`INSERT INTO test_subjects VALUES ('%d', 0)`, i))
	}
	if r.store.Dialect() == store.Postgres {
		// At the commit, when the events have their ids but are not visible yet.
		statements = append(statements, `CREATE FUNCTION test_hold_back() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN IF random() < 0.5 THEN PERFORM pg_sleep(random() * 0.01); END IF; RETURN NULL; END'`,
			`CREATE CONSTRAINT TRIGGER test_hold_back AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION test_hold_back()`)
	}
	for _, statement := range statements {
		if _, err := r.store.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return &orderProof{scope: scope, total: total}
}

// write makes the changes. Each is one transaction that locks its subject; a few are rolled back.
func (p *orderProof) write(ctx context.Context, t *testing.T, nodes []*rules) {
	var writers sync.WaitGroup
	for w := range orderWriters {
		writers.Go(func() {
			n := nodes[w%len(nodes)]
			for i := w; i < p.total; i += orderWriters {
				if err := p.writeOne(ctx, n, strconv.Itoa(rand.N(orderWriters/4)), i%50 == 7); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
}

var errRolledBack = fmt.Errorf("rolled back")

func (p *orderProof) writeOne(ctx context.Context, n *rules, name string, failsFirst bool) error {
	err := n.store.WithTx(ctx, func(tx *store.Tx) error {
		s := subject{Name: name}
		err := tx.QueryRow(ctx, `UPDATE test_subjects SET n = n + 1 WHERE name = $1 RETURNING n`,
			name).Scan(&s.N)
		if err != nil {
			return err
		}
		if err := events.Record(tx, crier.TimeOf(n.time), events.Fact{Type: crier.PostUpdated,
			OrganizationID: p.scope.Organization().ID, Object: s}); err != nil {
			return err
		}
		if failsFirst {
			return errRolledBack
		}
		return nil
	})
	if failsFirst {
		return p.writeOne(ctx, n, name, false)
	}
	return err
}

// byCursor follows the list.
func (p *orderProof) byCursor(ctx context.Context, t *testing.T, n *rules) []crier.Event {
	var seen []crier.Event
	q := EventQuery{Types: []crier.EventType{crier.PostUpdated}}
	for len(seen) < p.total && ctx.Err() == nil {
		q.Limit = 1 + rand.N(100)
		page, err := n.Events.List(ctx, p.scope, q)
		if err != nil {
			t.Error(err)
			return seen
		}
		seen, q.After = append(seen, page.Data...), page.NextCursor
		if !page.HasMore {
			<-time.After(5 * time.Millisecond)
		}
	}
	return seen
}

// collector is a sink that may disconnect itself.
type collector struct {
	seen   *[]crier.Event
	last   *string
	total  int
	most   int // events of this connection
	done   func()
	failed error
}

func (c *collector) Begin(_ bool, cursor string) error { *c.last = cursor; return nil }
func (c *collector) Heartbeat(cursor string) error     { *c.last = cursor; return nil }

func (c *collector) Event(id crier.ID, event []byte) error {
	var e crier.Event
	if c.failed = json.Unmarshal(event, &e); c.failed != nil {
		return c.failed
	}
	*c.seen, *c.last = append(*c.seen, e), string(id)
	if len(*c.seen) == c.total {
		c.done()
	}
	if c.most--; c.most == 0 {
		return errRolledBack
	}
	return nil
}

// byStream follows the stream. With pieces, each connection is closed after a few events.
func (p *orderProof) byStream(ctx context.Context, t *testing.T, n *rules, pieces int, cuts *int) []crier.Event {
	ctx, done := context.WithCancel(ctx)
	defer done()
	var seen []crier.Event
	last := n.Events.pages.SealPosition(p.query().name(p.scope.Organization().ID), 0)
	for len(seen) < p.total && ctx.Err() == nil {
		q := p.query()
		q.After = last
		stream, err := n.Events.Follow(ctx, q, func(context.Context) (access.OrgScope, error) { return p.scope, nil })
		if err != nil {
			t.Error(err)
			return seen
		}
		sink := &collector{seen: &seen, last: &last, total: p.total, done: done}
		if pieces > 0 {
			sink.most = 1 + rand.N(pieces)
			*cuts++
		}
		_ = stream.Run(ctx, sink)
		stream.Close()
		if sink.failed != nil {
			t.Error(sink.failed)
		}
	}
	return seen
}

func (p *orderProof) query() EventQuery {
	return EventQuery{Types: []crier.EventType{crier.PostUpdated}}
}

// check verifies the events that a reader saw.
func (p *orderProof) check(t *testing.T, reader string, seen []crier.Event) {
	t.Helper()
	if len(seen) != p.total {
		t.Errorf("%s: %d events, want %d", reader, len(seen), p.total)
	}
	sequence, next := int64(0), map[string]int{}
	for _, e := range seen {
		var s subject
		if err := json.Unmarshal(e.Data.Object, &s); err != nil {
			t.Fatal(err)
		}
		if e.Sequence <= sequence {
			t.Fatalf("%s: sequence %d comes after %d", reader, e.Sequence, sequence)
		}
		sequence = e.Sequence
		if next[s.Name]++; next[s.Name] != s.N {
			t.Fatalf("%s: change %d of %s comes where %d was expected", reader, s.N, s.Name, next[s.Name])
		}
	}
}
