package graph

import (
	"math"
	"time"

	"crier/internal/sandbox/sim"
)

// CallsPerDay is the budget of an account without an audience: 4800 calls for each of ten impressions or engaged
// people, the minimum that is counted.
const CallsPerDay = 48_000

const day = 24 * time.Hour

// appUsage is how much of its budget an app has used, in percent.
type appUsage struct {
	CallCount    int `json:"call_count"`
	TotalTime    int `json:"total_time"`
	TotalCPUTime int `json:"total_cputime"`
}

// caseUsage is the same for one account, and the minutes until it may call again.
type caseUsage struct {
	Type         string `json:"type"`
	CallCount    int    `json:"call_count"`
	TotalCPUTime int    `json:"total_cputime"`
	TotalTime    int    `json:"total_time"`
	Minutes      int    `json:"estimated_time_to_regain_access"`
}

func (a *API) take(account string) sim.Usage {
	return a.Env.Limits.Take("calls "+account, a.terms.CallsPerDay, day, false)
}

func percent(u sim.Usage) int { return (u.Limit - u.Remaining) * 100 / max(u.Limit, 1) }

// stamp adds the common headers to a response: the version, an id, and the app's usage.
func (a *API) stamp(account string, reply sim.Reply) sim.Reply {
	return a.stampUsage(account, sim.Usage{}, reply)
}

func (a *API) stampUsage(account string, u sim.Usage, reply sim.Reply) sim.Reply {
	return a.withUsage(account, percent(u), 0, reply)
}

func (a *API) withUsage(account string, used, minutes int, reply sim.Reply) sim.Reply {
	reply = withJSON(reply, "X-App-Usage", appUsage{CallCount: used, TotalTime: used / 2, TotalCPUTime: used / 2})
	if account != "" {
		reply = withJSON(reply, "X-Business-Use-Case-Usage",
			map[string][]caseUsage{account: {{Type: a.terms.UseCase, CallCount: used,
				TotalCPUTime: used / 2, TotalTime: used / 2, Minutes: minutes}}})
	}
	return reply.With("x-fb-trace-id", newTrace())
}

func withJSON(reply sim.Reply, header string, v any) sim.Reply {
	text, err := sim.EncodeJSON(v)
	if err != nil {
		return reply
	}
	return reply.With(header, string(text))
}

// throttled returns the response to an account that has used up its budget. The header counts in whole minutes.
func (a *API) throttled(account string, left time.Duration) sim.Reply {
	return a.withUsage(account, 100, int(math.Ceil(left.Minutes())), a.terms.Throttled.Reply())
}
