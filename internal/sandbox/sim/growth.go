package sim

import (
	"hash/fnv"
	"math"
	"time"
)

const (
	// growthBegins is the initial period in which likes arrive evenly; later they slow down.
	growthBegins = 10 * time.Second
	// growthEnds is when a post has all its likes.
	growthEnds = 30 * 24 * time.Hour
	// fewestLikes and mostLikes bound the final number of likes.
	fewestLikes, mostLikes = 40, 400
	// firstFollowers is the number of followers of an account without posts.
	firstFollowers = 100
)

// Likes returns the current likes of a post: those of the controls and, if posts grow, the generated ones.
func (e *Env) Likes(p Post) int {
	if !e.Options.Grows || p.Settled || p.Kind != KindPost {
		return p.Likes
	}
	return p.Likes + grown(p.ID, e.Now().Sub(p.CreatedAt))
}

// ViewsOr returns the views of a post: those set by the controls, or else the given number.
func (p Post) ViewsOr(made int) int {
	if p.Views != nil {
		return *p.Views
	}
	return made
}

// Followers returns the followers of an account: those set by the controls, or else some, plus one for every tenth
// like. It needs a running View or Update.
func (e *Env) Followers(account string) int {
	if a, _ := e.Accounts.Get(account); a.Followers != nil {
		return *a.Followers
	}
	likes := 0
	for _, id := range e.Posts.ByAccount(account) {
		post, _ := e.Posts.Live(id)
		likes += e.Likes(post)
	}
	return firstFollowers + likes/10
}

// grown returns the likes of a post of an age. It depends only on the post's id.
func grown(id string, age time.Duration) int {
	if age <= 0 {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	final := float64(fewestLikes + h.Sum32()%(mostLikes-fewestLikes))
	part := math.Log1p(age.Seconds()/growthBegins.Seconds()) / math.Log1p(growthEnds.Seconds()/growthBegins.Seconds())
	return int(final * min(part, 1))
}
