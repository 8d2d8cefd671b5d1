package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"crier"
)

// scheduledPosts are scheduled posts with their data from other rows: the actions that follow them, whether their
// series continues, how late they were, their problems, and their replacements. Its questions do not depend on each
// other.
type scheduledPosts struct {
	questions []question
	found     []*scheduledPost
	followUps map[crier.ID]map[crier.FollowUpKind]crier.FollowUp
	series    map[destination]bool
	sent      map[crier.ID]crier.Time
	problems  map[crier.ID]problem
	replaced  map[crier.ID]crier.ID
}

// scheduledPosts prepares reading the scheduled posts whose ids a query selects, newest first.
func (r reads) scheduledPosts(which string, args []any) *scheduledPosts {
	s := newFollowUps(which, args)
	s.questions = append([]question{newQuestion(`SELECT `+scheduledPostColumns+` FROM publications s
		WHERE s.kind = 'post' AND s.id IN (`+which+`) ORDER BY s.created_at DESC, s.id DESC`, args,
		collectInto(&s.found, scanScheduledPost))}, s.questions...)
	return s
}

// newFollowUps prepares reading the data of scheduled posts from other rows.
func newFollowUps(which string, args []any) *scheduledPosts {
	s := &scheduledPosts{followUps: map[crier.ID]map[crier.FollowUpKind]crier.FollowUp{},
		series: map[destination]bool{}, sent: map[crier.ID]crier.Time{}, problems: map[crier.ID]problem{},
		replaced: map[crier.ID]crier.ID{}}
	s.questions = []question{
		followUpsQuestion(s.followUps, which, args).unless(s.none((*scheduledPost).hasFollowUps)),
		seriesQuestion(s.series, which, args).unless(s.none((*scheduledPost).mayHaveContinued)),
		sendTimesQuestion(s.sent, which, args).unless(s.none((*scheduledPost).wasSent)),
		problemsQuestion(s.problems, which, args).unless(s.none((*scheduledPost).mayHaveProblems)),
		replacementsQuestion(s.replaced, which, args).unless(s.none((*scheduledPost).mayBeReplaced)),
	}
	return s
}

func (s *scheduledPost) hasFollowUps() bool { return s.actions.HasFollowUps() }

func (s *scheduledPost) mayHaveContinued() bool {
	return s.actions.RecurrenceIntervalDays != nil && !s.Status.Live()
}

func (s *scheduledPost) wasSent() bool { return s.Status == crier.Published }

// mayHaveProblems includes problems of follow-ups, which exist only if it has ended.
func (s *scheduledPost) mayHaveProblems() bool { return !s.Status.Live() || s.Status == crier.Unknown }

func (s *scheduledPost) mayBeReplaced() bool {
	return s.Status == crier.Failed || s.Status == crier.Missed
}

// hasMore reports whether it may have data in other rows. The other conditions imply mayHaveProblems.
func (s *scheduledPost) hasMore() bool { return s.hasFollowUps() || s.mayHaveProblems() }

// none returns a function that reports whether no scheduled post satisfies a condition.
func (s *scheduledPosts) none(of func(*scheduledPost) bool) func() bool {
	return func() bool { return !slices.ContainsFunc(s.found, of) }
}

// complete adds the answers of the questions to a scheduled post.
func (s *scheduledPosts) complete(p *scheduledPost) {
	goesOn := p.mayHaveContinued() && s.series[destination{p.ContentItemID, p.SocialAccountID}]
	p.SetActions(p.actions, s.followUps[p.ID], goesOn)
	if at, ok := s.sent[p.ID]; ok && p.wasSent() {
		late := max(0, at.Sub(p.ScheduledAt.Time).Milliseconds())
		p.LateMillis = &late
	}
	problem := s.problems[p.ID]
	p.NeedsAttention, p.DismissedAt = problem.open, problem.dismissedAt
	if by, ok := s.replaced[p.ID]; ok {
		p.ReplacedBy = &by
	}
}

// list returns the scheduled posts once the questions are answered.
func (s *scheduledPosts) list() []crier.ScheduledPost {
	out := make([]crier.ScheduledPost, len(s.found))
	for i, p := range s.found {
		s.complete(p)
		out[i] = p.ScheduledPost
	}
	return out
}

// byPost returns the scheduled posts by post once the questions are answered.
func (s *scheduledPosts) byPost() map[crier.ID][]crier.ScheduledPost {
	out := make(map[crier.ID][]crier.ScheduledPost, len(s.found))
	for _, p := range s.list() {
		out[p.ContentItemID] = append(out[p.ContentItemID], p)
	}
	return out
}

// withFollowUps adds the data of scheduled posts from other rows, in one round trip.
func (r reads) withFollowUps(ctx context.Context, list []*scheduledPost) ([]crier.ScheduledPost, error) {
	if len(list) == 0 {
		return []crier.ScheduledPost{}, nil
	}
	ids := make([]crier.ID, len(list))
	for i, s := range list {
		ids[i] = s.ID
	}
	s := newFollowUps(r.ofKeys(ids))
	s.found = list
	if err := r.askNeeded(ctx, s.questions); err != nil {
		return nil, fmt.Errorf("read what follows scheduled posts: %w", err)
	}
	return s.list(), nil
}

// ofKeys returns a query that selects given ids.
func (r reads) ofKeys(ids []crier.ID) (which string, args []any) {
	return `SELECT v.key FROM ` + r.jsonRows("key uuid"), []any{keys(ids)}
}

