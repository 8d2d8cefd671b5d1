package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// TestChaos publishes posts of all kinds, most of them due at the same second, on nodes that are killed at random,
// through networks that fail at random, on a database that goes away once. Whatever happens, each part of each post is
// public exactly once, or its state says that it is not, or that this is unknown; and no credit is lost.
//
//	CRIER_CHAOS_SEED     the seed of a run that failed
//	CRIER_CHAOS_POSTS    how many posts (60)
//	CRIER_CHAOS_SECONDS  how long nodes are killed and networks fail (14)
//	CRIER_CHAOS_PACE     usual: with the waits of production, which take minutes (brisk)
//	CRIER_CHAOS_RESTART  1: restart PostgreSQL instead of cutting its connections, which others may use too
func TestChaos(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := newChaos(t, db)
		c.stage()
		c.rage()
		c.calm()
		c.check()
	})
}

// chaos is one run.
type chaos struct {
	t       *testing.T
	db      database
	random  *rand.Rand // used by the main goroutine only
	pace    string
	posts   int
	lasts   time.Duration
	box     *servertest.Box
	nodes   []*nodeProcess
	crews   []crew
	plans   []*plan
	liked   map[string]bool // posts of networks
	due     time.Time
	staging *engine // publishes nothing; it runs before and after the nodes
}

// plan is a post and its targets.
type plan struct {
	crew    crew
	post    string
	parts   []string
	comment string // at once
	thanks  string // a comment posted once the post is liked
	on      []servertest.Account
	now     bool // published at once, through a node that may be killed meanwhile
	// refused holds the errors of accounts that were refused at once: they had lost their consent.
	refused map[crier.ID]*crier.EntryError
}

func newChaos(t *testing.T, db database) *chaos {
	t.Helper()
	seed := servertest.NumberFrom(t, "CRIER_CHAOS_SEED", time.Now().UnixNano())
	t.Logf("CRIER_CHAOS_SEED=%d", seed)
	c := &chaos{
		t: t, db: db, random: rand.New(rand.NewPCG(uint64(seed), 0)), pace: brisk,
		posts: int(servertest.NumberFrom(t, "CRIER_CHAOS_POSTS", 60)),
		lasts: time.Duration(servertest.NumberFrom(t, "CRIER_CHAOS_SECONDS", 14)) * time.Second,
		box:   boxProcess(t), liked: map[string]bool{},
	}
	if text := os.Getenv("CRIER_CHAOS_PACE"); text != "" {
		c.pace = text
	}
	if _, err := nodeProgram(); err != nil { // which takes a while the first time
		t.Fatal(err)
	}
	environment := append(settingsOf(db), "CRIER_SANDBOX=on", "CRIER_SANDBOX_URL="+c.box.URL, "CRIER_LOG_LEVEL=warn")
	count := 1
	if db.Dialect == store.Postgres {
		count = 2
	}
	for range count {
		n := newNode(t, c.pace, environment...)
		environment = append(slices.Clip(environment), "CRIER_PUBLIC_URL="+n.URL) // the first serves media
		c.nodes = append(c.nodes, n)
	}
	return c
}

// stage creates the posts and schedules most of them for the same second, while no node runs.
func (c *chaos) stage() {
	c.staging = &engine{box: c.box}
	c.staging.testServer = startServer(c.t, c.db, servertest.WithBox(c.box), servertest.WithRole("api"),
		servertest.WithTimings(paces[c.pace]),
		func(a *server.Config) { a.PublicURL = c.nodes[0].URL })
	for range 1 + c.posts/12 { // networks limit each account
		c.crews = append(c.crews, c.staging.NewCrew(c.t, 100_000, "x", "linkedin", "facebook", "threads", "instagram",
			"tiktok", "youtube", "linkedin:organization"))
	}
	assets := map[crier.ID]string{}
	for _, crew := range c.crews {
		assets[crew.Team] = c.upload(crew)
	}
	for i := range c.posts {
		c.plans = append(c.plans, c.plan(i, assets))
	}
	c.due = time.Now().Add(servertest.Pace(3*time.Second) + time.Duration(c.posts)*servertest.Pace(20*time.Millisecond))
	for _, p := range c.plans {
		if p.now {
			continue
		}
		r, _ := c.staging.ScheduleIn(c.t, p.crew, p.post, time.Until(c.due), p.targets(c.t))
		for _, entry := range r.Data {
			if entry.Error != nil {
				c.t.Fatalf("%v is refused: %+v", p.parts, entry.Error)
			}
		}
	}
	if err := c.staging.Stop(); err != nil {
		c.t.Fatal(err)
	}
}

