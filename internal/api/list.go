package api

import (
	"errors"
	"fmt"
	"strconv"

	"crier"
	"crier/internal/pagination"
)

// listQuery is the common part of the inputs of lists.
type listQuery struct {
	Cursor    string `query:"cursor" maxLength:"4096" doc:"nextCursor or prevCursor of an earlier response; omit it for the first page."`
	Limit     string `query:"limit" default:"25" doc:"Entries per page: a whole number from 1 to 100."`
	SortBy    string `query:"sortBy" doc:"The field to sort by."`
	SortOrder string `query:"sortOrder" enum:"asc,desc" default:"desc" doc:"The direction."`

	page pagination.Query
}

// open verifies the query of a list; name identifies the list and its filters.
func (q *listQuery) open(s *Server, name string, sorts []string) []crier.Issue {
	var issues []crier.Issue
	limit, err := strconv.ParseUint(q.Limit, 10, 32)
	if err != nil || limit < 1 || limit > crier.MaxPageSize {
		issues = append(issues, limitIssue())
	}
	request := pagination.Request{List: name, SortBy: q.SortBy, Desc: q.SortOrder != "asc", Limit: int(limit),
		Cursor: q.Cursor}
	if request.SortBy == "" { // what was asked for is not one of them
		request.SortBy = sorts[0]
	}
	page, err := s.services.Pages.Query(request)
	if invalid, ok := errors.AsType[*crier.Error](err); ok {
		issues = append(issues, invalid.Issues...)
	}
	q.page = page
	return issues
}

func limitIssue() crier.Issue {
	return crier.At(fmt.Sprintf("must be a whole number from 1 to %d", crier.MaxPageSize), "limit")
}
