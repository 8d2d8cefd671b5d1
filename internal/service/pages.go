package service

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

// The sorts of each list; the first is the default.
var (
	OrganizationSorts = []string{"createdAt", "updatedAt", "name"}
	TeamSorts         = []string{"createdAt", "updatedAt", "name"}
	KeySorts          = []string{"createdAt", "name"}
	CreditSorts       = []string{"createdAt"}
	MemberSorts       = []string{"createdAt"}
	InvitationSorts   = []string{"createdAt"}
	AuditSorts        = []string{"createdAt"}
	PostSorts         = []string{"createdAt", "updatedAt", "title", "status", "scheduledAt"}
	TagSorts          = []string{"createdAt", "name"}
	AssetSorts        = []string{"createdAt", "updatedAt", "fileName", "byteSize"}
	FolderSorts       = []string{"createdAt", "updatedAt", "name"}
)

// PageRequest asks for a page of a list as a caller does.
type PageRequest struct {
	// List names the list and its filters: a cursor of one list does not fit another.
	List   string
	SortBy string
	Desc   bool
	Limit  int
	Cursor string
}

// PageQuery is a page request whose cursor was found to be good.
type PageQuery struct {
	request PageRequest
	query   store.PageQuery
}

// Pages makes and reads cursors.
type Pages struct{ keys *auth.Keyring }

const cursorPurpose = "cursor"

// cursor is what an opaque cursor holds: where to go on, and in which list and order it does.
type cursor struct {
	List      string   `json:"l"`
	Sort      string   `json:"s"`
	Desc      bool     `json:"d,omitempty"`
	Backward  bool     `json:"b,omitempty"`
	Inclusive bool     `json:"i,omitempty"`
	Value     string   `json:"v"`
	ID        crier.ID `json:"k"`
}

// Query checks the cursor of a request: one that was tampered with, or comes from another list, filter or sort, is
// refused.
func (p *Pages) Query(r PageRequest) (PageQuery, error) {
	q := PageQuery{request: r, query: store.PageQuery{Sort: r.SortBy, Desc: r.Desc, Limit: r.Limit}}
	if r.Cursor == "" {
		return q, nil
	}
	c, ok := p.open(r.Cursor)
	if !ok {
		return q, crier.Invalid(crier.At("is not a cursor of this service; use nextCursor or prevCursor of an earlier answer as it is", "cursor"))
	}
	if c.List != r.List || c.Sort != r.SortBy || c.Desc != r.Desc {
		return q, crier.Invalid(crier.At("belongs to another list, filter or sort; repeat the query it came from", "cursor"))
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
// texts.
var (
	timeSorts   = []string{"createdAt", "updatedAt", "scheduledAt"}
	numberSorts = []string{"byteSize"}
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

func (p *Pages) open(token string) (cursor, bool) {
	var c cursor
	body, signature, found := strings.Cut(token, ".")
	if !found {
		return c, false
	}
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return c, false
	}
	sum, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !p.keys.Verify(data, sum, cursorPurpose) {
		return c, false
	}
	return c, json.Unmarshal(data, &c) == nil
}

func (p *Pages) seal(q PageQuery, backward, inclusive bool, key store.Key) *string {
	c := cursor{List: q.request.List, Sort: q.request.SortBy, Desc: q.request.Desc, Backward: backward, Inclusive: inclusive, ID: key.ID}
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
	enc := base64.RawURLEncoding
	token := enc.EncodeToString(data) + "." + enc.EncodeToString(p.keys.Sign(data, cursorPurpose))
	return &token
}

// pageOf turns stored rows into an answer.
func pageOf[R, T any](p *Pages, q PageQuery, rows store.PageRows[R], total int64, convert func(R) T) crier.Page[T] {
	page := crier.Page[T]{Data: make([]T, len(rows.Rows)), Total: total}
	for i, row := range rows.Rows {
		page.Data[i] = convert(row)
	}
	first, last, inclusive := rows.First, rows.Last, false
	if len(rows.Rows) == 0 && q.query.Seek != nil {
		first, last, inclusive = *q.query.Seek, *q.query.Seek, true
	}
	if rows.After {
		page.NextCursor = p.seal(q, false, inclusive, last)
	}
	if rows.Before {
		page.PrevCursor = p.seal(q, true, inclusive, first)
	}
	return page
}

func same[T any](v T) T { return v }
