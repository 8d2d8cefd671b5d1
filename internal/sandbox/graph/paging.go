package graph

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/internal/sandbox/sim"
)

// listBody is a page of a list.
type listBody struct {
	Data   []Object `json:"data"`
	Paging *paging  `json:"paging,omitempty"`
}

type paging struct {
	Cursors  cursors `json:"cursors"`
	Previous string  `json:"previous,omitempty"`
	Next     string  `json:"next,omitempty"`
}

type cursors struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

const (
	pageLength    = 25
	maxPageLength = 100
)

// List returns one page of a list of ids, in their order; show returns each of them. env's lock must be held by the
// caller if show needs it. address is the list's own, for the link to the next page.
func (c *Call) List(address string, ids []string, show func(id string) (Object, *sim.Reply)) sim.Reply {
	limit, hasLimit := c.Params.Int("limit")
	if !hasLimit {
		limit = pageLength
	}
	if limit < 0 {
		return Invalid("param limit must not be negative")
	}
	page, first, rest := cut(ids, c.Params["after"], c.Params["before"], int(min(limit, maxPageLength)))
	body := listBody{Data: []Object{}}
	for _, id := range page {
		object, refusal := show(id)
		if refusal != nil {
			return *refusal
		}
		body.Data = append(body.Data, object)
	}
	if len(page) > 0 {
		body.Paging = &paging{Cursors: cursors{Before: cursor(page[0]), After: cursor(page[len(page)-1])}}
		if rest {
			body.Paging.Next = c.pageLink(address, "after", body.Paging.Cursors.After)
		}
		if !first {
			body.Paging.Previous = c.pageLink(address, "before", body.Paging.Cursors.Before)
		}
	}
	return OK(body)
}

// cut returns the ids between the cursors, at most limit, and whether they are the first and whether more follow.
func cut(ids []string, after, before string, limit int) (page []string, isFirst, hasMore bool) {
	start, end := 0, len(ids)
	if at := slices.IndexFunc(ids, func(id string) bool { return after != "" && cursor(id) == after }); at >= 0 {
		start = at + 1
	}
	if at := slices.IndexFunc(ids, func(id string) bool { return before != "" && cursor(id) == before }); at >= 0 {
		end = at
		start = max(start, end-limit)
	}
	if end-start > limit {
		end = start + limit
	}
	end = max(start, end)
	return ids[start:end], start == 0, end < len(ids)
}

func cursor(id string) string { return base64.RawURLEncoding.EncodeToString([]byte(id)) }

// pageLink returns the URL of the previous or next page. As on the real network, it contains the token.
func (c *Call) pageLink(address, key, value string) string {
	q := url.Values{}
	for name, param := range c.Params {
		q.Set(name, param)
	}
	q.Del("after")
	q.Del("before")
	q.Set(key, value)
	q.Set("access_token", c.Token.Value)
	return address + "?" + q.Encode()
}

// Between returns the period that a call limits a list to; missing bounds are open.
func (c *Call) Between() (since, until time.Time, refusal *sim.Reply) {
	since, ok := c.instant("since")
	if !ok {
		return since, until, InvalidParameter("param since must be a unix timestamp or a date").Refuse()
	}
	if until, ok = c.instant("until"); !ok {
		return since, until, InvalidParameter("param until must be a unix timestamp or a date").Refuse()
	}
	return since, until, nil
}

func (c *Call) instant(name string) (time.Time, bool) {
	if c.Params[name] == "" {
		return time.Time{}, true
	}
	return ParseTime(c.Params[name])
}

// ParseTime parses a time in one of the formats of the API.
func ParseTime(text string) (time.Time, bool) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC(), true
	}
	for _, layout := range []string{time.RFC3339, WireTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// Within reports whether a time is between two others, either of which may be open.
func Within(at, since, until time.Time) bool {
	return !at.Before(since) && (until.IsZero() || !at.After(until))
}

// WireTime is the API's time format: without a colon in the offset.
const WireTime = "2006-01-02T15:04:05-0700"

// Timestamp formats a time.
func Timestamp(t time.Time) string { return t.UTC().Format(WireTime) }
