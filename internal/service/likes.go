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
	// firstLikeCheck, then half of what has passed, at most lastLikeCheck: few calls over a long window, soon ones while
	// a post is young.
	firstLikeCheck = time.Minute
	lastLikeCheck  = 12 * time.Hour
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
	next, err = w.rest(ctx, w.nextLikeCheck())
	return next, true, err
}

const noteLikes = "crier.likes"

func (w *publishing) nextLikeCheck() time.Time {
	passed := w.clock().Sub(w.p.CreatedAt.Time)
	at := w.clock().Add(min(max(passed/2, firstLikeCheck), lastLikeCheck))
	if w.p.ExpiresAt != nil {
		at = earlier(at, w.p.ExpiresAt.Add(time.Second))
	}
	return at
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
