package main

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
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/service"
)

var assetRules = map[string]func(*testing.T, library){
	"files of every kind become assets that say what they are":       everyKindOfFile,
	"what is no good file is refused and leaves nothing behind":      refusedFiles,
	"a form says what is wrong with it":                              refusedForms,
	"fields of a form count before and behind the file":              fieldsOfAForm,
	"a repeated upload is answered once":                             repeatedUploads,
	"assets are listed by sort, filter and page":                     listedAssets,
	"an asset can be renamed, moved and described":                   changedAssets,
	"an asset goes when nothing needs it any more":                   deletedAssets,
	"a large picture is processed by a job":                          processedByAJob,
	"a picture is turned into JPEG once, for networks that need it":  turnedIntoJPEG,
	"a stranger sees nothing of a library":                           strangersInTheLibrary,
	"networks are told apart by what they take":                      compatibilityOfAssets,
	"an address is imported only if it leads to the public internet": refusedImports,
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
		"photo.jpg":     {mediatest.JPEG(64, 48), "image/jpeg", "image", 64, 48, 0, []string{"landscape"}},
		"turned.jpg":    {mediatest.RotatedJPEG(48, 96, 6), "image/jpeg", "image", 48, 96, 0, []string{"portrait"}},
		"clear.png":     {mediatest.TransparentPNG(40, 40), "image/png", "image", 40, 40, 0, []string{"square", "graphic"}},
		"picture.webp":  {mediatest.WebP(50, 40), "image/webp", "image", 50, 40, 0, []string{"landscape"}},
		"moving.gif":    {mediatest.GIF(32, 32, 5), "image/gif", "image", 32, 32, 0.5, []string{"square"}},
		"portrait.mp4":  {mediatest.VerticalMP4(), "video/mp4", "video", 540, 960, 5, []string{"portrait", "short"}},
		"landscape.mp4": {mediatest.MP4(mediatest.Video{Width: 540, Height: 960, Rotate: 90, Seconds: 2}), "video/mp4", "video", 960, 540, 2, []string{"landscape", "short"}},
		"quicktime.mov": {mediatest.MOV(mediatest.Video{Width: 320, Height: 240, Seconds: 2, MoovLast: true}), "video/quicktime", "video", 320, 240, 2, []string{"landscape", "short"}},
		"web.webm":      {mediatest.WebM(320, 240, 2, true), "video/webm", "video", 320, 240, 2, []string{"landscape", "short"}},
		"paper.pdf":     {mediatest.PDF(3), "application/pdf", "document", 0, 0, 0, nil},
		"no-extension":  {mediatest.PNG(20, 10), "image/png", "image", 20, 10, 0, []string{"landscape"}},
		"ütf-8 名前.jpg":  {mediatest.JPEG(64, 48), "image/jpeg", "image", 64, 48, 0, []string{"landscape"}},
	}
	for name, want := range tests {
		got := l.upload(t, name, want.file, formField("altText", "about "+name)).want(t, http.StatusCreated)
		var a crier.Asset
		got.into(t, &a)
		sum := sha256.Sum256(want.file)
		if a.FileName != name || a.MimeType != want.mimeType || a.Kind != want.kind || a.ByteSize != int64(len(want.file)) ||
			a.SHA256 != hex.EncodeToString(sum[:]) || a.Status != crier.AssetReady || *a.AltText != "about "+name || a.FolderID != nil {
			t.Errorf("%s: %s", name, got.body)
		}
		if orZero(a.Width) != want.width || orZero(a.Height) != want.height || fmt.Sprintf("%.2f", orZero(a.DurationSeconds)) != fmt.Sprintf("%.2f", want.seconds) {
			t.Errorf("%s: %d x %d, %.3f s", name, orZero(a.Width), orZero(a.Height), orZero(a.DurationSeconds))
		}
		for _, tag := range want.tags {
			if !slices.Contains(a.AssetTags, tag) {
				t.Errorf("%s: the tags %q lack %q", name, a.AssetTags, tag)
			}
		}
		if again := l.do(t, "GET", l.assets(string(a.ID)), nil).want(t, http.StatusOK); !bytes.Equal(again.body, got.body) {
			t.Errorf("%s: reading gives %s, creating gave %s", name, again.body, got.body)
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

// wantThumbnail fails unless the asset's thumbnail is a picture of the right shape that needs no token.
func (l library) wantThumbnail(t *testing.T, name string, a crier.Asset) {
	t.Helper()
	if a.ThumbnailURL == nil {
		t.Errorf("%s has no thumbnail", name)
		return
	}
	resp, body := l.raw(t, "GET", *a.ThumbnailURL)
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
		part formPart
		says string
	}{
		"a PNG that says it is a JPEG": {formPart{fileName: "a.jpg", contentType: "image/jpeg", data: mediatest.PNG(20, 20)}, "declared as image/jpeg"},
		"HEIC":                         {formPart{fileName: "a.heic", data: mediatest.HEIC()}, "Convert the picture to JPEG"},
		"AVIF":                         {formPart{fileName: "a.avif", data: mediatest.AVIF()}, "Convert"},
		"a web page":                   {formPart{fileName: "a.html", data: mediatest.HTML()}, "cannot be used"},
		"a JPEG that is cut off":       {formPart{fileName: "a.jpg", data: mediatest.Cut(mediatest.JPEG(300, 300))}, "cut off"},
		"a PNG that is cut off":        {formPart{fileName: "a.png", data: mediatest.Cut(mediatest.PNG(300, 300))}, "cut off"},
		"a video that is cut off":      {formPart{fileName: "a.mp4", data: mediatest.Cut(mediatest.VerticalMP4())}, "cut off"},
		"a decompression bomb":         {formPart{fileName: "a.png", data: mediatest.BombPNG()}, "pixels"},
		"a JPEG that claims too much":  {formPart{fileName: "a.jpg", data: mediatest.BombJPEG()}, "pixels"},
		"pixels that are noise":        {formPart{fileName: "a.png", data: garbledPNG(100, 100)}, "damaged"},
		"no bytes at all":              {formPart{fileName: "a.jpg"}, "empty"},
	}
	for name, test := range tests {
		test.part.field = "file"
		got := l.sendForm(t, []formPart{test.part}).wantIssues(t, "file")
		if !strings.Contains(got.text(t, "issues", 0, "message"), test.says) {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	// A large file is refused by its first bytes, and its sender hears why although it is still sending.
	l.upload(t, "a.html", append(mediatest.HTML(), make([]byte, 16<<20)...)).wantIssues(t, "file")
	l.wantNothing(t)
}

func refusedForms(t *testing.T, l library) {
	file := formPart{field: "file", fileName: "a.png", data: mediatest.PNG(20, 20)}
	tests := map[string]struct {
		parts []formPart
		paths []string
	}{
		"no file":                       {[]formPart{formField("altText", "x")}, []string{"file"}},
		"two files":                     {[]formPart{file, file}, []string{"file"}},
		"an unknown field":              {[]formPart{formField("colour", "red"), file}, []string{"colour"}},
		"an unknown field behind":       {[]formPart{file, formField("colour", "red")}, []string{"colour"}},
		"every field is wrong":          {[]formPart{formField("folderId", "7"), formField("fileName", "a/b"), formField("altText", strings.Repeat("x", 10_001)), file}, []string{"altText", "fileName", "folderId"}},
		"a field twice":                 {[]formPart{formField("altText", "x"), formField("altText", "y"), file}, []string{"altText"}},
		"a folder that is not there":    {[]formPart{file, formField("folderId", unknownID)}, []string{"folderId"}},
		"a field that is far too large": {[]formPart{formField("altText", strings.Repeat("x", 100_000)), file}, []string{"altText"}},
		"a control character in a name": {[]formPart{file, formField("fileName", "a\x01b")}, []string{"fileName"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { l.sendForm(t, test.parts).wantIssues(t, test.paths...) })
	}
	whole, contentType := form(file)
	l.do(t, "POST", l.assets(), whole[:len(whole)/2], "Content-Type", contentType).wantIssues(t, ".")
	l.do(t, "POST", l.assets(), whole, "Content-Type", "multipart/form-data").wantIssues(t, ".")
	l.do(t, "POST", l.assets(), object{"file": "x"}).wantIssues(t, ".")
	l.do(t, "POST", path("/v1/teams/7/assets"), whole, "Content-Type", contentType).wantIssues(t, "teamId")
	l.wantNothing(t)
}

func fieldsOfAForm(t *testing.T, l library) {
	folder := l.do(t, "POST", l.folders(), object{"name": "Owls"}).want(t, http.StatusCreated).text(t, "id")
	file := formPart{field: "file", fileName: `C:\Users\owl\a.png`, data: mediatest.PNG(20, 20)}
	behind := l.sendForm(t, []formPart{file, formField("folderId", strings.ToUpper(folder)), formField("altText", "An owl"), formField("fileName", "owl.png")}).want(t, http.StatusCreated)
	before := l.sendForm(t, []formPart{formField("folderId", folder), formField("altText", ""), formField("fileName", ""), file}).want(t, http.StatusCreated)
	if behind.text(t, "folderId") != folder || behind.text(t, "altText") != "An owl" || behind.text(t, "fileName") != "owl.png" {
		t.Errorf("fields behind the file: %s", behind.body)
	}
	if before.text(t, "folderId") != folder || before.get(t, "altText") != nil || before.text(t, "fileName") != "a.png" {
		t.Errorf("fields before the file: %s", before.body)
	}
	unnamed := l.sendForm(t, []formPart{{field: "file", data: mediatest.PNG(20, 20)}}).want(t, http.StatusCreated)
	if unnamed.text(t, "fileName") != "image.png" {
		t.Errorf("a file without a name is called %q", unnamed.text(t, "fileName"))
	}
}

func repeatedUploads(t *testing.T, l library) {
	file := []formPart{{field: "file", fileName: "a.png", data: mediatest.PNG(20, 20)}}
	first := l.sendForm(t, file, "Idempotency-Key", "one").want(t, http.StatusCreated)
	again := l.sendForm(t, file, "Idempotency-Key", "one").want(t, http.StatusCreated)
	if !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeat is answered with %s", again.body)
	}
	other := []formPart{{field: "file", fileName: "other.png", data: mediatest.PNG(30, 30)}}
	l.sendForm(t, other, "Idempotency-Key", "one").wantError(t, http.StatusConflict, "Conflict")
	body, contentType := form(file...)
	answers := make([]response, 4)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			header := map[string]string{"Content-Type": contentType, "Idempotency-Key": "at-once"}
			answers[i], _ = l.roundTrip(request{method: "POST", path: l.assets(), body: body, key: l.key, header: header})
		})
	}
	wait.Wait()
	for _, got := range answers {
		if got.want(t, http.StatusCreated).text(t, "id") != answers[0].text(t, "id") {
			t.Errorf("one upload, repeated at once, became %s and %s", got.body, answers[0].body)
		}
	}
	if total := l.do(t, "GET", l.assets(), nil).get(t, "total"); total != json.Number("2") {
		t.Errorf("there are %v assets", total)
	}
	if left := l.files(t); len(left) != 6 {
		t.Errorf("two pictures have the files %q", left)
	}
}

