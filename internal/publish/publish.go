// Package publish is the publishing engine: it publishes exactly once and on time, and reconciles calls whose answer
// was lost. It decides retries, leases publications to one worker, and records every attempt. Requests reach it through
// package service, jobs through package queue.
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

// Config holds the engine's dependencies and settings.
type Config struct {
	Store     *store.Store
	Keys      *auth.Keyring
	Queue     job.Queue
	Providers *provider.Registry
	Blobs     media.Blobs
	Addresses *media.Addresses
	Observer  Observer
	// Timings are the engine's timeouts and delays; the zero value means the defaults.
	Timings Timings
	// Checkpoint is called between any two steps on a publication, for tests that kill or pause a worker there; nil
	// otherwise.
	Checkpoint func(scheduledPost crier.ID, step Step)
	Clock      crier.Clock
	Logger     *slog.Logger
}

// Engine groups the parts of the engine that other packages use.
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
	cfg.Timings = cfg.Timings.withDefaults()
	tokens := &Tokens{store: cfg.Store, keys: cfg.Keys, providers: cfg.Providers, clock: cfg.Clock, log: cfg.Logger,
		writeTimeout: min(cfg.Timings.WriteTimeout, renewalWrite)}
	return &Engine{
		Publisher: newPublisher(cfg, content, tokens, quotas), Content: content, Tokens: tokens, Quotas: quotas,
	}
}
