package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

var assetRules = map[string]func(*testing.T, library){
	"files of every kind become assets that say what they are": everyKindOfFile,
	"fields of a form count before and behind the file":        fieldsOfAForm,
	"assets are listed by sort, filter and page":               listedAssets,
	"an asset can be renamed, moved and described":             changedAssets,
	"an asset goes when nothing needs it any more":             deletedAssets,
	"a stranger sees nothing of a library":                     strangersInTheLibrary,
	"networks are told apart by what they take":                compatibilityOfAssets,
}

func everyKindOfFile(t *testing.T, l library) {
	tests := map[string]struct {
		file          []byte
		mimeType      string
		kind          crier.AssetKind
		width, height int
		seconds       float64
		tags          []string
	}{
		"photo.jpg":  {mediatest.JPEG(64, 48), "image/jpeg", "image", 64, 48, 0, []string{"landscape"}},
		"turned.jpg": {mediatest.RotatedJPEG(48, 96, 6), "image/jpeg", "image", 48, 96, 0, []string{"portrait"}},
		"clear.png": {mediatest.TransparentPNG(40, 40), "image/png", "image", 40, 40, 0,
			[]string{"square", "graphic"}},
		"picture.webp": {mediatest.WebP(50, 40), "image/webp", "image", 50, 40, 0, []string{"landscape"}},
		"moving.gif":   {mediatest.GIF(32, 32, 5), "image/gif", "image", 32, 32, 0.5, []string{"square"}},
		"portrait.mp4": {mediatest.VerticalMP4(), "video/mp4", "video", 540, 960, 5, []string{"portrait", "short"}},
		"landscape.mp4": {mediatest.MP4(mediatest.Video{Width: 540, Height: 960, Rotate: 90, Seconds: 2}), "video/mp4",
			"video", 960, 540, 2, []string{"landscape", "short"}},
		"quicktime.mov": {mediatest.MOV(mediatest.Video{Width: 320, Height: 240, Seconds: 2, MoovLast: true}),
			"video/quicktime", "video", 320, 240, 2, []string{"landscape", "short"}},
		"web.webm": {mediatest.WebM(320, 240, 2, true), "video/webm", "video", 320, 240, 2,
			[]string{"landscape", "short"}},
		"paper.pdf":    {mediatest.PDF(3), "application/pdf", "document", 0, 0, 0, nil},
		"no-extension": {mediatest.PNG(20, 10), "image/png", "image", 20, 10, 0, []string{"landscape"}},
		"ütf-8 名前.jpg": {mediatest.JPEG(64, 48), "image/jpeg", "image", 64, 48, 0, []string{"landscape"}},
	}
	for name, want := range tests {
		got := l.Upload(t, name, want.file, formField("altText", "about "+name)).Want(t, http.StatusCreated)
		var a crier.Asset
		got.Into(t, &a)
		sum := sha256.Sum256(want.file)
		if a.FileName != name || a.MimeType != want.mimeType || a.Kind != want.kind ||
			a.ByteSize != int64(len(want.file)) ||
			a.SHA256 != hex.EncodeToString(sum[:]) || a.Status != crier.AssetReady || *a.AltText != "about "+name ||
			a.FolderID != nil {
			t.Errorf("%s: %s", name, got.Body)
		}
		if orZero(a.Width) != want.width || orZero(a.Height) != want.height ||
			fmt.Sprintf("%.2f", orZero(a.DurationSeconds)) != fmt.Sprintf("%.2f", want.seconds) {
			t.Errorf("%s: %d x %d, %.3f s", name, orZero(a.Width), orZero(a.Height), orZero(a.DurationSeconds))
		}
		for _, tag := range want.tags {
			if !slices.Contains(a.AssetTags, tag) {
				t.Errorf("%s: the tags %q lack %q", name, a.AssetTags, tag)
			}
		}
		if again := l.Do(t, "GET", l.Assets(string(a.ID)), nil).Want(t, http.StatusOK); !bytes.Equal(again.Body,
			got.Body) {
			t.Errorf("%s: reading gives %s, creating gave %s", name, again.Body, got.Body)
		}
		l.wantThumbnail(t, name, a)
	}
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// wantThumbnail fails the test unless the asset's thumbnail is a picture of the right shape that needs no token.
func (l library) wantThumbnail(t *testing.T, name string, a crier.Asset) {
	t.Helper()
	if a.ThumbnailURL == nil {
		t.Errorf("%s has no thumbnail", name)
		return
	}
	resp, body := l.Raw(t, "GET", *a.ThumbnailURL)
	picture, err := jpeg.Decode(bytes.NewReader(body))
	if resp.StatusCode != http.StatusOK || err != nil {
		t.Errorf("%s: the thumbnail is answered with %d: %v", name, resp.StatusCode, err)
		return
	}
	size := picture.Bounds().Size()
	if a.Width != nil && (size.X > size.Y) != (*a.Width > *a.Height) {
		t.Errorf("%s: the thumbnail of %d x %d is %v", name, *a.Width, *a.Height, size)
	}
}

func refusedFiles(t *testing.T, l library) {
	tests := map[string]struct {
		part     servertest.FormPart
		wantText string
	}{
		"a PNG that says it is a JPEG": {servertest.FormPart{FileName: "a.jpg", ContentType: "image/jpeg",
			Data: mediatest.PNG(20, 20)}, "declared as image/jpeg"},
		"HEIC": {servertest.FormPart{FileName: "a.heic", Data: mediatest.HEIC()},
			"Convert the picture to JPEG"},
		"AVIF":       {servertest.FormPart{FileName: "a.avif", Data: mediatest.AVIF()}, "Convert"},
		"a web page": {servertest.FormPart{FileName: "a.html", Data: mediatest.HTML()}, "cannot be used"},
		"a JPEG that is cut off": {servertest.FormPart{FileName: "a.jpg",
			Data: mediatest.Cut(mediatest.JPEG(300, 300))},
			"cut off"},
		"a PNG that is cut off": {servertest.FormPart{FileName: "a.png", Data: mediatest.Cut(mediatest.PNG(300, 300))},
			"cut off"},
		"a video that is cut off": {servertest.FormPart{FileName: "a.mp4",
			Data: mediatest.Cut(mediatest.VerticalMP4())},
			"cut off"},
		"a decompression bomb":        {servertest.FormPart{FileName: "a.png", Data: mediatest.BombPNG()}, "pixels"},
		"a JPEG that claims too much": {servertest.FormPart{FileName: "a.jpg", Data: mediatest.BombJPEG()}, "pixels"},
		"pixels that are noise":       {servertest.FormPart{FileName: "a.png", Data: garbledPNG(100, 100)}, "damaged"},
		"no bytes at all":             {servertest.FormPart{FileName: "a.jpg"}, "empty"},
	}
	for name, test := range tests {
		test.part.Field = "file"
		got := l.SendForm(t, []servertest.FormPart{test.part}).WantIssues(t, "file")
		if !strings.Contains(got.Text(t, "issues", 0, "message"), test.wantText) {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
	// A large file is refused by its first bytes, and the client gets the reason although it is still sending.
	l.Upload(t, "a.html", append(mediatest.HTML(), make([]byte, 16<<20)...)).WantIssues(t, "file")
	l.WantNothing(t)
}

func refusedForms(t *testing.T, l library) {
	file := servertest.FormPart{Field: "file", FileName: "a.png", Data: mediatest.PNG(20, 20)}
	tests := map[string]struct {
		parts []servertest.FormPart
		paths []string
	}{
		"no file":                 {[]servertest.FormPart{formField("altText", "x")}, []string{"file"}},
		"two files":               {[]servertest.FormPart{file, file}, []string{"file"}},
		"an unknown field":        {[]servertest.FormPart{formField("colour", "red"), file}, []string{"colour"}},
		"an unknown field behind": {[]servertest.FormPart{file, formField("colour", "red")}, []string{"colour"}},
		"every field is wrong": {[]servertest.FormPart{formField("folderId", "7"), formField("fileName", "a/b"),
			formField("altText", strings.Repeat("x", 10_001)), file}, []string{"altText", "fileName", "folderId"}},
		"a field twice": {[]servertest.FormPart{formField("altText", "x"), formField("altText", "y"), file},
			[]string{"altText"}},
		"a folder that is not there": {[]servertest.FormPart{file, formField("folderId", unknownID)},
			[]string{"folderId"}},
		"a field that is no text": {[]servertest.FormPart{formField("altText", "caf\xe9"), file}, []string{"altText"}},
		"a field that is far too large": {[]servertest.FormPart{formField("altText", strings.Repeat("x", 100_000)),
			file},
			[]string{"altText"}},
		"a control character in a name": {[]servertest.FormPart{file, formField("fileName", "a\x01b")},
			[]string{"fileName"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { l.SendForm(t, test.parts).WantIssues(t, test.paths...) })
	}
	whole, contentType := servertest.Form(file)
	l.Do(t, "POST", l.Assets(), whole[:len(whole)/2], "Content-Type", contentType).WantIssues(t, ".")
	l.Do(t, "POST", l.Assets(), whole, "Content-Type", "multipart/form-data").WantIssues(t, ".")
	l.Do(t, "POST", l.Assets(), object{"file": "x"}).WantIssues(t, ".")
	l.Do(t, "POST", path("/v1/teams/7/assets"), whole, "Content-Type", contentType).WantIssues(t, "teamId")
	l.WantNothing(t)
}

func fieldsOfAForm(t *testing.T, l library) {
	folder := l.Do(t, "POST", l.Folders(), object{"name": "Owls"}).Want(t, http.StatusCreated).Text(t, "id")
	file := servertest.FormPart{Field: "file", FileName: `C:\Users\owl\a.png`, Data: mediatest.PNG(20, 20)}
	behind := l.SendForm(t, []servertest.FormPart{file, formField("folderId", strings.ToUpper(folder)),
		formField("altText", "An owl"), formField("fileName", "owl.png")}).Want(t, http.StatusCreated)
	before := l.SendForm(t, []servertest.FormPart{formField("folderId", folder), formField("altText", ""),
		formField("fileName", ""), file}).Want(t, http.StatusCreated)
	if behind.Text(t, "folderId") != folder || behind.Text(t, "altText") != "An owl" ||
		behind.Text(t, "fileName") != "owl.png" {
		t.Errorf("fields behind the file: %s", behind.Body)
	}
	if before.Text(t, "folderId") != folder || before.Get(t, "altText") != nil ||
		before.Text(t, "fileName") != "a.png" {
		t.Errorf("fields before the file: %s", before.Body)
	}
	unnamed := l.SendForm(t, []servertest.FormPart{{Field: "file", Data: mediatest.PNG(20, 20)}}).Want(t,
		http.StatusCreated)
	if unnamed.Text(t, "fileName") != "image.png" {
		t.Errorf("a file without a name is called %q", unnamed.Text(t, "fileName"))
	}
}

func repeatedUploads(t *testing.T, l library) {
	file := []servertest.FormPart{{Field: "file", FileName: "a.png", Data: mediatest.PNG(20, 20)}}
	first := l.SendForm(t, file, "Idempotency-Key", "one").Want(t, http.StatusCreated)
	again := l.SendForm(t, file, "Idempotency-Key", "one").Want(t, http.StatusCreated)
	if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeat is answered with %s", again.Body)
	}
	other := []servertest.FormPart{{Field: "file", FileName: "other.png", Data: mediatest.PNG(30, 30)}}
	l.SendForm(t, other, "Idempotency-Key", "one").WantError(t, http.StatusConflict, "Conflict")
	sameLength := bytes.Clone(file[0].Data)
	sameLength[len(sameLength)-1]++
	l.SendForm(t, []servertest.FormPart{{Field: "file", FileName: "a.png", Data: sameLength}}, "Idempotency-Key",
		"one").
		WantError(t, http.StatusConflict, "Conflict")
	l.SendForm(t, append(file, formField("altText", "An owl.")), "Idempotency-Key", "one").
		WantError(t, http.StatusConflict, "Conflict")
	body, contentType := servertest.Form(file...)
	answers := make([]servertest.Response, 4)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			header := map[string]string{"Content-Type": contentType, "Idempotency-Key": "at-once"}
			answers[i], _ = l.RoundTrip(servertest.Request{Method: "POST", Path: l.Assets(), Body: body, Key: l.Key,
				Header: header})
		})
	}
	wait.Wait()
	for _, got := range answers {
		if got.Want(t, http.StatusCreated).Text(t, "id") != answers[0].Text(t, "id") {
			t.Errorf("one upload, repeated at once, became %s and %s", got.Body, answers[0].Body)
		}
	}
	if total := l.Do(t, "GET", l.Assets(), nil).Get(t, "total"); total != json.Number("2") {
		t.Errorf("there are %v assets", total)
	}
	if left := l.Files(t); len(left) != 6 {
		t.Errorf("two pictures have the files %q", left)
	}
}

