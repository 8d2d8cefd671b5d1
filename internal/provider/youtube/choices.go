package youtube

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"crier/internal/provider"
)

// Keys of settings whose values YouTube can list.
const (
	keyPlaylists = "youtubePlaylistIds"
	keyCategory  = "youtubeCategoryId"
)

// maxChoicePages is the maximum number of pages read of a list.
const maxChoicePages = 10

type titledList struct {
	Items []struct {
		ID      string `json:"id"`
		Snippet struct {
			Title      string `json:"title"`
			Assignable bool   `json:"assignable"`
		} `json:"snippet"`
		Status struct {
			Privacy string `json:"privacyStatus"`
		} `json:"status"`
	} `json:"items"`
	Next string `json:"nextPageToken"`
}

// Choices lists the channel's playlists, or the categories of videos. The query is the region of the categories.
func (p *Provider) Choices(ctx context.Context, a provider.Account, setting, query string) (provider.Choices, error) {
	if setting == keyCategory {
		return p.categories(ctx, a, cmp.Or(query, "US"))
	}
	var choices provider.Choices
	page := ""
	for range maxChoicePages {
		var list titledList
		path := "/youtube/v3/playlists?part=snippet,status&mine=true&maxResults=50"
		if page != "" {
			path += "&pageToken=" + url.QueryEscape(page)
		}
		if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
			return provider.Choices{}, err
		}
		for _, item := range list.Items {
			choices.List = append(choices.List, provider.Choice{Value: item.ID, Label: item.Snippet.Title,
				Detail: item.Status.Privacy})
		}
		if page = list.Next; page == "" {
			break
		}
	}
	return choices, nil
}

func (p *Provider) categories(ctx context.Context, a provider.Account, region string) (provider.Choices, error) {
	var list titledList
	path := "/youtube/v3/videoCategories?part=snippet&regionCode=" + url.QueryEscape(region)
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return provider.Choices{}, err
	}
	var choices provider.Choices
	for _, item := range list.Items {
		if item.Snippet.Assignable {
			choices.List = append(choices.List, provider.Choice{Value: item.ID, Label: item.Snippet.Title})
		}
	}
	return choices, nil
}

// markChoices marks the settings whose values YouTube can list.
func markChoices(settings []provider.Setting) []provider.Setting {
	for i := range settings {
		settings[i].Choices = slices.Contains([]string{keyPlaylists, keyCategory}, settings[i].Key)
	}
	return settings
}
