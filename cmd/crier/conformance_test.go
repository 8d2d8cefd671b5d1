package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/all/alltest"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// suitePost is a post of the networks' suite, published through the whole service: the API, a database, the job engine,
// and the client of the sandbox.
type suitePost struct {
	name    string
	network string // as NewCrew takes it
	post    providertest.Post
	comment bool
	// fault is the fault of the publishing call; empty is none.
	fault string
	ends  []providertest.End
	code  provider.Code // with which it is refused
	// lasts is true when the fault delays the post for longer than a test can wait, or even longer than the post may be
	// late.
	lasts bool

	on servertest.Account
	id crier.ID
}

// suitePosts returns every kind of post of a network, once undisturbed and once with a lost response, and every fault
// for the simplest of them.
func suitePosts(tb testing.TB, name string, n providertest.Network) []suitePost {
	tb.Helper()
	info, err := n.Info()
	if err != nil {
		tb.Fatal(err)
	}
	simplest := n.Simplest(info)
	list := []suitePost{{name: "with a first comment", post: simplest, comment: true,
		ends: []providertest.End{providertest.Published}}}
	if !info.Abilities.Comment {
		list = nil
	}
	for _, post := range n.Posts(info) {
		list = append(list, suitePost{name: post.Name, post: post, ends: []providertest.End{providertest.Published}})
		if post.Name != simplest.Name { // which is tried with all faults
			list = append(list, suitePost{name: "lost_response of " + post.Name, post: post, fault: "lost_response",
				ends: []providertest.End{providertest.Published}})
		}
	}
	for kind, class := range n.Classes() {
		list = append(list, suitePost{
			name: kind, post: simplest, fault: kind, ends: n.Ends(info, class), code: class.Code,
			lasts: kind == "rate_limit" || class.Kind == provider.Temporary || kind == "outage" && n.NeverSureOfAbsence,
		})
	}
	for i := range list {
		list[i].network, list[i].name = name, name+", "+list[i].name
	}
	return list
}

// All posts are started at once and checked one by one: most of their time is waiting.
func TestEveryNetworkPassesItsSuiteThroughTheWholeService(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &servertest.Clock{}
		box := servertest.StartBoxWith(t, sandbox.Options{Now: clock.Now, ProcessingTime: 200 * time.Millisecond})
		e := startEngineOn(t, db, box, servertest.WithClock(clock), servertest.WithReachableMedia(t))
		var list []suitePost
		var networks []string
		suite := alltest.Networks()
		for _, name := range slices.Sorted(maps.Keys(suite)) {
			list = append(list, suitePosts(t, name, suite[name])...)
		}
		for _, tr := range list {
			networks = append(networks, tr.network)
		}
		c := e.NewCrew(t, 1_000_000, networks...)
		uploadedFiles := e.uploadFiles(t, c)
		for i := range list {
			list[i].on = c.Accounts[i]
			e.try(t, c, uploadedFiles, &list[i])
		}
		for _, tr := range list {
			e.settles(t, c, tr)
		}
		for _, on := range e.box.PendingFaults(t) {
			t.Errorf("the fault of %s did not strike",
				list[slices.IndexFunc(list, func(tr suitePost) bool { return tr.on.Remote == on })].name)
		}
		clock.Advance(31 * time.Minute) // less than a post may be late
		for _, tr := range list {
			t.Run(tr.name, func(t *testing.T) { e.wantOutcome(t, c, tr) })
		}
		e.Balanced(t, c)
	})
}

// uploadedFiles holds the files of a crew by their names; each is used by many posts.
type uploadedFiles map[string]string

func (e *engine) uploadFiles(tb testing.TB, c crew) uploadedFiles {
	tb.Helper()
	return uploadedFiles{
		"picture":        e.File(tb, c, "one.jpg", mediatest.JPEG(640, 640)),
		"second picture": e.File(tb, c, "two.jpg", mediatest.JPEG(640, 640)),
		"film":           e.File(tb, c, "film.mp4", mediatest.VerticalMP4()),
		"film in pieces": e.File(tb, c, "pieces.mp4", longVideo(525_000)),    // YouTube takes it in two chunks
		"film in chunks": e.File(tb, c, "chunks.mp4", longVideo(10_100_000)), // TikTok takes it in two chunks
	}
}

// write creates a post of the suite and returns its id.
func (e *engine) write(tb testing.TB, c crew, s uploadedFiles, p providertest.Post) string {
	tb.Helper()
	if len(p.Texts) > 1 {
		return e.NewThread(tb, c, p.Texts...)
	}
	assets := []string{s["picture"], s["second picture"]}[:p.Pictures]
	if p.Films > 0 {
		assets = append(assets, s["film"])
	}
	body := object{"text": p.Texts[0], "postType": p.PostType, "assetIds": assets}
	return e.Call(tb, c, "POST", "posts", body).Want(tb, http.StatusCreated).Text(tb, "id")
}

