// Package linkedin simulates LinkedIn: its OAuth consent, the versioned REST API for posts, media and comments, and the
// few unversioned routes that publishing needs.
//
// The abilities of an app follow from its granted scopes: those of the self-serve products yield a token for 60 days
// that can post and read nothing; those of the Community Management API add organizations, comments, reading and a
// refresh token. Every member administers two organizations.
package linkedin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const name = "linkedin"

// Settings are LinkedIn's decisions about an app; the zero value is an app that was granted everything.
type Settings struct {
	// Scopes are those that the app was granted; nil means all.
	Scopes []string
}

// Network describes LinkedIn to the sandbox.
func Network(settings Settings) sim.Network {
	return sim.Network{
		Name:  name,
		Title: "LinkedIn",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://api.linkedin.com", Path: "/linkedin"},
			{Role: "consent", Real: "https://www.linkedin.com", Path: "/linkedin"},
		},
		Account: member,
		Seed:    seed,
		New:     func(env *sim.Env) sim.Service { return start(env, settings) },
	}
}

// Kinds of accounts.
const (
	kindMember       = "member"
	kindOrganization = "organization"
)

const (
	personPrefix       = "urn:li:person:"
	organizationPrefix = "urn:li:organization:"
)

// maxHandle is the maximum length of a member's vanity name, so that those of their organizations fit as well.
const maxHandle = 24

// member returns the member of a handle.
func member(handle string) (sim.Account, error) {
	if err := sim.CheckHandle(handle, maxHandle); err != nil {
		return sim.Account{}, err
	}
	id := personPrefix + strconv.FormatUint(sim.StableNumber(16, name, strings.ToLower(handle)), 36)
	return sim.Account{ID: id, Handle: handle, Name: sim.PersonName(handle), Kind: kindMember}, nil
}

// organizationNames are appended to a member's name for their organizations; in lower case they are appended to the
// handle.
var organizationNames = []string{"Inc", "Labs"}

// organizations returns the organizations of a member.
func organizations(owner sim.Account) []sim.Account {
	var list []sim.Account
	for _, suffix := range organizationNames {
		handle := owner.Handle + "-" + strings.ToLower(suffix)
		id := organizationPrefix + strconv.FormatUint(sim.StableNumber(9, name, "organization",
			strings.ToLower(handle)), 10)
		list = append(list, sim.Account{ID: id, Handle: handle,
			Name: sim.DisplayName(owner.Handle, suffix), Kind: kindOrganization, OwnerID: owner.ID})
	}
	return list
}

// selfServeScopes are those of "Share on LinkedIn" and "Sign In with LinkedIn using OpenID Connect".
var selfServeScopes = []string{"openid", "profile", "email", "w_member_social"}

// communityScopes are granted only with the Community Management API.
var communityScopes = []string{"w_organization_social", "r_organization_social", "rw_organization_admin",
	"r_organization_admin", "w_member_social_feed",
	"w_organization_social_feed", "r_organization_social_feed", "r_member_postAnalytics", "r_member_profileAnalytics"}

// seedScopes are the scopes that crier requests from a member.
var seedScopes = []string{"openid", "profile", "w_member_social"}

// Prefixes of a seed's handle.
const (
	// communitySeed is the prefix of a member whose app has the Community Management API.
	communitySeed = "community:"
	// organizationSeed is the prefix of the first organization of a member.
	organizationSeed = "organization:"
)

// seed connects a member by a self-serve app. With the prefix "community:" the app has the Community Management API;
// with "organization:" the account is the member's first organization.
func seed(handle string) (sim.Seed, error) {
	terms := sim.SeedTerms{Scopes: seedScopes, AccessPrefix: "AQV", AccessLifetime: accessLifetime}
	rest, isCommunity := strings.CutPrefix(handle, communitySeed)
	rest, isOrganization := strings.CutPrefix(rest, organizationSeed)
	account, err := member(rest)
	if err != nil {
		return sim.Seed{}, err
	}
	if isCommunity || isOrganization {
		terms.Scopes = append([]string{"r_basicprofile", "w_member_social"}, communityScopes...)
		terms.WithRefresh, terms.RefreshPrefix, terms.RefreshLifetime = true, "AQX", refreshLifetime
	}
	if isOrganization {
		account = organizations(account)[0]
	}
	return sim.NewSeed(name, account, terms)
}

// network is the running simulation of LinkedIn.
type network struct {
	env      *sim.Env
	settings Settings
	shares   *sim.Table[share]
	assets   *sim.Table[asset]
	metadata *sim.Table[metadata]

	// The indexes below follow the tables; they are guarded by the store's lock.
	recent    map[contentHash]recentShare
	granted   map[string][]string // by member and app
	assetByID map[string]string   // upload id to URN
}

func start(env *sim.Env, settings Settings) sim.Service {
	n := &network{env: env, settings: settings, recent: map[contentHash]recentShare{},
		granted: map[string][]string{}, assetByID: map[string]string{},
		shares: sim.NewTable[share](env.Store, "shares"), assets: sim.NewTable[asset](env.Store, "assets"),
		metadata: sim.NewTable[metadata](env.Store, "metadata")}
	n.shares.Watch(n.followShares)
	n.assets.Watch(n.followAssets)
	env.Tokens.Watch(n.followTokens)
	n.registerOAuth()
	n.registerIdentity()
	n.registerPosts()
	n.registerMedia()
	n.registerComments()
	n.registerReactions()
	n.registerStatistics()
	page := func(r *http.Request) string { return r.PathValue("urn") }
	env.PostPage("GET /feed/update/{urn}", page)
	env.PostPage("GET /feed/update/{urn}/{$}", page)
	return n
}

// NotFound returns the response to an unknown path.
func (n *network) NotFound() sim.Reply {
	return restError(http.StatusNotFound, 0, "NOT_FOUND", "No virtual resource found")
}

// PostPath returns the path of a post's page.
func (n *network) PostPath(p sim.Post, _ sim.Account) string { return "/feed/update/" + p.ID + "/" }

// Welcome creates the organizations of a member, or the member of an organization.
func (n *network) Welcome(tx *sim.Tx, a sim.Account) {
	owner := a
	if a.Kind == kindOrganization {
		handle := a.Handle
		for _, suffix := range organizationNames {
			handle = strings.TrimSuffix(handle, "-"+strings.ToLower(suffix))
		}
		var err error
		if owner, err = member(handle); err != nil {
			n.env.Log.Error("sandbox organization has no owner", "organization", a.ID, "error", err)
			return
		}
		if _, known := n.env.Accounts.Get(owner.ID); known {
			return
		}
		n.env.Accounts.Put(tx, owner)
	}
	for _, organization := range organizations(owner) {
		if organization.ID != a.ID {
			n.env.Accounts.Put(tx, organization)
		}
	}
}

// urnNumber returns the part of a URN after the last colon.
func urnNumber(urn string) string { return urn[strings.LastIndexByte(urn, ':')+1:] }

// millis formats a time as LinkedIn does.
func millis(t time.Time) int64 { return t.UnixMilli() }
