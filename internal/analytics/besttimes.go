package analytics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

const (
	// bestTimesDays is the default window of best times: every hour of the week occurs once a week.
	bestTimesDays = 90
	// minimumPosts is the minimum number of posts of an hour, and of an account, for a result.
	minimumPosts = 5
	// maxCompared is the maximum number of compared posts, the newest.
	maxCompared = 20_000
	// settled is the minimum age of a post at its reading: the metrics of younger ones are incomplete.
	settled = 23 * time.Hour
	// chance is the accepted probability that any hour stands out although none is better.
	chance       = 0.01
	hoursPerWeek = 7 * 24
)

// BestTimes returns the hours of the week in which posts performed better than usual.
func (s *Analytics) BestTimes(ctx context.Context, scope access.TeamScope, q Query) (crier.BestTimes, error) {
	var out crier.BestTimes
	w, err := s.window(scope, q, bestTimesDays)
	if err != nil {
		return out, err
	}
	from, to := w.instants()
	list, err := s.store.StatsBetween(ctx, w.filter, from, to, maxCompared)
	if err != nil {
		return out, err
	}
	out = bestTimes(list, w.location)
	out.AnalyticsWindow = w.shown()
	return out, nil
}

// compared is a post relative to the others of its account.
type compared struct {
	cell  int
	ratio float64
	rank  float64
}

// bestTimes compares posts. Each is measured against the median of its own account, so that large accounts do not
// dominate small ones; an hour is the median of its posts. An hour stands out if the ranks of its posts are higher than
// chance explains, given the number of hours compared.
func bestTimes(list []store.PublicationStats, location *time.Location) crier.BestTimes {
	posts := comparePosts(list, location)
	cells := make([][]compared, hoursPerWeek)
	for _, p := range posts {
		cells[p.cell] = append(cells[p.cell], p)
	}
	out := crier.BestTimes{Posts: int64(len(posts)), MinimumPosts: minimumPosts, Best: []crier.BestTime{},
		Cells: make([]crier.BestTime, hoursPerWeek)}
	eligible := 0
	for i, cell := range cells {
		out.Cells[i] = crier.BestTime{Weekday: 1 + i/24, Hour: i % 24, Posts: int64(len(cell))}
		if len(cell) >= minimumPosts {
			eligible++
			score := medianOf(cell, func(p compared) float64 { return p.ratio })
			out.Cells[i].Score = &score
		}
	}
	for i, cell := range cells {
		if len(cell) >= minimumPosts && *out.Cells[i].Score > 1 && standsOut(cell, len(posts), eligible) {
			out.Best = append(out.Best, out.Cells[i])
		}
	}
	slices.SortStableFunc(out.Best, func(a, b crier.BestTime) int { return cmp.Compare(*b.Score, *a.Score) })
	out.Known = len(out.Best) > 0
	out.Reason = reason(out, eligible)
	return out
}

func reason(b crier.BestTimes, eligible int) string {
	switch {
	case b.Known:
		return ""
	case b.Posts < 2*minimumPosts:
		return fmt.Sprintf("Too few posts: %d could be compared.", b.Posts)
	case eligible < 2:
		return fmt.Sprintf("Fewer than two hours of the week have %d posts or more.", minimumPosts)
	}
	return "No hour stands out: the differences are not statistically significant."
}

// comparePosts returns the posts that can be compared, with their ranks among all.
func comparePosts(list []store.PublicationStats, location *time.Location) []compared {
	byAccount := map[crier.ID][]store.PublicationStats{}
	for _, p := range list {
		if p.Numbers.Engagements() != nil && p.ReadAt != nil && p.ReadAt.Sub(p.PublishedAt.Time) >= settled {
			byAccount[p.SocialAccountID] = append(byAccount[p.SocialAccountID], p)
		}
	}
	var out []compared
	for _, posts := range byAccount {
		usual := medianOf(posts, engagementsOf)
		if len(posts) < minimumPosts || usual <= 0 {
			continue
		}
		for _, p := range posts {
			at := p.PublishedAt.In(location)
			out = append(out, compared{cell: (int(at.Weekday())+6)%7*24 + at.Hour(), ratio: engagementsOf(p) / usual})
		}
	}
	rankPosts(out)
	return out
}

func engagementsOf(p store.PublicationStats) float64 { return float64(*p.Numbers.Engagements()) }

// rankPosts ranks posts from the least to the most engagement; equal ones share the mean of their ranks.
func rankPosts(posts []compared) {
	slices.SortFunc(posts, func(a, b compared) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.cell, b.cell))
	})
	for i := 0; i < len(posts); {
		j := i
		for j < len(posts) && posts[j].ratio == posts[i].ratio {
			j++
		}
		for k := i; k < j; k++ {
			posts[k].rank = float64(i+j+1) / 2
		}
		i = j
	}
}

// standsOut reports whether the mean rank of a cell's posts is too high to be explained by chance in any of the
// compared cells: the rank-sum test, corrected for the number of cells.
func standsOut(cell []compared, all, cells int) bool {
	n, total := float64(len(cell)), float64(all)
	if cells < 2 || n >= total {
		return false
	}
	var sum float64
	for _, p := range cell {
		sum += p.rank
	}
	deviation := math.Sqrt((total + 1) * (total - n) / (12 * n))
	z := (sum/n - (total+1)/2) / deviation
	return math.Erfc(z/math.Sqrt2)/2 < chance/float64(cells)
}

func medianOf[T any](list []T, value func(T) float64) float64 {
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = value(v)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
