package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// killableServer is a server in a separate process, which can be killed and restarted, with the helpers of a library.
type killableServer struct {
	library
	process  *process
	settings []string
	folder   string
}

// startKillableServer starts a server on an empty database. more are further settings, as NAME=value.
func startKillableServer(tb testing.TB, db database, more ...string) *killableServer {
	tb.Helper()
	k := &killableServer{settings: append(settingsOf(db), append([]string{"CRIER_RATE_LIMIT=0"}, more...)...),
		folder: servertest.MediaDir(db)}
	tenant := runProgram(tb, k.settings, "init", "--json").report(tb)
	k.start(tb, servertest.Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID, Team: tenant.TeamID})
	var err error
	if k.Blobs, err = media.NewDisk(k.folder); err != nil {
		tb.Fatal(err)
	}
	return k
}

func (k *killableServer) start(tb testing.TB, who servertest.Tenant) {
	tb.Helper()
	k.process = serveProcess(tb, k.settings)
	k.process.Tenant = who
	k.library.Server = k.process.Server
}

// restart kills the server as a power cut would, and starts it again.
func (k *killableServer) restart(tb testing.TB) {
	tb.Helper()
	if err := k.process.cmd.Process.Kill(); err != nil {
		tb.Fatal(err)
	}
	k.process.wait(tb)
	k.start(tb, k.Tenant)
}

// unfinished returns the files that the server is writing, or was writing when it was killed.
func (k *killableServer) unfinished(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(k.folder, "tmp", "*"))
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// writing waits until the server is writing a file.
func (k *killableServer) writing(tb testing.TB) {
	tb.Helper()
	servertest.Eventually(tb, func() (any, bool) {
		for _, file := range k.unfinished(tb) {
			if info, err := os.Stat(file); err == nil && info.Size() > 0 {
				return nil, true
			}
		}
		return nil, false
	})
}

// wantNoAsset fails the test if the library shows any asset, finished or not.
func (k *killableServer) wantNoAsset(t *testing.T) {
	t.Helper()
	got := k.Do(t, "GET", k.Assets(), nil).Want(t, http.StatusOK)
	if got.Get(t, "total") != json.Number("0") || len(got.IDs(t)) > 0 {
		t.Errorf("the library shows %s", got.Body)
	}
	for _, name := range k.Files(t) {
		if !strings.Contains(name, "/chunk-") {
			t.Errorf("there is a file of an asset that is not there: %s", name)
		}
	}
}

func TestKillDuringUploadLeavesNoPartialAsset(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l, file := startKillableServer(t, db), servertest.LongVideo(4<<20)
		body, pipe := io.Pipe()
		form := multipart.NewWriter(pipe)
		go func() {
			part, err := form.CreateFormFile("file", "clip.mp4")
			if err == nil {
				_, err = part.Write(file[:len(file)/2]) // and then nothing more
			}
			if err != nil {
				pipe.CloseWithError(err)
			}
		}()
		sent := make(chan error, 1)
		go func() {
			_, err := l.RoundTrip(servertest.Request{Method: "POST", Path: l.Assets(), Body: body, Key: l.Key,
				Header: map[string]string{"Content-Type": form.FormDataContentType()}})
			sent <- err
		}()
		l.writing(t)
		l.wantNoAsset(t)
		l.restart(t)
		pipe.CloseWithError(io.ErrClosedPipe)
		if err := <-sent; err == nil {
			t.Error("the upload was answered although the server was killed")
		}
		l.wantNoAsset(t)
		l.Ready(t, "clip.mp4", file)
	})
}

