package x

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"crier/internal/sandbox/sim"
)

// entityURL is a URL in a text, as X returns it. Positions count characters of the returned text.
type entityURL struct {
	Start       int    `json:"start"`
	End         int    `json:"end"`
	URL         string `json:"url"`
	ExpandedURL string `json:"expanded_url"`
	DisplayURL  string `json:"display_url"`
	MediaKey    string `json:"media_key,omitempty"`
}

var escapeText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// render returns a post's text as X returns it: three characters escaped, every URL a t.co one, and one more at the end
// if there is media.
func render(p sim.Post, author sim.Account) (string, []entityURL) {
	var b strings.Builder
	var urls []entityURL
	add := func(expanded, display string) {
		short := shorten(expanded)
		start := utf8.RuneCountInString(b.String())
		urls = append(urls, entityURL{Start: start, End: start + len(short), URL: short, ExpandedURL: expanded,
			DisplayURL: display})
		b.WriteString(short)
	}
	end := 0
	for _, u := range findURLs(p.Text) {
		b.WriteString(escapeText.Replace(p.Text[end:u.start]))
		add(expand(u.text), display(u.text))
		end = u.end
	}
	b.WriteString(escapeText.Replace(p.Text[end:]))
	if len(p.Media) > 0 {
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		kind := "photo"
		if strings.HasPrefix(p.Media[0].Type, "video/") {
			kind = "video"
		}
		add(fmt.Sprintf("https://x.com/%s/status/%s/%s/1", author.Handle, p.ID, kind), "pic.x.com/"+p.ID)
	}
	return b.String(), urls
}

// display shortens a URL for display.
func display(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = address
	}
	const longest = 26
	if runes := []rune(rest); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return rest
}
