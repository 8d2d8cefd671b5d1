package graph

import (
	"slices"
	"strings"

	"crier/internal/sandbox/sim"
)

// Insight is one metric of a node, as returned by the insights edge.
type Insight struct {
	Name        string         `json:"name"`
	Period      string         `json:"period"`
	Values      []InsightValue `json:"values,omitempty"`
	TotalValue  *InsightValue  `json:"total_value,omitempty"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	ID          string         `json:"id"`
}

// InsightValue is a value, and the end of its day if there are several.
type InsightValue struct {
	Value   any    `json:"value"`
	EndTime string `json:"end_time,omitempty"`
}

// InsightList is the response of an insights edge.
type InsightList struct {
	Data []Insight `json:"data"`
}

// NewInsight returns a metric of a node without values.
func NewInsight(node, name, period string) Insight {
	title := strings.ReplaceAll(name, "_", " ")
	return Insight{Name: name, Period: period, Title: strings.ToUpper(title[:1]) + title[1:], Description: "The " +
		title + " of this object.",
		ID: node + "/insights/" + name + "/" + period}
}

// Metrics returns the requested metrics. An unknown one is rejected, as is requesting none.
func (c *Call) Metrics(allowed []string) ([]string, *sim.Reply) {
	names := c.Params.List("metric")
	if len(names) == 0 {
		return nil, InvalidParameter("The parameter metric is required").Refuse()
	}
	for i, name := range names {
		if !slices.Contains(allowed, name) {
			return nil, InvalidParameter("metric[%d] must be one of the following values: %s", i,
				strings.Join(allowed, ", ")).Refuse()
		}
	}
	return names, nil
}

// Lifetime returns metrics that count from the start.
func Lifetime(node string, names []string, value func(name string) any) InsightList {
	list := InsightList{Data: []Insight{}}
	for _, name := range names {
		insight := NewInsight(node, name, "lifetime")
		insight.Values = []InsightValue{{Value: value(name)}}
		list.Data = append(list.Data, insight)
	}
	return list
}

// Reception is how people reacted to a post. Likes come from the controls and comments from other accounts; the rest is
// derived from them.
type Reception struct {
	Likes, Comments, Reposts, Quotes int
	// more is by how much the views that were set exceed the derived ones.
	more int
}

// Add adds the reactions to another post.
func (r *Reception) Add(other Reception) {
	r.Likes += other.Likes
	r.Comments += other.Comments
	r.Reposts += other.Reposts
	r.Quotes += other.Quotes
	r.more += other.more
}

// Receive counts the reactions to a post. It needs a running View or Update.
func (a *API) Receive(post sim.Post) Reception {
	r := Reception{Likes: a.Env.Likes(post), Comments: a.Env.Posts.CountChildren(post.ID, sim.KindComment),
		Reposts: a.Env.Posts.CountChildren(post.ID, sim.KindRepost),
		Quotes:  a.Env.Posts.CountQuotes(post.ID)}
	r.more = post.ViewsOr(r.Views()) - r.Views()
	return r
}

// Views returns the number of views.
func (r Reception) Views() int { return 20*r.Likes + 10*(r.Reposts+r.Quotes) + 5*r.Comments + r.more }

// Reach returns how many people saw it.
func (r Reception) Reach() int { return r.Views() / 2 }

// Interactions returns the number of interactions.
func (r Reception) Interactions() int { return r.Likes + r.Comments + r.Reposts + r.Quotes }
