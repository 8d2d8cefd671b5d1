package main

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// installation is an operator's installation: a directory with settings, and a server that runs on it.
type installation struct {
	*process
	crew
	box      *servertest.Box
	db       database
	settings []string
}

func newInstallation(b *servertest.Box, dir string) *installation {
	db := database{Dialect: store.SQLite, DataDir: dir}
	return &installation{box: b, db: db,
		settings: append(settingsOf(db), "CRIER_SANDBOX=on", "CRIER_SANDBOX_URL="+b.URL, "CRIER_LOG_LEVEL=warn")}
}

// start prepares the installation.
func (i *installation) start(t *testing.T) {
	t.Helper()
	tenant := runProgram(t, i.settings, "init", "--json").report(t)
	i.crew = crew{Tenant: servertest.Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID,
		Team: tenant.TeamID}}
	for _, a := range tenant.SocialAccounts {
		i.Accounts = append(i.Accounts, servertest.Account{ID: a.ID, Network: a.Provider})
	}
}

func (i *installation) serve(t *testing.T) { t.Helper(); i.process = serveProcess(t, i.settings) }

// post publishes a text on a network at once.
func (i *installation) post(t *testing.T, text, network string) crier.ID {
	t.Helper()
	return i.PostOn(t, i.crew, i.NewPost(t, i.crew, text), i.On(network)[0], nil)
}

// fault makes all calls of an operation on a network fail.
func (i *installation) fault(t *testing.T, network, operation, kind string, more object) {
	t.Helper()
	i.box.Fault(t, i.On(network)[0], operation, kind, more)
}

// shows waits until a network shows exactly these texts.
func (i *installation) shows(t *testing.T, network string, want ...string) {
	t.Helper()
	slices.Sort(want)
	seen := func() []string {
		return slices.Sorted(slices.Values(servertest.Texts(i.box.Posts(t, url.Values{"provider": {network}}))))
	}
	servertest.Until(t, func() bool { return slices.Equal(seen(), want) },
		func() string { return fmt.Sprintf("%s shows %q, want %q", network, seen(), want) })
}

// The test acts as an operator whose machine is lost some time after the backup. Package server has more cases, on both
// databases.
func TestBackupOfARunningServerCanBeRestored_sqlite(t *testing.T) {
	t.Parallel()
	lost := newInstallation(boxProcess(t), t.TempDir())
	lost.start(t)
	lost.serve(t)
	known := lost.post(t, "known", "facebook")
	lost.Await(t, lost.crew, known, crier.Published)
	later := lost.Call(t, lost.crew, "POST", "posts/"+lost.NewPost(t, lost.crew, "later")+"/schedule", object{
		"socialAccountIds": []crier.ID{lost.On("x")[0].ID},
		"scheduledAt":      time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}).Want(t, http.StatusOK).
		Result(t).Data[0].ScheduledPost.ID
	// Their responses are lost, and neither can be searched for until after the backup.
	lost.fault(t, "x", "read", "outage", object{"count": 1000})
	lost.fault(t, "x", "publish", "lost_response", nil)
	lost.fault(t, "linkedin", "publish", "lost_response", nil)
	inFlight, unreadable := lost.post(t, "in flight", "x"), lost.post(t, "unreadable", "linkedin")
	lost.shows(t, "x", "in flight")
	lost.shows(t, "linkedin", "unreadable")
	// This one is due, and its network accepts it only after the backup.
	lost.fault(t, "x", "publish", "rate_limit", object{"count": 1000, "retryAfterSeconds": 1})
	due := lost.post(t, "due", "x")

	file := filepath.Join(t.TempDir(), "crier.tar")
	if out := runProgram(t, lost.settings, "backup", file); out.code != 0 {
		t.Fatalf("backup ended with %d: %s", out.code, out.stderr)
	}
	lost.box.ClearFaults(t)
	lost.post(t, "after the backup", "facebook")
	lost.shows(t, "facebook", "known", "after the backup")
	lost.shows(t, "x", "in flight", "due")
	if err := lost.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	lost.wait(t)

	// Restored posts wait ten seconds until X shows everything.
	found := newInstallation(lost.box, filepath.Join(t.TempDir(), "restored"))
	found.crew = lost.crew
	if out := runProgram(t, found.settings, "restore", file); out.code != 0 {
		t.Fatalf("restore ended with %d: %s", out.code, out.stderr)
	}
	found.bringForward(t, later, 2*time.Second)
	found.serve(t)
	for id, want := range map[crier.ID]crier.ScheduledPostStatus{known: crier.Published, inFlight: crier.Published,
		due: crier.Published, later: crier.Published} {
		found.Await(t, found.crew, id, want)
	}
	// It needs attention, unless the old server learned before the backup that it was published.
	found.Await(t, found.crew, unreadable, crier.Unknown, crier.Published)
	found.shows(t, "x", "in flight", "due", "later")
	found.shows(t, "facebook", "known", "after the backup")
	found.shows(t, "linkedin", "unreadable")
	if code := found.terminate(t); code != 0 {
		t.Errorf("the restored server ended with %d", code)
	}
}

// bringForward reschedules a post directly in the database: the API schedules nothing within a minute.
func (i *installation) bringForward(t *testing.T, id crier.ID, lead time.Duration) {
	t.Helper()
	st := i.db.Open(t)
	at := crier.TimeOf(time.Now().Add(lead))
	for _, statement := range []string{`UPDATE publications SET scheduled_at = $1, wake_at = $1 WHERE id = $2`,
		`UPDATE river_job SET scheduled_at = $1 WHERE kind = 'post.publish' AND args ->> 'id' = $2`} {
		if _, err := st.Writer().ExecContext(t.Context(), statement, at, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}
