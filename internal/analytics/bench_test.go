package analytics_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access/accesstest"
	"crier/internal/analytics"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// count counts n publications of 90 days that exist nowhere else.
func (b *bench) count(tb testing.TB, n int) []store.PublicationStats {
	tb.Helper()
	var list []store.PublicationStats
	for len(list) < n {
		batch := make([]store.PublicationStats, min(1000, n-len(list)))
		for i := range batch {
			a := b.accounts[b.random.IntN(len(b.accounts))]
			at := b.After(-time.Duration(b.random.IntN(89*24*3600)) * time.Second)
			batch[i] = store.PublicationStats{PublicationID: crier.NewID(), TeamID: b.Team.ID, SocialAccountID: a.ID,
				PostID: crier.NewID(), Provider: a.Provider, PostType: crier.TextPost, DueAt: at, PublishedAt: at,
				PublishedDay: b.day(at)}
		}
		b.Tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.CountPublications(ctx, batch)
			return err
		})
		list = append(list, batch...)
	}
	return list
}

// BenchmarkNinetyDays queries the summary and a series of 90 days, of a thousand and of a million publications.
func BenchmarkNinetyDays(b *testing.B) {
	for _, size := range []int{1_000, 1_000_000} {
		for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
			b.Run(fmt.Sprintf("%s/%d", dialect, size), func(b *testing.B) {
				w := newBench(b, storetest.NewFixture(b, databases.Fresh(b, dialect).Open(b)))
				w.count(b, size)
				scope := accesstest.Owner(b, w.Fixture).Team(crier.ReadAnalytics)
				q := analytics.Query{From: crier.Date(w.Now.AddDate(0, 0, -89).Format(time.DateOnly)),
					To: crier.Date(w.Now.Format(time.DateOnly))}
				b.ResetTimer()
				for b.Loop() {
					if _, err := w.analytics.Summary(b.Context(), scope, q, true); err != nil {
						b.Fatal(err)
					}
					if _, err := w.analytics.Series(b.Context(), scope, analytics.SeriesQuery{Query: q, Metric: "views",
						Interval: "day", GroupBy: "provider"}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkReadings stores readings with eight writers.
func BenchmarkReadings(b *testing.B) {
	w := newBench(b, storetest.NewFixture(b, databases.Fresh(b, store.Postgres).Open(b)))
	for range 47 {
		w.accounts = append(w.accounts, w.NewAccount(crier.ProviderThreads))
	}
	const posts, writers = 2000, 8
	list := make([]store.PublicationStats, posts)
	for i := range list {
		list[i] = w.published(w.NewPost("Hello"), w.Now.Add(-time.Hour))
	}
	w.Tx(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.CountPublications(ctx, list)
		return err
	})
	b.ResetTimer()
	var running sync.WaitGroup
	next := make(chan int)
	for range writers {
		running.Go(func() {
			for i := range next {
				p, at, n := list[i%posts], w.After(time.Duration(i)*time.Second), int64(i)
				if err := w.WithTx(b.Context(), func(tx *store.Tx) error {
					_, err := tx.AddReading(b.Context(), store.Reading{
						PublicationID: p.PublicationID, At: at, Day: w.day(at),
						Numbers: store.Numbers{Views: &n, Likes: &n}, Raw: []byte(`{"views":1,"likes":1}`)})
					return err
				}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range b.N {
		next <- i
	}
	close(next)
	running.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "readings/s")
}