// upload uploads a video to a crew's library that every network accepts.
func (c *chaos) upload(crew crew) string {
	body, contentType := servertest.Form(servertest.FormPart{Field: "file", FileName: "clip.mp4",
		Data: mediatest.VerticalMP4()})
	return c.staging.Call(c.t, crew, "POST", "assets", body, "Content-Type", contentType).Want(c.t,
		http.StatusCreated).Text(c.t, "id")
}

// plan creates the plan of the ith post.
func (c *chaos) plan(i int, assets map[crier.ID]string) *plan {
	p := &plan{crew: c.crews[i%len(c.crews)], parts: []string{fmt.Sprintf("chaos %d", i)}, now: c.random.IntN(4) == 0}
	on := func(networks ...int) {
		for _, n := range networks {
			p.on = append(p.on, p.crew.Accounts[n])
		}
	}
	body := object{}
	switch c.random.IntN(9) {
	case 0: // the same video everywhere
		on(0, 1, 2, 3, 4, 5, 6)
		body["assetIds"] = []string{assets[p.crew.Team]}
	case 1: // on networks that require media
		on(4+c.random.IntN(3), 4)
		p.on = slices.Compact(p.on)
		body["assetIds"] = []string{assets[p.crew.Team]}
	case 2, 3:
		on([]int{0, 3}[c.random.IntN(2)])
		for part := range 1 + c.random.IntN(3) {
			p.parts = append(p.parts, fmt.Sprintf("chaos %d, part %d", i, part+2))
		}
	case 4:
		on(0, 7)
		p.comment = fmt.Sprintf("comment on chaos %d", i)
	case 5:
		on([]int{0, 2, 4}[c.random.IntN(3)])
		p.comment = fmt.Sprintf("comment on chaos %d", i)
		body["assetIds"] = []string{assets[p.crew.Team]}
	case 6:
		on([]int{0, 2, 3}[c.random.IntN(3)])
		p.thanks = fmt.Sprintf("thanks for liking chaos %d", i)
	default:
		on(c.random.IntN(2), 2, 3)
	}
	if len(p.parts) > 1 {
		p.post = c.staging.NewThread(c.t, p.crew, p.parts...)
		return p
	}
	body["text"] = p.parts[0]
	p.post = c.staging.Call(c.t, p.crew, "POST", "posts", body).Want(c.t, http.StatusCreated).Text(c.t, "id")
	return p
}

// targets returns the targets of a planned post.
func (p *plan) targets(tb testing.TB) crier.Targets {
	tb.Helper()
	t := crier.Targets{PlatformSettings: map[string]json.RawMessage{
		"tiktokPrivacyLevel": json.RawMessage(`"PUBLIC_TO_EVERYONE"`),
		"youtubeTitle":       json.RawMessage(strconv.Quote(p.parts[0])),
	}}
	for _, on := range p.on {
		t.SocialAccountIDs = append(t.SocialAccountIDs, on.ID)
	}
	if p.comment != "" {
		t.FirstComment = crier.Some(crier.Comment{Text: p.comment})
	}
	if p.thanks != "" {
		t.EngagementCommentTrigger = crier.Some(crier.EngagementTrigger{LikeThreshold: 1, WindowHours: 24,
			Comment: crier.Comment{Text: p.thanks}})
	}
	return t
}

// rage starts the nodes and causes failures until the time is over.
func (c *chaos) rage() {
	for _, n := range c.nodes {
		n.start(c.t)
	}
	var clients sync.WaitGroup
	defer clients.Wait()
	for _, p := range c.plans {
		if p.now {
			at, node := c.due.Add(time.Duration(c.random.Int64N(int64(c.lasts/2)))), c.random.IntN(len(c.nodes))
			clients.Go(func() { c.publishNow(p, at, node) })
		}
	}
	end := time.Now().Add(max(0, time.Until(c.due)) + c.lasts)
	away := time.Now().Add(time.Until(end) * 2 / 3) // when the database goes away
	for range c.posts / 2 {
		c.fault()
	}
	kills := 0
	for time.Now().Before(end) {
		c.pause(400*time.Millisecond, 1500*time.Millisecond)
		for range 1 + c.posts/40 {
			c.fault()
		}
		c.like()
		if time.Now().After(away) {
			away = end
			c.restartDatabase()
		}
		n := c.nodes[c.random.IntN(len(c.nodes))]
		n.kill(c.t)
		kills++
		c.pause(0, 800*time.Millisecond)
		n.start(c.t)
		c.pause(time.Second, 3*time.Second) // the new one makes some progress, or not
	}
	c.t.Logf("%d kills", kills)
	for _, n := range c.nodes { // the requests of the last clients
		if c.db.Dialect == store.Postgres { // a node that starts while the database goes away ends
			n.restartAfterFailure(c.t)
		}
		n.waitReady(c.t)
	}
}

