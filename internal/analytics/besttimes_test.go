package analytics

import (
	"math/rand/v2"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// synthetic returns posts of accounts that post at some hours of the week. better multiplies the engagement of one of
// them.
func synthetic(seed uint64, accounts, weeks int, hours []int, best int, better float64) []store.PublicationStats {
	random := rand.New(rand.NewPCG(seed, 1))
	monday := time.Date(2026, 8, 3, 0, 0, 0, 0, time.UTC)
	var list []store.PublicationStats
	for range accounts {
		account, usual := crier.NewID(), 10+1000*random.Float64()
		for week := range weeks {
			for _, hour := range hours {
				at := crier.TimeOf(monday.AddDate(0, 0, 7*week).Add(time.Duration(hour)*time.Hour +
					time.Duration(random.IntN(60))*time.Minute))
				engagement := usual * (0.3 + 1.4*random.Float64())
				if hour == best {
					engagement *= better
				}
				read, likes := crier.TimeOf(at.Add(72*time.Hour)), int64(engagement)
				list = append(list, store.PublicationStats{PublicationID: crier.NewID(), SocialAccountID: account,
					PublishedAt: at, ReadAt: &read, Numbers: store.Numbers{Likes: &likes}})
			}
		}
	}
	return list
}

// everyDay returns the hours of the week that are the same on each day.
func everyDay(hours ...int) []int {
	var list []int
	for day := range 7 {
		for _, h := range hours {
			list = append(list, 24*day+h)
		}
	}
	return list
}

func TestBestTimesFindTheKnownBestHour(t *testing.T) {
	t.Parallel()
	hours := everyDay(9, 12, 18)
	for seed := range uint64(20) {
		best := hours[int(seed)%len(hours)]
		got := bestTimes(synthetic(seed, 3, 12, hours, best, 2.5), time.UTC)
		if !got.Known || len(got.Best) != 1 || got.Best[0].Weekday != 1+best/24 || got.Best[0].Hour != best%24 {
			t.Errorf("seed %d: best %+v, want weekday %d at %d", seed, got.Best, 1+best/24, best%24)
			continue
		}
		if b := got.Best[0]; b.Posts != 36 || *b.Score < 1.8 || *b.Score > 3.2 {
			t.Errorf("seed %d: %d posts, score %f; want 36 and about 2.5", seed, b.Posts, *b.Score)
		}
	}
}

func TestBestTimesIgnoreNoise(t *testing.T) {
	t.Parallel()
	wrong := 0
	const tries = 200
	for seed := range uint64(tries) {
		if got := bestTimes(synthetic(seed, 2, 13, everyDay(8, 12, 17, 20), -1, 1), time.UTC); got.Known {
			wrong++
		} else if got.Reason == "" || len(got.Best) != 0 {
			t.Fatalf("nothing is known, and the reason is %q", got.Reason)
		}
	}
	if wrong > tries/50 { // chance is 1 of 100
		t.Errorf("%d of %d times noise was taken for a best time", wrong, tries)
	}
}

func TestBestTimesNeedEnoughPosts(t *testing.T) {
	t.Parallel()
	got := bestTimes(synthetic(1, 1, 4, everyDay(9, 18), 9, 100), time.UTC)
	for _, c := range got.Cells {
		if c.Score != nil {
			t.Fatalf("an hour with %d posts has the score %f", c.Posts, *c.Score)
		}
	}
	if got.Known || got.Posts != 56 || len(got.Cells) != 168 {
		t.Errorf("known %t of %d posts, %d cells", got.Known, got.Posts, len(got.Cells))
	}
	if got := bestTimes(nil, time.UTC); got.Known || got.Reason == "" {
		t.Errorf("without posts: known %t, %q", got.Known, got.Reason)
	}
	young := synthetic(1, 1, 20, everyDay(9, 18), 9, 100)
	for i := range young {
		at := crier.TimeOf(young[i].PublishedAt.Add(time.Hour))
		young[i].ReadAt = &at
	}
	if got := bestTimes(young, time.UTC); got.Posts != 0 {
		t.Errorf("%d posts were compared that were read an hour after publishing", got.Posts)
	}
}

func TestBestTimesAreInTheZone(t *testing.T) {
	t.Parallel()
	kathmandu, err := time.LoadLocation("Asia/Kathmandu") // 5:45 ahead
	if err != nil {
		t.Fatal(err)
	}
	hours := everyDay(9, 12, 18)
	got := bestTimes(synthetic(7, 3, 12, hours, 9, 3), kathmandu)
	for _, b := range got.Best {
		if b.Weekday != 1 || b.Hour != 14 && b.Hour != 15 {
			t.Errorf("Monday at 9 UTC became weekday %d at %d", b.Weekday, b.Hour)
		}
	}
	if !got.Known {
		t.Error("nothing is known")
	}
}
