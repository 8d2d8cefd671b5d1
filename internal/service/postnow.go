package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// postNowPoll is how often a waiting request looks at its rows.
const postNowPoll = 100 * time.Millisecond

// Ticket is the stored result of a post-now request: the row of each account, or why it was rejected. Repeated requests
// are answered from it.
type Ticket struct {
	Entries []TicketEntry `json:"entries"`
	// WaitSeconds is how long to wait for the networks.
	WaitSeconds int `json:"waitSeconds"`
}

// TicketEntry is one account of a ticket.
type TicketEntry struct {
	SocialAccountID crier.ID          `json:"socialAccountId"`
	ScheduledPostID crier.ID          `json:"scheduledPostId,omitempty"`
	Error           *crier.EntryError `json:"error,omitempty"`
	Warnings        []crier.Issue     `json:"warnings,omitempty"`
}

// PostNow publishes a post now and waits a while for the networks.
func (s *Schedules) PostNow(ctx context.Context, scope access.TeamScope, post crier.ID,
	in crier.PostNowRequest) (crier.ScheduleResult, error) {
	return s.PostNowMatching(ctx, scope, post, crier.VersionMatch{}, in)
}

// PostNowMatching is PostNow that fails unless the content is the version that match asks for.
func (s *Schedules) PostNowMatching(ctx context.Context, scope access.TeamScope, post crier.ID,
	match crier.VersionMatch, in crier.PostNowRequest) (crier.ScheduleResult, error) {
	if err := scope.Check(); err != nil {
		return crier.ScheduleResult{}, err
	}
	wait := crier.DefaultPostNowWait
	if in.WaitSeconds != nil {
		wait = *in.WaitSeconds
	}
	if err := s.profiles.Refresh(ctx, scope, in.SocialAccountIDs); err != nil {
		return crier.ScheduleResult{}, err
	}
	ticket, err := access.Write(ctx, s.writes, func(tx *store.Tx) (Ticket, error) {
		result, err := s.fanOut(ctx, tx, scope, source{post, match}, in.Targets, when{now: true})
		return ticketOf(result, wait), err
	})
	if err != nil {
		return crier.ScheduleResult{}, err
	}
	return s.Await(ctx, ticket)
}

func ticketOf(r crier.ScheduleResult, wait int) Ticket {
	t := Ticket{WaitSeconds: wait}
	for _, e := range r.Data {
		entry := TicketEntry{SocialAccountID: e.SocialAccountID, Error: e.Error, Warnings: e.Warnings}
		if e.ScheduledPost != nil {
			entry.ScheduledPostID = e.ScheduledPost.ID
		}
		t.Entries = append(t.Entries, entry)
	}
	return t
}

// AwaitKept answers a repeated request from the rows of the first one.
func (s *Schedules) AwaitKept(ctx context.Context, kept []byte) (crier.ScheduleResult, error) {
	var t Ticket
	if err := json.Unmarshal(kept, &t); err != nil {
		return crier.ScheduleResult{}, fmt.Errorf("decode the kept ticket: %w", err)
	}
	return s.Await(ctx, t)
}

// Await waits until all rows of a ticket are decided, or its time is over, and reports what is known then.
func (s *Schedules) Await(ctx context.Context, t Ticket) (crier.ScheduleResult, error) {
	var ids []crier.ID
	for _, e := range t.Entries {
		if e.ScheduledPostID != "" {
			ids = append(ids, e.ScheduledPostID)
		}
	}
	deadline := s.clock().Add(time.Duration(t.WaitSeconds) * time.Second)
	for {
		rows, err := s.store.ScheduledPostsByID(ctx, ids)
		if err != nil {
			return crier.ScheduleResult{}, err
		}
		if decided(rows) || !s.clock().Before(deadline) {
			shown, err := s.store.ScheduledPosts(ctx, ids)
			return report(t, shown), err
		}
		timer := time.NewTimer(postNowPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return crier.ScheduleResult{}, ctx.Err()
		case <-timer.C:
		}
	}
}

// decided reports whether nothing of a ticket can change within a request's patience.
func decided(rows map[crier.ID]store.Publication) bool {
	for _, p := range rows {
		if p.Status == crier.Scheduled || p.Status.Running() {
			return false
		}
	}
	return true
}

// report returns the answer from a ticket's rows: refused and failed accounts have an error, all others count as a
// success.
func report(t Ticket, rows map[crier.ID]crier.ScheduledPost) crier.ScheduleResult {
	out := crier.ScheduleResult{Data: make([]crier.ScheduleEntry, len(t.Entries))}
	for i, e := range t.Entries {
		entry := crier.ScheduleEntry{SocialAccountID: e.SocialAccountID, Error: e.Error, Warnings: e.Warnings}
		if p, ok := rows[e.ScheduledPostID]; ok {
			entry.ScheduledPost = &p
			if p.Status == crier.Failed || p.Status == crier.Missed {
				entry.Error = &crier.EntryError{Code: p.ErrorCode, Message: p.ErrorMessage}
			}
		}
		out.Data[i] = entry
	}
	out.Outcome = crier.OutcomeOf(out.Data)
	return out
}
