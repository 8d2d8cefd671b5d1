package x

import (
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"crier/internal/sandbox/sim"
)

func (n *network) registerReads() {
	n.route("GET /2/tweets/{id}", sim.Read, getTweet, n.oneTweet)
	n.route("GET /2/tweets", sim.Read, getTweets, n.someTweets)
	n.route("GET /2/users/{id}/tweets", sim.Read, getTimeline, n.timeline)
}

// answer is the body of every read.
type answer struct {
	Data     any            `json:"data,omitempty"`
	Includes map[string]any `json:"includes,omitempty"`
	Meta     *meta          `json:"meta,omitempty"`
	Errors   []problemBody  `json:"errors,omitempty"`
}

type meta struct {
	ResultCount int    `json:"result_count"`
	NewestID    string `json:"newest_id,omitempty"`
	OldestID    string `json:"oldest_id,omitempty"`
	NextToken   string `json:"next_token,omitempty"`
}

func (n *network) oneTweet(r *http.Request, c caller) sim.Reply {
	sel, refusal := n.parseSelection(r)
	if refusal != nil {
		return *refusal
	}
	id := r.PathValue("id")
	var body answer
	found := false
	n.env.View(func() {
		var post sim.Post
		if post, found = n.env.Posts.Live(id); found {
			body = n.answer([]sim.Post{post}, sel, c)
		}
	})
	if !found {
		return problemReply(http.StatusNotFound, tweetNotFound("id", id))
	}
	n.charge(priceReadPost)
	body.Data = body.Data.([]map[string]any)[0]
	return sim.Reply{Status: http.StatusOK, Body: body}
}

const maxIDs = 100

// someTweets returns several posts; missing ones are partial errors.
func (n *network) someTweets(r *http.Request, c caller) sim.Reply {
	sel, refusal := n.parseSelection(r)
	if refusal != nil {
		return *refusal
	}
	ids := list(r.URL.Query().Get("ids"))
	if len(ids) < 1 || len(ids) > maxIDs {
		return outOfBounds("ids", strconv.Itoa(len(ids)), 1, maxIDs)
	}
	var body answer
	var missing []problemBody
	n.env.View(func() {
		var posts []sim.Post
		for _, id := range ids {
			if post, live := n.env.Posts.Live(id); live {
				posts = append(posts, post)
			} else {
				missing = append(missing, tweetNotFound("ids", id))
			}
		}
		body = n.answer(posts, sel, c)
	})
	body.Errors = append(body.Errors, missing...)
	n.charge(priceReadPost * (len(ids) - len(missing)))
	return sim.Reply{Status: http.StatusOK, Body: body}
}

// window is the requested part of a timeline.
type window struct {
	most            int
	from, to        time.Time // half-open; zero is no bound
	sinceID         uint64
	beforeID        uint64 // exclusive; zero is no bound
	retweets, reply bool   // wanted
}

func parseWindow(r *http.Request) (window, *sim.Reply) {
	q := r.URL.Query()
	w := window{most: 10, retweets: true, reply: true}
	var err error
	if text := q.Get("max_results"); text != "" {
		if w.most, err = strconv.Atoi(text); err != nil || w.most < 5 || w.most > 100 {
			return w, refuse(outOfBounds("max_results", text, 5, 100))
		}
	}
	for name, bound := range map[string]*time.Time{"start_time": &w.from, "end_time": &w.to} {
		if text := q.Get(name); text != "" {
			if *bound, err = time.Parse(time.RFC3339, text); err != nil {
				return w, refuse(invalid(name, text,
					"The `"+name+"` query parameter value ["+text+"] is not a valid RFC3339 timestamp"))
			}
		}
	}
	for _, id := range []struct {
		name  string
		bound *uint64
	}{{"since_id", &w.sinceID}, {"until_id", &w.beforeID}, {"pagination_token", &w.beforeID}} {
		if text := q.Get(id.name); text != "" {
			if *id.bound, err = strconv.ParseUint(text, 10, 64); err != nil {
				return w, refuse(invalid(id.name, text,
					"The `"+id.name+"` query parameter value ["+text+"] is not valid"))
			}
		}
	}
	for _, kind := range list(q.Get("exclude")) {
		switch kind {
		case "retweets":
			w.retweets = false
		case "replies":
			w.reply = false
		default:
			return w, refuse(invalid("exclude", kind,
				"The `exclude` query parameter value ["+kind+"] is not one of [replies,retweets]"))
		}
	}
	return w, nil
}

// timeline returns an account's posts, newest first.
func (n *network) timeline(r *http.Request, c caller) sim.Reply {
	sel, refusal := n.parseSelection(r)
	if refusal != nil {
		return *refusal
	}
	w, refusal := parseWindow(r)
	if refusal != nil {
		return *refusal
	}
	var body answer
	known := false
	count := 0
	n.env.View(func() {
		if _, known = n.env.Accounts.Get(r.PathValue("id")); !known {
			return
		}
		posts, more := n.page(r.PathValue("id"), w)
		count = len(posts)
		body = n.answer(posts, sel, c)
		body.Meta = &meta{ResultCount: count}
		if count > 0 {
			body.Meta.NewestID, body.Meta.OldestID = posts[0].ID, posts[count-1].ID
		}
		if more {
			body.Meta.NextToken = posts[count-1].ID
		}
	})
	if !known {
		return problemReply(http.StatusNotFound, problemBody{Title: "Not Found Error", Type: problemType +
			"resource-not-found", ResourceType: "user",
			ResourceID: r.PathValue("id"), Parameter: "id", Value: r.PathValue("id"),
			Detail: "Could not find user with id: [" + r.PathValue("id") + "]."})
	}
	n.charge(priceReadPost * count)
	return sim.Reply{Status: http.StatusOK, Body: body}
}

// page returns the newest posts of a window, and whether there are more. Ids grow with time, so it starts at the right
// place and ends at the first post that is too old.
func (n *network) page(accountID string, w window) (posts []sim.Post, more bool) {
	ids := n.env.Posts.ByAccount(accountID)
	if w.beforeID > 0 {
		ids = ids[:sort.Search(len(ids), func(i int) bool { return number(ids[i]) >= w.beforeID })]
	}
	for _, id := range slices.Backward(ids) {
		post, live := n.env.Posts.Live(id)
		if number(id) <= w.sinceID || post.CreatedAt.Before(w.from) {
			break
		}
		if !live || (!w.to.IsZero() && !post.CreatedAt.Before(w.to)) || (!w.retweets && post.Kind == sim.KindRepost) ||
			(!w.reply && post.Kind == sim.KindComment) {
			continue
		}
		if len(posts) == w.most {
			return posts, true
		}
		posts = append(posts, post)
	}
	return posts, false
}

// number returns an id as a number; ids of this network always are.
func number(id string) uint64 {
	value, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return value
}
