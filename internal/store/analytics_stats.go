package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"crier"
)

// Numbers are the metrics of a publication; nil means not reported.
type Numbers struct {
	Views, Reach, Likes, Comments, Shares, Quotes, Saves, Clicks *int64
}

// Engagements returns the sum of the reported likes, comments, shares, quotes and saves; nil if none was reported.
func (n Numbers) Engagements() *int64 {
	var sum *int64
	for _, v := range []*int64{n.Likes, n.Comments, n.Shares, n.Quotes, n.Saves} {
		if v == nil {
			continue
		}
		if sum == nil {
			sum = new(int64)
		}
		*sum += *v
	}
	return sum
}

// Rate returns engagements in millionths of views; nil if either was not reported or there are no views.
func (n Numbers) Rate() *int64 {
	e := n.Engagements()
	if e == nil || n.Views == nil || *n.Views <= 0 {
		return nil
	}
	rate := *e * 1_000_000 / *n.Views
	return &rate
}

// or returns the numbers, with those that are not reported taken from before.
func (n Numbers) or(before Numbers) Numbers {
	now, then := n.all(), before.all()
	for i, v := range now {
		if *v == nil {
			*v = *then[i]
		}
	}
	return n
}

func (n *Numbers) all() []**int64 {
	return []**int64{&n.Views, &n.Reach, &n.Likes, &n.Comments, &n.Shares, &n.Quotes, &n.Saves, &n.Clicks}
}

// PublicationStats is a published post on an account with its current metrics.
type PublicationStats struct {
	PublicationID   crier.ID
	TeamID          crier.ID
	SocialAccountID crier.ID
	PostID          crier.ID
	Provider        crier.Provider
	PostType        crier.PostType
	DueAt           crier.Time
	PublishedAt     crier.Time
	// PublishedDay is the day number since 1 January 1970 in the team's time zone.
	PublishedDay int64
	// LateMillis is the time from DueAt to the call; nil if crier did not make the call.
	LateMillis *int64
	ReadAt     *crier.Time
	Readings   int64
	Numbers    Numbers
}

const statsColumns = `s.publication_id, s.team_id, s.social_account_id, s.post_id, s.provider, s.post_type, s.due_at,
	s.published_at, s.published_day, s.late_ms, s.read_at, s.readings, s.views, s.reach, s.likes, s.comments, s.shares,
	s.quotes, s.saves, s.clicks`

func scanStats(row scanner) (s PublicationStats, err error) {
	n := &s.Numbers
	err = row.Scan(&s.PublicationID, &s.TeamID, &s.SocialAccountID, &s.PostID, &s.Provider, &s.PostType, &s.DueAt,
		&s.PublishedAt, &s.PublishedDay, &s.LateMillis, &s.ReadAt, &s.Readings, &n.Views, &n.Reach, &n.Likes,
		&n.Comments, &n.Shares, &n.Quotes, &n.Saves, &n.Clicks)
	return s, err
}

// Countable is a published publication that may not be counted yet.
type Countable struct {
	Stats PublicationStats
	// Zone is the team's time zone; empty if it has none.
	Zone string
	// Sandbox is true for an account on the simulator.
	Sandbox bool
	// ReadingFollows is true if the settlement of the publication did not plan its first reading.
	ReadingFollows bool
}

// Countables reads those of the given publications that are published posts, with everything needed to count them
// except the day.
func (r reads) Countables(ctx context.Context, publications []crier.ID) ([]Countable, error) {
	var out []Countable
	for batch := range batches(publications) {
		marks, args := inList(1, batch)
		rows, err := r.q.QueryContext(ctx, `SELECT p.id, p.team_id, p.social_account_id, p.post_id, p.provider,
			o.post_type, p.scheduled_at, p.published_at, coalesce(m.timezone, ''), a.sandbox, p.reading_follows
			FROM publications p JOIN posts o ON o.id = p.post_id JOIN teams m ON m.id = p.team_id
			JOIN social_accounts a ON a.id = p.social_account_id
			WHERE p.id IN (`+marks+`) AND p.kind = 'post' AND p.status = 'published' AND p.published_at IS NOT NULL
			ORDER BY p.id`, args...)
		if err != nil {
			return nil, fmt.Errorf("read published posts: %w", err)
		}
		list, err := collect(rows, scanCountable)
		if err != nil {
			return nil, fmt.Errorf("read published posts: %w", err)
		}
		sent, err := r.sendTimes(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if at, ok := sent[list[i].Stats.PublicationID]; ok {
				late := max(0, at.Sub(list[i].Stats.DueAt.Time).Milliseconds())
				list[i].Stats.LateMillis = &late
			}
		}
		out = append(out, list...)
	}
	return out, nil
}

func scanCountable(row scanner) (c Countable, err error) {
	s := &c.Stats
	return c, row.Scan(&s.PublicationID, &s.TeamID, &s.SocialAccountID, &s.PostID, &s.Provider, &s.PostType, &s.DueAt,
		&s.PublishedAt, &c.Zone, &c.Sandbox, &c.ReadingFollows)
}

