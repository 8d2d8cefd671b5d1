package tiktok

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

const (
	// pullTimeout limits a pull.
	pullTimeout = time.Hour
	// pullPatience is how long an init waits for its pull. Small files of a near host arrive before the response, so
	// that a test with a stopped clock need not wait; large ones continue after it.
	pullPatience = time.Second
)

// newPuller returns the client that fetches files. TikTok follows no redirects.
func newPuller() *http.Client {
	return &http.Client{Timeout: pullTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the address redirects")
	}}
}

// checkSources rejects URLs that TikTok would not pull from.
func (n *network) checkSources(addresses []string) *sim.Reply {
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
			return refuse(n.invalidParam("The address is invalid: " + address))
		}
		if !n.isVerified(address) {
			return refuse(n.failure(http.StatusForbidden, "url_ownership_unverified",
				"Please verify the ownership of the URL domain or URL prefix: "+address))
		}
	}
	return nil
}

func (n *network) isVerified(address string) bool {
	prefixes := n.settings.VerifiedPrefixes
	return len(prefixes) == 0 || slices.ContainsFunc(prefixes,
		func(prefix string) bool { return strings.HasPrefix(address, prefix) })
}

// pullPatiently starts a pull and waits a moment for its end. The pull continues if the client disconnects.
func (n *network) pullPatiently(ctx context.Context, number string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.pull(context.WithoutCancel(ctx), number)
	}()
	select {
	case <-done:
	case <-time.After(pullPatience): // not Options.After: a fault that delays the response must not shorten this
	}
}

// pull fetches all files of a task. Then posting starts, or has failed.
func (n *network) pull(ctx context.Context, number string) {
	var t task
	n.env.View(func() { t, _ = n.tasks.Get(number) })
	var media []sim.Media
	failure := ""
	for i, source := range t.Sources {
		var file sim.Media
		if file, failure = n.fetch(ctx, source, t.Photo, &t.Scan); failure != "" {
			break
		}
		file.ID = number + "_" + strconv.Itoa(i)
		media = append(media, file)
	}
	err := n.env.Update(func(tx *sim.Tx) error {
		n.begin(tx, t, media, failure)
		return nil
	})
	if err != nil {
		n.env.Log.Debug("sandbox pull will be repeated after a restart", "publish_id", t.ID, "error", err)
		return
	}
	n.settleLater()
}

// fetch pulls one file and describes it, or returns why it is not accepted.
func (n *network) fetch(ctx context.Context, source string, photo bool, scan *mp4.Movie) (sim.Media, string) {
	unreachable, limit := failVideoPull, int64(maxVideo)
	if photo {
		unreachable, limit = failPhotoPull, maxPhotoBytes
	}
	digest, err := n.download(ctx, source, limit, scan)
	var file sim.Media
	if err == nil {
		file, err = digest.Media()
	}
	switch {
	case err != nil:
		n.env.Log.Debug("sandbox could not pull", "source", source, "error", err)
		return file, unreachable
	case photo:
		return file, photoFailure(file)
	default:
		return shaped(file, scan.Shape()), videoFailure(file, scan.Shape())
	}
}

// download reads at most one byte more than the limit.
func (n *network) download(ctx context.Context, source string, limit int64, scan *mp4.Movie) (digest sim.Digest,
	err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return digest, fmt.Errorf("make request: %w", err)
	}
	resp, err := n.puller.Do(req)
	if err != nil {
		return digest, fmt.Errorf("pull: %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return digest, fmt.Errorf("pull: status %d", resp.StatusCode)
	}
	return n.env.Media.Extend(sim.Digest{}, io.TeeReader(io.LimitReader(resp.Body, limit+1), scan))
}

// Limits of pictures: 20 MB, and 1080p in either orientation.
const (
	maxPhotoBytes = 20_000_000
	photoLongSide = 1920
	photoSide     = 1080
)

// photoFailure returns what TikTok finds wrong with a picture, or "". The dimensions of WebP files are not checked.
func photoFailure(file sim.Media) string {
	switch {
	case file.Type != "image/jpeg" && file.Type != "image/webp":
		return failFormat
	case file.Size > maxPhotoBytes, max(file.Width, file.Height) > photoLongSide,
		min(file.Width, file.Height) > photoSide:
		return failPicture
	default:
		return ""
	}
}
