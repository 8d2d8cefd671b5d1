package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Account is an account that posts.
type Account struct {
	ID     string `json:"id"`
	Handle string `json:"handle"`
	Name   string `json:"name"`
	// Kind is the network's own name of its kind; empty where there is only one.
	Kind string `json:"kind,omitempty"`
	// OwnerID is the account of the person behind a page or an organization.
	OwnerID   string    `json:"owner,omitempty"`
	CreatedAt time.Time `json:"created,omitzero"`
	// Followers is the number of followers, once set.
	Followers *int `json:"followers,omitempty"`
}

// Accounts holds all accounts of a network. All methods need a running View or Update of the store.
type Accounts struct {
	table    *Table[Account]
	byHandle map[string]string
	owned    map[string][]string
}

func newAccounts(s *Store) *Accounts {
	a := &Accounts{table: NewTable[Account](s, "accounts"), byHandle: map[string]string{}, owned: map[string][]string{}}
	a.table.Watch(a.index)
	return a
}

func (a *Accounts) index(id string, before, after *Account) {
	if before != nil {
		return
	}
	a.byHandle[strings.ToLower(after.Handle)] = id
	if after.OwnerID != "" {
		a.owned[after.OwnerID] = append(a.owned[after.OwnerID], id)
	}
}

// Get returns an account.
func (a *Accounts) Get(id string) (Account, bool) { return a.table.Get(id) }

// ByHandle returns the account with a handle, ignoring case.
func (a *Accounts) ByHandle(handle string) (Account, bool) {
	return a.table.Get(a.byHandle[strings.ToLower(handle)])
}

// All returns all accounts, in no particular order.
func (a *Accounts) All() []Account {
	list := make([]Account, 0, len(a.byHandle))
	for _, id := range a.byHandle {
		account, _ := a.table.Get(id)
		list = append(list, account)
	}
	return list
}

// OwnedBy returns the ids of the pages or organizations of an account. The slice must not be changed or retained.
func (a *Accounts) OwnedBy(id string) []string { return a.owned[id] }

// Put writes a new or changed account.
func (a *Accounts) Put(tx *Tx, account Account) {
	if account.CreatedAt.IsZero() {
		account.CreatedAt = tx.Now()
	}
	a.table.Put(tx, account.ID, account)
}

// newest returns at most n accounts without an owner, newest first.
func (a *Accounts) newest(n int) []Account {
	var list []Account
	for _, account := range a.table.Newest() {
		if len(list) == n {
			break
		}
		if account.OwnerID == "" {
			list = append(list, account)
		}
	}
	return list
}

var handlePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// CheckHandle rejects handles that are empty, longer than longest, or contain anything but letters, digits, and the
// characters "_.-" after the first.
func CheckHandle(handle string, longest int) error {
	if len(handle) > longest || !handlePattern.MatchString(handle) {
		return fmt.Errorf("account name %q is not allowed: 1 to %d letters, digits, and _ . - after the first", handle,
			longest)
	}
	return nil
}

// StableNumber returns a number with the given count of decimal digits (at most 18) that depends only on the parts.
// Networks derive account ids from it, so that the same handle is the same account in every sandbox.
func StableNumber(digits int, parts ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	low := uint64(1)
	for range digits - 1 {
		low *= 10
	}
	return low + binary.BigEndian.Uint64(sum[:8])%(9*low)
}
