package youtube

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

func (n *network) registerPlaylists() {
	n.env.Route("GET /youtube/v3/playlists", sim.Read, n.checked(listThings, n.listPlaylists))
	n.env.Route("GET /youtube/v3/playlistItems", sim.Read, n.checked(listThings, n.listItems))
	n.env.Route("POST /youtube/v3/playlistItems", sim.Upload, n.checked(changeThings, n.insertItem))
}

// playlist is a playlist of a channel. The one of its uploads is implicit and has no row.
type playlist struct {
	ID        string    `json:"id"`
	ChannelID string    `json:"channel"`
	Title     string    `json:"title"`
	Privacy   string    `json:"privacy"`
	CreatedAt time.Time `json:"created"`
}

// playlistItem is an entry of a playlist. The same video may have several.
type playlistItem struct {
	ID         string    `json:"id"`
	PlaylistID string    `json:"playlist"`
	VideoID    string    `json:"video"`
	AddedAt    time.Time `json:"added"`
}

func (n *network) createPlaylist(tx *sim.Tx, p playlist) {
	p.ID, p.CreatedAt = "PL"+newID(tx)+newID(tx), tx.Now()
	n.playlists.Put(tx, p.ID, p)
}

func (n *network) followPlaylists(id string, before, after *playlist) {
	if before == nil {
		n.lists[after.ChannelID] = append(n.lists[after.ChannelID], id)
	}
}

func (n *network) followItems(id string, before, after *playlistItem) {
	if before == nil {
		n.listed[after.PlaylistID] = append(n.listed[after.PlaylistID], id)
	}
}

// listPlaylists returns the caller's playlists.
func (n *network) listPlaylists(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	if _, refusal := readParts(q, []string{"snippet", "status", "contentDetails", "player",
		"localizations"}); refusal != nil {
		return *refusal
	}
	if q.Get("mine") != "true" {
		return badRequest("missingRequiredParameter", "No filter selected. Expected one of: mine")
	}
	var ids []string
	n.env.View(func() { ids = slices.Clone(n.lists[c.channel.ID]) })
	return n.page(r, "youtube#playlistListResponse", ids, func(id string) map[string]any {
		p, _ := n.playlists.Get(id)
		return map[string]any{"kind": "youtube#playlist", "etag": etag(p.ID, p.Title), "id": p.ID,
			"snippet": map[string]any{"publishedAt": wireTime(p.CreatedAt), "channelId": p.ChannelID, "title": p.Title,
				"description": ""},
			"status":         map[string]any{"privacyStatus": p.Privacy},
			"contentDetails": map[string]any{"itemCount": len(n.listed[p.ID])}}
	})
}

var itemParts = []string{"snippet", "contentDetails", "status"}

// listItems returns the items of a playlist, newest first.
func (n *network) listItems(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	if _, refusal := readParts(q, itemParts); refusal != nil {
		return *refusal
	}
	var items []playlistItem
	found := false
	n.env.View(func() { items, found = n.itemsOf(q.Get("playlistId"), q.Get("videoId"), c) })
	if !found {
		return playlistNotFound()
	}
	byID := map[string]playlistItem{}
	var ids []string
	for _, item := range items {
		byID[item.ID] = item
		ids = append(ids, item.ID)
	}
	return n.page(r, "youtube#playlistItemListResponse", ids,
		func(id string) map[string]any { return n.itemResource(r, byID[id]) })
}

func playlistNotFound() sim.Reply {
	return failure(http.StatusNotFound, "youtube.playlistItem", "playlistNotFound",
		"The playlist identified with the request's playlistId parameter cannot be found.")
}

// itemsOf returns the items of a playlist that are visible to the caller, oldest first; those of one video if it is
// named. It needs a running View.
func (n *network) itemsOf(playlistID, videoID string, c caller) ([]playlistItem, bool) {
	var items []playlistItem
	_, found := n.playlists.Get(playlistID)
	for _, id := range n.listed[playlistID] {
		item, _ := n.items.Get(id)
		items = append(items, item)
	}
	channel := "UC" + strings.TrimPrefix(playlistID, "UU")
	if _, ok := n.env.Accounts.Get(channel); ok && strings.HasPrefix(playlistID, "UU") {
		found = true
		for _, id := range n.uploads[channel] {
			v, _ := n.videos.Get(id)
			items = append(items, playlistItem{ID: "UU" + id, PlaylistID: playlistID, VideoID: id,
				AddedAt: v.UploadedAt})
		}
	}
	return slices.DeleteFunc(items, func(item playlistItem) bool {
		v, ok := n.videos.Get(item.VideoID)
		return !ok || !v.isVisible(c.channel.ID, n.env.Now()) || (videoID != "" && item.VideoID != videoID)
	}), found
}

