package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "migrate",
		Short:   "Bring the database schema up to date",
		Long:    "Brings the database schema up to date. serve does it by itself; run it before an upgrade of many nodes.",
		Example: "  crier migrate\n  crier migrate --database-url postgres://crier@db/crier",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			n, err := a.openNode(cmd.Context(), a.logger())
			if err != nil {
				return err
			}
			defer func() { _ = n.store.Close() }()
			applied, err := n.prepare(cmd.Context())
			if err != nil {
				return err
			}
			for _, name := range applied {
				fmt.Fprintln(a.stdout, "applied", name)
			}
			_, err = fmt.Fprintln(a.stdout, "The schema is up to date.")
			return err
		},
	}
}
