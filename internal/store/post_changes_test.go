package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// findings returns the results of lists that are filtered by one word.
func findings(t *testing.T, f *storetest.Fixture, word string, statuses ...crier.PostStatus) ([]crier.ID, int64) {
	t.Helper()
	page, total, err := f.Posts(context.Background(), store.PostFilter{TeamID: f.Team.ID, Words: []string{word},
		Statuses: statuses}, store.PageQuery{Sort: "createdAt", Limit: 100}, false)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]crier.ID, len(page.Rows))
	for i, p := range page.Rows {
		ids[i] = p.ID
	}
	slices.Sort(ids)
	return ids, total.Count
}

// written is a post and the words it should be found by.
type written struct {
	store.Post
	words   []string
	deleted bool
}

// changeWords randomly changes words, states and existence.
func changeWords(f *storetest.Fixture, random *rand.Rand, p *written) {
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		switch random.IntN(8) {
		case 0:
			p.deleted = true
			return tx.DeletePost(ctx, p.ID, f.Now)
		case 1, 2:
			p.Status = []crier.PostStatus{crier.PostArchived, crier.PostDraft}[random.IntN(2)]
			return tx.UpdatePost(ctx, p.Post)
		}
		p.words = []string{"all", fmt.Sprintf("w%d", random.IntN(5)), fmt.Sprintf("x%d", random.IntN(50))}
		return tx.ReplaceWords(ctx, f.Team.ID, p.ID, p.words)
	})
}

// A word finds the same posts, and the same number, whether changes are pending or merged.
func TestWordsFindPostsBeforeAndAfterTheyAreMerged(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		random := rand.New(rand.NewPCG(1, 2))
		posts := make([]*written, 40)
		for i := range posts {
			posts[i] = &written{Post: f.NewPost(fmt.Sprint(i), func(p *store.Post) {
				p.CreatedAt = f.After(time.Duration(i) * time.Second)
			})}
		}
		for round := range 6 {
			for range 60 {
				if p := posts[random.IntN(len(posts))]; !p.deleted {
					changeWords(f, random, p)
				}
			}
			for _, merge := range []bool{false, true} {
				if merge && round%2 == 0 {
					f.Merge()
				}
				for _, word := range []string{"all", "w0", "w3", "x7", "none"} {
					comparePosts(t, f, posts, word)
				}
			}
		}
		f.Merge()
		if n := f.Scan(`SELECT count(*) FROM post_changes`); n != 0 {
			t.Errorf("%d changes wait after a merge", n)
		}
		if n := f.Scan(`SELECT count(*) FROM (SELECT w.team_id, w.word, count(*) AS n FROM post_words w
			GROUP BY w.team_id, w.word) AS real FULL OUTER JOIN word_counts c ON c.team_id = real.team_id
			AND c.word = real.word WHERE coalesce(c.post_count, 0) <> coalesce(real.n, 0)`); n != 0 {
			t.Errorf("%d counts of words are wrong", n)
		}
	})
}

func comparePosts(t *testing.T, f *storetest.Fixture, posts []*written, word string) {
	t.Helper()
	var want, archived []crier.ID
	for _, p := range posts {
		switch {
		case p.deleted || !slices.Contains(p.words, word):
		case p.Status == crier.PostArchived:
			archived = append(archived, p.ID)
		default:
			want = append(want, p.ID)
		}
	}
	slices.Sort(want)
	slices.Sort(archived)
	if got, total := findings(t, f, word); !slices.Equal(got, want) || total != int64(len(want)) {
		t.Errorf("%s: %d posts of %d, want %d", word, len(got), total, len(want))
	}
	if got, total := findings(t, f, word, crier.PostArchived); !slices.Equal(got, archived) ||
		total != int64(len(archived)) {
		t.Errorf("%s, archived: %d posts of %d, want %d", word, len(got), total, len(archived))
	}
}

// With many posts, some changes check whether there is enough to merge.
func TestManyChangesTriggerMerge(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			for range 400 {
				if err := tx.ReplaceWords(ctx, f.Team.ID, crier.NewID(), []string{"kite"}); err != nil {
					return err
				}
			}
			return nil
		})
		select {
		case team := <-f.CrowdedTeams():
			if err := f.MergeCrowded(context.Background(), team); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatal("nobody is told of 400 changes")
		}
		if n := f.Scan(`SELECT count(*) FROM post_changes`); n != 0 {
			t.Errorf("%d changes wait", n)
		}
	})
}

// Nodes of the previous version write words and facets themselves, while newer ones have pending changes.
func TestNodesOfThePreviousVersionKeepWordsCounted_postgres(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.Postgres).Open(t))
	post, other := f.NewPost("1"), f.NewPost("2")
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		return tx.ReplaceWords(ctx, f.Team.ID, post.ID, []string{"kite"})
	})
	for _, statement := range []string{
		`INSERT INTO post_words (team_id, word, post_id) VALUES ($1, 'balloon', $2)`,
		`INSERT INTO post_words (team_id, word, post_id) VALUES ($1, 'wind', $2)`,
		`DELETE FROM post_words WHERE team_id = $1 AND post_id = $2 AND word = 'wind'`,
	} {
		for _, id := range []crier.ID{post.ID, other.ID} {
			if _, err := f.Writer().ExecContext(t.Context(), statement, f.Team.ID, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		if err := f.AddWordChanges(t.Context()); err != nil {
			t.Fatal(err)
		}
		for word, want := range map[string]int64{"balloon": 2, "wind": 0, "kite": 0} {
			if got, total := findings(t, f, word); total != want || int64(len(got)) != want {
				t.Errorf("%s: %d of %d, want %d", word, len(got), total, want)
			}
		}
		f.Merge()
	}
}
