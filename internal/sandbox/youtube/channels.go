package youtube

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"crier/internal/sandbox/sim"
)

func (n *network) registerChannels() {
	n.env.Route("GET /youtube/v3/channels", sim.Read, n.checked(listThings, n.listChannels))
	n.env.Route("GET /youtube/v3/videoCategories", sim.Read, n.checked(listThings, n.listCategories))
}

var channelParts = []string{"snippet", "statistics", "contentDetails", "status", "brandingSettings", "topicDetails",
	"localizations", "contentOwnerDetails"}

// listChannels returns the caller's own channel, or others by id.
func (n *network) listChannels(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	parts, refusal := readParts(q, channelParts)
	if refusal != nil {
		return *refusal
	}
	var ids []string
	switch {
	case q.Get("mine") == "true":
		ids = []string{c.channel.ID}
	case q.Get("id") != "":
		ids = strings.Split(q.Get("id"), ",")
	default:
		return badRequest("missingRequiredParameter", "No filter selected. Expected one of: id, mine")
	}
	items := []map[string]any{}
	n.env.View(func() {
		for _, id := range ids {
			if channel, ok := n.env.Accounts.Get(id); ok {
				items = append(items, n.channel(r, channel, parts))
			}
		}
	})
	return listReply("youtube#channelListResponse", items, len(items), "")
}

// uploadsOf returns the playlist of a channel's uploads.
func uploadsOf(channel string) string { return "UU" + strings.TrimPrefix(channel, "UC") }

func (n *network) channel(r *http.Request, a sim.Account, parts []string) map[string]any {
	picture := map[string]any{"url": n.env.AvatarURL(r, a.ID+".png"), "width": 88, "height": 88}
	long := "allowed"
	if !isVerified(a) {
		long = "eligible"
	}
	all := map[string]any{
		"snippet": map[string]any{"title": a.Name, "description": "A channel of the crier sandbox", "customUrl": "@" +
			strings.ToLower(a.Handle),
			"publishedAt": wireTime(a.CreatedAt), "thumbnails": map[string]any{"default": picture, "medium": picture,
				"high": picture}},
		"contentDetails": map[string]any{"relatedPlaylists": map[string]string{"likes": "LL",
			"uploads": uploadsOf(a.ID)}},
		"statistics": map[string]any{"viewCount": strconv.Itoa(n.viewsOf(a.ID)),
			"subscriberCount": strconv.Itoa(rounded(n.env.Followers(a.ID))), "hiddenSubscriberCount": false,
			"videoCount": strconv.Itoa(len(n.uploads[a.ID]))},
		"status": map[string]any{"privacyStatus": privacyPublic, "isLinked": true, "longUploadsStatus": long,
			"madeForKids": false},
	}
	out := map[string]any{"kind": "youtube#channel", "etag": etag(a.ID), "id": a.ID}
	for _, part := range parts {
		if value, ok := all[part]; ok {
			out[part] = value
		}
	}
	return out
}

// viewsOf returns the total views of a channel's videos. It needs a running View or Update.
func (n *network) viewsOf(channel string) int {
	views := 0
	for _, id := range n.env.Posts.ByAccount(channel) {
		if p, live := n.env.Posts.Live(id); live && p.Kind == sim.KindPost {
			views += p.ViewsOr(n.env.Likes(p))
		}
	}
	return views
}

// rounded rounds a number of subscribers as YouTube does: down to three significant figures.
func rounded(subscribers int) int {
	unit := 1
	for subscribers/unit >= 1000 {
		unit *= 10
	}
	return subscribers / unit * unit
}

// category is a category of videos.
type category struct {
	id, title  string
	assignable bool
}

var categories = []category{{"1", "Film & Animation", true}, {"2", "Autos & Vehicles", true}, {"10", "Music", true},
	{"15", "Pets & Animals", true},
	{"17", "Sports", true}, {"18", "Short Movies", false}, {"19", "Travel & Events", true}, {"20", "Gaming", true},
	{"21", "Videoblogging", false},
	{"22", "People & Blogs", true}, {"23", "Comedy", true}, {"24", "Entertainment", true},
	{"25", "News & Politics", true},
	{"26", "Howto & Style", true}, {"27", "Education", true}, {"28", "Science & Technology", true},
	{"29", "Nonprofits & Activism", true},
	{"30", "Movies", false}}

func isAssignable(id string) bool {
	return slices.ContainsFunc(categories, func(c category) bool { return c.id == id && c.assignable })
}

// listCategories returns the categories, which are the same in all regions here.
func (n *network) listCategories(r *http.Request, _ caller) sim.Reply {
	if _, refusal := readParts(r.URL.Query(), []string{"snippet"}); refusal != nil {
		return *refusal
	}
	items := []map[string]any{}
	for _, c := range categories {
		items = append(items, map[string]any{"kind": "youtube#videoCategory", "etag": etag("category", c.id),
			"id": c.id,
			"snippet": map[string]any{"title": c.title, "assignable": c.assignable,
				"channelId": "UCBR8-60-B28hp2BmDPdntcQ"}})
	}
	return listReply("youtube#videoCategoryListResponse", items, len(items), "")
}
