package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
	"crier/internal/pagination"
	"crier/internal/store"
)

// Events implements reading the event log, with its permissions.
type Events struct {
	store *store.Store
	pages *pagination.Cursors
	log   *events.Log
	kept  time.Duration
}

func newEvents(pages *pagination.Cursors, cfg Config) *Events {
	return &Events{store: cfg.Store, pages: pages, log: events.NewLog(cfg.Store, cfg.Logger), kept: eventsKept(cfg)}
}

// eventsKept returns how long events are kept: 30 days unless configured otherwise.
func eventsKept(cfg Config) time.Duration {
	return time.Duration(cmp.Or(cfg.EventDays, 30)) * 24 * time.Hour
}

// Log returns the node's own event log, to be run.
func (s *Events) Log() *events.Log { return s.log }

// EventQuery selects events of an organization; an empty field selects all.
type EventQuery struct {
	Types  []crier.EventType
	TeamID crier.ID
	// After is a cursor of an earlier page, or the id of an event; empty means the beginning.
	After string
	Limit int
}

// name tells the list and its filters: a cursor of one list does not fit another.
func (q EventQuery) name(organization crier.ID) string {
	words := make([]string, len(q.Types))
	for i, t := range q.Types {
		words[i] = string(t)
	}
	slices.Sort(words)
	return fmt.Sprintf("events of %s team %s types %s", organization, q.TeamID, strings.Join(words, ","))
}

// cursor returns a place in the list of an organization's events.
func (s *Events) cursor(organization crier.ID, q EventQuery, at int64) string {
	return s.pages.SealPosition(q.name(organization), at)
}

func (q EventQuery) filter() store.EventFilter {
	return store.EventFilter{Types: q.Types, TeamID: q.TeamID}
}

func (q EventQuery) wants(e crier.Event) bool {
	return (len(q.Types) == 0 || slices.Contains(q.Types, e.Type)) &&
		(q.TeamID == "" || e.TeamID != nil && *e.TeamID == q.TeamID)
}

// view is what a caller may see of an organization's events.
type view struct {
	// teams are nil when the caller sees all of them.
	teams map[crier.ID]bool
	// may tells what the caller may do in the whole organization.
	may map[crier.Permission]bool
}

// eventFamilies are the events that need more than the read permission.
var eventFamilies = []struct {
	prefix string
	needs  crier.Permission
}{
	{"member.", crier.ManageMembers}, {"api_key.", crier.ManageAPIKeys}, {"webhook.", crier.ManageWebhooks},
}

func (v view) sees(e crier.Event) bool {
	for _, family := range eventFamilies {
		if strings.HasPrefix(string(e.Type), family.prefix) {
			return v.may[family.needs]
		}
	}
	if e.TeamID == nil {
		return v.teams == nil
	}
	return v.teams == nil || v.teams[*e.TeamID]
}

// viewOf returns what a caller may see.
func (s *Events) viewOf(ctx context.Context, scope access.OrgScope) (view, error) {
	v := view{may: map[crier.Permission]bool{}}
	for _, family := range eventFamilies {
		v.may[family.needs] = scope.Caller().May(family.needs, scope.Access(), "organization") == nil
	}
	if scope.Access().Own.AllTeams && scope.Access().Behind.AllTeams {
		return v, nil
	}
	v.teams = map[crier.ID]bool{}
	caller := scope.Caller()
	reaches, err := s.store.Reaches(ctx, caller.ID(), caller.Person().ID, scope.Organization().ID)
	if err != nil {
		return v, err
	}
	for _, reach := range reaches {
		teams, err := s.store.TeamIDs(ctx, reach)
		if err != nil {
			return v, err
		}
		for _, id := range teams {
			v.teams[id] = true
		}
	}
	return v, nil
}

// maxEventScan limits the events that are read for a page, if the caller may see few of them or they are filtered by
// team and type. The page may then end before its limit is reached, and its cursor continues.
const maxEventScan = 5000