func listedAssets(t *testing.T, l library) {
	folder := l.do(t, "POST", l.folders(), object{"name": "Owls"}).text(t, "id")
	owl := l.ready(t, "Owl.png", mediatest.PNG(40, 40), formField("folderId", folder))
	l.clock.advance(time.Second)
	clip := l.ready(t, "clip.mp4", mediatest.VerticalMP4())
	l.clock.advance(time.Second)
	paper := l.ready(t, "owl story.pdf", mediatest.PDF(1), formField("folderId", folder))
	sizes := map[string]json.Number{}
	for _, id := range []string{owl, clip, paper} {
		sizes[id] = l.do(t, "GET", l.assets(id), nil).get(t, "byteSize").(json.Number)
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
		got := l.do(t, "GET", l.assets()+query, nil).want(t, http.StatusOK)
		if ids := got.ids(t); !slices.Equal(ids, want) || got.get(t, "total") != json.Number(fmt.Sprint(len(want))) {
			t.Errorf("%q lists %q of %v, want %q", query, ids, got.get(t, "total"), want)
		}
	}
	for _, sort := range []string{"createdAt", "updatedAt", "fileName", "byteSize"} {
		l.wantPages(t, l.assets()+"?limit=1&sortOrder=asc&sortBy="+sort, 3)
	}
	l.do(t, "GET", l.assets()+"?folderId=7&kind=song&status=new&sortBy=mood&limit=0", nil).wantIssues(t, "folderId", "kind", "limit", "sortBy", "status")
	cursor := l.do(t, "GET", l.assets()+"?limit=1", nil).text(t, "nextCursor")
	l.do(t, "GET", l.assets()+"?limit=1&kind=image&cursor="+cursor, nil).wantIssues(t, "cursor")
}