// statsRow is an input row of CountPublications.
type statsRow struct {
	Key       crier.ID       `json:"key"`
	Team      crier.ID       `json:"team"`
	Account   crier.ID       `json:"account"`
	Post      crier.ID       `json:"post"`
	Network   crier.Provider `json:"network"`
	Kind      crier.PostType `json:"kind"`
	Due       jsonTime       `json:"due"`
	Published jsonTime       `json:"published"`
	OnDay     int64          `json:"onday"`
	Late      *int64         `json:"late"`
}

const statsRowColumns = `key uuid, team uuid, account uuid, post uuid, network text, kind text, due timestamptz,
	published timestamptz, onday bigint, late bigint`

// CountPublications counts the published posts that are not counted yet and returns their ids.
func (tx *Tx) CountPublications(ctx context.Context, list []PublicationStats) (counted []crier.ID, err error) {
	rows, byID := make([]statsRow, len(list)), map[crier.ID]PublicationStats{}
	for i, s := range list {
		rows[i] = statsRow{Key: s.PublicationID, Team: s.TeamID, Account: s.SocialAccountID, Post: s.PostID,
			Network: s.Provider, Kind: s.PostType, Due: jsonTime(s.DueAt), Published: jsonTime(s.PublishedAt),
			OnDay: s.PublishedDay, Late: s.LateMillis}
		byID[s.PublicationID] = s
	}
	found, err := tx.q.QueryContext(ctx, `INSERT INTO publication_stats (publication_id, team_id, social_account_id,
		post_id, provider, post_type, due_at, published_at, published_day, late_ms)
		SELECT v.key, v.team, v.account, v.post, v.network, v.kind, v.due, v.published, v.onday, v.late
		FROM `+tx.jsonRows(statsRowColumns)+` WHERE true ORDER BY v.key
		ON CONFLICT (publication_id) DO NOTHING RETURNING publication_id`, asJSON(&rows))
	if err != nil {
		return nil, fmt.Errorf("count publications: %w", err)
	}
	if counted, err = collect(found, scanID); err != nil {
		return nil, fmt.Errorf("count publications: %w", err)
	}
	var sums []DaySums
	for _, id := range counted {
		d := daySums(byID[id], false, byID[id].PublishedDay)
		d.Counted = 1
		sums = append(sums, d)
	}
	return counted, tx.addDaySums(ctx, sums)
}

// Reading holds the metrics that a network reported for a publication at one time.
type Reading struct {
	PublicationID crier.ID
	At            crier.Time
	// Day is the day number of the reading since 1 January 1970 in the team's time zone.
	Day     int64
	Numbers Numbers
	// Raw is the reading as stored.
	Raw json.RawMessage
}

// AddReading stores a reading and updates the sums of its days. It ignores a reading that is not newer than the last
// one or whose publication is not counted; kept is false then.
func (tx *Tx) AddReading(ctx context.Context, reading Reading) (kept bool, err error) {
	s, err := scanStats(tx.q.QueryRowContext(ctx, `SELECT `+statsColumns+` FROM publication_stats s
		WHERE s.publication_id = $1`+tx.forUpdate, reading.PublicationID))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the publication's numbers: %w", err)
	}
	if s.ReadAt != nil && !reading.At.After(s.ReadAt.Time) {
		return false, nil
	}
	if err := tx.InsertMetrics(ctx, reading.PublicationID, reading.At, reading.Raw); err != nil {
		return false, err
	}
	return true, tx.applyReading(ctx, s, reading)
}

// applyReading updates the metrics of a publication, and the sums by the difference.
func (tx *Tx) applyReading(ctx context.Context, s PublicationStats, reading Reading) error {
	now := reading.Numbers.or(s.Numbers)
	err := tx.queueExec(ctx, changedOne("the publication's numbers", s.PublicationID), `UPDATE publication_stats
		SET read_at = $2, readings = readings + 1, views = $3, reach = $4, likes = $5, comments = $6, shares = $7,
		quotes = $8, saves = $9, clicks = $10, engagements = $11, engagement_rate = $12 WHERE publication_id = $1`,
		s.PublicationID, reading.At, now.Views, now.Reach, now.Likes, now.Comments, now.Shares, now.Quotes, now.Saves,
		now.Clicks, now.Engagements(), now.Rate())
	if err != nil {
		return err
	}
	return tx.addDaySums(ctx, []DaySums{publishedChange(s, now), gainedChange(s, now, reading)})
}

// publishedChange returns the change of the sums of the day of publication.
func publishedChange(s PublicationStats, now Numbers) DaySums {
	d := daySums(s, false, s.PublishedDay)
	before, after := addable(s.Numbers), addable(now)
	for i := range after {
		if after[i] == nil {
			continue
		}
		if before[i] == nil {
			d.Sums[i].Told = 1
		}
		d.Sums[i].Value = *after[i] - value(before[i])
	}
	had, has := ratedOf(s.Numbers), ratedOf(now)
	d.Rated = Rated{has.Views - had.Views, has.Engagements - had.Engagements, has.Told - had.Told}
	return d
}

