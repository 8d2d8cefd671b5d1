package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

// userAgent is the user agent of Meta's crawler.
const userAgent = "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"

const (
	fetchTimeout  = 2 * time.Minute
	answerTimeout = 10 * time.Second
	maxRedirects  = 3
)

// The errors of fetching a file. Any other failure is ErrUnreachable.
var (
	ErrUnreachable = errors.New("the media could not be fetched from this URI")
	ErrTimeout     = errors.New("it takes too long to download the media")
	ErrTooLarge    = errors.New("the media is too large")
)

// File is a received file: its properties, and those of its boxes if it is a video.
type File struct {
	sim.Media
	Movie mp4.Movie
}

// IsVideo reports whether it is a video of a supported type.
func (f File) IsVideo() bool { return f.Type == "video/mp4" || f.Type == "video/quicktime" }

// Ratio returns width divided by height of a picture; zero if unknown.
func (f File) Ratio() float64 {
	if f.Height == 0 {
		return 0
	}
	return float64(f.Width) / float64(f.Height)
}

// Crawler fetches media from the URLs that apps name, as Meta does. It connects to any address: clients that can reach
// a sandbox can reach its machine's loopback addresses anyway.
type Crawler struct {
	env     *sim.Env
	client  *http.Client
	timeout time.Duration
}

func newCrawler(env *sim.Env) *Crawler {
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: answerTimeout}).DialContext,
		ResponseHeaderTimeout: answerTimeout,
		DisableCompression:    true, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		return nil
	}}
	return &Crawler{env: env, client: client, timeout: fetchTimeout}
}

// Fetch downloads a file of at most limit bytes.
func (c *Crawler) Fetch(ctx context.Context, address string, limit int64) (File, error) {
	upload, err := c.FetchUpload(ctx, address, limit)
	if err != nil {
		return File{}, err
	}
	return upload.File()
}

// FetchUpload is Fetch for files that can also arrive in parts.
func (c *Crawler) FetchUpload(ctx context.Context, address string, limit int64) (Upload, error) {
	if !isFetchable(address) {
		return Upload{}, fmt.Errorf("%w: %q is no absolute http or https address in ASCII", ErrUnreachable, address)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	upload, err := c.download(ctx, address, limit)
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return Upload{}, fmt.Errorf("%w: %w", ErrTimeout, err)
	case err != nil && !errors.Is(err, ErrTooLarge):
		return Upload{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return upload, err
}

func isFetchable(address string) bool {
	u, err := url.Parse(address)
	isASCII := !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' })
	return err == nil && isASCII && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (c *Crawler) download(ctx context.Context, address string, limit int64) (Upload, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil) //nolint:gosec // fetching what apps name is what the networks do
	if err != nil {
		return Upload{}, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("User-Agent", userAgent)
	resp, err := c.client.Do(req) //nolint:gosec // as above
	if err != nil {
		return Upload{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Upload{}, fmt.Errorf("the host answered %s", resp.Status)
	}
	if !isMediaType(resp.Header.Get("Content-Type")) {
		return Upload{}, fmt.Errorf("only photo or video can be accepted as media type, not %q",
			resp.Header.Get("Content-Type"))
	}
	if resp.ContentLength > limit {
		return Upload{}, ErrTooLarge
	}
	return c.receive(resp.Body, limit)
}

// isMediaType reports whether a host declares a picture or a video, or nothing useful.
func isMediaType(header string) bool {
	kind, _, err := mime.ParseMediaType(header)
	return err != nil || kind == "application/octet-stream" || strings.HasPrefix(kind, "image/") ||
		strings.HasPrefix(kind, "video/")
}

// receive reads a file to its end.
func (c *Crawler) receive(body io.Reader, limit int64) (Upload, error) {
	upload, err := c.Extend(Upload{}, io.LimitReader(body, limit+1))
	if err == nil && upload.Size() > limit {
		err = ErrTooLarge
	}
	return upload, err
}

// Receive reads a file of at most limit bytes that a client sends.
func (c *Crawler) Receive(body io.Reader, limit int64) (File, error) {
	upload, err := c.receive(body, limit)
	if err != nil {
		return File{}, err
	}
	return upload.File()
}

// Upload is the state of a file that arrives in parts. It can be stored between the parts.
type Upload struct {
	Digest sim.Digest `json:"digest"`
	Movie  mp4.Movie  `json:"movie"`
	// First are the bytes that identify the picture types that the core does not know.
	First []byte `json:"first,omitempty"`
}

// Size returns how many bytes have arrived.
func (u Upload) Size() int64 { return u.Digest.Size }

// Extend reads one more part and returns the updated upload.
func (c *Crawler) Extend(u Upload, part io.Reader) (Upload, error) {
	first, movie := &head{bytes: u.First}, u.Movie
	digest, err := c.env.Media.Extend(u.Digest, io.TeeReader(part, io.MultiWriter(&movie, first)))
	if err != nil {
		return u, err
	}
	return Upload{Digest: digest, Movie: movie, First: first.bytes}, nil
}

// head keeps the first bytes that are written to it.
type head struct{ bytes []byte }

func (h *head) Write(p []byte) (int, error) {
	if room := 4 - len(h.bytes); room > 0 {
		h.bytes = append(slices.Clip(h.bytes), p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// File returns the properties of the whole file.
func (u Upload) File() (File, error) {
	media, err := u.Digest.Media()
	if err != nil {
		return File{}, err
	}
	if bytes.Equal(u.First, []byte("II*\x00")) || bytes.Equal(u.First, []byte("MM\x00*")) {
		media.Type = "image/tiff"
	}
	file := File{Media: media, Movie: u.Movie}
	if file.IsVideo() {
		file.Width, file.Height = u.Movie.Width, u.Movie.Height
	}
	return file, nil
}
