package sim

import (
	"hash/fnv"
	"math"
	"time"
)

const (
	// growthBegins is the time in which likes come in evenly; later they come ever more slowly.
	growthBegins = 10 * time.Second
	// growthEnds is when a post has all its likes.
	growthEnds = 30 * 24 * time.Hour
	// fewestLikes and mostLikes are what posts have in the end.
	fewestLikes, mostLikes = 40, 400
	// firstFollowers is how many follow an account before it has posted anything.
	firstFollowers = 100
)

// Likes returns how many like a post by now: those of the controls and, where posts grow, those that come by
// themselves.
func (e *Env) Likes(p Post) int {
	if !e.Options.Grows || p.Settled || p.Kind != KindPost {
		return p.Likes
	}
	return p.Likes + grown(p.ID, e.Now().Sub(p.CreatedAt))
}

// ViewsOr returns how often a post was seen: what the controls have set, or else what its network makes of its likes.
func (p Post) ViewsOr(made int) int {
	if p.Views != nil {
		return *p.Views
	}
	return made
}

// Followers returns how many follow an account: what the controls have set, or else some, and one for every tenth like.
// It needs a running View or Update.
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

// grown returns how many likes a post of an age has. It follows from the post's id alone.
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
