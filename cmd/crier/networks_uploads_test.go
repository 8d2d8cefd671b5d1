package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// longVideo returns a video of several chunks: its index is followed by bytes that players skip.
func longVideo(size int) []byte {
	film := mediatest.VerticalMP4()
	padding := size - len(film)
	film = binary.BigEndian.AppendUint32(film, uint32(padding))
	film = append(film, "free"...)
	return append(film, bytes.Repeat([]byte{1}, padding-8)...)
}

// progress returns the progress of a publication's upload.
func (e *engine) progress(tb testing.TB, c crew, id crier.ID) (next, size int64) {
	tb.Helper()
	p := e.Publication(tb, c, id).ProviderPublishState.UploadProgress
	if p == nil {
		return 0, 0
	}
	return p.NextByteStart, p.UploadSize
}

// TestLargeVideoIsUploadedAheadAndPublishedOnTheSecond: on networks that publish a video with its last bytes, all other
// bytes are uploaded before it is due, and the last ones are held back until then.
func TestLargeVideoIsUploadedAheadAndPublishedOnTheSecond(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.NewCrew(t, 0, "tiktok", "youtube")
		film := e.File(t, c, "film.mp4", longVideo(65_100_000))
		post := e.Call(t, c, "POST", "posts", object{"text": "A long film", "assetIds": []string{film}}).Want(t,
			http.StatusCreated).Text(t, "id")
		result, due := e.ScheduleIn(t, c, post, servertest.Pace(12*time.Second),
			crier.Targets{SocialAccountIDs: c.IDs(), PlatformSettings: map[string]json.RawMessage{
				"tiktokPrivacyLevel": json.RawMessage(`"PUBLIC_TO_EVERYONE"`),
				"youtubeTitle":       json.RawMessage(`"A long film"`),
			}})
		for i, a := range c.Accounts {
			id := result.Data[i].ScheduledPost.ID
			var next, size int64
			servertest.Until(t, func() bool {
				next, size = e.progress(t, c, id)
				return next > size/4
			}, func() string { return fmt.Sprintf("%s has %d of %d bytes", a.Network, next, size) })
			if late := e.Config.Now().Sub(due); late >= 0 {
				t.Errorf("%s had its bytes only %s after the time", a.Network, late)
			}
			if shown := e.box.Timeline(t, a); len(shown) != 0 || next >= size {
				t.Errorf("before the time %s has %d of %d bytes and shows %+v", a.Network, next, size, shown)
			}
		}
		for i, a := range c.Accounts {
			e.Await(t, c, result.Data[i].ScheduledPost.ID, crier.Published)
			shown := e.box.Timeline(t, a)
			if len(shown) != 1 || shown[0].CreatedAt.Before(due.Add(-time.Millisecond)) ||
				shown[0].CreatedAt.After(due.Add(servertest.Pace(4*time.Second))) {
				t.Errorf("due at %s, %s shows %+v", due, a.Network, shown)
			}
		}
	})
}

// uploadingNode is a node in a separate process that uploads a large video slowly while it publishes texts.
type uploadingNode struct {
	*engine
	process *process
	texts   []servertest.Account
	tube    servertest.Account
	asset   string
}

