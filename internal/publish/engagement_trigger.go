package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
)

const (
	// longestLikePause bounds the pause between two counts of likes. It starts at Timings.LikePause and grows with half
	// of the elapsed time: frequent counts while a post is young, few over a long window.
	longestLikePause = 12 * time.Hour
	// lastLikeCount is how long before the window's end likes are counted for the last time.
	lastLikeCount = 5 * time.Second
)

// awaitLikes checks whether a post has the likes that its comment waits for, and returns nil when it does.
func (w *worker) awaitLikes(ctx context.Context) (*verdict, error) {
	var spec crier.EngagementTrigger
	if err := json.Unmarshal(w.p.Spec, &spec); err != nil {
		return nil, fmt.Errorf("decode the trigger: %w", err)
	}
	if w.progress.LikesReached {
		return nil, nil
	}
	if w.p.ExpiresAt != nil && w.pub.clock().After(w.p.ExpiresAt.Time) {
		v := w.finishCanceled("expired", "the like threshold was not reached within the window")
		return &v, nil
	}
	if affords, err := w.affordsReading(ctx); err != nil || !affords {
		v := w.waitUntil(w.nextLikeCount())
		return &v, err
	}
	likes, err := w.likes(ctx)
	if err != nil {
		v, err := w.handleError(ctx, nil, "poll", err)
		return &v, err
	}
	if likes < int64(spec.LikeThreshold) {
		v := w.waitUntil(w.nextLikeCount())
		return &v, nil
	}
	w.progress.LikesReached = true
	w.p.ScheduledAt = w.pub.clock.Now() // it is due now
	return nil, w.save(ctx)
}

// nextLikeCount returns when to count again: the last count is right before the window ends, followed by one more check
// to end it.
func (w *worker) nextLikeCount() time.Time {
	now := w.pub.clock()
	at := now.Add(min(max(now.Sub(w.p.CreatedAt.Time)/2, w.pub.timings.LikePause), longestLikePause))
	if w.p.ExpiresAt == nil {
		return at
	}
	if last := w.p.ExpiresAt.Add(-lastLikeCount); now.Before(last) {
		return earlier(at, last)
	}
	return w.p.ExpiresAt.Add(time.Second)
}

func (w *worker) likes(ctx context.Context) (int64, error) {
	meter := w.pub.providers.Features(w.network).Meter
	if meter == nil || w.parent.PlatformPostID == nil {
		return 0, &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "this network does not report likes"}
	}
	if err := w.authorize(ctx); err != nil {
		return 0, err
	}
	found, err := meter.PostMetrics(ctx, w.client, []string{*w.parent.PlatformPostID})
	if err != nil {
		return 0, err
	}
	if err := w.payReading(ctx); err != nil {
		return 0, err
	}
	if m, ok := found[*w.parent.PlatformPostID]; ok && m.Likes != nil {
		return *m.Likes, nil
	}
	return 0, nil
}
