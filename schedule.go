package crier

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Bounds of scheduling.
const (
	MinScheduleLead    = 60 * time.Second
	MaxScheduleLead    = 90 * 24 * time.Hour
	MaxAccountsPerCall = 100
	MaxPostNowWait     = 30
	DefaultPostNowWait = 10
	MaxNextSlots       = 20
)

// Targets are the common fields of schedule and post-now: the accounts, settings and follow-up actions.
type Targets struct {
	SocialAccountIDs                  []ID                              `json:"socialAccountIds" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"Each account has its own result."`
	Timezone                          Optional[Zone]                    `json:"timezone,omitzero" null:"true" doc:"The zone the time was chosen in, for display and, with useNextSlot, for slots of a team without a zone. null means the team's, or UTC. If it is omitted, what is already scheduled on an account keeps its zone; anything else gets the team's."`
	PlatformSettings                  map[string]json.RawMessage        `json:"platformSettings,omitempty" doc:"Publish settings by key; GET /v1/providers lists them. A key of another network is ignored, an unknown one rejected."`
	PlatformSettingsBySocialAccountID map[ID]map[string]json.RawMessage `json:"platformSettingsBySocialAccountId,omitempty" keys:"uuid" doc:"Settings of single accounts; they override platformSettings, and null removes a shared one."`
	FirstComment                      Optional[Comment]                 `json:"firstComment,omitzero" null:"true" doc:"Overrides the post's own; null disables it."`
	EngagementCommentTrigger          Optional[EngagementTrigger]       `json:"engagementCommentTrigger,omitzero" null:"true" doc:"Overrides the post's own; null disables it."`
	RepostAfter                       Optional[RepostAfter]             `json:"repostAfter,omitzero" null:"true" doc:"Overrides the post's own; null disables it."`
	RecurrenceIntervalDays            Optional[int]                     `json:"recurrenceIntervalDays,omitzero" null:"true" minimum:"1" maximum:"365" doc:"Overrides the post's own; null disables it."`
	RecurrenceEndsAt                  Optional[Time]                    `json:"recurrenceEndsAt,omitzero" null:"true" doc:"null means no end."`
	AllowRepublish                    bool                              `json:"allowRepublish,omitempty" doc:"Publish again on accounts where this post was published before."`
}

// ScheduleRequest is the request to schedule a post.
type ScheduleRequest struct {
	Targets
	ScheduledAt *Time `json:"scheduledAt,omitempty" doc:"At least 60 seconds ahead, within 90 days. Exactly one of scheduledAt and useNextSlot: true."`
	UseNextSlot *bool `json:"useNextSlot,omitempty" doc:"Schedule at the next free slot of the accounts." example:"true"`
}

// Validate checks the rules across fields.
func (in ScheduleRequest) Validate(now time.Time) []Issue {
	issues := in.Targets.validate(now)
	slot := in.UseNextSlot != nil && *in.UseNextSlot
	switch {
	case slot && in.ScheduledAt != nil:
		issues = append(issues, At("give either scheduledAt or useNextSlot: true, not both", "scheduledAt"))
	case !slot && in.ScheduledAt == nil:
		issues = append(issues, At("give either scheduledAt or useNextSlot: true", "scheduledAt"))
	case in.ScheduledAt != nil:
		if problem := leadProblem(in.ScheduledAt.Time, now); problem != "" {
			issues = append(issues, At(problem, "scheduledAt"))
		}
		if end := in.RecurrenceEndsAt; end.HasValue() && end.Value.Before(in.ScheduledAt.Time) {
			issues = append(issues, At("must not be before scheduledAt", "recurrenceEndsAt"))
		}
	}
	return issues
}

func leadProblem(at, now time.Time) string {
	if lead := at.Sub(now); lead < MinScheduleLead || lead > MaxScheduleLead {
		return fmt.Sprintf("must be at least 60 seconds in the future and within 90 days; the server's time is %s",
			TimeOf(now))
	}
	return ""
}

func (t Targets) validate(now time.Time) []Issue {
	actions := PostPublishActions{
		FirstComment: t.FirstComment.Ptr(), EngagementCommentTrigger: t.EngagementCommentTrigger.Ptr(),
		RepostAfter: t.RepostAfter.Ptr(), RecurrenceEndsAt: t.RecurrenceEndsAt,
	}
	issues := actions.validate(now)
	for _, id := range slices.Sorted(maps.Keys(t.PlatformSettingsBySocialAccountID)) {
		if !slices.Contains(t.SocialAccountIDs, id) {
			issues = append(issues, At("is not one of socialAccountIds", "platformSettingsBySocialAccountId",
				string(id)))
		}
	}
	return issues
}

// PostNowRequest is the request to publish a post at once.
type PostNowRequest struct {
	Targets
	WaitSeconds *int `json:"waitSeconds,omitempty" minimum:"0" maximum:"30" default:"10" doc:"How long to wait for the networks before responding with the results so far."`
}

