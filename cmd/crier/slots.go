package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"crier"
)

func (s *shell) slotsCommand() *cobra.Command {
	return group("slots", "The times of the week at which posts go out", "  crier slots list\n  crier slots add 09:30 --days mon,wed,fri",
		s.slotsList(), s.slotsNext(), s.slotsAdd(), s.slotsDelete())
}

var dayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func dayList(days []int) string {
	names := make([]string, len(days))
	for i, d := range days {
		names[i] = dayNames[d]
	}
	return strings.Join(names, " ")
}

func (s *shell) slotsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the slots", Example: "  crier slots list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			grid, err := c.ListSlots(cmd.Context(), team)
			if err != nil {
				return err
			}
			return s.show(grid, "ID\tTIME ("+grid.Timezone+")\tDAYS\tLABEL", func(w io.Writer) {
				for _, sl := range grid.Slots {
					label := ""
					if sl.Label != nil {
						label = *sl.Label
					}
					row(w, sl.ID, fmt.Sprintf("%02d:%02d", sl.Hour, sl.Minute), dayList(sl.DaysOfWeek), label)
				}
				if grid.UsingDefaults {
					fmt.Fprintln(w, "These are the defaults; the first slot you add replaces them.")
				}
			})
		},
	}
}

func (s *shell) slotsNext() *cobra.Command {
	var count int
	cmd := &cobra.Command{
		Use: "next", Short: "Preview the next slot times", Example: "  crier slots next --count 5", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			next, err := c.NextSlots(cmd.Context(), team, "", count, "")
			if err != nil {
				return err
			}
			return s.show(next, "", func(w io.Writer) {
				for _, sl := range next.Slots {
					fmt.Fprintln(w, local(sl.StartsAt))
				}
			})
		},
	}
	cmd.Flags().IntVar(&count, "count", 5, "how many, 1 to 20")
	return cmd
}

func (s *shell) slotsAdd() *cobra.Command {
	var days []string
	var label string
	cmd := &cobra.Command{
		Use: "add HH:MM", Short: "Add a slot", Example: "  crier slots add 09:30\n  crier slots add 18:00 --days sat,sun --label Weekend", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := newSlot(args[0], days, label)
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This adds a slot at %02d:%02d to the team's week.", in.Hour, in.Minute); err != nil {
				return err
			}
			sl, err := c.CreateSlot(cmd.Context(), team, in)
			if err != nil {
				return err
			}
			return s.show(sl, "", func(w io.Writer) {
				fmt.Fprintf(w, "Added %s: %02d:%02d, %s\n", sl.ID, sl.Hour, sl.Minute, dayList(sl.DaysOfWeek))
			})
		},
	}
	cmd.Flags().StringSliceVar(&days, "days", nil, "sun,mon,tue,wed,thu,fri,sat; all when absent")
	completes(cmd, "days", dayNames)
	cmd.Flags().StringVar(&label, "label", "", "a name for people")
	return cmd
}

func newSlot(clock string, days []string, label string) (crier.SlotCreate, error) {
	var in crier.SlotCreate
	hour, minute, ok := strings.Cut(clock, ":")
	var err1, err2 error
	in.Hour, err1 = strconv.Atoi(hour)
	in.Minute, err2 = strconv.Atoi(minute)
	if !ok || err1 != nil || err2 != nil {
		return in, fmt.Errorf("%q is not a time of day such as 09:30", clock)
	}
	for _, name := range days {
		day := -1
		for i, known := range dayNames {
			if strings.EqualFold(name, known) {
				day = i
			}
		}
		if day < 0 {
			return in, fmt.Errorf("%q is not a day: use %s", name, strings.Join(dayNames, ", "))
		}
		in.DaysOfWeek = append(in.DaysOfWeek, day)
	}
	if label != "" {
		in.Label = &label
	}
	return in, nil
}

func (s *shell) slotsDelete() *cobra.Command {
	return &cobra.Command{
		Use: "delete SLOT", Short: "Delete a slot; what is scheduled stays", Example: "  crier slots delete ID --yes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This deletes the slot %s.", args[0]); err != nil {
				return err
			}
			out, err := c.DeleteSlot(cmd.Context(), team, crier.ID(args[0]))
			if err != nil {
				return err
			}
			return s.show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Deleted.") })
		},
	}
}
