package service

import (
	"context"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

const newPassword = "five other plain words here"

// resetToken returns the token in the link for a lost password.
func (r *rules) resetToken(t *testing.T, email string) string {
	t.Helper()
	address, err := r.People.ResetLink(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	_, token, ok := strings.Cut(address, "/reset-password?token=")
	if !ok {
		t.Fatalf("the link is %s", address)
	}
	return token
}

// withAddresses sets the address of the installation's links.
func withAddresses(c *Config) { c.PublicURL = "https://crier.example" }

func TestPasswordResetLinkWorksOnce(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRulesWith(t, st, testSecret, withAddresses), context.Background()
		r.newOwner(t, "ada@example.com")
		_, err := r.People.ResetLink(ctx, "nobody@example.com")
		wantKind(t, err, crier.KindNotFound)
		token, second := r.resetToken(t, " ADA@example.com "), r.resetToken(t, "ada@example.com")
		begun := r.time
		parts := strings.Split(token, ".")
		for name, c := range map[string]struct {
			token string
			after time.Duration
			good  bool
		}{
			"at the last second":  {token, resetLife - time.Second, true},
			"too late":            {token, resetLife, false},
			"for somebody else":   {string(crier.NewID()) + "." + parts[1] + "." + parts[2], 0, false},
			"for longer":          {parts[0] + ".99999999999." + parts[2], 0, false},
			"without a signature": {parts[0] + "." + parts[1] + ".", 0, false},
			"cut off":             {parts[0] + "." + parts[1], 0, false},
			"nothing":             {"", 0, false},
		} {
			r.time = begun.Add(c.after)
			if err := r.People.CheckResetLink(ctx, c.token); (err == nil) != c.good ||
				!c.good && !crier.IsKind(err, crier.KindNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		r.time = begun
		old, err := r.People.SignIn(ctx, "ada@example.com", ownersPassword, Browser{Address: "192.0.2.1"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.People.ResetPassword(ctx, token, "short", Browser{})
		wantIssueAt(t, err, "password")
		session, err := r.People.ResetPassword(ctx, token, newPassword, Browser{Address: "192.0.2.1"})
		if err != nil {
			t.Fatal(err)
		}
		for _, used := range []string{token, second} { // both were for the old password
			wantKind(t, r.People.CheckResetLink(ctx, used), crier.KindNotFound)
		}
		if user, err := r.People.User(ctx, old.Token); user != nil || err != nil {
			t.Errorf("a session from before goes on: %v, %v", user, err)
		}
		if user, err := r.People.User(ctx, session.Token); user == nil || err != nil {
			t.Errorf("the new session does not: %v", err)
		}
		_, err = r.People.SignIn(ctx, "ada@example.com", ownersPassword, Browser{Address: "192.0.2.1"})
		wantKind(t, err, crier.KindUnauthorized)
	})
}

func TestPasswordChangeRequiresTheCurrentOne(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx, at := newRules(t, st, testSecret), context.Background(), Browser{Address: "192.0.2.1"}
		r.newOwner(t, "ada@example.com")
		old, err := r.People.SignIn(ctx, "ada@example.com", ownersPassword, at)
		if err != nil {
			t.Fatal(err)
		}
		change := func(current, next string) error {
			_, err := r.People.ChangePassword(ctx, old.User.ID, current, next, at)
			return err
		}
		wantKind(t, change("a wrong password", newPassword), crier.KindUnauthorized)
		wantIssueAt(t, change(ownersPassword, "ada@example.com"), "password")
		if err := change(ownersPassword, newPassword); err != nil {
			t.Fatal(err)
		}
		if user, err := r.People.User(ctx, old.Token); user != nil || err != nil {
			t.Errorf("the session from before goes on: %v, %v", user, err)
		}
		wantKind(t, change(ownersPassword, newPassword), crier.KindUnauthorized)
		_, err = r.People.ChangePassword(ctx, crier.NewID(), ownersPassword, newPassword, at)
		wantKind(t, err, crier.KindUnauthorized)
	})
}

func TestSessionsExpireAndCanBeEnded(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx, at := newRules(t, st, testSecret), context.Background(), Browser{Address: "192.0.2.1",
			UserAgent: "A\x07 b"}
		r.newOwner(t, "ada@example.com")
		begin := func() Session {
			t.Helper()
			person, err := st.UserByEmail(ctx, "ada@example.com")
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.People.begin(ctx, person.User, "", at)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		lives := func(s Session) bool {
			t.Helper()
			user, err := r.People.User(ctx, s.Token)
			if err != nil {
				t.Fatal(err)
			}
			return user != nil
		}
		first, second, third := begin(), begin(), begin()
		if err := r.People.SignOut(ctx, first.Token); err != nil || lives(first) || !lives(second) {
			t.Errorf("after signing out of one: %v", err)
		}
		caller, err := r.Access.AuthenticateSession(ctx, second.Token)
		if err != nil {
			t.Fatal(err)
		}
		scope := r.Access.Caller(caller)
		list, err := r.People.Sessions(ctx, scope)
		current := 0
		for _, s := range list.Data {
			if s.Current {
				current++
			}
			if !strings.HasPrefix(s.Name, "A b") && s.Name != "" {
				t.Errorf("the browser is called %q", s.Name)
			}
		}
		if err != nil || current != 1 {
			t.Errorf("%d of %d sessions are the present one, %v", current, len(list.Data), err)
		}
		_, err = r.People.EndSession(ctx, scope, crier.NewID())
		wantKind(t, err, crier.KindNotFound)
		if err := r.People.SignOutEverywhere(ctx, second.User.ID); err != nil || lives(second) || lives(third) {
			t.Errorf("after signing out everywhere: %v", err)
		}
		last := begin()
		r.time = r.time.Add(sessionLife - time.Microsecond)
		if !lives(last) {
			t.Error("the session ends early")
		}
		if r.time = r.time.Add(time.Microsecond); lives(last) {
			t.Error("the session does not end")
		}
	})
}
