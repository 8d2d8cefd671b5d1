package service

import (
	"crier"
	"crier/internal/events"
	"crier/internal/publish"
	"crier/internal/store"
)

// postFields are the previous fields of a post in its event.
type postFields struct {
	Title              *string                   `json:"title"`
	Status             crier.PostStatus          `json:"status"`
	PostType           crier.PostType            `json:"postType"`
	ContentPayloadID   crier.ID                  `json:"contentPayloadId"`
	PostInput          *crier.PostInput          `json:"postInput,omitempty"`
	PostPublishActions *crier.PostPublishActions `json:"postPublishActions"`
}

// fieldsBefore returns the fields of a post that may change. Its content is told when there is a new version of it.
func fieldsBefore(before store.Post, after crier.Post) postFields {
	f := postFields{Title: before.Title, Status: before.Status, PostType: before.PostType,
		ContentPayloadID: before.ContentPayloadID, PostPublishActions: before.PostPublishActions}
	if before.ContentPayloadID != after.ContentPayloadID && before.PostInput != nil {
		input := bare(*before.PostInput)
		f.PostInput = &input
	}
	return f
}

// recordPost records a new or changed post.
func (s *Posts) recordPost(tx *store.Tx, before *store.Post, after crier.Post) error {
	fact := events.Fact{Type: crier.PostCreated, TeamID: &after.TeamID, Object: after}
	if before == nil {
		return events.Record(tx, s.clock.Now(), fact)
	}
	fact.Type, fact.Before = crier.PostUpdated, fieldsBefore(*before, after)
	if err := events.Record(tx, s.clock.Now(), fact); err != nil || before.Status == after.Status {
		return err
	}
	return s.recordPostStatus(tx, *before, after)
}

// recordPostStatus records a status change of a post.
func (s *Posts) recordPostStatus(tx *store.Tx, before store.Post, after crier.Post) error {
	return events.Record(tx, s.clock.Now(), events.Fact{Type: crier.PostStatusChanged, TeamID: &after.TeamID,
		Object: after,
		Before: struct {
			Status crier.PostStatus `json:"status"`
		}{before.Status}})
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

// recordDismissed records that a failure was dismissed.
func recordDismissed(tx *store.Tx, now crier.Time, p store.Publication) error {
	shown := publish.Shown(p)
	shown.NeedsAttention, shown.DismissedAt = false, &now
	return events.Record(tx, now, events.Fact{Type: crier.ScheduledPostChanged, OrganizationID: p.OrganizationID,
		TeamID: &p.TeamID, Object: shown, Before: struct {
			NeedsAttention bool        `json:"needsAttention"`
			DismissedAt    *crier.Time `json:"dismissedAt"`
		}{true, nil}})
}
