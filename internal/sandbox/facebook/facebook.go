// Package facebook simulates the Pages of Facebook: posts of texts, links, photos and videos, reels and stories,
// resumable uploads, comments and insights.
//
// A person logs in and grants an app access to their Pages: every person has three, and may create content on two of
// them. Only the token of a Page acts on it; obtained with a long-lived user token it does not expire. A post that was
// scheduled on Facebook becomes public with the first call after its time.
package facebook

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

const name = "facebook"

// Network describes Facebook to the sandbox.
func Network() sim.Network {
	return sim.Network{
		Name:  name,
		Title: "Facebook",
		Addresses: []sim.Address{
			{Role: "api", Real: "https://graph.facebook.com", Path: "/facebook"},
			{Role: "consent", Real: "https://www.facebook.com", Path: "/facebook"},
			{Role: "video", Real: "https://graph-video.facebook.com", Path: "/facebook"},
			{Role: "upload", Real: "https://rupload.facebook.com", Path: "/facebook/rupload"},
		},
		Account: user,
		Seed:    seed,
		New:     start,
	}
}

// Kinds of accounts.
const (
	kindUser = "user"
	kindPage = "page"
)

// maxHandle is the maximum length of a person's name, so that those of their Pages fit as well.
const maxHandle = 40

// user returns the person of a handle.
func user(handle string) (sim.Account, error) {
	if err := sim.CheckHandle(handle, maxHandle); err != nil {
		return sim.Account{}, err
	}
	return sim.Account{ID: stableID("user", handle), Handle: handle, Name: sim.PersonName(handle), Kind: kindUser}, nil
}

func stableID(parts ...string) string {
	return strconv.FormatUint(sim.StableNumber(15, name, strings.ToLower(strings.Join(parts, "/"))), 10)
}

// archiveSuffix is the suffix of the Page that its person may only read.
const archiveSuffix = ".archive"

// Suffixes of the Pages that only a Business portfolio lists: its own, a client's, and one on which the person has no
// task.
const (
	brandSuffix   = ".brand"
	agencySuffix  = ".agency"
	partnerSuffix = ".partner"
)

// pageSuffixes are the suffixes of a person's Pages; the first has the person's own name.
var pageSuffixes = []string{"", ".shop", archiveSuffix, brandSuffix, agencySuffix, partnerSuffix}

var pageTitles = map[string]string{"": "Page", ".shop": "Shop", archiveSuffix: "Archive", brandSuffix: "Brand",
	agencySuffix: "Agency", partnerSuffix: "Partner"}

// pages returns the Pages of a person.
func pages(owner sim.Account) []sim.Account {
	var list []sim.Account
	for _, suffix := range pageSuffixes {
		handle := owner.Handle + suffix
		list = append(list, sim.Account{ID: stableID("page", handle), Handle: handle,
			Name: sim.DisplayName(owner.Handle, pageTitles[suffix]), Kind: kindPage, OwnerID: owner.ID})
	}
	return list
}

// seed connects the first Page of a person.
func seed(handle string) (sim.Seed, error) {
	owner, err := user(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	page := pages(owner)[0]
	made, err := sim.NewSeed(name, page, sim.SeedTerms{Scopes: append(slices.Clone(publishingScopes),
		"business_management"), AccessPrefix: graph.FacebookPrefix})
	if err != nil {
		return made, err
	}
	made.Details, err = json.Marshal(map[string][]string{"tasks": tasks(page)})
	return made, err
}

// network is the running simulation of Facebook.
type network struct {
	*graph.API
	pagePosts *sim.Table[pagePost]
	drafts    *sim.Table[draft]
	photos    *sim.Table[photo]
	videos    *sim.Table[video]
}

// useCase is the name of Pages in the usage headers.
const useCase = "pages"

func start(env *sim.Env) sim.Service {
	n := &network{pagePosts: sim.NewTable[pagePost](env.Store, "pagePosts"),
		drafts: sim.NewTable[draft](env.Store, "drafts"),
		photos: sim.NewTable[photo](env.Store, "photos"), videos: sim.NewTable[video](env.Store, "videos")}
	n.API = graph.New(env, graph.Terms{UseCase: useCase, CallsPerDay: graph.CallsPerDay, Throttled: throttled,
		Settle: n.publishDue})
	n.photos.Keep(func(p photo) bool { return p.PostID != "" || !p.isOver(env.Now()) })
	n.videos.Keep(func(v video) bool { return !v.isOver(env.Now()) })
	n.registerLogin()
	n.registerFeed()
	n.registerPhotos()
	n.registerVideos()
	n.registerReels()
	n.registerStories()
	n.registerNodes()
	n.registerComments()
	n.registerInsights()
	env.PostPage("GET /{post}", func(r *http.Request) string { return n.postBehind(r.PathValue("post")) })
	env.PostPage("GET /stories/{post}", func(r *http.Request) string { return r.PathValue("post") })
	env.PostPage("GET /reel/{video}", func(r *http.Request) string {
		v, _ := n.videos.Get(r.PathValue("video"))
		return v.PostID
	})
	return n
}

// NotFound returns the response to an unknown path.
func (n *network) NotFound() sim.Reply { return graph.NotFound() }

// PostPath returns the path of a post's page. The store's lock is held.
func (n *network) PostPath(p sim.Post, _ sim.Account) string {
	details, _ := n.pagePosts.Get(p.ID)
	switch {
	case details.IsStory:
		return "/stories/" + p.ID
	case details.VideoID != "":
		return "/reel/" + details.VideoID
	default:
		return "/" + p.ID
	}
}

// Welcome creates the Pages of a person, or the person of a Page.
func (n *network) Welcome(tx *sim.Tx, a sim.Account) {
	owner := a
	if a.Kind == kindPage {
		var err error
		if owner, err = user(a.Handle); err != nil {
			n.Env.Log.Error("sandbox page has no owner", "page", a.ID, "error", err)
			return
		}
		n.Env.Accounts.Put(tx, owner)
	}
	for _, page := range pages(owner) {
		if page.ID != a.ID {
			n.Env.Accounts.Put(tx, page)
		}
	}
}