// wantPages walks through a list of pages of one entry, to the end and back.
func (l library) wantPages(t *testing.T, address string, entries int) {
	t.Helper()
	var forth, back []string
	page := l.do(t, "GET", address, nil).want(t, http.StatusOK)
	for {
		forth = append(forth, page.ids(t)...)
		next, more := page.get(t, "nextCursor").(string)
		if !more {
			break
		}
		page = l.do(t, "GET", address+"&cursor="+next, nil).want(t, http.StatusOK)
	}
	for {
		back = append(back, page.ids(t)...)
		previous, more := page.get(t, "prevCursor").(string)
		if !more {
			break
		}
		page = l.do(t, "GET", address+"&cursor="+previous, nil).want(t, http.StatusOK)
	}
	slices.Reverse(back)
	if len(forth) != entries || !slices.Equal(forth, back) {
		t.Errorf("%s: %q forth, %q back", address, forth, back)
	}
}

func changedAssets(t *testing.T, l library) {
	folder := l.do(t, "POST", l.folders(), object{"name": "Owls"}).text(t, "id")
	id := l.ready(t, "a.png", mediatest.PNG(20, 20))
	l.clock.advance(time.Second)
	got := l.do(t, "PATCH", l.assets(id), object{"fileName": "owl.png", "folderId": folder, "altText": "An owl"}).want(t, http.StatusOK)
	if got.text(t, "fileName") != "owl.png" || got.text(t, "folderId") != folder || got.text(t, "altText") != "An owl" || got.text(t, "updatedAt") <= got.text(t, "createdAt") {
		t.Errorf("changed: %s", got.body)
	}
	got = l.do(t, "PATCH", l.assets(id), object{"folderId": nil, "altText": nil}).want(t, http.StatusOK)
	if got.get(t, "folderId") != nil || got.get(t, "altText") != nil || got.text(t, "fileName") != "owl.png" {
		t.Errorf("cleared: %s", got.body)
	}
	l.do(t, "PATCH", l.assets(id), object{"fileName": nil, "folderId": "x", "colour": "red"}).wantIssues(t, "colour", "fileName", "folderId")
	l.do(t, "PATCH", l.assets(id), object{"folderId": unknownID}).wantIssues(t, "folderId")
	l.do(t, "PATCH", l.assets(unknownID), object{}).wantError(t, http.StatusNotFound, "NotFound")
}

