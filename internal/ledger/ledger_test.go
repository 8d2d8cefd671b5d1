package ledger_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"crier"
	"crier/internal/ledger"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases storetest.Suite

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

// book is one of the functions of the ledger that work in a transaction.
type book func(ctx context.Context, tx *store.Tx, c ledger.Charge) error

// step is a call of the ledger.
type step struct {
	book   book
	amount int64
}

// written has bookings written, for the functions that only make them.
func written(bookings func(ledger.Charge) []store.Booking) book {
	return func(ctx context.Context, tx *store.Tx, c ledger.Charge) error {
		return tx.AddCredits(ctx, bookings(c)...)
	}
}

func credits(f *storetest.Fixture, organization crier.ID) (out store.Credits) {
	f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
		out, err = tx.LockCredits(ctx, organization)
		return err
	})
	return out
}

// entries returns the kinds of the ledger's entries, the oldest first.
func entries(t *testing.T, f *storetest.Fixture, organization crier.ID) string {
	t.Helper()
	page, err := f.CreditTransactions(t.Context(), organization, store.CreditFilter{},
		store.PageQuery{Sort: "createdAt", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range page.Rows {
		kinds = append(kinds, e.Kind)
	}
	return strings.Join(kinds, " ")
}

func TestReserveThenCaptureOrRelease(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		steps []step
		want  store.Credits
		kinds string
	}{
		{"a grant", []step{{ledger.Grant, 10}}, store.Credits{Balance: 10}, "grant"},
		{"what is reserved stays in the balance", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}},
			store.Credits{Balance: 10, Reserved: 4}, "grant reserve"},
		{"what was captured is gone", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}, {ledger.Capture, 4}},
			store.Credits{Balance: 6}, "grant reserve capture"},
		{"what was released is free", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}, {ledger.Release, 4},
			{ledger.Reserve, 10}}, store.Credits{Balance: 10, Reserved: 10}, "grant reserve release reserve"},
		{"a part is captured, the rest released", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}, {ledger.Capture, 1},
			{ledger.Release, 3}}, store.Credits{Balance: 9}, "grant reserve capture release"},
		{"to the last credit", []step{{ledger.Grant, 3}, {ledger.Reserve, 3}, {ledger.Capture, 3}}, store.Credits{},
			"grant reserve capture"},
		{"nothing costs no entry", []step{{ledger.Grant, 0}, {ledger.Reserve, 0}, {ledger.Capture, 0},
			{ledger.Release, 0}, {ledger.Adjust, 0}, {ledger.Spend, 0}, {written(ledger.Spent), 0}}, store.Credits{},
			""},
		{"an adjustment reserves more", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}, {ledger.Adjust, 2}},
			store.Credits{Balance: 10, Reserved: 6}, "grant reserve reserve"},
		{"an adjustment returns some", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}, {ledger.Adjust, -3}},
			store.Credits{Balance: 10, Reserved: 1}, "grant reserve release"},
		{"free credits are spent", []step{{ledger.Grant, 10}, {ledger.Reserve, 4}, {ledger.Spend, 6}},
			store.Credits{Balance: 4, Reserved: 4}, "grant reserve reserve capture"},
		{"what has happened is paid, whatever is left", []step{{ledger.Grant, 1}, {written(ledger.Spent), 3}},
			store.Credits{Balance: -2}, "grant capture"},
		{"the bookings of many at once are those of one", []step{{ledger.Grant, 10}, {written(ledger.Reserved), 5},
			{written(ledger.Captured), 2}, {written(ledger.Released), 3}}, store.Credits{Balance: 8},
			"grant reserve capture release"},
	}
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		for _, c := range cases {
			organization := f.NewOrganization(c.name).ID
			for i, s := range c.steps {
				f.Tx(func(ctx context.Context, tx *store.Tx) error {
					return s.book(ctx, tx, ledger.Charge{Organization: organization, Amount: s.amount,
						At: crier.TimeOf(f.Now.AddDate(0, 0, i))})
				})
			}
			if got := credits(f, organization); got != c.want {
				t.Errorf("%s: the credits are %+v, want %+v", c.name, got, c.want)
			}
			// Two entries of one step have one time: they come in any order.
			kinds, want := entries(t, f, organization), c.kinds
			if kinds != want && strings.ReplaceAll(kinds, "capture reserve", "reserve capture") != want {
				t.Errorf("%s: the entries are %q, want %q", c.name, kinds, want)
			}
		}
	})
}

