package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier"
	"crier/internal/store"
)

// tripCounter counts the driver's round trips to PostgreSQL: statements, batches and preparations.
type tripCounter struct {
	mu    sync.Mutex
	trips []string
}

func (c *tripCounter) add(ctx context.Context, what string) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trips = append(c.trips, strings.Join(strings.Fields(what), " "))
	return ctx
}

// since runs fn and returns what was sent meanwhile.
func (c *tripCounter) since(fn func()) []string {
	c.mu.Lock()
	c.trips = nil
	c.mu.Unlock()
	fn()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trips
}

func (c *tripCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	return c.add(ctx, d.SQL)
}

func (*tripCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *tripCounter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	texts := make([]string, len(d.Batch.QueuedQueries))
	for i, q := range d.Batch.QueuedQueries {
		texts[i] = q.SQL
	}
	return c.add(ctx, "batch of "+strings.Join(texts, " ; "))
}

func (*tripCounter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*tripCounter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

func (c *tripCounter) TracePrepareStart(ctx context.Context, _ *pgx.Conn,
	d pgx.TracePrepareStartData) context.Context {
	return c.add(ctx, "prepare "+d.SQL)
}

func (*tripCounter) TracePrepareEnd(context.Context, *pgx.Conn, pgx.TracePrepareEndData) {}

func (c *tripCounter) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn,
	d pgx.TraceCopyFromStartData) context.Context {
	return c.add(ctx, "copy into "+d.TableName.Sanitize())
}

func (*tripCounter) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}

// countedWorld returns a world on PostgreSQL whose round trips are counted. It has one connection per pool, so that a
// statement is prepared once for all later requests.
func countedWorld(t *testing.T) (*world, *tripCounter) {
	t.Helper()
	counter := &tripCounter{}
	cfg := databases.Fresh(t, store.Postgres).Config()
	cfg.Tracer, cfg.MaxConnections = counter, 1
	st, err := store.Open(t.Context(), cfg)
	requireNoError(t, err)
	t.Cleanup(func() { requireNoError(t, st.Close()) })
	return newWorld(t, st), counter
}

func TestRequestsCostFewRoundTripsToPostgreSQL(t *testing.T) {
	t.Parallel()
	w, counter := countedWorld(t)
	n := 0
	repeatable := func() header {
		n++
		return header{"Idempotency-Key", fmt.Sprint("key-", n)}
	}
	create := func(headers ...header) crier.ID {
		return as[crier.Post](t, w.call(t, http.MethodPost, w.team("/posts"), object{"title": "Launch",
			"text": "We launch a new kite on Saturday, see https://example.com/kite #kites @ada"}, headers...).
			want(t, http.StatusCreated)).ID
	}
	schedule := func(post crier.ID, headers ...header) {
		n++
		w.call(t, http.MethodPost, w.team("/posts/%s/schedule", post), object{
			"socialAccountIds": []crier.ID{w.account(t, "x")},
			"scheduledAt":      crier.TimeOf(w.now().Add(time.Duration(n) * time.Hour)),
		}, headers...).want(t, http.StatusOK)
	}
	for range 30 {
		schedule(create(repeatable()), repeatable())
	}
	var post crier.ID
	for _, request := range []struct {
		name string
		most int
		send func()
	}{
		{"team", 1, func() { w.call(t, http.MethodGet, w.team(""), nil).want(t, http.StatusOK) }},
		{"get post", 2, func() { w.call(t, http.MethodGet, w.team("/posts/%s", post), nil).want(t, http.StatusOK) }},
		{"list of 25", 2, func() { w.call(t, http.MethodGet, w.team("/posts?limit=25"), nil).want(t, http.StatusOK) }},
		{"create a draft", 2, func() { create() }},
		{"create a draft, repeatable", 3, func() { create(repeatable()) }},
		{"schedule on one account", 4, func() { schedule(post) }},
		{"schedule on one account, repeatable", 5, func() { schedule(post, repeatable()) }},
	} {
		post = create()
		request.send() // prepares its statements
		post = create()
		if trips := counter.since(request.send); len(trips) > request.most {
			t.Errorf("%s: %d round trips, at most %d are allowed:\n%s", request.name, len(trips), request.most,
				strings.Join(trips, "\n"))
		} else if len(trips) < request.most {
			t.Logf("%s: %d round trips, %d are allowed", request.name, len(trips), request.most)
		}
	}
}
