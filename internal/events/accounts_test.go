package events

import (
	"encoding/json"
	"testing"
	"time"

	"crier"
)

func TestAccountChangesMapToEventTypes(t *testing.T) {
	t.Parallel()
	worn, limited := crier.AccountRefreshNeeded, "rate_limited"
	account := func(change ...func(*crier.SocialAccount)) crier.SocialAccount {
		a := crier.SocialAccount{ID: "a", TeamID: "t", Status: crier.AccountConnected, DisplayName: "Acme",
			ConnectedAt: noon, ProviderSettings: json.RawMessage(`{}`),
			Capabilities: crier.RawJSON[crier.Capabilities]([]byte(`{}`))}
		for _, fn := range change {
			fn(&a)
		}
		return a
	}
	status := func(s crier.AccountStatus) func(*crier.SocialAccount) {
		return func(a *crier.SocialAccount) { a.Status = s }
	}
	again := func(a *crier.SocialAccount) { a.ConnectedAt = crier.TimeOf(noon.Add(time.Hour)) }
	issue := func(code, message string) func(*crier.SocialAccount) {
		return func(a *crier.SocialAccount) { a.AccountHealthIssue, a.AccountHealthMessage = &code, &message }
	}
	for _, c := range []struct {
		name          string
		before, after crier.SocialAccount
		want          crier.EventType
		previous      string
	}{
		{"a profile is nobody's business", account(), account(func(a *crier.SocialAccount) {
			a.DisplayName, a.UpdatedAt = "Other", crier.TimeOf(noon.Add(time.Hour))
		}), "", ""},
		{"nothing", account(), account(), "", ""},
		{"it was disconnected", account(), account(status(crier.AccountDisconnected)), crier.AccountDisconnectedEvent,
			`{"status":"connected"}`},
		{"it stays disconnected", account(status(crier.AccountDisconnected)),
			account(status(crier.AccountDisconnected)), "", ""},
		{"what ails a disconnected one is told", account(status(crier.AccountDisconnected)),
			account(status(crier.AccountDisconnected), issue("auth_failed", "")), crier.AccountHealthChanged,
			`{"accountHealthIssue":null,"accountHealthMessage":null}`},
		{"its connection ended", account(), account(status(worn), issue("auth_failed", "Connect it again.")),
			crier.AccountHealthChanged,
			`{"accountHealthIssue":null,"accountHealthMessage":null,"status":"connected"}`},
		{"it was connected again after its connection ended", account(status(worn), issue("auth_failed", "x")),
			account(again), crier.AccountReconnected,
			`{"accountHealthIssue":"auth_failed","accountHealthMessage":"x",` +
				`"connectedAt":"2026-11-16T12:00:00.000Z","status":"refresh_needed"}`},
		{"it was connected again while it worked", account(), account(again), crier.AccountReconnected,
			`{"connectedAt":"2026-11-16T12:00:00.000Z"}`},
		{"it recovered by itself", account(issue(limited, "Wait.")), account(), crier.AccountHealthChanged,
			`{"accountHealthIssue":"rate_limited","accountHealthMessage":"Wait."}`},
		{"another message of the same issue", account(issue(limited, "Wait.")),
			account(issue(limited, "Wait longer.")), crier.AccountHealthChanged, `{"accountHealthMessage":"Wait."}`},
		{"an empty message is none", account(issue("", "")), account(), "", ""},
		{"a new connection that does not work is no reconnection", account(), account(again, status(worn)),
			crier.AccountHealthChanged, `{"connectedAt":"2026-11-16T12:00:00.000Z","status":"connected"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			facts := AccountFacts(c.before, c.after)
			if c.want == "" {
				if len(facts) != 0 {
					t.Errorf("it tells %s", facts[0].Type)
				}
				return
			}
			if len(facts) != 1 || facts[0].Type != c.want || facts[0].TeamID == nil || *facts[0].TeamID != "t" {
				t.Fatalf("the facts are %+v", facts)
			}
			var data crier.EventData
			if err := json.Unmarshal([]byte(dataOf(t, facts[0])), &data); err != nil {
				t.Fatal(err)
			}
			if string(data.Previous) != c.previous {
				t.Errorf("previous is %s, want %s", data.Previous, c.previous)
			}
		})
	}
}
