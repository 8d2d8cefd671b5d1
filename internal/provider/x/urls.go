package x

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// tldNames are the top-level domains of the root zone, one per line, internationalized ones in both forms.
//
//go:embed tlds.txt
var tldNames string

var tlds = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(tldNames) {
		set[name] = true
	}
	return set
})

// span is a range of a text, in bytes.
type span struct{ start, end int }

// maxURL is the length above which X does not recognize a URL (twitter-text, config v3).
const maxURL = 4096

// findURLs finds what X turns into links: URLs with a scheme, and bare domains under a known top-level domain.
func findURLs(text string) []span {
	var found []span
	previous := ' '
	for i := 0; i < len(text); {
		if end := urlAt(text, i, previous); end > i && end-i <= maxURL {
			found = append(found, span{i, end})
			previous, _ = utf8.DecodeLastRuneInString(text[:end])
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		previous = r
		i += size
	}
	return found
}

// urlAt returns the end of the URL that starts at i, or i if there is none.
func urlAt(text string, i int, previous rune) int {
	if isASCIIAlphanumeric(previous) || strings.ContainsRune("@＠$#＃", previous) {
		return i
	}
	if scheme := schemeLength(text[i:]); scheme > 0 {
		if end := hostEnd(text, i+scheme, isHostRune); end > 0 {
			return pathEnd(text, i+scheme, end)
		}
		return i
	}
	if isBareHostRune(previous) || strings.ContainsRune("_/", previous) {
		return i
	}
	if end := hostEnd(text, i, isBareHostRune); end > 0 {
		return pathEnd(text, i, end)
	}
	return i
}

func schemeLength(s string) int {
	for _, scheme := range []string{"https://", "http://"} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return len(scheme)
		}
	}
	return 0
}

func isASCIIAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func isHostRune(r rune) bool {
	return r == '-' || r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) ||
		unicode.Is(unicode.So, r)
}

func isBareHostRune(r rune) bool {
	return r == '-' || r == '.' || isASCIIAlphanumeric(r) || r >= 0x80 && unicode.Is(unicode.Latin, r) &&
		unicode.IsLetter(r)
}

// hostEnd returns the end of the longest domain name that starts at start, or 0.
func hostEnd(text string, start int, isHost func(rune) bool) int {
	run := text[start:]
	if stop := strings.IndexFunc(run, func(r rune) bool { return !isHost(r) }); stop >= 0 {
		run = run[:stop]
	}
	labels := strings.Split(run, ".")
	offset := start
	best := 0
	for i, label := range labels {
		if i > 0 && isDomain(labels[i-1]) {
			if tld := tldLength(label); tld > 0 && mayFollow(text[offset+tld:]) {
				best = offset + tld
			}
		}
		if !isSubdomain(label) {
			break
		}
		offset += len(label) + 1
	}
	return best
}

// isSubdomain allows underscores inside, isDomain does not.
func isSubdomain(label string) bool {
	return label != "" && !strings.ContainsAny(label[:1], "-_") && !strings.ContainsAny(label[len(label)-1:], "-_")
}

func isDomain(label string) bool { return isSubdomain(label) && !strings.Contains(label, "_") }

// tldLength returns the length of the top-level domain at the start of the label, or 0.
func tldLength(label string) int {
	if tlds()[strings.ToLower(label)] {
		return len(label)
	}
	ascii := strings.IndexFunc(label, func(r rune) bool { return !isASCIIAlphanumeric(r) })
	if ascii > 0 && tlds()[strings.ToLower(label[:ascii])] {
		return ascii
	}
	return 0
}

// mayFollow reports false for what would make a domain something else: the rest of a word, an e-mail address.
func mayFollow(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	return size == 0 || !isASCIIAlphanumeric(r) && r != '@'
}

// pathEnd extends a host by its port, path, query and fragment.
func pathEnd(text string, start, hostEnd int) int {
	end := hostEnd + portLength(text[hostEnd:])
	rest := text[end:]
	if rest == "" || !strings.ContainsRune("/?", rune(rest[0])) {
		return end
	}
	if strings.EqualFold(text[start:hostEnd], "t.co") {
		return end + shortLinkLength(rest)
	}
	if stop := strings.IndexFunc(rest, func(r rune) bool { return !isPathRune(r) }); stop >= 0 {
		rest = rest[:stop]
	}
	if len(rest) > maxURL {
		return end + len(rest) // too long for a URL
	}
	return end + len(trimPath(rest))
}

func portLength(s string) int {
	if !strings.HasPrefix(s, ":") {
		return 0
	}
	digits := len(s[1:]) - len(strings.TrimLeft(s[1:], "0123456789"))
	if digits == 0 {
		return 0
	}
	return 1 + digits
}

// shortLinkLength returns the length of the path of a t.co link: letters and digits only.
func shortLinkLength(rest string) int {
	if rest[0] != '/' {
		return 0
	}
	stop := strings.IndexFunc(rest[1:], func(r rune) bool { return !isASCIIAlphanumeric(r) })
	if stop < 0 {
		return len(rest)
	}
	return 1 + stop
}

func isPathRune(r rune) bool {
	if r < 0x80 {
		return isASCIIAlphanumeric(r) || strings.ContainsRune("!*';:=+,.$/%#[]-_~@|&?()", r)
	}
	return r == '–' || r == '—' || unicode.In(r, unicode.Latin, unicode.Cyrillic)
}

// trimPath removes punctuation that belongs to the sentence around the URL.
func trimPath(path string) string {
	for {
		trimmed := strings.TrimRight(path, "!*';:,.$[]~@|?%")
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
			trimmed = trimmed[:len(trimmed)-1]
		}
		trimmed = strings.TrimRight(trimmed, "(")
		if trimmed == path {
			return path
		}
		path = trimmed
	}
}
