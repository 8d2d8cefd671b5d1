package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/provider"
	"crier/internal/sandbox"
	"crier/internal/service"
)

func (a *app) sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sandbox",
		Short: "Run the simulator of the social networks alone",
		Long: "Runs the simulator of the social networks alone, so that several nodes share one and it survives their death.\n" +
			"Its front page shows the timelines. It listens on the address of --listen.",
		Example: "  crier sandbox --listen 127.0.0.1:8081 --data-dir sandbox-data\n  CRIER_SANDBOX_URL=http://127.0.0.1:8081 crier serve",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			listen := a.config.listen
			if !cmd.Flags().Changed("listen") {
				listen = a.config.sandboxListen
			}
			stop, done, err := a.startSandbox(cmd.Context(), listen, a.config.dataDir, a.logger())
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(a.stdout, "  The sandbox is ready at http://%s\n", reachable(listen)); err != nil {
				return err
			}
			select {
			case <-cmd.Context().Done():
				return stop()
			case err := <-done:
				return errors.Join(err, stop())
			}
		},
	}
}

// startSandbox serves the simulator until stop is called; done tells when it ended by itself.
func (a *app) startSandbox(ctx context.Context, listen, dataDir string, log *slog.Logger) (stop func() error, done <-chan error, err error) {
	box, err := sandbox.New(sandbox.Options{DataDir: dataDir, Now: a.now, Logger: log})
	if err != nil {
		return nil, nil, fmt.Errorf("open the sandbox: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("listen for the sandbox: %w (choose another address with --sandbox-listen)", err), box.Close())
	}
	server := newHTTPServer(box, log)
	server.ReadTimeout, server.WriteTimeout = 0, 0 // uploads are large, and slowness is one of its faults
	ended := make(chan error, 1)
	go func() { ended <- ignoreClosed(server.Serve(listener)) }()
	return func() error { return errors.Join(stopNow(server), box.Close()) }, ended, nil
}

// stopNow ends a server after a moment's grace.
func stopNow(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// ownSandbox starts the simulator of this process when the settings ask for one.
func (a *app) ownSandbox(ctx context.Context, log *slog.Logger) (stop func() error, err error) {
	if !a.config.sandbox || a.config.sandboxAt != "" || a.config.role == "worker" {
		return func() error { return nil }, nil
	}
	stop, _, err = a.startSandbox(ctx, a.config.sandboxListen, filepath.Join(a.config.dataDir, "sandbox"), log)
	return stop, err
}

// seeds are the sandbox accounts of a new tenant: one per network, known to every sandbox without asking it.
func (a *app) seeds() func(team crier.ID) ([]service.NewAccount, error) {
	if !a.config.sandbox {
		return nil
	}
	return func(team crier.ID) ([]service.NewAccount, error) {
		var accounts []service.NewAccount
		for _, network := range sandbox.Networks() {
			seed, err := sandbox.SeedAccount(network, "team"+string(team[len(team)-8:]))
			if err != nil {
				return nil, fmt.Errorf("make a sandbox account of %s: %w", network, err)
			}
			accounts = append(accounts, a.newAccount(seed))
		}
		return accounts, nil
	}
}

func (a *app) newAccount(seed sandbox.Seed) service.NewAccount {
	token := provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken), Scopes: seed.Scopes}
	if seed.ExpiresIn > 0 {
		token.ExpiresAt = a.now().Add(seed.ExpiresIn)
	}
	if seed.RefreshExpiresIn > 0 {
		token.RefreshExpiresAt = a.now().Add(seed.RefreshExpiresIn)
	}
	return service.NewAccount{
		Provider: crier.Provider(seed.Network),
		Sandbox:  true,
		Account: provider.ConnectedAccount{
			ProviderAccountID: seed.AccountID, DisplayName: seed.DisplayName, Handle: seed.Handle, SubType: seed.AccountKind, Token: token,
		},
	}
}
