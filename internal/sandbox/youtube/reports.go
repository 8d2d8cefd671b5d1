package youtube

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// readReports is the cost of a report: the Analytics API has a separate quota.
var readReports = endpoint{unitBucket, 0, []string{scopeAnalytics}}

func (n *network) registerReports() {
	n.env.Route("GET /v2/reports", sim.Read, n.checked(readReports, n.report))
}

// secondsWatched is how long each viewer watches.
const secondsWatched = 90

var reportMetrics = []string{"views", "likes", "comments", "estimatedMinutesWatched", "averageViewDuration"}

// report returns a table of the Analytics API: of the channel, or of some of its videos.
func (n *network) report(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	names := strings.Split(q.Get("metrics"), ",")
	isOdd := func(name string) bool { return !slices.Contains(reportMetrics, name) }
	_, startErr := time.Parse(time.DateOnly, q.Get("startDate"))
	_, endErr := time.Parse(time.DateOnly, q.Get("endDate"))
	switch {
	case q.Get("ids") != "channel==MINE":
		return badRequest("badRequest", "The query is not supported: ids must be channel==MINE")
	case startErr != nil || endErr != nil || q.Get("startDate") > q.Get("endDate"):
		return badRequest("badRequest", "Invalid value for startDate or endDate")
	case slices.ContainsFunc(names, isOdd):
		return badRequest("badRequest", "Unknown identifier given in field parameters.metrics.")
	case q.Get("dimensions") != "" && q.Get("dimensions") != "video":
		return badRequest("badRequest", "The query is not supported: the sandbox has the dimension video alone")
	case q.Get("dimensions") == "video" && (q.Get("maxResults") == "" || q.Get("sort") == ""):
		return badRequest("badRequest", "The query is not supported. Check the documentation for supported queries.")
	}
	headers := []map[string]string{}
	if q.Get("dimensions") == "video" {
		headers = append(headers, map[string]string{"name": "video", "columnType": "DIMENSION", "dataType": "STRING"})
	}
	for _, name := range names {
		headers = append(headers, map[string]string{"name": name, "columnType": "METRIC", "dataType": "INTEGER"})
	}
	var rows [][]any
	n.env.View(func() { rows = n.reportRows(c, names, q.Get("dimensions"), q.Get("filters")) })
	return sim.Reply{Status: http.StatusOK, Body: map[string]any{"kind": "youtubeAnalytics#resultTable",
		"columnHeaders": headers, "rows": rows}}
}

// reportRows returns the rows: one for each video with metrics, or one for the channel. It needs a running View.
func (n *network) reportRows(c caller, names []string, dimension, filter string) [][]any {
	asked := strings.Split(strings.TrimPrefix(filter, "video=="), ",")
	rows, total := [][]any{}, numbers{}
	for _, id := range n.uploads[c.channel.ID] {
		if filter != "" && !slices.Contains(asked, id) {
			continue
		}
		of := n.numbers(id)
		total = numbers{views: total.views + of.views, likes: total.likes + of.likes,
			comments: total.comments + of.comments}
		if dimension == "video" && of.views > 0 {
			rows = append(rows, append([]any{id}, of.row(names)...))
		}
	}
	if dimension == "" {
		rows = append(rows, total.row(names))
	}
	return rows
}

// numbers is how people reacted to some videos.
type numbers struct{ views, likes, comments int }

// numbers needs a running View.
func (n *network) numbers(id string) numbers {
	p, _ := n.env.Posts.Get(id)
	likes := n.env.Likes(p)
	return numbers{views: p.ViewsOr(likes), likes: likes, comments: n.env.Posts.CountChildren(id, sim.KindComment)}
}

// row returns the requested metrics, in their order.
func (of numbers) row(names []string) []any {
	var row []any
	for _, name := range names {
		switch name {
		case "estimatedMinutesWatched":
			row = append(row, of.views*secondsWatched/60)
		case "averageViewDuration":
			row = append(row, secondsWatched)
		case "likes":
			row = append(row, of.likes)
		case "comments":
			row = append(row, of.comments)
		default:
			row = append(row, of.views)
		}
	}
	return row
}
