package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/cli"
	"crier/internal/server"
)

func (a *app) adminCommand() *cobra.Command {
	return cli.Group("admin", "Operate an installation",
		"  crier admin create-organization --name \"Acme\"\n  crier admin reset-password --email ada@example.com",
		a.createOrganizationCommand(), a.grantCreditsCommand(), a.resetPasswordCommand())
}

func (a *app) createOrganizationCommand() *cobra.Command {
	var name string
	var asJSON bool
	create := &cobra.Command{
		Use:     "create-organization",
		Short:   "Create an organization with an owner, an API key and credits",
		Example: "  crier admin create-organization --name \"Acme\" --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNode(cmd.Context(), func(n *server.Node) error {
				request, err := a.tenant(cmd.Context(), name)
				if err != nil {
					return err
				}
				t, err := n.Services.Instance.CreateTenant(cmd.Context(), request)
				if err != nil {
					return err
				}
				return a.printTenant(t, asJSON)
			})
		},
	}
	addTenantFlags(create, &name, &asJSON, "")
	cli.Require(create, "name")
	return create
}

func (a *app) grantCreditsCommand() *cobra.Command {
	var organization string
	var amount int64
	var asJSON bool
	grant := &cobra.Command{
		Use:     "grant-credits",
		Short:   "Grant credits to an organization; 1000 are worth 1 USD",
		Example: "  crier admin grant-credits --organization 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d --amount 5000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, ok := crier.ParseID(organization)
			if !ok {
				return cli.Usagef("--organization must be a UUID, got %q", organization)
			}
			if amount < 1 || amount > maxGrant {
				return cli.Usagef("--amount must be from 1 to %d, got %d", maxGrant, amount)
			}
			return a.withNode(cmd.Context(), func(n *server.Node) error {
				balance, err := n.Services.Instance.GrantCredits(cmd.Context(), id, amount)
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(a.stdout).Encode(map[string]int64{"creditsBalance": balance})
				}
				_, err = fmt.Fprintf(a.stdout, "The organization has %d credits now.\n", balance)
				return err
			})
		},
	}
	grant.Flags().StringVar(&organization, "organization", "", "id of the organization")
	grant.Flags().Int64Var(&amount, "amount", 0, "how many")
	grant.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cli.Require(grant, "organization")
	cli.Require(grant, "amount")
	return grant
}

// maxGrant keeps the sum of many grants within the range of a balance.
const maxGrant = 1_000_000_000_000

func (a *app) resetPasswordCommand() *cobra.Command {
	var email string
	var asJSON bool
	reset := &cobra.Command{
		Use:   "reset-password",
		Short: "Create a password reset link for a person",
		Long: "Prints a link that works once within 24 hours. Give it only to that person: anyone who opens it " +
			"can sign in as them.\n" +
			"The old password works until a new one is set.",
		Example: "  crier admin reset-password --email ada@example.com",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNode(cmd.Context(), func(n *server.Node) error {
				link, err := n.Services.People.ResetLink(cmd.Context(), email)
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(a.stdout).Encode(map[string]string{"resetUrl": link})
				}
				_, err = fmt.Fprintf(a.stdout, "Give this link to %s. It works once, for 24 hours:\n%s\n", email, link)
				return err
			})
		},
	}
	reset.Flags().StringVar(&email, "email", "", "address that the person signs in with")
	reset.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cli.Require(reset, "email")
	return reset
}
