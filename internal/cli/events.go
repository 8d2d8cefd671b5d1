package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
	"crier/internal/notify"
)

// eventFlags are the filters of the commands that read events.
type eventFlags struct {
	types []string
	after string
}

func (f *eventFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.types, "types", nil, "only these types of events, such as scheduled_post.published")
	cmd.Flags().StringVar(&f.after, "after", "", "start after this event or cursor")
	completes(cmd, "types", crier.EventTypes())
}

func (f *eventFlags) options() client.EventOptions {
	o := client.EventOptions{After: f.after}
	for _, t := range f.types {
		o.Types = append(o.Types, crier.EventType(t))
	}
	return o
}

func (s *Shell) eventsCommand() *cobra.Command {
	var flags eventFlags
	var follow bool
	cmd := &cobra.Command{
		Use: "events", Short: "List or follow events", Args: cobra.NoArgs,
		Long: "Lists the events of the organization, oldest first. With --follow it shows events as they happen, " +
			"and reconnects without missing any.",
		Example: "  crier events --types scheduled_post.failed\n  crier events --follow --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if follow {
				return s.followEvents(cmd.Context(), c, org, flags.options(), s.printEvent)
			}
			return s.listEvents(cmd.Context(), c, org, flags.options())
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&follow, "follow", false, "show events as they happen")
	return cmd
}

func (s *Shell) listEvents(ctx context.Context, c *client.Client, org crier.ID, o client.EventOptions) error {
	o.Limit = crier.MaxPageSize
	for {
		page, err := c.ListEvents(ctx, org, o)
		if err != nil {
			return err
		}
		for _, e := range page.Data {
			if err := s.printEvent(ctx, e); err != nil {
				return err
			}
		}
		if o.After = page.NextCursor; !page.HasMore {
			return nil
		}
	}
}

// followEvents returns no error when the person interrupts it.
func (s *Shell) followEvents(ctx context.Context, c *client.Client, org crier.ID, o client.EventOptions,
	show func(context.Context, crier.Event) error) error {
	missed := func() { fmt.Fprintln(s.stderr, "Events may be missing here: the last one is no longer stored.") }
	err := client.FollowEvents(ctx, c, org, o, missed, func(e crier.Event) error { return show(ctx, e) })
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the person interrupted it
	}
	return err
}

// printEvent writes one line per event.
func (s *Shell) printEvent(_ context.Context, e crier.Event) error {
	if s.asJSON {
		return json.NewEncoder(s.stdout).Encode(e)
	}
	var object struct {
		ID crier.ID `json:"id"`
	}
	_ = json.Unmarshal(e.Data.Object, &object) // not every object has an id
	_, err := fmt.Fprintf(s.stdout, "%s  %-32s %s\n", local(e.CreatedAt), e.Type, object.ID)
	return err
}

func (s *Shell) listenCommand() *cobra.Command {
	var flags eventFlags
	var target, secret string
	cmd := &cobra.Command{
		Use: "listen", Short: "Forward events to a program on this machine, signed like webhooks", Args: cobra.NoArgs,
		Long: "Forwards the events of the organization to a URL, signed like a webhook, to test a receiver " +
			"without a public address. It shows each response.",
		Example: "  crier listen --forward-to http://localhost:3000/hook",
		RunE: func(cmd *cobra.Command, _ []string) error {
			target, err := receiver(target)
			if err != nil {
				return err
			}
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if secret == "" {
				secret = notify.NewSecret()
			}
			if _, err := fmt.Fprintf(s.stderr, "Events are signed with the secret %s\n", secret); err != nil {
				return err
			}
			sender := notify.Sender{Transport: http.DefaultTransport, Now: s.now}
			return s.followEvents(cmd.Context(), c, org, flags.options(),
				func(ctx context.Context, e crier.Event) error { return s.forward(ctx, sender, target, secret, e) })
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&target, "forward-to", "", "the address to send events to, such as localhost:3000/hook, or "+
		"a port of this machine")
	cmd.Flags().StringVar(&secret, "secret", "", "sign with this secret (whsec_…); default: a new one")
	Require(cmd, "forward-to")
	return cmd
}

// receiver returns the address that events are forwarded to. One without a scheme is on this machine or a private
// network; a port alone is on this machine. Any other word is not resolved as a host name.
func receiver(address string) (string, error) {
	wrong := usagef("--forward-to must be an address such as http://localhost:3000/hook, or a port of this machine, "+
		"got %q", address)
	if !strings.Contains(address, "://") {
		host, _, _ := strings.Cut(address, "/")
		switch _, err := strconv.Atoi(host); {
		case err == nil:
			address = "localhost:" + address
		case strings.HasPrefix(host, ":"):
			address = "localhost" + address
		case host != "localhost" && !strings.ContainsAny(host, ".:"):
			return "", wrong
		}
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") || u.Scheme != "http" && u.Scheme != "https" {
		return "", wrong
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) {
		return "", wrong
	}
	return address, nil
}

// forwarded is the result of forwarding an event, as JSON.
type forwarded struct {
	EventID crier.ID        `json:"eventId"`
	Type    crier.EventType `json:"type"`
	Status  int             `json:"status,omitempty"`
	Error   string          `json:"error,omitempty"`
	Millis  int64           `json:"durationMillis"`
}

// forward sends an event and shows the response. It does not retry.
func (s *Shell) forward(ctx context.Context, sender notify.Sender, target, secret string, e crier.Event) error {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(e); err != nil {
		return err
	}
	start := s.now()
	result := sender.Send(ctx, notify.Message{URL: target, ID: string(e.ID), Secrets: []string{secret},
		Body: bytes.TrimSpace(body.Bytes())})
	answer := strconv.Itoa(result.Status)
	if result.Error != "" {
		answer = result.Error
	}
	if s.asJSON {
		return json.NewEncoder(s.stdout).Encode(forwarded{EventID: e.ID, Type: e.Type, Status: result.Status,
			Error: result.Error, Millis: s.now().Sub(start).Milliseconds()})
	}
	_, err := fmt.Fprintf(s.stdout, "%s  %-28s %s (%s)\n", local(e.CreatedAt), e.Type, answer,
		s.now().Sub(start).Round(time.Millisecond))
	return err
}
