package main

import (
	"errors"
	"time"

	"crier/internal/enrich"
	"crier/internal/service"
)

// enrichConfig is the language model that describes texts better than the local analyser can.
type enrichConfig struct {
	baseURL, key, model string
	dailyTokens         int64
}

// enrichTimeout bounds one question to the model; a slow one is answered by the local analyser.
const enrichTimeout = 20 * time.Second

// analyser is the configured model, or nil for the local analyser alone.
func (a *app) analyser() (service.TextAnalyser, error) {
	c := a.config.enrich
	if c.baseURL == "" {
		return nil, nil
	}
	if c.model == "" {
		return nil, errors.New("CRIER_ENRICH_MODEL: name the model to ask at CRIER_ENRICH_URL")
	}
	return enrich.NewRemote(enrich.RemoteConfig{
		BaseURL: c.baseURL, Key: c.key, Model: c.model, Timeout: enrichTimeout, DailyTokens: c.dailyTokens, Now: a.now,
	}), nil
}
