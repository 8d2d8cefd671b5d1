package api

import (
	"context"
	"strconv"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

// eventFilters is the common part of the inputs of the list and the stream of events.
type eventFilters struct {
	Types  string   `query:"types" doc:"Only these types, separated by commas."`
	TeamID crier.ID `query:"teamId" doc:"Only events of this team."`

	query service.EventQuery
}

func (f *eventFilters) read() []crier.Issue {
	types, issues := enumList("types", f.Types, crier.EventTypes())
	f.query.Types, f.query.TeamID = types, f.TeamID
	return issues
}

type listEventsInput struct {
	organizationPath
	eventFilters
	After string `query:"after" maxLength:"4096" doc:"nextCursor of an earlier response, or the id of an event; omit it to start with the oldest."`
	Limit string `query:"limit" default:"25" doc:"Events per page: a whole number from 1 to 100."`
}

var listEventsDoc = doc{
	ID: "listEvents", Tag: "Events", Summary: "List events", Description: "The log of what happened, oldest " +
		"first. Clients that keep sending `nextCursor` as `after` see every event once. Events are kept for 30 " +
		"days unless the operator configures otherwise; an older cursor is rejected.\n" +
		"\n" +
		"An event of a team needs `read` there; `member.*` needs `manage_members`, `api_key.*` needs " +
		"`manage_api_keys`, `webhook.*` needs `manage_webhooks`, and `credits.*` needs `read` in the whole " +
		"organization. Events that the caller may not see are omitted.\n" +
		"\n" +
		"Types: `" + strings.Join(crier.EventType("").Enum(),
		"`, `") + "`. New types may be added: ignore unknown ones.",
}

func (in *listEventsInput) check(*Server) []crier.Issue {
	issues := in.read()
	limit, err := strconv.ParseUint(in.Limit, 10, 32)
	if err != nil || limit < 1 || limit > crier.MaxPageSize {
		issues = append(issues, limitIssue())
	}
	in.query.After, in.query.Limit = in.After, int(limit)
	return issues
}

func (s *Server) listEvents(ctx context.Context, scope access.OrgScope, in *listEventsInput) (crier.EventPage, error) {
	return s.services.Events.List(ctx, scope, in.query)
}
