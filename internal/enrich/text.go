// Package enrich finds out what posts are about: the language, tags, names, links, topics and feeling of a text, the
// look of an image, the shape of a video; and it makes the tokens by which texts are searched.
//
// The analysers are pure functions that need nothing but their input. Remote asks a language model for the parts that
// one can do better, and falls back to them. The package stores nothing and knows no posts.
package enrich

import "strings"

// Sentiment is the feeling that a text conveys.
type Sentiment string

// The sentiments.
const (
	Positive Sentiment = "positive"
	Neutral  Sentiment = "neutral"
	Negative Sentiment = "negative"
)

// TextFacts are what is known about a text. Lists are in order of appearance, topics the most telling first; none is
// nil.
type TextFacts struct {
	Language    string    `json:"language"`    // BCP 47, Undetermined when unsure
	Hashtags    []string  `json:"hashtags"`    // in lower case, without the sign
	Mentions    []string  `json:"mentions"`    // in lower case, without the sign
	LinkDomains []string  `json:"linkDomains"` // in Unicode, without www.
	Topics      []string  `json:"topics"`      // key phrases in lower case, at most MaxTopics
	Sentiment   Sentiment `json:"sentiment"`
}

// maxProse is how many characters of a text are read for its language, topics and sentiment: they show early.
const maxProse = 20_000

// Text analyses a text on the spot, without network.
func Text(text string) TextFacts {
	domains, unlinked := linkDomains(strings.ToValidUTF8(text, " "))
	unnamed := mention.ReplaceAllString(cut(unlinked, maxProse), " ")
	prose := hashtag.ReplaceAllString(unnamed, " ")
	tag := detectLanguage(prose)
	if tag == Undetermined { // the tags may be all there is
		tag = detectLanguage(unnamed)
	}
	return TextFacts{
		Language:    tag,
		Hashtags:    hashtags(unlinked),
		Mentions:    mentions(unlinked),
		LinkDomains: domains,
		Topics:      topics(prose, tag),
		Sentiment:   sentiment(unnamed, tag),
	}
}

// cut returns the first characters of s.
func cut(s string, characters int) string {
	for i := range s {
		if characters--; characters < 0 {
			return s[:i]
		}
	}
	return s
}
