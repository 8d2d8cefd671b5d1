package bench_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

const (
	benchClients = 32
	benchRounds  = 5
	benchRound   = time.Second
)

// discardLogs discards the log.
func discardLogs(a *server.Config) { a.Logger = slog.New(slog.DiscardHandler) }

// bothDatabases runs a benchmark on a fresh server per database. It has no workers: a million rows written at once
// would prevent them from starting.
func bothDatabases(b *testing.B, bench func(b *testing.B, s *testServer)) {
	b.Helper()
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			bench(b, startServer(b, servertest.Databases.Fresh(b, dialect), discardLogs, servertest.WithRole("api")))
		})
	}
}

// perSecond returns how often per second the clients complete the function in one round.
func perSecond(b *testing.B, once func(client int) error) float64 {
	b.Helper()
	var done atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for client := range benchClients {
		all.Go(func() {
			for time.Since(start) < benchRound {
				if err := once(client); err != nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

// inTurns measures two functions in turns and reports both, and the ratio of the first to the second.
func inTurns(b *testing.B, name string, ours, theirs func(client int) error) {
	b.Helper()
	perSecond(b, ours) // connections, plans and caches
	perSecond(b, theirs)
	var a, z []float64
	for range benchRounds {
		a, z = append(a, perSecond(b, ours)), append(z, perSecond(b, theirs))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(a), "crier/s")
	b.ReportMetric(median(z), name+"/s")
	b.ReportMetric(median(a)/median(z), "ratio")
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// get requests an address over a keep-alive connection.
func get(client *http.Client, address, key string) error {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", address, resp.StatusCode)
	}
	return nil
}

// BenchmarkRead compares an authenticated read with a bare net/http handler that writes the same bytes. Limit: 0.25.
func BenchmarkRead(b *testing.B) {
	for _, what := range []string{"team", "page of 25 teams"} {
		b.Run(what, func(b *testing.B) {
			bothDatabases(b, func(b *testing.B, s *testServer) {
				address := servertest.Path("/v1/teams/%s", s.Team)
				if what != "team" {
					s.fillTeams(b, s.Organization, 1000)
					address = servertest.Path("/v1/teams?organizationId=%s", s.Organization)
				}
				body := s.Do(b, "GET", address, nil).Want(b, http.StatusOK).Body
				bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					_, _ = w.Write(body)
				}))
				defer bare.Close()
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
				defer client.CloseIdleConnections()
				inTurns(b, "bare",
					func(int) error { return get(client, s.URL+address, s.Key) },
					func(int) error { return get(client, bare.URL+address, s.Key) })
			})
		})
	}
}

// BenchmarkCreate compares POST /v1/teams, 32 clients on 32 organizations, with the same statements in bare
// transactions through the same driver and a pool of the same size. Limit: 0.5.
func BenchmarkCreate(b *testing.B) {
	s := startServer(b, servertest.Databases.Fresh(b, store.Postgres), discardLogs)
	var tenants []servertest.Tenant
	for i := range benchClients {
		tenants = append(tenants, s.NewTenant(b, fmt.Sprint("Tenant ", i)))
	}
	db := s.Node.Store.Writer()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
	defer client.CloseIdleConnections()
	create := func(c int) error {
		body := `{"organizationId":"` + string(tenants[c].Organization) + `","name":"A team of the benchmark"}`
		req, err := http.NewRequest(http.MethodPost, s.URL+"/v1/teams", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+tenants[c].Key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != http.StatusCreated {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return err
	}
	b.Run("against the transaction alone", func(b *testing.B) {
		inTurns(b, "bare", create, func(c int) error { return bareCreate(db, tenants[c]) })
	})
	b.Run("against all its statements", func(b *testing.B) {
		inTurns(b, "bare", create, func(c int) error {
			if err := bareReads(db, tenants[c]); err != nil {
				return err
			}
			return bareCreate(db, tenants[c])
		})
	})
}

// bareCreate is the transaction of a creation, without crier.
func bareCreate(db *sql.DB, of servertest.Tenant) error {
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	now := time.Now().UTC().Truncate(time.Microsecond)
	_, err = tx.ExecContext(ctx, `INSERT INTO teams (id, organization_id, name, website, link_tracking_default,
		timezone,
		require_approval, publish_late_minutes, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
		$10)`,
		crier.NewID(), of.Organization, "A team of the benchmark", nil, nil, nil, false, 60, now, now)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE organizations SET team_count = team_count + $2 WHERE id = $1`,
		of.Organization, 1); err != nil {
		return err
	}
	return tx.Commit()
}

// bareReads runs the reads of a creation: the key, and its permissions in the organization.
func bareReads(db *sql.DB, of servertest.Tenant) error {
	ctx := context.Background()
	var key, person string
	err := db.QueryRowContext(ctx, `SELECT k.id, u.id FROM api_key_secrets s JOIN api_keys k ON k.id = s.api_key_id
		JOIN users u ON u.id = k.created_by_id
		WHERE s.hash = $1 AND k.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > $2)
		AND (k.expires_at IS NULL OR k.expires_at > $2)`,
		auth.Hash(of.Key), time.Now()).Scan(&key, &person)
	if err != nil {
		return err
	}
	var role, behind string
	return db.QueryRowContext(ctx, `SELECT m.role, b.role FROM organizations o LEFT
		JOIN memberships m ON m.principal_id = $2 AND m.organization_id = o.id
		LEFT JOIN memberships b ON b.principal_id = $3 AND b.organization_id = o.id WHERE o.id = $1`, of.Organization, key, person).Scan(&role, &behind)
}

// fillTeams adds teams to an organization, a second apart, directly in the database.
func (s *testServer) fillTeams(tb testing.TB, organization crier.ID, teams int) {
	tb.Helper()
	query := `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
		INSERT INTO teams (id, organization_id, name, name_key, require_approval, publish_late_minutes, created_at,
			updated_at)
		SELECT lower(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 13, 3) || '-8' || substr(h, 16,
		3) || '-' || substr(h, 19, 12)), $1,
			'Team ' || (i % 1000), 'team ' || (i % 1000), 0, 60,
			strftime('%Y-%m-%d %H:%M:%S+00:00', 1600000000 + i, 'unixepoch'),
			strftime('%Y-%m-%d %H:%M:%S+00:00', 1600000000 + i, 'unixepoch')
		FROM (SELECT i, hex(randomblob(16)) AS h FROM n)`
	if s.Node.Store.Dialect() == store.Postgres {
		query = `INSERT INTO teams (id, organization_id, name, name_key, require_approval, publish_late_minutes, created_at,
			updated_at)
			SELECT gen_random_uuid(), $1, 'Team ' || (i % 1000), 'team ' || (i % 1000), false, 60,
				to_timestamp(1600000000 + i),
			to_timestamp(1600000000 + i) FROM generate_series(1, $2::int) AS i`
	}
	s.Exec(tb, query, organization, teams)
	s.Exec(tb, `UPDATE organizations SET team_count = team_count + $2 WHERE id = $1`, organization, teams)
	if s.Node.Store.Dialect() == store.Postgres {
		s.Exec(tb, `ANALYZE teams`) // as autovacuum does after a while; SQLite has none
	}
}

// BenchmarkPage compares the 25-row page of a list of 1,000 teams with that of 1,000,000: the first page and the last,
// read in both directions. Limit: 1.3.
func BenchmarkPage(b *testing.B) {
	bothDatabases(b, func(b *testing.B, s *testServer) {
		small, large := s.NewTenant(b, "A thousand"), s.NewTenant(b, "A million")
		s.fillTeams(b, small.Organization, 1_000)
		s.fillTeams(b, large.Organization, 1_000_000)
		for _, sort := range []string{"createdAt", "name"} {
			for _, where := range []string{"first", "first backwards", "last", "last backwards"} {
				b.Run(sort+" "+where, func(b *testing.B) {
					few, many := s.pageAddress(b, small, sort, where), s.pageAddress(b, large, sort, where)
					var a, z []float64
					for range 600 {
						a, z = append(a, s.latency(b, few, small.Key)), append(z, s.latency(b, many, large.Key))
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(median(a), "µs-of-1000")
					b.ReportMetric(median(z), "µs-of-1000000")
					b.ReportMetric(median(z)/median(a), "ratio")
				})
			}
		}
	})
}

// latency returns how long one request takes, in microseconds.
func (s *testServer) latency(b *testing.B, address, key string) float64 {
	b.Helper()
	start := time.Now()
	if err := get(s.Client, s.URL+address, key); err != nil {
		b.Fatal(err)
	}
	return float64(time.Since(start).Nanoseconds()) / 1000
}

// pageAddress returns the address of a page somewhere in a tenant's list. Paging 40,000 times to measure the last one
// is too slow: the cursor is built here, from its row, as the server would build it.
func (s *testServer) pageAddress(b *testing.B, of servertest.Tenant, sort, where string) string {
	b.Helper()
	query := url.Values{"organizationId": {string(of.Organization)}, "sortBy": {sort}, "sortOrder": {"asc"}}
	end, backwards := strings.HasPrefix(where, "last"), strings.HasSuffix(where, "backwards")
	if end || backwards {
		query.Set("cursor", s.cursorNear(b, of, sort, end, backwards))
	}
	address := "/v1/teams?" + query.Encode()
	var got crier.Page[crier.Team]
	s.As(b, of.Key, "GET", address, nil).Want(b, http.StatusOK).Into(b, &got)
	if len(got.Data) != 25 || end == (got.NextCursor != nil) && !backwards {
		b.Fatalf("%s: %d rows, next %v, before %v", where, len(got.Data), got.NextCursor != nil, got.PrevCursor != nil)
	}
	return address
}

// cursorNear returns a cursor 25 rows before an end of the list, or after 25 rows when it is to be read backwards.
func (s *testServer) cursorNear(b *testing.B, of servertest.Tenant, sort string, end, backwards bool) string {
	b.Helper()
	column, direction := map[string]string{"createdAt": "created_at", "name": "name_key"}[sort], "ASC"
	if end {
		direction = "DESC"
	}
	offset := 25
	if end && backwards {
		offset = 0
	}
	var id, name string
	var created crier.Time
	err := s.Node.Store.Reader().QueryRowContext(context.Background(), fmt.Sprintf(`SELECT id, name_key, created_at
		FROM teams WHERE organization_id = $1 AND deleted_at IS NULL
		ORDER BY %[1]s %[2]s, id %[2]s LIMIT 1 OFFSET %[3]d`, column, direction, offset), of.Organization).Scan(&id, &name, &created)
	if err != nil {
		b.Fatal(err)
	}
	value := name
	if sort == "createdAt" {
		value = created.UTC().Format(time.RFC3339Nano)
	}
	data, err := json.Marshal(struct {
		List     string `json:"l"`
		Sort     string `json:"s"`
		Backward bool   `json:"b,omitempty"`
		Value    string `json:"v"`
		ID       string `json:"k"`
	}{"teams of " + string(of.Organization), sort, backwards, value, id})
	if err != nil {
		b.Fatal(err)
	}
	ring, err := auth.NewKeyring(servertest.Secret)
	if err != nil {
		b.Fatal(err)
	}
	enc := base64.RawURLEncoding
	return enc.EncodeToString(data) + "." + enc.EncodeToString(ring.Sign(data, "cursor"))
}
