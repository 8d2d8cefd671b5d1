package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// Group returns a command that only holds subcommands. An unknown name is an error, not a request for help.
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

// aliases are alternative names of subcommands.
var aliases = map[string]string{"list": "ls", "show": "view"}

// completes completes the values of a flag from a list.
func completes[T ~string](cmd *cobra.Command, flag string, values []T) {
	list := make([]cobra.Completion, len(values))
	for i, v := range values {
		list[i] = cobra.Completion(v)
	}
	if err := cmd.RegisterFlagCompletionFunc(flag,
		cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // only by a programming error
	}
}

// completesNothing disables file name completion for flags with free text.
func completesNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		completes(cmd, flag, []string{})
	}
}

// Require marks a flag of the command as required.
func Require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // only by a programming error
	}
}
