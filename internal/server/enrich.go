package server

import (
	"errors"
	"time"

	"crier/internal/enrich"
	"crier/internal/service"
)

// Enrich configures the language model that describes texts better than the local analyser can.
type Enrich struct {
	URL, Key, Model string
	DailyTokens     int64
}

// enrichTimeout bounds one request to the model; after that the local analyser answers.
const enrichTimeout = 20 * time.Second

// analyser returns the configured model, or nil for the local analyser alone.
func (c *Config) analyser() (service.TextAnalyser, error) {
	e := c.Enrich
	if e.URL == "" {
		return nil, nil
	}
	if e.Model == "" {
		return nil, errors.New("CRIER_ENRICH_MODEL: name the model to ask at CRIER_ENRICH_URL")
	}
	return enrich.NewRemote(enrich.RemoteConfig{
		BaseURL: e.URL, Key: e.Key, Model: e.Model, Timeout: enrichTimeout, DailyTokens: e.DailyTokens, Now: c.Now,
	}), nil
}
