package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// openAccounts returns the accounts of an empty network, and a function that writes an account at a given time.
func openAccounts(t *testing.T) (*Store, *Accounts, func(at time.Time, a Account)) {
	t.Helper()
	s, _ := openStore(t, "")
	accounts := newAccounts(s)
	return s, accounts, func(at time.Time, a Account) {
		t.Helper()
		s.now = func() time.Time { return at }
		if err := s.Update(func(tx *Tx) error { accounts.Put(tx, a); return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAccountsAreFoundByIDAndByHandleInAnyCase(t *testing.T) {
	t.Parallel()
	s, accounts, put := openAccounts(t)
	created := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	put(created, Account{ID: "1", Handle: "Ada_L", Name: "Ada"})
	s.View(func() {
		for _, handle := range []string{"Ada_L", "ada_l", "ADA_L"} {
			if a, ok := accounts.ByHandle(handle); !ok || a.ID != "1" || !a.CreatedAt.Equal(created) {
				t.Errorf("%s finds %+v, %t", handle, a, ok)
			}
		}
		for _, handle := range []string{"", "ada", "ada_l "} {
			if a, ok := accounts.ByHandle(handle); ok {
				t.Errorf("%q finds %+v", handle, a)
			}
		}
		if a, ok := accounts.Get("1"); !ok || a.Handle != "Ada_L" {
			t.Errorf("the id finds %+v, %t", a, ok)
		}
	})
}

func TestChangedAccountKeepsItsCreationTimeAndPosition(t *testing.T) {
	t.Parallel()
	s, accounts, put := openAccounts(t)
	created := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	put(created, Account{ID: "1", Handle: "ada"})
	put(created, Account{ID: "2", Handle: "bob"})
	var ada Account
	s.View(func() { ada, _ = accounts.Get("1") })
	ada.Name = "Ada Lovelace"
	put(created.Add(time.Hour), ada)
	s.View(func() {
		if a, _ := accounts.ByHandle("ada"); a.Name != "Ada Lovelace" || !a.CreatedAt.Equal(created) {
			t.Errorf("the account is %+v", a)
		}
		if newest := accounts.newest(5); len(newest) != 2 || newest[0].ID != "2" || newest[1].ID != "1" {
			t.Errorf("newest first: %+v", newest)
		}
		if all := accounts.All(); len(all) != 2 {
			t.Errorf("all: %+v", all)
		}
	})
}

func TestPagesBelongToTheirOwnerAndAreNotOfferedForConsent(t *testing.T) {
	t.Parallel()
	s, accounts, put := openAccounts(t)
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	put(now, Account{ID: "person", Handle: "ada"})
	put(now, Account{ID: "page1", Handle: "acme", OwnerID: "person"})
	put(now, Account{ID: "page2", Handle: "zenith", OwnerID: "person"})
	put(now, Account{ID: "other", Handle: "bob"})
	s.View(func() {
		if got := accounts.OwnedBy("person"); !slices.Equal(got, []string{"page1", "page2"}) {
			t.Errorf("the person owns %v", got)
		}
		if got := accounts.OwnedBy("other"); len(got) != 0 {
			t.Errorf("another person owns %v", got)
		}
		if got := accounts.newest(1); len(got) != 1 || got[0].ID != "other" {
			t.Errorf("the newest is %+v", got)
		}
		if got := accounts.newest(9); len(got) != 2 || got[1].ID != "person" {
			t.Errorf("people are %+v", got)
		}
		if all := accounts.All(); len(all) != 4 {
			t.Errorf("all: %+v", all)
		}
	})
}

func TestCheckHandleBoundsLengthAndCharacters(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "Z", "7", "ada", "a_b.c-d", strings.Repeat("a", 15)} {
		if err := CheckHandle(good, 15); err != nil {
			t.Errorf("%q is refused: %v", good, err)
		}
	}
	for _, bad := range []string{"", "_ada", ".ada", "-ada", "a b", "ada!", "ädä", "a/b", "a\n", "<b>", "@ada",
		strings.Repeat("a", 16)} {
		want := fmt.Sprintf("account name %q is not allowed: 1 to 15 letters, digits, and _ . - after the first", bad)
		if err := CheckHandle(bad, 15); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", bad, err, want)
		}
	}
}

func TestStableNumberLength(t *testing.T) {
	t.Parallel()
	for digits := 1; digits <= 18; digits++ {
		for i := range 200 {
			n := StableNumber(digits, "net", strconv.Itoa(i))
			if got := len(strconv.FormatUint(n, 10)); got != digits {
				t.Fatalf("%d has %d digits, want %d", n, got, digits)
			}
		}
	}
	// Account ids are derived from it: with another number, accounts in existing journals would lose their owners.
	if got := StableNumber(10, "x", "ada"); got != 8429933220 {
		t.Errorf("x and ada give %d", got)
	}
	// The parts are separated: the boundary between them matters.
	if StableNumber(18, "ab", "c") == StableNumber(18, "a", "bc") || StableNumber(18, "x") == StableNumber(18, "x",
		"") {
		t.Error("different parts give the same number")
	}
}
