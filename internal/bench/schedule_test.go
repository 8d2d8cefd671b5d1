package bench_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// BenchmarkSchedule compares scheduling a post on one account, 32 clients on 32 organizations, with bare transactions
// of the same statements: those that the server's log shows for one such call, sent again without crier, with other
// posts and ids. Limit: 0.5.
func BenchmarkSchedule(b *testing.B) {
	log := serverLog(b)
	s := startServer(b, servertest.Databases.Fresh(b, store.Postgres), discardLogs, servertest.WithRole("api"))
	e := &engine{testServer: s}
	clients := make([]*scheduler, benchClients)
	for i := range clients {
		clients[i] = &scheduler{engine: e, crew: e.NewCrew(b, 1_000_000_000, "x"),
			at: time.Now().Add(30 * 24 * time.Hour).UTC().Format(time.RFC3339)}
		clients[i].addPosts(b, 4)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
	defer client.CloseIdleConnections()
	log.statements(b, s, "'all'")
	for _, c := range clients {
		c.http = client
		c.record(b, log)
	}
	log.statements(b, s, "'none'")
	pool := barePool(b, s)
	const each = 3000
	for _, c := range clients {
		c.addPosts(b, each)
	}
	b.ReportMetric(float64(len(clients[0].recorded.statements)), "statements")
	inTurns(b, "bare", func(i int) error { return clients[i].schedule() },
		func(i int) error { return clients[i].bare(pool) })
}

// scheduler is a client that schedules one post after the other.
type scheduler struct {
	*engine
	crew     crew
	http     *http.Client
	at       string
	posts    []draft
	last     draft
	recorded recording
}

// draft is a post to be scheduled, and its version.
type draft struct{ id, payload string }

// addPosts copies a post that was created through crier.
func (c *scheduler) addPosts(b *testing.B, count int) {
	b.Helper()
	post := c.NewPost(b, c.crew, "to be scheduled")
	ctx := context.Background()
	columns := func(table string, changed map[string]string) (string, string) {
		generated := []string{"title_key", "archived"}
		return c.Columns(b, table, nil, generated...), c.Columns(b, table, changed, generated...)
	}
	postColumns, postValues := columns("posts", map[string]string{"id": "n.post", "content_payload_id": "n.payload"})
	payloadColumns, payloadValues := columns("payloads", map[string]string{"id": "n.payload", "post_id": "n.post"})
	rows, err := c.Node.Store.Writer().QueryContext(ctx, fmt.Sprintf(`WITH n AS MATERIALIZED (
			SELECT gen_random_uuid() AS post, gen_random_uuid() AS payload FROM generate_series(1, $2::int)),
		a AS (INSERT INTO posts (%s) SELECT %s FROM posts p, n WHERE p.id = $1), b AS (INSERT INTO payloads (%s)
		SELECT %s FROM payloads p, n WHERE p.post_id = $1)
		SELECT post, payload FROM n`, postColumns, postValues, payloadColumns, payloadValues), post, count)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var d draft
		if err := rows.Scan(&d.id, &d.payload); err != nil {
			b.Fatal(err)
		}
		c.posts = append(c.posts, d)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
}

func (c *scheduler) must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (c *scheduler) next() error {
	if len(c.posts) == 0 {
		return fmt.Errorf("there are no posts left to be scheduled")
	}
	c.last, c.posts = c.posts[0], c.posts[1:]
	return nil
}

// schedule calls the API.
func (c *scheduler) schedule() error {
	if err := c.next(); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"socialAccountIds":[%q],"scheduledAt":%q}`, c.crew.Accounts[0].ID, c.at)
	req, err := http.NewRequest(http.MethodPost,
		c.URL+servertest.Path("/v1/teams/%s/posts/%s/schedule", c.crew.Team, c.last.id),
		strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.crew.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, answer)
	}
	return err
}

// record schedules posts and stores the statements of the last call. Ids that only this call names were created by it.
func (c *scheduler) record(b *testing.B, log postgresLog) {
	b.Helper()
	var known, all map[string]bool
	for range 3 { // the first call has more to read
		c.recorded.statements = log.during(b, func() { c.must(b, c.schedule()) })
		c.recorded.of, known, all = c.last, all, map[string]bool{}
		for _, s := range c.recorded.statements {
			for _, arg := range s.args {
				text, _ := arg.(string)
				for _, id := range uuidFormat.FindAllString(text, -1) {
					all[id] = true
				}
			}
		}
	}
	for id := range all {
		if !known[id] && id != c.last.id && id != c.last.payload {
			c.recorded.fresh = append(c.recorded.fresh, id)
		}
	}
	if len(c.recorded.statements) < 8 || len(c.recorded.fresh) == 0 {
		b.Fatalf("%d statements with %d new ids were recorded", len(c.recorded.statements), len(c.recorded.fresh))
	}
}

// recording is the statements of a call, and its post.
type recording struct {
	of         draft
	statements []loggedStatement
	fresh      []string // ids that the call created
}

type loggedStatement struct {
	text string
	args []any // texts and nils
}

// bare sends the statements of a call again, for another post.
func (c *scheduler) bare(pool *pgxpool.Pool) error {
	r := c.recorded
	if err := c.next(); err != nil {
		return err
	}
	swaps := []string{r.of.id, c.last.id, r.of.payload, c.last.payload}
	for _, id := range r.fresh {
		swaps = append(swaps, id, string(crier.NewID()))
	}
	swap := strings.NewReplacer(swaps...)
	ctx := context.Background()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	for _, s := range r.statements {
		args := make([]any, len(s.args))
		for i, a := range s.args {
			if text, ok := a.(string); ok {
				args[i] = swap.Replace(text)
			}
		}
		if _, err := conn.Exec(ctx, s.text, args...); err != nil {
			return fmt.Errorf("%s: %w", s.text, err)
		}
	}
	return nil
}

// barePool returns a pool like the one that crier uses for writes.
func barePool(b *testing.B, s *testServer) *pgxpool.Pool {
	b.Helper()
	cfg, err := pgxpool.ParseConfig(s.Config.DatabaseURL)
	if err != nil {
		b.Fatal(err)
	}
	cfg.MaxConns = int32(s.Node.Store.Writer().Stats().MaxOpenConnections)
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}

// postgresLog is the log file of the benchmark's PostgreSQL server.
type postgresLog string

// serverLog finds it beside the script that restarts the server.
func serverLog(b *testing.B) postgresLog {
	b.Helper()
	restart := os.Getenv("CRIER_TEST_POSTGRES_RESTART")
	if restart == "" {
		b.Skip("the server's log is known only when with-postgres.sh has started it")
	}
	return postgresLog(filepath.Join(filepath.Dir(restart), "server.log"))
}

var (
	logEntry   = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d [^\n]*?\] (LOG|DETAIL):  `)
	execution  = regexp.MustCompile(`^(?:execute [^:]*|statement): `)
	parameter  = regexp.MustCompile(`\$\d+ = (NULL|'(?:[^']|'')*')`)
	uuidFormat = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// statements sets which statements the server logs.
