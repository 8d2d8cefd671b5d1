package crier

import (
	"encoding/json"
	"time"
)

// Bounds of the actions after publishing.
const (
	MaxWindowHours    = 720
	MaxOffsetDays     = 30
	MaxRecurrenceDays = 365
)

// PostPublishActions are automations saved with a post and applied when it is scheduled or published.
type PostPublishActions struct {
	FirstComment             *Comment           `json:"firstComment,omitempty" null:"true" doc:"Posted right after the post goes live."`
	EngagementCommentTrigger *EngagementTrigger `json:"engagementCommentTrigger,omitempty" null:"true"`
	RepostAfter              *RepostAfter       `json:"repostAfter,omitempty" null:"true"`
	RecurrenceIntervalDays   *int               `json:"recurrenceIntervalDays,omitempty" null:"true" minimum:"1" maximum:"365" doc:"Republish every N days."`
	RecurrenceEndsAt         Optional[Time]     `json:"recurrenceEndsAt,omitzero" null:"true" doc:"null means no end."`
}

// Comment is a comment to be posted.
type Comment struct {
	Text     string `json:"text" maxLength:"100000"`
	MediaIDs []ID   `json:"mediaIds" required:"false" maxItems:"20" uniqueItems:"true"`
}

// MarshalJSON always lists the media.
func (c Comment) MarshalJSON() ([]byte, error) {
	type plain Comment
	if c.MediaIDs == nil {
		c.MediaIDs = []ID{}
	}
	return json.Marshal(plain(c))
}

// EngagementTrigger posts a comment once a post has enough likes within a window.
type EngagementTrigger struct {
	LikeThreshold int     `json:"likeThreshold" number:"true" minimum:"1" maximum:"1000000000" doc:"A whole number."`
	WindowHours   float64 `json:"windowHours" minimum:"1" maximum:"720"`
	Comment       Comment `json:"comment"`
}

// Window returns how long likes are counted.
func (e EngagementTrigger) Window() time.Duration {
	return time.Duration(e.WindowHours * float64(time.Hour))
}

// RepostAfter reposts a post some days after it was published.
type RepostAfter struct {
	OffsetDays float64 `json:"offsetDays" minimum:"1" maximum:"30" doc:"Whole days end at the same wall-clock time; a fraction is a part of 24 hours."`
	Mode       string  `json:"mode,omitempty" enum:"repost,quote" doc:"quote if text is present, else repost."`
	Text       string  `json:"text,omitempty" maxLength:"100000" doc:"Required for quote."`
}

// WholeDays returns the days after which the repost is due at the same wall-clock time.
func (r RepostAfter) WholeDays() int { return int(r.OffsetDays) }

// PartOfADay returns the rest of the offset after its whole days.
func (r RepostAfter) PartOfADay() time.Duration {
	return time.Duration((r.OffsetDays - float64(r.WholeDays())) * float64(24*time.Hour))
}

// Quotes reports whether the repost has its own text.
func (r RepostAfter) Quotes() bool { return r.Mode == "quote" || r.Mode == "" && r.Text != "" }

// validateSaved checks the actions that are saved with a post, which are all its actions.
func (a PostPublishActions) validateSaved(now time.Time, path ...string) []Issue {
	issues := a.validate(now, path...)
	if a.RecurrenceEndsAt.HasValue() && a.RecurrenceIntervalDays == nil {
		issues = append(issues, At("needs recurrenceIntervalDays: without it, the post is not repeated",
			join(path, "recurrenceEndsAt")...))
	}
	return issues
}

func (a PostPublishActions) validate(now time.Time, path ...string) []Issue {
	var issues []Issue
	if c := a.FirstComment; c != nil {
		issues = append(issues, c.validate(join(path, "firstComment")...)...)
	}
	if e := a.EngagementCommentTrigger; e != nil {
		issues = append(issues, e.Comment.validate(join(path, "engagementCommentTrigger", "comment")...)...)
	}
	if r := a.RepostAfter; r != nil {
		issues = append(issues, r.validate(join(path, "repostAfter")...)...)
	}
	if e := a.RecurrenceEndsAt; e.HasValue() && !e.Value.After(now) {
		issues = append(issues, At("must be in the future", join(path, "recurrenceEndsAt")...))
	}
	return issues
}

func (c Comment) validate(path ...string) []Issue {
	if c.Text == "" && len(c.MediaIDs) == 0 {
		return []Issue{At("a comment needs text or media", join(path, "text")...)}
	}
	return nil
}

func (r RepostAfter) validate(path ...string) []Issue {
	if r.Mode == "quote" && r.Text == "" {
		return []Issue{At("is required for a quote", join(path, "text")...)}
	}
	if r.Mode == "repost" && r.Text != "" {
		return []Issue{At("a plain repost has no text; use the mode quote", join(path, "text")...)}
	}
	return nil
}

func join(path []string, rest ...string) []string {
	return append(append([]string{}, path...), rest...)
}
