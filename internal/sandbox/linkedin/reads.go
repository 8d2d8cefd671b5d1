package linkedin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"crier/internal/sandbox/sim"
)

// postView is a post as reads return it.
type postView struct {
	ID string `json:"id"`
	postInput
	CreatedAt      int64 `json:"createdAt"`
	PublishedAt    int64 `json:"publishedAt"`
	LastModifiedAt int64 `json:"lastModifiedAt"`
}

// viewPost returns the view of a post. It needs a running View or Update.
func (n *network) viewPost(post sim.Post) postView {
	row, _ := n.shares.Get(post.ID)
	return postView{ID: post.ID, postInput: row.Input, CreatedAt: millis(post.CreatedAt),
		PublishedAt: millis(post.CreatedAt), LastModifiedAt: millis(row.ModifiedAt)}
}

// mayRead reports whether the caller may read an author's posts. Members' posts need r_member_social, which no app
// gets.
func (n *network) mayRead(c caller, author string) bool {
	return strings.HasPrefix(author, organizationPrefix) && c.may("r_organization_social") && n.administers(c, author)
}

func (n *network) getPost(r *http.Request, c caller) sim.Reply {
	if view := r.URL.Query().Get("viewContext"); view != "" && view != "AUTHOR" && view != "READER" {
		return badField("PARAM_INVALID", "viewContext must be AUTHOR or READER")
	}
	var reply sim.Reply
	n.env.View(func() {
		post, live := n.env.Posts.Live(r.PathValue("urn"))
		switch {
		case !c.may("r_organization_social"):
			reply = denied("posts.GET.20260701")
		case !live || post.Kind == sim.KindComment:
			reply = notFound(r.PathValue("urn"))
		case !n.mayRead(c, post.AccountID):
			reply = denied("posts.GET.20260701")
		default:
			reply = sim.Reply{Status: http.StatusOK, Body: n.viewPost(post)}
		}
	})
	return reply
}

// maxCount is the maximum page size of a list.
const maxCount = 100

// parsePage parses the start and length of a page.
func parsePage(r *http.Request) (start, count int, refusal *sim.Reply) {
	count = 10
	q := r.URL.Query()
	for key, number := range map[string]*int{"start": &start, "count": &count} {
		if text := q.Get(key); text != "" {
			value, err := strconv.Atoi(text)
			if err != nil || value < 0 || value > 1_000_000 {
				return 0, 0, refuse(badField("PARAM_INVALID", "Invalid query parameter %s", key))
			}
			*number = value
		}
	}
	return start, min(count, maxCount), nil
}

// listPosts returns an author's posts, newest first.
func (n *network) listPosts(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	start, count, refusal := parsePage(r)
	switch {
	case refusal != nil:
		return *refusal
	case !isMethod(r, "FINDER", true):
		return wrongMethod("FINDER")
	case q.Get("q") != "author":
		return badField("PARAM_INVALID", "q must be author")
	case !slices.Contains([]string{"", "LAST_MODIFIED", "CREATED"}, q.Get("sortBy")):
		return badField("PARAM_INVALID", "sortBy must be LAST_MODIFIED or CREATED")
	}
	reply := denied("posts.FINDER-author.20260701")
	n.env.View(func() {
		if !n.mayRead(c, q.Get("author")) {
			return
		}
		list, skip := []postView{}, start
		for _, id := range slices.Backward(n.env.Posts.ByAccount(q.Get("author"))) {
			post, live := n.env.Posts.Live(id)
			if !live || post.Kind == sim.KindComment {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			if len(list) == count {
				break
			}
			list = append(list, n.viewPost(post))
		}
		reply = sim.Reply{Status: http.StatusOK,
			Body: elements{Paging: paging{Start: start, Count: count, Links: []any{}}, Elements: list}}
	})
	return reply
}