func deletedAssets(t *testing.T, l library) {
	picture := l.ready(t, "a.png", mediatest.PNG(20, 20))
	commented := l.ready(t, "b.png", mediatest.PNG(20, 20))
	post := l.post(t, object{"text": "Look", "assetIds": []string{picture}})
	scheduled := l.schedule(t, publication{
		post: post, account: l.account(t, crier.ProviderX), status: crier.Scheduled, at: time.Now().Add(time.Hour),
		actions: crier.PlannedActions{FirstComment: &crier.Comment{Text: "More", MediaIDs: []crier.ID{crier.ID(commented)}}},
	})[0]
	for _, status := range []crier.ScheduledPostStatus{crier.Scheduled, crier.Publishing, crier.Processing, crier.Unknown} {
		l.setStatus(t, scheduled, status)
		l.do(t, "DELETE", l.assets(picture), nil).wantError(t, http.StatusConflict, "Conflict")
		l.do(t, "DELETE", l.assets(commented), nil).wantError(t, http.StatusConflict, "Conflict")
	}
	l.setStatus(t, scheduled, crier.Published)
	for _, id := range []string{picture, commented} {
		l.do(t, "DELETE", l.assets(id), nil, "Idempotency-Key", id).want(t, http.StatusOK)
		l.do(t, "DELETE", l.assets(id), nil, "Idempotency-Key", id).want(t, http.StatusOK)
		l.do(t, "DELETE", l.assets(id), nil).wantError(t, http.StatusNotFound, "NotFound")
		l.do(t, "GET", l.assets(id), nil).wantError(t, http.StatusNotFound, "NotFound")
	}
	if n := l.number(t, `SELECT count(*) FROM river_job WHERE kind = 'post.retag'`); n != 2 {
		t.Errorf("%d jobs tell posts that the tags of their assets are gone", n)
	}
	if total := l.do(t, "GET", l.assets(), nil).get(t, "total"); total != json.Number("0") {
		t.Errorf("%v assets are left", total)
	}
}

