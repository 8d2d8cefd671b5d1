package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
)

// beforePublications is the last version with the tables scheduled_posts and post_actions.
const beforePublications = 12

// oldSchema holds the SQL of each database that fills the old tables.
var oldSchema = map[store.Dialect]struct {
	id     string // of an area and the number i
	bytes  string
	series string
}{
	store.SQLite: {
		id:    `printf('%%08x-0000-4000-8000-%%012x', %d, i)`,
		bytes: `x'01ff'`,
		series: `(WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < %d - 1) SELECT i
			FROM s) AS s`,
	},
	store.Postgres: {
		id:     `CAST(lpad(to_hex(%d), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(i), 12, '0') AS uuid)`,
		bytes:  `CAST('\x01ff' AS bytea)`,
		series: `generate_series(0, %d - 1) AS s(i)`,
	},
}

// The areas of ids in the old tables.
const (
	areaOwner = iota + 1
	areaPost
	areaPayload
	areaPublication
	areaAction
	areaAttempt
)

// oldID returns an id of an area, as the SQL computes it.
func oldID(area, i int) crier.ID { return crier.ID(fmt.Sprintf("%08x-0000-4000-8000-%012x", area, i)) }

const oldStatus = `CASE %s %% 8 WHEN 0 THEN 'scheduled' WHEN 1 THEN 'publishing' WHEN 2 THEN 'processing'
	WHEN 3 THEN 'published' WHEN 4 THEN 'failed' WHEN 5 THEN 'canceled' WHEN 6 THEN 'missed' ELSE 'unknown' END`

// fillOld fills the old tables: n publications in every status, each with an action in every status and of every kind,
// attempts of both, and metrics.
func fillOld(tb testing.TB, s *store.Store, n int) {
	tb.Helper()
	d := oldSchema[s.Dialect()]
	id := func(area int) string { return fmt.Sprintf(d.id, area) }
	rows := func(values string) string { return ` SELECT ` + values + ` FROM ` + fmt.Sprintf(d.series, n) }
	at := `'2026-11-16 12:00:00.123456+00:00'`
	if s.Dialect() == store.Postgres {
		at = `CAST(` + at + ` AS timestamptz)`
	}
	owner := `'` + string(oldID(areaOwner, 0)) + `'`
	live := `CASE WHEN i % 8 IN (0, 1, 2, 7) THEN ` + at + ` END`
	engine := strings.Join([]string{owner, owner, id(areaPost), owner, `'x'`, `{status}`, at, id(areaPayload), `i % 5`,
		`'{"a":1}'`, `'{"step":"sent"}'`, d.bytes, `'p' || i`, `'https://x.example/' || i`, live, `'code'`, `'message'`,
		`i % 3`, live, live, id(areaOwner), `i % 7`, `i % 11`, at, at}, ", ")
	const engineColumns = `team_id, organization_id, post_id, social_account_id, provider, status, scheduled_at,
		payload_id, epoch, platform_settings, state, state_secrets, platform_post_id, permalink, published_at,
		error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits,
		created_at, updated_at`
	for _, statement := range []string{
		`INSERT INTO organizations (id, name, subscription_status, subscription_plan, subscription_started_at,
			created_at, updated_at) VALUES (` + owner + `, 'Acme', 'none', 'free', ` + at + `, ` + at + `, ` + at + `)`,
		`INSERT INTO teams (id, organization_id, name, publish_late_minutes, created_at, updated_at)
			VALUES (` + owner + `, ` + owner + `, 'Team', 60, ` + at + `, ` + at + `)`,
		`INSERT INTO social_accounts (id, team_id, provider, provider_account_id, display_name, status, scopes,
			provider_settings, sandbox, connected_at, created_at, updated_at) VALUES (` + owner + `, ` + owner + `,
			'x', '1', 'Acme', 'connected', '[]', '{}', TRUE, ` + at + `, ` + at + `, ` + at + `)`,
		`INSERT INTO posts (id, team_id, post_type, type_given, status, delivery_state, save_destination,
			content_payload_id, scheduled_at, created_at, updated_at)` +
			rows(id(areaPost)+`, `+owner+`, 'text_post', FALSE, 'draft', 'unscheduled', 'drafts', `+
				id(areaPayload)+`, `+at+`, `+at+`, `+at),
		`INSERT INTO payloads (id, post_id, version, text, post_input, created_at)` +
			rows(id(areaPayload)+`, `+id(areaPost)+`, 1, 'text', '{"kind":"atomic","text":"text"}', `+at),
		`INSERT INTO scheduled_posts (id, timezone, slot_at, actions, results, workflow_id, workflow_run_id,
			recurrence_of, ` + engineColumns + `)` +
			rows(id(areaPublication)+`, 'Europe/Berlin', NULL, '{"recurrenceIntervalDays":7}',
			'{"platformPostIds":["p"]}', 'job', 'run', `+id(areaPublication)+`, `+
				strings.Replace(engine, "{status}", fmt.Sprintf(oldStatus, "i"), 1)),
		`INSERT INTO post_actions (id, scheduled_post_id, kind, spec, expires_at, ` + engineColumns + `)` +
			rows(id(areaAction)+`, `+id(areaPublication)+`, CASE i % 3 WHEN 0 THEN 'first_comment'
			WHEN 1 THEN 'engagement_comment' ELSE 'repost' END, '{"text":"thanks"}', `+live+`, `+
				strings.Replace(engine, "{status}", fmt.Sprintf(oldStatus, "(i / 8)"), 1)),
		`INSERT INTO attempts (id, scheduled_post_id, action_id, operation, part, started_at)` +
			rows(id(areaAttempt)+`, `+id(areaPublication)+`, CASE WHEN i % 2 = 0 THEN `+id(areaAction)+` END,
			'publish', 0, `+at),
		`INSERT INTO post_metrics (scheduled_post_id, taken_at, metrics)` +
			rows(id(areaPublication)+`, `+at+`, '{"likes":3}'`),
	} {
		mustExec(tb, s, statement)
	}
}

