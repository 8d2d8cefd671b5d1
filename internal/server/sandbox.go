package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/sandbox"
	"crier/internal/social"
)

// StartSandbox serves the simulator until stop is called; done reports when it ended by itself.
func (c *Config) StartSandbox(ctx context.Context, listen, dataDir string) (stop func() error,
	done <-chan error, err error) {
	box, err := sandbox.New(sandbox.Options{DataDir: dataDir, Now: c.Now, Logger: c.Logger, Grows: true})
	if err != nil {
		return nil, nil, fmt.Errorf("open the sandbox: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("listen for the sandbox: %w%s", err,
			listenHint(err, "--sandbox-listen")), box.Close())
	}
	server := newHTTPServer(box, c.Logger)
	server.ReadTimeout, server.WriteTimeout = 0, 0 // uploads are large, and slowness is one of its faults
	ended := make(chan error, 1)
	go func() { ended <- ignoreClosed(server.Serve(listener)) }()
	return func() error { return errors.Join(stopNow(server), box.Close()) }, ended, nil
}

// stopNow stops a server after a short grace period.
func stopNow(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// ownSandbox starts the simulator in this process when the settings ask for one.
func (c *Config) ownSandbox(ctx context.Context) (stop func() error, err error) {
	if !c.Sandbox || c.SandboxAt != "" || c.Role == "worker" {
		return func() error { return nil }, nil
	}
	stop, _, err = c.StartSandbox(ctx, c.SandboxListen, filepath.Join(c.DataDir, "sandbox"))
	return stop, err
}

// Seeds returns the sandbox accounts of a new tenant, one per network: known to every sandbox, with everything that
// connecting them by consent would return. They are read from a sandbox in this process, so none has to run.
func (c *Config) Seeds(ctx context.Context) ([]social.NewAccount, error) {
	if !c.Sandbox {
		return nil, nil
	}
	box, err := sandbox.New(sandbox.Options{BaseURL: c.SandboxURL(), Now: c.Now})
	if err != nil {
		return nil, fmt.Errorf("open the sandbox: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for the sandbox: %w", err), box.Close())
	}
	server := newHTTPServer(box, c.Logger)
	ended := make(chan error, 1)
	go func() { ended <- ignoreClosed(server.Serve(listener)) }()
	accounts, err := c.seedAccounts(ctx, "http://"+listener.Addr().String())
	return accounts, errors.Join(err, server.Close(), <-ended, box.Close())
}

func (c *Config) seedAccounts(ctx context.Context, sandboxURL string) ([]social.NewAccount, error) {
	networks, err := c.registryAt(sandboxURL)
	if err != nil {
		return nil, err
	}
	handle := sandbox.MadeUpHandle(string(crier.NewID()))
	var accounts []social.NewAccount
	for _, network := range sandbox.Networks() {
		seed, err := sandbox.SeedAccount(network, handle)
		if err != nil {
			return nil, fmt.Errorf("make a sandbox account of %s: %w", network, err)
		}
		account, err := described(ctx, networks, c.NewAccount(seed))
		if err != nil {
			return nil, fmt.Errorf("connect a sandbox account of %s: %w", network, err)
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

// NewAccount returns the account of a seed.
func (c *Config) NewAccount(seed sandbox.Seed) social.NewAccount {
	token := provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken),
		Scopes: seed.Scopes}
	if seed.ExpiresIn > 0 {
		token.ExpiresAt = c.Now().Add(seed.ExpiresIn)
	}
	if seed.RefreshExpiresIn > 0 {
		token.RefreshExpiresAt = c.Now().Add(seed.RefreshExpiresIn)
	}
	return social.NewAccount{
		Provider: crier.Provider(seed.Network),
		Sandbox:  true,
		Account: provider.ConnectedAccount{
			ProviderAccountID: seed.AccountID, DisplayName: seed.DisplayName, Handle: seed.Handle,
			SubType: seed.AccountKind, Details: seed.Details, Token: token,
		},
	}
}

// described returns an account with the profile that its network reports.
func described(ctx context.Context, networks *provider.Registry, account social.NewAccount) (social.NewAccount,
	error) {
	p, ok := networks.Get(string(account.Provider))
	if !ok {
		return account, nil
	}
	profiler := networks.Features(p).Profiler
	if profiler == nil {
		return account, nil
	}
	known := account.Account
	seen, err := profiler.Profile(ctx, provider.Account{ProviderAccountID: known.ProviderAccountID,
		Scopes: known.Token.Scopes, Details: known.Details, Token: known.Token})
	if err != nil {
		return account, err
	}
	seen.Token = known.Token
	account.Account = seen
	return account, nil
}
