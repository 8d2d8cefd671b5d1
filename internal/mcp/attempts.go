package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// attemptBrief is the short form of an attempt, without requests and responses.
type attemptBrief struct {
	Operation string      `json:"operation"`
	Part      int         `json:"part,omitempty"`
	StartedAt crier.Time  `json:"startedAt"`
	Outcome   string      `json:"outcome,omitempty"`
	ErrorCode string      `json:"errorCode,omitempty"`
	Message   string      `json:"message,omitempty"`
	NextStep  string      `json:"nextStep,omitempty"`
	NextAt    *crier.Time `json:"nextAt,omitempty"`
}

type attemptList struct {
	Publication publicationBrief `json:"publication"`
	Attempts    []attemptBrief   `json:"attempts"`
}

func (d *server) addAttemptTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "list_attempts", title: "List publish attempts", effect: reads,
		description: "Returns the state of a publication and all its attempts: the result of each, the reason, and " +
			"the next step.",
	}, listAttempts)
	addTool(d, s, tool{
		name: "retry", title: "Retry a failed publication", effect: changes, outside: true,
		description: "Retries a failed or missed publication at once. Rejected while the outcome is unknown, or if " +
			"another publication has replaced it (replacedBy). Asks the person.",
	}, retry)
	addTool(d, s, tool{
		name: "resolve", title: "Resolve an unknown outcome", effect: changes, outside: true,
		description: "Resolves a publication with an unknown outcome, after somebody has checked the network: the " +
			"post is there (published), it is not and should be retried (retry), or it is given up (failed). Using " +
			"retry while the post is there publishes it twice. action resolves a comment or repost that follows " +
			"the publication instead (see followUps). Asks the person.",
	}, resolve)
}

type scheduledPostInput struct {
	inTeam
	ScheduledPostID crier.ID `json:"scheduledPostId" jsonschema:"id of the publication; list_posts and get_calendar have them"`
}

// publication reads the scheduled post of a call.
func (c *call) publication(ctx context.Context, in scheduledPostInput) (team crier.ID, found crier.ScheduledPost,
	err error) {
	if team, err = c.team(ctx, in.inTeam); err != nil {
		return "", crier.ScheduledPost{}, err
	}
	found, err = c.GetScheduledPost(ctx, team, in.ScheduledPostID)
	return team, found, err
}

func listAttempts(ctx context.Context, c *call, in scheduledPostInput) (any, error) {
	team, publication, err := c.publication(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := c.ListAttempts(ctx, team, publication.ID)
	if err != nil {
		return nil, err
	}
	return attemptList{publicationOf(publication), each(found.Data, func(a crier.Attempt) attemptBrief {
		return attemptBrief{
			Operation: a.Operation, Part: a.Part, StartedAt: a.StartedAt, Outcome: a.Outcome, ErrorCode: a.ErrorCode,
			Message:  a.Message,
			NextStep: a.NextStep, NextAt: a.NextAt,
		}
	})}, nil
}

// publicationOf returns a publication with the id of its post.
func publicationOf(p crier.ScheduledPost) publicationBrief {
	out := briefPublication(p)
	out.PostID = p.ContentItemID
	return out
}

type retryInput struct {
	scheduledPostInput
	confirmable
}

func retry(ctx context.Context, c *call, in retryInput) (any, error) {
	team, publication, err := c.publication(ctx, in.scheduledPostInput)
	if err != nil {
		return nil, err
	}
	if err := retryable(publication); err != nil {
		return nil, err
	}
	cost, err := c.costOf(ctx, team, publication)
	if err != nil {
		return nil, err
	}
	question := fmt.Sprintf("Publish at once what is %s (%s)?", publication.Status,
		firstOf(publication.ErrorMessage, publication.ErrorCode, "no reason given"))
	if err := c.agree(in.confirmable, proposal{question: question, cost: cost,
		preview: publicationOf(publication)}); err != nil {
		return nil, err
	}
	again, err := c.RetryScheduledPost(ctx, team, publication.ID)
	if err != nil {
		return nil, err
	}
	c.changed(string(publication.ContentItemID))
	return publicationOf(again), nil
}

// retryable fails if the API would reject a retry, so that nobody is asked about it.
func retryable(p crier.ScheduledPost) error {
	switch {
	case p.Status == crier.Unknown:
		return refused(crier.KindConflict, "Whether this was published is not known: somebody has to check the "+
			"network, and then resolve says what was found.")
	case p.Status != crier.Failed && p.Status != crier.Missed:
		return refused(crier.KindConflict, "Only failed and missed publications can be retried; this one is %s.",
			p.Status)
	case p.ReplacedBy != nil:
		return refused(crier.KindConflict, "The publication %s has replaced this one on its account, so a retry "+
			"would publish the post twice. Look at that one instead.", *p.ReplacedBy)
	}
	return nil
}

// costOf returns the cost of publishing again.
func (c *call) costOf(ctx context.Context, team crier.ID, p crier.ScheduledPost) (int64, error) {
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return 0, err
	}
	soon := crier.TimeOf(overview.ServerTime.Add(tryOutLead))
	in := crier.ScheduleRequest{Targets: crier.Targets{SocialAccountIDs: []crier.ID{p.SocialAccountID},
		PlatformSettings: p.PlatformSettings}, ScheduledAt: &soon}
	found, err := c.ValidatePost(ctx, team, p.ContentItemID, in)
	if client.IsKind(err, crier.KindForbidden) { // a retry may keep its settings, a new schedule may not bring them
		in.PlatformSettings = nil
		found, err = c.ValidatePost(ctx, team, p.ContentItemID, in)
	}
	return found.CreditCost, err
}