func (l postgresLog) statements(b *testing.B, s *testServer, which string) {
	b.Helper()
	s.Exec(b, `ALTER SYSTEM SET log_statement = `+which)
	s.Exec(b, `SELECT pg_reload_conf()`)
	<-time.After(500 * time.Millisecond) // until every connection has reloaded the setting
}

// during returns the statements that the server received while fn ran.
func (l postgresLog) during(b *testing.B, fn func()) []loggedStatement {
	b.Helper()
	before, err := os.Stat(string(l))
	if err != nil {
		b.Fatal(err)
	}
	fn()
	text, err := os.ReadFile(string(l))
	if err != nil {
		b.Fatal(err)
	}
	return parseLog(string(text[before.Size():]))
}

// parseLog parses the statements with their arguments.
func parseLog(text string) []loggedStatement {
	var list []loggedStatement
	places := logEntry.FindAllStringSubmatchIndex(text, -1)
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		kind, entry := text[place[2]:place[3]], strings.ReplaceAll(strings.TrimRight(text[place[1]:end], "\n"), "\n\t",
			"\n")
		switch prefix := execution.FindString(entry); {
		case kind == "LOG" && prefix != "":
			list = append(list, loggedStatement{text: entry[len(prefix):]})
		case kind == "DETAIL" && len(list) > 0:
			for _, p := range parameter.FindAllStringSubmatch(entry, -1) {
				list[len(list)-1].args = append(list[len(list)-1].args, argument(p[1]))
			}
		}
	}
	return list
}

func argument(logged string) any {
	if logged == "NULL" {
		return nil
	}
	return strings.ReplaceAll(logged[1:len(logged)-1], "''", "'")
}
