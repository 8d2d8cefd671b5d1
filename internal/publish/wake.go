package publish

import (
	"encoding/json"
	"time"

	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// settleLead is how long before its time work on a publication without preparation starts. It is longer than the
	// job engine's poll interval, so that the worker is ready when the second comes.
	settleLead = 2500 * time.Millisecond
	// uploadLead and uploadSpeed (bytes per second) decide how long before its time the uploads of a publication start.
	uploadLead    = 45 * time.Second
	uploadSpeed   = 2 << 20
	maxUploadLead = 30 * time.Minute
)

// WakeTime returns when work on a publication must start.
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

// WakeJob returns the job that wakes a publication at its wake-up time.
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

// jobTime returns zero for jobs that are due, which start at once.
func jobTime(wake, now time.Time) time.Time {
	if !wake.After(now) {
		return time.Time{}
	}
	return wake
}

// EmptyState returns the state of a publication that has not started.
func EmptyState() json.RawMessage {
	return json.RawMessage(`{"ready":false,"done":false,"requiresPolling":false}`)
}

// WakeJobs returns jobs that wake publications at once.
func WakeJobs(rows []store.Overdue) []job.Job {
	jobs := make([]job.Job, len(rows))
	for i, row := range rows {
		jobs[i] = wakeJob(row, time.Time{})
	}
	return jobs
}