func listedAssets(t *testing.T, l library) {
	folder := l.Do(t, "POST", l.Folders(), object{"name": "Owls"}).Text(t, "id")
	owl := l.Ready(t, "Owl.png", mediatest.PNG(40, 40), formField("folderId", folder))
	l.Clock.Advance(time.Second)
	clip := l.Ready(t, "clip.mp4", mediatest.VerticalMP4())
	l.Clock.Advance(time.Second)
	paper := l.Ready(t, "owl story.pdf", mediatest.PDF(1), formField("folderId", folder))
	sizes := map[string]json.Number{}
	for _, id := range []string{owl, clip, paper} {
		sizes[id] = l.Do(t, "GET", l.Assets(id), nil).Get(t, "byteSize").(json.Number)
	}
	bySize := []string{owl, clip, paper}
	slices.SortFunc(bySize, func(a, b string) int {
		x, _ := sizes[a].Int64()
		y, _ := sizes[b].Int64()
		return int(x - y)
	})
	tests := map[string][]string{
		"":                                  {paper, clip, owl},
		"?sortOrder=asc":                    {owl, clip, paper},
		"?sortBy=fileName&sortOrder=asc":    {clip, paper, owl},
		"?sortBy=byteSize&sortOrder=asc":    bySize,
		"?sortBy=updatedAt&sortOrder=desc":  {paper, clip, owl},
		"?folderId=" + folder:               {paper, owl},
		"?folderId=none":                    {clip},
		"?kind=image":                       {owl},
		"?kind=document&folderId=" + folder: {paper},
		"?status=processing":                {},
		"?status=ready&kind=video":          {clip},
		"?q=OWL":                            {paper, owl},
		"?q=owl+s":                          {paper},
		"?q=wl":                             {},
	}
	for query, want := range tests {
		got := l.Do(t, "GET", l.Assets()+query, nil).Want(t, http.StatusOK)
		if ids := got.IDs(t); !slices.Equal(ids, want) || got.Get(t, "total") != json.Number(fmt.Sprint(len(want))) {
			t.Errorf("%q lists %q of %v, want %q", query, ids, got.Get(t, "total"), want)
		}
	}
	for _, sort := range []string{"createdAt", "updatedAt", "fileName", "byteSize"} {
		l.wantPages(t, l.Assets()+"?limit=1&sortOrder=asc&sortBy="+sort, 3)
	}
	l.Do(t, "GET", l.Assets()+"?folderId=7&kind=song&status=new&sortBy=mood&limit=0", nil).WantIssues(t, "folderId",
		"kind", "limit", "sortBy", "status")
	cursor := l.Do(t, "GET", l.Assets()+"?limit=1", nil).Text(t, "nextCursor")
	l.Do(t, "GET", l.Assets()+"?limit=1&kind=image&cursor="+cursor, nil).WantIssues(t, "cursor")
}

