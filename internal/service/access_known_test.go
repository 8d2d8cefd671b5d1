package service

import (
	"context"
	"errors"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/store/storetest"
)

// kindOfError returns the kind of an error of the vocabulary.
func kindOfError(err error) crier.Kind {
	if refused, ok := errors.AsType[*crier.Error](err); ok {
		return refused.Kind
	}
	return ""
}

func TestRevokedKeyIsRejectedAtOnceLocallyAndWithinASecondElsewhere(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		ctx := context.Background()
		here, there := newRules(t, db.Open(t), testSecret), newRules(t, db.Open(t), testSecret)
		tenant, err := here.Instance.Initialise(ctx, TenantRequest{Name: "Acme"})
		if err != nil {
			t.Fatal(err)
		}
		let := func(r *rules, token string) error {
			_, err := r.Access.Authenticate(ctx, token)
			return err
		}
		owner, err := here.Access.Authenticate(ctx, tenant.APIKey)
		if err != nil {
			t.Fatal(err)
		}
		scope, err := here.Access.Organization(ctx, owner, tenant.OrganizationID, crier.ManageAPIKeys)
		if err != nil {
			t.Fatal(err)
		}
		key, err := here.Keys.Create(ctx, scope, crier.APIKeyCreate{Name: "ci", Role: crier.RoleAdmin})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(let(here, key.Secret), let(there, key.Secret)); err != nil {
			t.Fatal(err)
		}
		if _, err := here.Keys.Revoke(ctx, scope, key.ID); err != nil {
			t.Fatal(err)
		}
		if err := let(here, key.Secret); kindOfError(err) != crier.KindUnauthorized {
			t.Errorf("the node that revoked the key: %v", err)
		}
		there.time = there.time.Add(time.Second)
		if err := let(there, key.Secret); kindOfError(err) != crier.KindUnauthorized {
			t.Errorf("another node a second later: %v", err)
		}
	})
}

// The identity of a caller may be cached for a moment; its permissions are not, on any node.
func TestDemotionAppliesAtOnceOnAllNodes(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		ctx := context.Background()
		here, there := newRules(t, db.Open(t), testSecret), newRules(t, db.Open(t), testSecret)
		tenant, err := here.Instance.Initialise(ctx, TenantRequest{Name: "Acme"})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*rules{here, there} {
			if _, err := r.Access.Authenticate(ctx, tenant.APIKey); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := here.store.Writer().ExecContext(ctx, `UPDATE memberships SET role = 'viewer'`); err != nil {
			t.Fatal(err)
		}
		for _, r := range []*rules{here, there} {
			caller, err := r.Access.AuthenticateAhead(ctx, tenant.APIKey, access.Lookahead{TeamID: tenant.TeamID})
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Access.Team(ctx, caller, tenant.TeamID, crier.WritePosts)
			if kindOfError(err) != crier.KindForbidden {
				t.Errorf("a viewer may write: %v", err)
			}
		}
	})
}

// The rows that are read with the credential equal those that are read without it.
func TestPrefetchMatchesLaterReads(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		ctx := context.Background()
		r := newRules(t, db.Open(t), testSecret)
		tenant, err := r.Instance.Initialise(ctx, TenantRequest{Name: "Acme"})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // read, then cached
			caller, err := r.Access.AuthenticateAhead(ctx, tenant.APIKey, access.Lookahead{TeamID: tenant.TeamID,
				OrganizationID: tenant.OrganizationID, IdempotencyKey: "k"})
			if err != nil {
				t.Fatal(err)
			}
			ahead, err := r.Access.Team(ctx, caller, tenant.TeamID, crier.Read)
			if err != nil {
				t.Fatal(err)
			}
			r.time = r.time.Add(time.Second) // as after a slow transfer
			later, err := r.Access.Team(ctx, caller, tenant.TeamID, crier.Read)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(ahead.Team(), later.Team()) || !ahead.Can(crier.Read) || !later.Can(crier.Read) {
				t.Errorf("ahead %+v, later %+v", ahead, later)
			}
			if _, err := r.Access.Team(ctx, caller, crier.NewID(), crier.Read); kindOfError(err) != crier.KindNotFound {
				t.Errorf("another team: %v", err)
			}
		}
	})
}
