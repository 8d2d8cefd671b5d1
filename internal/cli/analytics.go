package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// analyticsFlags are the flags that all analytics commands share.
type analyticsFlags struct {
	client.AnalyticsQuery
	from, until, basis, account string
	networks                    []string
	csv                         bool
	// table prints the answer as CSV for commands with more than the shared flags.
	table func(context.Context, *client.Client, crier.ID, client.AnalyticsQuery) error
}

func (f *analyticsFlags) add(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&f.from, "from", "", "first day, such as 2026-11-01; default: 30 days ago")
	cmd.Flags().StringVar(&f.until, "until", "", "last day; default: today")
	cmd.Flags().StringVar(&f.Timezone, "timezone", "", "time zone of the days; default: the team's")
	cmd.Flags().StringSliceVar(&f.networks, "network", nil, "only these networks")
	cmd.Flags().StringVar(&f.account, "account", "", "only this account: handle, name or id")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "print CSV")
	cmd.Args = cobra.NoArgs
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if f.csv && cmd.Flag("json").Value.String() == "true" {
			return usagef("give --csv or --json, not both")
		}
		return nil
	}
	return cmd
}

func (s *Shell) analyticsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "analytics", Short: "Show analytics: totals, ranking, best times, punctuality",
		Long: "Uses the metrics that crier has read. A metric that a network does not report is a dash, never " +
			"0.",
		Example: "  crier analytics summary --compare\n  crier analytics posts --sort engagements",
	}
	cmd.AddCommand(s.analyticsSummary(), s.analyticsSeries(), s.analyticsPosts(), s.analyticsBestTimes(),
		s.analyticsDelivery())
	return cmd
}

// queryAnalytics parses the flags and runs the query; with --csv it prints the server's table instead.
func (s *Shell) queryAnalytics(cmd *cobra.Command, f *analyticsFlags, resource string, o client.ListOptions,
	show func(context.Context, *client.Client, crier.ID, client.AnalyticsQuery) error) error {
	ctx := cmd.Context()
	c, team, err := s.inTeam(ctx)
	if err != nil {
		return err
	}
	q := f.AnalyticsQuery
	q.From, q.To, q.Basis = crier.Date(f.from), crier.Date(f.until), crier.AnalyticsBasis(f.basis)
	for _, name := range f.networks {
		q.Providers = append(q.Providers, network(name))
	}
	if f.account != "" {
		a, err := s.findAccount(ctx, c, team, f.account)
		if err != nil {
			return err
		}
		q.SocialAccountIDs = []crier.ID{a}
	}
	if f.csv && f.table != nil {
		return f.table(ctx, c, team, q)
	}
	if f.csv {
		return c.AnalyticsTable(ctx, team, resource, q, o, s.stdout)
	}
	return show(ctx, c, team, q)
}

func (s *Shell) analyticsSummary() *cobra.Command {
	var f analyticsFlags
	var compare bool
	cmd := f.add(&cobra.Command{
		Use: "summary", Short: "Show the totals of posts and accounts",
		Example: "  crier analytics summary --compare\n  crier analytics summary --network linkedin --csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.queryAnalytics(cmd, &f, "summary", client.ListOptions{}, func(ctx context.Context,
				c *client.Client, team crier.ID, q client.AnalyticsQuery) error {
				summary, err := c.AnalyticsSummary(ctx, team, q, compare)
				if err != nil {
					return err
				}
				return s.Show(summary, "METRIC\tVALUE\tBEFORE\tTOLD\tNOT TOLD", func(w io.Writer) {
					writeTotals(w, summary.AnalyticsTotals, summary.Previous)
				})
			})
		},
	})
	cmd.Flags().BoolVar(&compare, "compare", false, "also show the preceding period of the same length")
	cmd.Flags().StringVar(&f.basis, "basis", "",
		"published: current values of the posts of the period; gained: increases within it")
	return cmd
}

func writeTotals(w io.Writer, t crier.AnalyticsTotals, previous *crier.AnalyticsPrevious) {
	var before crier.AnalyticsTotals
	if previous != nil {
		before = previous.AnalyticsTotals
	}
	earlier := func(text string) string {
		if previous == nil {
			return ""
		}
		return text
	}
	Row(w, "posts", t.Posts, earlier(strconv.FormatInt(before.Posts, 10)), "", "")
	m, b := t.Metrics, before.Metrics
	for _, line := range []struct {
		name     string
		now, was crier.AnalyticsSum
	}{
		{"views", m.Views, b.Views}, {"engagements", m.Engagements, b.Engagements}, {"likes", m.Likes, b.Likes},
		{"comments", m.Comments, b.Comments}, {"shares", m.Shares, b.Shares}, {"quotes", m.Quotes, b.Quotes},
		{"saves", m.Saves, b.Saves}, {"clicks", m.Clicks, b.Clicks},
	} {
		Row(w, line.name, numberOrDash(line.now.Value), earlier(numberOrDash(line.was.Value)),
			line.now.Told, line.now.NotTold)
	}
	Row(w, "engagement rate", percent(t.EngagementRate.Value), earlier(percent(before.EngagementRate.Value)),
		t.EngagementRate.Told, t.EngagementRate.NotTold)
	Row(w, "followers", numberOrDash(t.Followers.Value), earlier(numberOrDash(before.Followers.Value)),
		t.Followers.Told, t.Followers.NotTold)
}

// numberOrDash returns a number, or a dash for a missing one.
func numberOrDash(n *int64) string {
	if n == nil {
		return "–"
	}
	return strconv.FormatInt(*n, 10)
}

func percent(rate *float64) string {
	if rate == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100**rate)
}

