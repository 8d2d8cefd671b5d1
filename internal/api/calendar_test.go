package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// calendar requests a period and returns the entries in short form.
func (s postServer) calendar(tb testing.TB, from, to time.Time, more string) []string {
	tb.Helper()
	var c crier.Calendar
	s.Do(tb, "GET", s.calendarPath(from, to)+more, nil).Want(tb, http.StatusOK).Into(tb, &c)
	lines := []string{}
	for _, e := range c.Entries {
		status := "-"
		if e.Status != nil {
			status = string(*e.Status)
		}
		title := ""
		if e.Title != nil {
			title = *e.Title
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", e.LocalDate, e.LocalTime, e.Kind, status, title))
	}
	return lines
}

func (s postServer) calendarPath(from, to time.Time) string {
	at := func(t time.Time) string { return url.QueryEscape(t.Format(time.RFC3339)) }
	return path("/v1/teams/%s/calendar?from=%s&to=%s", s.Team, at(from), at(to))
}

func TestCalendarShowsScheduledPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		account := s.InsertAccount(t, crier.ProviderX)
		day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -40)
		at := func(days, hours int) time.Time { return day.AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour) }
		long := strings.Repeat("ü", 300)
		for _, p := range []struct {
			title  string
			status crier.ScheduledPostStatus
			at     time.Time
		}{
			{"sent", crier.Published, at(1, 9)}, {"failed", crier.Failed, at(1, 23)},
			{"canceled", crier.Canceled, at(1, 10)},
			{"first instant", crier.Scheduled, at(1, 0)}, {"last instant", crier.Scheduled, at(2, 0)},
			{"deleted", crier.Published, at(1, 12)},
		} {
			id := s.NewPostID(t, object{"title": p.title, "text": long})
			s.InsertPublications(t, servertest.PublicationRow{Post: id, Account: account, Status: p.status, At: p.at,
				Zone: "Asia/Tokyo"})
			if p.title == "deleted" {
				s.Do(t, "DELETE", s.PostsPath(id), nil).Want(t, http.StatusOK)
			}
		}
		date := func(days int) string { return day.AddDate(0, 0, days).Format(time.DateOnly) }
		want := []string{
			date(1) + " 00:00 scheduled_post scheduled first instant", date(1) + " 09:00 scheduled_post published sent",
			date(1) + " 23:00 scheduled_post failed failed",
		}
		if got := s.calendar(t, at(1, 0), at(2, 0), ""); !slices.Equal(got, want) {
			t.Errorf("the calendar shows %q, want %q", got, want)
		}
		shifted := s.calendar(t, at(1, 0), at(2, 0), "&timezone=Asia/Kathmandu")
		if len(shifted) != 3 || !strings.HasPrefix(shifted[1], date(1)+" 14:45") ||
			!strings.HasPrefix(shifted[2], date(2)+" 04:45") {
			t.Errorf("in Kathmandu it shows %q", shifted)
		}
		s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"timezone": "Asia/Tokyo"}).Want(t, http.StatusOK)
		tokyo := s.Do(t, "GET", s.calendarPath(at(1, 0), at(2, 0)), nil).Want(t, http.StatusOK)
		if tokyo.Text(t, "timezone") != "Asia/Tokyo" || tokyo.Text(t, "entries", 0, "localTime") != "09:00" {
			t.Errorf("in the team's zone: %s", tokyo.Body)
		}
		if got := []rune(tokyo.Text(t, "entries", 0, "text")); len(got) != 280 {
			t.Errorf("the text has %d characters", len(got))
		}
		if tokyo.Text(t, "entries", 0, "socialAccountId") != string(account) ||
			tokyo.Text(t, "entries", 0, "provider") != "x" {
			t.Errorf("the entry is %s", tokyo.Body)
		}
	})
}

