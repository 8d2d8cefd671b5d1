package instagram_test

import (
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestFirstCommentIsUnderThePost(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	post := a.publish("image_url", a.picture())
	first := a.must("POST", post+"/comments", "message", "first!").Text("id")
	list := a.must("GET", post+"/comments", "fields", "id,text,username,timestamp")
	if list.Text("data", 0, "id") != first || list.Text("data", 0, "text") != "first!" ||
		list.Text("data", 0, "username") != "ada" || list.Value("data", 1) != nil {
		t.Errorf("comments are %s", list.Body)
	}
	posts := a.Posts()
	if posts[1].Kind != sim.KindComment || *posts[1].ParentID != post {
		t.Errorf("controls show %+v", posts)
	}
	if resp := a.must("DELETE", first); resp.Value("success") != true {
		t.Errorf("response %s", resp.Body)
	}
	if counts := a.must("GET", post, "fields", "comments_count"); counts.Value("comments_count") != 0.0 {
		t.Errorf("counts are %s", counts.Body)
	}
	wantError(t, a.call("POST", post+"/comments", "message", " "), 100, 0)
}

func TestCommentsCanBeClosed(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	post := a.publish("image_url", a.picture())
	a.must("POST", post, "comment_enabled", "false")
	wantError(t, a.call("POST", post+"/comments", "message", "hi"), 100, 0)
	a.must("POST", post, "comment_enabled", "true")
	a.must("POST", post+"/comments", "message", "hi")
}

func TestInsightsFollowTheLikes(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	post := a.publish("media_type", "REELS", "video_url", a.video())
	a.Like(post, 10)
	list := a.must("GET", post+"/insights", "metric", "reach,views,likes,comments,saved,shares,total_interactions")
	for i, want := range []float64{100, 200, 10, 0, 0, 0, 10} {
		if got := list.Value("data", i, "values", 0, "value"); got != want {
			t.Errorf("%s is %v, want %v", list.Text("data", i, "name"), got, want)
		}
	}
	if list.Text("data", 0, "period") != "lifetime" || list.Text("data", 0, "id") != post+"/insights/reach/lifetime" {
		t.Errorf("insights are %s", list.Body)
	}
	wantError(t, a.call("GET", post+"/insights", "metric", "impressions"), 100, 0)
	total := a.must("GET", a.seed.AccountID+"/insights", "metric", "likes,views", "period", "day", "metric_type",
		"total_value")
	if total.Value("data", 0, "total_value", "value") != 10.0 {
		t.Errorf("totals are %s", total.Body)
	}
	story := a.publish("media_type", "STORIES", "image_url", a.picture())
	wantError(t, a.call("GET", story+"/insights", "metric", "reach"), 10, 0)
	a.Like(story, 1)
	a.must("GET", story+"/insights", "metric", "reach")
	a.Clock.Advance(24 * time.Hour)
	if late := a.must("GET", story+"/insights", "metric", "reach"); late.Value("data", 0) != nil {
		t.Errorf("after a day: %s", late.Body)
	}
}

func TestOnlyFacebookLoginDeletesPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	post := a.publish("image_url", a.picture())
	wantError(t, a.call("DELETE", post), 100, 33)
	a.seed = a.Seed("facebook:ada")
	if resp := a.must("DELETE", post); resp.Value("success") != true || resp.Text("deleted_id") != post {
		t.Errorf("response %s", resp.Body)
	}
	wantError(t, a.call("DELETE", post), 100, 33)
	wantError(t, a.call("GET", post), 100, 33)
	if posts := a.Posts(); posts[0].DeletedAt == nil {
		t.Errorf("controls show %+v", posts)
	}
	a.seed = a.Seed("facebook:bob")
	wantError(t, a.call("DELETE", post), 100, 33)
}
