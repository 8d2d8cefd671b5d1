package cli_test

import (
	"strings"
	"testing"
)

func TestAnalyticsCommands(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "threads")
	c.run(t, "analytics", "summary", "--compare").want(t, 0, "views", "–", "followers")
	c.run(t, "analytics", "series", "--metric", "posts", "--interval", "month", "--from", "2026-01-01", "--until",
		"2026-03-31").want(t, 0, "POSTS", "2026-01-01", "2026-02-01", "2026-03-01")
	got := c.run(t, "analytics", "series", "--metric", "likes", "--from", "2026-01-01", "--until", "2026-01-02",
		"--csv")
	got.want(t, 0, "bucket,key,label,likes,told,notTold", "2026-01-01,total,total,0,0,0")
	if lines := strings.Count(strings.TrimSpace(got.stdout), "\n"); lines != 2 {
		t.Errorf("a table of two days has %d lines", lines)
	}
	c.run(t, "analytics", "series", "--metric", "reach").want(t, 2, "--metric")
	c.run(t, "analytics", "posts", "--sort", "beauty").want(t, 2, "--sort must be one of views")
	c.run(t, "analytics", "posts", "--csv").want(t, 0, "scheduledPostId,postId")
	for _, name := range []string{"summary", "series", "posts", "best-times", "delivery"} {
		c.run(t, "analytics", name, "--csv", "--json").want(t, 2, "give --csv or --json, not both")
	}
	c.run(t, "analytics", "summary", "--json").want(t, 0, `"posts"`)
	c.run(t, "analytics", "summary", "--network", "twitter,Threads").want(t, 0, "views")
	c.run(t, "analytics", "summary", "--network", "myspace").want(t, 2, "--network", "threads")
	c.run(t, "analytics", "best-times").want(t, 0, "Not known.")
	c.run(t, "analytics", "delivery").want(t, 0, "all")
}
