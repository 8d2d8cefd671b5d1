package x

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const (
	shortWindow = 15 * time.Minute
	day         = 24 * time.Hour
)

// endpoint is the requirements of an endpoint: scopes and rate limits. A limit of zero is none.
type endpoint struct {
	name      string
	scopes    []string
	perUser   int // in the short window
	perApp    int
	appWindow time.Duration
	// appOnly also accepts app-only tokens.
	appOnly bool
}

var (
	postTweet     = endpoint{name: "POST tweets", scopes: writeScopes, perUser: 100, perApp: 10_000, appWindow: day}
	deleteTweet   = endpoint{name: "DELETE tweets", scopes: writeScopes, perUser: 50}
	postRetweet   = endpoint{name: "POST retweets", scopes: writeScopes, perUser: 50}
	deleteRetweet = endpoint{name: "DELETE retweets", scopes: writeScopes, perUser: 50}
	getTweet      = endpoint{name: "GET tweet", scopes: readScopes, perUser: 900, perApp: 450, appWindow: shortWindow,
		appOnly: true}
	getTweets = endpoint{name: "GET tweets", scopes: readScopes, perUser: 5000, perApp: 3500,
		appWindow: shortWindow, appOnly: true}
	getTimeline = endpoint{name: "GET user tweets", scopes: readScopes, perUser: 900, perApp: 10_000,
		appWindow: shortWindow, appOnly: true}
	getMe     = endpoint{name: "GET me", scopes: readScopes, perUser: 75}
	postMedia = endpoint{name: "POST media", scopes: mediaScopes, perUser: 500, perApp: 50_000, appWindow: day}
	getMedia  = endpoint{name: "GET media", scopes: mediaScopes, perUser: 1000, perApp: 100_000, appWindow: day}
	initMedia = endpoint{name: "POST media initialize", scopes: mediaScopes, perUser: 1875, perApp: 180_000,
		appWindow: day}
	appendMedia = endpoint{name: "POST media append", scopes: mediaScopes, perUser: 1875, perApp: 180_000,
		appWindow: day}
	finalizeMedia = endpoint{name: "POST media finalize", scopes: mediaScopes, perUser: 1875, perApp: 180_000,
		appWindow: day}
	postMetadata = endpoint{name: "POST media metadata", scopes: mediaScopes, perUser: 500, perApp: 50_000,
		appWindow: day}
)

var (
	readScopes  = []string{"tweet.read", "users.read"}
	writeScopes = []string{"tweet.read", "tweet.write", "users.read"}
	mediaScopes = []string{"media.write"}
)

// caller is the caller of a request.
type caller struct {
	accountID string // empty for an app-only token
	clientID  string
}

// appOnlyPrefix is the prefix of the bearer tokens of apps.
const appOnlyPrefix = "AAAAAAAA"

// route registers a call that needs a token. Its response has X's rate limit headers.
func (n *network) route(pattern string, op sim.Operation, e endpoint, h func(r *http.Request, c caller) sim.Reply) {
	n.env.Route(pattern, op, func(r *http.Request) sim.Reply {
		c, refusal := n.authenticate(r, e)
		if refusal != nil {
			return *refusal
		}
		limits := n.count(e, c)
		reply := tooMany()
		switch {
		case limits.exceeded:
		case n.spent.Load() >= n.env.Options.Credits:
			reply = creditsDepleted()
		default:
			reply = h(r, c)
		}
		return limits.stamp(reply)
	})
}

// authenticate returns the caller, or the rejection.
func (n *network) authenticate(r *http.Request, e endpoint) (caller, *sim.Reply) {
	value := bearer(r)
	if strings.HasPrefix(value, appOnlyPrefix) {
		if e.appOnly {
			return caller{clientID: value}, nil
		}
		refusal := problem(http.StatusForbidden, problemType+"unsupported-authentication", "Unsupported Authentication",
			"Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported "+
				"authentication types are [OAuth 1.0a User Context, OAuth 2.0 User Context].")
		return caller{}, &refusal
	}
	token, standing, err := n.env.FindToken(value)
	if err != nil {
		refusal := n.broken(err)
		return caller{}, &refusal
	}
	if standing != sim.TokenLive || token.Kind != sim.AccessToken {
		refusal := unauthorized()
		return caller{}, &refusal
	}
	if !token.Has(e.scopes...) {
		refusal := forbidden("Forbidden")
		return caller{}, &refusal
	}
	return caller{accountID: token.AccountID, clientID: token.ClientID}, nil
}

// bearer returns the token of the header: X accepts it nowhere else.
func bearer(r *http.Request) string {
	if r.Header.Get("Authorization") == "" {
		return ""
	}
	return sim.BearerToken(r)
}

// usage is the state of the limits for one call.
type usage struct {
	exceeded  bool
	user, app *sim.Usage
	appDay    bool
	id        string
}

func (n *network) count(e endpoint, c caller) usage {
	u := usage{appDay: e.appWindow == day, id: strconv.FormatUint(sim.StableNumber(16, e.name, c.accountID,
		n.env.Now().String()), 16)}
	if e.perUser > 0 && c.accountID != "" {
		taken := n.env.Limits.Take(e.name+" "+c.accountID, e.perUser, shortWindow, false)
		u.user, u.exceeded = &taken, taken.Exceeded
	}
	if e.perApp > 0 && !u.exceeded && (c.accountID == "" || u.appDay) {
		taken := n.env.Limits.Take(e.name+" app "+c.clientID, e.perApp, e.appWindow, false)
		u.app, u.exceeded = &taken, taken.Exceeded
	}
	return u
}

// stamp adds the limits to a response.
func (u usage) stamp(reply sim.Reply) sim.Reply {
	reply = reply.With("x-transaction-id", u.id).With("api-version", "2.167").With("x-access-level", "read-write")
	short := u.user
	if short == nil {
		short = u.app
	}
	if short != nil {
		reply = stampLimit(reply, "x-rate-limit", *short)
	}
	if u.app != nil && u.appDay {
		reply = stampLimit(reply, "x-app-limit-24hour", *u.app)
	}
	return reply
}

func stampLimit(reply sim.Reply, prefix string, u sim.Usage) sim.Reply {
	return reply.With(prefix+"-limit", strconv.Itoa(u.Limit)).With(prefix+"-remaining", strconv.Itoa(u.Remaining)).
		With(prefix+"-reset", strconv.FormatInt(u.Reset.Unix(), 10))
}

// Prices, in thousandths of a dollar.
const (
	pricePost     = 15
	pricePostURL  = 200
	priceSummoned = 10
	priceMetadata = 5
	priceRepost   = 15
	priceUndo     = 10
	priceReadPost = 5
	priceReadUser = 10
)

// charge charges for an action. Created posts are charged by their rows, which survive a restart.
func (n *network) charge(price int) { n.spent.Add(int64(price)) }