// pause waits for some time, during which no failure is caused.
func (c *chaos) pause(least, most time.Duration) {
	<-time.After(least + time.Duration(c.random.Int64N(int64(most-least))))
}

// publishNow requests publishing a post at once until there is a response, as a client does whose server is killed.
func (c *chaos) publishNow(p *plan, at time.Time, node int) {
	body := object{}
	targets, err := json.Marshal(p.targets(c.t))
	if err == nil {
		err = json.Unmarshal(targets, &body)
	}
	if err != nil {
		c.t.Error(err)
		return
	}
	body["waitSeconds"] = 0
	<-time.After(time.Until(at))
	headers := map[string]string{"Idempotency-Key": "chaos-" + p.post}
	for try := node; ; try++ {
		e := &engine{testServer: c.nodes[try%len(c.nodes)].testServer}
		got, err := e.tryCall(p.crew, "POST", "posts/"+p.post+"/post-now", body, headers)
		switch {
		case err == nil && got.Status == http.StatusOK:
			c.recordRefusals(p, got)
			return
		// a repeat may wait too long for the first
		case err == nil && got.Status < 500 && got.Status != http.StatusConflict:
			c.t.Errorf("post-now was answered with %d %s", got.Status, got.Body)
			return
		case time.Since(c.due) > c.lasts+time.Minute:
			c.t.Errorf("post-now has no answer: %d %s, %v", got.Status, got.Body, err)
			return
		}
		<-time.After(200 * time.Millisecond)
	}
}

// recordRefusals records the accounts that a request to publish at once refused; an account that its network has
// refused by the time of the response has a scheduled post. Only its own goroutine uses the plan at that time.
func (c *chaos) recordRefusals(p *plan, got servertest.Response) {
	var r servertest.Result
	if err := json.Unmarshal(got.Body, &r); err != nil {
		c.t.Error(err)
		return
	}
	p.refused = map[crier.ID]*crier.EntryError{}
	for _, entry := range r.Data {
		if entry.ScheduledPost == nil {
			p.refused[entry.SocialAccountID] = entry.Error
		}
	}
}

// faults are the possible faults, the likely ones more than once.
var faults = []struct{ operation, kind string }{
	{"publish", "lost_response"}, {"publish", "lost_response"}, {"publish", "lost_response"}, {"publish", "slow"},
	{"publish", "slow"},
	{"publish", "outage"}, {"publish", "outage"}, {"publish", "rate_limit"}, {"publish", "auth_expired"},
	{"publish", "reject"}, {"publish", "restricted"},
	{"upload", "lost_response"}, {"upload", "slow"}, {"upload", "outage"}, {"upload", "rate_limit"},
	{"upload", "auth_expired"},
	{"read", "lost_response"}, {"read", "slow"}, {"read", "outage"}, {"read", "rate_limit"}, {"read", "auth_expired"},
	{"comment", "lost_response"}, {"comment", "outage"}, {"comment", "slow"}, {"comment", "reject"},
	{"refresh", "outage"}, {"refresh", "lost_response"},
}

// fault makes one of the next calls to some network fail.
func (c *chaos) fault() {
	f := faults[c.random.IntN(len(faults))]
	networks := []string{"x", "x", "x", "linkedin", "linkedin", "linkedin", "facebook", "threads", "instagram",
		"tiktok", "youtube"}
	c.box.Control(c.t, "POST", "faults", object{
		"provider": networks[c.random.IntN(len(networks))], "operation": f.operation, "kind": f.kind, "count": 1 +
			c.random.IntN(2),
		"skip": c.random.IntN(6), "delayMs": 1 + c.random.Int64N(c.slowest().Milliseconds()), "retryAfterSeconds": 1 +
			c.random.IntN(2),
	}, nil)
}

