package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"crier"
)

// Registry holds the networks of this installation. It is immutable.
type Registry struct {
	providers []Provider
	byName    map[string]Provider
	settings  map[string]Setting // by key
}

// NewRegistry returns a registry of the networks, in display order. It fails on contradictory declarations.
func NewRegistry(providers ...Provider) (*Registry, error) {
	r := &Registry{providers: providers, byName: map[string]Provider{}, settings: map[string]Setting{}}
	for _, p := range providers {
		info := p.Info()
		if err := checkInfo(info, r.Features(p)); err != nil {
			return nil, fmt.Errorf("provider %q: %w", info.Name, err)
		}
		if _, twice := r.byName[info.Name]; twice {
			return nil, fmt.Errorf("provider %q: registered twice", info.Name)
		}
		r.byName[info.Name] = p
		for _, s := range info.Settings {
			r.settings[s.Key] = s
		}
	}
	return r, nil
}

func checkInfo(info Info, f Features) error {
	switch {
	case info.Name == "" || len(info.Formats) == 0 || info.CommitTimeout <= 0:
		return fmt.Errorf("name, formats and commit timeout are needed")
	case info.Abilities.Comment != (info.Comment != nil):
		return fmt.Errorf("a comment ability and a comment format belong together")
	case f.Meter != nil && info.MetricsBatch <= 0:
		return fmt.Errorf("a meter needs a batch size")
	}
	for _, pair := range []struct {
		ability     string
		declared    bool
		implemented bool
	}{
		{"delete", info.Abilities.Delete, f.Deleter != nil},
		{"post metrics", info.Abilities.PostMetrics, f.Meter != nil},
		{"account metrics", info.Abilities.AccountMetrics, f.AccountMeter != nil},
		{"refresh", info.Abilities.Refresh, f.Refresher != nil},
		{"reconcile", info.Abilities.Reconcile, f.Reconciler != nil},
		{"mentions", info.Abilities.Mentions, f.Mentioner != nil},
		{"choices", slices.ContainsFunc(info.Settings, func(s Setting) bool { return s.Choices }), f.Chooser != nil},
	} {
		if pair.declared != pair.implemented {
			return fmt.Errorf("ability %s: declared %v, implemented %v", pair.ability, pair.declared, pair.implemented)
		}
	}
	for _, limit := range info.RateLimits {
		if _, err := time.LoadLocation(limit.ResetZone); err != nil || limit.Counted &&
			(limit.Max <= 0 || limit.Seconds <= 0) {
			return fmt.Errorf("rate limit %q: zone, amount and time are needed", limit.Name)
		}
	}
	return checkSettingKeys(info)
}

func checkSettingKeys(info Info) error {
	seen := map[string]bool{}
	for _, s := range info.Settings {
		rest, ok := strings.CutPrefix(s.Key, info.Name)
		if !ok || rest == "" || rest[0] < 'A' || rest[0] > 'Z' {
			return fmt.Errorf("setting %q must be the provider's name and a capitalised key", s.Key)
		}
		if seen[s.Key] {
			return fmt.Errorf("setting %q: declared twice", s.Key)
		}
		seen[s.Key] = true
	}
	return nil
}

// Get returns a network by name.
func (r *Registry) Get(name string) (p Provider, ok bool) {
	p, ok = r.byName[name]
	return p, ok
}

// All returns the networks.
func (r *Registry) All() []Provider { return slices.Clone(r.providers) }

// Names returns the names of the networks.
func (r *Registry) Names() []string {
	names := make([]string, len(r.providers))
	for i, p := range r.providers {
		names[i] = p.Info().Name
	}
	return names
}

// Features are the optional interfaces of a network; those it does not implement are nil.
type Features struct {
	Narrower       Narrower
	Pricer         Pricer
	Connector      Connector
	Profiler       Profiler
	Refresher      Refresher
	Revoker        Revoker
	Reconciler     Reconciler
	Matcher        Matcher
	Resender       Resender
	Deleter        Deleter
	Unreposter     Unreposter
	Meter          Meter
	AccountMeter   AccountMeter
	Mentioner      Mentioner
	Chooser        Chooser
	CommentChecker CommentChecker
}