// wantPages walks through a list in pages of one entry, to the end and back.
func (l library) wantPages(t *testing.T, address string, entries int) {
	t.Helper()
	var forth, back []string
	page := l.Do(t, "GET", address, nil).Want(t, http.StatusOK)
	for {
		forth = append(forth, page.IDs(t)...)
		next, more := page.Get(t, "nextCursor").(string)
		if !more {
			break
		}
		page = l.Do(t, "GET", address+"&cursor="+next, nil).Want(t, http.StatusOK)
	}
	for {
		back = append(back, page.IDs(t)...)
		previous, more := page.Get(t, "prevCursor").(string)
		if !more {
			break
		}
		page = l.Do(t, "GET", address+"&cursor="+previous, nil).Want(t, http.StatusOK)
	}
	slices.Reverse(back)
	if len(forth) != entries || !slices.Equal(forth, back) {
		t.Errorf("%s: %q forth, %q back", address, forth, back)
	}
}

func changedAssets(t *testing.T, l library) {
	folder := l.Do(t, "POST", l.Folders(), object{"name": "Owls"}).Text(t, "id")
	id := l.Ready(t, "a.png", mediatest.PNG(20, 20))
	l.Clock.Advance(time.Second)
	got := l.Do(t, "PATCH", l.Assets(id), object{"fileName": "owl.png", "folderId": folder,
		"altText": "An owl"}).Want(t, http.StatusOK)
	if got.Text(t, "fileName") != "owl.png" || got.Text(t, "folderId") != folder ||
		got.Text(t, "altText") != "An owl" || got.Text(t, "updatedAt") <= got.Text(t, "createdAt") {
		t.Errorf("changed: %s", got.Body)
	}
	got = l.Do(t, "PATCH", l.Assets(id), object{"folderId": nil, "altText": nil}).Want(t, http.StatusOK)
	if got.Get(t, "folderId") != nil || got.Get(t, "altText") != nil || got.Text(t, "fileName") != "owl.png" {
		t.Errorf("cleared: %s", got.Body)
	}
	l.Do(t, "PATCH", l.Assets(id), object{"fileName": nil, "folderId": "x", "colour": "red"}).WantIssues(t, "colour",
		"fileName", "folderId")
	l.Do(t, "PATCH", l.Assets(id), object{"folderId": unknownID}).WantIssues(t, "folderId")
	l.Do(t, "PATCH", l.Assets(unknownID), object{}).WantError(t, http.StatusNotFound, "NotFound")
}

