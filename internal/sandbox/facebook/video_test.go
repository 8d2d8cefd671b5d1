package facebook

import (
	"reflect"
	"testing"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

// videoFile returns a video that all edges accept, with changes applied.
func videoFile(change func(f *graph.File)) graph.File {
	f := graph.File{Media: sim.Media{Type: "video/mp4", Size: 1 << 20}, Movie: mp4.Movie{Index: true, Pictures: true,
		Width: 1080, Height: 1920, Length: 30 * time.Second, Video: "avc1", Audio: "mp4a"}}
	if change != nil {
		change(&f)
	}
	return f
}

func TestVideosThatCannotBeProcessed(t *testing.T) {
	t.Parallel()
	length := func(d time.Duration) func(*graph.File) { return func(f *graph.File) { f.Movie.Length = d } }
	shape := func(width, height int) func(*graph.File) {
		return func(f *graph.File) { f.Movie.Width, f.Movie.Height = width, height }
	}
	for name, c := range map[string]struct {
		change               func(*graph.File)
		videos, reels, story *failure
	}{
		"good":           {nil, nil, nil, nil},
		"tiny":           {func(f *graph.File) { f.Size = minVideo - 1 }, &tooSmall, &tooSmall, &tooSmall},
		"smallest":       {func(f *graph.File) { f.Size = minVideo }, nil, nil, nil},
		"huge":           {func(f *graph.File) { f.Size = maxVideo + 1 }, &tooLarge, &tooLarge, &tooLarge},
		"picture":        {func(f *graph.File) { f.Type = "image/png" }, &wrongFormat, &wrongFormat, &wrongFormat},
		"cut off":        {func(f *graph.File) { f.Movie.Skip = 10 }, &wrongFormat, &wrongFormat, &wrongFormat},
		"odd codec":      {func(f *graph.File) { f.Movie.Video = "mp4v" }, &wrongFormat, &wrongFormat, &wrongFormat},
		"AV1":            {func(f *graph.File) { f.Movie.Video = "av01" }, nil, nil, nil},
		"QuickTime":      {func(f *graph.File) { f.Type = "video/quicktime" }, nil, nil, nil},
		"too wide":       {shape(2000, 1000), &wrongRatio, &wrongRatio, &wrongRatio},
		"too high":       {shape(1000, 2000), &wrongRatio, &wrongRatio, &wrongRatio},
		"wide":           {shape(1920, 1080), nil, nil, nil},
		"540p":           {shape(540, 960), nil, nil, nil},
		"539p":           {shape(539, 960), nil, &lowQuality, &lowQuality},
		"small square":   {shape(900, 900), nil, &lowQuality, &lowQuality},
		"unknown length": {length(0), nil, nil, nil},
		"three seconds":  {length(3 * time.Second), nil, nil, nil},
		"nearly three":   {length(2940 * time.Millisecond), nil, &wrongLength, &wrongLength},
		"rounded up":     {length(2960 * time.Millisecond), nil, nil, nil},
		"a minute":       {length(time.Minute), nil, nil, nil},
		"over a minute":  {length(61 * time.Second), nil, nil, &wrongLength},
		"90 seconds":     {length(90 * time.Second), nil, nil, &wrongLength},
		"over 90":        {length(91 * time.Second), nil, &wrongLength, &wrongLength},
		"four hours":     {length(4 * time.Hour), nil, &wrongLength, &wrongLength},
		"over four":      {length(4*time.Hour + 1), &tooLong, &wrongLength, &wrongLength},
	} {
		for edge, want := range map[string]*failure{edgeVideos: c.videos, edgeReels: c.reels, edgeStories: c.story} {
			if got := inspect(edge, videoFile(c.change)); got != want {
				t.Errorf("%s on %s: %+v, want %+v", name, edge, got, want)
			}
		}
	}
}

func TestVideoStatusByPhase(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	sent := graph.Transfer{Upload: graph.Upload{Digest: sim.Digest{Size: 5}}, Total: 10}
	empty := video{CreatedAt: start}
	partial, whole := empty, empty
	partial.Transfer = sent
	whole.CompleteAt = start
	finished, broken, scheduled, public := whole, whole, whole, whole
	finished.FinishedAt = start
	broken.FinishedAt, broken.Failure = start, &wrongFormat
	scheduled.FinishedAt = start
	public.FinishedAt, public.PostID, public.ReleasedAt = start, "1", start
	for name, c := range map[string]struct {
		video                             video
		after                             time.Duration
		summary, uploading, work, publish string
		publishStatus                     any
	}{
		"empty":                 {empty, 0, "processing", notStarted, notStarted, notStarted, nil},
		"half":                  {partial, 0, "processing", inProgress, notStarted, notStarted, nil},
		"left for a day":        {partial, 24 * time.Hour, "expired", inProgress, notStarted, notStarted, nil},
		"whole":                 {whole, 0, "processing", complete, inProgress, notStarted, nil},
		"processed":             {whole, time.Second, "ready", complete, complete, notStarted, nil},
		"finished, working":     {public, 0, "processing", complete, inProgress, inProgress, "not_published"},
		"public":                {public, time.Second, "ready", complete, complete, complete, "published"},
		"failing, not reported": {broken, 0, "processing", complete, inProgress, complete, "scheduled"},
		"failed":                {broken, time.Second, "error", complete, failed, failed, "not_published"},
		"waiting for its time":  {scheduled, time.Second, "ready", complete, complete, complete, "scheduled"},
		"finished, after a day": {finished, 25 * time.Hour, "ready", complete, complete, complete, "scheduled"},
	} {
		status := c.video.status(start.Add(c.after), time.Second)
		phase := func(name string) any { return status[name].(graph.Object)["status"] }
		got := []any{status["video_status"], phase("uploading_phase"), phase("processing_phase"),
			phase("publishing_phase"),
			status["publishing_phase"].(graph.Object)["publish_status"]}
		if want := []any{c.summary, c.uploading, c.work, c.publish, c.publishStatus}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	status := broken.status(start.Add(time.Second), time.Second)
	if work := status["processing_phase"].(graph.Object); work["error"] != wrongFormat ||
		!reflect.DeepEqual(work["errors"], []failure{wrongFormat}) {
		t.Errorf("failure %v", work)
	}
	if got := partial.status(start,
		time.Second)["uploading_phase"].(graph.Object)["bytes_transfered"]; got != int64(5) {
		t.Errorf("%v bytes received", got)
	}
	if got := failedStatus(wrongLength); got["video_status"] != "error" {
		t.Errorf("injected failure %v", got)
	}
}

func TestChunkSizeIsAMebibyte(t *testing.T) {
	t.Parallel()
	at := func(size, total int64) chunkRange {
		return video{Transfer: graph.Transfer{Upload: graph.Upload{Digest: sim.Digest{Size: size}},
			Total: total}}.nextChunk()
	}
	for _, c := range []struct {
		size, total int64
		want        chunkRange
	}{
		{0, 1000, chunkRange{Start: "0", End: "1000"}}, {0, 3 << 20, chunkRange{Start: "0", End: "1048576"}},
		{1 << 20, 3 << 20, chunkRange{Start: "1048576", End: "2097152"}}, {1000, 1000, chunkRange{Start: "1000",
			End: "1000"}},
	} {
		if got := at(c.size, c.total); got != c.want {
			t.Errorf("after %d of %d: %+v, want %+v", c.size, c.total, got, c.want)
		}
	}
}

func TestPagesOfAPersonAndTheirTasks(t *testing.T) {
	t.Parallel()
	owner, err := user("acme")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		name  string
		tasks int
	}{"acme": {"Acme Page", 6}, "acme.shop": {"Acme Shop", 6}, "acme.archive": {"Acme Archive", 1},
		"acme.brand":  {"Acme Brand", 6},
		"acme.agency": {"Acme Agency", 6}, "acme.partner": {"Acme Partner", 0}}
	list := pages(owner)
	if len(list) != len(want) {
		t.Errorf("%d pages", len(list))
	}
	for _, page := range list {
		w, known := want[page.Handle]
		if !known || page.Name != w.name || len(tasks(page)) != w.tasks || page.OwnerID != owner.ID ||
			len(page.ID) != 15 {
			t.Errorf("page %+v has the tasks %v", page, tasks(page))
		}
		if got := ownerOf(page.Handle); got != "acme" {
			t.Errorf("%s belongs to %s", page.Handle, got)
		}
	}
	for _, handle := range []string{"", "a b", "abcdefghijklmnopqrstuvwxyzabcdefghijklmno"} {
		if _, err := seed(handle); err == nil {
			t.Errorf("%q is seeded", handle)
		}
	}
}

func TestStatusTypesOfPosts(t *testing.T) {
	t.Parallel()
	for want, details := range map[string]pagePost{"mobile_status_update": {},
		"shared_story": {Link: "https://example.com"},
		"added_photos": {Photos: []string{"1"}}, "added_video": {VideoID: "1", Photos: []string{"2"}}} {
		if got := statusType(details); got != want {
			t.Errorf("%+v is %s, want %s", details, got, want)
		}
	}
}
