package publish

import (
	"encoding/json"
	"time"

	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// settleLead is how long before its time a publication that needs no preparation is taken up. It is longer than the
	// job engine's poll, so that the worker waits for the second, not the second for the worker.
	settleLead = 2500 * time.Millisecond
	// uploadLead and uploadSpeed (bytes a second) say how long before its time the uploads of a publication begin.
	uploadLead    = 45 * time.Second
	uploadSpeed   = 2 << 20
	maxUploadLead = 30 * time.Minute
)

// WakeTime is when work on a publication of a network has to begin.
func WakeTime(at time.Time, info provider.Info, content provider.Content) time.Time {
	var bytes int64
	for _, part := range content.Parts {
		for _, m := range part.Media {
			bytes += m.Size
		}
	}
	lead := max(settleLead, info.PrepareLead)
	if bytes > 0 {
		lead = min(maxUploadLead, uploadLead+time.Duration(bytes/uploadSpeed)*time.Second)
	}
	return at.Add(-lead)
}

// WakeJob wakes a publication at its wake-up time.
func WakeJob(p store.Publication, now time.Time) job.Job {
	return wakeJob(store.Overdue{ID: p.ID, Kind: p.Kind, Epoch: p.Epoch, Provider: p.Provider,
		SocialAccountID: p.SocialAccountID},
		jobTime(p.WakeAt.Time, now))
}

func wakeJob(o store.Overdue, at time.Time) job.Job {
	return job.Job{Args: job.Publish{ID: o.ID, Action: o.Kind != store.PostPublication, Epoch: o.Epoch,
		Provider:        o.Provider,
		SocialAccountID: o.SocialAccountID}, At: at}
}

// jobTime is zero for jobs that are due: the engine starts those at once.
func jobTime(wake, now time.Time) time.Time {
	if !wake.After(now) {
		return time.Time{}
	}
	return wake
}

// EmptyState is the state of a publication that no network has heard of.
func EmptyState() json.RawMessage {
	return json.RawMessage(`{"ready":false,"done":false,"requiresPolling":false}`)
}

// WakeJobs are jobs that look at publications at once.
func WakeJobs(rows []store.Overdue) []job.Job {
	jobs := make([]job.Job, len(rows))
	for i, row := range rows {
		jobs[i] = wakeJob(row, time.Time{})
	}
	return jobs
}
