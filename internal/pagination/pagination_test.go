package pagination

import (
	"errors"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

func newCursors(tb testing.TB) *Cursors {
	tb.Helper()
	keys, err := auth.NewKeyring("0123456789abcdef0123456789abcdef")
	if err != nil {
		tb.Fatal(err)
	}
	return &Cursors{keys: keys}
}

// cursorsOf returns the cursors of a page in the middle of a list.
func cursorsOf(p *Cursors, r Request, first, last store.Key) (next, prev string) {
	page := Page(p, Query{request: r}, store.PageRows[int]{Rows: []int{1}, First: first, Last: last, Before: true,
		After: true}, 3)
	return *page.NextCursor, *page.PrevCursor
}

func TestCursorRoundTrip(t *testing.T) {
	t.Parallel()
	p := newCursors(t)
	instant := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 123_456_000, time.UTC))
	for _, value := range []any{instant, "", "Name", "ä🦉\x00\xff", strings.Repeat("n", 500)} {
		sort := "name"
		if _, ok := value.(crier.Time); ok {
			sort = "createdAt"
		}
		r := Request{List: "teams of x", SortBy: sort, Desc: true, Limit: 5}
		key := store.Key{Value: value, ID: crier.NewID()}
		next, prev := cursorsOf(p, r, key, key)
		for cursor, backward := range map[string]bool{next: false, prev: true} {
			r.Cursor = cursor
			q, err := p.Query(r)
			if err != nil {
				t.Fatal(err)
			}
			want := value
			if text, ok := value.(string); ok {
				want = strings.ToValidUTF8(text, "\ufffd") // what no database gives out in the first place
			}
			if q.query.Backward != backward || q.query.Seek == nil || q.query.Seek.ID != key.ID ||
				q.query.Seek.Value != want {
				t.Errorf("%q leads to %+v", value, q.query)
			}
		}
	}
}

// A reader of a list or of events goes on where it was while the secret key is rotated.
func TestCursorsOutliveARotation(t *testing.T) {
	t.Parallel()
	const older, fresh = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
	ring := func(secrets string) *Cursors {
		keys, err := auth.NewKeyring(secrets)
		if err != nil {
			t.Fatal(err)
		}
		return NewCursors(keys)
	}
	r := Request{List: "teams of x", SortBy: "name", Limit: 5}
	key := store.Key{Value: "Name", ID: crier.NewID()}
	for made, read := range map[string]string{older: fresh + "," + older, older + "," + fresh: fresh + "," + older,
		fresh + "," + older: fresh} {
		r.Cursor, _ = cursorsOf(ring(made), r, key, key)
		if q, err := ring(read).Query(r); err != nil || q.query.Seek.ID != key.ID {
			t.Errorf("a cursor of %s is read by %s as %+v, %v", made, read, q.query, err)
		}
		if at, err := ring(read).OpenPosition("events", ring(made).SealPosition("events", 7)); err != nil || at != 7 {
			t.Errorf("a position of %s is read by %s as %d, %v", made, read, at, err)
		}
	}
	r.Cursor, _ = cursorsOf(ring(older), r, key, key)
	if _, err := ring(fresh).Query(r); err == nil {
		t.Error("a cursor of a key that is gone is taken")
	}
}

// FuzzCursor: whatever comes in as a cursor, it is either one that this service has made for this query, or a clear
// refusal.
func FuzzCursor(f *testing.F) {
	p := newCursors(f)
	r := Request{List: "teams of ", SortBy: "createdAt", Desc: true, Limit: 25}
	key := store.Key{Value: crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)),
		ID: "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"}
	next, prev := cursorsOf(p, r, key, key)
	for _, seed := range []string{next, prev, "", ".", "a.b", next + "=", next[:len(next)-3], strings.ToUpper(next),
		"eyJsIjoidGVhbXMgb2YgIn0.AAAA", "\x00", "💥"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		r := r
		r.Cursor = token
		q, err := p.Query(r)
		if err != nil {
			var invalid *crier.Error
			if !errors.As(err, &invalid) || invalid.Kind != crier.KindInvalid || len(invalid.Issues) != 1 ||
				invalid.Issues[0].Path[0] != "cursor" {
				t.Fatalf("%q: %v", token, err)
			}
			return
		}
		if token != "" && (q.query.Seek == nil || *q.query.Seek != key) {
			t.Fatalf("%q was accepted and leads to %+v", token, q.query)
		}
	})
}
