// Package pagination creates and verifies the cursors of lists.
package pagination

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// Request is a caller's request for a page of a list.
type Request struct {
	// List identifies the list and its filters: a cursor of one list is not valid for another.
	List   string
	SortBy string
	Desc   bool
	Limit  int
	Cursor string
}

// Query is a page request with a verified cursor.
type Query struct {
	request Request
	query   store.PageQuery
}

// Cursors creates and verifies cursors.
type Cursors struct{ keys *auth.Keyring }

// NewCursors returns the Cursors of an installation, which sign with its keys.
func NewCursors(keys *auth.Keyring) *Cursors { return &Cursors{keys: keys} }

// Oldest returns the query for the first rows of a list, oldest first, independent of any request.
func Oldest(limit int) Query { return Query{query: store.PageQuery{Sort: "createdAt", Limit: limit}} }

// Rows returns the query for the store.
func (q Query) Rows() store.PageQuery { return q.query }

const cursorPurpose = "cursor"

// cursor is the content of an opaque cursor: the position, and the list and order it belongs to.
type cursor struct {
	List      string   `json:"l"`
	Sort      string   `json:"s"`
	Desc      bool     `json:"d,omitempty"`
	Backward  bool     `json:"b,omitempty"`
	Inclusive bool     `json:"i,omitempty"`
	Value     string   `json:"v"`
	ID        crier.ID `json:"k"`
}

// Query verifies the cursor of a request: one that was tampered with, or comes from another list, filter or sort, is
// rejected.
func (cs *Cursors) Query(r Request) (Query, error) {
	q := Query{request: r, query: store.PageQuery{Sort: r.SortBy, Desc: r.Desc, Limit: r.Limit}}
	if r.Cursor == "" {
		return q, nil
	}
	c, ok := cs.open(r.Cursor)
	if !ok {
		return q, crier.Invalid(crier.At("is not a cursor of this service; use nextCursor or prevCursor of an "+
			"earlier answer as it is", "cursor"))
	}
	if c.List != r.List || c.Sort != r.SortBy || c.Desc != r.Desc {
		return q, crier.Invalid(crier.At("belongs to another list, filter or sort; repeat the query it came from",
			"cursor"))
	}
	value, err := sortKey(c.Sort, c.Value)
	if err != nil {
		return q, crier.Invalid(crier.At("is not a cursor of this service", "cursor"))
	}
	q.query.Seek = &store.Key{Value: value, ID: c.ID}
	q.query.Backward, q.query.Inclusive = c.Backward, c.Inclusive
	return q, nil
}

// timeSorts are the sorts whose values are instants, numberSorts those whose values are whole numbers; the others are
// strings.
var (
	timeSorts   = []string{"createdAt", "updatedAt", "scheduledAt", "publishedAt"}
	numberSorts = []string{"byteSize", "views", "reach", "likes", "comments", "shares", "quotes", "saves", "clicks",
		"engagements", "engagementRate"}
)

func sortKey(sort, value string) (any, error) {
	if slices.Contains(numberSorts, sort) {
		return strconv.ParseInt(value, 10, 64)
	}
	if !slices.Contains(timeSorts, sort) {
		return value, nil
	}
	t, err := time.Parse(time.RFC3339Nano, value)
	return crier.TimeOf(t), err
}

func (cs *Cursors) open(token string) (cursor, bool) {
	var c cursor
	data, ok := cs.verified(token, cursorPurpose)
	return c, ok && json.Unmarshal(data, &c) == nil
}

// signed returns a token with the data and a signature.
func (cs *Cursors) signed(data []byte, purpose string) string {
	enc := base64.RawURLEncoding
	return enc.EncodeToString(data) + "." + enc.EncodeToString(cs.keys.Sign(data, purpose))
}

// verified returns the data of a signed token. During a rotation of the secret key, tokens of the older one stay valid.
func (cs *Cursors) verified(token, purpose string) ([]byte, bool) {
	body, signature, found := strings.Cut(token, ".")
	if !found {
		return nil, false
	}
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return nil, false
	}
	sum, err := base64.RawURLEncoding.DecodeString(signature)
	return data, err == nil && cs.keys.VerifyByAny(data, sum, purpose)
}

func (cs *Cursors) seal(q Query, backward, inclusive bool, key store.Key) *string {
	c := cursor{List: q.request.List, Sort: q.request.SortBy, Desc: q.request.Desc, Backward: backward,
		Inclusive: inclusive, ID: key.ID}
	switch v := key.Value.(type) {
	case crier.Time:
		c.Value = v.UTC().Format(time.RFC3339Nano)
	case int64:
		c.Value = strconv.FormatInt(v, 10)
	case string:
		c.Value = v
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and booleans always encode
	}
	token := cs.signed(data, cursorPurpose)
	return &token
}

// Page converts stored rows into a page, unchanged.
func Page[T any](cs *Cursors, q Query, rows store.PageRows[T], total int64) crier.Page[T] {
	return PageOf(cs, q, rows, total, func(row T) T { return row })
}

// PageOf converts stored rows into a page.
func PageOf[R, T any](cs *Cursors, q Query, rows store.PageRows[R], total int64, convert func(R) T) crier.Page[T] {
	page := crier.Page[T]{Data: make([]T, len(rows.Rows)), Total: total}
	for i, row := range rows.Rows {
		page.Data[i] = convert(row)
	}
	first, last, inclusive := rows.First, rows.Last, false
	if len(rows.Rows) == 0 && q.query.Seek != nil {
		first, last, inclusive = *q.query.Seek, *q.query.Seek, true
	}
	if rows.After {
		page.NextCursor = cs.seal(q, false, inclusive, last)
	}
	if rows.Before {
		page.PrevCursor = cs.seal(q, true, inclusive, first)
	}
	return page
}

// CappedPage is Page for a list whose count may be capped.
func CappedPage[T any](cs *Cursors, q Query, rows store.PageRows[T], total store.Total) crier.Page[T] {
	return CappedPageOf(cs, q, rows, total, func(row T) T { return row })
}

// CappedPageOf is PageOf for a list whose count may be capped.
func CappedPageOf[R, T any](cs *Cursors, q Query, rows store.PageRows[R], total store.Total,
	convert func(R) T) crier.Page[T] {
	page := PageOf(cs, q, rows, total.Count, convert)
	page.TotalIsCapped = total.Capped
	return page
}

// position is the content of a cursor of a log.
type position struct {
	List string `json:"l"`
	At   int64  `json:"a"`
}

const positionPurpose = "position"

// SealPosition returns a cursor of a log, positioned after a sequence.
func (cs *Cursors) SealPosition(list string, at int64) string {
	data, err := json.Marshal(position{List: list, At: at})
	if err != nil {
		panic(err) // a string and a number always encode
	}
	return cs.signed(data, positionPurpose)
}

// OpenPosition decodes a cursor of a log.
func (cs *Cursors) OpenPosition(list, token string) (int64, error) {
	var at position
	data, ok := cs.verified(token, positionPurpose)
	if !ok || json.Unmarshal(data, &at) != nil {
		return 0, crier.Invalid(crier.At("is neither a cursor of this service nor the id of an event; use nextCursor "+
			"of an earlier answer as it is", "after"))
	}
	if at.List != list {
		return 0, crier.Invalid(crier.At("belongs to another list or filter; repeat the query it came from", "after"))
	}
	return at.At, nil
}
