// Package job names the work that is done later: kinds and arguments. It holds data only; package queue runs jobs and
// hands them to the services.
package job

import (
	"context"
	"time"

	"crier"
	"crier/internal/store"
)

// Queue accepts jobs as part of a transaction: they exist if and only if it commits.
type Queue interface {
	Enqueue(ctx context.Context, tx *store.Tx, jobs ...Job) error
}

// Job is work for later. At is when it is due; zero means at once.
type Job struct {
	Args Args
	At   time.Time
}

// Args are the arguments of a job: identifiers, never content. A kind is never renamed and its arguments only grow,
// because old jobs wait in someone's database.
type Args interface{ Kind() string }

// PurgeTeam removes a deleted team for good.
type PurgeTeam struct {
	TeamID crier.ID `json:"teamId"`
}

// Kind names the job.
func (PurgeTeam) Kind() string { return "team.purge" }

// Sweep removes what has outlived its time. It runs periodically.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "upkeep.sweep" }

// Publish wakes a publication. The row is the truth: the job only says to look at it.
type Publish struct {
	ID     crier.ID `json:"id"`
	Action bool     `json:"action,omitempty"`
	// Epoch of the row when the job was made: a row that has moved on is left to the job of its new epoch.
	Epoch    int64          `json:"epoch"`
	Provider crier.Provider `json:"provider"`
	// SocialAccountID tells whose turn it is without reading the row.
	SocialAccountID crier.ID `json:"socialAccountId,omitempty"`
}

// Kind names the job.
func (Publish) Kind() string { return "post.publish" }

// RenewTokens renews tokens before they expire. It runs periodically.
type RenewTokens struct{}

// Kind names the job.
func (RenewTokens) Kind() string { return "tokens.renew" }

// EnrichPost finds out what a version of a post's content is about.
type EnrichPost struct {
	PostID    crier.ID `json:"postId"`
	PayloadID crier.ID `json:"payloadId"`
	// TeamID is whose share of the queue the job takes; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind names the job.
func (EnrichPost) Kind() string { return "post.enrich" }

// RetagPosts brings the asset tags of posts up to date. Whoever changes the tags of an asset, or deletes it,
// enqueues it in the same transaction.
type RetagPosts struct {
	AssetID crier.ID `json:"assetId"`
	// TeamID is whose share of the queue the job takes; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind names the job.
func (RetagPosts) Kind() string { return "post.retag" }

// Unpublish removes what was published from its network.
type Unpublish struct {
	ScheduledPostID crier.ID       `json:"scheduledPostId"`
	Provider        crier.Provider `json:"provider,omitempty"`
	// TeamID is whose share of the queue the job takes; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind names the job.
func (Unpublish) Kind() string { return "post.unpublish" }

// MailInvitation sends an invitation to the person.
type MailInvitation struct {
	InvitationID crier.ID `json:"invitationId"`
	// OrganizationID is whose share of the queue the job takes; empty in jobs of older versions.
	OrganizationID crier.ID `json:"organizationId,omitempty"`
}

// Kind names the job.
func (MailInvitation) Kind() string { return "invitation.mail" }

// MailReset sends somebody the link by which they choose another password.
type MailReset struct {
	UserID crier.ID `json:"userId"`
}

// Kind names the job.
func (MailReset) Kind() string { return "password.mail" }

// ProcessAsset makes what belongs to an asset: its thumbnail, its tags, its JPEG.
type ProcessAsset struct {
	AssetID crier.ID `json:"assetId"`
	// TeamID is whose share of the queue the job takes; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind names the job.
func (ProcessAsset) Kind() string { return "asset.process" }

// SweepAssets removes files and uploads that nobody needs. It runs periodically.
type SweepAssets struct{}

// Kind names the job.
func (SweepAssets) Kind() string { return "asset.sweep" }

// Snapshot reads the numbers of a published post. It plans the next reading itself.
type Snapshot struct {
	ScheduledPostID crier.ID `json:"scheduledPostId"`
	Round           int      `json:"round"`
	// Early counts the readings that a post on the sandbox gets besides, from 1; 0 means none of them.
	Early    int            `json:"early,omitempty"`
	Provider crier.Provider `json:"provider,omitempty"`
	// TeamID is whose share of the queue the job takes; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind names the job.
func (Snapshot) Kind() string { return "post.metrics" }

// AccountSnapshot reads the numbers of an account, unless it comes after Before: there is one for every day.
type AccountSnapshot struct {
	SocialAccountID crier.ID       `json:"socialAccountId"`
	Provider        crier.Provider `json:"provider"`
	Before          crier.Time     `json:"before"`
	// TeamID is whose share of the queue the job takes; empty in jobs of older versions.
	TeamID crier.ID `json:"teamId,omitempty"`
}

// Kind names the job.
func (AccountSnapshot) Kind() string { return "account.metrics" }

// DeliverWebhook makes one attempt of a delivery. Epoch is that of the claim.
type DeliverWebhook struct {
	DeliveryID crier.ID `json:"deliveryId"`
	Epoch      int64    `json:"epoch"`
}

// Kind names the job.
func (DeliverWebhook) Kind() string { return "webhook.deliver" }

// ReplayWebhook has the events of a time sent to a webhook again, those behind After.
type ReplayWebhook struct {
	WebhookID crier.ID   `json:"webhookId"`
	From      crier.Time `json:"from"`
	To        crier.Time `json:"to"`
	After     int64      `json:"after,omitempty"`
	// OrganizationID is whose share of the queue the job takes; empty in jobs of older versions.
	OrganizationID crier.ID `json:"organizationId,omitempty"`
}

// Kind names the job.
func (ReplayWebhook) Kind() string { return "webhook.replay" }

// MailWebhookDisabled tells the owners that a webhook was switched off.
type MailWebhookDisabled struct {
	WebhookID crier.ID `json:"webhookId"`
	// OrganizationID is whose share of the queue the job takes; empty in jobs of older versions.
	OrganizationID crier.ID `json:"organizationId,omitempty"`
}

// Kind names the job.
func (MailWebhookDisabled) Kind() string { return "webhook.mail_disabled" }
