package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"crier"
)

// ListOptions select a page of a list.
type ListOptions struct {
	Cursor    string
	Limit     int
	SortBy    string
	SortOrder string
}

func (o ListOptions) query() url.Values {
	q := url.Values{}
	set(q, "cursor", o.Cursor)
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	set(q, "sortBy", o.SortBy)
	set(q, "sortOrder", o.SortOrder)
	return q
}

func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

func setTime(q url.Values, name string, at *crier.Time) {
	if at != nil {
		q.Set(name, at.String())
	}
}

// All iterates over a whole list, page by page. It stops at the first error.
func All[T any](ctx context.Context, options ListOptions,
	page func(context.Context, ListOptions) (crier.Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			p, err := page(ctx, options)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entry := range p.Data {
				if !yield(entry, nil) {
					return
				}
			}
			if p.NextCursor == nil {
				return
			}
			options.Cursor = *p.NextCursor
		}
	}
}
