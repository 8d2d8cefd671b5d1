package enrich

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxValues is the maximum number of hashtags, mentions and link domains of one text: the first ones are kept.
	maxValues = 100
	// maxValueLength is the maximum length of one of them, in characters. Longer ones are invalid on every network and
	// are dropped.
	maxValueLength = 100
)

var (
	schemeLink = regexp.MustCompile(`(?i)https?://[^\s<>"]+`)
	bareLink   = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{M}\p{N}.-]*\.\p{L}{2,}(?:[/:?#][^\s<>"]*)?`)
	hashtag    = regexp.MustCompile(`[#＃]([\p{L}\p{M}\p{N}_\x{200c}]+)`)
	// A name in Latin letters ends where another script starts, since languages without spaces continue directly after
	// it. The second part is the server of names such as @name@server.example.
	mention = regexp.MustCompile(`[@＠]((?:[\p{Latin}0-9_](?:[\p{Latin}0-9_.-]*[\p{Latin}0-9_])?|\p{L}[\p{L}\p{M}\p{N}_]*)(?:@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,})?)`)
)

// genericDomains are the endings of links that people write without a scheme. countryDomains count only if a path
// follows, because many of them are words too.
var (
	genericDomains = strings.Fields("com org net io dev app edu gov info eu shop blog")
	countryDomains = strings.Fields("ai at au be br ca ch cn co cz de dk es fi fr gg gl gr hu id ie il in is it jp " +
		"kr ly me mx nl no nz pl pt ro ru se sg sh th to tr tv ua uk us vn")
)

// LinkDomains returns the domains of links, without www.
func LinkDomains(addresses []string) []string {
	domains, _ := linkDomains(strings.Join(addresses, " "))
	return domains
}

// linkDomains returns the domains that the text links to, without www., and the text without the links.
func linkDomains(text string) (domains []string, rest string) {
	rest = replaceLinks(text, schemeLink, func(link, _ string) bool {
		_, link, _ = strings.Cut(link, "://")
		return appendDomain(&domains, link)
	})
	rest = replaceLinks(rest, bareLink, func(link, before string) bool {
		last, _ := utf8.DecodeLastRuneInString(before)
		return !strings.ContainsRune("@#＠＃._-/", last) && looksLikeLink(link) && appendDomain(&domains, link)
	})
	return normalizeList(domains), rest
}

// replaceLinks replaces each match that accept recognizes as a link with a space.
func replaceLinks(text string, pattern *regexp.Regexp, accept func(link, before string) bool) string {
	var out strings.Builder
	end := 0
	for _, match := range pattern.FindAllStringIndex(text, -1) {
		if accept(text[match[0]:match[1]], text[:match[0]]) {
			out.WriteString(text[end:match[0]])
			out.WriteByte(' ')
			end = match[1]
		}
	}
	out.WriteString(text[end:])
	return out.String()
}

func looksLikeLink(link string) bool {
	host, path := cutHost(link)
	ending := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	return strings.HasPrefix(strings.ToLower(host), "www.") || slices.Contains(genericDomains, ending) ||
		path != "" && slices.Contains(countryDomains, ending)
}

func cutHost(link string) (host, path string) {
	if i := strings.IndexAny(link, "/?#:"); i >= 0 {
		return link[:i], link[i:]
	}
	return link, ""
}

// appendDomain adds the domain of a link without scheme; it reports whether the link has one.
func appendDomain(domains *[]string, link string) bool {
	authority, _, _ := strings.Cut(strings.NewReplacer("?", "/", "#", "/").Replace(link), "/")
	host, _ := cutHost(authority[strings.LastIndexByte(authority, '@')+1:])
	host = strings.TrimPrefix(strings.ToLower(cutAfterEnding(host)), "www.")
	domain, err := idna.Display.ToUnicode(host)
	if err != nil || !strings.Contains(domain, ".") {
		return false
	}
	*domains = append(*domains, domain)
	return true
}

// cutAfterEnding removes what follows the last label of a host: punctuation of the sentence, or text of a language that
// is written without spaces.
func cutAfterEnding(host string) string {
	host = strings.TrimRightFunc(host, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	ending := host[strings.LastIndexByte(host, '.')+1:]
	ascii := strings.IndexFunc(ending, func(r rune) bool {
		return r >= utf8.RuneSelf ||
			!unicode.In(r, unicode.L, unicode.N) && r != '-'
	})
	if ascii > 0 {
		host = host[:len(host)-len(ending)+ascii]
	}
	return host
}

// hashtags returns the hashtags of a text without links, in lower case and without the sign.
func hashtags(text string) []string {
	var tags []string
	for _, tag := range separateMatches(hashtag, text) {
		if tag = lower(tag); strings.IndexFunc(tag, unicode.IsLetter) >= 0 {
			tags = append(tags, tag)
		}
	}
	return normalizeList(tags)
}

// mentions returns the mentions of a text without links, in lower case and without the sign.
func mentions(text string) []string {
	var names []string
	for _, name := range separateMatches(mention, text) {
		names = append(names, lower(name))
	}
	return normalizeList(names)
}

// tagsAndNames returns the hashtags and mentions of a text as written.
func tagsAndNames(text string) []string {
	_, rest := linkDomains(text)
	return append(separateMatches(hashtag, rest), separateMatches(mention, rest)...)
}

// separateMatches returns the first group of each match that does not continue a word: C#minor is no tag and
// mail@example.com no mention.
func separateMatches(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, match := range pattern.FindAllStringSubmatchIndex(text, -1) {
		last, _ := utf8.DecodeLastRuneInString(text[:match[0]])
		inWord := unicode.In(last, unicode.L, unicode.N) && denseScript(last) == 0 ||
			strings.ContainsRune("_&/.+-", last)
		if match[0] == 0 || !inWord {
			found = append(found, text[match[2]:match[3]])
		}
	}
	return found
}

func lower(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// normalizeList removes duplicates, long values and those beyond the maximum; the order is kept. The result is never
// nil.
func normalizeList(values []string) []string {
	list := []string{}
	for _, v := range values {
		if len(list) < maxValues && utf8.RuneCountInString(v) <= maxValueLength && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