func TestCalendarShowsFutureRecurrences(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		account, other := s.InsertAccount(t, crier.ProviderX), s.InsertAccount(t, crier.ProviderThreads)
		berlin, err := crier.Zone("Europe/Berlin").Location()
		if err != nil {
			t.Fatal(err)
		}
		// A time that clock changes do not skip, so that it exists at the same local time every week.
		first := time.Now().In(berlin).AddDate(0, 0, 2)
		first = time.Date(first.Year(), first.Month(), first.Day(), 9, 30, 0, 0, berlin)
		weekly, daily := 7, 1
		ends := crier.TimeOf(first.AddDate(0, 0, 3))
		series := func(days *int, end *crier.Time) crier.PlannedActions {
			return crier.PlannedActions{RecurrenceIntervalDays: days, RecurrenceEndsAt: end}
		}
		week, short := s.NewPostID(t, object{"title": "weekly"}), s.NewPostID(t, object{"title": "short"})
		over, stopped := s.NewPostID(t, object{"title": "over"}), s.NewPostID(t, object{"title": "stopped"})
		s.InsertPublications(t,
			servertest.PublicationRow{Post: week, Account: account, Status: crier.Scheduled, At: first,
				Zone:    "Europe/Berlin",
				Actions: series(&weekly, nil)},
			servertest.PublicationRow{Post: short, Account: other, Status: crier.Scheduled, At: first.Add(time.Hour),
				Zone: "Europe/Berlin", Actions: series(&daily, &ends)},
			servertest.PublicationRow{Post: over, Account: account, Status: crier.Published, At: first,
				Zone:    "Europe/Berlin",
				Actions: series(&daily, nil)},
			servertest.PublicationRow{Post: stopped, Account: other, Status: crier.Canceled, At: first,
				Zone:    "Europe/Berlin",
				Actions: series(&daily, nil)})
		var want []string
		for i := range 13 {
			kind := "recurrence -"
			if i == 0 {
				kind = "scheduled_post scheduled"
			}
			want = append(want, first.AddDate(0, 0, 7*i).Format(time.DateOnly)+" 09:30 "+kind+" weekly")
		}
		from, to := first.AddDate(0, 0, -1), first.AddDate(0, 0, 90)
		var weeklies, shorts []string
		for _, line := range s.calendar(t, from, to, "&timezone=Europe/Berlin") {
			switch {
			case strings.HasSuffix(line, "weekly"):
				weeklies = append(weeklies, line)
			case strings.HasSuffix(line, "short"):
				shorts = append(shorts, line)
			case strings.HasSuffix(line, "stopped"), strings.Contains(line, "recurrence - over"):
				t.Errorf("a series that does not go on: %s", line)
			}
		}
		if !slices.Equal(weeklies, want) {
			t.Errorf("weekly: %q\nwant %q", weeklies, want)
		}
		if len(shorts) != 3 { // itself, and two until its end
			t.Errorf("a series with an end: %q", shorts)
		}
		later := s.calendar(t, first.AddDate(0, 0, 700), first.AddDate(0, 0, 714), "&timezone=Europe/Berlin")
		if len(later) != 2 || !strings.Contains(later[0], "09:30 recurrence - weekly") {
			t.Errorf("two years later: %q", later)
		}
	})
}

func TestCalendarWindows(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		calendar := path("/v1/teams/%s/calendar", s.Team)
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		s.Do(t, "GET", s.calendarPath(from, from.AddDate(0, 0, 92)), nil).Want(t, http.StatusOK)
		s.Do(t, "GET", s.calendarPath(from, from.AddDate(0, 0, 92).Add(time.Second)), nil).WantIssues(t, "to")
		// 92 calendar days may be an hour longer when clocks are turned back in between.
		autumn := time.Date(2026, 9, 1, 0, 0, 0, 0, time.FixedZone("", 2*3600))
		s.Do(t, "GET", s.calendarPath(autumn,
			time.Date(2026, 12, 2, 0, 0, 0, 0, time.FixedZone("", 3600)))+"&timezone=Europe/Berlin", nil).Want(t,
			http.StatusOK)
		s.Do(t, "GET", s.calendarPath(from, from), nil).WantIssues(t, "to")
		s.Do(t, "GET", s.calendarPath(from, from.Add(-time.Hour)), nil).WantIssues(t, "to")
		s.Do(t, "GET", calendar, nil).WantIssues(t, "from", "to")
		s.Do(t, "GET", calendar+"?from=2026-01-01&to=2026-02-01T00:00:00", nil).WantIssues(t, "from", "to")
		s.Do(t, "GET", s.calendarPath(from, from.AddDate(0, 0, 1))+"&timezone=Mars", nil).WantIssues(t, "timezone")
		empty := s.Do(t, "GET", s.calendarPath(from, from.AddDate(0, 0, 1)), nil).Want(t, http.StatusOK)
		if empty.Text(t, "timezone") != "UTC" || empty.Text(t, "from") != "2026-01-01T00:00:00.000Z" ||
			len(empty.Get(t, "entries").([]any)) != 0 {
			t.Errorf("an empty day: %s", empty.Body)
		}
	})
}

func TestCalendarHasAtMost5000Entries(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		daily := 1
		start := time.Now().Add(time.Hour)
		var list []servertest.PublicationRow
		for i := range 56 {
			account := s.InsertAccount(t, crier.ProviderX)
			list = append(list, servertest.PublicationRow{
				Post: s.NewPostID(t, object{}), Account: account, Status: crier.Scheduled,
				At:      start.Add(time.Duration(i) * time.Minute),
				Actions: crier.PlannedActions{RecurrenceIntervalDays: &daily},
			})
		}
		s.InsertPublications(t, list...)
		s.Do(t, "GET", s.calendarPath(start, start.AddDate(0, 0, 92)), nil).WantIssues(t, "to")
		if got := s.calendar(t, start, start.AddDate(0, 0, 80), ""); len(got) != 56*80 {
			t.Errorf("80 days have %d entries, want %d", len(got), 56*80)
		}
	})
}

func TestDocumentRequiresTheWindowOfTheCalendar(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	for _, address := range []string{"/v1/teams/{teamId}/calendar", "/v1/teams/{teamId}/scheduling-slots/calendar"} {
		parameters, ok := s.Send(t, servertest.Request{Method: "GET", Path: "/openapi.json"}).Want(t,
			http.StatusOK).Get(t, "paths",
			address, "get", "parameters").([]any)
		if !ok {
			t.Fatalf("%s has no parameters", address)
		}
		required := map[string]bool{}
		for _, p := range parameters {
			name, _ := servertest.Walk(p, []any{"name"})
			is, _ := servertest.Walk(p, []any{"required"})
			required[name.(string)] = is == true
		}
		if !required["from"] || !required["to"] || required["timezone"] {
			t.Errorf("%s requires %v", address, required)
		}
	}
}
