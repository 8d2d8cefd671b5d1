package analytics

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// PostSorts are the sort orders of the ranking; the first is the default.
var PostSorts = []string{"views", "engagements", "engagementRate", "reach", "likes", "comments", "shares", "quotes",
	"saves", "clicks", "publishedAt"}

// Posts ranks the posts that were published in a window by their current metrics.
func (s *Analytics) Posts(ctx context.Context, scope access.TeamScope, q Query,
	page pagination.Query) (crier.Page[crier.AnalyticsPost], error) {
	var none crier.Page[crier.AnalyticsPost]
	w, err := s.window(scope, q, defaultDays)
	if err != nil {
		return none, err
	}
	from, to := w.instants()
	rows, total, err := s.store.RankedPosts(ctx, w.filter, from, to, page.Rows())
	if err != nil {
		return none, err
	}
	return pagination.CappedPageOf(s.pages, page, rows, total, shownPost), nil
}

// exportBatch is the number of posts per query of EachPost.
const exportBatch = 2000

// EachPost calls fn with every post of the ranking, starting at the page. It holds no database resources meanwhile, so
// that a slow reader does no harm.
func (s *Analytics) EachPost(ctx context.Context, scope access.TeamScope, q Query, page pagination.Query,
	fn func(crier.AnalyticsPost) error) error {
	w, err := s.window(scope, q, defaultDays)
	if err != nil {
		return err
	}
	from, to := w.instants()
	next := page.Rows()
	next.Limit = exportBatch
	for {
		batch, err := s.store.RankedPage(ctx, w.filter, from, to, next)
		if err != nil {
			return err
		}
		for _, p := range batch.Rows {
			if err := fn(shownPost(p)); err != nil {
				return err
			}
		}
		if !batch.After {
			return nil
		}
		next.Seek, next.Inclusive, next.Backward = &batch.Last, false, false
	}
}

func shownPost(p store.RankedPost) crier.AnalyticsPost {
	n := p.Numbers
	out := crier.AnalyticsPost{ScheduledPostID: p.PublicationID, PostID: p.PostID, SocialAccountID: p.SocialAccountID,
		Provider: p.Provider, AccountName: p.AccountName, AccountHandle: p.AccountHandle, PostType: p.PostType,
		Title: p.Title, Text: p.Text, Permalink: p.Permalink, PublishedAt: p.PublishedAt, ReadAt: p.ReadAt,
		Metrics: crier.PostNumbers{Views: n.Views, Reach: n.Reach, Likes: n.Likes, Comments: n.Comments,
			Shares: n.Shares, Quotes: n.Quotes, Saves: n.Saves, Clicks: n.Clicks, Engagements: n.Engagements()}}
	if e := n.Engagements(); e != nil && n.Views != nil {
		out.EngagementRate = rate(*e, *n.Views)
	}
	return out
}
