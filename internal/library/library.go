// Package library implements the media library: assets, chunked uploads and folders.
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

// Config holds the dependencies and settings of the library.
type Config struct {
	Store     *store.Store
	Writes    *access.Idempotency
	Pages     *pagination.Cursors
	Providers *provider.Registry
	Engine    *publish.Engine
	Queue     job.Queue
	// Blobs stores the files.
	Blobs     media.Blobs
	Addresses *media.Addresses
	// Fetcher imports files from the internet.
	Fetcher media.Fetcher
	// Quota is the maximum total size in bytes of an organization's assets; 0 means no limit.
	Quota int64
	// QuickPixels is the number of pixels that are decoded within a request; larger pictures are left to a job. 0 means
	// 16 million.
	QuickPixels int

	// Access re-checks the permissions of uploads to signed URLs, and SignUpload signs these URLs.
	Access     *access.Control
	SignUpload func([]byte) []byte
	// PublicURL is the public base URL of the installation.
	PublicURL string

	Clock  crier.Clock
	Logger *slog.Logger
}

// Library groups the parts of the media library.
type Library struct {
	Assets  *Assets
	Uploads *Uploads
	Folders *Folders
	// UploadAddresses accept files without a token.
	UploadAddresses *UploadAddresses
}

// New returns a Library.
func New(cfg Config) Library {
	assets := &Assets{store: cfg.Store, writes: cfg.Writes, providers: cfg.Providers, engine: cfg.Engine,
		queue: cfg.Queue, blobs: cfg.Blobs, addresses: cfg.Addresses, clock: cfg.Clock, log: cfg.Logger,
		pages: cfg.Pages, images: media.NewImages(media.Limits{}), fetcher: cfg.Fetcher,
		quota: cfg.Quota, quickPixels: cmp.Or(cfg.QuickPixels, defaultQuickPixels)}
	return Library{
		Assets: assets,
		Uploads: &Uploads{store: cfg.Store, writes: cfg.Writes, clock: cfg.Clock, assets: assets,
			chunks: media.Uploads{Blobs: cfg.Blobs}},
		UploadAddresses: &UploadAddresses{store: cfg.Store, writes: cfg.Writes, control: cfg.Access, assets: assets,
			clock: cfg.Clock, baseURL: cfg.PublicURL, sign: cfg.SignUpload},
		Folders: &Folders{store: cfg.Store, writes: cfg.Writes, clock: cfg.Clock, pages: cfg.Pages},
	}
}