// Validate checks the rules across fields.
func (in PostNowRequest) Validate(now time.Time) []Issue { return in.Targets.validate(now) }

// ScheduleResult is one entry per requested account, in request order, and a summary.
type ScheduleResult struct {
	Data    []ScheduleEntry `json:"data"`
	Outcome ScheduleOutcome `json:"outcome"`
}

// ScheduleEntry is the result for one account.
type ScheduleEntry struct {
	SocialAccountID ID             `json:"socialAccountId"`
	ScheduledPost   *ScheduledPost `json:"scheduledPost,omitempty"`
	Error           *EntryError    `json:"error,omitempty"`
	Warnings        []Issue        `json:"warnings,omitempty"`
}

// EntryError says why one account was rejected, or failed.
type EntryError struct {
	Message string  `json:"message"`
	Code    string  `json:"code,omitempty"`
	Issues  []Issue `json:"issues,omitempty"`
}

// ScheduleOutcome summarizes the entries.
type ScheduleOutcome struct {
	TotalCount   int    `json:"totalCount" number:"true"`
	SuccessCount int    `json:"successCount" number:"true"`
	FailureCount int    `json:"failureCount" number:"true"`
	Kind         string `json:"kind" enum:"none_failed,partially_failed,all_failed"`
}

// OutcomeOf counts entries.
func OutcomeOf(entries []ScheduleEntry) ScheduleOutcome {
	o := ScheduleOutcome{TotalCount: len(entries)}
	for _, e := range entries {
		if e.Error != nil {
			o.FailureCount++
		} else {
			o.SuccessCount++
		}
	}
	switch {
	case o.FailureCount == 0:
		o.Kind = "none_failed"
	case o.SuccessCount == 0:
		o.Kind = "all_failed"
	default:
		o.Kind = "partially_failed"
	}
	return o
}

// ValidationResult is a dry run of schedule.
type ValidationResult struct {
	Data             []ValidationEntry `json:"data" doc:"One entry per requested account, in request order."`
	CreditCost       int64             `json:"creditCost" number:"true" doc:"Total that would be reserved."`
	AvailableCredits int64             `json:"availableCredits" number:"true"`
	AffordableNow    bool              `json:"affordableNow"`
	ScheduledAt      *Time             `json:"scheduledAt" doc:"When it would be published."`
	SlotAt           *Time             `json:"slotAt" doc:"The slot it would take."`
	// ApprovalRequired is about unsaved content; a stored post that is not approved is a conflict.
	ApprovalRequired bool `json:"approvalRequired,omitempty" doc:"True for unsaved content in a team that publishes approved posts only: it cannot be scheduled before the post is saved and approved."`
}

// ValidationEntry is the dry run for one account.
type ValidationEntry struct {
	SocialAccountID ID          `json:"socialAccountId"`
	OK              bool        `json:"ok"`
	CreditCost      int64       `json:"creditCost" number:"true"`
	Error           *EntryError `json:"error,omitempty"`
	Warnings        []Issue     `json:"warnings"`
	// Texts are the lengths of the parts that this account would publish.
	Texts []TextMeasure `json:"texts" doc:"Length of each part as the network counts it; empty when the account cannot be used."`
}

// TextMeasure is the length of one part of a post as a network counts it.
type TextMeasure struct {
	Part   int    `json:"part" number:"true" doc:"The part of a thread, from 0."`
	Text   string `json:"text" doc:"The text of the part as the account publishes it."`
	Count  int    `json:"count" number:"true"`
	Max    int    `json:"max" number:"true"`
	Unit   string `json:"unit" enum:"characters,utf16,bytes,weighted" doc:"The unit: code points, UTF-16 units, bytes of UTF-8, or by the network's own rule."`
	FoldAt *int   `json:"foldAt" number:"true" doc:"Where the network folds the text (see more), in code points from the start of the part; null when it is not folded."`
}

// ContentValidation is the request to dry-run unsaved content.
type ContentValidation struct {
	PostType  *PostType  `json:"postType,omitempty" null:"true" doc:"Inferred from the assets when absent or null."`
	Text      *string    `json:"text,omitempty" maxLength:"100000" doc:"Ignored if postInput is present."`
	PostInput *PostInput `json:"postInput,omitempty" null:"true"`
	AssetIDs  []ID       `json:"assetIds,omitempty" maxItems:"1000" uniqueItems:"true"`
	ScheduleRequest
}

// Validate checks the rules across fields. Without a time it is a dry run of publishing now.
func (in ContentValidation) Validate(now time.Time) []Issue {
	issues := append(assetListIssues(in.AssetIDs, in.AssetIDs != nil, in.PostInput), in.PostInput.validateVariants()...)
	if in.ScheduledAt == nil && in.UseNextSlot == nil {
		return append(issues, in.Targets.validate(now)...)
	}
	return append(issues, in.ScheduleRequest.Validate(now)...)
}