// outcome is the resolution of an unknown publication.
type outcome string

type resolveInput struct {
	scheduledPostInput
	confirmable
	Outcome        outcome            `json:"outcome" jsonschema:"the result of checking the network"`
	Action         crier.FollowUpKind `json:"action,omitempty" jsonschema:"the follow-up with the unknown outcome; omit it for the post itself"`
	PlatformPostID string             `json:"platformPostId,omitempty" jsonschema:"the network's id of the post, if it is published"`
}

// consequences describe the effect of each decision.
var consequences = map[outcome]string{
	"published": "It counts as published and its credits are spent.",
	"retry":     "It is published again. If it is on the network after all, it will be there twice.",
	"failed":    "It counts as failed and its credits are released.",
}

func resolve(ctx context.Context, c *call, in resolveInput) (any, error) {
	team, publication, err := c.publication(ctx, in.scheduledPostInput)
	if err != nil {
		return nil, err
	}
	subject, err := in.subject(publication)
	if err != nil {
		return nil, err
	}
	question := fmt.Sprintf("Decide that %s with the unknown outcome is: %s? %s", subject, in.Outcome,
		consequences[in.Outcome])
	if err := c.agree(in.confirmable, proposal{question: question, preview: publicationOf(publication)}); err != nil {
		return nil, err
	}
	resolved, err := c.ResolveScheduledPost(ctx, team, publication.ID,
		crier.Resolution{Outcome: string(in.Outcome), Action: in.Action, PlatformPostID: in.PlatformPostID})
	if err != nil {
		return nil, err
	}
	c.changed(string(publication.ContentItemID))
	return publicationOf(resolved), nil
}

// subject names what is resolved. It fails if the API would reject it, so that nobody is asked about it.
func (in resolveInput) subject(p crier.ScheduledPost) (string, error) {
	subject, status := "this publication", string(p.Status)
	if in.Action != "" {
		f := p.FollowUp(in.Action)
		if f == nil {
			return "", refused(crier.KindInvalid, "action: this publication has no such follow-up.")
		}
		subject, status = "its "+strings.ReplaceAll(string(in.Action), "_", " "), string(f.Status)
	}
	if status != string(crier.Unknown) {
		return "", refused(crier.KindConflict, "Only an unknown outcome can be resolved; %s is %s.", subject,
			status)
	}
	return subject, nil
}
