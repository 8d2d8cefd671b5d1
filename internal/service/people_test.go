package service

import (
	"context"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

const ownersPassword = "four plain words here"

// newOwner sets up a tenant whose owner signs in with an address and ownersPassword.
func (r *rules) newOwner(tb testing.TB, email crier.Email) {
	tb.Helper()
	tenant, err := r.Instance.CreateTenant(tb.Context(), TenantRequest{Name: "Acme"})
	if err == nil {
		_, err = r.Instance.SetUpOwner(tb.Context(), tenant.SetupToken, "Ada", email, ownersPassword,
			Browser{Address: "192.0.2.1"})
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func TestFailedLoginsElsewhereDoNotLockOutTheOwner(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r := newRules(t, st, testSecret)
		r.newOwner(t, "ada@example.com")
		signIn := func(address, password string) error {
			_, err := r.People.SignIn(context.Background(), "ada@example.com", password, Browser{Address: address})
			return err
		}
		for range freeGuesses {
			wantKind(t, signIn("203.0.113.5", "a wrong password"), crier.KindUnauthorized)
		}
		wantKind(t, signIn("203.0.113.5", ownersPassword), crier.KindTooManyRequests)
		if err := signIn("192.0.2.1", ownersPassword); err != nil {
			t.Errorf("the owner is locked out: %v", err)
		}
		if err := signIn("198.51.100.7", ownersPassword); err != nil {
			t.Errorf("the owner is locked out on the way: %v", err)
		}
	})
}

func TestLoginThrottleSpansNetworks(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r := newRules(t, st, testSecret)
		r.newOwner(t, "ada@example.com")
		err := st.WithTx(t.Context(), func(tx *store.Tx) error { // as many as guesses from a thousand IP networks
			return tx.NoteSignIn(t.Context(), "ada@example.com", freeGuessesAnywhere,
				crier.TimeOf(r.time.Add(time.Minute)))
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			address string
			refused bool
		}{{"203.0.113.9", true}, {"2001:db8::1", true}, {"192.0.2.1", false}} {
			_, err := r.People.SignIn(t.Context(), "ada@example.com", ownersPassword, Browser{Address: c.address})
			if c.refused {
				wantKind(t, err, crier.KindTooManyRequests)
			} else if err != nil {
				t.Errorf("%d: the network that the owner has a session from is locked out: %v", i, err)
			}
		}
	})
}

func TestPasswordProblem(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"short":                  "10 to 200 characters",
		strings.Repeat("a", 201): "10 to 200 characters",
		"Ada@Example.com":        "e-mail address",
		"1234567890":             "tried first",
		"QWERTYUIOP":             "tried first",
		ownersPassword:           "",
	} {
		if got := passwordProblem(password, "ada@example.com"); !strings.Contains(got, want) ||
			want == "" && got != "" {
			t.Errorf("%q: %q, want %q", password, got, want)
		}
	}
}
