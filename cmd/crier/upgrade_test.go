package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/nettest"
	"crier/internal/programtest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

const migrationsDir = "internal/store/migrations/postgres"

// git runs git in the source tree.
func git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// migrationsAt returns the migrations of a commit, in order.
func migrationsAt(commit string) ([]string, error) {
	out, err := git("ls-tree", "--name-only", commit, migrationsDir+"/")
	return strings.Fields(out), err
}

var errNoHistory = errors.New("this copy of the source has no history to build an earlier version from " +
	"(git fetch --unshallow --tags brings it)")

// previousVersion returns the last release or, without one, the newest commit whose database this version migrates at
// its start.
func previousVersion() (string, error) {
	if tag, err := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"); err == nil {
		return git("rev-parse", tag+"^{commit}")
	}
	now, err := migrationsAt("HEAD")
	if err != nil {
		return "", errNoHistory
	}
	log, err := git("log", "--diff-filter=A", "--format=%H", "--", migrationsDir)
	if err != nil {
		return "", errNoHistory
	}
	for commit := range strings.FieldsSeq(log) {
		before, err := migrationsAt(commit + "^")
		if err != nil || len(before) == 0 {
			return "", errNoHistory
		}
		if len(before) < len(now) && slices.Equal(before, now[:len(before)]) {
			return git("rev-parse", commit+"^")
		}
	}
	return "", errNoHistory
}

// noHistoryVariable is set where the history was cut on purpose.
const noHistoryVariable = "CRIER_TEST_NO_HISTORY"

// skipWithoutHistory skips a test in a copy of the source that never had a history, such as an archive. In a shallow
// clone it fails, because a suite that skips by itself passes and proves nothing.
func skipWithoutHistory(t *testing.T, reason error) {
	t.Helper()
	shallow, err := git("rev-parse", "--is-shallow-repository")
	if err == nil && shallow == "true" && os.Getenv(noHistoryVariable) == "" {
		t.Fatalf("%v; %s=1 skips this test on purpose", reason, noHistoryVariable)
	}
	t.Skip(reason)
}

// buildVersion builds the program of a commit.
func buildVersion(t *testing.T, commit string) string {
	t.Helper()
	return programtest.Cached(t, "crier-"+commit, func(path string) { build(t, commit, path) })
}

func build(t *testing.T, commit, path string) {
	t.Helper()
	source, archive := t.TempDir(), filepath.Join(t.TempDir(), "source.tar")
	if out, err := git("archive", "--output", archive, commit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("tar", "-xf", archive, "-C", source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "./cmd/crier")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", commit, err, out)
	}
}

// upgrade is an installation that is upgraded while it publishes.
type upgrade struct {
	*testServer // the store alone
	box         *servertest.Box
	db          database
	old, new    string
	tenant      tenantReport
	posts       int
}

// serve starts a node.
func (u *upgrade) serve(t *testing.T, path, role string) *process {
	t.Helper()
	address := nettest.FreeAddress(t)
	return serveCommand(t, address, commandOf(t, path, append(u.settings(), "CRIER_LISTEN="+address,
		"CRIER_ROLE="+role, "CRIER_LOG_LEVEL=warn", "CRIER_RATE_LIMIT=0"), "serve"))
}

func (u *upgrade) settings() []string {
	return append(settingsOf(u.db), "CRIER_SANDBOX=on", "CRIER_SANDBOX_URL="+u.box.URL)
}

// post creates a post for one of the networks that accept texts; a zero time means now.
func (u *upgrade) post(t *testing.T, node *process, at time.Time) {
	t.Helper()
	networks := []string{"x", "linkedin", "facebook", "threads"}
	network := networks[u.posts%len(networks)]
	var on crier.ID
	for _, a := range u.tenant.SocialAccounts {
		if a.Provider == network {
			on = a.ID
		}
	}
	team := path("/v1/teams/%s/posts", u.tenant.TeamID)
	id := node.As(t, u.tenant.APIKey, "POST", team, object{"text": fmt.Sprintf("post %d", u.posts)}).
		Want(t, http.StatusCreated).Text(t, "id")
	u.posts++
	body, way := object{"socialAccountIds": []crier.ID{on}}, "/post-now"
	if !at.IsZero() {
		body["scheduledAt"], way = at.UTC().Format(time.RFC3339Nano), "/schedule"
	}
	node.As(t, u.tenant.APIKey, "POST", team+"/"+id+way, body).Want(t, http.StatusOK)
}