// List returns a page of the log, oldest first. A client that follows nextCursor sees every event once.
func (s *Events) List(ctx context.Context, scope access.OrgScope, q EventQuery) (crier.EventPage, error) {
	page := crier.EventPage{Data: []crier.Event{}}
	if err := scope.Check(); err != nil {
		return page, err
	}
	v, err := s.viewOf(ctx, scope)
	if err != nil {
		return page, err
	}
	// Read before the events: later ones have a greater sequence and belong to the next page.
	present, err := s.store.EventLog(ctx)
	if err != nil {
		return page, err
	}
	at, gone, err := s.position(ctx, scope.Organization().ID, q, present)
	if err != nil {
		return page, err
	}
	if gone {
		return page, s.errGone()
	}
	end := scan{at: at, until: present.Last}
	err = s.read(ctx, scope.Organization().ID, q, v, &end, func(e *events.Entry) error {
		page.Data = append(page.Data, e.Event)
		return nil
	})
	page.NextCursor, page.HasMore = s.cursor(scope.Organization().ID, q, end.at), end.more
	return page, err
}

// scan is a run through the log: from behind at up to until, and where it ended.
type scan struct {
	at, until int64
	more      bool
}

func withEntry(stored store.Event, fn func(*events.Entry) error) error {
	entry, err := events.NewEntry(stored)
	if err != nil {
		return err
	}
	return fn(entry)
}

// read calls fn with the events that a query and a view let through, until the query's limit is reached, the log has
// ended, or much was read.
func (s *Events) read(ctx context.Context, organization crier.ID, q EventQuery, v view, run *scan,
	fn func(*events.Entry) error) error {
	filter, ok, err := s.bounded(ctx, organization, q, *run)
	if err != nil {
		return err
	}
	if !ok {
		run.at = max(run.at, run.until)
		return nil
	}
	return s.readFiltered(ctx, organization, filter, q.Limit, v, run, fn)
}

func (s *Events) readFiltered(ctx context.Context, organization crier.ID, filter store.EventFilter, limit int, v view,
	run *scan, fn func(*events.Entry) error) error {
	found, read := 0, 0
	for {
		size := max(limit, 100)
		list, err := s.store.OrganizationEvents(ctx, organization, run.at, filter, size)
		if err != nil {
			return err
		}
		for i, stored := range list {
			run.at = stored.Sequence
			if !v.sees(stored.Event) {
				continue
			}
			if err := withEntry(stored, fn); err != nil {
				return err
			}
			if found++; found == limit {
				run.more = i+1 < len(list) || len(list) == size || filter.Until < run.until
				return nil
			}
		}
		if len(list) < size {
			run.at, run.more = max(run.at, filter.Until), filter.Until < run.until
			return nil
		}
		if read += len(list); read >= maxEventScan {
			run.more = true
			return nil
		}
	}
}

// bounded returns the filter of a query, for as much of the log as one page may look at. ok is false for the team of
// another organization: looking through its events would take as long as they are many, which is none of the caller's
// business.
func (s *Events) bounded(ctx context.Context, organization crier.ID, q EventQuery, run scan) (filter store.EventFilter,
	ok bool, err error) {
	filter = q.filter()
	filter.Until = run.until
	if q.TeamID == "" {
		return filter, true, nil
	}
	if ok, err = s.store.HasTeam(ctx, organization, q.TeamID); err != nil || !ok || len(q.Types) == 0 {
		return filter, ok, err
	}
	// There is an index by team and one by type, but none by both.
	end, longer, err := s.store.TeamEventsUntil(ctx, q.TeamID, run.at, maxEventScan)
	if longer {
		filter.Until = min(end, run.until)
	}
	return filter, true, err
}

// position returns the sequence after which a reader continues; gone is true if the events there were deleted.
func (s *Events) position(ctx context.Context, organization crier.ID, q EventQuery, present store.EventLog) (at int64,
	gone bool, err error) {
	if q.After == "" {
		return present.Swept, false, nil
	}
	if id, ok := crier.ParseID(q.After); ok {
		at, found, err := s.store.EventSequence(ctx, organization, id)
		return at, !found, err
	}
	at, err = s.pages.OpenPosition(q.name(organization), q.After)
	return at, at < present.Swept, err
}

// errGone tells a reader that the events at its position were deleted.
func (s *Events) errGone() error {
	return crier.Invalid(crier.At(fmt.Sprintf("names an event that does not exist or is no longer stored: events "+
		"are kept for %d days. Leave it out to start with the oldest event", int(s.kept.Hours()/24)), "after"))
}
