package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"crier/internal/server"
)

func (a *app) migrateCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "migrate",
		Short:   "Migrate the database schema",
		Long:    "Migrates the database schema. serve does it automatically; run it before upgrading many nodes.",
		Example: "  crier migrate\n  crier migrate --database-url postgres://crier@db/crier",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			n, err := server.Open(cmd.Context(), a.config.Config)
			if err != nil {
				return err
			}
			defer func() { _ = n.Store.Close() }()
			applied, err := n.Prepare(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(map[string][]string{"applied": append([]string{}, applied...)})
			}
			for _, name := range applied {
				fmt.Fprintln(a.stdout, "applied", name)
			}
			_, err = fmt.Fprintln(a.stdout, "The schema is up to date.")
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for scripts")
	return cmd
}
