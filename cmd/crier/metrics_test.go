package main

import (
	"net/http"
	"testing"

	"crier"
)

// A live reading costs what the network charges: nothing when it fails, and it is not made for those who cannot pay.
func TestLiveAnalyticsCostCredits(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		poor, rich := e.newCrew(t, 9, "x", "threads"), e.newCrew(t, 25, "x")
		analytics := func(c crew, of account) response {
			return e.call(t, c, "GET", path("social-accounts/%s/analytics", of.id), nil)
		}
		reads := e.box.calls(t, "x", "read")
		analytics(poor, poor.accounts[0]).wantError(t, http.StatusPaymentRequired, "PaymentRequired")
		if asked := e.box.calls(t, "x", "read"); asked != reads {
			t.Errorf("X was asked %d times for somebody who cannot pay", asked-reads)
		}
		analytics(poor, poor.accounts[1]).want(t, http.StatusOK) // costs nothing
		e.box.fault(t, rich.accounts[0], "read", "outage", nil)
		analytics(rich, rich.accounts[0]).wantError(t, http.StatusConflict, "Conflict")
		for range 2 {
			var told crier.AccountAnalytics
			analytics(rich, rich.accounts[0]).want(t, http.StatusOK).into(t, &told)
			if told.CreditCost != 10 || told.Provider != "x" {
				t.Errorf("analytics %+v", told)
			}
		}
		analytics(rich, rich.accounts[0]).wantError(t, http.StatusPaymentRequired, "PaymentRequired")
		var left crier.Credits
		e.as(t, rich.key, "GET", path("/v1/organizations/%s/credits", rich.organization), nil).want(t, http.StatusOK).into(t, &left)
		if left.CreditsBalance != 5 || left.ReservedCredits != 0 {
			t.Errorf("two readings of 10 credits leave %+v of 25", left)
		}
		e.balanced(t, rich)
	})
}