func TestUploadResumesAfterServerKill(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l, file := startKillableServer(t, db), servertest.LongVideo(24<<20)
		const first = 8 << 20
		id := l.StartUpload(t, "video/mp4", len(file))
		l.SendChunk(t, id, file, 0, first).Want(t, http.StatusOK)

		// The second chunk stops half-way, and the server is killed.
		body, pipe := io.Pipe()
		go func() { _, _ = pipe.Write(file[first : first+1<<20]) }() // ends with the pipe
		go func() {
			_, _ = l.RoundTrip(servertest.Request{Method: "PUT", Path: l.Uploads(id), Body: body, Key: l.Key,
				Header: map[string]string{"Content-Range": fmt.Sprintf("bytes %d-%d/%d", first, 2*first-1, len(file))}})
		}()
		l.writing(t)
		l.restart(t)
		pipe.CloseWithError(io.ErrClosedPipe)
		l.wantNoAsset(t)
		upload := l.Do(t, "GET", l.Uploads(id), nil).Want(t, http.StatusOK)
		if upload.Get(t, "nextByteStart") != json.Number(fmt.Sprint(first)) {
			t.Fatalf("after the crash the upload says %s", upload.Body)
		}
		l.SendChunk(t, id, file, first, 2*first).Want(t, http.StatusOK)
		l.SendChunk(t, id, file, 2*first, len(file)).Want(t, http.StatusOK)

		// It is killed again while it assembles the chunks.
		for _, file := range l.unfinished(t) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		go func() {
			_, _ = l.RoundTrip(servertest.Request{Method: "POST", Path: l.Uploads(id, "complete"), Key: l.Key})
		}()
		l.writing(t)
		l.restart(t)
		assets := l.Do(t, "GET", l.Assets(), nil).Want(t, http.StatusOK)
		asset := l.Do(t, "POST", l.Uploads(id, "complete"), nil).Want(t, http.StatusCreated)
		if ids := assets.IDs(t); len(ids) > 1 || len(ids) == 1 && ids[0] != asset.Text(t, "id") {
			t.Errorf("after the crash the library shows %q, then %s", ids, asset.Text(t, "id"))
		}
		if _, content := l.Fetch(t, l.Assets(asset.Text(t, "id"), "content")); !bytes.Equal(content, file) {
			t.Errorf("the asset has %d bytes, not the %d of the file", len(content), len(file))
		}
	})
}

func TestKillDuringImportLeavesNoPartialAsset(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l, file := startKillableServer(t, db, "CRIER_IMPORT_ALLOW=127.0.0.0/8"), servertest.LongVideo(4<<20)
		killed := make(chan struct{})
		from := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(file)))
			_, _ = w.Write(file[:len(file)/2])
			_ = http.NewResponseController(w).Flush()
			<-killed
			_, _ = w.Write(file[len(file)/2:])
		}))
		t.Cleanup(from.Close)
		done := make(chan struct{})
		go func() {
			_, _ = l.RoundTrip(servertest.Request{Method: "POST", Path: l.Assets("import"),
				Body: object{"url": from.URL + "/clip.mp4"}, Key: l.Key})
			close(done)
		}()
		l.writing(t)
		l.wantNoAsset(t)
		l.restart(t)
		close(killed)
		servertest.Receive(t, done, "the import ends")
		l.wantNoAsset(t)
		l.Do(t, "POST", l.Assets("import"), object{"url": from.URL + "/clip.mp4"}).Want(t, http.StatusCreated)
	})
}

// largeVideo streams a video of the given size without holding it in memory.
func largeVideo(size int64) io.Reader {
	clip := mediatest.VerticalMP4()
	filler := size - int64(len(clip))
	return io.MultiReader(bytes.NewReader(clip), bytes.NewReader(servertest.BoxHeader(int(filler), "free")),
		io.LimitReader(zeros{}, filler-8))
}

type zeros struct{}

// Read returns zeros.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// mostMemory is the most that the largest upload may add to the resident memory of the server.
const mostMemory = 32 << 20

// growth returns the peak of a server's resident memory above its memory after a small upload.
func (k *killableServer) growth(tb testing.TB, work func()) int64 {
	tb.Helper()
	k.Ready(tb, "clip.mp4", mediatest.VerticalMP4())
	pid := k.process.cmd.Process.Pid
	before := residentMemory(tb, pid)
	// Reset the kernel's peak counter.
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		tb.Fatal(err)
	}
	work()
	return peakMemory(tb, pid) - before
}

