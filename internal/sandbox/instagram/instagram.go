// Package instagram simulates Instagram's content publishing: containers that fetch their media and need time, posts,
// reels, stories and carousels, comments and insights.
//
// An app connects in one of two ways, distinguished by the token: with Instagram Login, where a token starts with IG,
// is valid for sixty days and is refreshed with itself; or with Facebook Login, where it starts with EAA and belongs to
// the Facebook Page behind an account, which can also delete posts and upload videos. Every account is a professional
// one, and a person who logs in with Facebook manages three Pages, two of which have an account.
package instagram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

const name = "instagram"

// Network describes Instagram to the sandbox.
func Network() sim.Network {
	return sim.Network{
		Name:  name,
		Title: "Instagram",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://graph.instagram.com", Path: "/instagram"},
			{Role: "consent", Real: "https://www.instagram.com", Path: "/instagram"},
			{Role: "token", Real: "https://api.instagram.com", Path: "/instagram"},
			{Role: "facebook-api", Real: "https://graph.facebook.com", Path: "/instagram"},
			{Role: "facebook-consent", Real: "https://www.facebook.com", Path: "/instagram"},
			{Role: "facebook-upload", Real: "https://rupload.facebook.com", Path: "/instagram/rupload"},
		},
		Account: account,
		Seed:    seed,
		New:     start,
	}
}

// Kinds of accounts.
const (
	kindBusiness = "BUSINESS"
	kindCreator  = "MEDIA_CREATOR"
)

// handlePattern leaves room for the name of a second account within the thirty characters of Instagram.
var handlePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.]{0,21}$`)

// account returns the account of a handle.
func account(handle string) (sim.Account, error) {
	if !handlePattern.MatchString(handle) {
		return sim.Account{}, fmt.Errorf("username %q is not allowed: 1 to 22 letters, digits, _ or . after the first",
			handle)
	}
	return newAccount(handle, sim.DisplayName(handle, "Gallery"), kindBusiness, ""), nil
}

func newAccount(handle, displayName, kind, owner string) sim.Account {
	return sim.Account{ID: "17841" + stableDigits(12, strings.ToLower(handle)), Handle: handle,
		Name: displayName, Kind: kind, OwnerID: owner}
}

func stableDigits(digits int, parts ...string) string {
	return strconv.FormatUint(sim.StableNumber(digits, append([]string{name}, parts...)...), 10)
}

// studio returns the second account of the person behind an account.
func studio(first sim.Account) sim.Account {
	return newAccount(first.Handle+".studio", sim.DisplayName(first.Handle, "Studio"), kindCreator, first.ID)
}

// facebookSeed is the prefix of handles that are connected by Facebook Login.
const facebookSeed = "facebook:"

// shopSeed is the prefix of handles that can tag products, after facebookSeed.
const shopSeed = "shop:"

// seed connects an account by Instagram Login; with the prefix "facebook:" by Facebook Login.
func seed(handle string) (sim.Seed, error) {
	terms := sim.SeedTerms{Scopes: instagramScopes, AccessPrefix: tokenPrefix, AccessLifetime: graph.LongLife}
	handle, isFacebook := strings.CutPrefix(handle, facebookSeed)
	if isFacebook {
		terms = sim.SeedTerms{Scopes: facebookScopes, AccessPrefix: graph.FacebookPrefix}
		rest, isShop := strings.CutPrefix(handle, shopSeed)
		if handle = rest; isShop {
			terms.Scopes = append(slices.Clone(facebookScopes), scopeProducts)
		}
	}
	a, err := account(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	made, err := sim.NewSeed(name, a, terms)
	if err != nil {
		return made, err
	}
	login := map[bool]string{false: "instagram_login", true: "facebook_login"}[isFacebook]
	made.Details, err = json.Marshal(map[string]string{"authMode": login})
	return made, err
}

// network is the running simulation of Instagram.
type network struct {
	*graph.API
	containers *sim.Table[container]
	media      *sim.Table[medium]
	// childOf is the carousel of each of its files; guarded by the store's lock.
	childOf map[string]string
}

// useCase is the name of Instagram in the usage headers.
const useCase = "instagram"

func start(env *sim.Env) sim.Service {
	n := &network{childOf: map[string]string{}, containers: sim.NewTable[container](env.Store, "containers"),
		media: sim.NewTable[medium](env.Store, "media"),
		API:   graph.New(env, graph.Terms{UseCase: useCase, CallsPerDay: graph.CallsPerDay, Throttled: throttled})}
	n.containers.Keep(func(c container) bool { return c.Kept(env.Now()) })
	n.media.Watch(n.followMedia)
	n.registerLogins()
	n.registerContainers()
	n.registerPublishing()
	n.registerReads()
	n.registerComments()
	n.registerInsights()
	for _, path := range []string{"/p/{code}", "/p/{code}/{$}", "/reel/{code}", "/reel/{code}/{$}"} {
		env.PostPage("GET "+path, func(r *http.Request) string { return graph.FromShortcode(r.PathValue("code")) })
	}
	return n
}

// NotFound returns the response to an unknown path.
func (n *network) NotFound() sim.Reply { return graph.NotFound() }

// PostPath returns the path of a post's page. The store's lock is held.
func (n *network) PostPath(p sim.Post, _ sim.Account) string {
	if m, isPost := n.media.Get(p.ID); isPost {
		return m.path()
	}
	return medium{ID: p.ID}.path() // of a comment
}

// Welcome creates a person's second account.
func (n *network) Welcome(tx *sim.Tx, a sim.Account) {
	if a.OwnerID == "" {
		n.Env.Accounts.Put(tx, studio(a))
	}
}
