// Package threads simulates Threads: containers of texts, pictures, videos and carousels that fetch their media and
// need time, replies, which are posts, reposts and quotes, and their metrics.
//
// Threads accepts no uploads: it downloads the URLs that an app names. A token is valid for sixty days and is refreshed
// with itself.
package threads

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

const name = "threads"

// Network describes Threads to the sandbox.
func Network() sim.Network {
	return sim.Network{
		Name:  name,
		Title: "Threads",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://graph.threads.net", Path: "/threads"},
			{Role: "consent", Real: "https://threads.com", Path: "/threads"},
		},
		Account: account,
		Seed:    seed,
		New:     start,
	}
}

var handlePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.]{0,29}$`)

// account returns the account of a handle.
func account(handle string) (sim.Account, error) {
	if !handlePattern.MatchString(handle) {
		return sim.Account{}, fmt.Errorf("username %q is not allowed: 1 to 30 letters, digits, _ or . after the first",
			handle)
	}
	id := strconv.FormatUint(sim.StableNumber(17, name, strings.ToLower(handle)), 10)
	return sim.Account{ID: id, Handle: handle, Name: sim.DisplayName(handle, "Notes")}, nil
}

// Scopes that calls need.
const (
	scopeBasic    = "threads_basic"
	scopePublish  = "threads_content_publish"
	scopeReply    = "threads_manage_replies"
	scopeReplies  = "threads_read_replies"
	scopeInsights = "threads_manage_insights"
	scopeDelete   = "threads_delete"
	scopeLocation = "threads_location_tagging"
	scopeShare    = "threads_share_to_instagram"
	scopeSearch   = "threads_keyword_search"
	scopeMentions = "threads_manage_mentions"
)

var publishingScopes = []string{scopeBasic, scopePublish, scopeReply, scopeReplies, scopeInsights, scopeDelete}

var otherScopes = []string{scopeLocation, scopeShare, scopeSearch, scopeMentions, "threads_profile_discovery"}

// Prefixes of the tokens of accounts and of apps.
const (
	tokenPrefix    = "THAA"
	appTokenPrefix = "TH|"
)

// approvedSeed is the prefix of an account whose app also has all optional permissions.
const approvedSeed = "approved:"

// seed connects an account with all scopes that publishing needs.
func seed(handle string) (sim.Seed, error) {
	handle, isApproved := strings.CutPrefix(handle, approvedSeed)
	a, err := account(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	terms := sim.SeedTerms{Scopes: publishingScopes, AccessPrefix: tokenPrefix, AccessLifetime: graph.LongLife}
	if isApproved {
		terms.Scopes = slices.Concat(publishingScopes, otherScopes)
	}
	return sim.NewSeed(name, a, terms)
}

// network is the running simulation of Threads.
type network struct {
	*graph.API
	containers *sim.Table[container]
	threads    *sim.Table[thread]
	// deletions are the times at which accounts deleted posts; guarded by the store's lock.
	deletions map[string][]time.Time
}

func start(env *sim.Env) sim.Service {
	n := &network{deletions: map[string][]time.Time{}, containers: sim.NewTable[container](env.Store, "containers"),
		threads: sim.NewTable[thread](env.Store, "threads"),
		API: graph.New(env, graph.Terms{UseCase: name, CallsPerDay: graph.CallsPerDay, Throttled: throttled,
			AppTokenPrefix: appTokenPrefix})}
	n.containers.Keep(func(c container) bool { return c.Kept(env.Now()) })
	env.Posts.Watch(n.followDeletions)
	n.registerLogin()
	n.registerContainers()
	n.registerPublishing()
	n.registerReads()
	n.registerInsights()
	env.PostPage("GET /{handle}/post/{code}",
		func(r *http.Request) string { return graph.FromShortcode(r.PathValue("code")) })
	return n
}

// NotFound returns the response to an unknown path.
func (n *network) NotFound() sim.Reply { return graph.NotFound() }

// PostPath returns the path of a post's page.
func (n *network) PostPath(p sim.Post, author sim.Account) string {
	return "/@" + author.Handle + "/post/" + graph.Shortcode(p.ID)
}

// Welcome does nothing: an account on Threads comes with no others.
func (n *network) Welcome(*sim.Tx, sim.Account) {}

func (n *network) registerLogin() {
	n.ServeUserLogin(graph.UserLogin{Grant: "th", TokenPrefix: tokenPrefix,
		Scopes: slices.Concat(publishingScopes, otherScopes), BasicScope: scopeBasic,
		Exchanged: func(t sim.Token) any {
			return map[string]any{"access_token": t.Value, "user_id": json.Number(t.AccountID)} // too large for a float
		},
		CodeRefused: func(message string) sim.Reply { return graph.Problem{Code: 100, Message: message}.Reply() }})
	n.Open(http.MethodGet, "debug_token", "", graph.Always(sim.Read), n.DebugToken)
	n.Env.Route("GET /debug_token", sim.Read, n.Plain(n.DebugToken))
}

// lacks returns the rejection of a call whose token lacks a scope.
func lacks(c *graph.Call, scope string) *sim.Reply {
	if !c.Token.Has(scope) {
		return graph.Refuse(graph.Forbidden(scope))
	}
	return nil
}