// The columns of the old tables, and their new names.
const (
	oldEngineColumns = `id, team_id, organization_id, post_id, social_account_id, provider, status, scheduled_at,
		payload_id, epoch, platform_settings, state, state_secrets, platform_post_id, permalink, published_at,
		error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits,
		created_at, updated_at, `
	oldPostColumns = oldEngineColumns + `timezone, slot_at, actions, recurring, results, workflow_id, workflow_run_id,
		recurrence_of, live, canceled`
)

// oldRows returns the rows of the old tables, or their equivalents after the migration, and the rows that refer to
// them.
func oldRows(t *testing.T, s *store.Store, posts, actions, parent string) map[string][][]string {
	t.Helper()
	return map[string][][]string{
		"posts": query(t, s, `SELECT `+oldPostColumns+` FROM `+posts+` ORDER BY id`),
		"actions": query(t, s,
			`SELECT `+oldEngineColumns+`kind, spec, expires_at, `+parent+` FROM `+actions+` ORDER BY id`),
		"attempts": query(t, s, `SELECT id, scheduled_post_id, action_id, operation, part, started_at, ended_at
			FROM attempts ORDER BY id`),
		"metrics": query(t, s, `SELECT scheduled_post_id, taken_at, metrics FROM post_metrics
			ORDER BY scheduled_post_id`),
	}
}

