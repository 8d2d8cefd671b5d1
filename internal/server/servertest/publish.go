package servertest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/publish"
	"crier/internal/sandbox"
	"crier/internal/server"
	"crier/internal/service"
	"crier/internal/social"
	"crier/internal/store"
)

// FastTimings are short timings for tests. The order of events is the same as with the defaults.
var FastTimings = publish.Timings{
	SendWindow: Pace(time.Second), CommitTimeout: Pace(2 * time.Second), SettleSlack: 200 * time.Millisecond,
	LookupPause: 300 * time.Millisecond,
	Lease:       Pace(4 * time.Second), RetryPause: 200 * time.Millisecond, AccountPause: 300 * time.Millisecond,
	LikePause: 300 * time.Millisecond,
}

// Pace returns a time limit for a fast machine, stretched for a slow or busy one: a call that a fence cuts off for lack
// of CPU is repeated, which tests that count calls would report as a failure.
func Pace(d time.Duration) time.Duration { return 3 * d }

// WithTimings sets the timings of a server.
func WithTimings(t publish.Timings) Option { return func(a *server.Config) { a.Timings = t } }

// Crew is a tenant with connected accounts.
type Crew struct {
	Tenant
	Accounts []Account
	// Setup is the token of the owner's set-up link.
	Setup string
}

// Account is an account of a team: its ids in crier and on its network.
type Account struct {
	ID      crier.ID
	Network string
	Remote  string
}

// NewCrew creates a tenant with one account for each name of a network. A name may include how the account is
// connected, as in linkedin:community.
func (s *Server) NewCrew(tb testing.TB, credits int64, networks ...string) Crew {
	tb.Helper()
	var c Crew
	seeds := func(team crier.ID) ([]social.NewAccount, error) {
		var list []social.NewAccount
		for i, network := range networks {
			handle := fmt.Sprintf("a%s_%d", team[len(team)-8:], i)
			if network == "linkedin:community" {
				network, handle = "linkedin", "community:"+handle
			}
			if network == "tiktok:private" {
				network, handle = "tiktok", "private_"+handle
			}
			if network == "threads:approved" {
				network, handle = "threads", "approved:"+handle
			}
			if network == "linkedin:organization" {
				network, handle = "linkedin", "organization:"+handle
			}
			seed, err := sandbox.SeedAccount(network, handle)
			if err != nil {
				return nil, err
			}
			list = append(list, s.Config.NewAccount(seed))
		}
		return list, nil
	}
	tenant, err := s.Node.Services.Instance.CreateTenant(context.Background(),
		service.TenantRequest{Name: "A crew", Credits: credits, Accounts: seeds})
	if err != nil {
		tb.Fatal(err)
	}
	c.Tenant = Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID, Team: tenant.TeamID}
	c.Setup = tenant.SetupToken
	for _, a := range tenant.Accounts {
		c.Accounts = append(c.Accounts, Account{ID: a.ID, Network: string(a.Provider), Remote: a.ProviderAccountID})
	}
	return c
}

// IDs returns the ids of all accounts.
func (c Crew) IDs() []crier.ID {
	var ids []crier.ID
	for _, a := range c.Accounts {
		ids = append(ids, a.ID)
	}
	return ids
}

// Call calls the API as a crew.
func (s *Server) Call(tb testing.TB, c Crew, method, address string, body any, headers ...string) Response {
	tb.Helper()
	return s.As(tb, c.Key, method, Path("/v1/teams/%s/", c.Team)+address, body, headers...)
}

// NewPost creates a post and returns its id.
func (s *Server) NewPost(tb testing.TB, c Crew, text string) string {
	tb.Helper()
	return s.Call(tb, c, "POST", "posts", Object{"text": text}).Want(tb, http.StatusCreated).Text(tb, "id")
}

// NewThread creates a thread and returns its id.
func (s *Server) NewThread(tb testing.TB, c Crew, texts ...string) string {
	tb.Helper()
	parts := []Object{}
	for _, text := range texts {
		parts = append(parts, Object{"kind": "atomic", "text": text, "attachments": []Object{}})
	}
	return s.Call(tb, c, "POST", "posts", Object{"postInput": Object{"kind": "thread", "posts": parts}}).Want(tb,
		http.StatusCreated).Text(tb, "id")
}