func deletedAssets(t *testing.T, l library) {
	picture := l.Ready(t, "a.png", mediatest.PNG(20, 20))
	commented := l.Ready(t, "b.png", mediatest.PNG(20, 20))
	post := l.NewPostID(t, object{"text": "Look", "assetIds": []string{picture}})
	scheduled := l.InsertPublications(t, servertest.PublicationRow{
		Post: post, Account: l.InsertAccount(t, crier.ProviderX), Status: crier.Scheduled,
		At: time.Now().Add(time.Hour),
		Actions: crier.PlannedActions{FirstComment: &crier.Comment{Text: "More",
			MediaIDs: []crier.ID{crier.ID(commented)}}},
	})[0]
	for _, status := range []crier.ScheduledPostStatus{crier.Scheduled, crier.Publishing, crier.Processing,
		crier.Unknown} {
		l.SetStatus(t, scheduled, status)
		l.Do(t, "DELETE", l.Assets(picture), nil).WantError(t, http.StatusConflict, "Conflict")
		l.Do(t, "DELETE", l.Assets(commented), nil).WantError(t, http.StatusConflict, "Conflict")
	}
	l.SetStatus(t, scheduled, crier.Published)
	for _, id := range []string{picture, commented} {
		l.Do(t, "DELETE", l.Assets(id), nil, "Idempotency-Key", id).Want(t, http.StatusOK)
		l.Do(t, "DELETE", l.Assets(id), nil, "Idempotency-Key", id).Want(t, http.StatusOK)
		l.Do(t, "DELETE", l.Assets(id), nil).WantError(t, http.StatusNotFound, "NotFound")
		l.Do(t, "GET", l.Assets(id), nil).WantError(t, http.StatusNotFound, "NotFound")
	}
	if n := l.jobs(t, "post.retag", picture) + l.jobs(t, "post.retag", commented); n != 2 {
		t.Errorf("%d jobs tell posts that the tags of their assets are gone", n)
	}
	if total := l.Do(t, "GET", l.Assets(), nil).Get(t, "total"); total != json.Number("0") {
		t.Errorf("%v assets are left", total)
	}
}

