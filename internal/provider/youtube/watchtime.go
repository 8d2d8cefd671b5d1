package youtube

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/provider"
)

// report is a table of the Analytics API: column names and rows.
type report struct {
	Columns []struct {
		Name string `json:"name"`
	} `json:"columnHeaders"`
	Rows [][]json.RawMessage `json:"rows"`
}

// cell returns a value of a row by column name.
func (r report) cell(row []json.RawMessage, name string) json.RawMessage {
	for i, column := range r.Columns {
		if column.Name == name && i < len(row) {
			return row[i]
		}
	}
	return nil
}

// number returns a value as an integer; ok is false if there is none.
func (r report) number(row []json.RawMessage, name string) (n int64, ok bool) {
	var value *float64
	if cell := r.cell(row, name); len(cell) == 0 || json.Unmarshal(cell, &value) != nil || value == nil {
		return 0, false
	}
	return int64(*value), true
}

// Metrics of the Analytics API and their names in crier.
var watchMetrics = [][2]string{{"estimatedMinutesWatched", "watchMinutes"},
	{"averageViewDuration", "averageViewSeconds"}}

func (r report) watched(row []json.RawMessage) map[string]int64 {
	watched := map[string]int64{}
	for _, names := range watchMetrics {
		if n, ok := r.number(row, names[0]); ok {
			watched[names[1]] = n
		}
	}
	return watched
}

// firstDay is the day of the first YouTube video.
const firstDay = "2005-04-23"

// readReport reads the watch time of videos in a period. Without the scope, and if the report is rejected, it is empty:
// that is no reason to lose the other metrics.
func (p *Provider) readReport(ctx context.Context, a provider.Account, from, to time.Time, more string) (report,
	error) {
	var answer report
	if !a.HasScope(scopeAnalytics) {
		return answer, nil
	}
	day := func(at time.Time) string { return at.In(p.quotaZone).Format(time.DateOnly) }
	start := firstDay
	if !from.IsZero() {
		start = day(from)
	}
	if to.IsZero() {
		to = p.now()
	}
	err := p.analytics.Get(ctx, a.Token.Access, "/v2/reports?ids=channel%3D%3DMINE&startDate="+start+
		"&endDate="+day(to)+"&metrics=estimatedMinutesWatched,averageViewDuration"+more, &answer)
	switch failure := provider.AsError(err); {
	case failure == nil:
		return answer, nil
	case failure.Kind == provider.AuthExpired && failure.Code == provider.CodeAuthExpired:
		return report{}, failure // the token is refreshed, and the request repeated
	}
	return report{}, nil
}

// addWatchTime adds the watch time to the metrics of videos.
func (p *Provider) addWatchTime(ctx context.Context, a provider.Account, postIDs []string,
	metrics map[string]provider.Metrics) error {
	videos := slices.DeleteFunc(slices.Clone(postIDs), isComment)
	if len(videos) == 0 {
		return nil
	}
	table, err := p.readReport(ctx, a, time.Time{}, time.Time{},
		"&dimensions=video&sort=-estimatedMinutesWatched&maxResults=200&filters=video%3D%3D"+
			url.QueryEscape(strings.Join(videos, ",")))
	if err != nil {
		return err
	}
	for _, row := range table.Rows {
		var id string
		if json.Unmarshal(table.cell(row, "video"), &id) != nil {
			continue
		}
		if m, ok := metrics[id]; ok {
			m.Extra = table.watched(row)
			metrics[id] = m
		}
	}
	return nil
}