// Result is the response of schedule and post-now.
type Result struct {
	Data    []ResultEntry
	Outcome crier.ScheduleOutcome
}

// ResultEntry is the result of one account.
type ResultEntry struct {
	SocialAccountID crier.ID
	ScheduledPost   *crier.ScheduledPost
	Error           *crier.EntryError
	Warnings        []crier.Issue
}

// PostNow publishes at once, without waiting for the networks unless more asks for it.
func (s *Server) PostNow(tb testing.TB, c Crew, post string, accounts []crier.ID, more Object) Result {
	tb.Helper()
	body := Object{"socialAccountIds": accounts, "waitSeconds": 0}
	maps.Copy(body, more)
	var r Result
	s.Call(tb, c, "POST", "posts/"+post+"/post-now", body).Want(tb, http.StatusOK).Into(tb, &r)
	return r
}

// PostOn publishes a post on one account at once and returns the id of the scheduled post. The network may have refused
// it by the time of the response; crier may not.
func (s *Server) PostOn(tb testing.TB, c Crew, post string, on Account, more Object) crier.ID {
	tb.Helper()
	r := s.PostNow(tb, c, post, []crier.ID{on.ID}, more)
	if r.Data[0].ScheduledPost == nil {
		tb.Fatalf("refused: %+v", r.Data[0].Error)
	}
	return r.Data[0].ScheduledPost.ID
}

// ScheduleIn schedules through the service, since only the API requires 60 seconds of lead: tests need not wait so
// long.
func (s *Server) ScheduleIn(tb testing.TB, c Crew, post string, lead time.Duration,
	t crier.Targets) (crier.ScheduleResult, time.Time) {
	tb.Helper()
	at := crier.TimeOf(s.Config.Now().Add(lead).Truncate(time.Millisecond))
	r, err := s.Node.Services.Schedules.Schedule(context.Background(), s.Scope(tb, c), crier.ID(post),
		crier.ScheduleRequest{Targets: t, ScheduledAt: &at})
	if err != nil {
		tb.Fatal(err)
	}
	return r, at.Time
}

// Scope returns a crew's scope for publishing.
func (s *Server) Scope(tb testing.TB, c Crew) access.TeamScope {
	tb.Helper()
	ctx := context.Background()
	caller, err := s.Node.Services.Access.Authenticate(ctx, c.Key)
	if err != nil {
		tb.Fatal(err)
	}
	scope, err := s.Node.Services.Access.Team(ctx, caller, c.Team, crier.PublishPosts)
	if err != nil {
		tb.Fatal(err)
	}
	return scope
}

// Publication reads a scheduled post.
func (s *Server) Publication(tb testing.TB, c Crew, id crier.ID) crier.ScheduledPost {
	tb.Helper()
	var p crier.ScheduledPost
	s.Call(tb, c, "GET", Path("scheduled-posts/%s", id), nil).Want(tb, http.StatusOK).Into(tb, &p)
	return p
}

// WaitTimeout is how long tests wait for something that should happen soon, on a busy machine.
const WaitTimeout = 2 * time.Minute

// Await waits until a scheduled post is in one of the states.
func (s *Server) Await(tb testing.TB, c Crew, id crier.ID, states ...crier.ScheduledPostStatus) crier.ScheduledPost {
	tb.Helper()
	var p crier.ScheduledPost
	Until(tb, func() bool {
		p = s.Publication(tb, c, id)
		return slices.Contains(states, p.Status)
	}, func() string {
		return fmt.Sprintf("%s is %s (%s: %s), not %v\n%s", id, p.Status, p.ErrorCode, p.ErrorMessage, states,
			s.History(tb, c, id))
	})
	return p
}

// AwaitAction waits until an action of a scheduled post is in a state.
func (s *Server) AwaitAction(tb testing.TB, c Crew, id crier.ID, kind store.PublicationKind,
	state crier.ScheduledPostStatus) {
	tb.Helper()
	Until(tb, func() bool {
		return s.Number(tb, `SELECT count(*) FROM publications WHERE parent_id = $1 AND kind = $2
			AND status = $3`, id, string(kind), string(state)) == 1
	}, func() string { return fmt.Sprintf("the %s is not %s\n%s", kind, state, s.History(tb, c, id)) })
}

