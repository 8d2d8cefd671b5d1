package server_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// emptyPlace returns an empty database of the same kind, to restore to.
func emptyPlace(t *testing.T, like servertest.Database) servertest.Database {
	t.Helper()
	if like.Dialect == store.SQLite {
		return servertest.Database{Dialect: store.SQLite, DataDir: filepath.Join(t.TempDir(), "restored")}
	}
	bare := &storetest.Suite{Prepare: func(context.Context, store.Config) error { return nil }}
	t.Cleanup(func() {
		if err := bare.Remove(); err != nil {
			t.Error(err)
		}
	})
	return bare.Fresh(t, store.Postgres)
}

// moved returns the settings of a server with another database.
func moved(t *testing.T, c server.Config, to servertest.Database) server.Config {
	t.Helper()
	c.DatabaseURL, c.DataDir, c.MediaDir = to.URL, to.DataDir, servertest.MediaDir(to)
	if c.DataDir == "" {
		c.DataDir = t.TempDir()
	}
	return c
}

// restoreFixture is a server with posts that were due before and after its backup.
type restoreFixture struct {
	box         *servertest.Box
	crew        servertest.Crew
	x, linkedin servertest.Account
	// known was public before the backup; lost was in flight; due was published after it, like early, which was not yet
	// due at the backup; idle was not; later is scheduled for after the restore.
	known, lost, due, dueUnread, early, idle, later crier.ID
}

func TestRestoreDoesNotRepublishOrLosePosts(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		box := servertest.StartBox(t)
		clock := &servertest.Clock{}
		s := servertest.Start(t, db, servertest.WithBox(box), servertest.WithTimings(servertest.FastTimings),
			servertest.WithClock(clock))
		fixture, file := publishAroundBackup(t, s, box, clock)
		place := emptyPlace(t, db)
		config := moved(t, s.Config, place)
		done, err := server.Restore(context.Background(), config, file, server.BackupOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if done.Due != 4 || done.Later != 2 { // lost, due on both networks and idle; early and later
			t.Errorf("%d were due since the backup and %d are to come, want 4 and 2", done.Due, done.Later)
		}
		again := servertest.Start(t, place, func(c *server.Config) { *c = config; c.Logger = s.Config.Logger })
		fixture.check(t, again)
	})
}

// dueAfterBackup is when the posts are due that are published after the backup: once the test has advanced the clock.
const dueAfterBackup = 5 * time.Minute

