// Package service holds the rules: who may do what, what is valid beyond the form of a request, and what happens. One
// file per noun. It knows no HTTP and no job engine: doors call it, and it reaches the engine through Queue.
package service

import (
	"context"
	"log/slog"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// Config is what the rules need of the world.
type Config struct {
	Store *store.Store
	Keys  *auth.Keyring
	Queue Queue
	// Providers are the networks this installation knows.
	Providers *provider.Registry
	// Sandbox says that the networks are simulated.
	Sandbox bool
	// Observer is told how publishing goes.
	Observer PublishObserver
	// Timings are how long publishing waits for what; the zero value is the usual.
	Timings Timings
	// Checkpoint is called between any two steps of the work on a scheduled post and what follows it, for tests that have
	// a worker die or sleep there; nil otherwise.
	Checkpoint func(scheduledPost crier.ID, step Step)
	// Analyser describes texts; nil means crier's own analyser.
	Analyser TextAnalyser
	// Blobs keeps the files of the media library.
	Blobs media.Blobs
	// Fetcher imports files from addresses on the internet.
	Fetcher media.Fetcher
	// Mailer sends mail; nil means that this installation sends none.
	Mailer Mailer
	// PublicURL is where people and networks reach this installation, without a slash at the end.
	PublicURL string
	Now       func() time.Time
	Logger    *slog.Logger
}

// Services are the rules, one value per noun.
type Services struct {
	Access         *Access
	Answers        *Answers
	Pages          *Pages
	Organizations  *Organizations
	Teams          *Teams
	Keys           *Keys
	Slots          *Slots
	Accounts       *Accounts
	Posts          *Posts
	Tags           *Tags
	Facets         *Facets
	Calendars      *Calendars
	Schedules      *Schedules
	ScheduledPosts *ScheduledPosts
	Publisher      *Publisher
	Tokens         *Tokens
	Credits        *Credits
	Connections    *Connections
	Metrics        *Metrics
	People         *People
	Members        *Members
	Invitations    *Invitations
	AuditLog       *AuditLog
	Devices        *Devices
	Assets         *Assets
	Uploads        *Uploads
	Folders        *Folders
	Contexts       *Contexts
	Instance       *Instance
	Upkeep         *Upkeep
}

// New builds the rules.
func New(cfg Config) *Services {
	c := &core{store: cfg.Store, keys: cfg.Keys, queue: cfg.Queue, providers: cfg.Providers, clock: cfg.Now, log: cfg.Logger,
		blobs: cfg.Blobs, publicURL: cfg.PublicURL}
	pages := &Pages{keys: cfg.Keys}
	organizations := &Organizations{core: c, pages: pages}
	teams := &Teams{core: c, pages: pages}
	tokens := &Tokens{core: c}
	publisher := newPublisher(c, tokens, cfg)
	assets := &Assets{core: c, pages: pages, images: media.NewImages(media.Limits{}), fetcher: cfg.Fetcher}
	connections := &Connections{core: c, publicURL: cfg.PublicURL, sandbox: cfg.Sandbox}
	people := &People{core: c}
	return &Services{
		Schedules:      &Schedules{core: c, profiles: newProfiles(c, tokens)},
		ScheduledPosts: &ScheduledPosts{core: c, publisher: publisher},
		Publisher:      publisher,
		Tokens:         tokens,
		Credits:        &Credits{core: c, pages: pages},
		Connections:    connections,
		Metrics:        &Metrics{core: c, tokens: tokens},
		People:         people,
		Members:        &Members{core: c, pages: pages},
		Invitations:    &Invitations{core: c, pages: pages, people: people, mailer: cfg.Mailer},
		AuditLog:       &AuditLog{core: c, pages: pages},
		Devices:        &Devices{core: c, publicURL: cfg.PublicURL},
		Access:         newAccess(c),
		Answers:        &Answers{core: c},
		Pages:          pages,
		Organizations:  organizations,
		Teams:          teams,
		Keys:           &Keys{core: c, pages: pages},
		Slots:          &Slots{core: c},
		Accounts:       &Accounts{core: c, connections: connections},
		Posts:          &Posts{core: c, pages: pages},
		Tags:           &Tags{core: c, pages: pages},
		Facets:         &Facets{core: c, analyser: cfg.Analyser},
		Calendars:      &Calendars{core: c},
		Assets:         assets,
		Uploads:        &Uploads{core: c, assets: assets, chunks: media.Uploads{Blobs: cfg.Blobs}},
		Folders:        &Folders{core: c, pages: pages},
		Contexts:       &Contexts{core: c, organizations: organizations, teams: teams},
		Instance:       &Instance{core: c},
		Upkeep:         &Upkeep{core: c},
	}
}

// core is what all rules stand on.
type core struct {
	store     *store.Store
	keys      *auth.Keyring
	queue     Queue
	providers *provider.Registry
	blobs     media.Blobs
	publicURL string
	clock     func() time.Time
	log       *slog.Logger
}

// now is the present as both databases keep it.
func (c *core) now() crier.Time { return crier.TimeOf(c.clock()) }

// Queue takes jobs into the running transaction: they exist if and only if it commits.
type Queue interface {
	Enqueue(ctx context.Context, tx *store.Tx, jobs ...Job) error
}

// Unavailable is true when err means that the database is away, so that the request may be repeated later.
func Unavailable(err error) bool { return store.Unavailable(err) }