// TestSlowUploadDelaysNobodyAndUsesLittleMemory: a large video is uploaded slowly beside many texts. Another node
// uploads nothing and publishes as many in turn, so that the load of the machine affects both. CRIER_UPLOAD_MEGABYTES
// and CRIER_UPLOAD_TEXTS set how large and how many.
func TestSlowUploadDelaysNobodyAndUsesLittleMemory(t *testing.T) {
	t.Parallel()
	megabytes, count := servertest.NumberFrom(t, "CRIER_UPLOAD_MEGABYTES",
		256), int(servertest.NumberFrom(t, "CRIER_UPLOAD_TEXTS", 200))
	calm, b := startUploadingNode(t, 1<<20), startUploadingNode(t, megabytes<<20)
	b.box.Fault(t, b.tube, "upload", "slow", object{"count": 100_000, "delayMs": 3000})
	post := b.Call(t, b.crew, "POST", "posts", object{"text": "A long film", "assetIds": []string{b.asset}}).Want(t,
		http.StatusCreated).Text(t, "id")
	film := b.PostOn(t, b.crew, post, b.tube, object{"platformSettings": servertest.Everywhere})
	servertest.Until(t, func() bool {
		next, _ := b.progress(t, b.crew, film)
		return next > 0
	}, func() string { return "the upload does not begin" })
	ofCalm, ofBusy := map[string]time.Time{}, map[string]time.Time{}
	for i := range count / 2 {
		calm.publishText(t, i, ofCalm)
		b.publishText(t, i, ofBusy)
	}
	alone, beside := calm.lateness(t, ofCalm), b.lateness(t, ofBusy)
	if next, size := b.progress(t, b.crew, film); next >= size {
		t.Fatalf("the upload was over too soon: %d of %d bytes", next, size)
	}
	t.Logf("95 of 100 texts left within %s alone and within %s beside the upload", alone, beside)
	if beside > 3*alone+500*time.Millisecond {
		t.Errorf("95 of 100 texts left within %s alone, and within %s beside the upload", alone, beside)
	}
	b.box.ClearFaults(t)
	b.Await(t, b.crew, film, crier.Published)
	peak := peakMemory(t, b.process.cmd.Process.Pid)
	t.Logf("the server held at most %d MB", peak>>20)
	if peak > 150<<20 {
		t.Errorf("the server held %d MB while it sent a video of %d MB", peak>>20, megabytes)
	}
}

func startUploadingNode(t *testing.T, size int64) uploadingNode {
	t.Helper()
	db := servertest.Databases.Fresh(t, store.SQLite)
	box := boxProcess(t)
	staging := &engine{box: box, testServer: startServer(t, db, servertest.WithBox(box), servertest.WithRole("api"))}
	b := uploadingNode{engine: &engine{box: box, crew: staging.NewCrew(t, 1_000_000, "youtube", "x", "facebook")}}
	b.tube, b.texts = b.Accounts[0], b.Accounts[1:]
	b.asset = staging.File(t, b.crew, "film.mp4", mediatest.VerticalMP4())
	enlarge(t, servertest.MediaDir(db), size)
	staging.Exec(t, `UPDATE assets SET byte_size = $2 WHERE id = $1`, b.asset, size)
	if err := staging.Stop(); err != nil {
		t.Fatal(err)
	}
	b.process = serveProcess(t, append(settingsOf(db), "CRIER_SANDBOX=on", "CRIER_SANDBOX_URL="+box.URL,
		"CRIER_RATE_LIMIT=0", "CRIER_LOG_LEVEL=warn"))
	b.testServer = b.process.testServer
	return b
}

// enlarge makes the only file of a media library larger, without writing data.
func enlarge(t *testing.T, dir string, size int64) {
	t.Helper()
	enlarged := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Size() != int64(len(mediatest.VerticalMP4())) {
			return err
		}
		enlarged++
		return os.Truncate(path, size)
	})
	if err != nil || enlarged != 1 {
		t.Fatalf("%d files were enlarged: %v", enlarged, err)
	}
}

// publishText publishes the ith text at once and adds its due time.
func (b uploadingNode) publishText(t *testing.T, i int, due map[string]time.Time) {
	t.Helper()
	text := fmt.Sprintf("text %d", i)
	r := b.PostNow(t, b.crew, b.NewPost(t, b.crew, text), []crier.ID{b.texts[i%len(b.texts)].ID}, nil)
	due[text] = r.Data[0].ScheduledPost.ScheduledAt.Time
}

// lateness returns the time after the due times of texts within which 95 of 100 were public.
func (b uploadingNode) lateness(t *testing.T, due map[string]time.Time) time.Duration {
	t.Helper()
	var late []time.Duration
	servertest.Until(t, func() bool {
		late = nil
		for _, a := range b.texts {
			for _, p := range b.box.Timeline(t, a) {
				if at, ok := due[p.Text]; ok {
					late = append(late, p.CreatedAt.Sub(at))
				}
			}
		}
		return len(late) == len(due)
	}, func() string { return fmt.Sprintf("%d of %d texts are public", len(late), len(due)) })
	slices.Sort(late)
	return late[len(late)*95/100]
}
