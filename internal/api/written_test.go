package api

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// writtenLog counts the bytes that SQLite writes to its WAL, by the b-tree of each page.
type writtenLog struct {
	world *world
	path  string
}

// Each page in the WAL follows a header.
const logHeader, pageHeader = 32, 24

// since runs fn and returns how many bytes it wrote, and the b-trees whose pages it wrote most often.
func (l writtenLog) since(t *testing.T, fn func()) (written int, trees string) {
	t.Helper()
	for busy := 1; busy != 0; { // while the store checkpoints, the log is not truncated
		var written, moved int
		requireNoError(t, l.world.store.Writer().QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).
			Scan(&busy, &written, &moved))
	}
	fn()
	log, err := os.ReadFile(l.path + "-wal")
	requireNoError(t, err)
	pageSize := int(binary.BigEndian.Uint32(log[8:]))
	owners, pages := l.owners(t), map[string]int{}
	for at := logHeader; at < len(log); at += pageHeader + pageSize {
		pages[owners[int(binary.BigEndian.Uint32(log[at:]))]]++
	}
	lines := []string{}
	for tree, n := range pages {
		lines = append(lines, fmt.Sprintf("%4d %s", n, tree))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	return len(log), strings.Join(lines, "\n")
}

// owners returns the b-tree of every page.
func (l writtenLog) owners(t *testing.T) map[int]string {
	t.Helper()
	owners := map[int]string{}
	rows, err := l.world.store.Reader().QueryContext(t.Context(), `SELECT name, pageno FROM dbstat`)
	requireNoError(t, err)
	defer func() { requireNoError(t, rows.Close()) }()
	for rows.Next() {
		var name string
		var page int
		requireNoError(t, rows.Scan(&name, &page))
		owners[page] = name
	}
	requireNoError(t, rows.Err())
	return owners
}

func (w *world) exec(t *testing.T, query string) {
	t.Helper()
	_, err := w.store.Writer().ExecContext(t.Context(), query)
	requireNoError(t, err)
}

// essay returns a text of about thirty words, most of them common ones.
func essay(n int) string {
	words := []string{"launch", "kite", "summer", "team", "market", "product", "customer", "story", "coffee", "morning"}
	var b strings.Builder
	for i := range 28 {
		fmt.Fprintf(&b, "%s%d ", words[(n+i)%len(words)], (n*7+i*i)%(i*3+2))
	}
	return strings.TrimSpace(b.String()) + fmt.Sprintf(" https://ex%d.com #tag%d @friend%d", n%7, n%50, n%20)
}

// writer sends the measured requests, in a team that has posts already.
type writer struct {
	*world
	n      int
	drafts []crier.ID
}

func (w *writer) create(t *testing.T, repeatable bool) {
	t.Helper()
	w.n++
	w.drafts = append(w.drafts, as[crier.Post](t, w.call(t, http.MethodPost, w.team("/posts"),
		object{"title": fmt.Sprint("Launch ", w.n), "text": essay(w.n)}, w.keyed(repeatable)...).
		want(t, http.StatusCreated)).ID)
}

// schedule schedules the oldest draft.
func (w *writer) schedule(t *testing.T, repeatable bool) {
	t.Helper()
	w.n++
	post := w.drafts[0]
	w.drafts = w.drafts[1:]
	w.call(t, http.MethodPost, w.team("/posts/%s/schedule", post), object{
		"socialAccountIds": []crier.ID{w.account(t, "threads")},
		"scheduledAt":      crier.TimeOf(w.now().Add(time.Duration(w.n) * time.Hour)),
	}, w.keyed(repeatable)...).want(t, http.StatusOK)
}

func (w *writer) keyed(repeatable bool) []header {
	if !repeatable {
		return nil
	}
	return []header{{"Idempotency-Key", fmt.Sprint("key-", w.n)}}
}

func (w *writer) merge(t *testing.T, _ bool) {
	t.Helper()
	_, err := w.store.MergeChanges(t.Context(), w.tenant.TeamID, 1)
	requireNoError(t, err)
}

// How much a request writes to SQLite's WAL depends on the layout of the tables alone. It is measured in a team with
// some hundred posts, as the mean of several requests.
func TestRequestsWriteFewBytesToSQLite(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.SQLite)
	w := &writer{world: newWorld(t, db.Open(t))}
	l := writtenLog{world: w.world, path: filepath.Join(db.Config().DataDir, "crier.db")}
	w.exec(t, `PRAGMA wal_autocheckpoint = 0`)
	const mean = 64
	for i := range 5 * mean {
		w.create(t, true)
		if i%2 == 1 {
			w.schedule(t, true)
		}
	}
	w.merge(t, true)
	for _, request := range []struct {
		name       string
		most       int
		repeatable bool
		times      int
		send       func(*testing.T, bool)
	}{
		{"create a draft", 60 << 10, false, mean, w.create},
		{"create a draft, repeatable", 60 << 10, true, mean, w.create},
		{"merge a draft into the search index", 32 << 10, false, 1, w.merge},
		{"schedule on one account", 60 << 10, false, mean, w.schedule},
		{"schedule on one account, repeatable", 60 << 10, true, mean, w.schedule},
	} {
		written, trees := l.since(t, func() {
			for range request.times {
				request.send(t, request.repeatable)
			}
		})
		posts := max(request.times, mean)
		if request.times == 1 {
			posts = 2 * mean
		}
		t.Logf("%s: %.1f KiB", request.name, float64(written)/1024/float64(posts))
		if written/posts > request.most {
			t.Errorf("%s: %d bytes, at most %d are allowed. Pages of %d requests:\n%s", request.name, written/posts,
				request.most, posts, trees)
		}
	}
}
