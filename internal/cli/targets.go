package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// targetFlags are the flags for where, when and how to publish.
type targetFlags struct {
	to       []string
	at       string
	nextSlot bool
	wait     int
	settings []string
	comment  string
	repeat   string
	until    string
	again    bool
}

func (t *targetFlags) add(s *Shell, cmd *cobra.Command, timed bool) {
	flags := cmd.Flags()
	flags.StringSliceVar(&t.to, "to", nil,
		"networks, handles, names or ids of accounts, such as twitter,linkedin; all connected accounts when absent")
	s.completes(cmd, "to", s.targetWords)
	flags.StringArrayVar(&t.settings, "set", nil,
		"a setting of a network, such as tiktokPrivacyLevel=SELF_ONLY; 'crier networks' lists them")
	s.completes(cmd, "set", s.settingWords)
	flags.StringVar(&t.comment, "first-comment", "", "a comment that follows the post at once")
	flags.BoolVar(&t.again, "again", false, "publish again where this post was published before")
	filled(flags, "to")
	completesNothing(cmd, "first-comment")
	if !timed {
		return
	}
	flags.StringVar(&t.at, "at", "",
		"when: \"tomorrow 9:00\", \"friday 17:30 Europe/Berlin\", \"2026-11-15 09:00\" in your zone, +3h, or RFC 3339")
	flags.BoolVar(&t.nextSlot, "next-slot", false, "take the next free slot")
	flags.StringVar(&t.repeat, "repeat", "",
		"publish again every so often: daily, weekly, or a number of days such as 14d")
	flags.StringVar(&t.until, "until", "", "the last day of --repeat, or the time at which it ends")
	filled(flags, "at", "repeat", "until")
	completes(cmd, "repeat", []string{"daily", "weekly"})
	completesNothing(cmd, "at", "until")
	cmd.MarkFlagsMutuallyExclusive("at", "next-slot")
}

func (t *targetFlags) addWait(cmd *cobra.Command) {
	cmd.Flags().IntVar(&t.wait, "wait", crier.DefaultPostNowWait,
		"how many seconds to wait for the networks when publishing at once, 0 to 30")
}

