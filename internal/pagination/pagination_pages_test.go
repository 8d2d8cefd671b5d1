package pagination

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

func wantIssue(t *testing.T, name string, err error, path, message string) {
	t.Helper()
	var invalid *crier.Error
	if !errors.As(err, &invalid) || invalid.Kind != crier.KindInvalid || len(invalid.Issues) != 1 ||
		!slices.Equal(invalid.Issues[0].Path, []string{path}) || invalid.Issues[0].Message != message {
		t.Errorf("%s: %v, want %s: %s", name, err, path, message)
	}
}

const (
	foreignCursor = "is not a cursor of this service; use nextCursor or prevCursor of an earlier answer as it is"
	otherList     = "belongs to another list, filter or sort; repeat the query it came from"
)

func TestQueryWithoutACursorAsksForTheBeginning(t *testing.T) {
	t.Parallel()
	q, err := newCursors(t).Query(Request{List: "posts", SortBy: "title", Desc: true, Limit: 7})
	if want := (store.PageQuery{Sort: "title", Desc: true, Limit: 7}); err != nil || q.Rows() != want {
		t.Errorf("it asks for %+v, %v", q.Rows(), err)
	}
	if want := (store.PageQuery{Sort: "createdAt", Limit: 100}); Oldest(100).Rows() != want {
		t.Errorf("the oldest are %+v", Oldest(100).Rows())
	}
}

// TestCursorsBelongToTheirQuery: the list's name carries its filters and its tenant, so that a cursor opens nothing
// else.
func TestCursorsBelongToTheirQuery(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	r := Request{List: "posts of a", SortBy: "title", Desc: true, Limit: 5}
	key := store.Key{Value: "Owls", ID: crier.NewID()}
	next, _ := cursorsOf(cs, r, key, key)
	for name, change := range map[string]func(*Request){
		"another list":  func(r *Request) { r.List = "posts of b" },
		"a longer list": func(r *Request) { r.List += " " },
		"another sort":  func(r *Request) { r.SortBy = "status" },
		"another order": func(r *Request) { r.Desc = false },
	} {
		other := r
		other.Cursor = next
		change(&other)
		_, err := cs.Query(other)
		wantIssue(t, name, err, "cursor", otherList)
	}
	// How many rows a page has may change on the way.
	r.Cursor, r.Limit = next, 100
	if q, err := cs.Query(r); err != nil || q.Rows().Limit != 100 || q.Rows().Seek.Value != "Owls" {
		t.Errorf("with another limit: %+v, %v", q.Rows(), err)
	}
}

func TestCursorsThatWereTamperedWithAreRefused(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	r := Request{List: "posts", SortBy: "title", Limit: 5}
	key := store.Key{Value: "Owls", ID: crier.NewID()}
	next, _ := cursorsOf(cs, r, key, key)
	body, signature, _ := strings.Cut(next, ".")
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	forged := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(data), "Owls", "Cats", 1)))
	keys, err := auth.NewKeyring("ffffffffffffffffffffffffffffffff")
	if err != nil {
		t.Fatal(err)
	}
	foreign, _ := cursorsOf(NewCursors(keys), r, key, key)
	for name, token := range map[string]string{
		"no signature": body, "an empty signature": body + ".", "an empty body": "." + signature,
		"two dots": next + ".x", "another body": forged + "." + signature,
		"half a signature": body + "." + signature[:10], "padding": next + "==",
		"standard base64": base64.StdEncoding.EncodeToString(data) + "." + signature, "a space": " " + next,
		"of another installation": foreign, "of a log": cs.SealPosition("posts", 7), "nonsense": "%%%.%%%",
	} {
		r.Cursor = token
		_, err := cs.Query(r)
		wantIssue(t, name, err, "cursor", foreignCursor)
	}
}

// TestCursorsCarryTheValuesOfTheirSort: times to the microsecond, whole numbers of any size, texts as they are.
func TestCursorsCarryTheValuesOfTheirSort(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	instant := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 123_456_000, time.UTC))
	for _, tc := range []struct {
		sort  string
		value any
	}{
		{"createdAt", instant}, {"updatedAt", instant},
		{"scheduledAt", crier.TimeOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))},
		{"publishedAt", crier.TimeOf(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))},
		{"byteSize", int64(math.MaxInt64)}, {"views", int64(0)}, {"likes", int64(math.MinInt64)},
		{"engagementRate", int64(-1)},
		{"title", ""}, {"title", `a"b\c<d>&`}, {"name", "2026-11-15T09:00:00Z"}, {"status", "7"},
	} {
		r := Request{List: "l", SortBy: tc.sort, Limit: 1}
		key := store.Key{Value: tc.value, ID: crier.NewID()}
		r.Cursor, _ = cursorsOf(cs, r, key, key)
		q, err := cs.Query(r)
		if err != nil || *q.Rows().Seek != key {
			t.Errorf("%s %v leads to %+v, %v", tc.sort, tc.value, q.Rows().Seek, err)
		}
	}
}

