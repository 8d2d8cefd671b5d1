package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// Root makes the command that all others belong to, with the commands of the shell and those of an operator.
func (s *Shell) Root(example string, commands ...*cobra.Command) *cobra.Command {
	root := Group("crier", "Publish social posts at the second you asked for", example)
	root.Long = "crier drafts, schedules and publishes social posts: nothing twice, nothing lost, on the second."
	root.Version = s.version
	root.SetVersionTemplate("crier {{.Version}}\n")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	s.AddTo(root)
	if len(commands) > 0 {
		root.AddGroup(&cobra.Group{ID: groupServer, Title: "Running an installation:"})
	}
	for _, cmd := range commands {
		cmd.GroupID = groupServer
		root.AddCommand(cmd)
	}
	return root
}

// Execute runs a command line. What is wrong with the line itself is a usage error.
func Execute(ctx context.Context, root *cobra.Command, args []string) error {
	root.SetArgs(args)
	root.SetFlagErrorFunc(misuse)
	checkUsage(root)
	return root.ExecuteContext(ctx)
}

// misuse says what is wrong with a command line and where to look.
func misuse(cmd *cobra.Command, err error) error {
	if err == nil || is[*usageError](err) || errors.Is(err, context.Canceled) {
		return err
	}
	return usagef("%s\nUsage: %s\nSee '%s --help'.", strings.TrimSpace(err.Error()), cmd.UseLine(), cmd.CommandPath())
}

// checkUsage has arguments and required flags of all commands checked as usage.
func checkUsage(cmd *cobra.Command) {
	if arguments := cmd.Args; arguments != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return misuse(cmd, arguments(cmd, args)) }
	}
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		err := cmd.ValidateRequiredFlags()
		if err == nil {
			err = cmd.ValidateFlagGroups()
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
