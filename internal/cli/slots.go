package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) slotsCommand() *cobra.Command {
	return Group("slots", "Times of the week at which posts are published",
		"  crier slots list\n  crier slots add 09:30 --days mon,wed,fri",
		s.slotsList(), s.slotsNext(), s.slotsAdd(), s.slotsEdit(), s.slotsDelete())
}

var dayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func dayList(days []int) string {
	weekend := slices.Contains(days, 0) || slices.Contains(days, 6)
	switch { // every day is listed once
	case len(days) == 7:
		return "every day"
	case len(days) == 5 && !weekend:
		return "mon to fri"
	}
	names := make([]string, len(days))
	for i, d := range days {
		names[i] = dayNames[d]
	}
	return strings.Join(names, " ")
}

func clock(hour, minute int) string { return fmt.Sprintf("%02d:%02d", hour, minute) }

func (s *Shell) slotsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the slots", Example: "  crier slots list", Args: cobra.NoArgs,
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
			grid, err := c.ListSlots(ctx, team)
			if err != nil {
				return err
			}
			return s.Show(grid, "ID\tTIME ("+grid.Timezone+")\tDAYS\tLABEL", func(w io.Writer) {
				for _, sl := range grid.Slots {
					Row(w, sl.ID, clock(sl.Hour, sl.Minute), dayList(sl.DaysOfWeek), text(sl.Label))
				}
				if grid.UsingDefaults {
					fmt.Fprintln(w, "These are the defaults; the first slot you add replaces them.")
				}
			})
		}),
	}
}

func (s *Shell) slotsNext() *cobra.Command {
	var count int
	var account string
	cmd := &cobra.Command{
		Use: "next", Short: "Preview the next slot times",
		Example: "  crier slots next --count 5\n  crier slots next --to @acme",
		Args:    cobra.NoArgs,
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
			var id crier.ID
			if account != "" {
				var err error
				if id, err = s.findAccount(ctx, c, team, account); err != nil {
					return err
				}
			}
			next, err := c.NextSlots(ctx, team, id, count, "")
			if err != nil {
				return err
			}
			return s.Show(next, "", func(w io.Writer) {
				for _, sl := range next.Slots {
					Row(w, local(sl.StartsAt), text(sl.Label))
				}
			})
		}),
	}
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if count < 1 || count > crier.MaxNextSlots {
			return usagef("--count must be from 1 to %d, got %d", crier.MaxNextSlots, count)
		}
		return nil
	}
	cmd.Flags().IntVar(&count, "count", 5, "how many, 1 to 20")
	cmd.Flags().StringVar(&account, "to", "", "only slots that are free on this account")
	s.completes(cmd, "to", s.teamWords(s.accountWords))
	return cmd
}

func (s *Shell) slotsAdd() *cobra.Command {
	var days []string
	var label string
	cmd := &cobra.Command{
		Use: "add HH:MM", Aliases: []string{"create"}, Short: "Add a slot",
		Example: "  crier slots add 09:30\n  crier slots add 18:00 --days sat,sun --label Weekend",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := crier.SlotCreate{}
			var err error
			if in.Hour, in.Minute, err = slotTime(args[0]); err != nil {
				return err
			}
			if in.DaysOfWeek, err = parseWeekdays(days); err != nil {
				return err
			}
			if label != "" {
				in.Label = &label
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			sl, err := c.CreateSlot(cmd.Context(), team, in)
			if err != nil {
				return err
			}
			return s.showSlot(cmd.Context(), c, "Added", sl)
		},
	}
	addSlotFlags(cmd, &days, &label)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func addSlotFlags(cmd *cobra.Command, days *[]string, label *string) {
	cmd.Flags().StringSliceVar(days, "days", nil, "sun,mon,tue,wed,thu,fri,sat; default: all")
	completes(cmd, "days", dayNames)
	cmd.Flags().StringVar(label, "label", "", "a name for people")
}

// showSlot prints a changed slot. Its time is in the team's zone, which may differ from the person's.
func (s *Shell) showSlot(ctx context.Context, c *client.Client, verb string, sl crier.SchedulingSlot) error {
	team, err := c.GetTeam(ctx, sl.TeamID)
	if err != nil {
		return err
	}
	days := dayList(sl.DaysOfWeek)
	if len(sl.DaysOfWeek) < 7 {
		days = "on " + days
	}
	return s.Show(sl, "", func(w io.Writer) {
		fmt.Fprintf(w, "%s %s %s%s, in the zone %s of the team: %s\n", verb, clock(sl.Hour, sl.Minute), days,
			prefixed(", ", text(sl.Label)), cmp.Or(text(team.Timezone), "UTC"), sl.ID)
	})
}

func slotTime(words string) (hour, minute int, err error) {
	hour, minute, ok := parseClock(strings.ToLower(words))
	if !ok {
		return 0, 0, usagef("%q is not a time of day such as 09:30", words)
	}
	return hour, minute, nil
}

func parseWeekdays(names []string) ([]int, error) {
	var days []int
	for _, name := range names {
		day := slices.Index(dayNames, strings.ToLower(name)[:min(3, len(name))])
		if day < 0 {
			return nil, usagef("%q is not a day: use %s", name, strings.Join(dayNames, ", "))
		}
		days = append(days, day)
	}
	return days, nil
}

func (s *Shell) slotsEdit() *cobra.Command {
	var at, label string
	var days []string
	cmd := &cobra.Command{
		Use: "edit SLOT", Short: "Change a slot's time, days or label", Args: cobra.ExactArgs(1),
		Example: "  crier slots edit 09:30 --at 10:00\n  crier slots edit 09:30 --days mon,tue,wed,thu,fri",
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := slotUpdate(at, days)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("label") {
				in.Label = orNull(label)
			}
			if !in.Hour.Set && !in.DaysOfWeek.Set && !in.Label.Set {
				return usagef("there is nothing to change: give --at, --days or --label")
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			id, err := s.findSlot(cmd.Context(), c, team, args[0])
			if err != nil {
				return err
			}
			sl, err := c.UpdateSlot(cmd.Context(), team, id, in)
			if err != nil {
				return err
			}
			return s.showSlot(cmd.Context(), c, "Changed", sl)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "the new time of day, such as 10:00")
	addSlotFlags(cmd, &days, &label)
	return completesFirst(cmd, s.teamWords(s.slotWords))
}

// slotUpdate returns a change of the time and the days, as far as given.
func slotUpdate(at string, days []string) (crier.SlotUpdate, error) {
	in := crier.SlotUpdate{}
	if at != "" {
		hour, minute, err := slotTime(at)
		if err != nil {
			return in, err
		}
		in.Hour, in.Minute = crier.Some(hour), crier.Some(minute)
	}
	if len(days) > 0 {
		list, err := parseWeekdays(days)
		if err != nil {
			return in, err
		}
		in.DaysOfWeek = crier.Some(list)
	}
	return in, nil
}

func (s *Shell) slotsDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete SLOT", Short: "Delete a slot; scheduled posts stay",
		Example: "  crier slots delete 09:30 --yes",
		Args:    cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			id, err := s.findSlot(ctx, c, team, args[0])
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, "This deletes the slot %s.", args[0]); err != nil {
				return err
			}
			out, err := c.DeleteSlot(ctx, team, id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Deleted.") })
		}),
	}
	return completesFirst(cmd, s.teamWords(s.slotWords))
}
