// Package job defines the kinds of background jobs and their arguments. It holds data only; package queue runs the
// jobs.
package job

import (
	"context"
	"time"

	"crier"
	"crier/internal/store"
)

// Queue enqueues jobs in a transaction: they exist if and only if it commits.
type Queue interface {
	Enqueue(ctx context.Context, tx *store.Tx, jobs ...Job) error
}

// Job is a background job. At is when it is due; zero means at once.
type Job struct {
	Args Args
	At   time.Time
}

// Args are the arguments of a job: identifiers, never content. A kind is never renamed and its arguments only grow,
// because jobs of older versions may still be queued.
type Args interface{ Kind() string }

// PurgeTeam permanently removes a deleted team.
type PurgeTeam struct {
	TeamID crier.ID `json:"teamId"`
}

// Kind returns the job's kind.
func (PurgeTeam) Kind() string { return "team.purge" }

// Sweep removes expired data. It runs periodically.
type Sweep struct{}

// Kind returns the job's kind.
func (Sweep) Kind() string { return "upkeep.sweep" }

// Reseal seals records of older secret keys with the first one. It runs periodically.
type Reseal struct{}

// Kind returns the job's kind.
func (Reseal) Kind() string { return "key.reseal" }

// Publish wakes a publication. The job is only a wake-up: the row holds the state.
type Publish struct {
	ID     crier.ID `json:"id"`
	Action bool     `json:"action,omitempty"`
	// Epoch of the row when the job was enqueued: a row with a newer epoch is left to its own job.
	Epoch    int64          `json:"epoch"`
	Provider crier.Provider `json:"provider"`
	// SocialAccountID identifies the account without reading the row.
	SocialAccountID crier.ID `json:"socialAccountId,omitempty"`
}

// Kind returns the job's kind.
func (Publish) Kind() string { return "post.publish" }

// RenewTokens refreshes tokens before they expire. It runs periodically.
type RenewTokens struct{}

// Kind returns the job's kind.
func (RenewTokens) Kind() string { return "tokens.renew" }

// EnrichPost analyzes a version of a post's content.
type EnrichPost struct {
	PostID    crier.ID `json:"postId"`
	PayloadID crier.ID `json:"payloadId"`
	// TeamID is the team whose share of the queue the job uses; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind returns the job's kind.
func (EnrichPost) Kind() string { return "post.enrich" }

// RetagPosts updates the asset tags of posts. It is enqueued in the transaction that changes the tags of an asset or
// deletes it.
type RetagPosts struct {
	AssetID crier.ID `json:"assetId"`
	// TeamID is the team whose share of the queue the job uses; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind returns the job's kind.
func (RetagPosts) Kind() string { return "post.retag" }

// Unpublish deletes a publication from its network.
type Unpublish struct {
	ScheduledPostID crier.ID       `json:"scheduledPostId"`
	Provider        crier.Provider `json:"provider,omitempty"`
	// TeamID is the team whose share of the queue the job uses; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind returns the job's kind.
func (Unpublish) Kind() string { return "post.unpublish" }

// MailInvitation mails an invitation.
type MailInvitation struct {
	InvitationID crier.ID `json:"invitationId"`
	// OrganizationID is the organization whose share of the queue the job uses; empty in jobs of older versions.
	OrganizationID crier.ID `json:"organizationId,omitempty"`
}

// Kind returns the job's kind.
func (MailInvitation) Kind() string { return "invitation.mail" }

// MailReset mails a password reset link.
type MailReset struct {
	UserID crier.ID `json:"userId"`
}

// Kind returns the job's kind.
func (MailReset) Kind() string { return "password.mail" }

// ProcessAsset creates the derived data of an asset: its thumbnail, tags and JPEG.
type ProcessAsset struct {
	AssetID crier.ID `json:"assetId"`
	// TeamID is the team whose share of the queue the job uses; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind returns the job's kind.
func (ProcessAsset) Kind() string { return "asset.process" }

// SweepAssets removes unused files and uploads. It runs periodically.
type SweepAssets struct{}

// Kind returns the job's kind.
func (SweepAssets) Kind() string { return "asset.sweep" }

// Snapshot reads the metrics of a published post and schedules the next reading.
type Snapshot struct {
	ScheduledPostID crier.ID `json:"scheduledPostId"`
	Round           int      `json:"round"`
	// Early numbers the additional readings of a post on the sandbox, from 1; 0 means a regular reading.
	Early    int            `json:"early,omitempty"`
	Provider crier.Provider `json:"provider,omitempty"`
	// TeamID is the team whose share of the queue the job uses; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind returns the job's kind.
func (Snapshot) Kind() string { return "post.metrics" }

// AccountSnapshot reads the metrics of an account, unless it runs after Before: there is one per day.
type AccountSnapshot struct {
	SocialAccountID crier.ID       `json:"socialAccountId"`
	Provider        crier.Provider `json:"provider"`
	Before          crier.Time     `json:"before"`
	// TeamID is the team whose share of the queue the job uses; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind returns the job's kind.
func (AccountSnapshot) Kind() string { return "account.metrics" }

// DeliverWebhook makes one delivery attempt. Epoch is that of the claim.
type DeliverWebhook struct {
	DeliveryID crier.ID `json:"deliveryId"`
	Epoch      int64    `json:"epoch"`
}

// Kind returns the job's kind.
func (DeliverWebhook) Kind() string { return "webhook.deliver" }

// ReplayWebhook sends the events of a period to a webhook again, starting after After.
type ReplayWebhook struct {
	WebhookID crier.ID   `json:"webhookId"`
	From      crier.Time `json:"from"`
	To        crier.Time `json:"to"`
	After     int64      `json:"after,omitempty"`
	// OrganizationID is the organization whose share of the queue the job uses; empty in jobs of older versions.
	OrganizationID crier.ID `json:"organizationId,omitempty"`
}

// Kind returns the job's kind.
func (ReplayWebhook) Kind() string { return "webhook.replay" }

// MailWebhookDisabled notifies an owner that a webhook was disabled.
type MailWebhookDisabled struct {
	WebhookID crier.ID `json:"webhookId"`
	// UserID is the recipient; empty in jobs of older versions, which are for all owners.
	UserID crier.ID `json:"userId,omitempty"`
	// OrganizationID is the organization whose share of the queue the job uses; empty in jobs of older versions.
	OrganizationID crier.ID `json:"organizationId,omitempty"`
}

// Kind returns the job's kind.
func (MailWebhookDisabled) Kind() string { return "webhook.mail_disabled" }