// peakMemory returns the peak resident memory of a process, in bytes.
func peakMemory(tb testing.TB, pid int) int64 {
	tb.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Fatal(err)
	}
	var kilobytes int64
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		tb.Fatal(err)
	}
	return kilobytes << 10
}

// uploadForm sends a video of the given size as a form.
func (k *killableServer) uploadForm(tb testing.TB, size int64) {
	tb.Helper()
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", "clip.mp4"); err != nil {
		tb.Fatal(err)
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	got := k.Do(tb, "POST", k.Assets(), io.MultiReader(&head, largeVideo(size), strings.NewReader(tail)),
		"Content-Type", form.FormDataContentType())
	if got.Want(tb, http.StatusCreated).Get(tb, "byteSize") != json.Number(fmt.Sprint(size)) {
		tb.Errorf("the asset is %s", got.Body)
	}
}

// uploadChunks sends a video of the given size in chunks of the recommended size.
func (k *killableServer) uploadChunks(tb testing.TB, size int64) {
	tb.Helper()
	video := largeVideo(size)
	id := k.StartUpload(tb, "video/mp4", int(size))
	for start := int64(0); start < size; start += media.DefaultChunkSize {
		end := min(start+media.DefaultChunkSize, size)
		k.Do(tb, "PUT", k.Uploads(id), io.LimitReader(video, end-start), "Content-Range",
			fmt.Sprintf("bytes %d-%d/%d", start, end-1, size)).Want(tb, http.StatusOK)
	}
	k.Do(tb, "POST", k.Uploads(id, "complete"), nil).Want(tb, http.StatusCreated)
}

func TestLargeUploadUsesLittleMemory(t *testing.T) {
	t.Parallel()
	k := startKillableServer(t, servertest.Databases.Fresh(t, store.SQLite))
	whole := k.growth(t, func() { k.uploadForm(t, 256<<20) })
	pieces := k.growth(t, func() { k.uploadChunks(t, 64<<20) })
	t.Logf("an upload of 256 MiB adds %.1f MiB to the resident memory, one of 64 MiB in pieces %.1f MiB",
		float64(whole)/(1<<20), float64(pieces)/(1<<20))
	if max(whole, pieces) > mostMemory {
		t.Errorf("uploads add %d MiB to the resident memory, in pieces %d MiB", whole>>20, pieces>>20)
	}
}

// BenchmarkLargeUpload sends files of 1 GiB and reports how much they add to the resident memory of the server.
func BenchmarkLargeUpload(b *testing.B) {
	const size = 1 << 30
	for name, upload := range map[string]func(*killableServer, testing.TB, int64){
		"whole": (*killableServer).uploadForm, "pieces": (*killableServer).uploadChunks,
	} {
		for kind, settings := range map[string]func() []string{
			"disk": func() []string { return nil },
			"s3": func() []string {
				s3 := mediatest.StartS3(b)
				return []string{"CRIER_S3_ENDPOINT=" + s3.Endpoint, "CRIER_S3_BUCKET=" + s3.Bucket,
					"CRIER_S3_ACCESS_KEY=" + s3.AccessKey, "CRIER_S3_SECRET_KEY=" + s3.SecretKey}
			},
		} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				k := startKillableServer(b, servertest.Databases.Fresh(b, store.SQLite), settings()...)
				b.SetBytes(size)
				var most int64
				b.ResetTimer()
				for range b.N {
					most = max(most, k.growth(b, func() { upload(k, b, size) }))
				}
				b.ReportMetric(float64(most)/(1<<20), "MiB-resident")
				if most > mostMemory {
					b.Errorf("1 GiB adds %d MiB to the resident memory", most>>20)
				}
			})
		}
	}
}
