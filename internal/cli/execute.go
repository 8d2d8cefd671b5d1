package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Root returns the root command, with the commands of the shell and the given ones.
func (s *Shell) Root(example string, commands ...*cobra.Command) *cobra.Command {
	root := Group("crier", "Publish social posts at the second you asked for", example)
	root.Long = "crier drafts, schedules and publishes social posts: nothing twice, nothing lost, on the second."
	root.Version = s.version
	root.SetVersionTemplate("crier {{.Version}}\n")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	s.AddTo(root)
	root.SetHelpCommand(helpCommand())
	if len(commands) > 0 {
		root.AddGroup(&cobra.Group{ID: groupServer, Title: "Running an installation:"})
	}
	for _, cmd := range commands {
		cmd.GroupID = groupServer
		root.AddCommand(cmd)
	}
	return root
}

// helpCommand is 'crier help COMMAND', which fails for an unknown command instead of showing all of them.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND...]", Short: "Help about any command", Example: "  crier help posts schedule",
		GroupID: groupSelf,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 && found.HasSubCommands() {
				return found.RunE(found, rest)
			}
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			found, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, child := range found.Commands() {
				if child.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(child.Name(), child.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// Execute runs a command line. An invalid command line is a usage error.
func Execute(ctx context.Context, root *cobra.Command, args []string) error {
	root.SetArgs(args)
	root.SetFlagErrorFunc(misuse)
	checkUsage(root)
	return root.ExecuteContext(ctx)
}

// inner matches Go's own text about a value that it cannot parse; flag and value precede it.
var inner = regexp.MustCompile(`: strconv\.Parse[A-Z].*$`)

// misuse returns the usage error for a command line, with a hint.
func misuse(cmd *cobra.Command, err error) error {
	if err == nil || is[*usageError](err) || errors.Is(err, context.Canceled) {
		return err
	}
	message := inShellWords(cmd, strings.TrimSpace(inner.ReplaceAllString(err.Error(), "")))
	return usagef("%s\nUsage: %s\nSee '%s --help'.", message, cmd.UseLine(), cmd.CommandPath())
}

var (
	argumentCount = regexp.MustCompile(`^(?:accepts|requires)[a-z ]* (\d+) arg\(s\),(?: only)? received (\d+)$`)
	flagsMissing  = regexp.MustCompile(`^required flag\(s\) "(.+)" not set$`)
)

// inShellWords names the missing or superfluous argument or flag instead of a count.
func inShellWords(cmd *cobra.Command, message string) string {
	if found := flagsMissing.FindStringSubmatch(message); found != nil {
		return "give --" + strings.ReplaceAll(found[1], `", "`, " and --")
	}
	found := argumentCount.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	want, _ := strconv.Atoi(found[1]) // digits
	given, _ := strconv.Atoi(found[2])
	names := strings.Fields(cmd.Use)[1:]
	switch {
	case given > want:
		return fmt.Sprintf("got %d arguments, expected %d: put quotes around arguments with spaces", given,
			want)
	case want <= len(names):
		missing := names[given:want]
		for i, name := range missing {
			missing[i] = strings.TrimSuffix(strings.Trim(name, "[]"), "...")
		}
		if len(missing) == 1 {
			return missing[0] + " is missing"
		}
		return strings.Join(missing, " and ") + " are missing"
	}
	return message
}

// checkUsage makes invalid arguments and missing flags of all commands usage errors.
func checkUsage(cmd *cobra.Command) {
	if arguments := cmd.Args; arguments != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return misuse(cmd, arguments(cmd, args)) }
	}
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		err := cmd.ValidateRequiredFlags()
		if err == nil {
			err = together(cmd.ValidateFlagGroups())
		}
		if err == nil {
			err = checkFilled(cmd)
		}
		if err != nil {
			return misuse(cmd, err)
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
	for _, child := range cmd.Commands() {
		checkUsage(child)
	}
}

var exclusive = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; ` +
	`\[(.+)\] were all set$`)

// together says in the shell's terms which flags exclude each other.
func together(err error) error {
	if err == nil {
		return nil
	}
	found := exclusive.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	return errors.New("give --" + strings.Join(strings.Fields(found[1]), " or --") + ", not both")
}

// filledMark marks flags that must not be empty.
const filledMark = "crier_filled"

// filled marks flags whose empty value is a mistake: most often an unset variable of a script. Treating it as absent
// would widen what the command does: at once instead of at a time, everywhere instead of on one account.
func filled(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, filledMark, []string{}); err != nil {
			panic(err) // only by a programming error
		}
	}
}

// checkFilled rejects marked flags with an empty value.
func checkFilled(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, marked := f.Annotations[filledMark]; marked && strings.Trim(f.Value.String(), ` []"`) == "" {
			err = fmt.Errorf("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return err
}
