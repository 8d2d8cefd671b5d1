package tiktok

import (
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

func TestTaskStatusFollowsTheClock(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		task  task
		after time.Duration
		want  string
	}{
		"upload, waiting":       {task{}, time.Hour, statusUploading},
		"pull, waiting":         {task{Pulled: true}, time.Hour, statusDownloading},
		"upload, working":       {task{BegunAt: begun}, time.Second - 1, statusUploading},
		"pull, working":         {task{BegunAt: begun, Pulled: true}, time.Second - 1, statusDownloading},
		"complete":              {task{BegunAt: begun}, time.Second, statusComplete},
		"draft":                 {task{BegunAt: begun, Inbox: true}, time.Second, statusInbox},
		"failing, not reported": {task{BegunAt: begun, Failure: failText}, 0, statusUploading},
		"failed":                {task{BegunAt: begun, Failure: failText}, time.Second, statusFailed},
		"failed draft":          {task{BegunAt: begun, Failure: failText, Inbox: true}, time.Second, statusFailed},
	} {
		if got := c.task.status(begun.Add(c.after), time.Second); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestPostsAreRevealedAfterModeration(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	public := task{BegunAt: begun, PostID: "1", Info: postInfo{Privacy: privacyPublic}}
	friends, unposted := public, public
	friends.Info.Privacy, unposted.PostID = privacyFriends, ""
	for name, c := range map[string]struct {
		task  task
		after time.Duration
		want  bool
	}{
		"complete":        {public, time.Second, false},
		"moderated":       {public, 2 * time.Second, true},
		"for friends":     {friends, time.Hour, false},
		"not posted yet":  {unposted, time.Hour, false},
		"just before":     {public, 2*time.Second - 1, false},
		"much later":      {public, 24 * time.Hour, true},
		"never began":     {task{PostID: "1", Info: postInfo{Privacy: privacyPublic}}, time.Hour, false},
		"for the creator": {task{BegunAt: begun, PostID: "1", Info: postInfo{Privacy: privacySelf}}, time.Hour, false},
	} {
		if got := c.task.revealed(begun.Add(c.after), time.Second); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestPublishIDPrefixes(t *testing.T) {
	t.Parallel()
	for want, kind := range map[string]task{
		"v_pub_file~v2-1.": {}, "v_pub_url~v2.": {Pulled: true}, "v_inbox_file~v2.": {Inbox: true},
		"v_inbox_url~v2.": {Inbox: true, Pulled: true}, "p_pub_url~v2.": {Photo: true, Pulled: true},
		"p_inbox_url~v2.": {Photo: true, Pulled: true, Inbox: true},
	} {
		if got := kind.idPrefix(); got != want {
			t.Errorf("%+v starts with %s, want %s", kind, got, want)
		}
	}
}

func TestChunksEndWhereTheyShould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, chunk, first, want int64 }{
		{1000, 1000, 0, 999},                       // one chunk
		{10_000_123, 5_000_000, 0, 4_999_999},      // the first of two
		{10_000_123, 5_000_000, 5e6, 10_000_122},   // the last has the remainder
		{15_000_000, 5_000_000, 10e6, 14_999_999},  // no remainder
		{19_999_999, 10_000_000, 0, 19_999_998},    // less than two chunks is one
		{64_000_000, 32_000_000, 32e6, 63_999_999}, // exactly two
	} {
		if got := (task{Size: c.size, ChunkSize: c.chunk}).chunkEnd(c.first); got != c.want {
			t.Errorf("%d in chunks of %d: the one at %d ends at %d, want %d", c.size, c.chunk, c.first, got, c.want)
		}
	}
}

func TestContentRangesOfChunks(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]byteRange{
		"bytes 0-999/1000": {0, 999, 1000}, "bytes 5-5/6": {5, 5, 6},
		"bytes 0-1000/1000": {}, "bytes 6-5/10": {}, "bytes */10": {}, "bytes 0-4/*": {}, "0-4/5": {}, "": {},
		"bytes 0-4/1234567890123456789": {}, "bytes -1-4/5": {}, "Bytes 0-4/5": {},
	} {
		got, ok := parseRange(header)
		if ok != (want.total > 0) || ok && got != want {
			t.Errorf("%q: %+v, %t", header, got, ok)
		}
	}
}

func TestVideosThatFailTheirChecks(t *testing.T) {
	t.Parallel()
	video := sim.Media{Type: "video/mp4"}
	for name, c := range map[string]struct {
		file  sim.Media
		shape mp4.Shape
		want  string
	}{
		"unknown shape":  {video, mp4.Shape{}, ""},
		"QuickTime":      {sim.Media{Type: "video/quicktime"}, mp4.Shape{}, ""},
		"WebM":           {sim.Media{Type: "video/webm"}, mp4.Shape{}, ""},
		"picture":        {sim.Media{Type: "image/png"}, mp4.Shape{}, failFormat},
		"smallest":       {video, mp4.Shape{Width: 360, Height: 640}, ""},
		"too narrow":     {video, mp4.Shape{Width: 359, Height: 640}, failPicture},
		"largest":        {video, mp4.Shape{Width: 4096, Height: 2160}, ""},
		"too wide":       {video, mp4.Shape{Width: 4097, Height: 2160}, failPicture},
		"ten minutes":    {video, mp4.Shape{Width: 720, Height: 1280, Duration: 10 * time.Minute}, ""},
		"over ten":       {video, mp4.Shape{Width: 720, Height: 1280, Duration: 10*time.Minute + 1}, failDuration},
		"small and long": {video, mp4.Shape{Width: 100, Height: 100, Duration: time.Hour}, failPicture},
	} {
		if got := videoFailure(c.file, c.shape); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPicturesThatFailTheirChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file sim.Media
		want string
	}{
		"upright": {sim.Media{Type: "image/jpeg", Width: 1080, Height: 1920}, ""},
		"wide":    {sim.Media{Type: "image/jpeg", Width: 1920, Height: 1080}, ""},
		"square":  {sim.Media{Type: "image/jpeg", Width: 1081, Height: 1081}, failPicture},
		"long":    {sim.Media{Type: "image/jpeg", Width: 1080, Height: 1921}, failPicture},
		"heavy":   {sim.Media{Type: "image/jpeg", Size: maxPhotoBytes + 1}, failPicture},
		"full":    {sim.Media{Type: "image/webp", Size: maxPhotoBytes}, ""},
		"PNG":     {sim.Media{Type: "image/png", Width: 10, Height: 10}, failFormat},
		"GIF":     {sim.Media{Type: "image/gif", Width: 10, Height: 10}, failFormat},
	} {
		if got := photoFailure(c.file); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCaptionsCountUTF16(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "故": 1, "\U0001F600": 2} {
		if got := units(text); got != want {
			t.Errorf("%q has %d units, want %d", text, got, want)
		}
	}
	if got := (task{Info: postInfo{Title: "title", Description: "more"}}).text(); got != "title\nmore" {
		t.Errorf("caption %q", got)
	}
	if got := (task{Info: postInfo{Title: "title"}}).text(); got != "title" {
		t.Errorf("caption %q", got)
	}
}

func TestPrivateAccountsAreKnownByName(t *testing.T) {
	t.Parallel()
	for handle, private := range map[string]bool{"privateada": true, "Private.ada": true, "ada": false,
		"adaprivate": false} {
		a, err := account(handle)
		if err != nil || isPrivate(a) != private {
			t.Errorf("%s: %t, %v", handle, isPrivate(a), err)
		}
		if levels := privacyLevels(a); strings.Contains(strings.Join(levels, " "), privacyPublic) == private {
			t.Errorf("%s may choose %v", handle, levels)
		}
	}
	// The id ignores the case of the name, also of its prefix.
	upper, _ := account("Ada")
	lower, _ := account("ada")
	if upper.ID != lower.ID || len(lower.ID) != 36 {
		t.Errorf("Ada is %s, ada is %s", upper.ID, lower.ID)
	}
}
