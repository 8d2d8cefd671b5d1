package service

import (
	"context"
	"errors"
	"slices"

	"crier"
	"crier/internal/store"
)

// simpleSettlement is the end of a post that is public and that nothing follows: most of what ends in a second in which many posts are
// due. Many are committed at once; whatever is not as simple has a transaction of its own.
type simpleSettlement struct {
	row                store.Settled
	attempt            store.Attempt
	captured, released int64
}

// isSimple is true when the settlement ends a post that is public, and touches nothing but the post and its credits.
func (w *publishing) isSimple(s settlement) bool {
	a := w.p.Actions
	followed := a.FirstComment != nil || a.EngagementCommentTrigger != nil || a.RepostAfter != nil || a.RecurrenceIntervalDays != nil
	return !w.p.Action && s.ends && s.succeeded() && !s.account && len(w.pending) == 0 && !followed
}

// settleSimply commits a simple settlement. written is false when it is not simple, or when the row has moved on without its worker;
// then nothing was written.
func (w *publishing) settleSimply(ctx context.Context, s settlement) (written bool, err error) {
	if !w.isSimple(s) {
		return false, nil
	}
	p, captured, released, err := w.after(s)
	if err != nil {
		return false, err
	}
	one := &simpleSettlement{row: store.Settled{Publication: p, Owner: w.owner}, attempt: w.ended(s), captured: captured, released: released}
	err = w.settlements.do(ctx, one)
	return one.row.Written && err == nil, err
}

// settleAll commits simple settlements.
func (s *Publisher) settleAll(ctx context.Context, wait store.LockWait, list []*simpleSettlement) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		rows := make([]*store.Settled, len(list))
		for i, one := range list {
			rows[i] = &one.row
		}
		if err := tx.Settle(ctx, s.now(), wait, rows...); err != nil {
			return err
		}
		written := slices.DeleteFunc(slices.Clone(list), func(one *simpleSettlement) bool { return !one.row.Written })
		if err := s.followAll(ctx, tx, written); err != nil {
			return err
		}
		return s.bookAll(ctx, tx, written)
	})
}

// followAll writes attempts, what the posts look like now, and the jobs that read their numbers.
func (s *Publisher) followAll(ctx context.Context, tx *store.Tx, list []*simpleSettlement) error {
	var posts []crier.ID
	var attempts []store.Attempt
	var jobs []Job
	for _, one := range list {
		attempts, posts = append(attempts, one.attempt), append(posts, one.row.Publication.PostID)
		if first, ok := snapshotJob(one.row.Publication, 0); ok {
			jobs = append(jobs, first)
		}
	}
	slices.Sort(posts)
	if err := errors.Join(tx.WriteAttempts(ctx, attempts...), tx.RefreshPosts(ctx, slices.Compact(posts)...)); err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, jobs...)
}

// bookAll books credits last: the organizations' rows are locked from then on.
func (s *Publisher) bookAll(ctx context.Context, tx *store.Tx, list []*simpleSettlement) error {
	var bookings []store.Booking
	for _, one := range list {
		p := one.row.Publication
		bookings = append(bookings, s.captured(p.OrganizationID, one.captured, p.ScheduledPostID)...)
		bookings = append(bookings, s.released(p.OrganizationID, one.released, p.ScheduledPostID)...)
	}
	return tx.AddCredits(ctx, bookings...)
}
