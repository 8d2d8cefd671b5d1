package crier

import (
	"fmt"
	"slices"
	"time"
)

// PostStatus is the editorial status of a post.
type PostStatus string

// The states of a post.
const (
	PostIdea           PostStatus = "idea"
	PostProposedRender PostStatus = "proposed_render"
	PostDraft          PostStatus = "draft"
	PostApproved       PostStatus = "approved"
	PostRejected       PostStatus = "rejected"
	PostArchived       PostStatus = "archived"
	PostDeleted        PostStatus = "deleted"
)

// PostStatuses lists the states of a post.
func PostStatuses() []PostStatus {
	return []PostStatus{PostIdea, PostProposedRender, PostDraft, PostApproved, PostRejected, PostArchived, PostDeleted}
}

// Enum lists the values on the wire.
func (PostStatus) Enum() []string { return enumOf(PostStatuses()) }

// postMoves are the transitions that a person may make.
var postMoves = map[PostStatus][]PostStatus{
	PostIdea:           {PostDraft, PostProposedRender, PostArchived},
	PostProposedRender: {PostDraft, PostRejected},
	PostDraft:          {PostApproved, PostRejected, PostIdea, PostArchived},
	PostRejected:       {PostDraft, PostArchived},
	PostApproved:       {PostDraft, PostArchived},
	PostArchived:       {PostDraft},
}

// CanMoveTo reports whether a person may move a post from one status to the other.
func (s PostStatus) CanMoveTo(to PostStatus) bool { return slices.Contains(postMoves[s], to) }

// DeliveryState summarizes the states of a post's publications.
type DeliveryState string

// The delivery states.
const (
	DeliveryUnscheduled        DeliveryState = "unscheduled"
	DeliveryScheduled          DeliveryState = "scheduled"
	DeliveryPublishing         DeliveryState = "publishing"
	DeliveryPublished          DeliveryState = "published"
	DeliveryPartiallyPublished DeliveryState = "partially_published"
	DeliveryFailed             DeliveryState = "failed"
	DeliveryUnknown            DeliveryState = "unknown"
	DeliveryMissed             DeliveryState = "missed"
)

// DeliveryStates lists the delivery states.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{
		DeliveryUnscheduled, DeliveryScheduled, DeliveryPublishing, DeliveryPublished, DeliveryPartiallyPublished,
		DeliveryFailed, DeliveryUnknown, DeliveryMissed,
	}
}

// Enum lists the values on the wire.
func (DeliveryState) Enum() []string { return enumOf(DeliveryStates()) }

// DeliveryOf summarizes the publications of a post: the newest one of each account that is not canceled. The first
// matching rule applies.
//
//  1. none: unscheduled
//  2. any is publishing or processing: publishing
//  3. any is unknown: unknown
//  4. any is scheduled: scheduled
//  5. all are published: published
//  6. some are published: partially_published
//  7. any is missed: missed
//  8. otherwise all have failed: failed
func DeliveryOf(publications []ScheduledPostStatus) DeliveryState {
	has := func(s ScheduledPostStatus) bool { return slices.Contains(publications, s) }
	others := func(s ScheduledPostStatus) bool { return s != Published }
	switch {
	case len(publications) == 0:
		return DeliveryUnscheduled
	case has(Publishing), has(Processing):
		return DeliveryPublishing
	case has(Unknown):
		return DeliveryUnknown
	case has(Scheduled):
		return DeliveryScheduled
	case !slices.ContainsFunc(publications, others):
		return DeliveryPublished
	case has(Published):
		return DeliveryPartiallyPublished
	case has(Missed):
		return DeliveryMissed
	}
	return DeliveryFailed
}

// The save targets of a post, as shown to people.
const (
	SavedToQueue  = "queue"
	SavedToDrafts = "drafts"
)

// Post is a post and its states.
type Post struct {
	ID                             ID                  `json:"id"`
	TeamID                         ID                  `json:"teamId"`
	PostType                       PostType            `json:"postType"`
	Title                          *string             `json:"title" doc:"For display inside crier; never published."`
	Status                         PostStatus          `json:"status"`
	DeliveryState                  DeliveryState       `json:"deliveryState"`
	Text                           string              `json:"text" doc:"The text, or the texts of a thread joined by a blank line."`
	AssetIDs                       []ID                `json:"assetIds"`
	AssetTags                      []string            `json:"assetTags" doc:"The tags of the post's assets, sorted, without duplicates."`
	UserTags                       []TagSummary        `json:"userTags"`
	ContentPayloadID               ID                  `json:"contentPayloadId" doc:"The version of the content; each content change creates a new one."`
	LatestScheduledPost            *ScheduledPost      `json:"latestScheduledPost"`
	ScheduledDestinationAccountIDs []ID                `json:"scheduledDestinationAccountIds"`
	SaveDestination                string              `json:"saveDestination" enum:"queue,drafts"`
	SaveMessage                    string              `json:"saveMessage" enum:"Saved to Queue,Saved to Drafts"`
	CreatedAt                      Time                `json:"createdAt"`
	UpdatedAt                      Time                `json:"updatedAt"`
	PostInput                      *PostInput          `json:"postInput,omitempty"`
	PostPublishActions             *PostPublishActions `json:"postPublishActions,omitempty"`
	ScheduledPosts                 *[]ScheduledPost    `json:"scheduledPosts,omitempty" doc:"With include=scheduledPosts: newest first, at most 100."`
}

