package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) webhooksCommand() *cobra.Command {
	return Group("webhooks", "URLs that receive events",
		"  crier webhooks list\n  crier webhooks create https://example.com/hook --types scheduled_post.failed",
		s.webhooksList(), s.webhooksCreate(), s.webhooksEdit(), s.webhooksSwitch("enable", crier.WebhookEnabledStatus),
		s.webhooksSwitch("disable", crier.WebhookDisabledStatus), s.webhooksTest(), s.webhooksDeliveries(),
		s.webhooksRedeliver(), s.webhooksReplay(), s.webhooksRotate(), s.webhooksDelete())
}

func (s *Shell) webhooksList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{Use: "list", Short: "List the webhooks", Example: "  crier webhooks list", Args: cobra.NoArgs}
	cmd.RunE = s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Webhook], error) {
			return c.ListWebhooks(ctx, org, o)
		})
		if err != nil {
			return err
		}
		return s.Show(page, "ID\tADDRESS\tSTATUS\tTYPES\tTROUBLE", func(w io.Writer) {
			for _, h := range page.Data {
				trouble := text(h.DisabledReason)
				if h.FailingSince != nil {
					trouble = "failing since " + local(*h.FailingSince) + " " + trouble
				}
				Row(w, h.ID, h.URL, h.Status, strings.Join(h.Types, " "), cmp.Or(trouble, "–"))
			}
			more(w, cmd, page, "webhook")
		})
	})
	p.add(cmd)
	return cmd
}

func (s *Shell) webhooksCreate() *cobra.Command {
	var types, teams []string
	var description string
	cmd := &cobra.Command{
		Use: "create ADDRESS", Short: "Create a webhook; its secret is shown once",
		Args: cobra.ExactArgs(1),
		Example: "  crier webhooks create https://example.com/hook --types " +
			"scheduled_post.published,scheduled_post.failed",
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			in := crier.WebhookCreate{URL: args[0], Types: types}
			var err error
			if in.TeamIDs, err = s.findTeams(ctx, c, teams); err != nil {
				return err
			}
			if description != "" {
				in.Description = &description
			}
			hook, err := c.CreateWebhook(ctx, org, in)
			if err != nil {
				return err
			}
			return s.showHookSecret(hook)
		}),
	}
	cmd.Flags().StringSliceVar(&types, "types", []string{crier.AllEvents}, "types of events; * means all")
	cmd.Flags().StringSliceVar(&teams, "teams", nil, "only events of these teams, by name or id; default: all")
	cmd.Flags().StringVar(&description, "description", "", "description of the webhook")
	filled(cmd.Flags(), "types", "teams")
	completes(cmd, "types", crier.EventTypes())
	s.completes(cmd, "teams", s.teamNames)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func (s *Shell) showHookSecret(hook crier.WebhookWithSecret) error {
	return s.Show(hook, "", func(w io.Writer) {
		fmt.Fprintf(w, "Webhook %s to %s. Its secret is shown once:\n%s\n", hook.ID, hook.URL, hook.Secret)
	})
}

// onWebhook returns a command for one webhook.
func (s *Shell) onWebhook(use, short, example string,
	fn func(ctx context.Context, c *client.Client, org, id crier.ID, args []string) error) *cobra.Command {
	words := strings.Count(use, " ")
	cmd := &cobra.Command{
		Use: strings.Replace(use+" ", " ", " WEBHOOK ", 1), Short: short, Args: cobra.ExactArgs(1 + words),
		Example: example,
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			id, err := s.findWebhook(ctx, c, org, args[0])
			if err != nil {
				return err
			}
			return fn(ctx, c, org, id, args[1:])
		}),
	}
	cmd.Use = strings.TrimSpace(cmd.Use)
	return completesFirst(cmd, s.orgWords(s.webhookWords))
}

func (s *Shell) webhooksEdit() *cobra.Command {
	var address, description string
	var types, teams []string
	var cmd *cobra.Command
	cmd = s.onWebhook("edit", "Change the URL, types or teams of a webhook",
		"  crier webhooks edit https://example.com/hook --types scheduled_post.failed --url https://example.com/new",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			var in crier.WebhookUpdate
			given := cmd.Flags().Changed
			if given("url") {
				in.URL = crier.Some(address)
			}
			if given("types") {
				in.Types = crier.Some(types)
			}
			if given("description") {
				in.Description = crier.Some(description)
			}
			if given("teams") {
				found, err := s.findTeams(ctx, c, teams)
				if err != nil {
					return err
				}
				if in.TeamIDs = crier.Some(found); len(found) == 0 {
					in.TeamIDs = crier.Null[[]crier.ID]()
				}
			}
			hook, err := c.UpdateWebhook(ctx, org, id, in)
			if err != nil {
				return err
			}
			return s.Show(hook, "", func(w io.Writer) {
				fmt.Fprintf(w, "%s receives %s.\n", hook.URL, strings.Join(hook.Types, ", "))
			})
		})
	cmd.Flags().StringVar(&address, "url", "", "the new URL")
	cmd.Flags().StringSliceVar(&types, "types", nil, "types of events; * means all")
	cmd.Flags().StringSliceVar(&teams, "teams", nil, "only events of these teams, by name or id; empty: all")
	cmd.Flags().StringVar(&description, "description", "", "description of the webhook")
	cmd.MarkFlagsOneRequired("url", "types", "teams", "description")
	completes(cmd, "types", crier.EventTypes())
	s.completes(cmd, "teams", s.teamNames)
	return cmd
}