// Pictures of more pixels than are decoded during a request are processed by a job: on one store with the default
// number of pixels, on the others with a smaller one.
func TestLargeImageIsProcessedByAJob(t *testing.T) {
	t.Parallel()
	few := func(a *server.Config) { a.QuickPixels = 10_000 }
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		processedByAJob(t, startLibrary(t, servertest.Databases.Fresh(t, store.SQLite)), 4200, 4000)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		processedByAJob(t, startLibrary(t, servertest.Databases.Fresh(t, store.Postgres), few), 120, 100)
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		processedByAJob(t, startLibrary(t, servertest.Databases.Fresh(t, store.SQLite), few,
			withS3(mediatest.StartS3(t))), 120, 100)
	})
}

func processedByAJob(t *testing.T, l library, width, height uint32) {
	t.Helper()
	got := l.Upload(t, "large.jpg", mediatest.JPEG(int(width), int(height))).Want(t, http.StatusCreated)
	id := got.Text(t, "id")
	if got.Text(t, "status") != crier.AssetProcessing || got.Get(t, "thumbnailUrl") != nil {
		t.Fatalf("a picture of %d x %d pixels is answered with %s", width, height, got.Body)
	}
	post := l.NewPostID(t, object{"text": "Look", "assetIds": []string{id}})
	l.process(t, id)
	done := l.Do(t, "GET", l.Assets(id), nil).Want(t, http.StatusOK)
	var a crier.Asset
	done.Into(t, &a)
	if a.Status != crier.AssetReady || !slices.Contains(a.AssetTags, "landscape") &&
		!slices.Contains(a.AssetTags, "square") {
		t.Errorf("processed: %s", done.Body)
	}
	l.wantThumbnail(t, "large.jpg", a)
	if n := l.jobs(t, "post.retag", id); n != 1 {
		t.Errorf("%d jobs tell posts of the new tags", n)
	}
	if tags := l.Do(t, "GET", l.PostsPath(post), nil).Get(t, "assetTags").([]any); len(tags) != len(a.AssetTags) {
		t.Errorf("the post shows the tags %q", tags)
	}
	l.process(t, id) // again: nothing happens

	failed := l.Upload(t, "broken.png", garbledPNG(width, height)).Want(t, http.StatusCreated).Text(t, "id")
	l.process(t, failed)
	got = l.Do(t, "GET", l.Assets(failed), nil).Want(t, http.StatusOK)
	if got.Text(t, "status") != crier.AssetFailed || got.Text(t, "failureMessage") == "" {
		t.Errorf("a picture that cannot be decoded: %s", got.Body)
	}
	if ok, _ := compatible(t, got); len(ok) > 0 {
		t.Errorf("%q are said to take a picture that cannot be decoded", ok)
	}
}