func TestReserveNeedsAvailableCredits(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		had      []step
		book     book
		amount   int64
		wantText string // of a refusal; empty for a failure, because such a call is a mistake
	}{
		{"more than there is", []step{{ledger.Grant, 3}}, ledger.Reserve, 4,
			"costs 4 credits; the organization has 3 free"},
		{"what is reserved", []step{{ledger.Grant, 3}, {ledger.Reserve, 2}}, ledger.Spend, 2, "has 1 free"},
		{"more, by an adjustment", []step{{ledger.Grant, 3}, {ledger.Reserve, 2}}, ledger.Adjust, 2, "has 1 free"},
		{"a debt is no free credit", []step{{written(ledger.Spent), 5}}, ledger.Reserve, 1, "has 0 free"},
		{"more than was reserved is released", []step{{ledger.Grant, 3}, {ledger.Reserve, 2}}, ledger.Release, 3, ""},
		{"more than was reserved is captured", []step{{ledger.Grant, 3}, {ledger.Reserve, 2}}, ledger.Capture, 3, ""},
		{"more than was reserved is adjusted away", []step{{ledger.Grant, 3}}, ledger.Adjust, -1, ""},
	}
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		for _, c := range cases {
			charge := ledger.Charge{Organization: f.NewOrganization(c.name).ID, At: f.Now}
			call := func(s step) error {
				return f.TryTx(func(ctx context.Context, tx *store.Tx) error {
					charge.Amount = s.amount
					return s.book(ctx, tx, charge)
				})
			}
			for _, s := range c.had {
				if err := call(s); err != nil {
					t.Fatal(err)
				}
			}
			before, kinds := credits(f, charge.Organization), entries(t, f, charge.Organization)
			err := call(step{c.book, c.amount})
			if _, refused := errors.AsType[*crier.Error](err); err == nil || refused != (c.wantText != "") {
				t.Errorf("%s: the error is %v", c.name, err)
			}
			if c.wantText != "" && (!strings.Contains(err.Error(), c.wantText) ||
				kindOf(err) != crier.KindPaymentRequired) {
				t.Errorf("%s: the refusal is %v, want %q", c.name, err, c.wantText)
			}
			if after := credits(f, charge.Organization); after != before {
				t.Errorf("%s: the credits were %+v and are %+v", c.name, before, after)
			}
			if after := entries(t, f, charge.Organization); after != kinds {
				t.Errorf("%s: the entries were %q and are %q", c.name, kinds, after)
			}
		}
	})
}

func kindOf(err error) crier.Kind {
	refusal, _ := errors.AsType[*crier.Error](err)
	if refusal == nil {
		return ""
	}
	return refusal.Kind
}

func TestUnknownOrganizationHasNoCredits(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		for name, fn := range map[string]book{"reserve": ledger.Reserve, "spend": ledger.Spend, "grant": ledger.Grant,
			"release": ledger.Release, "capture": ledger.Capture} {
			err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				return fn(ctx, tx, ledger.Charge{Organization: crier.NewID(), Amount: 1, At: f.Now})
			})
			if err == nil {
				t.Errorf("%s: credits are booked for nobody", name)
			}
			if checks := name == "reserve" || name == "spend"; checks && kindOf(err) != crier.KindNotFound {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
	})
}

func TestBookingRecordsReasonAndTime(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		p := f.Schedule(f.NewPost("hello"))
		charge := ledger.Charge{Organization: f.Organization.ID, Publication: &p.ID, Amount: 2, At: f.Now}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := ledger.Grant(ctx, tx, ledger.Charge{Organization: f.Organization.ID, Amount: 5,
				At: f.Now}); err != nil {
				return err
			}
			return ledger.Spend(ctx, tx, charge)
		})
		page, err := f.CreditTransactions(t.Context(), f.Organization.ID, store.CreditFilter{},
			store.PageQuery{Sort: "createdAt", Limit: 9})
		if err != nil || len(page.Rows) != 3 {
			t.Fatalf("%d entries, %v", len(page.Rows), err)
		}
		sums := map[string][2]int64{}
		for _, e := range page.Rows {
			sums[e.Kind] = [2]int64{e.Amount, e.ReservedAmount}
			if ofPost := e.ScheduledPostID != nil && *e.ScheduledPostID == p.ID; ofPost == (e.Kind == "grant") ||
				e.CreatedAt != f.Now {
				t.Errorf("the entry is %+v", e)
			}
		}
		for kind, want := range map[string][2]int64{"grant": {5, 0}, "reserve": {0, 2}, "capture": {-2, -2}} {
			if sums[kind] != want {
				t.Errorf("%s books %v, want %v", kind, sums[kind], want)
			}
		}
	})
}

func TestLastCreditsAreReservedOnceByManyAtOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		organization := f.Organization.ID
		charge := ledger.Charge{Organization: organization, Amount: 7, At: f.Now}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return ledger.Grant(ctx, tx, charge) })
		charge.Amount = 2 // three of them are free
		errs := make([]error, 8)
		var callers sync.WaitGroup
		for i := range errs {
			callers.Go(func() {
				errs[i] = f.TryTx(func(ctx context.Context, tx *store.Tx) error {
					return ledger.Reserve(ctx, tx,
						charge)
				})
			})
		}
		callers.Wait()
		reserved := 0
		for _, err := range errs {
			switch {
			case err == nil:
				reserved++
			case kindOf(err) != crier.KindPaymentRequired:
				t.Error(err)
			}
		}
		if got := credits(f, organization); reserved != 3 || got != (store.Credits{Balance: 7, Reserved: 6}) {
			t.Errorf("%d reservations were made, and the credits are %+v", reserved, got)
		}
	})
}
