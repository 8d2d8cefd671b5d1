package analytics

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/store"
)

// maxSinglePosts is the maximum number of posts that are counted one by one, for days of another zone and for tags:
// there are sums only for days of the team's zone.
const maxSinglePosts = 50_000

// counted are the sums of one publication.
type counted struct {
	store.DaySums
	post crier.ID
}

// sums returns the sums of a window, grouped as requested.
func (s *Analytics) sums(ctx context.Context, w window, by store.DayGrouping) ([]store.DaySums, error) {
	if w.own {
		return s.store.AnalyticsDays(ctx, w.filter, w.gained, by)
	}
	list, err := s.single(ctx, w)
	if err != nil {
		return nil, err
	}
	type key struct {
		day      int64
		account  crier.ID
		postType crier.PostType
	}
	index := map[key]int{}
	var out []store.DaySums
	for _, c := range list {
		d := c.DaySums
		if !by.Day {
			d.Day = 0
		}
		if !by.Account {
			d.SocialAccountID, d.Provider = "", ""
		}
		if !by.PostType {
			d.PostType = ""
		}
		k := key{d.Day, d.SocialAccountID, d.PostType}
		if i, ok := index[k]; ok {
			out[i].Add(d)
			continue
		}
		index[k] = len(out)
		out = append(out, d)
	}
	return out, nil
}

// single counts the publications of a window one by one.
func (s *Analytics) single(ctx context.Context, w window) ([]counted, error) {
	if w.gained {
		return s.singleGains(ctx, w)
	}
	from, to := w.instants()
	list, err := s.store.StatsBetween(ctx, w.filter, from, to, maxSinglePosts+1)
	if err != nil {
		return nil, err
	}
	if len(list) > maxSinglePosts {
		return nil, tooManySingle()
	}
	out := make([]counted, len(list))
	for i, p := range list {
		out[i] = counted{store.Totals(p, dayOf(p.PublishedAt, w.location)), p.PostID}
	}
	return out, nil
}

func (s *Analytics) singleGains(ctx context.Context, w window) ([]counted, error) {
	from, _ := w.instants()
	list, err := s.store.StatsReadSince(ctx, w.filter, from, maxSinglePosts+1)
	if err != nil {
		return nil, err
	}
	if len(list) > maxSinglePosts {
		return nil, tooManySingle()
	}
	ids := make([]crier.ID, len(list))
	for i, p := range list {
		ids[i] = p.PublicationID
	}
	readings, err := s.store.RawReadings(ctx, ids)
	if err != nil {
		return nil, err
	}
	day := func(t crier.Time) int64 { return dayOf(t, w.location) }
	var out []counted
	for _, p := range list {
		for _, d := range store.Gains(p, readings[p.PublicationID], day) {
			if w.holds(d.Day) {
				out = append(out, counted{d, p.PostID})
			}
		}
	}
	return out, nil
}

func tooManySingle() error {
	return crier.Invalid(crier.At(fmt.Sprintf("tags, and zones other than the team's, are counted post by post: the "+
		"window may have at most %d posts; ask for a shorter one", maxSinglePosts), "from"))
}