// jobs returns how many jobs of a kind refer to an asset.
func (l library) jobs(t *testing.T, kind, asset string) int64 {
	t.Helper()
	return l.Number(t, `SELECT count(*) FROM river_job WHERE kind = $1 AND CAST(args AS TEXT) LIKE $2`, kind,
		"%"+asset+"%")
}

// process runs the job that processes an asset.
func (l library) process(t *testing.T, id string) {
	t.Helper()
	if n := l.jobs(t, "asset.process", id); n == 0 {
		t.Error("no job waits to process the asset")
	}
	if err := l.Node.Services.Assets.Process(t.Context(), job.ProcessAsset{AssetID: crier.ID(id)}); err != nil {
		t.Fatal(err)
	}
}

// garbledPNG returns a PNG with valid chunks, but with random pixel data that cannot be decompressed.
func garbledPNG(width, height uint32) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		body := append([]byte(kind), data...)
		out = binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	chunk("IHDR", append(header, 8, 2, 0, 0, 0))
	chunk("IDAT", []byte("these are no pixels"))
	chunk("IEND", nil)
	return out
}

func turnedIntoJPEG(t *testing.T, l library) {
	picture := mediatest.TransparentWebP(60, 40)
	id := crier.ID(l.Ready(t, "picture.webp", picture))
	plain := crier.ID(l.Ready(t, "plain.jpg", mediatest.JPEG(60, 40)))
	animation := crier.ID(l.Ready(t, "moving.gif", mediatest.GIF(32, 32, 3)))
	want := []string{string(id) + "/jpeg", string(id) + "/original", string(id) + "/thumbnail", string(plain) +
		"/original",
		string(plain) + "/thumbnail", string(animation) + "/original", string(animation) + "/thumbnail"}
	slices.Sort(want)
	if got := l.Files(t); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	blob, err := l.Blobs.Open(t.Context(), media.Key{ID: id, Variant: media.VariantJPEG})
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	turned, err := jpeg.Decode(blob)
	if err != nil || turned.Bounds().Dx() != 60 || turned.Bounds().Dy() != 40 {
		t.Errorf("the JPEG is %v: %v", turned, err)
	}
}

