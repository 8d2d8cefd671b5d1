// Command crier is the whole service in one binary: the server, its workers and the operator's commands.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"crier/internal/cli"
)

// version is set by the build.
var version = "dev"

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	hangup := !signal.Ignored(syscall.SIGHUP) // with nohup the program shall outlive its terminal
	if hangup {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() {
		if hangup { // a closing terminal sends several: its shell and the kernel each send one
			signal.Ignore(syscall.SIGHUP)
		}
		stop() // a second interrupt ends the program at once
	})
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crier:", cli.ErrorText(err))
		os.Exit(cli.ExitCode(err))
	}
}

// run executes one command line. It is main without globals, so that tests can call it.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	app := &app{environ: environ, stdin: os.Stdin, stdout: stdout, stderr: stderr, now: time.Now}
	return cli.Execute(ctx, app.commands(), args)
}

// commands returns the whole command line: the operator's commands and the shell.
func (a *app) commands() *cobra.Command {
	shell := cli.New(cli.Config{
		Environ: a.environ, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Now: a.now, Version: version,
	})
	operating := []*cobra.Command{
		a.serveCommand(), a.sandboxCommand(), a.initCommand(), a.adminCommand(), a.migrateCommand(),
		a.backupCommand(), a.restoreCommand(), a.configCommand(), a.openAPICommand(),
	}
	for _, cmd := range operating {
		addFlags(cmd.PersistentFlags())
		cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.load(cmd) }
		groupFlags(cmd)
	}
	return shell.Root("  crier serve                                 start the server on http://127.0.0.1:8080\n"+
		"  crier login                                 log in through your browser\n"+
		"  crier post \"Hello\" --at \"tomorrow 9:00\"     write and schedule a post\n"+
		"  crier calendar                              show this month's posts",
		append(operating, a.versionCommand(), a.doctorCommand(shell))...)
}

// app is the state that the commands share.
type app struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	config         config
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  crier version\n  crier --version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(map[string]string{"version": version, "go": goVersion()})
			}
			_, err := fmt.Fprintf(a.stdout, "crier %s (%s)\n", version, goVersion())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for scripts")
	return cmd
}

func goVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build.GoVersion
	}
	return "unknown Go"
}
