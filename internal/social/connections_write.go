package social

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/provider"
	"crier/internal/store"
)

// connect writes the only account of a consent.
func (s *Connections) connect(ctx context.Context, c store.Connection,
	accounts []provider.ConnectedAccount) (connected []crier.SocialAccount, err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		connected, err = s.connectAll(ctx, tx, c, accounts)
		return err
	})
	return connected, err
}

// connectAll writes accounts of a consent. One that the team already had keeps its id, and its waiting posts are
// published.
func (s *Connections) connectAll(ctx context.Context, tx *store.Tx, c store.Connection,
	accounts []provider.ConnectedAccount) ([]crier.SocialAccount, error) {
	if err := s.starterMay(ctx, tx, c); err != nil {
		return nil, err
	}
	var connected []crier.SocialAccount
	for _, a := range accounts {
		account, err := s.connectOne(ctx, tx, c, a)
		if err != nil {
			return nil, err
		}
		connected = append(connected, account.SocialAccount)
	}
	return connected, s.auditConnected(ctx, tx, c, connected)
}

// starterMay checks again that the principal who started a connection may connect accounts to the team: minutes have
// passed, in which a member may have been removed, a key revoked or the team deleted.
func (s *Connections) starterMay(ctx context.Context, tx *store.Tx, c store.Connection) error {
	if c.PrincipalID == "" { // started by a version that did not store it
		return nil
	}
	may, err := startedBy(c).MayStill(ctx, tx, c.TeamID, crier.ManageSocialAccounts, s.clock.Now())
	if err != nil || may {
		return err
	}
	return errStarterMayNot
}

// errStarterMayNot ends a connection if the principal who started it has lost the permission.
var errStarterMayNot = crier.Forbidden("The caller that started this connection may no longer connect accounts to " +
	"the team. Nothing was connected.")

func startedBy(c store.Connection) access.Principal {
	return access.Principal{Kind: c.PrincipalKind, ID: c.PrincipalID, PersonID: c.PersonID}
}

// auditConnected records the connected accounts in the audit log, on behalf of the principal who started the
// connection.
func (s *Connections) auditConnected(ctx context.Context, tx *store.Tx, c store.Connection,
	connected []crier.SocialAccount) error {
	if c.PrincipalID == "" { // started by a version that did not store it
		return nil
	}
	changes := struct {
		Provider         crier.Provider `json:"provider"`
		SocialAccountIDs []crier.ID     `json:"socialAccountIds"`
	}{Provider: c.Provider}
	for _, a := range connected {
		changes.SocialAccountIDs = append(changes.SocialAccountIDs, a.ID)
	}
	body, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("encode the connected accounts: %w", err)
	}
	access.AuditPrincipal(ctx, startedBy(c), body)
	access.AuditIn(ctx, c.OrganizationID, &c.TeamID)
	return s.writes.Audit(ctx, tx, nil)
}

func (s *Connections) connectOne(ctx context.Context, tx *store.Tx, c store.Connection,
	a provider.ConnectedAccount) (store.Account, error) {
	known, err := tx.AccountByIdentity(ctx, c.TeamID, c.Provider, a.ProviderAccountID)
	if err != nil {
		return store.Account{}, err
	}
	if known == nil {
		return s.Insert(ctx, tx, c.TeamID, NewAccount{Provider: c.Provider, Sandbox: s.sandbox, Account: a})
	}
	now, before := s.clock.Now(), *known
	known.DisplayName, known.ProfileHandle, known.ProfileImageURL = a.DisplayName, crier.TextOrNil(a.Handle),
		crier.TextOrNil(a.ImageURL)
	known.AccountSubType, known.Status, known.ConnectedAt, known.DisconnectedAt = crier.TextOrNil(a.SubType),
		crier.AccountConnected, now, nil
	known.AccountHealthIssue, known.AccountHealthMessage, known.AccountHealthSince = nil, nil, nil
	known.Sandbox, known.UpdatedAt = s.sandbox, now
	if len(a.Details) > 0 {
		known.ProviderSettings = a.Details
	}
	if err := s.engine.Tokens.Seal(known, a.Token); err != nil {
		return *known, err
	}
	if err := tx.UpdateAccount(ctx, *known); err != nil {
		return *known, err
	}
	if err := s.views.record(tx, &before, *known); err != nil {
		return *known, err
	}
	return *known, s.wakeAccount(ctx, tx, known.ID)
}