func (s *Shell) webhooksSwitch(verb string, status crier.WebhookStatus) *cobra.Command {
	short := map[string]string{"enable": "Send events to a webhook again",
		"disable": "Send no events to a webhook"}[verb]
	return s.onWebhook(verb, short, "  crier webhooks "+verb+" https://example.com/hook",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			hook, err := c.UpdateWebhook(ctx, org, id, crier.WebhookUpdate{Status: crier.Some(status)})
			if err != nil {
				return err
			}
			return s.Show(hook, "", func(w io.Writer) { fmt.Fprintf(w, "%s is %s.\n", hook.URL, hook.Status) })
		})
}

func (s *Shell) webhooksTest() *cobra.Command {
	return s.onWebhook("test", "Send a test event", "  crier webhooks test https://example.com/hook",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			tested, err := c.TestWebhook(ctx, org, id)
			if err != nil {
				return err
			}
			return s.Show(tested, "", func(w io.Writer) {
				fmt.Fprintf(w, "The event %s was queued; 'crier webhooks deliveries %s' shows the response.\n",
					tested.EventID, id)
			})
		})
}

func (s *Shell) webhooksDeliveries() *cobra.Command {
	var p paging
	var cmd *cobra.Command
	cmd = s.onWebhook("deliveries", "List deliveries with their responses and next attempts",
		"  crier webhooks deliveries https://example.com/hook",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			page, err := fetch(ctx, p,
				func(ctx context.Context, o client.ListOptions) (crier.Page[crier.WebhookDelivery], error) {
					return c.ListDeliveries(ctx, org, id, client.DeliveryOptions{ListOptions: o})
				})
			if err != nil {
				return err
			}
			return s.Show(page, "ID\tEVENT\tSTATUS\tTRIES\tANSWER\tNEXT TRY\tERROR", func(w io.Writer) {
				for _, d := range page.Data {
					last := crier.WebhookAttempt{}
					if len(d.Attempts) > 0 {
						last = d.Attempts[0]
					}
					Row(w, d.ID, d.EventType, d.Status, d.Tries, last.Status, localOrDash(d.NextAttemptAt),
						last.Error)
				}
				more(w, cmd, page, "delivery")
			})
		})
	p.add(cmd)
	return cmd
}

func (s *Shell) webhooksRedeliver() *cobra.Command {
	return s.onWebhook("redeliver DELIVERY", "Send one event again", "  crier webhooks redeliver WEBHOOK DELIVERY",
		func(ctx context.Context, c *client.Client, org, id crier.ID, args []string) error {
			delivery, err := postID("delivery", args[0], "crier webhooks deliveries WEBHOOK")
			if err != nil {
				return err
			}
			d, err := c.Redeliver(ctx, org, id, delivery)
			if err != nil {
				return err
			}
			return s.Show(d, "", func(w io.Writer) { fmt.Fprintf(w, "The delivery is %s.\n", d.Status) })
		})
}

func (s *Shell) webhooksReplay() *cobra.Command {
	var from, until string
	cmd := s.onWebhook("replay", "Send the events of a period again",
		"  crier webhooks replay https://example.com/hook --from \"2026-11-15 09:00\"",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			first, last, err := s.days(from, until)
			if err != nil {
				return err
			}
			if last == nil {
				now := crier.TimeOf(s.now())
				last = &now
			}
			out, err := c.ReplayWebhook(ctx, org, id, crier.WebhookReplay{From: *first, To: *last})
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) {
				fmt.Fprintf(w, "%s will be sent again.\n", counted(int(out.Events), "event"))
			})
		})
	cmd.Flags().StringVar(&from, "from", "", "start of the period: a day, or a time such as \"2026-11-15 09:00\"")
	cmd.Flags().StringVar(&until, "until", "", "end of the period, exclusive; default: now")
	Require(cmd, "from")
	return cmd
}

func (s *Shell) webhooksRotate() *cobra.Command {
	var grace time.Duration
	cmd := s.onWebhook("rotate", "Give a webhook a new secret, which is shown once",
		"  crier webhooks rotate https://example.com/hook --grace 24h",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			if err := checkGrace(grace); err != nil {
				return err
			}
			if grace == 0 {
				if err := s.confirm(ctx, "This revokes the current secret at once; with --grace 1h both sign "+
					"for an hour."); err != nil {
					return err
				}
			}
			hook, err := c.RotateWebhook(ctx, org, id, crier.WebhookRotate{GraceSeconds: int(grace / time.Second)})
			if err != nil {
				return err
			}
			return s.showHookSecret(hook)
		})
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the current secret also signs, up to 24h")
	return cmd
}

func (s *Shell) webhooksDelete() *cobra.Command {
	return s.onWebhook("delete", "Delete a webhook", "  crier webhooks delete https://example.com/hook",
		func(ctx context.Context, c *client.Client, org, id crier.ID, _ []string) error {
			if err := s.confirm(ctx, "This deletes the webhook %s and its deliveries.", id); err != nil {
				return err
			}
			deleted, err := c.DeleteWebhook(ctx, org, id)
			if err != nil {
				return err
			}
			return s.Show(deleted, "", func(w io.Writer) { fmt.Fprintln(w, "Deleted.") })
		})
}
