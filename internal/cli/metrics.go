package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) metricsCommand() *cobra.Command {
	var account, from, until string
	cmd := &cobra.Command{
		Use: "metrics [POST]", Short: "Show the metrics of a post or an account",
		Long: "Shows the latest metrics of a post on each account that it was published on.\n" +
			"With --account it reads the current metrics of an account from the network, which may cost credits.",
		Example: "  crier metrics POST\n  crier metrics --account @acme --from 2026-11-01",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (account != "") {
				return misuse(cmd, usagef("name a post, or an account with --account"))
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if account != "" {
				return s.accountMetrics(cmd.Context(), c, team, account, from, until)
			}
			post, err := postID("post", args[0], "crier posts list")
			if err != nil {
				return usagef("%v; an account is named with --account %s", err, quoted(args[0]))
			}
			return s.postMetrics(cmd.Context(), c, team, post)
		},
	}
	cmd.Flags().StringVar(&account, "account", "", "handle, name or id of an account")
	cmd.Flags().StringVar(&from, "from", "", "first day of the period; default: 28 days ago")
	cmd.Flags().StringVar(&until, "until", "", "last day of the period; default: today")
	s.completes(cmd, "account", s.teamWords(s.accountWords))
	return completesFirst(cmd, s.teamWords(s.postWords))
}

// metricNames are the metrics of a post in the order of the table.
var metricNames = []string{"impressions", "reach", "views", "likes", "comments", "shares", "quotes", "saves", "clicks"}

func (s *Shell) postMetrics(ctx context.Context, c *client.Client, team, post crier.ID) error {
	list, err := c.PostMetrics(ctx, team, post)
	if err != nil {
		return err
	}
	accounts, err := accountsByID(ctx, c, team)
	if err != nil {
		return err
	}
	header := "NETWORK\tACCOUNT\tTAKEN\tIMPRESSIONS\tREACH\tVIEWS\tLIKES\tCOMMENTS\tSHARES\tQUOTES\tSAVES\tCLICKS"
	return s.Show(list, header, func(w io.Writer) {
		for _, p := range list.Data {
			cells := []any{networkName(p.Provider), accounts[p.SocialAccountID].DisplayName}
			taken, numbers := "no metrics yet", metricValues{}
			if len(p.Snapshots) > 0 {
				taken, numbers = local(p.Snapshots[0].TakenAt), metricValuesOf(p.Snapshots[0].Metrics.Raw())
			}
			cells = append(cells, taken) // and all others, or the columns of other lines would not stay in line
			for _, name := range metricNames {
				cells = append(cells, numbers.show(name))
			}
			Row(w, cells...)
		}
		if len(list.Data) == 0 {
			fmt.Fprintln(w, "The post was not published yet.")
		}
	})
}

func (s *Shell) accountMetrics(ctx context.Context, c *client.Client, team crier.ID, name, from, until string) error {
	id, err := s.findAccount(ctx, c, team, name)
	if err != nil {
		return err
	}
	a, err := c.GetAccount(ctx, team, id)
	if err != nil {
		return err
	}
	first, last, err := s.wholeDays(from, until)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, "This asks %s for the metrics of %s, which may cost credits ('crier credits' lists "+
		"prices).",
		networkName(a.Provider), accountLabel(a)); err != nil {
		return err
	}
	out, err := c.AccountAnalytics(ctx, team, id, first, last)
	if err != nil {
		return err
	}
	return s.Show(out, "", func(w io.Writer) {
		Row(w, "Account", accountLabel(a))
		Row(w, "From", local(out.From))
		Row(w, "Until", local(out.To))
		numbers := metricValuesOf(out.Metrics.Raw())
		for _, name := range []string{"followers", "following", "posts", "impressions", "reach", "engagements"} {
			Row(w, name, numbers.show(name))
		}
		Row(w, "Cost", counted(int(out.CreditCost), "credit"))
	})
}

// days parses the start and end of a period; nil where not given.
func (s *Shell) days(from, until string) (first, last *crier.Time, err error) {
	read := func(words string) (*crier.Time, error) {
		if words == "" {
			return nil, nil //nolint:nilnil // not given
		}
		t, err := parseDay(words, s.now().Local())
		return &t, err
	}
	if first, err = read(from); err != nil {
		return nil, nil, err
	}
	last, err = read(until)
	return first, last, err
}

// wholeDays parses the first and the last day of a period, which includes both; nil where not given, and for a last day
// that is not over: the period ends now.
func (s *Shell) wholeDays(from, until string) (first, last *crier.Time, err error) {
	if first, last, err = s.days(from, until); err != nil || last == nil {
		return first, last, err
	}
	end := last.Time
	if _, isDay := time.Parse(time.DateOnly, until); isDay == nil {
		end = end.Local().AddDate(0, 0, 1)
	}
	if !end.Before(s.now()) {
		return first, nil, nil
	}
	*last = crier.TimeOf(end)
	return first, last, nil
}

// metricValues are metrics by name; nil where the network does not report them.
type metricValues map[string]*float64

func metricValuesOf(data json.RawMessage) metricValues {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(data, &all) // metrics that cannot be decoded are not shown
	out := metricValues{}
	for name, value := range all {
		var n *float64
		if json.Unmarshal(value, &n) == nil {
			out[name] = n
		}
	}
	return out
}

func (n metricValues) show(name string) string {
	if n[name] == nil {
		return "–"
	}
	return strconv.FormatFloat(*n[name], 'f', -1, 64)
}
