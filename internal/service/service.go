// Package service implements the business rules: permissions, validation beyond the schema of a request, and effects.
// It has one file per resource. It knows neither HTTP nor the job engine: packages api and queue call it, and it
// enqueues jobs through Queue.
package service

import (
	"cmp"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/analytics"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/library"
	"crier/internal/media"
	"crier/internal/oauth"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/social"
	"crier/internal/store"
	"crier/internal/webhook"
)

// Config holds the services' dependencies and settings.
type Config struct {
	Store *store.Store
	Keys  *auth.Keyring
	Queue job.Queue
	// Providers are the networks this installation knows.
	Providers *provider.Registry
	// Sandbox says that the networks are simulated.
	Sandbox bool
	// Observer receives publishing measurements.
	Observer publish.Observer
	// Timings are the publishing timeouts and delays; the zero value means the defaults.
	Timings publish.Timings
	// Checkpoint is called between any two steps of the work on a scheduled post and what follows it, for tests that
	// have a worker die or sleep there; nil otherwise.
	Checkpoint func(scheduledPost crier.ID, step publish.Step)
	// Analyser describes texts; nil means crier's own analyser.
	Analyser TextAnalyser
	// Blobs keeps the files of the media library.
	Blobs media.Blobs
	// Fetcher imports files from addresses on the internet.
	Fetcher media.Fetcher
	// StorageQuota is how many bytes the assets of an organization may have together; 0: no limit.
	StorageQuota int64
	// QuickPixels is how many pixels of a picture are decoded while a caller waits; 0: the library's own number.
	QuickPixels int
	// Mailer sends mail; nil means that this installation sends none.
	Mailer Mailer
	// PublicURL is where people and networks reach this installation, without a slash at the end.
	PublicURL string
	// WebhookGuard says which addresses webhooks may have.
	WebhookGuard media.Fetcher
	// OAuthClients may ask people for access without a description of their own.
	OAuthClients []oauth.Client
	// OAuthRegistration lets any program register itself as a client.
	OAuthRegistration bool
	// OAuthDocuments reads the descriptions of clients; nil means that WebhookGuard does.
	OAuthDocuments oauth.Documents
	// WebhookTimeout bounds an attempt to deliver an event; 0 means 10 seconds.
	WebhookTimeout time.Duration
	// PasswordMemory is what the hash of a new password takes, in KiB, for tests; 0 means the usual 19 MiB.
	PasswordMemory uint32
	// EventDays is how long events are kept; 0 means 30.
	EventDays int
	// MetricsDays is how long readings of numbers are kept; 0 means 400.
	MetricsDays int
	// AcceptLostKeys are the ids of keys that are not in Keys and lost: a node starts without the records that need
	// them. The errors of Instance.BindKey name the ids.
	AcceptLostKeys []string
	Now            func() time.Time
	Logger         *slog.Logger
}

// Services holds the services, one per resource.
type Services struct {
	Access         *access.Control
	Idempotency    *access.Idempotency
	Pages          *pagination.Cursors
	Organizations  *Organizations
	Teams          *Teams
	Keys           *Keys
	Slots          *Slots
	Accounts       *social.Accounts
	Posts          *Posts
	Tags           *Tags
	Facets         *Facets
	Calendars      *Calendars
	Schedules      *Schedules
	ScheduledPosts *ScheduledPosts
	Publisher      *publish.Publisher
	Tokens         *publish.Tokens
	Credits        *Credits
	Connections    *social.Connections
	Analytics      *analytics.Analytics
	People         *People
	Members        *Members
	Invitations    *Invitations
	AuditLog       *AuditLog
	Events         *Events
	Webhooks       *Webhooks
	Dispatcher     *webhook.Dispatcher
	Devices        *oauth.Devices
	Authorizations *oauth.Authorizations
	Assets         *library.Assets
	Uploads        *library.Uploads
	// UploadAddresses take files without a token.
	UploadAddresses *library.UploadAddresses
	Folders         *library.Folders
	Contexts        *Contexts
	Instance        *Instance
	Upkeep          *Upkeep
}

