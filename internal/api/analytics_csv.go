package api

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"crier"
)

// formatCSV is the format of tables.
const formatCSV = "csv"

// tableStream is an input whose table may be too long to build before it is sent.
type tableStream interface {
	rows(write func(row []string) error) error
}

// sendTable sends a table as a file.
func (s *Server) sendTable(w http.ResponseWriter, r *http.Request, name string, in, answer any) {
	const contentType = "text/csv; charset=utf-8"
	h := w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	if stream, ok := in.(tableStream); ok {
		h.Set("Content-Type", contentType)
		s.streamTable(w, r, stream)
		return
	}
	var text bytes.Buffer
	writer := csv.NewWriter(&text)
	for _, row := range tableOf(answer) {
		_ = writer.Write(escapeRow(row)) // to memory: cannot fail
	}
	writer.Flush()
	s.sendAs(w, r, http.StatusOK, contentType, text.Bytes())
}

// streamTable sends a table while it is read. One that ends early must not look complete: the connection is dropped.
func (s *Server) streamTable(w http.ResponseWriter, r *http.Request, table tableStream) {
	writer := csv.NewWriter(newPatientWriter(w))
	err := table.rows(func(row []string) error { return writer.Write(escapeRow(row)) })
	writer.Flush()
	if err = errors.Join(err, writer.Error()); err != nil {
		infoOf(r).err = err
		panic(http.ErrAbortHandler)
	}
}

func escapeRow(row []string) []string {
	safe := make([]string, len(row))
	for i, cell := range row {
		safe[i] = escapeCell(cell)
	}
	return safe
}

// escapeCell prevents spreadsheets from interpreting user text as a formula.
func escapeCell(cell string) string {
	if cell == "" || !strings.ContainsAny(cell[:1], "=+@\t\r") && (cell[0] != '-' || isNumber(cell)) {
		return cell
	}
	return "'" + cell
}

func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil
}

// tableOf returns a response of analytics as a table: a header line, then the rows.
func tableOf(answer any) [][]string {
	switch a := answer.(type) {
	case crier.AnalyticsSummary:
		return summaryTable(a)
	case crier.AnalyticsSeries:
		return seriesTable(a)
	case crier.BestTimes:
		return bestTimesTable(a)
	case crier.AnalyticsDelivery:
		return deliveryTable(a)
	}
	panic(fmt.Sprintf("no table of %T", answer)) // by a mistake in the route table only
}

// text returns a number as a cell, without an exponent; empty for a missing value.
func text[T int64 | float64](n *T) string {
	if n == nil {
		return ""
	}
	if f, ok := any(*n).(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(*n)
}

func summaryTable(a crier.AnalyticsSummary) [][]string {
	rows := [][]string{{"from", "to", "basis", "group", "key", "name", "metric", "value", "told", "notTold"}}
	add := func(from, to crier.Date, group, key, name string, t crier.AnalyticsTotals) {
		line := func(metric, value string, reported, notReported int64) {
			rows = append(rows, []string{string(from), string(to), string(a.Basis), group, key, name, metric, value,
				strconv.FormatInt(reported, 10), strconv.FormatInt(notReported, 10)})
		}
		line("posts", strconv.FormatInt(t.Posts, 10), t.Posts, 0)
		m := t.Metrics
		for _, sum := range []struct {
			name string
			of   crier.AnalyticsSum
		}{
			{"views", m.Views}, {"likes", m.Likes}, {"comments", m.Comments}, {"shares", m.Shares},
			{"quotes", m.Quotes}, {"saves", m.Saves}, {"clicks", m.Clicks}, {"engagements", m.Engagements},
		} {
			line(sum.name, text(sum.of.Value), sum.of.Told, sum.of.NotTold)
		}
		line("engagementRate", text(t.EngagementRate.Value), t.EngagementRate.Told, t.EngagementRate.NotTold)
		line("followers", text(t.Followers.Value), t.Followers.Told, t.Followers.NotTold)
		line("followersChange", text(t.Followers.Change), t.Followers.Told, t.Followers.NotTold)
	}
	add(a.From, a.To, "total", "", "", a.AnalyticsTotals)
	if p := a.Previous; p != nil {
		add(p.From, p.To, "previous", "", "", p.AnalyticsTotals)
	}
	for _, p := range a.ByProvider {
		add(a.From, a.To, "provider", string(p.Provider), "", p.AnalyticsTotals)
	}
	for _, p := range a.BySocialAccount {
		add(a.From, a.To, "socialAccount", string(p.SocialAccountID), p.DisplayName, p.AnalyticsTotals)
	}
	return rows
}

func seriesTable(a crier.AnalyticsSeries) [][]string {
	rows := [][]string{{"bucket", "key", "label", a.Metric, "told", "notTold"}}
	for _, g := range a.Groups {
		for i, bucket := range a.Buckets {
			rows = append(rows, []string{string(bucket), g.Key, g.Label, text(g.Values[i]),
				strconv.FormatInt(g.Told[i], 10), strconv.FormatInt(g.NotTold[i], 10)})
		}
	}
	return rows
}

var postColumns = []string{"scheduledPostId", "postId", "provider", "socialAccountId", "accountName", "postType",
	"title", "text", "permalink", "publishedAt", "readAt", "views", "reach", "likes", "comments", "shares", "quotes",
	"saves", "clicks", "engagements", "engagementRate"}

func postRow(p crier.AnalyticsPost) []string {
	m, read := p.Metrics, ""
	if p.ReadAt != nil {
		read = p.ReadAt.String()
	}
	return []string{string(p.ScheduledPostID), string(p.PostID), string(p.Provider), string(p.SocialAccountID),
		p.AccountName, string(p.PostType), crier.Text(p.Title), p.Text, crier.Text(p.Permalink),
		p.PublishedAt.String(), read, text(m.Views), text(m.Reach), text(m.Likes), text(m.Comments),
		text(m.Shares), text(m.Quotes), text(m.Saves), text(m.Clicks), text(m.Engagements), text(p.EngagementRate)}
}

func bestTimesTable(a crier.BestTimes) [][]string {
	rows := [][]string{{"weekday", "hour", "posts", "score", "standsOut"}}
	for _, c := range a.Cells {
		best := false
		for _, b := range a.Best {
			best = best || b.Weekday == c.Weekday && b.Hour == c.Hour
		}
		rows = append(rows, []string{strconv.Itoa(c.Weekday), strconv.Itoa(c.Hour), strconv.FormatInt(c.Posts, 10),
			text(c.Score), strconv.FormatBool(best)})
	}
	return rows
}

func deliveryTable(a crier.AnalyticsDelivery) [][]string {
	rows := [][]string{{"provider", "published", "failed", "missed", "unknown", "open", "posts", "p50Ms", "p95Ms",
		"p99Ms"}}
	add := func(name string, d crier.DeliveryCounts) {
		row := []string{name}
		for _, n := range []int64{d.Published, d.Failed, d.Missed, d.Unknown, d.Open} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		if l := d.Lateness; l != nil {
			row = append(row, text(&l.Posts), text(&l.P50Ms), text(&l.P95Ms), text(&l.P99Ms))
		} else {
			row = append(row, "0", "", "", "")
		}
		rows = append(rows, row)
	}
	add("all", a.DeliveryCounts)
	for _, p := range a.ByProvider {
		add(string(p.Provider), p.DeliveryCounts)
	}
	return rows
}
