package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// mergeDaySums adds up sums with the same key and returns them in key order.
func mergeDaySums(list []DaySums) []DaySums {
	type key struct {
		team     crier.ID
		gained   bool
		day      int64
		account  crier.ID
		postType crier.PostType
	}
	byKey := map[key]*DaySums{}
	var out []*DaySums
	for _, d := range list {
		k := key{d.TeamID, d.Gained, d.Day, d.SocialAccountID, d.PostType}
		if byKey[k] == nil {
			byKey[k] = &DaySums{TeamID: d.TeamID, Gained: d.Gained, Day: d.Day, SocialAccountID: d.SocialAccountID,
				Provider: d.Provider, PostType: d.PostType}
			out = append(out, byKey[k])
		}
		byKey[k].Add(d)
	}
	slices.SortFunc(out, compareDaySums)
	merged := make([]DaySums, len(out))
	for i, d := range out {
		merged[i] = *d
	}
	return merged
}

func compareDaySums(a, b *DaySums) int {
	gained := func(d *DaySums) int {
		if d.Gained {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.TeamID, b.TeamID), cmp.Compare(gained(a), gained(b)), cmp.Compare(a.Day, b.Day),
		cmp.Compare(a.SocialAccountID, b.SocialAccountID), cmp.Compare(a.PostType, b.PostType))
}

// AnalyticsFilter selects the publications to count. Empty lists select all.
type AnalyticsFilter struct {
	TeamID crier.ID
	// From and To are the first and the last day, as day numbers since 1 January 1970.
	From, To         int64
	Providers        []crier.Provider
	SocialAccountIDs []crier.ID
	PostTypes        []crier.PostType
}

// where returns the condition of a filter on a table, with ? for its parameters.
func (f AnalyticsFilter) where(table string) (string, []any) {
	where, args := "", []any{}
	in := func(column string, values []any) {
		if len(values) > 0 {
			where += " AND " + table + "." + column + " IN (" + marks(len(values)) + ")"
			args = append(args, values...)
		}
	}
	in("provider", anys(f.Providers))
	in("social_account_id", anys(f.SocialAccountIDs))
	if table != "a" {
		in("post_type", anys(f.PostTypes))
	}
	return where, args
}

// DayGrouping selects the fields that sums are grouped by; the other key fields are zero.
type DayGrouping struct{ Day, Account, PostType bool }

