package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"crier/internal/provider"
)

type peopleList struct {
	Elements []struct {
		Member    string `json:"member"`
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
		Headline  string `json:"headline"`
		Vanity    string `json:"vanityName"`
	} `json:"elements"`
}

type organizationList struct {
	Elements []organization `json:"elements"`
}

// leastKeywords is the minimum number of letters that LinkedIn requires to search for a person.
const leastKeywords = 3

// Mentions finds an organization by its vanity name, and people among an organization's followers (People Typeahead).
// Members' tokens find organizations only.
func (p *Provider) Mentions(ctx context.Context, a provider.Account, query string) ([]provider.Mention, error) {
	vanity := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(query)), " ", "-")
	found, err := p.mentionedOrganizations(ctx, a, vanity)
	if err != nil || !isOrganization(a) || len([]rune(query)) < leastKeywords {
		return found, err
	}
	var people peopleList
	path := "/rest/peopleTypeahead?q=organizationFollowers&keywords=" + url.QueryEscape(query) + "&organization=" +
		urn(a.ProviderAccountID)
	if err := p.get(ctx, a, path, methodFinder, &people); err != nil {
		return nil, err
	}
	for _, person := range people.Elements {
		found = append(found, provider.Mention{ID: person.Member, Handle: person.Vanity, Kind: "person",
			Name: strings.TrimSpace(person.FirstName + " " + person.LastName)})
	}
	return found, nil
}

func (p *Provider) mentionedOrganizations(ctx context.Context, a provider.Account,
	vanity string) ([]provider.Mention, error) {
	var list organizationList
	path := "/rest/organizations?q=vanityName&vanityName=" + url.QueryEscape(vanity)
	err := p.get(ctx, a, path, methodFinder, &list)
	if failure := provider.AsError(err); failure != nil && failure.Status != http.StatusNotFound {
		return nil, failure
	}
	var found []provider.Mention
	for _, o := range list.Elements {
		found = append(found, provider.Mention{ID: organizationPrefix + strconv.FormatInt(o.ID, 10), Name: o.Name,
			Handle: o.Vanity, Kind: "organization", ImageURL: p.logo(ctx, a, o)})
	}
	return found, nil
}

// logo returns the URL of an organization's logo, or "" if the token may not read it.
func (p *Provider) logo(ctx context.Context, a provider.Account, o organization) string {
	asset, ok := strings.CutPrefix(o.Logo.Original, "urn:li:digitalmediaAsset:")
	if !ok {
		return ""
	}
	var image struct {
		DownloadURL string `json:"downloadUrl"`
	}
	if p.get(ctx, a, "/rest/images/"+urn("urn:li:image:"+asset), "", &image) != nil {
		return "" // a missing picture is no reason to fail
	}
	return image.DownloadURL
}
