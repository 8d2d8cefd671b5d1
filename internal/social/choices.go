package social

import (
	"context"
	"slices"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/provider"
	"crier/internal/store"
)

// Choices asks the account's network for the possible values of a publish setting.
func (s *Accounts) Choices(ctx context.Context, scope access.TeamScope, id crier.ID, setting,
	query string) (crier.AccountChoices, error) {
	out := crier.AccountChoices{Setting: setting, Data: []crier.AccountChoice{}}
	a, network, err := s.connected(ctx, scope, id)
	if err != nil {
		return out, err
	}
	var known []string
	for _, declared := range network.Info().Settings {
		if declared.Choices {
			known = append(known, declared.Key)
		}
	}
	if !slices.Contains(known, setting) {
		if len(known) == 0 {
			return out, crier.Conflict("%s has no settings whose values can be looked up.", a.Provider)
		}
		return out, crier.Invalid(crier.At("must be one of "+strings.Join(known, ", "), "setting"))
	}
	var choices provider.Choices
	err = s.call(ctx, a, func(ctx context.Context, client provider.Account) (err error) {
		choices, err = s.providers.Features(network).Chooser.Choices(ctx, client, setting, query)
		return err
	})
	if err != nil {
		return out, err
	}
	for _, c := range choices.List {
		out.Data = append(out.Data, crier.AccountChoice{Value: c.Value, Label: c.Label, Detail: c.Detail})
	}
	if f := choices.Face; f != nil {
		out.Face = &crier.AccountFace{DisplayName: f.DisplayName, Handle: f.Handle, ImageURL: f.ImageURL}
	}
	return out, nil
}

// Mentions searches the account's network for people and organizations to mention.
func (s *Accounts) Mentions(ctx context.Context, scope access.TeamScope, id crier.ID, query string) (crier.MentionList,
	error) {
	out := crier.MentionList{Data: []crier.Mention{}}
	if strings.TrimSpace(query) == "" {
		return out, crier.Invalid(crier.At("must be a name, or the start of one", "q"))
	}
	a, network, err := s.connected(ctx, scope, id)
	if err != nil {
		return out, err
	}
	mentioner := s.providers.Features(network).Mentioner
	if mentioner == nil {
		return out, crier.Conflict("%s does not support searching for mentions.", a.Provider)
	}
	var found []provider.Mention
	err = s.call(ctx, a, func(ctx context.Context, client provider.Account) (err error) {
		found, err = mentioner.Mentions(ctx, client, query)
		return err
	})
	if err != nil {
		return out, err
	}
	for _, m := range found {
		out.Data = append(out.Data, crier.Mention{ID: m.ID, Name: m.Name, Handle: m.Handle, ImageURL: m.ImageURL,
			Kind: m.Kind})
	}
	return out, nil
}

// connected returns an account whose network can be called.
func (s *Accounts) connected(ctx context.Context, scope access.TeamScope, id crier.ID) (store.Account,
	provider.Provider,
	error) {
	if err := scope.Check(); err != nil {
		return store.Account{}, nil, err
	}
	a, err := s.store.SocialAccount(ctx, scope.Team().ID, id)
	if err != nil {
		return a, nil, err
	}
	network, ok := s.providers.Get(string(a.Provider))
	switch {
	case !ok:
		return a, nil, crier.Conflict("This installation has no client for %s.", a.Provider)
	case a.Status != crier.AccountConnected:
		return a, nil, crier.Conflict("The account is %s. Connect it first.", a.Status)
	}
	return a, network, nil
}

// call calls the account's network within its limits.
func (s *Accounts) call(ctx context.Context, a store.Account,
	call func(context.Context, provider.Account) error) error {
	metered := s.engine.Quotas.Metered(ctx, a)
	err := s.engine.Tokens.Call(ctx, a, func(client provider.Account) error { return call(metered, client) })
	failure := provider.AsError(err)
	switch {
	case failure == nil:
		return nil
	case failure.Kind == provider.RateLimited:
		return crier.TooManyRequests("The network limits the rate of requests: %s", failure.Message)
	}
	return crier.Conflict("The network did not answer (%s): %s", failure.Code, failure.Message)
}
