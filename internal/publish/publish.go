// Package publish is the engine: it makes publications public exactly once and on time, and finds out what became of a
// call whose answer was lost. It decides retries, keeps a second node out, and records every attempt. Requests reach it
// through package service, jobs through package queue.
package publish

import (
	"log/slog"

	"crier"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// Config is what the engine needs of the world.
type Config struct {
	Store     *store.Store
	Keys      *auth.Keyring
	Queue     job.Queue
	Providers *provider.Registry
	Blobs     media.Blobs
	Addresses *media.Addresses
	Observer  Observer
	// Timings are how long publishing waits for what; the zero value is the usual.
	Timings Timings
	// Checkpoint is called between any two steps of the work on a publication, for tests that have a worker die or
	// sleep there; nil otherwise.
	Checkpoint func(scheduledPost crier.ID, step Step)
	Clock      crier.Clock
	Logger     *slog.Logger
}

// Engine is the parts of the engine that others use.
type Engine struct {
	Publisher *Publisher
	Content   *Content
	Tokens    *Tokens
	Quotas    *Quotas
}

// New builds the engine.
func New(cfg Config) *Engine {
	content := &Content{blobs: cfg.Blobs, addresses: cfg.Addresses}
	quotas := &Quotas{store: cfg.Store, providers: cfg.Providers, clock: cfg.Clock}
	tokens := &Tokens{store: cfg.Store, keys: cfg.Keys, providers: cfg.Providers, clock: cfg.Clock, log: cfg.Logger}
	return &Engine{
		Publisher: newPublisher(cfg, content, tokens, quotas), Content: content, Tokens: tokens, Quotas: quotas,
	}
}
