package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// network is a server that accepts posts in X's format, answers at once, and records when each arrived. It replaces the
// sandbox, whose journal would be part of the measurement.
type network struct {
	*httptest.Server
	mu       sync.Mutex
	arrivals []arrival
}

// arrival is a received post.
type arrival struct {
	text string
	at   time.Time
}

func startNetwork(tb testing.TB) *network {
	tb.Helper()
	n := &network{}
	n.Server = httptest.NewServer(http.HandlerFunc(n.create))
	tb.Cleanup(n.Close)
	return n
}

// create answers POST /2/tweets; nothing else exists.
func (n *network) create(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	var post struct{ Text string }
	if body, err := io.ReadAll(r.Body); err != nil || r.URL.Path != "/x/2/tweets" ||
		json.Unmarshal(body, &post) != nil {
		http.NotFound(w, r)
		return
	}
	n.mu.Lock()
	n.arrivals = append(n.arrivals, arrival{post.Text, came})
	id := len(n.arrivals)
	n.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"data":{"id":"%d","text":%q}}`, id, post.Text) // a caller that is gone is seen as lost
}

// came returns how many posts have arrived.
func (n *network) came() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.arrivals)
}

// reset clears the arrivals.
func (n *network) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.arrivals = nil
}

// lateness returns how long after their due times the posts arrived, sorted. due is by text.
func (n *network) lateness(tb testing.TB, due map[string]time.Time) []time.Duration {
	tb.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.arrivals) != len(due) {
		tb.Fatalf("%d calls for %d posts", len(n.arrivals), len(due))
	}
	list := make([]time.Duration, len(n.arrivals))
	for i, a := range n.arrivals {
		list[i] = a.at.Sub(due[a.text])
	}
	slices.Sort(list)
	return list
}

// BenchmarkBurst publishes posts that are all due at the same second, ten on each account and ten accounts in each
// organization, and compares the rate with that of the job engine alone: with empty jobs, and with jobs that make two
// commits and one call on this machine. Then the same with posts scheduled for later. Limits: 0.5 of the second rate;
// waiting posts change it by no more than a fifth.
//
//	CRIER_BENCH_POSTS    how many (10000)
//	CRIER_BENCH_WAITING  how many are scheduled for later (1000000)
func BenchmarkBurst(b *testing.B) {
	posts, waiting := int(servertest.NumberFrom(b, "CRIER_BENCH_POSTS", 10_000)),
		int(servertest.NumberFrom(b, "CRIER_BENCH_WAITING", 1_000_000))
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			before := rawRates(b, dialect, posts)
			net := startNetwork(b)
			e := startEngine(b, servertest.Databases.Fresh(b, dialect), net)
			var crews []crew
			for range max(1, posts/100) {
				crews = append(crews, e.NewCrew(b, 1_000_000_000, slices.Repeat([]string{"x"}, 10)...))
			}
			b.Run("alone", func(b *testing.B) { e.burst(b, net, crews, posts, &before) })
			e.fillCalendar(b, crews[0], waiting)
			b.Run(fmt.Sprintf("with %d waiting", waiting),
				func(b *testing.B) { e.burst(b, net, crews, posts, &before) })
		})
	}
}

// BenchmarkOneAccount publishes 200 posts of one account that are all due at the same second. Limit: the last call
// after 1.5 s.
func BenchmarkOneAccount(b *testing.B) {
	const posts = 200
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			before := rawRates(b, dialect, posts)
			net := startNetwork(b)
			e := startEngine(b, servertest.Databases.Fresh(b, dialect), net)
			e.burst(b, net, []crew{e.NewCrew(b, 1_000_000_000, "x")}, posts, &before)
		})
	}
}

// burst publishes posts at the same second and reports the rate and the lateness. The machine is shared: its speed is
// measured before and after.
func (e *engine) burst(b *testing.B, net *network, crews []crew, posts int, before *rates) {
	b.Helper()
	net.reset()
	texts, at := e.scheduleAll(b, crews, posts)
	due := map[string]time.Time{}
	for _, text := range texts {
		due[text] = at
	}
	// A finished publication has no wake-up time; these times have an index.
	left := func() int64 {
		return e.Number(b, `SELECT count(*) FROM publications WHERE wake_at IS NOT NULL AND wake_at <= $1`,
			crier.TimeOf(at))
	}
	<-time.After(time.Until(at))
	for net.came() < posts || left() > 0 { // counting rows slows the measured work down
		<-time.After(20 * time.Millisecond)
		if time.Since(at) > 10*time.Minute {
			b.Fatalf("%d of %d posts are not published after 10 minutes", left(), posts)
		}
	}
	rate := float64(posts) / time.Since(at).Seconds()
	after := rawRates(b, e.Node.Store.Dialect(), posts)
	raw := rates{(before.empty + after.empty) / 2, (before.working + after.working) / 2}
	*before = after
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rate, "posts/s")
	b.ReportMetric(raw.empty, "empty-jobs/s")
	b.ReportMetric(raw.working, "working-jobs/s")
	b.ReportMetric(rate/raw.working, "ratio")
	reportLateness(b, net.lateness(b, due))
}

func reportLateness(b *testing.B, late []time.Duration) {
	b.Helper()
	for name, d := range map[string]time.Duration{
		"ms-first": late[0], "ms-p50": late[len(late)/2], "ms-p99": late[len(late)*99/100],
		"ms-last": late[len(late)-1],
	} {
		b.ReportMetric(float64(d.Microseconds())/1000, name)
	}
	if late[0] < 0 {
		b.Errorf("a post came %v before its time", -late[0])
	}
}

// scheduleAll creates posts, spread over all accounts, and schedules them for the same second. It returns their texts.
func (e *engine) scheduleAll(b *testing.B, crews []crew, count int) ([]string, time.Time) {
	b.Helper()
	texts, ids, run := make([]string, count), make([]crier.ID, count), crier.NewID()
	servertest.AtOnce(8, func(client int) {
		for i := client; i < count; i += 8 {
			texts[i] = fmt.Sprintf("%s %d", run, i)
			ids[i] = e.tryPost(b, crews[i%len(crews)], texts[i])
		}
	})
	const perSecond = 100 // on a slow machine
	at := time.Now().Add(8*time.Second + time.Duration(count/perSecond)*time.Second).Truncate(time.Second)
	when := crier.TimeOf(at)
	scopes := make([]access.TeamScope, len(crews))
	for i, c := range crews {
		scopes[i] = e.Scope(b, c)
	}
	servertest.AtOnce(8, func(client int) {
		for i := client; i < count; i += 8 {
			c := crews[i%len(crews)]
			targets := crier.Targets{SocialAccountIDs: []crier.ID{c.Accounts[i/len(crews)%len(c.Accounts)].ID}}
			_, err := e.Node.Services.Schedules.Schedule(context.Background(), scopes[i%len(crews)], ids[i],
				crier.ScheduleRequest{Targets: targets, ScheduledAt: &when})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	if left := time.Until(at); left < 3*time.Second {
		b.Fatalf("scheduling took too long: the posts are due in %v", left)
	}
	return texts, at
}

// tryPost creates a post from any goroutine.
func (e *engine) tryPost(b *testing.B, c crew, text string) crier.ID {
	b.Helper()
	got, err := e.RoundTrip(servertest.Request{Method: "POST", Path: servertest.Path("/v1/teams/%s/posts", c.Team),
		Key:  c.Key,
		Body: servertest.Object{"text": text}})
	var post struct{ ID crier.ID }
	if err == nil {
		err = json.Unmarshal(got.Body, &post)
	}
	if err != nil || got.Status != http.StatusCreated {
		b.Errorf("%d %s, %v", got.Status, got.Body, err)
	}
	return post.ID
}

// BenchmarkLateness publishes posts one by one on an otherwise idle node, and measures when each call reaches its
// network. Limit: 99 of 100 within 100 ms, none too early.
func BenchmarkLateness(b *testing.B) {
	posts := int(servertest.NumberFrom(b, "CRIER_BENCH_SINGLE_POSTS", 300))
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			net := startNetwork(b)
			e := startEngine(b, servertest.Databases.Fresh(b, dialect), net)
			e.crew = e.NewCrew(b, 1_000_000, "x", "x", "x")
			due := map[string]time.Time{}
			lead := 5*time.Second + time.Duration(posts)*10*time.Millisecond
			start := time.Now()
			for i := range posts {
				text := fmt.Sprint("single ", i)
				post := e.NewPost(b, e.crew, text)
				at := start.Add(lead + time.Duration(i)*100*time.Millisecond)
				_, due[text] = e.ScheduleIn(b, e.crew, post, time.Until(at),
					crier.Targets{SocialAccountIDs: []crier.ID{e.Accounts[i%3].ID}})
			}
			last := start.Add(lead + time.Duration(posts)*100*time.Millisecond)
			<-time.After(time.Until(last.Add(2 * time.Second)))
			b.ReportMetric(0, "ns/op")
			reportLateness(b, net.lateness(b, due))
		})
	}
}

// fillCalendar adds publications for tomorrow, with their jobs, on all accounts of a crew.
func (e *engine) fillCalendar(b *testing.B, c crew, count int) {
	b.Helper()
	e.CopyPublication(b, c, c.Accounts, (count+len(c.Accounts)-1)/len(c.Accounts), e.Config.Now().Add(24*time.Hour))
	e.CopyPublishJob(b, count)
}