// mediaPurpose keeps the signatures of media addresses apart from all others of the instance.
const mediaPurpose = "media addresses"

// uploadPurpose does so for upload addresses.
const uploadPurpose = "upload addresses"

// New returns the services.
func New(cfg Config) *Services {
	w := newWiring(cfg)
	s := &Services{Pages: w.pages, Idempotency: w.writes, Publisher: w.engine.Publisher, Tokens: w.engine.Tokens}
	w.addTenants(s)
	w.addPublishing(s)
	w.addLibrary(s)
	return s
}

// wiring holds the shared dependencies from which New builds the services.
type wiring struct {
	Config
	clock     crier.Clock
	addresses *media.Addresses
	engine    *publish.Engine
	writes    *access.Idempotency
	accounts  social.Rules
	pages     *pagination.Cursors
}

func newWiring(cfg Config) wiring {
	clock := crier.Clock(cfg.Now)
	mediaKeys := cfg.Keys.Signatures(nil, mediaPurpose)
	addresses := &media.Addresses{Key: mediaKeys[0], OtherKeys: mediaKeys[1:], BaseURL: cfg.PublicURL, Now: cfg.Now}
	w := wiring{
		Config: cfg, clock: clock, addresses: addresses, pages: pagination.NewCursors(cfg.Keys),
		writes: access.NewIdempotency(cfg.Store, cfg.Keys, clock),
		engine: publish.New(publish.Config{
			Store: cfg.Store, Keys: cfg.Keys, Queue: cfg.Queue, Providers: cfg.Providers, Blobs: cfg.Blobs,
			Addresses: addresses, Observer: cfg.Observer, Timings: cfg.Timings, Checkpoint: cfg.Checkpoint,
			Clock: clock, Logger: cfg.Logger,
		}),
	}
	w.accounts = social.New(social.Config{Store: cfg.Store, Writes: w.writes, Keys: cfg.Keys,
		Providers: cfg.Providers, Engine: w.engine, Queue: cfg.Queue, PublicURL: cfg.PublicURL, Sandbox: cfg.Sandbox,
		Clock: clock, Logger: cfg.Logger})
	return w
}

// addTenants adds organizations, teams, people and their credentials.
func (w wiring) addTenants(s *Services) {
	passwords := auth.NewPasswordHasher(runtime.GOMAXPROCS(0))
	passwords.Memory = cmp.Or(w.PasswordMemory, passwords.Memory)
	s.Access = access.New(w.Store, w.clock, w.Logger)
	s.Organizations = &Organizations{store: w.Store, writes: w.writes, clock: w.clock, pages: w.pages}
	s.Teams = &Teams{store: w.Store, writes: w.writes, engine: w.engine, queue: w.Queue, clock: w.clock, pages: w.pages}
	s.Keys = &Keys{store: w.Store, writes: w.writes, keys: w.Keys, clock: w.clock, pages: w.pages}
	s.People = &People{store: w.Store, writes: w.writes, keys: w.Keys, addresses: w.addresses, clock: w.clock,
		passwords: passwords}
	s.Members = &Members{store: w.Store, writes: w.writes, clock: w.clock, pages: w.pages}
	s.Invitations = &Invitations{store: w.Store, writes: w.writes, keys: w.Keys, queue: w.Queue,
		addresses: w.addresses, clock: w.clock, pages: w.pages, people: s.People, mailer: w.Mailer}
	logins := w.logins()
	s.Devices, s.Authorizations = logins.Devices, logins.Authorizations
	s.AuditLog = &AuditLog{store: w.Store, pages: w.pages}
	s.Events = newEvents(w.pages, w.Config)
	s.Dispatcher = webhook.New(webhook.Config{Store: w.Store, Keys: w.Keys, Queue: w.Queue, Clock: w.clock,
		Mailer: w.Mailer, Guard: w.WebhookGuard, Timeout: w.WebhookTimeout})
	s.Webhooks = &Webhooks{store: w.Store, writes: w.writes, clock: w.clock, pages: w.pages, dispatcher: s.Dispatcher}
	s.Credits = &Credits{store: w.Store, providers: w.Providers, pages: w.pages}
	s.Contexts = &Contexts{store: w.Store, clock: w.clock, organizations: s.Organizations, teams: s.Teams,
		events: s.Events}
	s.Accounts, s.Connections = w.accounts.Accounts, w.accounts.Connections
	s.Instance = &Instance{store: w.Store, keys: w.Keys, connections: s.Connections, organizations: s.Organizations,
		apiKeys: s.Keys, clock: w.clock, passwords: passwords, people: s.People, acceptLostKeys: w.AcceptLostKeys,
		log: w.Logger}
	s.Upkeep = &Upkeep{store: w.Store, keys: w.Keys, clock: w.clock, log: w.Logger, instance: s.Instance,
		engine: w.engine, eventsKept: eventsKept(w.Config)}
}

