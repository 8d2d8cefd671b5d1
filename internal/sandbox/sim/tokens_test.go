package sim

import (
	"strings"
	"testing"
	"time"
)

func TestTokenStandingFollowsTheClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		token Token
		want  Standing
	}{
		"never issued":          {Token{}, TokenUnknown},
		"without an end":        {Token{Value: "t"}, TokenLive},
		"an instant before":     {Token{Value: "t", ExpiresAt: now.Add(time.Nanosecond)}, TokenLive},
		"at its end":            {Token{Value: "t", ExpiresAt: now}, TokenExpired},
		"after its end":         {Token{Value: "t", ExpiresAt: now.Add(-time.Hour)}, TokenExpired},
		"taken back":            {Token{Value: "t", Revoked: true}, TokenRevoked},
		"taken back, then over": {Token{Value: "t", Revoked: true, ExpiresAt: now.Add(-time.Hour)}, TokenRevoked},
	} {
		if got := c.token.Standing(now); got != c.want {
			t.Errorf("%s: standing %d, want %d", name, got, c.want)
		}
	}
}

func TestTokenScopes(t *testing.T) {
	t.Parallel()
	token := Token{Scopes: []string{"read", "write"}}
	for _, c := range []struct {
		scopes []string
		want   bool
	}{
		{nil, true}, {[]string{"read"}, true}, {[]string{"write", "read"}, true},
		{[]string{"read", "delete"}, false}, {[]string{"READ"}, false}, {[]string{""}, false},
	} {
		if got := token.Has(c.scopes...); got != c.want {
			t.Errorf("has %v: %t", c.scopes, got)
		}
	}
}

func TestIssuedTokensAreUniqueAndExpire(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t, "")
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	tokens := newTokens(s)
	var first, second, endless Token
	if err := s.Update(func(tx *Tx) error {
		model := Token{Kind: AccessToken, AccountID: "1", ClientID: "app", Scopes: []string{"read"}, Seeded: true}
		first = tokens.Issue(tx, "at_", time.Hour, model)
		second = tokens.Issue(tx, "at_", time.Hour, model)
		endless = tokens.Issue(tx, "", 0, model)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if first.Value == second.Value || !strings.HasPrefix(first.Value, "at_") || len(first.Value) < 20 {
		t.Errorf("values are %q and %q", first.Value, second.Value)
	}
	if !first.ExpiresAt.Equal(now.Add(time.Hour)) || !first.IssuedAt.Equal(now) || first.Seeded {
		t.Errorf("token %+v", first)
	}
	if !endless.ExpiresAt.IsZero() || endless.Standing(now.AddDate(100, 0, 0)) != TokenLive {
		t.Errorf("token without an expiry: %+v", endless)
	}
	s.View(func() {
		if got, ok := tokens.Get(first.Value); !ok || got.AccountID != "1" || got.ClientID != "app" {
			t.Errorf("stored as %+v, %t", got, ok)
		}
	})
}

func TestRevokedTokenStaysRevokedAndIsWatched(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t, "")
	tokens := newTokens(s)
	var seen []bool
	tokens.Watch(func(_ string, before, after *Token) { seen = append(seen, before != nil, after.Revoked) })
	var token Token
	for _, change := range []func(tx *Tx){
		func(tx *Tx) { token = tokens.Issue(tx, "", time.Hour, Token{Kind: AccessToken}) },
		func(tx *Tx) { tokens.Revoke(tx, token) },
	} {
		if err := s.Update(func(tx *Tx) error { change(tx); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	s.View(func() {
		if got, _ := tokens.Get(token.Value); got.Standing(s.now()) != TokenRevoked {
			t.Errorf("token %+v", got)
		}
	})
	if len(seen) != 4 || seen[0] || seen[1] || !seen[2] || !seen[3] {
		t.Errorf("the watch saw %v", seen)
	}
}

// A rewritten journal drops tokens that expired a month ago, but keeps seeded ones: they would otherwise become valid
// again at their next use.
func TestTokenCompaction(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t, "")
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	tokens := newTokens(s)
	if err := s.Update(func(tx *Tx) error {
		tokens.Put(tx, Token{Value: "live", ExpiresAt: now.Add(time.Hour)})
		tokens.Put(tx, Token{Value: "endless"})
		tokens.Put(tx, Token{Value: "expired", ExpiresAt: now.Add(-tokenMemory + time.Second)})
		tokens.Put(tx, Token{Value: "forgotten", ExpiresAt: now.Add(-tokenMemory)})
		tokens.Put(tx, Token{Value: "seeded", ExpiresAt: now.Add(-2 * tokenMemory), Seeded: true})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var remaining []string
	for r, err := range tokens.table.dump() {
		if err != nil {
			t.Fatal(err)
		}
		remaining = append(remaining, r.Key)
	}
	if got := strings.Join(remaining, " "); got != "live endless expired seeded" {
		t.Errorf("remaining: %s", got)
	}
}
