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

// PublishJob wakes a publication. The row is the truth: the job only says to look at it.
type PublishJob struct {
	ID     crier.ID `json:"id"`
	Action bool     `json:"action,omitempty"`
	// Epoch of the row when the job was made: a row that has moved on is left to the job of its new epoch.
	Epoch    int64          `json:"epoch"`
	Provider crier.Provider `json:"provider"`
	// SocialAccountID tells whose turn it is without reading the row.
	SocialAccountID crier.ID `json:"socialAccountId,omitempty"`
}

// Kind names the job.
func (PublishJob) Kind() string { return "post.publish" }

// RenewTokensJob renews tokens ahead of their end. It comes back by itself.
type RenewTokensJob struct{}

// Kind names the job.
func (RenewTokensJob) Kind() string { return "tokens.renew" }

// EnrichPostJob finds out what a version of a post's content is about.
type EnrichPostJob struct {
	PostID    crier.ID `json:"postId"`
	PayloadID crier.ID `json:"payloadId"`
}

// Kind names the job.
func (EnrichPostJob) Kind() string { return "post.enrich" }

// RetagPostsJob brings the asset tags of posts up to date. Whoever changes the tags of an asset, or deletes it, enqueues it
// in the same transaction.
type RetagPostsJob struct {
	AssetID crier.ID `json:"assetId"`
}

// Kind names the job.
func (RetagPostsJob) Kind() string { return "post.retag" }

// UnpublishJob removes what was published from its network.
type UnpublishJob struct {
	ScheduledPostID crier.ID `json:"scheduledPostId"`
}

// Kind names the job.
func (UnpublishJob) Kind() string { return "post.unpublish" }

// MailInvitationJob sends an invitation to the person.
type MailInvitationJob struct {
	InvitationID crier.ID `json:"invitationId"`
}

// Kind names the job.
func (MailInvitationJob) Kind() string { return "invitation.mail" }

// ProcessAssetJob makes what belongs to an asset: its thumbnail, its tags, its JPEG.
type ProcessAssetJob struct {
	AssetID crier.ID `json:"assetId"`
}

// Kind names the job.
func (ProcessAssetJob) Kind() string { return "asset.process" }

// SweepAssetsJob removes files and uploads that nobody needs. It comes back by itself.
type SweepAssetsJob struct{}

// Kind names the job.
func (SweepAssetsJob) Kind() string { return "asset.sweep" }

// SnapshotJob reads the numbers of a published post. It plans the next reading itself.
type SnapshotJob struct {
	ScheduledPostID crier.ID `json:"scheduledPostId"`
	Round           int      `json:"round"`
}

// Kind names the job.
func (SnapshotJob) Kind() string { return "post.metrics" }