// gainedChange returns what a reading adds to the sums of its own day: the difference from the previous values.
func gainedChange(s PublicationStats, now Numbers, reading Reading) DaySums {
	d := daySums(s, true, reading.Day)
	d.Counted = 1
	before, after, told := addable(s.Numbers), addable(now), addable(reading.Numbers)
	for i := range told {
		if told[i] != nil {
			d.Sums[i] = Sum{Value: *after[i] - value(before[i]), Told: 1}
		}
	}
	if told := ratedOf(reading.Numbers); told.Told > 0 {
		had, has := ratedOf(s.Numbers), ratedOf(now)
		d.Rated = Rated{has.Views - had.Views, has.Engagements - had.Engagements, 1}
	}
	return d
}

func value(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// SummedMetrics are the metrics that are summed, in the order of DaySums.Sums. Reach is not: it counts people, and a
// person who saw two posts would count twice.
var SummedMetrics = []crier.Metric{crier.MetricViews, crier.MetricLikes, crier.MetricComments, crier.MetricShares,
	crier.MetricQuotes, crier.MetricSaves, crier.MetricClicks, crier.MetricEngagements}

const summed = 8

// addable returns the numbers in the order of SummedMetrics.
func addable(n Numbers) [summed]*int64 {
	return [summed]*int64{n.Views, n.Likes, n.Comments, n.Shares, n.Quotes, n.Saves, n.Clicks, n.Engagements()}
}

// Sum is the sum of a metric and the number of publications or readings that reported it.
type Sum struct{ Value, Told int64 }

// Rated sums the views and engagements of the publications or readings that reported both.
type Rated struct{ Views, Engagements, Told int64 }

func ratedOf(n Numbers) Rated {
	e := n.Engagements()
	if e == nil || n.Views == nil {
		return Rated{}
	}
	return Rated{*n.Views, *e, 1}
}

// DaySums are the sums of a day, an account and a post type.
type DaySums struct {
	TeamID          crier.ID
	Gained          bool
	Day             int64
	SocialAccountID crier.ID
	Provider        crier.Provider
	PostType        crier.PostType
	// Counted is the number of published posts, or of readings.
	Counted int64
	Sums    [summed]Sum // of SummedMetrics
	Rated   Rated
}

func daySums(s PublicationStats, gained bool, day int64) DaySums {
	return DaySums{TeamID: s.TeamID, Gained: gained, Day: day, SocialAccountID: s.SocialAccountID, Provider: s.Provider,
		PostType: s.PostType}
}

// Add adds other sums.
func (d *DaySums) Add(other DaySums) {
	d.Counted += other.Counted
	for i := range d.Sums {
		d.Sums[i].Value += other.Sums[i].Value
		d.Sums[i].Told += other.Sums[i].Told
	}
	d.Rated.Views += other.Rated.Views
	d.Rated.Engagements += other.Rated.Engagements
	d.Rated.Told += other.Rated.Told
}

var (
	sumColumns = sumColumnNames()
	addDaySum  = addDaySumStatement()
)

// sumColumnNames returns the columns of the sums, in the order of values.
func sumColumnNames() []string {
	names := []string{"counted"}
	for _, m := range SummedMetrics {
		names = append(names, string(m), string(m)+"_told")
	}
	return append(names, "rated_views", "rated_engagements", "rated_told")
}

// values returns the sums in the order of sumColumns.
func (d *DaySums) values() []*int64 {
	list := []*int64{&d.Counted}
	for i := range d.Sums {
		list = append(list, &d.Sums[i].Value, &d.Sums[i].Told)
	}
	return append(list, &d.Rated.Views, &d.Rated.Engagements, &d.Rated.Told)
}

func addDaySumStatement() string {
	sets := make([]string, len(sumColumns))
	for i, c := range sumColumns {
		sets[i] = c + " = analytics_days." + c + " + excluded." + c
	}
	return `INSERT INTO analytics_days (team_id, gained, day, social_account_id, post_type, provider, ` +
		strings.Join(sumColumns, ", ") + `) VALUES (` + placeholders(1, 6+len(sumColumns)) + `)
		ON CONFLICT (team_id, gained, day, social_account_id, post_type) DO UPDATE SET ` + strings.Join(sets, ", ")
}

// addDaySums adds to the sums of days, in key order to avoid deadlocks.
func (tx *Tx) addDaySums(ctx context.Context, list []DaySums) error {
	for _, d := range mergeDaySums(list) {
		args := []any{d.TeamID, d.Gained, d.Day, d.SocialAccountID, d.PostType, d.Provider}
		for _, v := range d.values() {
			args = append(args, *v)
		}
		if err := tx.queueExec(ctx, changed("add to the sums of a day"), addDaySum, args...); err != nil {
			return err
		}
	}
	return nil
}