// publishAroundBackup publishes posts, backs the server up, publishes more and stops it.
func publishAroundBackup(t *testing.T, s *servertest.Server, box *servertest.Box,
	clock *servertest.Clock) (fixture restoreFixture, file string) {
	t.Helper()
	c := s.NewCrew(t, 10_000, "x", "linkedin", "threads")
	fixture = restoreFixture{box: box, crew: c, x: c.Accounts[0], linkedin: c.Accounts[1]}
	x, linkedin := fixture.x, fixture.linkedin
	plan := func(text string, on servertest.Account, lead time.Duration) crier.ID {
		r, _ := s.ScheduleIn(t, c, s.NewPost(t, c, text), lead, crier.Targets{SocialAccountIDs: []crier.ID{on.ID}})
		return r.Data[0].ScheduledPost.ID
	}
	fixture.known = s.PostOn(t, c, s.NewPost(t, c, "known"), x, nil)
	s.Await(t, c, fixture.known, crier.Published)
	fixture.early, fixture.later = plan("early", x, time.Hour), plan("later", x, time.Hour)
	// On another account, whose faults prevent it from being published at all.
	threads := c.Accounts[2]
	fixture.idle = plan("idle", threads, dueAfterBackup)
	fixture.due, fixture.dueUnread = plan("due", x, dueAfterBackup), plan("due", linkedin, dueAfterBackup)
	box.Fault(t, x, "publish", "lost_response", nil)
	box.Fault(t, x, "read", "outage", servertest.Object{"count": 1000}) // it is not found before the backup
	fixture.lost = s.PostOn(t, c, s.NewPost(t, c, "lost"), x, nil)
	s.Await(t, c, fixture.lost, crier.Publishing)

	file = filepath.Join(t.TempDir(), "backup.tar")
	if _, err := server.Backup(context.Background(), s.Config, file, server.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	box.ClearFaults(t)
	box.Fault(t, threads, "publish", "rate_limit", servertest.Object{"count": 1000, "retryAfterSeconds": 1})
	clock.Advance(dueAfterBackup)
	s.PostOn(t, c, s.NewPost(t, c, "after the backup"), x, nil)
	s.Call(t, c, "PATCH", servertest.Path("scheduled-posts/%s", fixture.early),
		servertest.Object{"scheduledAt": servertest.Soon(dueAfterBackup)}).Want(t, http.StatusOK)
	s.Exec(t, `UPDATE publications SET scheduled_at = $2, wake_at = $2 WHERE id = $1`, fixture.early,
		crier.TimeOf(clock.Now()))
	for _, id := range []crier.ID{fixture.due, fixture.dueUnread, fixture.lost, fixture.early} {
		s.Await(t, c, id, crier.Published)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	box.ClearFaults(t)
	return fixture, file
}

func (fixture restoreFixture) check(t *testing.T, s *servertest.Server) {
	t.Helper()
	c := fixture.crew
	for id, want := range map[crier.ID]crier.ScheduledPostStatus{
		fixture.known: crier.Published, fixture.lost: crier.Published, fixture.due: crier.Published,
		fixture.dueUnread: crier.Unknown, fixture.idle: crier.Unknown, fixture.early: crier.Unknown,
	} {
		p := s.Await(t, c, id, want)
		if want == crier.Unknown && !strings.Contains(p.ErrorMessage, "backup") {
			t.Errorf("the message does not tell why a person has to look: %s", p.ErrorMessage)
		}
	}
	servertest.Until(t, func() bool { // it was searched for, and waits until it is due
		return s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND status = 'scheduled' AND wake_at > $2`,
			fixture.later, crier.TimeOf(time.Now().Add(30*time.Minute))) == 1
	}, func() string { return s.History(t, c, fixture.later) })
	for on, want := range map[servertest.Account][]string{
		fixture.x:        {"known", "lost", "due", "after the backup", "early"},
		fixture.linkedin: {"due"}, c.Accounts[2]: {},
	} {
		got := servertest.Texts(fixture.box.Timeline(t, on))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s shows %q, want %q", on.Network, got, want)
		}
	}
	s.BooksAgree(t)
	// A user resolves it: it is tried again, and published once.
	s.Call(t, c, "POST", servertest.Path("scheduled-posts/%s/resolve", fixture.idle),
		servertest.Object{"outcome": "retry"}).Want(t, http.StatusOK)
	s.Await(t, c, fixture.idle, crier.Published)
	if got := servertest.Texts(fixture.box.Timeline(t, c.Accounts[2])); !slices.Equal(got, []string{"idle"}) {
		t.Errorf("threads shows %q after the retry", got)
	}
}

// The old server also did everything that follows a post published after the backup.
func TestRestoreDoesNotRepeatCommentsAndThreads(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		box := servertest.StartBox(t)
		clock := &servertest.Clock{}
		s := servertest.Start(t, db, servertest.WithBox(box), servertest.WithTimings(servertest.FastTimings),
			servertest.WithClock(clock))
		c := s.NewCrew(t, 10_000, "x", "threads")
		post := s.NewPost(t, c, "with a comment")
		thread := s.NewThread(t, c, "one", "two", "three")
		targets := crier.Targets{SocialAccountIDs: c.IDs(),
			FirstComment: crier.Some(crier.Comment{Text: "the comment"})}
		first, _ := s.ScheduleIn(t, c, post, dueAfterBackup, targets)
		chain, _ := s.ScheduleIn(t, c, thread, dueAfterBackup, crier.Targets{SocialAccountIDs: c.IDs()})
		file := filepath.Join(t.TempDir(), "backup.tar")
		if _, err := server.Backup(context.Background(), s.Config, file, server.BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		clock.Advance(dueAfterBackup)
		settled := func(s *servertest.Server) {
			for _, r := range slices.Concat(first.Data, chain.Data) {
				s.Await(t, c, r.ScheduledPost.ID, crier.Published)
			}
			for _, r := range first.Data {
				s.AwaitAction(t, c, r.ScheduledPost.ID, store.FirstComment, crier.Published)
			}
		}
		settled(s)
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		place := emptyPlace(t, db)
		config := moved(t, s.Config, place)
		if _, err := server.Restore(context.Background(), config, file, server.BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		again := servertest.Start(t, place, func(c *server.Config) { *c = config; c.Logger = s.Config.Logger })
		settled(again)
		for _, on := range c.Accounts {
			got := servertest.Texts(box.Timeline(t, on))
			slices.Sort(got)
			if want := []string{"one", "the comment", "three", "two", "with a comment"}; !slices.Equal(got, want) {
				t.Errorf("%s shows %q, want %q", on.Network, got, want)
			}
		}
	})
}

// The old server may run until the restored one takes over, hours after the restore.
func TestPostsDueBeforeTheFirstStartAfterARestoreAreLookedUp(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		box := servertest.StartBox(t)
		clock := &servertest.Clock{}
		s := servertest.Start(t, db, servertest.WithBox(box), servertest.WithTimings(servertest.FastTimings),
			servertest.WithClock(clock))
		c := s.NewCrew(t, 10_000, "x", "linkedin")
		planned, _ := s.ScheduleIn(t, c, s.NewPost(t, c, "due"), dueAfterBackup,
			crier.Targets{SocialAccountIDs: c.IDs()})
		onX, onLinkedIn := planned.Data[0].ScheduledPost.ID, planned.Data[1].ScheduledPost.ID
		file := filepath.Join(t.TempDir(), "backup.tar")
		if _, err := server.Backup(context.Background(), s.Config, file, server.BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		place := emptyPlace(t, db)
		config := moved(t, s.Config, place)
		done, err := server.Restore(context.Background(), config, file, server.BackupOptions{})
		if err != nil || done.Due != 0 || done.Later != 2 {
			t.Fatalf("%+v, %v", done, err)
		}
		clock.Advance(dueAfterBackup)
		for _, id := range []crier.ID{onX, onLinkedIn} {
			s.Await(t, c, id, crier.Published)
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Hour)
		again := servertest.Start(t, place, func(c *server.Config) { *c = config; c.Logger = s.Config.Logger })
		again.Await(t, c, onX, crier.Published)
		again.Await(t, c, onLinkedIn, crier.Unknown) // nobody can find out
		for _, on := range c.Accounts {
			if got := servertest.Texts(box.Timeline(t, on)); !slices.Equal(got, []string{"due"}) {
				t.Errorf("%s shows %q", on.Network, got)
			}
		}
		again.BooksAgree(t)
	})
}

func TestBackupIncludesKeyAndMediaOnRequest(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRole("api"))
		ctx := context.Background()
		missing := s.InsertImage(t)
		blobs, err := s.Config.OpenBlobs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		key := media.Key{ID: crier.NewID(), Variant: media.VariantOriginal}
		if err := blobs.Put(ctx, key, strings.NewReader("a picture"), -1); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		plain, full := filepath.Join(dir, "plain.tar"), filepath.Join(dir, "full.tar")
		const passphrase = "correct horse battery"
		report, err := server.Backup(ctx, s.Config, plain, server.BackupOptions{})
		if err != nil || report.WithKey || report.WithMedia || report.MediaFiles != 1 ||
			!slices.Equal(report.MissingMedia, []string{missing + ".original"}) {
			t.Fatalf("%+v, %v", report, err)
		}
		if _, err := server.Backup(ctx, s.Config, plain, server.BackupOptions{}); err == nil {
			t.Error("a backup replaces another file")
		}
		withAll := server.BackupOptions{Passphrase: passphrase, WithMedia: true}
		report, err = server.Backup(ctx, s.Config, full, withAll)
		if err != nil || !report.WithKey || !report.WithMedia {
			t.Fatalf("%+v, %v", report, err)
		}
		for _, file := range []string{plain, full} {
			data, err := os.ReadFile(file)
			if err != nil || bytes.Contains(data, []byte(servertest.Secret)) {
				t.Errorf("%s shows the secret key (%v)", file, err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v, %v", file, info.Mode(), err)
			}
		}
		place := emptyPlace(t, db)
		config := moved(t, s.Config, place)
		config.SecretKey = ""
		for file, passphrase := range map[string]string{plain: passphrase, full: "another passphrase"} {
			if _, err := server.Restore(ctx, config, file, server.BackupOptions{Passphrase: passphrase}); err == nil {
				t.Error("restored without the key")
			}
		}
		done, err := server.Restore(ctx, config, full, withAll)
		if err != nil || len(done.MissingMedia) != 0 {
			t.Fatalf("%+v, %v", done, err)
		}
		if secret, err := config.PresentKey(); err != nil || secret != servertest.Secret {
			t.Errorf("the key is %q, %v", secret, err)
		}
		again := servertest.Start(t, place, func(c *server.Config) { *c = config; c.Listen = "127.0.0.1:0" })
		again.As(t, s.Key, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		if _, err := server.Restore(ctx, config, full, withAll); err == nil {
			t.Error("restored over a database in use")
		}
	})
}

func TestDamagedBackupIsRefused(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRole("api"))
		ctx := context.Background()
		file := filepath.Join(t.TempDir(), "backup.tar")
		if _, err := server.Backup(ctx, s.Config, file, server.BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flipped := slices.Clone(whole)
		if !bytes.Contains(whole, []byte("First organization")) {
			t.Fatal("the backup does not have the organization")
		}
		flipped[bytes.LastIndex(whole, []byte("First organization"))] ^= 1
		for name, data := range map[string][]byte{
			"flipped": flipped, "cut": whole[:len(whole)/2], "empty": {},
			"other": []byte(strings.Repeat("text ", 1000)),
		} {
			broken := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(broken, data, 0o600); err != nil {
				t.Fatal(err)
			}
			place := emptyPlace(t, db)
			if _, err := server.Restore(ctx, moved(t, s.Config, place), broken, server.BackupOptions{}); err == nil {
				t.Errorf("%s: it was restored", name)
			}
			if there, _ := store.Exists(store.Config{DataDir: place.DataDir}); place.URL == "" && there {
				t.Errorf("%s: it left a database", name)
			}
		}
	})
}

func TestCopiedDatabaseIsMarkedAsRestored(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRole("api"))
		config := moved(t, s.Config, db)
		if db.Dialect == store.SQLite {
			config.DataDir = db.DataDir
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		at := crier.TimeOf(time.Now().Add(-time.Hour))
		if _, err := server.MarkRestored(context.Background(), config, at); err != nil {
			t.Fatal(err)
		}
		again := servertest.Start(t, db, servertest.WithRole("api"))
		again.As(t, s.Key, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		st := db.Open(t)
		r, err := st.Restoration(context.Background())
		if err != nil || r == nil || !r.BackedUpAt.Equal(at.Time) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