func (w wiring) logins() oauth.Rules {
	documents := w.OAuthDocuments
	if documents == nil {
		documents = w.WebhookGuard.Document
	}
	return oauth.New(oauth.Config{Store: w.Store, Keys: w.Keys, Clock: w.clock, PublicURL: w.PublicURL,
		Clients: w.OAuthClients, Registration: w.OAuthRegistration, Documents: documents})
}

// addPublishing adds posts and publishing.
func (w wiring) addPublishing(s *Services) {
	s.Facets = &Facets{store: w.Store, log: w.Logger, analyser: w.Analyser}
	s.Posts = &Posts{store: w.Store, writes: w.writes, providers: w.Providers, engine: w.engine, queue: w.Queue,
		addresses: w.addresses, clock: w.clock, pages: w.pages, facets: s.Facets}
	s.Schedules = &Schedules{store: w.Store, writes: w.writes, providers: w.Providers, engine: w.engine,
		queue: w.Queue, views: w.accounts.Views, clock: w.clock, profiles: w.accounts.Profiles}
	s.ScheduledPosts = &ScheduledPosts{store: w.Store, writes: w.writes, providers: w.Providers, engine: w.engine,
		clock: w.clock,
		pages: w.pages, schedules: s.Schedules}
	s.Slots = &Slots{store: w.Store, writes: w.writes, clock: w.clock}
	s.Calendars = &Calendars{store: w.Store, addresses: w.addresses, clock: w.clock}
	s.Tags = &Tags{store: w.Store, writes: w.writes, clock: w.clock, pages: w.pages}
	s.Analytics = analytics.New(analytics.Config{Store: w.Store, Providers: w.Providers, Engine: w.engine,
		Queue: w.Queue, Pages: w.pages, Clock: w.clock, Days: w.MetricsDays})
}

// addLibrary adds the media library.
func (w wiring) addLibrary(s *Services) {
	l := library.New(library.Config{Store: w.Store, Writes: w.writes, Pages: w.pages, Providers: w.Providers,
		Engine: w.engine, Queue: w.Queue, Blobs: w.Blobs, Addresses: w.addresses, Fetcher: w.Fetcher,
		Quota: w.StorageQuota, QuickPixels: w.QuickPixels, Clock: w.clock, Logger: w.Logger,
		Access: s.Access, PublicURL: w.PublicURL,
		SignUpload: func(data []byte) []byte { return w.Keys.Sign(data, uploadPurpose) }})
	s.Assets, s.Uploads, s.Folders, s.UploadAddresses = l.Assets, l.Uploads, l.Folders, l.UploadAddresses
}

// Unavailable reports whether err means that the database is unavailable, or that this node has more passwords to hash
// than it can, so that the request may be repeated later.
func Unavailable(err error) bool { return store.Unavailable(err) || errors.Is(err, auth.ErrBusy) }