func processedByAJob(t *testing.T, l library) {
	got := l.upload(t, "large.jpg", largeJPEG()).want(t, http.StatusCreated)
	id := got.text(t, "id")
	if got.text(t, "status") != crier.AssetProcessing || got.get(t, "thumbnailUrl") != nil {
		t.Fatalf("a picture of 17 million pixels is answered with %s", got.body)
	}
	post := l.post(t, object{"text": "Look", "assetIds": []string{id}})
	l.process(t, id)
	done := l.do(t, "GET", l.assets(id), nil).want(t, http.StatusOK)
	var a crier.Asset
	done.into(t, &a)
	if a.Status != crier.AssetReady || !slices.Contains(a.AssetTags, "landscape") && !slices.Contains(a.AssetTags, "square") {
		t.Errorf("processed: %s", done.body)
	}
	l.wantThumbnail(t, "large.jpg", a)
	if n := l.number(t, `SELECT count(*) FROM river_job WHERE kind = 'post.retag'`); n != 1 {
		t.Errorf("%d jobs tell posts of the new tags", n)
	}
	if tags := l.do(t, "GET", l.posts(post), nil).get(t, "assetTags").([]any); len(tags) != len(a.AssetTags) {
		t.Errorf("the post shows the tags %q", tags)
	}
	l.process(t, id) // again: nothing happens

	failed := l.upload(t, "broken.png", garbledPNG(4000, 4000)).want(t, http.StatusCreated).text(t, "id")
	l.process(t, failed)
	got = l.do(t, "GET", l.assets(failed), nil).want(t, http.StatusOK)
	if got.text(t, "status") != crier.AssetFailed || got.text(t, "failureMessage") == "" {
		t.Errorf("a picture that cannot be decoded: %s", got.body)
	}
	if ok, _ := compatible(t, got); len(ok) > 0 {
		t.Errorf("%q are said to take a picture that cannot be decoded", ok)
	}
}

// largeJPEG has more pixels than are decoded while a caller waits.
var largeJPEG = sync.OnceValue(func() []byte { return mediatest.JPEG(4200, 4000) })

// process does the job that makes what belongs to an asset.
func (l library) process(t *testing.T, id string) {
	t.Helper()
	if n := l.number(t, `SELECT count(*) FROM river_job WHERE kind = 'asset.process'`); n == 0 {
		t.Error("no job waits to process the asset")
	}
	if err := l.node.services.Assets.Process(t.Context(), service.ProcessAssetJob{AssetID: crier.ID(id)}); err != nil {
		t.Fatal(err)
	}
}

