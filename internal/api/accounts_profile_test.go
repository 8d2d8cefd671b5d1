package api_test

import (
	"net/http"
	"strings"
	"testing"

	"crier"
	"crier/internal/server/servertest"
)

// dryRun returns the result of a dry run for one account.
func (e *engine) dryRun(tb testing.TB, c crew, post string, on servertest.Account,
	settings object) crier.ValidationEntry {
	tb.Helper()
	var result crier.ValidationResult
	body := object{"socialAccountIds": []crier.ID{on.ID}, "platformSettings": settings, "useNextSlot": true}
	e.Call(tb, c, "POST", "posts/"+post+"/validate", body).Want(tb, http.StatusOK).Into(tb, &result)
	return result.Data[0]
}

func TestCreatorInfoIsCheckedBeforeScheduling(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withRole("api")) // workers read too: their reads would be counted
		c := e.NewCrew(t, 0, "tiktok:private", "tiktok")
		private, other := c.Accounts[0], c.Accounts[1]
		post := e.NewVideoPost(t, c, "A film")
		refused := e.dryRun(t, c, post, private, object{"tiktokPrivacyLevel": "PUBLIC_TO_EVERYONE"})
		if refused.OK || !strings.Contains(refused.Error.Message, "allowed: FOLLOWER_OF_CREATOR") {
			t.Errorf("a private account that posts to everybody: %+v", refused)
		}
		accepted := e.dryRun(t, c, post, private,
			object{"tiktokPrivacyLevel": "FOLLOWER_OF_CREATOR", "tiktokAllowDuet": true})
		if !accepted.OK || len(accepted.Warnings) != 1 {
			t.Errorf("a private account that posts to its followers: %+v", accepted)
		}
		var shown struct {
			Capabilities struct {
				Settings []struct {
					Key  string
					Enum []string
				}
				UnavailableSettings []string
			}
		}
		e.Call(t, c, "GET", path("social-accounts/%s", private.ID), nil).Want(t, http.StatusOK).Into(t, &shown)
		can := shown.Capabilities
		if len(can.Settings) != 1 || can.Settings[0].Key != "tiktokPrivacyLevel" || len(can.Settings[0].Enum) != 3 ||
			len(can.UnavailableSettings) != 2 {
			t.Errorf("capabilities %+v", can)
		}
		reads := e.box.Calls(t, "tiktok", "read")
		e.dryRun(t, c, post, private, object{"tiktokPrivacyLevel": "SELF_ONLY"})
		if again := e.box.Calls(t, "tiktok", "read"); again != reads {
			t.Errorf("the network was asked %d more times within the hour", again-reads)
		}
		e.box.Fault(t, other, "read", "outage", object{"count": 5})
		if v := e.dryRun(t, c, post, other, object{"tiktokPrivacyLevel": "PUBLIC_TO_EVERYONE"}); !v.OK {
			t.Errorf("a network that does not answer keeps posts from being planned: %+v", v)
		}
	})
}