// like adds likes to the posts that wait for them.
func (c *chaos) like() {
	waiting := map[string]bool{}
	for _, p := range c.plans {
		waiting[p.parts[0]] = p.thanks != ""
	}
	for _, p := range c.box.Posts(c.t, url.Values{}) {
		if waiting[p.Text] && !c.liked[p.PlatformPostID] {
			c.liked[p.PlatformPostID] = true
			c.box.Like(c.t, p.Provider, p.PlatformPostID, 1)
		}
	}
}

// slowest returns the longest time of a slow call: some are answered after their timeout, but all before the outcome is
// searched for.
func (c *chaos) slowest() time.Duration {
	if t := paces[c.pace]; t.CommitTimeout > 0 {
		return t.CommitTimeout + t.SettleSlack/2
	}
	return 30 * time.Second
}

// restartDatabase makes the database unavailable for a moment, by cutting all its connections unless the server may be
// restarted. The embedded one is killed with its node.
func (c *chaos) restartDatabase() {
	if c.db.Dialect != store.Postgres {
		return
	}
	if os.Getenv("CRIER_CHAOS_RESTART") == "1" {
		if out, err := exec.Command(os.Getenv("CRIER_TEST_POSTGRES_RESTART")).CombinedOutput(); err != nil {
			c.t.Fatalf("restart PostgreSQL: %v\n%s", err, out)
		}
		return
	}
	db, err := sql.Open("pgx", c.db.URL)
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		c.t.Fatal(err)
	}
}

// calm ends all failures. The nodes are killed once more, and another one has to finish their work. Its clock is
// advanced when everything left waits for a network's limit to pass, and no slow call is running for which the
// network's own clock counts; accounts that lost their consent are reconnected. It lasts until the slowest call has
// taken effect, or duplicates that it publishes would be missed.
func (c *chaos) calm() {
	for _, n := range c.nodes {
		n.kill(c.t)
	}
	c.box.ClearFaults(c.t)
	clock := &servertest.Clock{}
	calm := &engine{box: c.box}
	calm.testServer = startServer(c.t, c.db, servertest.WithBox(c.box), servertest.WithTimings(paces[c.pace]),
		servertest.WithClock(clock),
		func(a *server.Config) {
			a.Listen = strings.TrimPrefix(c.nodes[0].URL, "http://")
			a.PublicURL = c.nodes[0].URL
		})
	calm.Exec(c.t, `UPDATE social_accounts SET status = 'connected' WHERE status = 'refresh_needed'`)
	c.staging = calm
	limit := 2 * time.Minute
	if c.pace == usual {
		limit = 10 * time.Minute
	}
	slow := time.Now().Add(c.slowest())
	for end := time.Now().Add(limit); ; <-time.After(200 * time.Millisecond) {
		c.like()
		calm.BooksAgree(c.t)
		waiting, last := c.waiting()
		switch {
		case waiting == 0 && time.Now().After(slow):
			return
		case time.Now().After(end):
			c.t.Fatalf("%d publications are neither over nor waiting for a person:\n%s", waiting, c.leftovers())
		case time.Now().After(slow) && last.After(clock.Now().Add(10*time.Second)):
			clock.Advance(last.Sub(clock.Now()) + time.Second)
		}
	}
}

const waitingPublications = `(SELECT id, status, error_code, wake_at, lease_until FROM publications
	WHERE status IN ('scheduled', 'publishing', 'processing')) AS w`

// waiting returns the number of unfinished publications, and the last time at which one of them is to be woken.
func (c *chaos) waiting() (count int64, last time.Time) {
	e := c.staging
	count = e.Number(c.t, `SELECT count(*) FROM `+waitingPublications)
	var at *crier.Time
	err := e.Node.Store.Reader().QueryRowContext(context.Background(),
		`SELECT w.wake_at FROM `+waitingPublications+` ORDER BY w.wake_at DESC LIMIT 1`).Scan(&at)
	if err == nil && at != nil {
		last = at.Time
	}
	return count, last
}

// leftovers lists the unfinished publications, for failure messages.
func (c *chaos) leftovers() string {
	rows, err := c.staging.Node.Store.Reader().QueryContext(context.Background(),
		`SELECT w.id, w.status, coalesce(w.error_code, ''), w.wake_at, w.lease_until FROM `+waitingPublications)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	text := ""
	for rows.Next() {
		var id, status, code string
		var wake, lease *crier.Time
		if err := rows.Scan(&id, &status, &code, &wake, &lease); err != nil {
			return err.Error()
		}
		text += fmt.Sprintf("%s %s %s wake %v lease %v\n", id, status, code, wake, lease)
	}
	return text
}
