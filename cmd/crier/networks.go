package main

import (
	"crier"
	"crier/internal/provider/all"
	"crier/internal/server"
)

// networkSettings returns the settings that every network has.
func networkSettings() []setting {
	var list []setting
	for _, p := range crier.Providers() {
		field := func(pick func(*server.Network) *string) func(*config) *string {
			return func(c *config) *string { return pick(c.Network(p)) }
		}
		name := string(p)
		list = append(list,
			setting{flag: name + "-client-id", help: "client id of the app at " + name,
				set: text(field(func(n *server.Network) *string { return &n.ClientID }))},
			setting{flag: name + "-client-secret", help: "client secret of the app at " + name,
				secret: true, set: text(field(func(n *server.Network) *string { return &n.ClientSecret }))},
			setting{flag: name + "-api-url", help: "base URL of " + name + "'s API; empty: the network's",
				set: baseURL(field(func(n *server.Network) *string { return &n.APIURL }))},
			setting{flag: name + "-consent-url", help: "base URL of " + name + "'s consent page; empty: the network's",
				set: baseURL(field(func(n *server.Network) *string { return &n.ConsentURL }))},
		)
	}
	return append(list, ownSettings()...)
}

// ownSettings returns the settings that only one network has.
func ownSettings() []setting {
	var list []setting
	for _, own := range all.Settings() {
		list = append(list, setting{flag: own.Name, help: own.Help, set: func(c *config, text string) error {
			if text == "" {
				return nil
			}
			return own.Apply(&c.OwnNetworks, text)
		}})
	}
	return list
}
