package service

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
	"crier/internal/store"
)

func TestEventVisibility(t *testing.T) {
	t.Parallel()
	own, other := crier.NewID(), crier.NewID()
	owner := view{may: map[crier.Permission]bool{crier.ManageMembers: true, crier.ManageAPIKeys: true,
		crier.ManageWebhooks: true}}
	viewer := view{}
	narrowed := view{teams: map[crier.ID]bool{own: true}}
	for _, c := range []struct {
		kind                    crier.EventType
		team                    *crier.ID
		owner, viewer, narrowed bool
	}{
		{crier.PostCreated, &own, true, true, true},
		{crier.PostCreated, &other, true, true, false},
		{crier.CreditsLow, nil, true, true, false},
		{crier.MemberJoined, nil, true, false, false},
		{crier.APIKeyRevoked, nil, true, false, false},
		{crier.WebhookDisabled, nil, true, false, false},
		{crier.WebhookTest, nil, true, false, false},
		{crier.ScheduledPostPublished, &own, true, true, true},
	} {
		e := crier.Event{Type: c.kind, TeamID: c.team}
		if owner.sees(e) != c.owner || viewer.sees(e) != c.viewer || narrowed.sees(e) != c.narrowed {
			t.Errorf("%s of team %v is seen by owner %v, viewer %v, a narrowed one %v", c.kind, c.team, owner.sees(e),
				viewer.sees(e), narrowed.sees(e))
		}
	}
}

// organization returns the scope of the whole organization of a team's scope.
func (r *rules) organization(t *testing.T, of access.TeamScope) access.OrgScope {
	t.Helper()
	scope, err := r.Access.Organization(t.Context(), of.Caller(), of.Team().OrganizationID, crier.Read)
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// sequence sequences events, as the log of a running node does.
func (r *rules) sequence(t *testing.T) {
	t.Helper()
	for {
		if n, err := r.store.SequenceEvents(t.Context()); err != nil {
			t.Fatal(err)
		} else if n == 0 {
			return
		}
	}
}

// eventsAfter reads all events after a cursor, in small pages.
func (r *rules) eventsAfter(t *testing.T, scope access.OrgScope, q EventQuery) (list []crier.Event, cursor string) {
	t.Helper()
	r.sequence(t)
	q.Limit = 2
	for {
		page, err := r.Events.List(t.Context(), scope, q)
		if err != nil {
			t.Fatal(err)
		}
		list, q.After = append(list, page.Data...), page.NextCursor
		if !page.HasMore {
			return list, page.NextCursor
		}
	}
}

func TestPostEventsListChangedFields(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRules(t, st, testSecret), context.Background()
		team := r.initialise(t, crier.WritePosts)
		scope := r.organization(t, team)
		_, begin := r.eventsAfter(t, scope, EventQuery{})
		first, second := "First", "Second"
		post, err := r.Posts.Create(ctx, team, crier.PostCreate{Title: &first})
		if err != nil {
			t.Fatal(err)
		}
		for _, title := range []string{second, second} { // the repetition changes nothing
			update := crier.PostUpdate{Title: crier.Optional[string]{Set: true, Value: title}}
			if _, err := r.Posts.Update(ctx, team, post.ID, update); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Posts.SetStatus(ctx, team, post.ID,
			crier.PostStatusUpdate{Status: crier.PostArchived}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Posts.Delete(ctx, team, post.ID, false); err != nil {
			t.Fatal(err)
		}
		list, _ := r.eventsAfter(t, scope, EventQuery{After: begin})
		var types []crier.EventType
		for _, e := range list {
			types = append(types, e.Type)
			var told crier.Post
			if err := json.Unmarshal(e.Data.Object, &told); err != nil || told.ID != post.ID {
				t.Errorf("%s is about %s, %v", e.Type, e.Data.Object, err)
			}
		}
		want := []crier.EventType{crier.PostCreated, crier.PostUpdated, crier.PostStatusChanged, crier.PostDeletedEvent}
		if !slices.Equal(types, want) {
			t.Fatalf("got %v, want %v", types, want)
		}
		for i, previous := range []string{``, `{"title":"First"}`, `{"status":"draft"}`,
			`{"status":"archived"}`} {
			if got := string(list[i].Data.Previous); got != previous {
				t.Errorf("%s was %s before, want %s", types[i], got, previous)
			}
		}
		after, _ := r.eventsAfter(t, scope, EventQuery{After: string(list[1].ID)})
		if len(after) != 2 || after[0].ID != list[2].ID {
			t.Errorf("behind the second come %d events", len(after))
		}
	})
}

func TestEventsAreKeptForThirtyDays(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRules(t, st, testSecret), context.Background()
		team := r.initialise(t, crier.WritePosts)
		scope := r.organization(t, team)
		old, err := r.Posts.Create(ctx, team, crier.PostCreate{})
		if err != nil {
			t.Fatal(err)
		}
		before, cursor := r.eventsAfter(t, scope, EventQuery{Types: []crier.EventType{crier.PostCreated}})
		r.time = r.time.Add(29 * 24 * time.Hour)
		if err := r.Upkeep.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		kept, _ := r.eventsAfter(t, scope, EventQuery{Types: []crier.EventType{crier.PostCreated}})
		if len(kept) != 1 {
			t.Errorf("%d events after 29 days", len(kept))
		}
		r.time = r.time.Add(25 * time.Hour)
		young, err := r.Posts.Create(ctx, team, crier.PostCreate{})
		if err != nil || young.ID == old.ID {
			t.Fatal(err)
		}
		r.sequence(t)
		if err := r.Upkeep.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		left, _ := r.eventsAfter(t, scope, EventQuery{})
		if len(left) != 1 || left[0].Sequence <= before[0].Sequence {
			t.Errorf("%d events are left: %+v", len(left), left)
		}
		// The cursor had reached the end: nothing was missed. The event of its id is gone.
		made := EventQuery{Types: []crier.EventType{crier.PostCreated}, After: cursor}
		if next, _ := r.eventsAfter(t, scope, made); len(next) != 1 {
			t.Errorf("%d events behind the cursor", len(next))
		}
		beginning := r.Events.pages.SealPosition(EventQuery{}.name(scope.Organization().ID), 0)
		for _, after := range []string{string(before[0].ID), beginning} {
			_, err := r.Events.List(ctx, scope, EventQuery{After: after, Limit: 1})
			const want = "names an event that does not exist or is no longer stored: events are kept for 30 days. " +
				"Leave it out to start with the oldest event"
			if refused, ok := errors.AsType[*crier.Error](err); !ok || refused.Kind != crier.KindInvalid ||
				refused.Issues[0].Message != want {
				t.Errorf("after %s: %v", after, err)
			}
		}
	})
}

