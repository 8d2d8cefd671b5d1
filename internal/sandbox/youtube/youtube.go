// Package youtube simulates YouTube: Google's OAuth consent, resumable uploads, and the part of the Data API v3 that
// publishing a video needs.
//
// # Channels
//
// Every Google account here has one channel. Channels whose name starts with "unverified" have no verified phone
// number: no custom thumbnails, and no videos of more than 15 minutes.
//
// # When a video is published
//
// A video exists when its last byte has arrived, and never before. The PUT with that byte is the operation publish;
// opening a session, all other chunks, reading the progress of an upload, thumbnails and playlists are uploads.
// Afterwards the video is processed for the processing time. A file that is no video gets an id as well, fails in
// processing and is never on the timeline. Timelines show private and unlisted videos too, for inspection; the API
// returns private ones only to their channel.
//
// # Quota
//
// There is one project for all callers, with Google's daily quotas, which reset at midnight in California.
package youtube

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const name = "youtube"

// Settings is the app's status at Google. The zero value is an app that passed all its checks.
type Settings struct {
	// Unaudited is a project that did not pass YouTube's audit: all its videos stay private.
	Unaudited bool
	// Testing is a consent screen that is not in production: refresh tokens expire after seven days.
	Testing bool
}

// Network describes YouTube to the sandbox.
func Network(settings Settings) sim.Network {
	return sim.Network{
		Name:  name,
		Title: "YouTube",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://www.googleapis.com", Path: "/youtube"},
			{Role: "consent", Real: "https://accounts.google.com", Path: "/youtube"},
			{Role: "token", Real: "https://oauth2.googleapis.com", Path: "/youtube"},
			{Role: "analytics", Real: "https://youtubeanalytics.googleapis.com", Path: "/youtube"},
		},
		Account: account,
		Seed:    settings.seed,
		New:     func(env *sim.Env) sim.Service { return start(env, settings) },
	}
}

// Lengths of a handle.
const (
	minHandle = 3
	maxHandle = 30
)

// account returns the channel of a handle.
func account(handle string) (sim.Account, error) {
	if len(handle) < minHandle {
		return sim.Account{}, fmt.Errorf("account name %q is not allowed: at least %d characters", handle, minHandle)
	}
	if err := sim.CheckHandle(handle, maxHandle); err != nil {
		return sim.Account{}, err
	}
	sum := sha256.Sum256([]byte(name + " " + strings.ToLower(handle)))
	id := "UC" + base64.RawURLEncoding.EncodeToString(sum[:16])
	return sim.Account{ID: id, Handle: handle, Name: sim.DisplayName(handle, "TV")}, nil
}

// unverifiedPrefix is the prefix of channels without a phone number.
const unverifiedPrefix = "unverified"

func isVerified(a sim.Account) bool {
	return !strings.HasPrefix(strings.ToLower(a.Handle), unverifiedPrefix)
}

// analyticsSeed is the prefix of a connection that may also read reports.
const analyticsSeed = "analytics:"

// seed connects a channel with all scopes that publishing needs.
func (s Settings) seed(handle string) (sim.Seed, error) {
	handle, hasAnalytics := strings.CutPrefix(handle, analyticsSeed)
	a, err := account(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	scopes := []string{scopeUpload, scopeForceSSL}
	if hasAnalytics {
		scopes = append(scopes, scopeAnalytics)
	}
	return sim.NewSeed(name, a, sim.SeedTerms{
		Scopes:          scopes,
		AccessPrefix:    accessPrefix,
		AccessLifetime:  accessLifetime,
		WithRefresh:     true,
		RefreshPrefix:   refreshPrefix,
		RefreshLifetime: s.refreshLifetime(),
	})
}

// network is the running simulation of YouTube.
type network struct {
	env       *sim.Env
	settings  Settings
	quota     *quota
	heads     *heads
	sessions  *sim.Table[session]
	videos    *sim.Table[video]
	playlists *sim.Table[playlist]
	items     *sim.Table[playlistItem]

	// The indexes below follow the tables; they are guarded by the store's lock.
	uploads map[string][]string // videos by channel, oldest first
	lists   map[string][]string // playlists by channel
	listed  map[string][]string // items by playlist
	granted map[string][]string // tokens by channel and app
}

func start(env *sim.Env, settings Settings) sim.Service {
	n := &network{env: env, settings: settings, quota: newQuota(env.Options), heads: newHeads(),
		sessions: sim.NewTable[session](env.Store, "sessions"), videos: sim.NewTable[video](env.Store, "videos"),
		playlists: sim.NewTable[playlist](env.Store, "playlists"),
		items:     sim.NewTable[playlistItem](env.Store, "items"),
		uploads:   map[string][]string{}, lists: map[string][]string{}, listed: map[string][]string{},
		granted: map[string][]string{}}
	n.sessions.Keep(func(s session) bool { return s.open(env.Now()) })
	n.videos.Watch(n.followVideos)
	n.playlists.Watch(n.followPlaylists)
	n.items.Watch(n.followItems)
	env.Tokens.Watch(n.followTokens)
	n.registerOAuth()
	n.registerSessions()
	n.registerVideos()
	n.registerThumbnails()
	n.registerCaptions()
	n.registerReports()
	n.registerChannels()
	n.registerComments()
	n.registerPlaylists()
	env.PostPage("GET /watch", func(r *http.Request) string { return r.URL.Query().Get("v") })
	env.PostPage("GET /shorts/{id}", func(r *http.Request) string { return r.PathValue("id") })
	return n
}

// NotFound returns the response to an unknown path.
func (n *network) NotFound() sim.Reply {
	return failure(http.StatusNotFound, "global", "notFound", "Not Found")
}

// PostPath returns the path of a video's page: Shorts have their own, and comments are on their video's.
func (n *network) PostPath(p sim.Post, _ sim.Account) string {
	id := p.ID
	for said := p; said.Kind == sim.KindComment && said.ParentID != ""; said, _ = n.env.Posts.Get(id) {
		id = said.ParentID
	}
	if v, ok := n.videos.Get(id); ok && v.isShort() {
		return "/shorts/" + id
	}
	return "/watch?v=" + id
}

// Welcome creates a channel's first playlist.
func (n *network) Welcome(tx *sim.Tx, a sim.Account) {
	n.createPlaylist(tx, playlist{ChannelID: a.ID, Title: "Favorites", Privacy: privacyPublic})
}

// newID returns a unique id that looks like one of YouTube's.
func newID(tx *sim.Tx) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, tx.NextSeq()))
	return base64.RawURLEncoding.EncodeToString(sum[:8])
}

// wireTime formats a time as YouTube does.
func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
