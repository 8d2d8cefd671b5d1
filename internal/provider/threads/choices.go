package threads

import (
	"context"
	"net/url"
	"strings"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// keyLocation is the setting whose values Threads can search.
const keyLocation = "threadsLocationId"

type locationList struct {
	Data []struct {
		ID      graph.ID `json:"id"`
		Name    string   `json:"name"`
		Address string   `json:"address"`
		City    string   `json:"city"`
		Country string   `json:"country"`
	} `json:"data"`
}

// Choices searches places.
func (p *Provider) Choices(ctx context.Context, a provider.Account, _, query string) (provider.Choices, error) {
	if strings.TrimSpace(query) == "" {
		return provider.Choices{}, nil // Threads does not list places, it only searches them
	}
	var list locationList
	path := "/location_search?q=" + url.QueryEscape(query) + "&fields=id,name,address,city,country"
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return provider.Choices{}, err
	}
	var choices provider.Choices
	for _, place := range list.Data {
		var where []string
		for _, part := range []string{place.Address, place.City, place.Country} {
			if part != "" {
				where = append(where, part)
			}
		}
		choices.List = append(choices.List, provider.Choice{Value: string(place.ID), Label: place.Name,
			Detail: strings.Join(where, ", ")})
	}
	return choices, nil
}