func (n *network) itemResource(r *http.Request, item playlistItem) map[string]any {
	v, _ := n.videos.Get(item.VideoID)
	return map[string]any{"kind": "youtube#playlistItem", "etag": etag(item.ID), "id": item.ID,
		"snippet": map[string]any{"publishedAt": wireTime(item.AddedAt), "channelId": v.ChannelID,
			"title":       v.Metadata.Snippet.Title,
			"description": v.Metadata.Snippet.Description, "thumbnails": n.thumbnails(r, v.ID),
			"playlistId": item.PlaylistID,
			"resourceId": map[string]string{"kind": "youtube#video", "videoId": v.ID}},
		"contentDetails": map[string]any{"videoId": v.ID, "videoPublishedAt": wireTime(v.UploadedAt)},
		"status":         map[string]any{"privacyStatus": v.Metadata.Status.privacyAt(n.env.Now())}}
}

// maxItems is the maximum number of videos in a playlist.
const maxItems = 5000

// insertItem adds a video to a playlist of the caller. Repeating it adds it twice.
func (n *network) insertItem(r *http.Request, c caller) sim.Reply {
	var in struct {
		Snippet struct {
			PlaylistID string `json:"playlistId"`
			ResourceID struct {
				Kind    string `json:"kind"`
				VideoID string `json:"videoId"`
			} `json:"resourceId"`
		} `json:"snippet"`
	}
	if _, refusal := readParts(r.URL.Query(), itemParts); refusal != nil {
		return *refusal
	}
	if err := sim.DecodeJSON(r, &in); err != nil {
		return badRequest("parseError", "Parse Error")
	}
	item := playlistItem{PlaylistID: in.Snippet.PlaylistID, VideoID: in.Snippet.ResourceID.VideoID}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		list, ok := n.playlists.Get(item.PlaylistID)
		v, there := n.videos.Get(item.VideoID)
		switch {
		case !ok:
			return refuse(playlistNotFound())
		case list.ChannelID != c.channel.ID:
			return refuse(failure(http.StatusForbidden, "youtube.playlistItem", "playlistItemsNotAccessible",
				"The request is not properly authorized to insert the specified playlist item."))
		case len(n.listed[list.ID]) >= maxItems:
			return refuse(failure(http.StatusForbidden, "youtube.playlistItem", "playlistContainsMaximumNumberOfVideos",
				"The playlist already contains the maximum allowed number of items."))
		case in.Snippet.ResourceID.Kind != "youtube#video" || !there || !v.isVisible(c.channel.ID, tx.Now()):
			return refuse(videoNotFound())
		}
		item.ID, item.AddedAt = newID(tx)+newID(tx), tx.Now()
		n.items.Put(tx, item.ID, item)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	var body map[string]any
	n.env.View(func() { body = n.itemResource(r, item) })
	return sim.Reply{Status: http.StatusOK, Body: body}
}

// Sizes of pages.
const (
	defaultPage = 5
	maxPage     = 50
)

// page returns one page of a list that is given oldest first and returned newest first. A page's token is its offset.
func (n *network) page(r *http.Request, kind string, ids []string, show func(id string) map[string]any) sim.Reply {
	q := r.URL.Query()
	size, offset := defaultPage, 0
	var err error
	if text := q.Get("maxResults"); text != "" {
		if size, err = strconv.Atoi(text); err != nil || size < 0 || size > maxPage {
			return badRequest("invalidParameter", "Invalid value '"+text+"'. Values must be within the range: [0, 50]")
		}
	}
	if token := q.Get("pageToken"); token != "" {
		if offset, err = strconv.Atoi(token); err != nil || offset < 0 {
			return badRequest("invalidPageToken", "The request specifies an invalid page token.")
		}
	}
	slices.Reverse(ids)
	begin, end := min(offset, len(ids)), min(offset+size, len(ids))
	items := []map[string]any{}
	n.env.View(func() {
		for _, id := range ids[begin:end] {
			items = append(items, show(id))
		}
	})
	next := ""
	if end < len(ids) {
		next = strconv.Itoa(end)
	}
	return listReply(kind, items, len(ids), next)
}