// TestCursorsOfAnotherVersionAreRefused: what a sort holds may change between versions, and a signature is good for
// ever.
func TestCursorsOfAnotherVersionAreRefused(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	for sort, value := range map[string]string{"createdAt": "Owls", "scheduledAt": "", "byteSize": "1.5", "views": "",
		"likes": "99999999999999999999"} {
		data, err := json.Marshal(cursor{List: "l", Sort: sort, Value: value, ID: crier.NewID()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = cs.Query(Request{List: "l", SortBy: sort, Limit: 1, Cursor: cs.signed(data, cursorPurpose)})
		wantIssue(t, sort, err, "cursor", "is not a cursor of this service")
	}
	for _, data := range []string{"", "7", `{"l":7}`, `{"l":"l","s":"title","k":"me"}`} {
		_, err := cs.Query(Request{List: "l", SortBy: "title", Limit: 1,
			Cursor: cs.signed([]byte(data), cursorPurpose)})
		wantIssue(t, data, err, "cursor", foreignCursor)
	}
}

func TestPagesHaveCursorsWhereTheListGoesOn(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	r := Request{List: "l", SortBy: "title", Limit: 2}
	first, last := store.Key{Value: "a", ID: crier.NewID()}, store.Key{Value: "b", ID: crier.NewID()}
	for _, tc := range []struct{ before, after bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		page := PageOf(cs, Query{request: r}, store.PageRows[int]{Rows: []int{1, 2}, First: first, Last: last,
			Before: tc.before, After: tc.after}, 9, strconv.Itoa)
		if !slices.Equal(page.Data, []string{"1", "2"}) || page.Total != 9 || page.TotalIsCapped {
			t.Errorf("the page is %+v", page)
		}
		if (page.NextCursor != nil) != tc.after || (page.PrevCursor != nil) != tc.before {
			t.Fatalf("before %t, after %t: %v, %v", tc.before, tc.after, page.PrevCursor, page.NextCursor)
		}
		if tc.after {
			wantSeek(t, cs, r, *page.NextCursor, store.PageQuery{Sort: "title", Limit: 2, Seek: &last})
		}
		if tc.before {
			wantSeek(t, cs, r, *page.PrevCursor, store.PageQuery{Sort: "title", Limit: 2, Seek: &first, Backward: true})
		}
	}
}

func wantSeek(t *testing.T, cs *Cursors, r Request, token string, want store.PageQuery) {
	t.Helper()
	r.Cursor = token
	q, err := cs.Query(r)
	got := q.Rows()
	if err != nil || got.Seek == nil || *got.Seek != *want.Seek {
		t.Fatalf("it leads to %+v, %v; want %+v", got.Seek, err, want.Seek)
	}
	got.Seek, want.Seek = nil, nil
	if got != want {
		t.Errorf("it asks for %+v, want %+v", got, want)
	}
}

// TestEmptyPagesLeadBackToWhereTheyWereAsked: when all rows behind a cursor were deleted meanwhile, the way back begins
// with the row of the cursor itself.
func TestEmptyPagesLeadBackToWhereTheyWereAsked(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	r := Request{List: "l", SortBy: "title", Limit: 2}
	key := store.Key{Value: "m", ID: crier.NewID()}
	query := Query{request: r, query: store.PageQuery{Sort: "title", Limit: 2, Seek: &key}}
	page := Page(cs, query, store.PageRows[int]{Before: true, After: true}, 1)
	if page.Data == nil || len(page.Data) != 0 {
		t.Errorf("the data are %#v, want an empty list", page.Data)
	}
	wantSeek(t, cs, r, *page.PrevCursor, store.PageQuery{Sort: "title", Limit: 2, Seek: &key, Backward: true,
		Inclusive: true})
	wantSeek(t, cs, r, *page.NextCursor, store.PageQuery{Sort: "title", Limit: 2, Seek: &key, Inclusive: true})
	empty := Page(cs, Query{request: r}, store.PageRows[int]{}, 0)
	if empty.NextCursor != nil || empty.PrevCursor != nil || empty.Data == nil {
		t.Errorf("an empty list is %+v", empty)
	}
}

func TestCappedPagesSayThatTheyAreNotCountedToTheEnd(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	rows := store.PageRows[int]{Rows: []int{1}}
	for _, capped := range []bool{false, true} {
		total := store.Total{Count: 10_000, Capped: capped}
		if p := CappedPage(cs, Query{}, rows, total); p.Total != 10_000 || p.TotalIsCapped != capped || p.Data[0] != 1 {
			t.Errorf("capped %t: %+v", capped, p)
		}
		p := CappedPageOf(cs, Query{}, rows, total, strconv.Itoa)
		data, err := json.Marshal(p)
		if err != nil || p.Data[0] != "1" || strings.Contains(string(data), `"totalIsCapped":true`) != capped {
			t.Errorf("capped %t: %s, %v", capped, data, err)
		}
	}
}

func TestPositionsOfALogLeadBack(t *testing.T) {
	t.Parallel()
	cs := newCursors(t)
	for _, at := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
		if got, err := cs.OpenPosition("events of x", cs.SealPosition("events of x", at)); err != nil || got != at {
			t.Errorf("%d is opened as %d, %v", at, got, err)
		}
	}
	const foreign = "is neither a cursor of this service nor the id of an event; use nextCursor of an earlier " +
		"answer as it is"
	_, err := cs.OpenPosition("events of y", cs.SealPosition("events of x", 7))
	wantIssue(t, "another list", err, "after", "belongs to another list or filter; repeat the query it came from")
	r := Request{List: "events of x", SortBy: "title"}
	key := store.Key{Value: "a", ID: crier.NewID()}
	page, _ := cursorsOf(cs, r, key, key)
	good := cs.SealPosition("events of x", 7)
	for name, token := range map[string]string{"nothing": "", "a page's cursor": page, "cut": good[:len(good)-2],
		"an id": string(crier.NewID()), "a number": "7", "not JSON": cs.signed([]byte("7"), positionPurpose)} {
		_, err := cs.OpenPosition("events of x", token)
		wantIssue(t, name, err, "after", foreign)
	}
}
