package linkedin

import (
	"net/http"
	"slices"
	"strings"

	"crier/internal/sandbox/sim"
)

func (n *network) registerStatistics() {
	n.rest("GET /rest/organizationalEntityShareStatistics", sim.Read, n.organizationStatistics)
	n.rest("GET /rest/memberCreatorPostAnalytics", sim.Read, n.memberStatistics)
}

// statistics is how people reacted to a post. Reactions are counted; the rest is derived from them.
type statistics struct {
	UniqueImpressionsCount int     `json:"uniqueImpressionsCount"`
	ClickCount             int     `json:"clickCount"`
	Engagement             float64 `json:"engagement"`
	LikeCount              int     `json:"likeCount"`
	CommentCount           int     `json:"commentCount"`
	ShareCount             int     `json:"shareCount"`
	ImpressionCount        int     `json:"impressionCount"`
}

// measure needs a running View or Update.
func (n *network) measure(post sim.Post) statistics {
	s := statistics{CommentCount: len(n.descendants(post.ID)),
		ShareCount: n.env.Posts.CountChildren(post.ID, sim.KindRepost) + n.env.Posts.CountQuotes(post.ID)}
	for _, count := range n.reactionsOf(post) {
		s.LikeCount += count
	}
	s.ImpressionCount = post.ViewsOr(20*s.LikeCount + 10*s.ShareCount + 5*s.CommentCount)
	s.UniqueImpressionsCount = s.ImpressionCount / 2
	if s.ImpressionCount > 0 {
		s.Engagement = float64(s.ClickCount+s.LikeCount+s.CommentCount+s.ShareCount) / float64(s.ImpressionCount)
	}
	return s
}

type organizationStatisticsView struct {
	OrganizationalEntity string     `json:"organizationalEntity"`
	Share                string     `json:"share,omitempty"`
	UGCPost              string     `json:"ugcPost,omitempty"`
	Total                statistics `json:"totalShareStatistics"`
}

// organizationStatistics returns the metrics of an organization's posts. Posts without reactions are omitted.
func (n *network) organizationStatistics(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	organization := q.Get("organizationalEntity")
	shares, refusal := parseList(r, "shares")
	if refusal != nil {
		return *refusal
	}
	ugcPosts, refusal := parseList(r, "ugcPosts")
	if refusal != nil {
		return *refusal
	}
	if q.Get("q") != "organizationalEntity" {
		return badField("PARAM_INVALID", "q must be organizationalEntity")
	}
	reply := denied("organizationalEntityShareStatistics.FINDER-organizationalEntity.20260701")
	n.env.View(func() {
		if !n.mayRead(c, organization) {
			return
		}
		list := []organizationStatisticsView{}
		for _, urn := range slices.Concat(shares, ugcPosts) {
			post, live := n.env.Posts.Live(urn)
			total := n.measure(post)
			if !live || post.AccountID != organization || total.ImpressionCount == 0 {
				continue
			}
			view := organizationStatisticsView{OrganizationalEntity: organization, Share: urn, Total: total}
			if strings.HasPrefix(urn, ugcPrefix) {
				view.Share, view.UGCPost = "", urn
			}
			list = append(list, view)
		}
		reply = sim.Reply{Status: http.StatusOK,
			Body: elements{Paging: paging{Count: 10, Total: len(list), Links: []any{}}, Elements: list}}
	})
	return reply
}

// memberStatistics returns one metric of one of the member's own posts.
func (n *network) memberStatistics(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	raw, _ := rawParameter(r, "entity")
	entity, err := parseRecord(raw)
	switch {
	case !c.may("r_member_postAnalytics"):
		return denied("memberCreatorPostAnalytics.FINDER-entity.20260701")
	case err != nil || q.Get("q") != "entity":
		return badField("PARAM_INVALID", "q must be entity, and entity (share:…) or (ugc:…)")
	case q.Get("aggregation") != "" && q.Get("aggregation") != "TOTAL" && q.Get("aggregation") != "DAILY":
		return badField("PARAM_INVALID", "aggregation must be TOTAL or DAILY")
	}
	urn := entity["share"] + entity["ugc"]
	reply := notFound(urn)
	n.env.View(func() {
		post, live := n.env.Posts.Live(urn)
		if !live || post.AccountID != c.member.ID {
			return
		}
		count, known := n.measure(post).metric(q.Get("queryType"))
		if !known {
			reply = badField("PARAM_INVALID", "queryType %q is not known", q.Get("queryType"))
			return
		}
		reply = sim.Reply{Status: http.StatusOK, Body: elements{Paging: paging{Count: 10, Total: 1, Links: []any{}},
			Elements: []map[string]any{{"count": count, "metricType": q.Get("queryType"),
				"targetEntity": map[string]string{"share": urn}}}}}
	})
	return reply
}

// metric returns one metric by name.
func (s statistics) metric(name string) (int, bool) {
	switch name {
	case "IMPRESSION":
		return s.ImpressionCount, true
	case "MEMBERS_REACHED":
		return s.UniqueImpressionsCount, true
	case "REACTION":
		return s.LikeCount, true
	case "COMMENT":
		return s.CommentCount, true
	case "RESHARE":
		return s.ShareCount, true
	case "LINK_CLICKS":
		return s.ClickCount, true
	case "POST_SAVE", "POST_SEND":
		return 0, true
	default:
		return 0, false
	}
}
