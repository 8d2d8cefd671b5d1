package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// completionTime is how long a completion may take at most.
const completionTime = 3 * time.Second

// words returns completions. Errors cannot be shown and complete nothing.
type words func(ctx context.Context) ([]cobra.Completion, error)

// completion returns a completion function with values from the server.
func completion(list words) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		found, err := list(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completes completes the values of a flag with values from the server.
func (s *Shell) completes(cmd *cobra.Command, flag string, list words) {
	if err := cmd.RegisterFlagCompletionFunc(flag, completion(list)); err != nil {
		panic(err) // only by a programming error
	}
}

// completesFirst completes the first argument of a command with values from the server.
func completesFirst(cmd *cobra.Command, list words) *cobra.Command {
	complete := completion(list)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string,
		prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, prefix)
	}
	return cmd
}

// word returns a completion with a description.
func word(text, about string) cobra.Completion {
	return cobra.CompletionWithDesc(text, shorten(printable(about), 60))
}

// teamWords returns completions with values of the team.
func (s *Shell) teamWords(list func(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion,
	error)) words {
	return func(ctx context.Context) ([]cobra.Completion, error) {
		c, team, err := s.inTeam(ctx)
		if err != nil {
			return nil, err
		}
		return list(ctx, c, team)
	}
}

// orgWords returns completions with values of the organization.
func (s *Shell) orgWords(list func(ctx context.Context, c *client.Client, org crier.ID) ([]cobra.Completion,
	error)) words {
	return func(ctx context.Context) ([]cobra.Completion, error) {
		c, org, err := s.inOrganization(ctx)
		if err != nil {
			return nil, err
		}
		return list(ctx, c, org)
	}
}

// firstPage is enough for completions.
var firstPage = client.ListOptions{Limit: crier.MaxPageSize}

// completed converts a list into completions.
func completed[T any](list []T, err error, of func(T) cobra.Completion) ([]cobra.Completion, error) {
	out := make([]cobra.Completion, len(list))
	for i, entry := range list {
		out[i] = of(entry)
	}
	return out, err
}

func (s *Shell) teamNames(ctx context.Context) ([]cobra.Completion, error) {
	c, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	page, err := c.ListTeams(ctx, "", firstPage)
	return completed(page.Data, err, func(t crier.Team) cobra.Completion { return word(t.Name, string(t.ID)) })
}

func (s *Shell) organizationNames(ctx context.Context) ([]cobra.Completion, error) {
	c, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	page, err := c.ListOrganizations(ctx, firstPage)
	return completed(page.Data, err, func(o crier.Organization) cobra.Completion { return word(o.Name, string(o.ID)) })
}

// accountWords returns the accounts of a team by handle or name.
func (s *Shell) accountWords(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion, error) {
	list, err := c.ListAccounts(ctx, team)
	return completed(list.Data, err, func(a crier.SocialAccount) cobra.Completion {
		return word(cmp.Or(text(a.ProfileHandle), a.DisplayName), accountLabel(a)+", "+string(a.Status))
	})
}

// targetWords completes networks and accounts.
func (s *Shell) targetWords(ctx context.Context) ([]cobra.Completion, error) {
	networks, _ := completed(crier.Providers(), nil, func(p crier.Provider) cobra.Completion {
		return word(string(p), "every connected account on "+networkName(p))
	})
	networks = append(networks, word("twitter", "every connected account on "+networkName(crier.ProviderX)))
	accounts, err := s.teamWords(s.accountWords)(ctx)
	if err != nil {
		return networks, nil //nolint:nilerr // the networks are known without a server
	}
	return append(networks, accounts...), nil
}

func (s *Shell) postWords(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListPosts(ctx, team, client.PostFilter{ListOptions: client.ListOptions{Limit: 50}})
	return completed(page.Data, err, func(p crier.Post) cobra.Completion {
		return word(string(p.ID), string(p.DeliveryState)+": "+cmp.Or(text(p.Title), p.Text))
	})
}

func (s *Shell) scheduledWords(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListScheduledPosts(ctx, team, client.ScheduledPostFilter{ListOptions: client.ListOptions{Limit: 50}})
	return completed(page.Data, err, func(p crier.ScheduledPost) cobra.Completion {
		return word(string(p.ID), string(p.Status)+" "+local(p.ScheduledAt))
	})
}

func (s *Shell) tagWords(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListTags(ctx, team, firstPage)
	return completed(page.Data, err, func(t crier.Tag) cobra.Completion {
		return word(t.Name, counted(int(t.PostCount), "post"))
	})
}

func (s *Shell) assetWords(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListAssets(ctx, team, firstPage)
	return completed(page.Data, err, func(a crier.Asset) cobra.Completion { return word(string(a.ID), a.FileName) })
}

func (s *Shell) slotWords(ctx context.Context, c *client.Client, team crier.ID) ([]cobra.Completion, error) {
	grid, err := c.ListSlots(ctx, team)
	return completed(grid.Slots, err, func(sl crier.SlotSummary) cobra.Completion {
		return word(clock(sl.Hour, sl.Minute), dayList(sl.DaysOfWeek))
	})
}

func (s *Shell) memberWords(ctx context.Context, c *client.Client, org crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListMembers(ctx, org, firstPage)
	return completed(page.Data, err, func(m crier.Member) cobra.Completion {
		return word(cmp.Or(text(m.Email), string(m.ID)), m.Name+", "+string(m.Role))
	})
}

func (s *Shell) invitationWords(ctx context.Context, c *client.Client, org crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListInvitations(ctx, org, firstPage)
	return completed(page.Data, err, func(i crier.Invitation) cobra.Completion {
		return word(string(i.Email), string(i.Role))
	})
}

func (s *Shell) keyWords(ctx context.Context, c *client.Client, org crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListKeys(ctx, org, firstPage)
	return completed(page.Data, err, func(k crier.APIKey) cobra.Completion {
		return word(k.Name, string(k.Role)+" …"+k.LastFour)
	})
}

func (s *Shell) webhookWords(ctx context.Context, c *client.Client, org crier.ID) ([]cobra.Completion, error) {
	page, err := c.ListWebhooks(ctx, org, firstPage)
	return completed(page.Data, err, func(w crier.Webhook) cobra.Completion { return word(string(w.ID), w.URL) })
}
