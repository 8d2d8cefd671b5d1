package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
)

const (
	// longestLikePause bounds the pause between two counts of likes. It begins with Timings.LikePause and is half of what
	// has passed since: few calls over a long window, soon ones while a post is young.
	longestLikePause = 12 * time.Hour
	// lastLikeCount is how long before the window's end likes are counted for the last time.
	lastLikeCount = 5 * time.Second
)

// awaitLikes looks whether a post has the likes that its comment waits for. waiting is false when it has.
func (w *publishing) awaitLikes(ctx context.Context) (next time.Time, waiting bool, err error) {
	var spec crier.EngagementTrigger
	if err := json.Unmarshal(w.p.Spec, &spec); err != nil {
		return next, false, fmt.Errorf("decode the trigger: %w", err)
	}
	if w.state.Data[noteLikes] != "" {
		return next, false, nil
	}
	if w.p.ExpiresAt != nil && w.clock().After(w.p.ExpiresAt.Time) {
		next, err = w.end(ctx, nil, crier.Canceled, "expired", "", "the likes did not come within the window", false)
		return next, true, err
	}
	likes, err := w.likes(ctx)
	if err != nil {
		next, err = w.failed(ctx, nil, "poll", err)
		return next, true, err
	}
	if likes >= int64(spec.LikeThreshold) {
		w.state.Note(noteLikes, "reached")
		now := w.now()
		w.p.ScheduledAt = now // it is due from now on
		return next, false, w.save(ctx)
	}
	next, err = w.rest(ctx, w.nextLikeCount())
	return next, true, err
}

const noteLikes = "crier.likes"

// nextLikeCount is when to count again: the last time right before the window ends, and then once more to end it.
func (w *publishing) nextLikeCount() time.Time {
	now := w.clock()
	at := now.Add(min(max(now.Sub(w.p.CreatedAt.Time)/2, w.timings.LikePause), longestLikePause))
	if w.p.ExpiresAt == nil {
		return at
	}
	if last := w.p.ExpiresAt.Add(-lastLikeCount); now.Before(last) {
		return earlier(at, last)
	}
	return w.p.ExpiresAt.Add(time.Second)
}

func (w *publishing) likes(ctx context.Context) (int64, error) {
	meter := w.providers.Features(w.network).Meter
	if meter == nil || w.parent.PlatformPostID == nil {
		return 0, &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "this network does not tell likes"}
	}
	if err := w.authorize(ctx); err != nil {
		return 0, err
	}
	found, err := meter.PostMetrics(w.recording(ctx), w.client, []string{*w.parent.PlatformPostID})
	if err != nil {
		return 0, err
	}
	if m, ok := found[*w.parent.PlatformPostID]; ok && m.Likes != nil {
		return *m.Likes, nil
	}
	return 0, nil
}