func TestPublicationsMigrationKeepsEveryRow(t *testing.T) {
	t.Parallel()
	empty.EachStore(t, func(t *testing.T, s *store.Store) {
		ctx, n := context.Background(), 8*8*3
		if err := s.MigrateTo(ctx, beforePublications); err != nil {
			t.Fatal(err)
		}
		fillOld(t, s, n)
		before := oldRows(t, s, "scheduled_posts", "post_actions", "scheduled_post_id")
		if _, err := s.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
		after := oldRows(t, s, "publications WHERE kind = 'post'", "publications WHERE kind <> 'post'", "parent_id")
		if diff := cmp.Diff(before, after); diff != "" || len(after["actions"]) != n {
			t.Fatalf("%d actions, the rows differ (-before +after):\n%.3000s", len(after["actions"]), diff)
		}
		if s.Dialect() == store.Postgres {
			views := oldRows(t, s, "scheduled_posts", "post_actions", "scheduled_post_id")
			if diff := cmp.Diff(before, views); diff != "" {
				t.Errorf("the views differ (-before +after):\n%.3000s", diff)
			}
		}
		action, err := s.Publication(ctx, oldID(areaAction, 1))
		if err != nil || action.Kind != store.EngagementComment ||
			action.ScheduledPostID != oldID(areaPublication, 1) || string(action.Spec) == "" {
			t.Errorf("an action is read as %+v, %v", action, err)
		}
		if left := query(t, s, `SELECT count(*) FROM attempts a WHERE a.action_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.id = a.action_id)`); left[0][0] != "0" {
			t.Errorf("%s attempts lost their action", left[0][0])
		}
		if _, err := s.Writer().ExecContext(ctx, `UPDATE attempts SET action_id = $1 WHERE id = $2`, crier.NewID(),
			oldID(areaAttempt, 0)); err == nil {
			t.Error("an attempt may refer to an action that does not exist")
		}
	})
}

// oldNode runs the statements of the version before the migration, as a node that has not been replaced yet.
type oldNode struct {
	t       *testing.T
	db      *sql.DB
	longest time.Duration
	loops   int
	tries   map[crier.ID]int // the worker's count of changes, by publication
}

// exec runs a statement, measures its time, and returns the number of rows.
func (o *oldNode) exec(statement string, args ...any) int64 {
	start := time.Now()
	res, err := o.db.ExecContext(context.Background(), statement, args...)
	o.longest = max(o.longest, time.Since(start))
	if err != nil {
		o.t.Errorf("%.80s: %v", statement, err)
		return 0
	}
	n, _ := res.RowsAffected()
	return n
}

const (
	oldLease = `UPDATE %s AS p SET lease_owner = v.owner, lease_until = v.until
		FROM jsonb_to_recordset($1) AS v (key uuid, owner uuid, until timestamptz)
		WHERE p.id = v.key AND p.status IN ('scheduled', 'publishing', 'processing', 'unknown') RETURNING id`
	oldSettle = `UPDATE %s AS p SET tries = p.tries + 1, state = v.state, lease_until = NULL, lease_owner = NULL,
		updated_at = v.now FROM jsonb_to_recordset($1) AS v (key uuid, owner uuid, state jsonb, now timestamptz)
		WHERE p.id = v.key AND p.lease_owner = v.owner RETURNING id`
	oldTake = `UPDATE %[1]s SET lease_owner = NULL, lease_until = $2 WHERE id IN (SELECT p.id FROM %[1]s p
		WHERE p.wake_at IS NOT NULL AND p.wake_at <= $1 AND p.lease_until <= $1 ORDER BY p.wake_at LIMIT 5
		FOR UPDATE SKIP LOCKED) RETURNING id`
	oldInsertPost = `INSERT INTO scheduled_posts (id, team_id, organization_id, post_id, social_account_id, provider,
		status, scheduled_at, timezone, slot_at, payload_id, epoch, platform_settings, actions, state, results, wake_at,
		reserved_credits, recurrence_of, workflow_id, created_at, updated_at)
		SELECT $1, team_id, organization_id, post_id, social_account_id, provider, 'canceled', scheduled_at, timezone,
		slot_at, payload_id, 0, platform_settings, actions, state, results, NULL, 0, NULL, NULL, $2, $2
		FROM scheduled_posts WHERE id = $3`
	oldInsertAction = `INSERT INTO post_actions (id, scheduled_post_id, kind, spec, expires_at, team_id,
		organization_id, post_id, social_account_id, provider, status, scheduled_at, payload_id, platform_settings,
		state, wake_at, reserved_credits, created_at, updated_at)
		VALUES ($1, $2, $3, '{}', NULL, $4, $4, $5, $4, 'x', 'scheduled', $7, $6, '{}', '{}', $7, 0, $7, $7)
		ON CONFLICT (scheduled_post_id, kind) DO NOTHING`
)