// Features returns the optional interfaces of a network. Only this function asserts them.
func (r *Registry) Features(p Provider) Features {
	var f Features
	f.Narrower, _ = p.(Narrower)
	f.Pricer, _ = p.(Pricer)
	f.Connector, _ = p.(Connector)
	f.Profiler, _ = p.(Profiler)
	f.Refresher, _ = p.(Refresher)
	f.Revoker, _ = p.(Revoker)
	f.Reconciler, _ = p.(Reconciler)
	f.Matcher, _ = p.(Matcher)
	f.Resender, _ = p.(Resender)
	f.Deleter, _ = p.(Deleter)
	f.Unreposter, _ = p.(Unreposter)
	f.Meter, _ = p.(Meter)
	f.AccountMeter, _ = p.(AccountMeter)
	f.Mentioner, _ = p.(Mentioner)
	f.Chooser, _ = p.(Chooser)
	f.CommentChecker, _ = p.(CommentChecker)
	return f
}

// InfoFor returns the Info that applies to one account.
func (r *Registry) InfoFor(p Provider, a Account) Info {
	if narrower := r.Features(p).Narrower; narrower != nil {
		return narrower.InfoFor(a)
	}
	return p.Info()
}

// Capabilities are the capabilities of an account (SocialAccount.capabilities).
type Capabilities struct {
	Abilities
	PostTypes []string `json:"postTypes"`
	Formats   []Format `json:"formats"`
	Comment   *Format  `json:"comment,omitempty"`
	// Settings are the publish settings that are more limited here than on the network in general; Unavailable are the
	// keys of those without effect here.
	Settings    []Setting `json:"settings,omitempty"`
	Unavailable []string  `json:"unavailableSettings,omitempty"`
}

// Capabilities returns the capabilities of an account.
func (r *Registry) Capabilities(p Provider, a Account) Capabilities {
	info := r.InfoFor(p, a)
	c := Capabilities{Abilities: info.Abilities, PostTypes: info.PostTypes(), Formats: info.Formats,
		Comment: info.Comment}
	for _, general := range p.Info().Settings {
		i := slices.IndexFunc(info.Settings, func(s Setting) bool { return s.Key == general.Key })
		switch {
		case i < 0:
			c.Unavailable = append(c.Unavailable, general.Key)
		case !slices.Equal(info.Settings[i].Enum, general.Enum):
			c.Settings = append(c.Settings, info.Settings[i])
		}
	}
	return c
}

// Cost returns the price of each part of the content in credits.
func (r *Registry) Cost(p Provider, c Content) []int64 {
	if pricer := r.Features(p).Pricer; pricer != nil {
		return pricer.Cost(c)
	}
	return make([]int64, max(1, len(c.Parts)))
}

// CheckSettings validates the settings of a request for all networks. Null is allowed and means that a setting is not
// set. Paths start with path.
func (r *Registry) CheckSettings(s Settings, path ...string) []crier.Issue {
	var issues []crier.Issue
	for _, key := range sortedKeys(s) {
		setting, known := r.settings[key]
		switch {
		case !known:
			issues = append(issues, crier.At("is not a known setting; "+r.hint(key), join(path, key)...))
		case !isNull(s[key]):
			issues = append(issues, setting.check(s[key], join(path, key))...)
		}
	}
	return issues
}

// hint lists the keys of the network that an unknown key seems to belong to.
func (r *Registry) hint(key string) string {
	for _, p := range r.providers {
		info := p.Info()
		rest, ok := strings.CutPrefix(key, info.Name)
		if ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			return "allowed: " + strings.Join(keys(info.Settings), ", ")
		}
	}
	return "keys begin with the name of a provider: " + strings.Join(r.Names(), ", ")
}

// MergeSettings returns the settings of one network: later layers override earlier ones, and null removes a setting.
func (r *Registry) MergeSettings(p Provider, layers ...Settings) Settings {
	merged := Settings{}
	for _, setting := range p.Info().Settings {
		for _, layer := range layers {
			switch value, there := layer[setting.Key]; {
			case there && isNull(value):
				delete(merged, setting.Key)
			case there:
				merged[setting.Key] = value
			}
		}
	}
	return merged
}
