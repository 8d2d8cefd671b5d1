package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) adminCommand() *cobra.Command {
	return group("admin", "Operate an installation",
		"  crier admin create-organization --name \"Acme\"\n  crier admin reset-password --email ada@example.com",
		a.createOrganizationCommand(), a.resetPasswordCommand())
}

func (a *app) createOrganizationCommand() *cobra.Command {
	var name string
	var asJSON bool
	create := &cobra.Command{
		Use:     "create-organization",
		Short:   "Add an organization with an owner of its own, an API key and credits",
		Example: "  crier admin create-organization --name \"Acme\" --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNode(cmd.Context(), func(n *node) error {
				t, err := n.services.Instance.CreateTenant(cmd.Context(), a.tenant(name))
				if err != nil {
					return err
				}
				return a.printTenant(t, asJSON)
			})
		},
	}
	addTenantFlags(create, &name, &asJSON, "")
	mustRequire(create, "name")
	return create
}

func (a *app) resetPasswordCommand() *cobra.Command {
	var email string
	var asJSON bool
	reset := &cobra.Command{
		Use:   "reset-password",
		Short: "Make a link by which somebody who has lost their password chooses another one",
		Long: "Prints a link that works once, for 24 hours. Give it to the person and to nobody else: whoever opens it is that person.\n" +
			"The old password works until another one is chosen.",
		Example: "  crier admin reset-password --email ada@example.com",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withNode(cmd.Context(), func(n *node) error {
				link, err := n.services.People.ResetLink(cmd.Context(), email)
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
	mustRequire(reset, "email")
	return reset
}

// mustRequire makes a flag required that the command has.
func mustRequire(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // by a programmer's error only
	}
}
