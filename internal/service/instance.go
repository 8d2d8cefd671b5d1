package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/ledger"
	"crier/internal/social"
	"crier/internal/store"
)

// setupLinkLife is how long a set-up link works.
const setupLinkLife = 7 * 24 * time.Hour

// Instance initializes a store and binds it to its secret key. Its methods are for operator commands: they take no
// scope and have no route, except the set-up page.
type Instance struct {
	store         *store.Store
	keys          *auth.Keyring
	connections   *social.Connections
	organizations *Organizations
	apiKeys       *Keys
	clock         crier.Clock
	passwords     *auth.PasswordHasher
	people        *People
	log           *slog.Logger
	// acceptLostKeys: see Config.
	acceptLostKeys []string
}

// Tenant is a new organization with its secrets, which are shown once.
type Tenant struct {
	OrganizationID crier.ID
	TeamID         crier.ID
	APIKey         string
	SetupToken     string
	Accounts       []crier.SocialAccount
}

// TenantRequest describes a new organization.
type TenantRequest struct {
	Name crier.Name
	// Credits are granted to it.
	Credits int64
	// Accounts creates the accounts of its first team; nil means none.
	Accounts func(team crier.ID) ([]social.NewAccount, error)
}

// BindKey rejects a secret key that does not belong to this store. A ring that starts with a new key and contains the
// old one rebinds the store to the new one; so does any ring if the old key is accepted as lost, by its id. A ring that
// lacks the key of records is rejected, too.
func (s *Instance) BindKey(ctx context.Context) error {
	if err := s.CheckKey(ctx); err != nil { // it explains more than the records would
		return err
	}
	if err := s.CheckRecords(ctx, true); err != nil {
		return err
	}
	return s.bind(ctx)
}

func (s *Instance) bind(ctx context.Context) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockInstance(ctx); err != nil {
			return err
		}
		bound, err := tx.KeyFingerprint(ctx)
		if err != nil || bound == s.keys.Fingerprint() {
			return err
		}
		if !s.fits(bound) {
			return s.otherKey([]string{keyID(bound)}, bound)
		}
		return tx.SetKeyFingerprint(ctx, s.keys.Fingerprint(), s.clock.Now())
	})
}

// CheckKey rejects a ring without the key that the store is bound to.
func (s *Instance) CheckKey(ctx context.Context) error {
	bound, err := s.store.KeyFingerprint(ctx)
	if err != nil {
		return err
	}
	if s.fits(bound) {
		return nil
	}
	return s.otherKey(s.lostKeys(ctx, bound), bound)
}

func (s *Instance) fits(bound string) bool {
	return bound == "" || s.keys.Holds(bound) || slices.Contains(s.acceptLostKeys, keyID(bound))
}

func (s *Instance) otherKey(lost []string, bound string) error {
	return fmt.Errorf("this store is sealed with another secret key (%s, this one is %s): "+
		"start with the key it was made with, or list the new key first and the old one behind a comma; %s",
		keyID(bound), keyID(s.keys.Fingerprint()), acceptLost(lost))
}

// Empty reports whether the store has no tenants.
func (s *Instance) Empty(ctx context.Context) (bool, error) {
	inUse, err := s.store.HasUsers(ctx)
	return !inUse, err
}

// ErrInUse means that a store is not empty. It has no kind: scripts expect that crier init ends with 1 then.
var ErrInUse = errors.New("the store is in use already; nothing was changed. A further organization is made with: " +
	"crier admin create-organization")

// Initialise creates the first tenant of an empty store.
func (s *Instance) Initialise(ctx context.Context, in TenantRequest) (Tenant, error) {
	var tenant Tenant
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockInstance(ctx); err != nil {
			return err
		}
		inUse, err := tx.HasUsers(ctx)
		if err != nil {
			return err
		}
		if inUse {
			return ErrInUse
		}
		tenant, err = s.addTenant(ctx, tx, in)
		return err
	})
	return tenant, err
}

// CreateTenant creates an organization with its owner, a key and credits.
func (s *Instance) CreateTenant(ctx context.Context, in TenantRequest) (Tenant, error) {
	var tenant Tenant
	err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
		tenant, err = s.addTenant(ctx, tx, in)
		return err
	})
	return tenant, err
}

