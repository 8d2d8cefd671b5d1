package publish

import (
	"encoding/json"
	"reflect"

	"crier"
	"crier/internal/events"
	"crier/internal/provider"
	"crier/internal/store"
)

// Shown converts a publication for the API.
func Shown(p store.Publication) crier.ScheduledPost {
	out := crier.ScheduledPost{
		ID: p.ID, TeamID: p.TeamID, ContentItemID: p.PostID, SocialAccountID: p.SocialAccountID, Status: p.Status,
		ScheduledAt: p.ScheduledAt, Timezone: p.Timezone, ContentPayloadID: p.PayloadID, PublishedAt: p.PublishedAt,
		PlatformSettings: p.Settings, PublishResults: p.Results, PlatformPostID: crier.Text(p.PlatformPostID),
		Permalink: crier.Text(p.Permalink),
		ErrorCode: crier.Text(p.ErrorCode), ErrorMessage: crier.Text(p.ErrorMessage), WorkflowID: p.WorkflowID,
		WorkflowRunID: p.WorkflowRunID,
		CreatedAt:     p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	if out.PlatformSettings == nil {
		out.PlatformSettings = map[string]json.RawMessage{}
	}
	if out.PublishResults.PlatformPostIDs == nil {
		out.PublishResults.PlatformPostIDs = []string{}
	}
	_ = json.Unmarshal(p.State, &out.ProviderPublishState) // the state is the engine's own JSON
	out.SetActions(p.Actions, nil, false)
	return out
}

// changes returns the previous values of the fields that a settlement changes. They are compared one by one, because
// events are encoded for every publication of a burst.
func changes(was, now crier.ScheduledPost) events.Changed {
	out := events.Changed{}
	changed := func(field string, before any, differs bool) {
		if differs {
			out[field] = before
		}
	}
	text := func(field, before, after string) { changed(field, crier.TextOrNil(before), before != after) }
	changed("status", was.Status, was.Status != now.Status)
	changed("scheduledAt", was.ScheduledAt, !was.ScheduledAt.Equal(now.ScheduledAt.Time))
	text("platformPostId", was.PlatformPostID, now.PlatformPostID)
	text("permalink", was.Permalink, now.Permalink)
	text("errorCode", was.ErrorCode, now.ErrorCode)
	text("errorMessage", was.ErrorMessage, now.ErrorMessage)
	changed("needsAttention", was.NeedsAttention, was.NeedsAttention != now.NeedsAttention)
	changed("dismissedAt", was.DismissedAt, was.DismissedAt != nil) // settlements only end a dismissal
	for _, f := range []struct {
		name       string
		was, isNow any
	}{
		{"publishedAt", was.PublishedAt, now.PublishedAt}, {"lateMillis", was.LateMillis, now.LateMillis},
		{"publishResults", was.PublishResults, now.PublishResults},
		{"providerPublishState", was.ProviderPublishState, now.ProviderPublishState},
		{"firstComment", was.FirstComment, now.FirstComment},
		{"postPublishActions", was.PostPublishActions, now.PostPublishActions},
		{"recurrence", was.Recurrence, now.Recurrence},
	} {
		changed(f.name, f.was, !reflect.DeepEqual(f.was, f.isNow))
	}
	return out
}

// encode encodes what a settlement writes at a time. Encoding takes longer than writing, and workers do it
// concurrently, before they wait for a transaction.
func (s *settlement) encode(now crier.Time) error {
	if err := s.encodeEvents(now); err != nil {
		return err
	}
	return s.Encode(now)
}

// encodeEvents encodes the events of a settlement.
func (s *settlement) encodeEvents(now crier.Time) error {
	p := s.Publication
	p.UpdatedAt = now
	s.encoded = make([]store.NewEvent, len(s.events))
	for i, kind := range s.events {
		f := events.Fact{Type: kind, OrganizationID: p.OrganizationID, TeamID: &p.TeamID}
		if p.IsAction() {
			f.Object = shownAction(p)
		} else {
			shown := s.shown(p)
			f.Object, f.Before = shown, changes(s.shownBefore(), shown)
		}
		var err error
		if s.encoded[i], err = events.New(now, f); err != nil {
			return err
		}
		if err := s.encoded[i].Encode(); err != nil {
			return err
		}
	}
	return nil
}

// record queues the events of a settlement, and those caused by writing it.
func (s *settlement) record(tx *store.Tx, providers *provider.Registry, now crier.Time) error {
	tx.RecordEvents(s.encoded...)
	if s.Next != nil && s.Next.Written {
		next := s.Next.Publication
		err := events.Record(tx, now, events.Fact{Type: crier.ScheduledPostCreated, OrganizationID: next.OrganizationID,
			TeamID: &next.TeamID, Object: Shown(next)})
		if err != nil {
			return err
		}
	}
	if h := s.Health; h != nil && h.Before != nil {
		facts, err := accountFacts(providers, *h.Before, *h.After)
		if err != nil {
			return err
		}
		return events.Record(tx, now, facts...)
	}
	return nil
}

// shown returns the publication as the API shows it once the settlement is written.
func (s *settlement) shown(p store.Publication) crier.ScheduledPost {
	out := Shown(p)
	out.NeedsAttention = needsAttention(p.Status)
	if s.Next != nil { // Next is not written only if the post is gone, or live on the account again
		out.Recurrence.Status = "active"
	}
	if a := s.Attempt; p.Status == crier.Published && a != nil && a.Part == 0 &&
		(a.Operation == opPublish || a.Operation == opResend) {
		late := max(0, a.StartedAt.Sub(p.ScheduledAt.Time).Milliseconds())
		out.LateMillis = &late
	}
	return out
}

// shownBefore returns the publication as the API showed it before the settlement. lateMillis was absent.
func (s *settlement) shownBefore() crier.ScheduledPost {
	if s.read != nil {
		return *s.read
	}
	out := Shown(s.before)
	out.NeedsAttention = needsAttention(s.before.Status)
	return out
}

// needsAttention reports whether a publication needs attention, unless it was dismissed.
func needsAttention(s crier.ScheduledPostStatus) bool {
	return s == crier.Failed || s == crier.Missed || s == crier.Unknown
}

func shownAction(p store.Publication) crier.ScheduledPostAction {
	return crier.ScheduledPostAction{ID: p.ID, ScheduledPostID: p.ScheduledPostID, Kind: string(p.Kind),
		Status:         p.Status,
		PlatformPostID: crier.Text(p.PlatformPostID), Permalink: crier.Text(p.Permalink),
		ErrorCode: crier.Text(p.ErrorCode), ErrorMessage: crier.Text(p.ErrorMessage)}
}

// startedEvent returns the event that a publication has started; nil for an action, and for a publication that started
// earlier.
func startedEvent(p store.Publication, now crier.Time) (*store.NewEvent, error) {
	if p.IsAction() || p.Status != crier.Scheduled {
		return nil, nil
	}
	before := events.Changed{"status": p.Status}
	p.Status, p.UpdatedAt = crier.Publishing, now
	event, err := events.New(now, events.Fact{Type: crier.ScheduledPostPublishing, OrganizationID: p.OrganizationID,
		TeamID: &p.TeamID, Object: Shown(p), Before: before})
	return &event, err
}
