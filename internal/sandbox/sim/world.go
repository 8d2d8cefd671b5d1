package sim

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Options says how a sandbox runs. The zero value is a sandbox that keeps everything in memory.
type Options struct {
	// DataDir holds the journal. Empty means that nothing outlives the process.
	DataDir string
	// BaseURL is the address under which callers reach the sandbox, without a trailing slash. Empty means that each
	// answer names the host that its request used.
	BaseURL string
	// Now is the clock; the system's by default.
	Now func() time.Time
	// After is what slow answers wait on; the system's timer by default.
	After func(time.Duration) <-chan time.Time
	// Logger gets what an operator should know; nothing is logged by default.
	Logger *slog.Logger
	// ProcessingTime is how long a network works on a video after the upload; one second by default.
	ProcessingTime time.Duration
	// LimitFactor multiplies the networks' rate limits and quotas; 100 by default, 1 for the real ones.
	LimitFactor int
	// Credits is the prepaid balance in thousandths of a US dollar, on networks that charge; a billion by default.
	Credits int64
	// Clients are the apps that may connect, by client id, with their secrets. Without any, every app may.
	Clients map[string]string
	// Grows has posts liked by themselves; otherwise only the controls like them.
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

// KnowsClient tells whether an app may connect with a secret. An app needs an id and a secret in any case.
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

// Open starts a sandbox with the given networks and brings back what its data directory holds.
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

// ServeHTTP answers all networks, pages and controls.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Date", w.options.Now().UTC().Format(http.TimeFormat)) // the clock by which posts are dated, too
	w.mux.ServeHTTP(rw, r)
}

// Close ends waiting calls and closes the journal. Calls that come later fail.
func (w *World) Close() error {
	var err error
	w.closing.Do(func() {
		close(w.done)
		err = w.journal.close()
	})
	return err
}
