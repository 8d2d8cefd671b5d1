// Command crier is the whole service in one binary: the server, its workers and the operator's commands.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/service"
)

// version is stamped by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // whoever interrupts a second time does not want to wait
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crier:", told(err))
		os.Exit(exitCode(err))
	}
}

// run executes one command line. It is main without the globals, so that tests can call it.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	app := &app{environ: environ, stdin: os.Stdin, stdout: stdout, stderr: stderr, now: time.Now}
	root := &cobra.Command{
		Use:   "crier",
		Short: "Publish social posts at the second you asked for",
		Long:  "crier drafts, schedules and publishes social posts: nothing twice, nothing lost, on the second.",
		Example: "  crier serve                                      start everything, on http://127.0.0.1:8080\n" +
			"  crier login                                      let this computer in, through your browser\n" +
			"  echo \"Hello\" | crier post --to x --next-slot     write and schedule a post\n" +
			"  crier config                                     show every setting and where it came from",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	for _, cmd := range []*cobra.Command{
		app.serveCommand(), app.sandboxCommand(), app.initCommand(), app.adminCommand(), app.migrateCommand(), app.configCommand(),
	} {
		addFlags(cmd.PersistentFlags())
		cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return app.load(cmd) }
		root.AddCommand(cmd)
	}
	root.AddCommand(app.versionCommand())
	app.addShell(root)
	return root.ExecuteContext(ctx)
}

// app is what the commands share.
type app struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	config         config
	timings        service.Timings // the usual, but in tests
	checkpoint     func(crier.ID, service.Step)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  crier version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "crier %s (%s)\n", version, goVersion())
			return err
		},
	}
}

func goVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build.GoVersion
	}
	return "unknown Go"
}
