package sim

import (
	"crypto/sha256"
	"strings"
	"unicode/utf8"
)

// Words of made-up handles. Two of them and the suffix fit the fifteen characters of a username on X, the shortest
// limit. None of the first words is a prefix of another, so that a handle is unambiguous.
var (
	firstWords = strings.Fields("amber aspen azure birch blue bold brave calm cedar clear coral crisp dawn deep " +
		"dusk early fair fern fresh gold grand green hazel ivory jade jolly kind lemon light lilac lime lunar maple " +
		"merry mild misty navy noble north oak olive opal pearl pine plum polar quiet rapid rose royal ruby sage " +
		"sandy silk solar south stone sunny swift teal tidy vivid warm wild")
	secondWords = strings.Fields("anchor arbor atlas bakery bay beach bridge brook candle canyon castle cloud coast " +
		"cove creek delta dune falcon farm field forest forge garden gate grove harbor haven heron hill hollow inlet " +
		"island jetty kite lake lark loft market meadow mill mosaic oasis orbit otter owl peak pier pond prism quay " +
		"reef ridge river robin shore spring square stream summit spruce tower trail valley willow")
)

const (
	distinctions = "abcdefghijkmnpqrstuvwxyz23456789" // characters that are not easily confused
	distinction  = 4                                  // length of the suffix of a made-up handle
)

// MadeUpHandle returns a handle that reads like that of a business, such as "amberharbor7k2p". It depends only on the
// seed; two seeds collide once in four billion times.
func MadeUpHandle(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	made := []byte(firstWords[int(sum[0])%len(firstWords)] + secondWords[int(sum[1])%len(secondWords)])
	for _, b := range sum[2 : 2+distinction] {
		made = append(made, distinctions[int(b)%len(distinctions)])
	}
	return string(made)
}

// DisplayName returns the display name of a handle's account: "Amber Harbor News" for amberharbor7k2p, "Acme News" for
// acme and acme_news. The title distinguishes a handle's accounts on several networks; people have none.
func DisplayName(handle, title string) string {
	words := madeUpWords(handle)
	if words == nil {
		words = strings.FieldsFunc(handle, func(r rune) bool { return strings.ContainsRune("_.-", r) })
	}
	if title != "" && (len(words) == 0 || !strings.EqualFold(words[len(words)-1], title)) {
		words = append(words, title)
	}
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = strings.ToUpper(string(first)) + word[size:]
	}
	return strings.Join(words, " ")
}

// PersonName returns the name of a handle's person. A person has two names.
func PersonName(handle string) string {
	name := DisplayName(handle, "")
	if strings.Contains(name, " ") {
		return name
	}
	return strings.TrimSpace(name + " Sandbox")
}

// madeUpWords returns the words of a made-up handle; nil for others.
func madeUpWords(handle string) []string {
	words := handle[:max(0, len(handle)-distinction)]
	for _, first := range firstWords {
		rest, ok := strings.CutPrefix(words, first)
		if !ok {
			continue
		}
		for _, second := range secondWords {
			if rest == second {
				return []string{first, second}
			}
		}
	}
	return nil
}
