package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/cli"
	"crier/internal/server"
	"crier/internal/service"
	"crier/internal/social"
)

// tenantReport is the JSON output of init and admin create-organization.
type tenantReport struct {
	OrganizationID crier.ID        `json:"organizationId"`
	TeamID         crier.ID        `json:"teamId"`
	APIKey         string          `json:"apiKey"`
	SetupURL       string          `json:"setupUrl"`
	BaseURL        string          `json:"baseUrl"`
	SandboxURL     string          `json:"sandboxUrl"`
	SocialAccounts []reportAccount `json:"socialAccounts"`
}

type reportAccount struct {
	ID       crier.ID `json:"id"`
	Provider string   `json:"provider"`
}

// tenant returns the request that creates a new organization.
func (a *app) tenant(ctx context.Context, name string) (service.TenantRequest, error) {
	accounts, err := a.config.Seeds(ctx)
	return service.TenantRequest{Name: crier.Name(name), Credits: a.config.grantCredits,
		Accounts: func(crier.ID) ([]social.NewAccount, error) { return accounts, nil }}, err
}

func (a *app) report(t service.Tenant) tenantReport {
	r := tenantReport{
		OrganizationID: t.OrganizationID,
		TeamID:         t.TeamID,
		APIKey:         t.APIKey,
		SetupURL:       a.config.PublicURL + "/setup?token=" + t.SetupToken,
		BaseURL:        a.config.PublicURL,
		SocialAccounts: []reportAccount{},
	}
	if a.config.Sandbox {
		r.SandboxURL = a.config.SandboxURL()
	}
	for _, account := range t.Accounts {
		r.SocialAccounts = append(r.SocialAccounts, reportAccount{account.ID, string(account.Provider)})
	}
	return r
}

func (a *app) initCommand() *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Initialize an empty store: organization, team, owner and API key",
		Long: "Initializes an empty store: the schema, an organization with its first team, an owner and an API " +
			"key, shown once.\n" +
			"On a store that is in use it changes nothing and exits with 1.",
		Example: "  crier init\n  crier init --json > tenant.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNode(cmd.Context(), func(n *server.Node) error {
				request, err := a.tenant(cmd.Context(), name)
				if err != nil {
					return err
				}
				t, err := n.Services.Instance.Initialise(cmd.Context(), request)
				if err != nil {
					return err
				}
				return a.printTenant(t, asJSON)
			})
		},
	}
	addTenantFlags(cmd, &name, &asJSON, defaultOrganization)
	return cmd
}

// defaultOrganization is the name of the first organization of a new store.
const defaultOrganization = "My organization"

func addTenantFlags(cmd *cobra.Command, name *string, asJSON *bool, fallback string) {
	cmd.Flags().StringVar(name, "name", fallback, "name of the organization, 2 to 64 characters")
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if problem := crier.Name(*name).Problem(); problem != "" {
			return cli.Usagef("--name %s", problem)
		}
		return nil
	}
}

func (a *app) printTenant(t service.Tenant, asJSON bool) error {
	report := a.report(t)
	if asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(report) //nolint:gosec // showing the key once is what the command is for
	}
	return printBanner(a.stdout, report, true)
}

// printBanner prints the new organization, once. Without withKey the API key is left out: output that is not a terminal
// is a log that others read, and the set-up link, which works once, is enough to create keys.
func printBanner(w io.Writer, r tenantReport, withKey bool) error {
	if !withKey {
		_, err := fmt.Fprintf(w, `
  A new organization is ready. Open the set-up link to choose e-mail and password; it works once, for 7 days:

    Set-up link  %s

  Then use it from the shell:

    crier login --server %s

`, r.SetupURL, r.BaseURL)
		return err
	}
	_, err := fmt.Fprintf(w, `
  A new organization is ready. These are shown once:

    API key      %s
    Set-up link  %s
                 (open it to choose e-mail and password; it works once, for 7 days)

    Organization %s
    Team         %s

  Try it:

    curl -H "Authorization: Bearer %s" %s/v1/agent/context
    crier login --server %s    (with the account of the link; then: crier post "Hello")

`, r.APIKey, r.SetupURL, r.OrganizationID, r.TeamID, r.APIKey, r.BaseURL, r.BaseURL)
	return err
}

// withNode opens and prepares a node for a short command.
func (a *app) withNode(ctx context.Context, fn func(*server.Node) error) (err error) {
	n, err := server.Open(ctx, a.config.Config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Store.Close()) }()
	if _, err := n.Prepare(ctx); err != nil {
		return err
	}
	return fn(n)
}