// AnalyticsDays reads the daily sums, grouped.
func (r reads) AnalyticsDays(ctx context.Context, f AnalyticsFilter, gained bool, by DayGrouping) ([]DaySums, error) {
	var columns, groups []string
	pick := func(apart bool, column, zero string) {
		if !apart {
			columns = append(columns, zero)
			return
		}
		columns, groups = append(columns, column), append(groups, column)
	}
	pick(by.Day, "d.day", "0")
	pick(by.Account, "d.social_account_id", "NULL")
	pick(by.Account, "d.provider", "''")
	pick(by.PostType, "d.post_type", "''")
	for _, c := range sumColumns {
		columns = append(columns, "CAST(sum(d."+c+") AS bigint)")
	}
	where, args := f.where("d")
	query := `SELECT ` + strings.Join(columns, ", ") + ` FROM analytics_days d
		WHERE d.team_id = ? AND d.gained = ? AND d.day BETWEEN ? AND ?` + where
	if len(groups) > 0 {
		query += ` GROUP BY ` + strings.Join(groups, ", ") + ` ORDER BY ` + strings.Join(groups, ", ")
	} else {
		query += ` HAVING count(*) > 0`
	}
	rows, err := r.q.QueryContext(ctx, bind(query, 0), append([]any{f.TeamID, gained, f.From, f.To}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read the sums of days: %w", err)
	}
	list, err := collect(rows, func(row scanner) (d DaySums, err error) {
		var account *crier.ID
		targets := []any{&d.Day, &account, &d.Provider, &d.PostType}
		for _, v := range d.values() {
			targets = append(targets, v)
		}
		err = row.Scan(targets...)
		d.TeamID, d.Gained = f.TeamID, gained
		if account != nil {
			d.SocialAccountID = *account
		}
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the sums of days: %w", err)
	}
	return list, nil
}

// StatsBetween reads the counted publications that were published in a time range, newest first, at most limit.
func (r reads) StatsBetween(ctx context.Context, f AnalyticsFilter, from, to crier.Time,
	limit int) ([]PublicationStats, error) {
	where, args := f.where("s")
	args = append([]any{f.TeamID, f.From - 1, f.To + 1, from, to}, append(args, limit)...)
	// The days limit the range that is read from the index; a day of any time zone starts within one of them.
	rows, err := r.q.QueryContext(ctx, bind(`SELECT `+statsColumns+` FROM publication_stats s WHERE s.team_id = ?
		AND s.published_day BETWEEN ? AND ? AND s.published_at >= ? AND s.published_at < ?`+where+`
		ORDER BY s.published_at DESC, s.publication_id LIMIT ?`, 0), args...)
	if err != nil {
		return nil, fmt.Errorf("read the numbers of publications: %w", err)
	}
	list, err := collect(rows, scanStats)
	if err != nil {
		return nil, fmt.Errorf("read the numbers of publications: %w", err)
	}
	return list, nil
}

// StatsReadSince reads the counted publications whose last reading is at or after a time, at most limit.
func (r reads) StatsReadSince(ctx context.Context, f AnalyticsFilter, from crier.Time,
	limit int) ([]PublicationStats, error) {
	where, args := f.where("s")
	args = append([]any{f.TeamID, from}, append(args, limit)...)
	rows, err := r.q.QueryContext(ctx, bind(`SELECT `+statsColumns+` FROM publication_stats s WHERE s.team_id = ?
		AND s.read_at >= ?`+where+` ORDER BY s.publication_id LIMIT ?`, 0), args...)
	if err != nil {
		return nil, fmt.Errorf("read the numbers of publications: %w", err)
	}
	list, err := collect(rows, scanStats)
	if err != nil {
		return nil, fmt.Errorf("read the numbers of publications: %w", err)
	}
	return list, nil
}

// RawReadings reads the stored readings of publications, each publication's in time order.
func (r reads) RawReadings(ctx context.Context, publications []crier.ID) (map[crier.ID][]Reading, error) {
	out := map[crier.ID][]Reading{}
	for batch := range batches(publications) {
		marks, args := inList(1, batch)
		rows, err := r.q.QueryContext(ctx, `SELECT m.scheduled_post_id, m.taken_at, m.metrics FROM post_metrics m
			WHERE m.scheduled_post_id IN (`+marks+`) ORDER BY m.scheduled_post_id, m.taken_at`, args...)
		if err != nil {
			return nil, fmt.Errorf("read readings: %w", err)
		}
		list, err := collect(rows, scanReading)
		if err != nil {
			return nil, fmt.Errorf("read readings: %w", err)
		}
		for _, reading := range list {
			out[reading.PublicationID] = append(out[reading.PublicationID], reading)
		}
	}
	return out, nil
}

func scanReading(row scanner) (reading Reading, err error) {
	var raw *json.RawMessage
	if err = row.Scan(&reading.PublicationID, &reading.At, intoJSON(&raw)); err != nil || raw == nil {
		return reading, err
	}
	reading.Raw = *raw
	reading.Numbers, err = DecodeNumbers(*raw)
	return reading, err
}

// DecodeNumbers decodes the metrics of a stored reading. Networks report views or impressions; both mean how often a
// post was seen.
func DecodeNumbers(raw json.RawMessage) (Numbers, error) {
	var told struct {
		Views       *int64 `json:"views"`
		Impressions *int64 `json:"impressions"`
		Reach       *int64 `json:"reach"`
		Likes       *int64 `json:"likes"`
		Comments    *int64 `json:"comments"`
		Shares      *int64 `json:"shares"`
		Quotes      *int64 `json:"quotes"`
		Saves       *int64 `json:"saves"`
		Clicks      *int64 `json:"clicks"`
	}
	if err := json.Unmarshal(raw, &told); err != nil {
		return Numbers{}, fmt.Errorf("decode a reading: %w", err)
	}
	return Numbers{Views: cmp.Or(told.Views, told.Impressions), Reach: told.Reach, Likes: told.Likes,
		Comments: told.Comments, Shares: told.Shares, Quotes: told.Quotes, Saves: told.Saves, Clicks: told.Clicks}, nil
}

// Gains returns the sums of the days on which a publication was read, from its readings in time order. day returns the
// day of an instant. If the first readings are no longer stored, the gain of the first stored one is unknown.
func Gains(s PublicationStats, readings []Reading, day func(crier.Time) int64) []DaySums {
	s.Numbers = Numbers{}
	if len(readings) > 0 && int64(len(readings)) < s.Readings {
		s.Numbers, readings = readings[0].Numbers, readings[1:]
	}
	var out []DaySums
	for _, reading := range readings {
		now := reading.Numbers.or(s.Numbers)
		reading.Day = day(reading.At)
		out = append(out, gainedChange(s, now, reading))
		s.Numbers = now
	}
	return out
}

// Totals returns the sums of a publication as if it had been published on a day.
func Totals(s PublicationStats, day int64) DaySums {
	empty := s
	empty.Numbers, empty.PublishedDay = Numbers{}, day
	d := publishedChange(empty, s.Numbers)
	d.Counted = 1
	return d
}

// PostTagNames reads the tag names of posts.
func (r reads) PostTagNames(ctx context.Context, posts []crier.ID) (map[crier.ID][]string, error) {
	out := map[crier.ID][]string{}
	for batch := range batches(posts) {
		marks, args := inList(1, batch)
		rows, err := r.q.QueryContext(ctx, `SELECT x.post_id, t.name FROM post_tags x JOIN tags t ON t.id = x.tag_id
			WHERE x.post_id IN (`+marks+`) ORDER BY x.post_id, t.name`, args...)
		if err != nil {
			return nil, fmt.Errorf("read tags: %w", err)
		}
		type tagged struct {
			post crier.ID
			name string
		}
		list, err := collect(rows, func(row scanner) (t tagged, err error) { return t, row.Scan(&t.post, &t.name) })
		if err != nil {
			return nil, fmt.Errorf("read tags: %w", err)
		}
		for _, t := range list {
			out[t.post] = append(out[t.post], t.name)
		}
	}
	return out, nil
}