// insertTeams inserts teams of an organization.
func (r *rules) insertTeams(t *testing.T, organization crier.ID, ids ...crier.ID) {
	t.Helper()
	err := r.store.WithTx(t.Context(), func(tx *store.Tx) error {
		for _, id := range ids {
			if err := tx.InsertTeam(t.Context(), crier.Team{ID: id, OrganizationID: organization, Name: "Team",
				CreatedAt: crier.TimeOf(r.time), UpdatedAt: crier.TimeOf(r.time)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEventFilterScansTheLogInChunks has rare events far apart: a page must not read everything between them.
func TestEventFilterScansTheLogInChunks(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r := newRules(t, st, testSecret)
		scope := r.organization(t, r.initialise(t, crier.WritePosts))
		organization, other := scope.Organization().ID, crier.NewID()
		busy, quiet, foreign := crier.NewID(), crier.NewID(), crier.NewID()
		r.insertTeams(t, organization, busy, quiet)
		write := func(kind crier.EventType, team crier.ID, count int) {
			t.Helper()
			of := organization
			if team == foreign {
				of = other
			}
			made := make([]store.NewEvent, count)
			for i := range made {
				var err error
				made[i], err = events.New(crier.TimeOf(r.time), events.Fact{Type: kind, TeamID: &team,
					OrganizationID: of, Object: struct{}{}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := st.WithTx(t.Context(),
				func(tx *store.Tx) error { tx.RecordEvents(made...); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		write(crier.PostUpdated, busy, maxEventScan+10)
		write(crier.PostDeletedEvent, busy, 1)
		write(crier.PostCreated, quiet, 1)
		write(crier.PostUpdated, busy, maxEventScan)
		write(crier.PostDeletedEvent, busy, 2)
		write(crier.PostCreated, quiet, 2)
		write(crier.PostUpdated, busy, 3)
		write(crier.PostUpdated, foreign, maxEventScan+10)
		r.sequence(t)
		pages := func(q EventQuery) (found []int, last string) {
			t.Helper()
			for more := true; more; {
				page, err := r.Events.List(t.Context(), scope, q)
				if err != nil {
					t.Fatal(err)
				}
				found, q.After, more = append(found, len(page.Data)), page.NextCursor, page.HasMore
			}
			return found, q.After
		}
		// The first page ends before the first event. A full page that ends its chunk is not the last one.
		q := EventQuery{TeamID: busy, Types: []crier.EventType{crier.PostDeletedEvent}}
		for limit, want := range map[int][]int{10: {0, 1, 2}, 1: {0, 1, 0, 1, 1}} {
			q.Limit, q.After = limit, ""
			var found []int
			if found, q.After = pages(q); !slices.Equal(found, want) {
				t.Errorf("the pages of at most %d have %d events, want %d", limit, found, want)
			}
		}
		// A page does not tell that a team of another organization exists, or how long its log is.
		for _, types := range [][]crier.EventType{nil, {crier.PostUpdated}, {crier.PostDeletedEvent}} {
			q := EventQuery{TeamID: foreign, Types: types, Limit: 10}
			if found, _ := pages(q); !slices.Equal(found, []int{0}) {
				t.Errorf("the pages of another organization's team have %d events", found)
			}
		}
		// There are indexes by type and by team.
		for name, indexed := range map[string]EventQuery{
			"types": {Types: []crier.EventType{crier.PostDeletedEvent, crier.CreditsLow}}, "team": {TeamID: quiet},
		} {
			for limit, want := range map[int][]int{10: {3}, 1: {1, 1, 1}} {
				indexed.Limit = limit
				if found, _ := pages(indexed); !slices.Equal(found, want) {
					t.Errorf("%s: the pages of at most %d have %d events, want %d", name, limit, found, want)
				}
			}
		}
		write(crier.PostDeletedEvent, busy, 1)
		r.sequence(t)
		if page, err := r.Events.List(t.Context(), scope, q); err != nil || len(page.Data) != 1 || page.HasMore {
			t.Errorf("behind the last page: %d events, more %v, %v", len(page.Data), page.HasMore, err)
		}
	})
}