// loop runs once on the publication number i and its action.
func (o *oldNode) loop(i int) {
	o.loops++
	now := crier.TimeOf(time.Now())
	owner := crier.NewID()
	for table, area := range map[string]int{"scheduled_posts": areaPublication, "post_actions": areaAction} {
		id := oldID(area, i)
		row := fmt.Sprintf(`[{"key":%q,"owner":%q,"state":{},"until":"2099-01-01T00:00:00Z",
			"now":"2026-11-16T12:00:00Z"}]`, id, owner)
		if o.exec(fmt.Sprintf(oldLease, table), row) == 1 {
			o.tries[id] += int(o.exec(fmt.Sprintf(oldSettle, table), row))
		}
		o.lock(table, id)
		o.exec(fmt.Sprintf(oldTake, table), crier.TimeOf(now.Add(-time.Hour)), now)
	}
	o.exec(oldInsertPost, crier.NewID(), now, oldID(areaPublication, i))
	args := []any{oldID(areaPublication, i), "first_comment", oldID(areaOwner, 0), oldID(areaPost, i),
		oldID(areaPayload, i), now}
	want := int64(1)
	if i%3 == 0 || o.tries[oldID(areaPublication, i)] > 1 {
		want = 0 // it has one already
	}
	extra := crier.NewID()
	if n := o.exec(oldInsertAction, append([]any{extra}, args...)...); n > want {
		o.t.Errorf("a second first comment was written for the publication %d", i)
	}
	o.exec(`INSERT INTO attempts (id, scheduled_post_id, action_id, operation, part, started_at)
		VALUES ($1, $2, $3, 'publish', 0, $4)`, crier.NewID(), oldID(areaPublication, i), oldID(areaAction, i), now)
	o.exec(`UPDATE attempts SET action_id = NULL WHERE action_id = $1`, extra)
	if o.exec(`DELETE FROM post_actions WHERE id = $1`, extra) == 1 {
		o.exec(oldInsertAction, append([]any{extra}, args...)...)
	}
}

// lock reads a row for update, as the resolution by a user does.
func (o *oldNode) lock(table string, id crier.ID) {
	start := time.Now()
	var epoch int64
	err := o.db.QueryRowContext(context.Background(),
		`SELECT p.epoch FROM `+table+` p WHERE p.id = $1 FOR NO KEY UPDATE`, id).Scan(&epoch)
	o.longest = max(o.longest, time.Since(start))
	if err != nil {
		o.t.Errorf("lock %s of %s: %v", id, table, err)
	}
}

// check compares the node's writes with the tables.
func (o *oldNode) check(s *store.Store) {
	if o.loops == 0 || len(o.tries) == 0 {
		o.t.Error("the old node did nothing")
	}
	for id, n := range o.tries {
		p, err := s.Publication(context.Background(), id)
		i, _ := strconv.ParseInt(string(id)[24:], 16, 64)
		if want := int(i)%3 + n; err != nil || p.Tries != want {
			o.t.Errorf("publication %s was changed %d times, want %d: %v", id, p.Tries, want, err)
		}
	}
}