// bringForward reschedules everything directly: the API schedules nothing within the next minute.
func (u *upgrade) bringForward(t *testing.T, by time.Duration) {
	t.Helper()
	u.Exec(t, `UPDATE publications SET scheduled_at = scheduled_at - make_interval(secs => $1),
		wake_at = wake_at - make_interval(secs => $1)`, by.Seconds())
	u.Exec(t, `UPDATE river_job SET scheduled_at = scheduled_at - make_interval(secs => $1)
		WHERE kind = 'post.publish'`, by.Seconds())
}

// replace starts a node of the new version and then stops one of the old.
func (u *upgrade) replace(t *testing.T, node *process, role string) *process {
	t.Helper()
	next := u.serve(t, u.new, role)
	if code := node.terminate(t); code != 0 {
		t.Errorf("a node of the earlier version ended with %d", code)
	}
	return next
}

// Nodes are replaced one by one while they publish. Both versions use the migrated database for a while.
func TestUpgradeNodeByNodeLosesAndDelaysNothing_postgres(t *testing.T) {
	t.Parallel()
	storetest.Need(t, store.Postgres)
	commit, err := previousVersion()
	if err != nil {
		skipWithoutHistory(t, err)
	}
	u := newUpgrade(t, commit)
	node := u.serve(t, u.old, "api")
	begin := time.Now().Add(2 * time.Minute)
	const planned, gap = 40, 250 * time.Millisecond
	for i := range planned {
		u.post(t, node, begin.Add(time.Duration(i)*gap))
	}
	workers := []*process{u.serve(t, u.old, "worker"), u.serve(t, u.old, "worker")}
	u.bringForward(t, time.Until(begin)-5*time.Second)
	u.awaitPublished(t, 3)
	for i := range workers {
		workers[i] = u.replace(t, workers[i], "worker")
		u.post(t, node, time.Time{}) // the earlier version writes rows that the new one reads
	}
	node = u.replace(t, node, "api")
	for range 4 {
		u.post(t, node, time.Time{})
	}
	left := planned + 6 - u.published(t)
	u.awaitPublished(t, u.posts)
	u.wantEachOnce(t)
	u.wantOnTime(t)
	t.Logf("%s was replaced under load; %d of %d posts were left when it was gone", commit, left, u.posts)
}

func newUpgrade(t *testing.T, commit string) *upgrade {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	bare := &storetest.Suite{Prepare: func(context.Context, store.Config) error { return nil }}
	t.Cleanup(func() {
		if err := bare.Remove(); err != nil {
			t.Error(err)
		}
	})
	u := &upgrade{box: boxProcess(t), db: bare.Fresh(t, store.Postgres), old: buildVersion(t, commit), new: path}
	cmd := commandOf(t, u.old, u.settings(), "init", "--json")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	u.tenant = output{stdout: string(out)}.report(t)
	u.testServer = &testServer{&servertest.Server{Node: &server.Node{Store: u.db.Open(t)}}}
	return u
}

func (u *upgrade) published(t *testing.T) int {
	t.Helper()
	return int(u.Number(t, `SELECT count(*) FROM publications WHERE status = 'published'`))
}

func (u *upgrade) awaitPublished(t *testing.T, count int) {
	t.Helper()
	servertest.Until(t, func() bool { return u.published(t) >= count },
		func() string { return fmt.Sprintf("%d of %d posts are published", u.published(t), u.posts) })
}

func (u *upgrade) wantEachOnce(t *testing.T) {
	t.Helper()
	seen := map[string]int{}
	for _, p := range u.box.Posts(t, nil) {
		seen[p.Text]++
	}
	for i := range u.posts {
		if text := fmt.Sprintf("post %d", i); seen[text] != 1 {
			t.Errorf("%q was published %d times", text, seen[text])
		}
	}
}

// wantOnTime fails the test when the call of a planned post was more than two seconds late, or a little more on a
// machine that runs other tests: work that a node leaves unfinished is taken over only after its lease, 40 seconds
// later. Posts that are published at once are not prepared and wait for their network.
func (u *upgrade) wantOnTime(t *testing.T) {
	t.Helper()
	allowed := servertest.Pace(2 * time.Second)
	if os.Getenv("CRIER_CHAOS_PACE") == usual {
		allowed = 2 * time.Second
	}
	late := time.Duration(u.Number(t, `SELECT max(extract(epoch FROM a.started_at - p.scheduled_at) * 1000)::bigint
		FROM publications p JOIN attempts a ON a.scheduled_post_id = p.id AND a.operation = 'publish'
		WHERE p.scheduled_at > p.created_at + INTERVAL '2 seconds'`)) * time.Millisecond
	t.Logf("the latest post left %v after its time", late)
	if late > allowed {
		t.Errorf("a post left %v after its time, want at most %v", late, allowed)
	}
}
