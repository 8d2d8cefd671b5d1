// Package library holds the rules of the media library: assets, the uploads that they come from in pieces, and folders.
package library

import (
	"cmp"
	"log/slog"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// Config is what the library needs of the world.
type Config struct {
	Store     *store.Store
	Writes    *access.Idempotency
	Pages     *pagination.Cursors
	Providers *provider.Registry
	Engine    *publish.Engine
	Queue     job.Queue
	// Blobs keeps the files.
	Blobs     media.Blobs
	Addresses *media.Addresses
	// Fetcher imports files from addresses on the internet.
	Fetcher media.Fetcher
	// Quota is how many bytes the assets of an organization may have together; 0: as many as there is room for.
	Quota int64
	// QuickPixels is how many pixels are decoded while a caller waits; more is work for a job. 0: 16 million.
	QuickPixels int

	// Access checks again who uploads to a signed address, and SignUpload signs such addresses.
	Access     *access.Control
	SignUpload func([]byte) []byte
	// PublicURL is where the installation is reached.
	PublicURL string

	Clock  crier.Clock
	Logger *slog.Logger
}

// Library is the rules, one value per noun.
type Library struct {
	Assets  *Assets
	Uploads *Uploads
	Folders *Folders
	// UploadAddresses take files without a token.
	UploadAddresses *UploadAddresses
}

// New builds the rules.
func New(cfg Config) Library {
	assets := &Assets{store: cfg.Store, writes: cfg.Writes, providers: cfg.Providers, engine: cfg.Engine,
		queue: cfg.Queue, blobs: cfg.Blobs, addresses: cfg.Addresses, clock: cfg.Clock, log: cfg.Logger,
		pages: cfg.Pages, images: media.NewImages(media.Limits{}), fetcher: cfg.Fetcher,
		quota: cfg.Quota, quickPixels: cmp.Or(cfg.QuickPixels, usualQuickPixels)}
	return Library{
		Assets: assets,
		Uploads: &Uploads{store: cfg.Store, writes: cfg.Writes, clock: cfg.Clock, assets: assets,
			chunks: media.Uploads{Blobs: cfg.Blobs}},
		UploadAddresses: &UploadAddresses{store: cfg.Store, writes: cfg.Writes, control: cfg.Access, assets: assets,
			clock: cfg.Clock, baseURL: cfg.PublicURL, sign: cfg.SignUpload},
		Folders: &Folders{store: cfg.Store, writes: cfg.Writes, clock: cfg.Clock, pages: cfg.Pages},
	}
}