// PostCreate is the request to create a post. An empty one creates an empty draft.
type PostCreate struct {
	Title              *string             `json:"title,omitempty" null:"true" maxLength:"200"`
	PostType           *PostType           `json:"postType,omitempty" null:"true" doc:"Inferred from the assets when absent or null; text_post without any."`
	Text               *string             `json:"text,omitempty" maxLength:"100000" doc:"Ignored if postInput is present."`
	PostInput          *PostInput          `json:"postInput,omitempty" null:"true"`
	AssetIDs           []ID                `json:"assetIds,omitempty" maxItems:"1000" uniqueItems:"true"`
	PostPublishActions *PostPublishActions `json:"postPublishActions,omitempty" null:"true"`
}

// Validate checks the rules across fields.
func (in PostCreate) Validate(now time.Time) []Issue {
	issues := append(assetListIssues(in.AssetIDs, in.AssetIDs != nil, in.PostInput), in.PostInput.validateVariants()...)
	if in.PostPublishActions != nil {
		issues = append(issues, in.PostPublishActions.validateSaved(now, "postPublishActions")...)
	}
	return issues
}

// assetListIssues rejects too many assets, and a list that contradicts the attachments.
func assetListIssues(assets []ID, given bool, input *PostInput) []Issue {
	switch {
	case !given:
	case input != nil && !slices.Equal(assets, input.AssetIDs()):
		return []Issue{At("differs from the assets attached in postInput; leave it out, or list the same ones in the "+
			"same order", "assetIds")}
	case input == nil && len(assets) > MaxAttachments:
		return []Issue{At(fmt.Sprintf("a post has at most %d attachments", MaxAttachments), "assetIds")}
	}
	return nil
}

// PostUpdate is the request to update a post; absent fields keep their value.
type PostUpdate struct {
	Title              Optional[string]             `json:"title,omitzero" null:"true" maxLength:"200"`
	PostType           Optional[PostType]           `json:"postType,omitzero" null:"true" doc:"null lets the type follow the media again."`
	Text               Optional[string]             `json:"text,omitzero" maxLength:"100000"`
	PostInput          Optional[PostInput]          `json:"postInput,omitzero" null:"true" doc:"null reverts the post to text and assetIds."`
	AssetIDs           Optional[[]ID]               `json:"assetIds,omitzero" maxItems:"1000" uniqueItems:"true"`
	PostPublishActions Optional[PostPublishActions] `json:"postPublishActions,omitzero" null:"true"`
}

// Validate checks the rules across fields.
func (in PostUpdate) Validate(now time.Time) []Issue {
	input := in.PostInput.Ptr()
	issues := append(assetListIssues(in.AssetIDs.Value, in.AssetIDs.Set, input), input.validateVariants()...)
	if in.PostPublishActions.HasValue() {
		issues = append(issues, in.PostPublishActions.Value.validateSaved(now, "postPublishActions")...)
	}
	return issues
}

// PostStatusUpdate is the request to change the status of a post.
type PostStatusUpdate struct {
	Status PostStatus `json:"status"`
}

// Validate rejects the status that only a deletion sets.
func (in PostStatusUpdate) Validate(time.Time) []Issue {
	if in.Status == PostDeleted {
		return []Issue{At("cannot be deleted: delete the post instead", "status")}
	}
	return nil
}

// PostTagsUpdate is the request to set the tags of a post.
type PostTagsUpdate struct {
	TagIDs []ID `json:"tagIds" maxItems:"100" uniqueItems:"true"`
}

// PlatformDelete is the result of deleting a published post from its network.
type PlatformDelete struct {
	Provider        Provider `json:"provider"`
	PlatformPostID  string   `json:"platformPostId"`
	Message         string   `json:"message"`
	SocialAccountID ID       `json:"socialAccountId"`
	ScheduledPostID ID       `json:"scheduledPostId"`
	Verdict         string   `json:"verdict" enum:"deleted,not_supported,already_gone,failed,pending"`
}

// PostDeletion is the response to the deletion of a post.
type PostDeletion struct {
	Deleted         bool             `json:"deleted" enum:"true"`
	PlatformDelete  *PlatformDelete  `json:"platformDelete,omitempty"`
	PlatformDeletes []PlatformDelete `json:"platformDeletes,omitempty"`
}
