package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/service"
)

// tenantReport is what init and admin create-organization print as JSON.
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

// tenant is what a new organization begins with.
func (a *app) tenant(name string) service.TenantRequest {
	return service.TenantRequest{Name: crier.Name(name), Credits: a.config.grantCredits, Accounts: a.seeds()}
}

func (a *app) report(t service.Tenant) tenantReport {
	r := tenantReport{
		OrganizationID: t.OrganizationID,
		TeamID:         t.TeamID,
		APIKey:         t.APIKey,
		SetupURL:       a.config.publicURL + "/setup?token=" + t.SetupToken,
		BaseURL:        a.config.publicURL,
		SocialAccounts: []reportAccount{},
	}
	if a.config.sandbox {
		r.SandboxURL = a.sandboxURL()
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
		Short: "Prepare an empty store: organization, team, owner and API key",
		Long: "Prepares an empty store: the schema, an organization with its first team, an owner and an API key, shown once.\n" +
			"On a store that is in use it changes nothing and exits with 1.",
		Example: "  crier init\n  crier init --json > tenant.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNode(cmd.Context(), func(n *node) error {
				t, err := n.services.Instance.Initialise(cmd.Context(), a.tenant(name))
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

// defaultOrganization names the first organization of a new store.
const defaultOrganization = "My organization"

func addTenantFlags(cmd *cobra.Command, name *string, asJSON *bool, fallback string) {
	cmd.Flags().StringVar(name, "name", fallback, "name of the organization, 2 to 64 characters")
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if problem := crier.Name(*name).Problem(); problem != "" {
			return fmt.Errorf("--name %s", problem)
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
	return printBanner(a.stdout, report)
}

// printBanner tells a person what was made, once.
func printBanner(w io.Writer, r tenantReport) error {
	_, err := fmt.Fprintf(w, `
  A new organization is ready. These are shown once:

    API key      %s
    Set-up link  %s
                 (open it to choose e-mail and password; it works once, for 7 days)

    Organization %s
    Team         %s

  Try it:

    curl -H "Authorization: Bearer %s" %s/v1/agent/context

`, r.APIKey, r.SetupURL, r.OrganizationID, r.TeamID, r.APIKey, r.BaseURL)
	return err
}