// try publishes a post of the suite.
func (e *engine) try(tb testing.TB, c crew, s uploadedFiles, tr *suitePost) {
	tb.Helper()
	if tr.fault != "" {
		e.box.Fault(tb, tr.on, "publish", tr.fault, object{
			"retryAfterSeconds": 2,
			"delayMs":           (servertest.FastTimings.CommitTimeout + 500*time.Millisecond).Milliseconds(),
		})
	}
	more := object{"platformSettings": tr.post.Settings}
	if tr.comment {
		more["firstComment"] = object{"text": "What follows"}
	}
	tr.id = e.PostOn(tb, c, e.write(tb, c, s, tr.post), tr.on, more)
}

// statuses returns the final statuses of a post in the service.
func (tr suitePost) statuses() []crier.ScheduledPostStatus {
	names := map[providertest.End]crier.ScheduledPostStatus{
		providertest.Published: crier.Published, providertest.Refused: crier.Failed,
		providertest.Unknown: crier.Unknown, providertest.LostToken: crier.Scheduled,
	}
	var list []crier.ScheduledPostStatus
	for _, end := range tr.ends {
		list = append(list, names[end])
	}
	if tr.lasts {
		list = append(list, crier.Missed)
	}
	return list
}

// settles waits until a post has ended, or waits for longer than the test can.
func (e *engine) settles(tb testing.TB, c crew, tr suitePost) {
	tb.Helper()
	if !tr.lasts {
		e.ends(tb, c, tr)
		return
	}
	servertest.Until(tb, func() bool {
		p, tried := e.Publication(tb, c, tr.id), e.Attempts(tb, c, tr.id)
		if slices.Contains(tr.statuses(), p.Status) {
			return true
		}
		return len(tried) > 0 && tried[len(tried)-1].NextAt != nil &&
			tried[len(tried)-1].NextAt.After(e.Config.Now().Add(20*time.Second))
	}, func() string { return tr.name + " neither ends nor rests\n" + e.History(tb, c, tr.id) })
}

// ends waits for the end of a post.
func (e *engine) ends(tb testing.TB, c crew, tr suitePost) crier.ScheduledPost {
	tb.Helper()
	var p crier.ScheduledPost
	servertest.Until(tb, func() bool {
		p = e.Publication(tb, c, tr.id)
		return slices.Contains(tr.statuses(), p.Status) &&
			(p.Status != crier.Scheduled || p.ErrorCode == string(tr.code))
	}, func() string {
		return fmt.Sprintf("%s: %s (%s: %s), not %v\n%s", tr.name, p.Status, p.ErrorCode, p.ErrorMessage, tr.ends,
			e.History(tb, c, tr.id))
	})
	return p
}

// wantOutcome fails the test unless a post ended as expected and the timeline agrees.
func (e *engine) wantOutcome(t *testing.T, c crew, tr suitePost) {
	p := e.ends(t, c, tr)
	if tr.comment {
		e.AwaitAction(t, c, tr.id, store.FirstComment, crier.Published)
	}
	shown := e.box.Timeline(t, tr.on)
	switch p.Status {
	case crier.Published:
		e.wantOnTimeline(t, tr, p, shown)
	case crier.Unknown:
		if len(shown) > 1 {
			t.Errorf("nobody knows, and the timeline shows %+v", shown)
		}
	default:
		if p.ErrorCode != string(tr.code) || len(shown) > 0 {
			t.Errorf("%s with %s, want %s; the timeline shows %+v", p.Status, p.ErrorCode, tr.code, shown)
		}
	}
}

// wantOnTimeline fails the test unless the timeline shows a post of the suite, once.
func (e *engine) wantOnTimeline(t *testing.T, tr suitePost, p crier.ScheduledPost, shown []servertest.BoxPost) {
	t.Helper()
	texts := slices.Clone(tr.post.Texts)
	if tr.comment {
		texts = append(texts, "What follows")
	}
	if len(shown) != len(texts) || shown[0].PlatformPostID != p.PlatformPostID ||
		len(shown[0].Media) != tr.post.Pictures+tr.post.Films {
		t.Fatalf("published as %s, and the timeline shows %+v", p.PlatformPostID, shown)
	}
	for i, text := range texts {
		if !tr.post.Hides && !strings.Contains(shown[i].Text, text) {
			t.Errorf("the timeline shows %q, want %q", shown[i].Text, text)
		}
	}
}