// accounts returns the selected accounts.
func (t *targetFlags) accounts(ctx context.Context, c *client.Client, team crier.ID) ([]crier.SocialAccount, error) {
	list, err := c.ListAccounts(ctx, team)
	if err != nil {
		return nil, err
	}
	var chosen []crier.SocialAccount
	take := func(a crier.SocialAccount) {
		if !slices.ContainsFunc(chosen, func(b crier.SocialAccount) bool { return a.ID == b.ID }) {
			chosen = append(chosen, a)
		}
	}
	for _, name := range t.to {
		meant := matchingAccounts(name, list.Data)
		if len(meant) == 0 { // a mistake, not a request for fewer
			return nil, &missingError{text: noAccount(name, list.Data)}
		}
		for _, a := range meant {
			take(a)
		}
	}
	for _, a := range list.Data {
		if len(t.to) == 0 && a.Status == crier.AccountConnected {
			take(a)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no account is connected; connect one with 'crier accounts connect NETWORK'")
	}
	return chosen, nil
}

// noAccount says why --to matches nothing.
func noAccount(name string, all []crier.SocialAccount) string {
	for _, a := range all { // these are not connected, or they would have matched
		if a.Provider != network(name) {
			continue
		}
		help := "connect it again with 'crier accounts connect " + string(a.Provider) + "'"
		if a.Status == crier.AccountDisabled {
			help = "enable it with 'crier accounts enable'"
		}
		return fmt.Sprintf("no account matches --to %s: %s is %s; %s", name, accountLabel(a), a.Status, help)
	}
	return fmt.Sprintf("no connected account matches --to %s; 'crier accounts list' lists them", name)
}

// matchingAccounts returns the accounts that a word matches: one by its id, handle or name, or all connected ones on a
// network.
func matchingAccounts(word string, all []crier.SocialAccount) []crier.SocialAccount {
	var byName, byNetwork []crier.SocialAccount
	for _, a := range all {
		names := []string{string(a.ID), a.DisplayName, strings.TrimPrefix(text(a.ProfileHandle), "@")}
		fits := func(name string) bool { return name != "" && strings.EqualFold(name, strings.TrimPrefix(word, "@")) }
		if slices.ContainsFunc(names, fits) {
			byName = append(byName, a)
		}
		if network(word) == a.Provider && a.Status == crier.AccountConnected {
			byNetwork = append(byNetwork, a)
		}
	}
	if len(byNetwork) > 0 {
		return byNetwork
	}
	return byName
}

// outgoing is everything needed to publish a post.
type outgoing struct {
	accounts []crier.SocialAccount
	in       crier.ScheduleRequest
	atOnce   bool
	wait     int
}

// plan resolves the flags. It changes nothing.
func (t *targetFlags) plan(ctx context.Context, s *Shell, c *client.Client, team crier.ID, atOnce bool) (outgoing,
	error) {
	p := outgoing{atOnce: atOnce, wait: t.wait}
	var err error
	if p.in, err = t.request(s, atOnce); err != nil {
		return p, err
	}
	if p.accounts, err = t.accounts(ctx, c, team); err != nil {
		return p, err
	}
	for _, a := range p.accounts {
		p.in.SocialAccountIDs = append(p.in.SocialAccountIDs, a.ID)
	}
	return p, nil
}

// request returns the request given by the flags, without the accounts.
func (t *targetFlags) request(s *Shell, atOnce bool) (crier.ScheduleRequest, error) {
	in := crier.ScheduleRequest{}
	if t.wait < 0 || t.wait > crier.MaxPostNowWait {
		return in, usagef("--wait must be from 0 to %d seconds, got %d", crier.MaxPostNowWait, t.wait)
	}
	in.AllowRepublish = t.again
	if t.comment != "" {
		in.FirstComment = crier.Some(crier.Comment{Text: t.comment})
	}
	var err error
	if in.PlatformSettings, err = parseSettings(t.settings); err != nil {
		return in, err
	}
	if err := t.recurrence(s, &in.Targets); err != nil {
		return in, err
	}
	switch {
	case atOnce:
	case t.nextSlot:
		in.UseNextSlot = &t.nextSlot
	case t.at != "":
		at, zone, err := parseWhenAndZone(t.at, s.now().Local(), localZone(s.now()))
		if err != nil {
			return in, err
		}
		in.ScheduledAt = &at
		if zone != nil {
			in.Timezone = crier.Some(*zone)
		}
	default:
		return in, usagef("give --at TIME or --next-slot")
	}
	return in, nil
}

func (t *targetFlags) recurrence(s *Shell, in *crier.Targets) error {
	if t.repeat == "" && t.until != "" {
		return usagef("--until ends a repetition: give --repeat too")
	}
	if t.repeat == "" {
		return nil
	}
	days, err := parseDays(t.repeat)
	if err != nil {
		return err
	}
	in.RecurrenceIntervalDays = crier.Some(days)
	if t.until != "" {
		end, err := parseLastDay(t.until, s.now().Local())
		if err != nil {
			return err
		}
		in.RecurrenceEndsAt = crier.Some(end)
	}
	return nil
}

// parseDays parses a repeat interval.
func parseDays(text string) (int, error) {
	switch strings.ToLower(text) {
	case "daily":
		return 1, nil
	case "weekly":
		return 7, nil
	}
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil || days < 1 || days > crier.MaxRecurrenceDays {
		return 0, usagef("--repeat must be daily, weekly or a number of days from 1 to %d such as 14d, got %q",
			crier.MaxRecurrenceDays, text)
	}
	return days, nil
}

// parseSettings parses key=value. A JSON value is used as such, anything else as a string.
func parseSettings(list []string) (map[string]json.RawMessage, error) {
	var settings map[string]json.RawMessage
	for _, pair := range list {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef("--set must be key=value, got %q", pair)
		}
		data := json.RawMessage(value)
		if !json.Valid(data) {
			data, _ = json.Marshal(value) // a string can always be encoded
		}
		if settings == nil {
			settings = map[string]json.RawMessage{}
		}
		settings[key] = data
	}
	return settings, nil
}
