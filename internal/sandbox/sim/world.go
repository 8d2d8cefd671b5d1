package sim

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Options configures a sandbox. With the zero value it keeps everything in memory.
type Options struct {
	// DataDir holds the journal. Empty means that nothing survives the process.
	DataDir string
	// BaseURL is the URL of the sandbox, without a trailing slash. Empty means that each response uses the host of its
	// request.
	BaseURL string
	// Now is the clock; the default is the system's.
	Now func() time.Time
	// After is the timer of slow responses; the default is the system's.
	After func(time.Duration) <-chan time.Time
	// Logger receives log messages for the operator; the default discards them.
	Logger *slog.Logger
	// ProcessingTime is how long a network processes a video after the upload; the default is one second.
	ProcessingTime time.Duration
	// LimitFactor multiplies the networks' rate limits and quotas; the default is 100, 1 means the real ones.
	LimitFactor int
	// Credits is the prepaid balance in thousandths of a US dollar, on networks that charge; the default is a billion.
	Credits int64
	// Clients are the apps that may connect, by client id, with their secrets. If empty, every app may.
	Clients map[string]string
	// Grows generates likes of posts; otherwise only the controls add likes.
	Grows bool
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.ProcessingTime == 0 {
		o.ProcessingTime = time.Second
	}
	if o.LimitFactor == 0 {
		o.LimitFactor = 100
	}
	if o.Credits == 0 {
		o.Credits = 1_000_000_000
	}
	return o
}

// KnowsClient reports whether an app may connect with a secret. An app needs an id and a secret in any case.
func (o Options) KnowsClient(id, secret string) bool {
	if id == "" || secret == "" {
		return false
	}
	want, listed := o.Clients[id]
	return len(o.Clients) == 0 || (listed && want == secret)
}

// World is a running sandbox: some networks behind one handler.
type World struct {
	options  Options
	journal  *journal
	previews *Previews
	mux      *http.ServeMux
	envs     []*Env
	done     chan struct{}
	closing  sync.Once
}

// Open starts a sandbox with the given networks and loads the state from its data directory.
func Open(options Options, networks []Network) (*World, error) {
	options = options.withDefaults()
	j, err := openJournal(options.DataDir, options.Logger)
	if err != nil {
		return nil, err
	}
	w := &World{options: options, journal: j, previews: newPreviews(), mux: http.NewServeMux(),
		done: make(chan struct{})}
	for _, n := range networks {
		w.add(n)
	}
	w.registerControls()
	w.registerPages()
	if err := j.replay(); err != nil {
		return nil, errors.Join(fmt.Errorf("start sandbox: %w", err), j.close())
	}
	return w, nil
}

func (w *World) add(n Network) {
	e := newEnv(n, w)
	e.service = n.New(e)
	w.envs = append(w.envs, e)
	w.mux.HandleFunc("/"+n.Name+"/", func(rw http.ResponseWriter, _ *http.Request) { e.service.NotFound().write(rw) })
	e.Page("GET /{$}", e.showTimeline)
	w.mux.HandleFunc("GET /"+n.Name, e.showTimeline)
}

// ServeHTTP serves all networks, pages and controls.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Date", w.options.Now().UTC().Format(http.TimeFormat)) // the clock that also dates posts
	w.mux.ServeHTTP(rw, r)
}

// Close ends waiting calls and closes the journal. Later calls fail.
func (w *World) Close() error {
	var err error
	w.closing.Do(func() {
		close(w.done)
		err = w.journal.close()
	})
	return err
}