func (s *Shell) analyticsSeries() *cobra.Command {
	var f analyticsFlags
	var o client.SeriesOptions
	cmd := f.add(&cobra.Command{
		Use: "series", Short: "Show a metric over time",
		Example: "  crier analytics series --metric followers --interval week\n" +
			"  crier analytics series --metric views --by provider --csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.table = func(ctx context.Context, c *client.Client, team crier.ID, q client.AnalyticsQuery) error {
				return c.AnalyticsSeriesTable(ctx, team, q, o, s.stdout)
			}
			return s.queryAnalytics(cmd, &f, "series", client.ListOptions{}, func(ctx context.Context, c *client.Client,
				team crier.ID, q client.AnalyticsQuery) error {
				series, err := c.AnalyticsSeries(ctx, team, q, o)
				if err != nil {
					return err
				}
				return s.Show(series, "FROM\tGROUP\t"+strings.ToUpper(series.Metric)+"\tTOLD\tNOT TOLD",
					func(w io.Writer) { writeSeries(w, series) })
			})
		},
	})
	cmd.Flags().StringVar(&o.Metric, "metric", "", "views (when absent), likes, comments, shares, quotes, saves, "+
		"clicks, engagements, engagementRate, followers or posts")
	cmd.Flags().StringVar(&o.Interval, "interval", "", "day (default), week or month")
	cmd.Flags().StringVar(&o.GroupBy, "by", "", "one line per provider, socialAccount, postType or tag")
	cmd.Flags().StringVar(&f.basis, "basis", "",
		"published: current values of the posts of the period; gained: increases within it")
	return cmd
}

func writeSeries(w io.Writer, series crier.AnalyticsSeries) {
	for _, g := range series.Groups {
		for i, bucket := range series.Buckets {
			value := "–"
			if v := g.Values[i]; v != nil {
				value = strconv.FormatFloat(*v, 'f', -1, 64)
			}
			Row(w, bucket, g.Label, value, g.Told[i], g.NotTold[i])
		}
	}
}

func (s *Shell) analyticsPosts() *cobra.Command {
	var f analyticsFlags
	var o client.ListOptions
	cmd := f.add(&cobra.Command{
		Use: "posts", Short: "Show the top posts",
		Example: "  crier analytics posts --sort engagementRate --limit 10",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.queryAnalytics(cmd, &f, "posts", o, func(ctx context.Context, c *client.Client, team crier.ID,
				q client.AnalyticsQuery) error {
				page, err := c.AnalyticsPosts(ctx, team, q, o)
				if err != nil {
					return err
				}
				return s.Show(page, "POST\tNETWORK\tPUBLISHED\tVIEWS\tENGAGEMENTS\tRATE\tTEXT", func(w io.Writer) {
					for _, p := range page.Data {
						Row(w, p.PostID, networkName(p.Provider), local(p.PublishedAt), numberOrDash(p.Metrics.Views),
							numberOrDash(p.Metrics.Engagements), percent(p.EngagementRate), shorten(p.Text, 40))
					}
				})
			})
		},
	})
	cmd.Flags().StringVar(&o.SortBy, "sort", "", "views, engagements, engagementRate, reach, likes, comments, "+
		"shares, quotes, saves, clicks or publishedAt")
	cmd.Flags().IntVar(&o.Limit, "limit", 10, "how many, at most 100; --csv prints all")
	return cmd
}

var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

func (s *Shell) analyticsBestTimes() *cobra.Command {
	var f analyticsFlags
	return f.add(&cobra.Command{
		Use: "best-times", Short: "Show the best times of the week to post",
		Example: "  crier analytics best-times\n  crier analytics best-times --account @acme",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.queryAnalytics(cmd, &f, "best-times", client.ListOptions{}, func(ctx context.Context,
				c *client.Client, team crier.ID, q client.AnalyticsQuery) error {
				best, err := c.BestTimes(ctx, team, q)
				if err != nil {
					return err
				}
				if !best.Known && !s.asJSON {
					fmt.Fprintf(s.stdout, "Not known. %s\n", best.Reason)
					return nil
				}
				return s.Show(best, "DAY\tHOUR\tAGAINST USUAL\tPOSTS", func(w io.Writer) {
					for _, b := range best.Best {
						Row(w, weekdays[b.Weekday-1], fmt.Sprintf("%02d:00", b.Hour), fmt.Sprintf("× %.2f", *b.Score),
							b.Posts)
					}
				})
			})
		},
	})
}

func (s *Shell) analyticsDelivery() *cobra.Command {
	var f analyticsFlags
	return f.add(&cobra.Command{
		Use: "delivery", Short: "Show delivery results and lateness",
		Example: "  crier analytics delivery --from 2026-11-01",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.queryAnalytics(cmd, &f, "delivery", client.ListOptions{}, func(ctx context.Context,
				c *client.Client, team crier.ID, q client.AnalyticsQuery) error {
				d, err := c.AnalyticsDelivery(ctx, team, q)
				if err != nil {
					return err
				}
				return s.Show(d, "NETWORK\tPUBLISHED\tFAILED\tMISSED\tUNKNOWN\tOPEN\tP50\tP95\tP99", func(w io.Writer) {
					for _, p := range d.ByProvider {
						writeDelivery(w, networkName(p.Provider), p.DeliveryCounts)
					}
					writeDelivery(w, "all", d.DeliveryCounts)
				})
			})
		},
	})
}

func writeDelivery(w io.Writer, name string, d crier.DeliveryCounts) {
	p50, p95, p99 := "–", "–", "–"
	if l := d.Lateness; l != nil {
		p50, p95, p99 = fmt.Sprint(l.P50Ms, " ms"), fmt.Sprint(l.P95Ms, " ms"), fmt.Sprint(l.P99Ms, " ms")
	}
	Row(w, name, d.Published, d.Failed, d.Missed, d.Unknown, d.Open, p50, p95, p99)
}
