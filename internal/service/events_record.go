package service

import (
	"crier"
	"crier/internal/events"
	"crier/internal/publish"
	"crier/internal/store"
)

// recordPost records a new or changed post.
func (s *Posts) recordPost(tx *store.Tx, before *store.Post, after crier.Post) error {
	fact := events.Fact{Type: crier.PostCreated, TeamID: &after.TeamID, Object: after}
	if before == nil {
		return events.Record(tx, s.clock.Now(), fact)
	}
	was := s.shownPost(*before)
	fact.Type, fact.Before = crier.PostUpdated, was
	if err := events.Record(tx, s.clock.Now(), fact); err != nil || was.Status == after.Status {
		return err
	}
	status := was.Status
	was = after // the other changes are in the event before
	was.Status = status
	return s.recordPostStatus(tx, was, after)
}

// recordPostStatus records a status change of a post.
func (s *Posts) recordPostStatus(tx *store.Tx, before, after crier.Post) error {
	return events.Record(tx, s.clock.Now(), events.Fact{Type: crier.PostStatusChanged, TeamID: &after.TeamID,
		Object: after, Before: before})
}

// recordOf records an event of an organization.
func recordOf(tx *store.Tx, now crier.Time, organization crier.ID, kind crier.EventType, object, before any) error {
	return events.Record(tx, now, events.Fact{Type: kind, OrganizationID: organization, Object: object, Before: before})
}

// recordScheduled records that a publication was scheduled or rescheduled.
func recordScheduled(tx *store.Tx, now crier.Time, before *store.Publication, p store.Publication) error {
	fact := events.Fact{Type: crier.ScheduledPostCreated, OrganizationID: p.OrganizationID, TeamID: &p.TeamID,
		Object: publish.Shown(p)}
	if before != nil {
		fact.Before, fact.Type = publish.Shown(*before), crier.ScheduledPostChanged
		if before.ScheduledAt != p.ScheduledAt {
			fact.Type = crier.ScheduledPostMoved
		}
	}
	return events.Record(tx, now, fact)
}

// recordDismissed records that a failure was dismissed; p is the scheduled post before.
func recordDismissed(tx *store.Tx, now crier.Time, p crier.ScheduledPost) error {
	p.NeedsAttention, p.DismissedAt = false, &now
	return events.Record(tx, now, events.Fact{Type: crier.ScheduledPostChanged, TeamID: &p.TeamID, Object: p,
		Before: struct {
			NeedsAttention bool        `json:"needsAttention"`
			DismissedAt    *crier.Time `json:"dismissedAt"`
		}{true, nil}})
}
