package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"crier/internal/api"
	"crier/internal/service"
)

func (a *app) openAPICommand() *cobra.Command {
	return &cobra.Command{
		Use:     "openapi",
		Short:   "Print the OpenAPI document",
		Long:    "Prints the OpenAPI 3.1 document of the HTTP API, as served at /openapi.json.",
		Example: "  crier openapi > openapi.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			networks, err := a.config.Registry()
			if err != nil {
				return err
			}
			log := slog.New(slog.DiscardHandler)
			server := api.New(api.Config{
				Services: service.Catalogue(networks),
				Now:      a.now, Logger: log, Version: version,
			})
			_, err = fmt.Fprintf(a.stdout, "%s\n", server.OpenAPI())
			return err
		},
	}
}
