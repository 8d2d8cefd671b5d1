package provider_test

import (
	"testing"

	"crier/internal/provider"
)

func TestContainsLink(t *testing.T) {
	t.Parallel()
	const address = "https://crier.dev/a"
	for text, want := range map[string]bool{
		"":                        false,
		"crier.dev/a":             false,
		"https://crier.dev/":      false,
		address:                   true,
		"See " + address:          true,
		"(" + address + ").":      true,
		address + " and more":     true,
		address + "\nand more":    true,
		address + "/":             true,
		address + "?":             true,
		address + "…":             true,
		address + "を見て":           true,
		address + "!? yes":        true,
		address + "/b":            false,
		address + "b":             false,
		address + "2":             false,
		address + "_b":            false,
		address + ".html":         false,
		address + "?b=1":          false,
		address + "#b":            false,
		address + "%20b":          false,
		address + "/b " + address: true,
	} {
		if got := provider.ContainsLink(text, address); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestTextWithLinksAppendsTheMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		links      []string
		want       string
	}{
		{name: "no links", text: "Hello", want: "Hello"},
		{name: "no text", links: []string{"https://crier.dev/a"}, want: "https://crier.dev/a"},
		{name: "in the text", text: "See https://crier.dev/a.", links: []string{"https://crier.dev/a"},
			want: "See https://crier.dev/a."},
		{name: "the beginning of another", text: "See https://crier.dev/a/b", links: []string{"https://crier.dev/a"},
			want: "See https://crier.dev/a/b\nhttps://crier.dev/a"},
		{name: "twice", text: "Hello ", links: []string{"https://crier.dev/a", "https://crier.dev/a"},
			want: "Hello \nhttps://crier.dev/a"},
		{name: "in their order", text: "Hello", links: []string{"https://crier.dev/a/b", "https://crier.dev/a"},
			want: "Hello\nhttps://crier.dev/a/b\nhttps://crier.dev/a"},
	} {
		part := provider.Part{Text: c.text}
		for _, address := range c.links {
			part.Links = append(part.Links, provider.Link{URL: address})
		}
		if got := part.TextWithLinks(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
