package service

import (
	"time"

	"crier"
)

// Job is work for later. At is when it is due; zero means at once.
type Job struct {
	Args JobArgs
	At   time.Time
}

// JobArgs are the arguments of a job: identifiers, never content. A kind is never renamed and its arguments only grow,
// because old jobs wait in someone's database.
type JobArgs interface{ Kind() string }

// PurgeTeamJob removes a deleted team for good.
type PurgeTeamJob struct {
	TeamID crier.ID `json:"teamId"`
}

// Kind names the job.
func (PurgeTeamJob) Kind() string { return "team.purge" }

// SweepJob removes what has outlived its time. It comes back by itself.
type SweepJob struct{}

// Kind names the job.
func (SweepJob) Kind() string { return "upkeep.sweep" }
