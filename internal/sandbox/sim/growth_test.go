package sim

import (
	"fmt"
	"testing"
	"time"
)

func TestLikesGrowWithinAMinuteAndEnd(t *testing.T) {
	t.Parallel()
	for i := range 100 {
		id := fmt.Sprint("post", i)
		last := 0
		for _, age := range []time.Duration{0, 5 * time.Second, time.Minute, time.Hour, 24 * time.Hour, growthEnds,
			2 * growthEnds} {
			n := grown(id, age)
			if n < last || n > mostLikes {
				t.Fatalf("%s has %d likes after %s, and had %d", id, n, age, last)
			}
			last = n
		}
		if grown(id, time.Minute) < 3 || grown(id, time.Minute) <= grown(id, 5*time.Second) {
			t.Errorf("%s has %d likes after a minute", id, grown(id, time.Minute))
		}
		if grown(id, growthEnds) != grown(id, 2*growthEnds) || last < fewestLikes-1 {
			t.Errorf("%s ends with %d likes", id, last)
		}
	}
}

func TestLikesGrowOnlyWhereTheyShould(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	post := Post{ID: "1", Kind: KindPost, Likes: 3, CreatedAt: now.Add(-time.Hour)}
	settled, comment := post, post
	settled.Settled, comment.Kind = true, KindComment
	still, growing := &Env{Options: Options{Now: func() time.Time { return now }}},
		&Env{Options: Options{Now: func() time.Time { return now }, Grows: true}}
	if still.Likes(post) != 3 || growing.Likes(settled) != 3 || growing.Likes(comment) != 3 {
		t.Errorf("without growth %d, set %d, comment %d; want 3 each", still.Likes(post), growing.Likes(settled),
			growing.Likes(comment))
	}
	if growing.Likes(post) <= 10 {
		t.Errorf("%d likes after an hour", growing.Likes(post))
	}
}
