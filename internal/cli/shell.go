// Package cli implements the shell: the commands by which a person or a script uses a running installation.
package cli

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
)

// Config configures a Shell.
type Config struct {
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Now            func() time.Time
	Version        string
	// Terminal opens the person's terminal if the standard input is something else; nil means the default.
	Terminal func() (io.ReadCloser, error)
}

// Shell is shared by the commands that use a running installation. They have no private access: all of them use the
// public API.
type Shell struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	version        string
	terminal       func() (io.ReadCloser, error)

	server, token string
	team, org     string
	asJSON, yes   bool

	written string // a file with a text from the editor that is not stored yet
	drawing bool   // the line of a progress bar is not complete
}

// New returns a Shell.
func New(cfg Config) *Shell {
	return &Shell{
		environ: cfg.Environ, stdin: cfg.Stdin, stdout: cfg.Stdout, stderr: cfg.Stderr, now: cfg.Now,
		version: cfg.Version, terminal: cfg.Terminal,
	}
}

// The groups of commands in the help.
const (
	groupPosts  = "posts"
	groupPlaces = "places"
	groupPeople = "people"
	groupSelf   = "self"
	groupServer = "server"
)

// AddTo adds the commands that use a running installation.
func (s *Shell) AddTo(root *cobra.Command) {
	add := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, cmd := range commands {
			cmd.GroupID = id
			s.AddFlags(cmd)
			root.AddCommand(cmd)
		}
	}
	add(groupPosts, "Posts:", s.postCommand(), s.postsCommand(), s.calendarCommand(), s.attentionCommand(),
		s.metricsCommand(), s.analyticsCommand(), s.tagsCommand())
	add(groupPlaces, "Where and when:", s.accountsCommand(), s.networksCommand(), s.slotsCommand(), s.mediaCommand())
	add(groupPeople, "Teams, people and programs:", s.teamsCommand(), s.organizationsCommand(), s.membersCommand(),
		s.keysCommand(), s.creditsCommand(), s.auditCommand(), s.eventsCommand(), s.listenCommand(),
		s.webhooksCommand(),
		s.mcpCommand())
	add(groupSelf, "This computer:", s.loginCommand(), s.logoutCommand(), s.authCommand(), s.contextCommand())
	root.SetHelpCommandGroupID(groupSelf)
	root.SetCompletionCommandGroupID(groupSelf)
}

// AddFlags adds the flags that all commands of the shell share.
func (s *Shell) AddFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&s.server, "server", "",
		"address of the installation (environment: CRIER_SERVER; default: where you logged in last, else "+
			"http://127.0.0.1:8080)")
	flags.StringVar(&s.token, "token", "", "API key or access token (environment: CRIER_TOKEN; default: your login)")
	flags.StringVar(&s.team, "team", "", "name or id of the team (environment: CRIER_TEAM; default: your first one)")
	flags.StringVar(&s.org, "organization", "", "name or id of the organization (default: your first one)")
	flags.BoolVar(&s.asJSON, "json", false, "print JSON, for scripts")
	flags.BoolVarP(&s.yes, "yes", "y", false, "do not ask before publishing, spending, deleting or inviting")
	filled(flags, "server", "token", "team", "organization")
	s.completes(cmd, "team", s.teamNames)
	s.completes(cmd, "organization", s.organizationNames)
}

// Variables returns the variables in the environment that the commands read.
func Variables() []string { return []string{"CRIER_SERVER", "CRIER_TOKEN", "CRIER_TEAM"} }

func (s *Shell) variable(name string) string {
	for _, pair := range s.environ {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// local formats a time in the person's own zone.
func local(t crier.Time) string { return t.Local().Format("Mon 2 Jan 2006 15:04 MST") }

func localOrDash(t *crier.Time) string {
	if t == nil {
		return "–"
	}
	return local(*t)
}
