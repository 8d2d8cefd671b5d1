package api_test

import (
	"net/http"
	"testing"

	"crier"
	"crier/internal/server/servertest"
)

// A live reading costs what the network charges: nothing when it fails, and it is not made without enough credits.
func TestLiveAnalyticsCostCredits(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withRole("api")) // workers read too: their reads would be counted, or hit the fault
		poor, rich := e.NewCrew(t, 9, "x", "threads"), e.NewCrew(t, 25, "x")
		analytics := func(c crew, of servertest.Account) servertest.Response {
			return e.Call(t, c, "GET", path("social-accounts/%s/analytics", of.ID), nil)
		}
		reads := e.box.Calls(t, "x", "read")
		analytics(poor, poor.Accounts[0]).WantError(t, http.StatusPaymentRequired, "PaymentRequired")
		if calls := e.box.Calls(t, "x", "read"); calls != reads {
			t.Errorf("X was asked %d times for somebody who cannot pay", calls-reads)
		}
		analytics(poor, poor.Accounts[1]).Want(t, http.StatusOK) // costs nothing
		e.box.Fault(t, rich.Accounts[0], "read", "outage", nil)
		analytics(rich, rich.Accounts[0]).WantError(t, http.StatusConflict, "Conflict")
		for range 2 {
			var got crier.AccountAnalytics
			analytics(rich, rich.Accounts[0]).Want(t, http.StatusOK).Into(t, &got)
			if got.CreditCost != 10 || got.Provider != "x" {
				t.Errorf("analytics %+v", got)
			}
		}
		analytics(rich, rich.Accounts[0]).WantError(t, http.StatusPaymentRequired, "PaymentRequired")
		var left crier.Credits
		e.As(t, rich.Key, "GET", path("/v1/organizations/%s/credits", rich.Organization), nil).Want(t,
			http.StatusOK).Into(t, &left)
		if left.CreditsBalance != 5 || left.ReservedCredits != 0 {
			t.Errorf("two readings of 10 credits leave %+v of 25", left)
		}
		e.Balanced(t, rich)
	})
}
