// Package analytics implements the metrics of posts and accounts: it reads them from the networks, stores them as daily
// sums, and answers queries. docs/analytics.md explains the results.
package analytics

import (
	"fmt"
	"slices"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/slot"
	"crier/internal/store"
)

// Config holds the dependencies and settings of the package.
type Config struct {
	Store     *store.Store
	Providers *provider.Registry
	Engine    *publish.Engine
	Queue     job.Queue
	Pages     *pagination.Cursors
	Clock     crier.Clock
	// Days is how long readings are kept; 0 means DefaultDays. Daily sums are kept permanently.
	Days int
}

// DefaultDays is how long readings are kept.
const DefaultDays = 400

// Analytics implements analytics.
type Analytics struct {
	store     *store.Store
	providers *provider.Registry
	quotas    *publish.Quotas
	tokens    *publish.Tokens
	queue     job.Queue
	pages     *pagination.Cursors
	clock     crier.Clock
	kept      time.Duration
}

// New returns an Analytics.
func New(cfg Config) *Analytics {
	if cfg.Days == 0 {
		cfg.Days = DefaultDays
	}
	return &Analytics{store: cfg.Store, providers: cfg.Providers, quotas: cfg.Engine.Quotas, tokens: cfg.Engine.Tokens,
		queue: cfg.Queue, pages: cfg.Pages, clock: cfg.Clock, kept: time.Duration(cfg.Days) * 24 * time.Hour}
}

// Query selects the data of a request. Empty lists select all.
type Query struct {
	// From and To are the first and last day; empty means the last days until today.
	From, To crier.Date
	// Zone determines the days; empty means the team's, else UTC.
	Zone             crier.Zone
	Basis            crier.AnalyticsBasis
	Providers        []crier.Provider
	SocialAccountIDs []crier.ID
	PostTypes        []crier.PostType
}

// window is a query with resolved days.
type window struct {
	filter   store.AnalyticsFilter
	location *time.Location
	zone     string
	gained   bool
	// own is true if the days are those of the team's zone, for which there are sums.
	own bool
}

// defaultDays is the default length of a window.
const defaultDays = 30

// window resolves the days of a query; days is the default length.
func (s *Analytics) window(scope access.TeamScope, q Query, days int64) (window, error) {
	if err := scope.Check(); err != nil {
		return window{}, err
	}
	team := scope.Team()
	zone := teamZone(team.Timezone)
	w := window{zone: zone, own: q.Zone == "" || string(q.Zone) == zone, gained: q.Basis == crier.BasisGained}
	if q.Zone != "" {
		w.zone = string(q.Zone)
	}
	var err error
	if w.location, err = crier.Zone(w.zone).Location(); err != nil {
		return window{}, fmt.Errorf("load the zone of team %s: %w", team.ID, err)
	}
	w.filter = store.AnalyticsFilter{TeamID: team.ID, Providers: q.Providers, SocialAccountIDs: q.SocialAccountIDs,
		PostTypes: q.PostTypes, To: dayOf(s.clock.Now(), w.location)}
	if q.To != "" {
		w.filter.To = dayNumber(q.To)
	}
	w.filter.From = w.filter.To - days + 1
	if q.From != "" {
		w.filter.From = dayNumber(q.From)
	}
	if w.filter.From > w.filter.To {
		return w, crier.Invalid(crier.At("must not be after to, "+string(dateOf(w.filter.To)), "from"))
	}
	if w.filter.To-w.filter.From >= crier.MaxAnalyticsDays {
		return w, crier.Invalid(crier.At(fmt.Sprintf("must be at most %d days before to", crier.MaxAnalyticsDays-1),
			"from"))
	}
	return w, nil
}

func teamZone(zone *string) string {
	if zone == nil || *zone == "" {
		return "UTC"
	}
	return *zone
}

// before returns the window of the same length before this one.
func (w window) before() window {
	length := w.filter.To - w.filter.From + 1
	w.filter.From, w.filter.To = w.filter.From-length, w.filter.To-length
	return w
}

func (w window) shown() crier.AnalyticsWindow {
	return crier.AnalyticsWindow{From: dateOf(w.filter.From), To: dateOf(w.filter.To), Timezone: w.zone}
}

// instants returns the start of the first day and of the day after the last.
func (w window) instants() (from, to crier.Time) {
	return startOf(w.filter.From, w.location), startOf(w.filter.To+1, w.location)
}

func (w window) holds(day int64) bool { return day >= w.filter.From && day <= w.filter.To }

// selects reports whether the query includes an account.
func (w window) selects(a store.Account) bool {
	f := w.filter
	return (len(f.Providers) == 0 || slices.Contains(f.Providers, a.Provider)) &&
		(len(f.SocialAccountIDs) == 0 || slices.Contains(f.SocialAccountIDs, a.ID))
}

const secondsOfDay = 24 * 60 * 60

// dayOf returns the day of an instant in a zone, counted from 1 January 1970.
func dayOf(t crier.Time, location *time.Location) int64 {
	year, month, day := t.In(location).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay
}

func startOf(day int64, location *time.Location) crier.Time {
	return crier.TimeOf(slot.At(location, 1970, time.January, 1+int(day), 0, 0))
}

// dayNumber returns the number of days from 1 January 1970 to a valid date.
func dayNumber(d crier.Date) int64 {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return 0 // the API rejects it
	}
	return t.Unix() / secondsOfDay
}

func dateOf(day int64) crier.Date {
	return crier.Date(time.Unix(day*secondsOfDay, 0).UTC().Format(time.DateOnly))
}
