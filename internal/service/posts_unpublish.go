package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/publish"
	"crier/internal/store"
)

// deleteWait is how long a deletion waits for the networks.
const deleteWait = 10 * time.Second

// deletePending is the verdict on a deletion that has none yet.
const deletePending = "pending"

// AwaitKeptDeletes answers a repeated deletion from what the first one began.
func (s *Posts) AwaitKeptDeletes(ctx context.Context, kept []byte) (crier.PostDeletion, error) {
	var out crier.PostDeletion
	if err := json.Unmarshal(kept, &out); err != nil {
		return out, fmt.Errorf("decode the kept deletion: %w", err)
	}
	return s.awaitDeletes(ctx, out)
}

// awaitDeletes waits for the networks' verdicts and enters them.
func (s *Posts) awaitDeletes(ctx context.Context, out crier.PostDeletion) (crier.PostDeletion, error) {
	if len(out.PlatformDeletes) == 0 {
		return out, nil
	}
	ids := make([]crier.ID, len(out.PlatformDeletes))
	for i, d := range out.PlatformDeletes {
		ids[i] = d.ScheduledPostID
	}
	for deadline := s.clock().Add(deleteWait); ; {
		attempts, err := s.store.DeleteAttempts(ctx, ids)
		if err != nil {
			return out, err
		}
		if enterVerdicts(out.PlatformDeletes, attempts) || !s.clock().Before(deadline) {
			out.PlatformDelete = &out.PlatformDeletes[0]
			return out, nil
		}
		timer := time.NewTimer(postNowPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return out, ctx.Err()
		case <-timer.C:
		}
	}
}

// enterVerdicts enters the verdicts that are there. It reports whether nothing is left to wait for: what a person has
// to resolve first may take days.
func enterVerdicts(deletes []crier.PlatformDelete, attempts []store.Attempt) bool {
	open := len(deletes)
	for i := range deletes {
		waits := false
		for _, a := range attempts {
			if a.ScheduledPostID != deletes[i].ScheduledPostID {
				continue
			}
			if publish.IsVerdict(a.Outcome) {
				deletes[i].Verdict, deletes[i].Message = a.Outcome, a.Message
				break
			}
			waits = waits || publish.DeletionWaiting(a) && deletes[i].PlatformPostID == "" && a.ActionID == nil
		}
		if waits || deletes[i].Verdict != deletePending {
			open--
		}
	}
	return open == 0
}