func (s *Instance) addTenant(ctx context.Context, tx *store.Tx, in TenantRequest) (Tenant, error) {
	now := s.clock.Now()
	owner := crier.User{ID: crier.NewID(), Name: "Owner"}
	if err := tx.InsertUser(ctx, owner, now); err != nil {
		return Tenant{}, err
	}
	o, team, err := s.organizations.found(ctx, tx, in.Name, crier.RoleOwner,
		store.Membership{Kind: store.UserPrincipal, PrincipalID: owner.ID})
	if err != nil {
		return Tenant{}, err
	}
	key, err := s.apiKeys.insertKey(ctx, tx, crier.APIKey{
		ID: crier.NewID(), OrganizationID: o.ID, Name: "First key", Role: crier.RoleOwner, CreatedByID: &owner.ID,
		CreatedAt: now, UpdatedAt: now,
	}, o)
	if err != nil {
		return Tenant{}, err
	}
	if in.Credits > 0 {
		if _, err := s.grant(ctx, tx, o.ID, in.Credits); err != nil {
			return Tenant{}, err
		}
	}
	accounts, err := s.seedAccounts(ctx, tx, team.ID, in)
	if err != nil {
		return Tenant{}, err
	}
	token := auth.NewLinkToken()
	err = tx.InsertSetupLink(ctx, auth.Hash(token), owner.ID, crier.TimeOf(now.Add(setupLinkLife)))
	return Tenant{OrganizationID: o.ID, TeamID: team.ID, APIKey: key.Secret, SetupToken: token, Accounts: accounts}, err
}

// GrantCredits grants credits to an organization and returns its new balance.
func (s *Instance) GrantCredits(ctx context.Context, organization crier.ID, amount int64) (balance int64, err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockOrganization(ctx, organization); err != nil {
			return err
		}
		balance, err = s.grant(ctx, tx, organization, amount)
		return err
	})
	return balance, err
}

// grant books credits for a locked organization and records it.
func (s *Instance) grant(ctx context.Context, tx *store.Tx, organization crier.ID, amount int64) (balance int64,
	err error) {
	now := s.clock.Now()
	err = ledger.Grant(ctx, tx, ledger.Charge{Organization: organization, Amount: amount, At: now})
	if err != nil {
		return 0, err
	}
	credits, err := tx.LockCredits(ctx, organization)
	if err != nil {
		return 0, err
	}
	return credits.Balance, recordOf(tx, now, organization, crier.CreditsGranted, crier.CreditsEvent{
		CreditsBalance: credits.Balance, ReservedCredits: credits.Reserved,
		AvailableCredits: credits.Balance - credits.Reserved, Amount: amount,
	}, nil)
}

// seedAccounts connects the initial accounts of a new team.
func (s *Instance) seedAccounts(ctx context.Context, tx *store.Tx, team crier.ID,
	in TenantRequest) ([]crier.SocialAccount, error) {
	accounts := []crier.SocialAccount{}
	if in.Accounts == nil {
		return accounts, nil
	}
	wanted, err := in.Accounts(team)
	if err != nil {
		return nil, err
	}
	for _, w := range wanted {
		a, err := s.connections.Insert(ctx, tx, team, w)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, a.SocialAccount)
	}
	return accounts, nil
}

// CheckSetupLink is nil while a set-up link can be used.
func (s *Instance) CheckSetupLink(ctx context.Context, token string) error {
	_, err := s.store.SetupLinkUser(ctx, auth.Hash(token), s.clock.Now())
	return err
}

// SetUpOwner gives the person of a set-up link a name, an e-mail address and a password, and signs them in; the link
// ends with it.
func (s *Instance) SetUpOwner(ctx context.Context, token string, name crier.Name, email crier.Email, password string,
	from Browser) (Session, error) {
	if err := checkOwner(name, email, password); err != nil {
		return Session{}, err
	}
	email = crier.Email(foldEmail(string(email)))
	hash, err := s.passwords.Hash(ctx, password)
	if err != nil {
		return Session{}, err
	}
	var owner crier.ID
	err = s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
		owner, err = tx.UseSetupLink(ctx, auth.Hash(token), email, name.Trimmed(), hash, s.clock.Now())
		return err
	})
	if err != nil {
		return Session{}, err
	}
	return s.people.begin(ctx, crier.User{ID: owner, Name: name.Trimmed(), Email: &email}, string(email), from)
}

func checkOwner(name crier.Name, email crier.Email, password string) error {
	var issues []crier.Issue
	if problem := name.Problem(); problem != "" {
		issues = append(issues, crier.At(problem, "name"))
	}
	if problem := email.Problem(); problem != "" {
		issues = append(issues, crier.At(problem, "email"))
	}
	if problem := passwordProblem(password, email); problem != "" {
		issues = append(issues, crier.At(problem, "password"))
	}
	if issues != nil {
		return crier.Invalid(issues...)
	}
	return nil
}