// A node of the previous version continues to work before, during and after the migration, and none of its writes is
// lost. CRIER_TEST_MIGRATION_ROWS sets how many publications there are, half of them actions.
func TestOldNodesWorkDuringThePublicationsMigration_postgres(t *testing.T) {
	t.Parallel()
	n := 1000
	if v := os.Getenv("CRIER_TEST_MIGRATION_ROWS"); v != "" {
		n, _ = strconv.Atoi(v)
		n /= 2
	}
	ctx := context.Background()
	db := empty.Fresh(t, store.Postgres)
	s := db.Open(t)
	if err := s.MigrateTo(ctx, beforePublications); err != nil {
		t.Fatal(err)
	}
	fillOld(t, s, n)
	mustExec(t, s, `ANALYZE`)
	node := &oldNode{t: t, db: db.Open(t).Writer(), tries: map[crier.ID]int{}}
	node.loop(0) // with statements prepared on the old tables
	migrated := make(chan time.Duration)
	go func() {
		start := time.Now()
		if _, err := s.Migrate(ctx); err != nil {
			t.Error(err)
		}
		migrated <- time.Since(start)
	}()
	for i := 1; ; i++ {
		node.loop(i * 37 % n)
		select {
		case took := <-migrated:
			t.Logf("%d publications were migrated in %v, while an old node did %d loops and waited at most %v",
				2*n, took, node.loops, node.longest)
			for range 100 {
				i++
				node.loop(i * 37 % n)
			}
			node.check(s)
			return
		default:
		}
	}
}

// SQLite has one process: the duration of a new version's first start counts.
func TestPublicationsMigrationOfALargeFile_sqlite(t *testing.T) {
	t.Parallel()
	n, err := strconv.Atoi(os.Getenv("CRIER_TEST_MIGRATION_ROWS"))
	if err != nil {
		n = 1000
	}
	ctx := context.Background()
	s := empty.Fresh(t, store.SQLite).Open(t)
	if err := s.MigrateTo(ctx, beforePublications); err != nil {
		t.Fatal(err)
	}
	fillOld(t, s, n/2)
	start := time.Now()
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d publications were migrated in %v", n, time.Since(start))
}

// A migration that was interrupted after any of its statements is finished by the next start.
func TestInterruptedPublicationsMigrationIsFinished_postgres(t *testing.T) {
	t.Parallel()
	for _, millis := range []int{20, 100, 200} {
		interruptMigration(t, empty.Fresh(t, store.Postgres).Open(t), time.Duration(millis)*time.Millisecond)
	}
}

func interruptMigration(t *testing.T, s *store.Store, patience time.Duration) {
	t.Helper()
	ctx := context.Background()
	if err := s.MigrateTo(ctx, beforePublications); err != nil {
		t.Fatal(err)
	}
	fillOld(t, s, 500)
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := s.Migrate(short)
	t.Logf("after %v: %v", patience, err)
	if _, err := s.Migrate(ctx); err != nil {
		t.Errorf("after %v: %v", patience, err)
	}
	for kind, want := range map[string]string{"=": "500", "<>": "500"} {
		if got := query(t, s, `SELECT count(*) FROM publications WHERE kind `+kind+` 'post'`); got[0][0] != want {
			t.Errorf("after %v: %s rows of kind %s 'post', want %s", patience, got[0][0], kind, want)
		}
	}
}

// The last moment at which a run can be interrupted is between the last statement and recording it as done.
func TestMigrationsWithoutATransactionCanBeRepeated_postgres(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/postgres/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s := empty.Fresh(t, store.Postgres).Open(t)
	repeated := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		number, _, _ := strings.Cut(filepath.Base(file), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.MigrateTo(ctx, version); err != nil {
			t.Fatal(err)
		}
		if version == beforePublications {
			fillOld(t, s, 10)
		}
		if !strings.Contains(string(text), "+goose NO TRANSACTION") {
			continue
		}
		repeated++
		mustExec(t, s, `DELETE FROM goose_db_version WHERE version_id = $1`, version)
		if err := s.MigrateTo(ctx, version); err != nil {
			t.Errorf("%s cannot be repeated: %v", file, err)
		}
	}
	if repeated < 6 {
		t.Errorf("%d migrations were repeated", repeated)
	}
}