// garbledPNG is a PNG whose parts are in order, but whose pixels are noise that nothing can unpack.
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
	id := crier.ID(l.ready(t, "picture.webp", picture))
	plain := crier.ID(l.ready(t, "plain.jpg", mediatest.JPEG(60, 40)))
	animation := crier.ID(l.ready(t, "moving.gif", mediatest.GIF(32, 32, 3)))
	want := []string{string(id) + "/jpeg", string(id) + "/original", string(id) + "/thumbnail", string(plain) + "/original",
		string(plain) + "/thumbnail", string(animation) + "/original", string(animation) + "/thumbnail"}
	slices.Sort(want)
	if got := l.files(t); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	blob, err := l.blobs.Open(t.Context(), media.Key{ID: id, Variant: media.VariantJPEG})
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
	id := l.ready(t, "a.png", mediatest.PNG(20, 20))
	stranger := l.newTenant(t, "Stranger")
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		l.as(t, stranger.key, method, l.assets(id), object{}).wantError(t, http.StatusForbidden, "Forbidden")
		l.as(t, stranger.key, method, path("/v1/teams/%s/assets/%s", stranger.team, id), object{}).wantError(t, http.StatusNotFound, "NotFound")
	}
	resp, _ := l.raw(t, "GET", path("/v1/teams/%s/assets/%s/content", stranger.team, id), "Authorization", "Bearer "+stranger.key)
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("a stranger gets the content with %d", resp.StatusCode)
	}
	upload := l.begin(t, "video/mp4", 1000)
	l.as(t, stranger.key, "GET", path("/v1/teams/%s/assets/uploads/%s", stranger.team, upload), nil).wantError(t, http.StatusNotFound, "NotFound")
	l.as(t, stranger.key, "POST", path("/v1/teams/%s/assets/uploads/%s/complete", stranger.team, upload), nil).wantError(t, http.StatusNotFound, "NotFound")
	folder := l.do(t, "POST", l.folders(), object{"name": "Owls"}).text(t, "id")
	l.as(t, stranger.key, "POST", path("/v1/teams/%s/folders", stranger.team), object{"name": "Mice", "parentId": folder}).wantIssues(t, "parentId")
	l.as(t, stranger.key, "DELETE", path("/v1/teams/%s/folders/%s", stranger.team, folder), nil).wantError(t, http.StatusNotFound, "NotFound")
}

func compatibilityOfAssets(t *testing.T, l library) {
	var networks struct{ Data []struct{ Name string } }
	l.do(t, "GET", "/v1/providers", nil).want(t, http.StatusOK).into(t, &networks)
	good := l.upload(t, "clip.mp4", mediatest.VerticalMP4()).want(t, http.StatusCreated)
	if ok, issues := compatible(t, good); len(ok) != len(networks.Data) {
		t.Errorf("a clip that all networks take is taken by %q alone: %q", ok, issues)
	}
	webp := l.upload(t, "picture.webp", mediatest.WebP(400, 400)).want(t, http.StatusCreated)
	if ok, issues := compatible(t, webp); !slices.Contains(ok, "linkedin") {
		t.Errorf("LinkedIn takes a WebP after it was turned into a JPEG, but is said not to: %q", issues)
	}
	paper := l.upload(t, "paper.pdf", mediatest.PDF(1)).want(t, http.StatusCreated)
	ok, issues := compatible(t, paper)
	if !slices.Contains(ok, "linkedin") || !strings.Contains(strings.Join(issues["x"], ""), "application/pdf") {
		t.Errorf("a document is taken by %q; the issues are %q", ok, issues)
	}
	short := l.upload(t, "blink.mp4", mediatest.MP4(mediatest.Video{Seconds: 0.2})).want(t, http.StatusCreated)
	if _, issues := compatible(t, short); !strings.Contains(strings.Join(issues["x"], ""), "too short") {
		t.Errorf("a video of a fifth of a second has the issues %q", issues)
	}
}

func refusedImports(t *testing.T, l library) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the import has reached this machine") }))
	t.Cleanup(inside.Close)
	for _, address := range []string{
		inside.URL, "http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://10.0.0.1/", "http://192.168.1.1/a.png", "http://169.254.169.254/latest",
		"http://[fe80::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/", "http://2130706433/", "http://user:secret@example.com/", "http://example.com:22/",
		"ftp://example.com/a.png", "file:///etc/passwd", "nonsense",
	} {
		got := l.do(t, "POST", l.assets("import"), object{"url": address}).wantIssues(t, "url")
		if strings.Contains(string(got.body), "secret") {
			t.Errorf("%s: the answer repeats a password: %s", address, got.body)
		}
	}
	l.do(t, "POST", l.assets("import"), object{}).wantIssues(t, "url")
	l.wantNothing(t)
}
