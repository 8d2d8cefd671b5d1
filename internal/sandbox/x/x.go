// Package x simulates X: the API v2 and the OAuth 2.0 consent of x.com, as far as a publishing service uses them.
//
// The app is a self-serve one that pays per use, and no account is Premium: 280 characters, replies only where they
// were asked for, no quotes. Apps with a bearer token that starts with AAAAAAAA are app-only.
package x

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"crier/internal/sandbox/sim"
)

const name = "x"

// Settings are options that an app's operator can obtain from X; the zero value is a self-serve app.
type Settings struct {
	// Quotes means that the app may quote, which no self-serve app may.
	Quotes bool
	// Renamed makes X respond with its newer names, whatever was requested: posts instead of tweets, and references
	// only if their expansion is requested.
	Renamed bool
}

// Network describes X to the sandbox.
func Network(settings Settings) sim.Network {
	return sim.Network{
		Name:  name,
		Title: "X",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://api.x.com", Path: "/x"},
			{Role: "consent", Real: "https://x.com", Path: "/x"},
		},
		Account: account,
		Seed:    seed,
		New:     func(env *sim.Env) sim.Service { return start(env, settings) },
	}
}

var handlePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)

// account returns the account of a handle.
func account(handle string) (sim.Account, error) {
	if !handlePattern.MatchString(handle) {
		return sim.Account{}, fmt.Errorf("username %q is not allowed: 1 to 15 letters, digits or _", handle)
	}
	return sim.Account{ID: strconv.FormatUint(sim.StableNumber(10, name, handle), 10), Handle: handle,
		Name: sim.DisplayName(handle, "News")}, nil
}

// seed connects an account with all scopes that publishing needs.
func seed(handle string) (sim.Seed, error) {
	a, err := account(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	return sim.NewSeed(name, a, sim.SeedTerms{
		Scopes:          []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"},
		AccessLifetime:  accessLifetime,
		WithRefresh:     true,
		RefreshLifetime: refreshLifetime,
	})
}

// network is the running simulation of X.
type network struct {
	env      *sim.Env
	settings Settings
	tweets   *sim.Table[tweet]
	media    *sim.Table[medium]
	latest   *latestTexts
	// spent is what the app owes, in thousandths of a dollar.
	spent atomic.Int64
}

func start(env *sim.Env, settings Settings) sim.Service {
	n := &network{env: env, settings: settings, tweets: sim.NewTable[tweet](env.Store, "tweets"),
		media:  sim.NewTable[medium](env.Store, "media"),
		latest: newLatestTexts()}
	n.media.Keep(func(m medium) bool { return env.Now().Before(m.ExpiresAt) })
	n.tweets.Watch(n.followTweets)
	env.Posts.Watch(n.latest.follow)
	n.registerOAuth()
	n.registerUsers()
	n.registerMedia()
	n.registerTweets()
	n.registerReads()
	env.PostPage("GET /{handle}/status/{id}", func(r *http.Request) string { return r.PathValue("id") })
	env.PostPage("GET /i/web/status/{id}", func(r *http.Request) string { return r.PathValue("id") })
	return n
}

// NotFound returns the response to an unknown path.
func (n *network) NotFound() sim.Reply {
	return problem(http.StatusNotFound, "about:blank", "Not Found", "Not Found")
}

// PostPath returns the path of a post's page.
func (n *network) PostPath(p sim.Post, author sim.Account) string {
	return "/" + author.Handle + "/status/" + p.ID
}

// Welcome does nothing: an account on X comes with no others.
func (n *network) Welcome(*sim.Tx, sim.Account) {}

// snowflakeEpoch is the epoch of X's ids, in milliseconds since 1970.
const snowflakeEpoch = 1288834974657

// newID returns an id that grows with time.
func newID(tx *sim.Tx) string { return strconv.FormatUint(tx.NextSeq()-snowflakeEpoch<<22, 10) }

// millis formats a time as X does.
func millis(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