// followUpsQuestion reads the actions that follow publications, by publication and kind.
func followUpsQuestion(found map[crier.ID]map[crier.FollowUpKind]crier.FollowUp, which string, args []any) question {
	return newQuestion(`SELECT c.parent_id, c.kind, c.status, c.scheduled_at, c.published_at, c.platform_post_id,
		c.permalink, c.error_code, c.error_message FROM publications c WHERE c.parent_id IN (`+which+`)`, args,
		func(row scanner) error {
			var parent crier.ID
			var kind crier.FollowUpKind
			var f crier.FollowUp
			var at crier.Time
			var platformPostID, permalink, code, message sql.NullString
			if err := row.Scan(&parent, &kind, &f.Status, &at, &f.PublishedAt, &platformPostID, &permalink, &code,
				&message); err != nil {
				return err
			}
			f.ScheduledAt, f.PlatformPostID, f.Permalink, f.ErrorCode, f.ErrorMessage = &at, platformPostID.String,
				permalink.String, code.String, message.String
			if found[parent] == nil {
				found[parent] = map[crier.FollowUpKind]crier.FollowUp{}
			}
			found[parent][kind] = f
			return nil
		})
}

// destination is a post on an account.
type destination struct{ post, account crier.ID }

// seriesQuestion reads which series of publications continue.
func seriesQuestion(found map[destination]bool, which string, args []any) question {
	return newQuestion(`SELECT s.post_id, s.social_account_id FROM publications s WHERE s.kind = 'post' AND s.live
		AND s.recurring AND s.post_id IN (SELECT i.post_id FROM publications i WHERE i.id IN (`+which+`))`, args,
		func(row scanner) error {
			var d destination
			err := row.Scan(&d.post, &d.account)
			found[d] = true
			return err
		})
}

// sendTimes returns when the network was called for the first part of published posts.
func (r reads) sendTimes(ctx context.Context, ids []crier.ID) (map[crier.ID]crier.Time, error) {
	found := map[crier.ID]crier.Time{}
	which, args := r.ofKeys(ids)
	err := r.q.Ask(ctx, sendTimesQuestion(found, which, args).unless(func() bool { return len(ids) == 0 }))
	return found, err
}

func sendTimesQuestion(found map[crier.ID]crier.Time, which string, args []any) question {
	return newQuestion(`SELECT a.scheduled_post_id, a.started_at FROM attempts a
		WHERE a.action_id IS NULL AND a.part = 0 AND a.operation IN ('publish', 'resend')
		AND a.scheduled_post_id IN (`+which+`)`, args, func(row scanner) error {
		var id crier.ID
		var at crier.Time
		err := row.Scan(&id, &at)
		if last, ok := found[id]; !ok || at.After(last.Time) {
			found[id] = at
		}
		return err
	})
}

// problem is the problem of a scheduled post and its actions.
type problem struct {
	open        bool
	dismissedAt *crier.Time
}

// problems returns the problems of scheduled posts and their actions; those without are missing.
func (r reads) problems(ctx context.Context, ids []crier.ID) (map[crier.ID]problem, error) {
	found := map[crier.ID]problem{}
	which, args := r.ofKeys(ids)
	err := r.q.Ask(ctx, problemsQuestion(found, which, args).unless(func() bool { return len(ids) == 0 }))
	return found, err
}

func problemsQuestion(found map[crier.ID]problem, which string, args []any) question {
	return newQuestion(`SELECT x.scheduled_post_id, x.dismissed_at FROM publication_problems x
		WHERE x.scheduled_post_id IN (`+which+`)`, args, func(row scanner) error {
		var id crier.ID
		var dismissed *crier.Time
		err := row.Scan(&id, &dismissed)
		p := found[id]
		if dismissed == nil {
			p.open = true
		} else if p.dismissedAt == nil || dismissed.After(p.dismissedAt.Time) {
			p.dismissedAt = dismissed
		}
		found[id] = p
		return err
	})
}

// replacementsQuestion reads the replacements of unsuccessful publications.
func replacementsQuestion(found map[crier.ID]crier.ID, which string, args []any) question {
	return newQuestion(`SELECT i.id, `+replacement+` FROM publications i WHERE i.status IN ('failed', 'missed')
		AND i.id IN (`+which+`)`, args,
		func(row scanner) error {
			var of crier.ID
			var by *crier.ID
			err := row.Scan(&of, &by)
			if by != nil {
				found[of] = *by
			}
			return err
		})
}

// byKeys runs a query that ends in IN for a list of ids and scans each row.
func (r reads) byKeys(ctx context.Context, ids []crier.ID, query string, scan func(scanner) error) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := r.q.QueryContext(ctx, query+`(SELECT v.key FROM `+r.jsonRows("key uuid")+`)`, keys(ids))
	if err != nil {
		return fmt.Errorf("read what follows scheduled posts: %w", err)
	}
	if _, err := collect(rows, func(row scanner) (struct{}, error) { return struct{}{}, scan(row) }); err != nil {
		return fmt.Errorf("read what follows scheduled posts: %w", err)
	}
	return nil
}

// Dismiss records that the problems of a scheduled post and its actions were seen. known is false if there are none,
// changed is false if all of them were already seen.
func (tx *Tx) Dismiss(ctx context.Context, scheduledPost crier.ID, now crier.Time) (known, changed bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE publication_problems SET dismissed_at = $2
		WHERE scheduled_post_id = $1 AND dismissed_at IS NULL`, scheduledPost, now)
	if err != nil {
		return false, false, fmt.Errorf("dismiss: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return true, true, err
	}
	if err := tx.q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM publication_problems
		WHERE scheduled_post_id = $1)`, scheduledPost).Scan(&known); err != nil {
		return false, false, fmt.Errorf("dismiss: %w", err)
	}
	return known, false, nil
}
