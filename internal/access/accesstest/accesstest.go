// Package accesstest signs in the owner of a store's fixture, for tests of rules that need a scope.
package accesstest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// Guest is the owner of a fixture, signed in.
type Guest struct {
	tb      testing.TB
	f       *storetest.Fixture
	Control *access.Control
	Caller  access.Caller
}

// Owner signs in the owner of a fixture.
func Owner(tb testing.TB, f *storetest.Fixture) Guest {
	tb.Helper()
	return SignIn(tb, f, f.Owner)
}

// SignIn signs in a person of a fixture.
func SignIn(tb testing.TB, f *storetest.Fixture, person crier.User) Guest {
	tb.Helper()
	clock := crier.Clock(func() time.Time { return f.Now.Time })
	g := Guest{tb: tb, f: f, Control: access.New(f.Store, clock, slog.New(slog.DiscardHandler))}
	token := auth.NewLinkToken()
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		return tx.InsertSession(ctx, store.Session{ID: crier.NewID(), Hash: auth.Hash(token), User: person,
			CreatedAt: f.Now, ExpiresAt: f.After(time.Hour)})
	})
	var err error
	if g.Caller, err = g.Control.AuthenticateSession(tb.Context(), token); err != nil {
		tb.Fatal(err)
	}
	return g
}

// Team returns a scope of the fixture's team.
func (g Guest) Team(p crier.Permission) access.TeamScope {
	g.tb.Helper()
	scope, err := g.Control.Team(g.tb.Context(), g.Caller, g.f.Team.ID, p)
	if err != nil {
		g.tb.Fatal(err)
	}
	return scope
}

// Organization returns a scope of the fixture's organization.
func (g Guest) Organization(p crier.Permission) access.OrgScope {
	g.tb.Helper()
	scope, err := g.Control.Organization(g.tb.Context(), g.Caller, g.f.Organization.ID, p)
	if err != nil {
		g.tb.Fatal(err)
	}
	return scope
}
