package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crier"
)

// A flagGroup is a group of related settings, by the prefixes of their names.
type flagGroup struct {
	title    string
	prefixes []string
}

// flagGroups are the groups in the order of the help. Settings without a match belong to the first.
var flagGroups = []flagGroup{
	{title: "Service", prefixes: []string{"config", "role", "rate-limit", "grant-credits"}},
	{title: "Addresses and TLS",
		prefixes: []string{"listen", "metrics-listen", "public-url", "trusted-proxies", "tls-", "acme-"}},
	{title: "Database and secrets", prefixes: []string{"data-dir", "database-url", "secret-key"}},
	{title: "Media library", prefixes: []string{"media-", "s3-", "import-allow"}},
	{title: "Sandbox", prefixes: []string{"sandbox"}},
	{title: "Mail", prefixes: []string{"smtp-url", "mail-"}},
	{title: "Events and webhooks", prefixes: []string{"webhook-", "event-"}},
	{title: "Agents", prefixes: []string{"oauth-"}},
	{title: "Enrichment", prefixes: []string{"enrich-"}},
	{title: "Logs", prefixes: []string{"log-"}},
}

// groupOf returns the title of a setting's group. Each network has a separate group.
func groupOf(flag string) string {
	for _, p := range crier.Providers() {
		if strings.HasPrefix(flag, string(p)+"-") {
			return "Network " + string(p)
		}
	}
	for _, g := range flagGroups {
		for _, prefix := range g.prefixes {
			if strings.HasPrefix(flag, prefix) {
				return g.title
			}
		}
	}
	return flagGroups[0].title
}

// groupTitles returns the titles of all groups in order.
func groupTitles() []string {
	var titles []string
	for _, g := range flagGroups {
		titles = append(titles, g.title)
	}
	for _, p := range crier.Providers() {
		titles = append(titles, "Network "+string(p))
	}
	return titles
}

// groupFlags makes the help of a command and its subcommands list the settings by group.
func groupFlags(cmd *cobra.Command) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error { return writeUsage(cmd.OutOrStdout(), cmd) })
}

func writeUsage(w io.Writer, cmd *cobra.Command) error {
	fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nAvailable Commands:")
		for _, child := range cmd.Commands() {
			if child.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-*s  %s\n", child.NamePadding(), child.Name(), child.Short)
			}
		}
	}
	groups := map[string]*pflag.FlagSet{}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	known := settingFlags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !known[f.Name] {
			own.AddFlag(f)
			return
		}
		title := groupOf(f.Name)
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		groups[title].AddFlag(f)
	})
	fmt.Fprintf(w, "\nFlags:\n%s", own.FlagUsages())
	if cmd.HasAvailableSubCommands() {
		_, err := fmt.Fprintln(w, "\nThe settings of 'crier serve --help' are flags of these commands too.")
		return err
	}
	for _, title := range groupTitles() {
		if set := groups[title]; set != nil {
			fmt.Fprintf(w, "\n%s:\n%s", title, set.FlagUsages())
		}
	}
	return nil
}

// settingFlags returns the names of the flags that are settings.
func settingFlags() map[string]bool {
	known := map[string]bool{configFlag: true}
	for _, s := range settings {
		known[s.flag] = true
	}
	return known
}
