package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// Group returns a command that only holds others. A name that none of them has is an error, not a request for help.
func Group(use, short, example string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			hint := "see '" + cmd.CommandPath() + " --help'"
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				hint = "did you mean '" + strings.Join(like, "' or '") + "'?"
			}
			return usagef("unknown command %q for %q: %s", args[0], cmd.CommandPath(), hint)
		},
		SuggestionsMinimumDistance: 2,
	}
	for _, child := range commands {
		if alias, ok := aliases[child.Name()]; ok {
			child.Aliases = append(child.Aliases, alias)
		}
	}
	cmd.AddCommand(commands...)
	return cmd
}

// aliases are what others call the same thing.
var aliases = map[string]string{"list": "ls", "show": "view"}

// completes lets the shell complete the values of a flag.
func completes[T ~string](cmd *cobra.Command, flag string, values []T) {
	list := make([]cobra.Completion, len(values))
	for i, v := range values {
		list[i] = cobra.Completion(v)
	}
	if err := cmd.RegisterFlagCompletionFunc(flag,
		cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // by a programmer's error only
	}
}

// completesNothing keeps the shell from completing values that a person writes with names of files.
func completesNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		completes(cmd, flag, []string{})
	}
}

// Require makes a flag required that the command has.
func Require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // by a programmer's error only
	}
}
