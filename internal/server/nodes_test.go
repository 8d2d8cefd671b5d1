package server_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// The API node enqueues, the worker node publishes. A post that waits for the worker to poll waits up to 1.1 s.
func TestPostsPublishedNowInQuickSuccessionDoNotWaitForAPoll_postgres(t *testing.T) {
	t.Parallel()
	storetest.Need(t, store.Postgres)
	const rounds, posts = 5, 3
	db, box := servertest.Databases.Fresh(t, store.Postgres), servertest.StartBox(t)
	api := servertest.Start(t, db, servertest.WithBox(box), servertest.WithRole("api"))
	servertest.Start(t, db, servertest.WithBox(box), servertest.WithRole("worker"))
	c := api.NewCrew(t, 100_000, slices.Repeat([]string{"x"}, rounds*posts)...)
	created := make([]string, len(c.Accounts))
	for i := range created {
		created[i] = api.NewPost(t, c, fmt.Sprint("post ", i))
	}
	waits := make([]time.Duration, rounds) // the longest of each round
	for round := range waits {
		ids, asked := make([]crier.ID, posts), make([]time.Time, posts)
		for i := range posts {
			n := round*posts + i
			asked[i], ids[i] = time.Now(), api.PostOn(t, c, created[n], c.Accounts[n], nil)
		}
		for i, id := range ids {
			api.Await(t, c, id, crier.Published)
			waits[round] = max(waits[round], api.Attempts(t, c, id)[0].StartedAt.Sub(asked[i]))
		}
	}
	slices.Sort(waits)
	t.Logf("from the request to the call of the network, the longest of %d posts: %v", posts, waits)
	if median := waits[rounds/2]; median > servertest.Pace(150*time.Millisecond) {
		t.Errorf("posts that are published now wait %v", median)
	}
}
