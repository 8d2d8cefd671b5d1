package crier

// Bounds of a page of a list.
const (
	DefaultPageSize = 25
	MaxPageSize     = 100
)

// Page is one page of a list. A cursor is null if there is no page in its direction.
type Page[T any] struct {
	Data  []T   `json:"data"`
	Total int64 `json:"total" number:"true" doc:"Number of entries in the whole list."`
	// TotalIsCapped is true if there are more entries than Total: not all were counted.
	TotalIsCapped bool    `json:"totalIsCapped,omitempty" doc:"True when counting stopped at 10,000, as it does for combinations of filters: total is not the number of entries then."`
	NextCursor    *string `json:"nextCursor" doc:"Send it as cursor to get the next page; null on the last page."`
	PrevCursor    *string `json:"prevCursor" doc:"Send it as cursor to get the previous page; null on the first page."`
}