func strangersInTheLibrary(t *testing.T, l library) {
	id := l.Ready(t, "a.png", mediatest.PNG(20, 20))
	stranger := l.NewTenant(t, "Stranger")
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		l.As(t, stranger.Key, method, l.Assets(id), object{}).WantError(t, http.StatusForbidden, "Forbidden")
		l.As(t, stranger.Key, method, path("/v1/teams/%s/assets/%s", stranger.Team, id), object{}).WantError(t,
			http.StatusNotFound, "NotFound")
	}
	resp, _ := l.Raw(t, "GET", path("/v1/teams/%s/assets/%s/content", stranger.Team, id), "Authorization",
		"Bearer "+stranger.Key)
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("a stranger gets the content with %d", resp.StatusCode)
	}
	upload := l.StartUpload(t, "video/mp4", 1000)
	l.As(t, stranger.Key, "GET", path("/v1/teams/%s/assets/uploads/%s", stranger.Team, upload), nil).WantError(t,
		http.StatusNotFound, "NotFound")
	l.As(t, stranger.Key, "POST", path("/v1/teams/%s/assets/uploads/%s/complete", stranger.Team, upload),
		nil).WantError(t, http.StatusNotFound, "NotFound")
	folder := l.Do(t, "POST", l.Folders(), object{"name": "Owls"}).Text(t, "id")
	l.As(t, stranger.Key, "POST", path("/v1/teams/%s/folders", stranger.Team),
		object{"name": "Mice", "parentId": folder}).WantIssues(t, "parentId")
	l.As(t, stranger.Key, "DELETE", path("/v1/teams/%s/folders/%s", stranger.Team, folder), nil).WantError(t,
		http.StatusNotFound, "NotFound")
}

func compatibilityOfAssets(t *testing.T, l library) {
	var networks struct{ Data []struct{ Name string } }
	l.Do(t, "GET", "/v1/providers", nil).Want(t, http.StatusOK).Into(t, &networks)
	good := l.Upload(t, "clip.mp4", mediatest.VerticalMP4()).Want(t, http.StatusCreated)
	if ok, issues := compatible(t, good); len(ok) != len(networks.Data) {
		t.Errorf("a clip that all networks take is taken by %q alone: %q", ok, issues)
	}
	webp := l.Upload(t, "picture.webp", mediatest.WebP(400, 400)).Want(t, http.StatusCreated)
	if ok, issues := compatible(t, webp); !slices.Contains(ok, "linkedin") {
		t.Errorf("LinkedIn takes a WebP after it was turned into a JPEG, but is said not to: %q", issues)
	}
	paper := l.Upload(t, "paper.pdf", mediatest.PDF(1)).Want(t, http.StatusCreated)
	ok, issues := compatible(t, paper)
	if !slices.Contains(ok, "linkedin") || !strings.Contains(strings.Join(issues["x"], ""), "application/pdf") {
		t.Errorf("a document is taken by %q; the issues are %q", ok, issues)
	}
	short := l.Upload(t, "blink.mp4", mediatest.MP4(mediatest.Video{Seconds: 0.2})).Want(t, http.StatusCreated)
	if _, issues := compatible(t, short); !strings.Contains(strings.Join(issues["x"], ""), "too short") {
		t.Errorf("a video of a fifth of a second has the issues %q", issues)
	}
}

func refusedImports(t *testing.T, l library) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("the import has reached this machine")
	}))
	t.Cleanup(inside.Close)
	for _, address := range []string{
		inside.URL, "http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://10.0.0.1/",
		"http://192.168.1.1/a.png", "http://169.254.169.254/latest",
		"http://[fe80::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/", "http://2130706433/",
		"http://user:secret@example.com/", "http://example.com:22/",
		"ftp://example.com/a.png", "file:///etc/passwd", "nonsense",
	} {
		got := l.Do(t, "POST", l.Assets("import"), object{"url": address}).WantIssues(t, "url")
		if strings.Contains(string(got.Body), "secret") {
			t.Errorf("%s: the answer repeats a password: %s", address, got.Body)
		}
	}
	l.Do(t, "POST", l.Assets("import"), object{}).WantIssues(t, "url")
	l.WantNothing(t)
}