// History returns the attempts of a scheduled post as text for failure messages.
func (s *Server) History(tb testing.TB, c Crew, id crier.ID) string {
	tb.Helper()
	var text strings.Builder
	for _, a := range s.Attempts(tb, c, id) {
		fmt.Fprintf(&text, "  %s %s part %d: %s %s %s → %s\n", a.StartedAt, a.Operation, a.Part, a.Outcome,
			a.ErrorCode, a.Message, a.NextStep)
	}
	return text.String()
}

// Attempts reads the attempts of a scheduled post.
func (s *Server) Attempts(tb testing.TB, c Crew, id crier.ID) []crier.Attempt {
	tb.Helper()
	var list crier.AttemptList
	s.Call(tb, c, "GET", Path("scheduled-posts/%s/attempts", id), nil).Want(tb, http.StatusOK).Into(tb, &list)
	return list.Data
}

// Outcomes returns the operations and outcomes of attempts, in order.
func Outcomes(attempts []crier.Attempt) []string {
	list := []string{}
	for _, a := range attempts {
		list = append(list, a.Operation+" "+a.Outcome)
	}
	return list
}

// Decisive returns the attempts without the checks that came too early to decide anything.
func Decisive(attempts []crier.Attempt) []crier.Attempt {
	return slices.DeleteFunc(slices.Clone(attempts), func(a crier.Attempt) bool {
		return strings.HasPrefix(a.NextStep, "look again: the request may still be under way")
	})
}

// Until waits until a condition holds.
func Until(tb testing.TB, condition func() bool, problem func() string) {
	tb.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(WaitTimeout); !condition(); <-ticker.C {
		if time.Now().After(deadline) {
			tb.Fatal(problem())
		}
	}
}

// Balanced fails the test unless the sums of the ledger match the balance of the organization, and the reserved credits
// match the rows.
func (s *Server) Balanced(tb testing.TB, c Crew) {
	tb.Helper()
	var credits crier.Credits
	s.As(tb, c.Key, "GET", Path("/v1/organizations/%s/credits", c.Organization), nil).Want(tb, http.StatusOK).Into(tb,
		&credits)
	balance := s.Number(tb, `SELECT coalesce(sum(amount), 0) FROM credit_transactions WHERE organization_id = $1`,
		c.Organization)
	reserved := s.Number(tb, `SELECT coalesce(sum(reserved_amount), 0) FROM credit_transactions
		WHERE organization_id = $1`, c.Organization)
	held := s.Number(tb, `SELECT coalesce(sum(reserved_credits), 0) FROM publications WHERE organization_id = $1`,
		c.Organization)
	if credits.CreditsBalance != balance || credits.ReservedCredits != reserved || held != reserved {
		tb.Errorf("balance %d, reserved %d; the ledger sums to %d and %d, the publications hold %d",
			credits.CreditsBalance, credits.ReservedCredits, balance, reserved, held)
	}
}

// On returns the crew's accounts on some networks.
func (c Crew) On(networks ...string) []Account {
	return slices.DeleteFunc(slices.Clone(c.Accounts),
		func(a Account) bool { return !slices.Contains(networks, a.Network) })
}

// BooksAgree fails the test unless, at this moment, the sums of every organization's ledger match its balance, and its
// reserved credits match its publications. A single statement reads one consistent state.
func (s *Server) BooksAgree(tb testing.TB) {
	tb.Helper()
	n := s.Number(tb, `SELECT count(*) FROM organizations o WHERE
		o.credits_balance <> (SELECT coalesce(sum(t.amount), 0) FROM credit_transactions t
		WHERE t.organization_id = o.id)
		OR o.reserved_credits <> (SELECT coalesce(sum(t.reserved_amount), 0) FROM credit_transactions t
		WHERE t.organization_id = o.id)
		OR o.reserved_credits <> (SELECT coalesce(sum(p.reserved_credits), 0) FROM publications p
		WHERE p.organization_id = o.id)`)
	if n != 0 {
		tb.Errorf("the books of %d organizations do not agree", n)
	}
}

// Soon returns a time that schedule accepts.
func Soon(extra time.Duration) string {
	return time.Now().Add(time.Minute + 5*time.Second + extra).UTC().Format(time.RFC3339Nano)
}
