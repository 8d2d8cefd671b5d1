package publish

import (
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

// plannedActions returns the actions that follow a published publication.
func plannedActions(p store.Publication, now crier.Time, likePause time.Duration) ([]store.Publication, error) {
	var list []store.Publication
	at := p.PublishedAt.Time
	if c := p.Actions.FirstComment; c != nil {
		a, err := plannedAction(p, store.FirstComment, c, now)
		if err != nil {
			return nil, err
		}
		a.ScheduledAt, a.WakeAt = crier.TimeOf(at), crier.TimeOrNil(at)
		list = append(list, a)
	}
	if e := p.Actions.EngagementCommentTrigger; e != nil {
		a, err := plannedAction(p, store.EngagementComment, e, now)
		if err != nil {
			return nil, err
		}
		first := at.Add(likePause)
		a.ScheduledAt, a.WakeAt = crier.TimeOf(first), crier.TimeOrNil(first)
		a.ExpiresAt = crier.TimeOrNil(at.Add(e.Window()))
		list = append(list, a)
	}
	if r := p.Actions.RepostAfter; r != nil {
		a, err := plannedAction(p, store.RepostPublication, r, now)
		if err != nil {
			return nil, err
		}
		due, err := wallClockDaysLater(at, r.WholeDays(), p.Timezone)
		if err != nil {
			return nil, err
		}
		due = due.Add(r.PartOfADay())
		a.ScheduledAt, a.WakeAt = crier.TimeOf(due), crier.TimeOrNil(due.Add(-settleLead))
		list = append(list, a)
	}
	return list, nil
}

// plannedAction returns an action without its time. Its credits were reserved with the publication.
func plannedAction(p store.Publication, kind store.PublicationKind, spec any,
	now crier.Time) (store.Publication, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return store.Publication{}, fmt.Errorf("encode the action: %w", err)
	}
	return store.Publication{
		ID: crier.NewID(), Kind: kind, ScheduledPostID: p.ID, Spec: data,
		TeamID: p.TeamID, OrganizationID: p.OrganizationID, PostID: p.PostID, SocialAccountID: p.SocialAccountID,
		Provider: p.Provider,
		Status:   crier.Scheduled, PayloadID: p.PayloadID, Settings: map[string]json.RawMessage{}, State: EmptyState(),
		Reserved: p.Actions.ActionCosts[string(kind)], CreatedAt: now,
	}, nil
}

// parentResults returns what an action adds to the results of its publication.
func parentResults(p store.Publication) *store.ActionResults {
	if p.Status != crier.Published {
		return nil
	}
	switch p.Kind {
	case store.FirstComment:
		return &store.ActionResults{FirstCommentID: crier.Text(p.PlatformPostID)}
	case store.RepostPublication:
		return &store.ActionResults{RepostID: crier.Text(p.PlatformPostID)}
	}
	return nil
}

// snapshotTimes are when the metrics of a post are read, relative to its publication: often while it is young.
var snapshotTimes = []time.Duration{
	time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
	30 * 24 * time.Hour,
}

// SnapshotJob returns the job of the next metrics reading of a publication; ok is false after the last.
func SnapshotJob(p store.Publication, round int) (next job.Job, ok bool) {
	if round >= len(snapshotTimes) || p.PublishedAt == nil {
		return job.Job{}, false
	}
	args := job.Snapshot{ScheduledPostID: p.ID, Round: round, Provider: p.Provider, TeamID: p.TeamID}
	return job.Job{Args: args, At: p.PublishedAt.Add(snapshotTimes[round])}, true
}
