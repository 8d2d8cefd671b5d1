// Package tiktok simulates TikTok: the consent of Login Kit, the Content Posting API with its upload host, and the part
// of the Display API that returns posts.
//
// # Accounts
//
// Accounts whose name starts with "private" are private: they post to followers, friends or themselves, and nobody may
// duet or stitch them. All others are public. Nobody opens the app here, so drafts stay pending in the inbox.
//
// # When a post is published
//
// An uploaded video is posted when its last chunk has arrived; that PUT is the operation publish, and every other chunk
// and the init before them are uploads. Where TikTok pulls the files (photos, and videos by URL) the init is the
// operation publish. Then the network processes the post for the processing time; after that the status is
// PUBLISH_COMPLETE and the post is on the timeline. After another processing time moderation is finished: only then
// status/fetch returns a public post's id and video/list shows it. Timelines show private posts as well, for
// inspection; the API never returns them.
//
// URLs may be plain http here, since a sandbox's neighbors seldom have certificates.
package tiktok

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"crier/internal/sandbox/sim"
)

const name = "tiktok"

// Settings is the app's status at TikTok. The zero value is an audited app that may name any URL.
type Settings struct {
	// Unaudited is an app that TikTok has not approved: it posts privately and to private accounts only.
	Unaudited bool
	// VerifiedPrefixes are the prefixes of the URLs that TikTok may pull from; none means any.
	VerifiedPrefixes []string
	// AccessLifetime is the lifetime of access tokens; the default is 24 hours. TikTok used 24 hours for years, and 2
	// later.
	AccessLifetime time.Duration
}

// Network describes TikTok to the sandbox.
func Network(settings Settings) sim.Network {
	if settings.AccessLifetime == 0 {
		settings.AccessLifetime = 24 * time.Hour
	}
	return sim.Network{
		Name:  name,
		Title: "TikTok",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://open.tiktokapis.com", Path: "/tiktok"},
			{Role: "consent", Real: "https://www.tiktok.com", Path: "/tiktok"},
		},
		Account: account,
		Seed:    settings.seed,
		New:     func(env *sim.Env) sim.Service { return start(env, settings) },
	}
}

var handlePattern = regexp.MustCompile(`^[A-Za-z0-9_.]{1,23}[A-Za-z0-9_]$`)

// privatePrefix is the prefix of the names of private accounts.
const privatePrefix = "private"

func isPrivate(a sim.Account) bool {
	return strings.HasPrefix(strings.ToLower(a.Handle), privatePrefix)
}

// account returns the account of a handle.
func account(handle string) (sim.Account, error) {
	if !handlePattern.MatchString(handle) {
		return sim.Account{}, fmt.Errorf("username %q is not allowed: 2 to 24 letters, digits, _ or ., without a . "+
			"at the end", handle)
	}
	return sim.Account{ID: stableUUID("open", handle), Handle: handle, Name: sim.DisplayName(handle, "Clips")},
		nil
}

// stableUUID returns an id that depends only on a handle.
func stableUUID(kind, handle string) string {
	sum := sha256.Sum256([]byte(name + " " + kind + " " + strings.ToLower(handle)))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// Scopes that an app can request.
const (
	scopeBasic   = "user.info.basic"
	scopeProfile = "user.info.profile"
	scopeStats   = "user.info.stats"
	scopeList    = "video.list"
	scopePublish = "video.publish"
	scopeUpload  = "video.upload"
)

var knownScopes = []string{scopeBasic, scopeProfile, scopeStats, scopeList, scopePublish, scopeUpload}

// seed connects an account with all scopes.
func (s Settings) seed(handle string) (sim.Seed, error) {
	a, err := account(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	return sim.NewSeed(name, a, sim.SeedTerms{
		Scopes:          slices.Clone(knownScopes),
		AccessPrefix:    accessPrefix,
		AccessLifetime:  s.AccessLifetime,
		WithRefresh:     true,
		RefreshPrefix:   refreshPrefix,
		RefreshLifetime: refreshLifetime,
	})
}

// network is the running simulation of TikTok.
type network struct {
	env      *sim.Env
	settings Settings
	tasks    *sim.Table[task]
	puller   *http.Client
	// resume resumes, at the first call, what a restart interrupted.
	resume sync.Once

	// The indexes below follow the tables; they are guarded by the store's lock.
	unsettled map[string]struct{}    // tasks that have all their bytes and no outcome yet
	pulling   map[string]struct{}    // tasks whose files are still to be pulled
	begun     map[string][]time.Time // start times of the posts of the last day, by account and mode
	byPost    map[string]string      // task by post
	granted   map[string][]string    // tokens by account and app
}

func start(env *sim.Env, settings Settings) sim.Service {
	n := &network{env: env, settings: settings, tasks: sim.NewTable[task](env.Store, "tasks"), puller: newPuller(),
		unsettled: map[string]struct{}{}, pulling: map[string]struct{}{}, begun: map[string][]time.Time{},
		byPost:  map[string]string{},
		granted: map[string][]string{}}
	n.tasks.Watch(n.followTasks)
	env.Tokens.Watch(n.followTokens)
	n.registerOAuth()
	n.registerUsers()
	n.registerPublish()
	n.registerUpload()
	n.registerVideos()
	page := func(r *http.Request) string { return r.PathValue("id") }
	env.PostPage("GET /{handle}/video/{id}", page)
	env.PostPage("GET /{handle}/photo/{id}", page)
	return n
}

// NotFound returns the response to an unknown path. TikTok's paths end with a slash.
func (n *network) NotFound() sim.Reply {
	return n.failure(http.StatusNotFound, "unsupported_path", "Unsupported path(Janus)")
}

// PostPath returns the path of a post's page.
func (n *network) PostPath(p sim.Post, author sim.Account) string {
	kind := "video"
	if len(p.Media) > 0 && strings.HasPrefix(p.Media[0].Type, "image/") {
		kind = "photo"
	}
	return "/@" + author.Handle + "/" + kind + "/" + p.ID
}

// Welcome does nothing: an account on TikTok comes with no others.
func (n *network) Welcome(*sim.Tx, sim.Account) {}

// newNumber returns a number that grows with time, with the length of TikTok's ids.
func newNumber(tx *sim.Tx) string { return strconv.FormatUint(tx.NextSeq(), 10) }
