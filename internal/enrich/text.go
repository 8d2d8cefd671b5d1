// Package enrich analyzes posts: the language, hashtags, mentions, links, topics and sentiment of a text, the look of
// an image, the shape of a video; and it creates the search tokens of texts.
//
// The analyzers are pure functions of their input. Remote uses a language model for the parts that it does better, and
// falls back to them. The package stores nothing and knows nothing about posts.
package enrich

import "strings"

// Sentiment is the sentiment of a text.
type Sentiment string

// The sentiments.
const (
	Positive Sentiment = "positive"
	Neutral  Sentiment = "neutral"
	Negative Sentiment = "negative"
)

// TextFacts are the properties of a text. Lists are in order of appearance, topics by relevance; none is nil.
type TextFacts struct {
	Language    string    `json:"language"`    // BCP 47, Undetermined when unsure
	Hashtags    []string  `json:"hashtags"`    // in lower case, without the sign
	Mentions    []string  `json:"mentions"`    // in lower case, without the sign
	LinkDomains []string  `json:"linkDomains"` // in Unicode, without www.
	Topics      []string  `json:"topics"`      // key phrases in lower case, at most MaxTopics
	Sentiment   Sentiment `json:"sentiment"`
}

// maxProse is how many characters of a text are analyzed for language, topics and sentiment: its start suffices.
const maxProse = 20_000

// Text analyzes a text locally, without network.
func Text(text string) TextFacts {
	domains, unlinked := linkDomains(strings.ToValidUTF8(text, " "))
	unnamed := mention.ReplaceAllString(cut(unlinked, maxProse), " ")
	prose := hashtag.ReplaceAllString(unnamed, " ")
	tag := detectLanguage(prose)
	if tag == Undetermined { // there may be nothing but tags
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
