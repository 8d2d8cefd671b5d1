package youtube

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// readReports is what a report costs: the Analytics API has a quota of its own.
var readReports = endpoint{unitBucket, 0, []string{scopeAnalytics}}

func (n *network) registerReports() {
	n.env.Route("GET /v2/reports", sim.Read, n.checked(readReports, n.report))
}

// secondsWatched is how long everybody watches.
const secondsWatched = 90

var reportMetrics = []string{"views", "likes", "comments", "estimatedMinutesWatched", "averageViewDuration"}

// report answers a table of the Analytics API: of the channel, or of some of its videos.
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

// reportRows returns the rows: one for each video that has numbers, or one for the channel. It needs a running View.
func (n *network) reportRows(c caller, names []string, dimension, filter string) [][]any {
	asked := strings.Split(strings.TrimPrefix(filter, "video=="), ",")
	rows, total := [][]any{}, 0
	for _, id := range n.uploads[c.channel.ID] {
		v, _ := n.videos.Get(id)
		views, err := strconv.Atoi(n.statistics(v)["viewCount"])
		if err != nil || filter != "" && !slices.Contains(asked, id) {
			continue
		}
		total += views
		if dimension == "video" && views > 0 {
			rows = append(rows, append([]any{id}, numbersOf(views, names)...))
		}
	}
	if dimension == "" {
		rows = append(rows, numbersOf(total, names))
	}
	return rows
}

func numbersOf(views int, names []string) []any {
	var row []any
	for _, name := range names {
		switch name {
		case "estimatedMinutesWatched":
			row = append(row, views*secondsWatched/60)
		case "averageViewDuration":
			row = append(row, secondsWatched)
		default:
			row = append(row, views)
		}
	}
	return row
}
