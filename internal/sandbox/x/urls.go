package x

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// link is a URL in a text, by bytes.
type link struct {
	start, end int
	text       string
}

// isMark reports whether a character belongs to the letter before it.
func isMark(r rune) bool { return unicode.Is(unicode.M, r) }

// candidate matches what may be a URL: an optional scheme, a name with dots, an optional port, and a tail.
var candidate = regexp.MustCompile(`(?i)(https?://)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?\.)+)(xn--[a-z0-9-]+|[a-z]{2,24})(:\d{1,5})?([/?#][^\s<>"]*)?`)

// maxURL is the maximum length of a URL.
const maxURL = 4096

// findURLs returns the URLs in a text, from left to right. Bare domains count if they end in a known top-level domain;
// those that end in a country's need a path, as in twitter-text, except .co and .tv.
func findURLs(text string) []link {
	var links []link
	for at := 0; at < len(text); {
		m := candidate.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		start, end := at+m[0], at+m[1]
		hasScheme, hasTail := m[2] >= 0, m[10] >= 0
		if !hasScheme {
			start += foreignLength(text[start : at+m[5]])
		}
		domain := strings.ToLower(text[at+m[6] : at+m[7]])
		if hasTail {
			end = at + m[10] + len(trimTail(text[at+m[10]:end]))
		}
		if !mayPrecede(text[:start]) || !mayFollow(text[at+m[7]:]) || end-start > maxURL || start == at+m[5] ||
			!isDomain(domain, hasScheme, hasTail) {
			at = start + wordLength(text[start:])
			continue
		}
		links = append(links, link{start: start, end: end, text: text[start:end]})
		at = end
	}
	return links
}

// foreignLength returns how much of the names before a top-level domain is not part of a URL without a scheme, which
// has Latin letters only: in texts without spaces it starts directly after other letters.
func foreignLength(names string) int {
	begin := strings.LastIndexFunc(names, func(r rune) bool { return r >= 0x80 && !unicode.Is(unicode.Latin, r) })
	if begin < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(names[begin:])
	rest := strings.TrimLeft(names[begin+size:], "._-")
	return len(names) - len(rest)
}

// mayPrecede reports whether a URL may start after the text.
func mayPrecede(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || !(strings.ContainsRune("@#$_-./＠＃", r) || r < 0x80 &&
		(unicode.IsLetter(r) || unicode.IsDigit(r)))
}

// mayFollow reports whether a top-level domain may end before the text: example.comet is no URL, and neither is the
// example.com of ada@example.com.
func mayFollow(after string) bool {
	r, size := utf8.DecodeRuneInString(after)
	return size == 0 || !(r == '@' || r == '_' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)))
}

func isDomain(domain string, hasScheme, hasTail bool) bool {
	switch {
	case strings.HasPrefix(domain, "xn--") || slices.Contains(genericDomains, domain):
		return true
	case !slices.Contains(countryDomains, domain):
		return false
	default:
		return hasScheme || hasTail || domain == "co" || domain == "tv"
	}
}

// wordLength returns how far to skip after a candidate that is no URL.
func wordLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n > 0 {
		return n
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

// trimTail removes punctuation that belongs to the sentence and not to the URL.
func trimTail(tail string) string {
	for tail != "" {
		r, size := utf8.DecodeLastRuneInString(tail)
		isOpen := r == ')' && strings.Count(tail, "(") >= strings.Count(tail, ")")
		if isOpen || !strings.ContainsRune(".,;:!?'\"()[]{}…", r) {
			break
		}
		tail = tail[:len(tail)-size]
	}
	return tail
}

// shorten returns the t.co URL for another one.
func shorten(address string) string {
	sum := sha256.Sum256([]byte(address))
	return "https://t.co/" + strings.NewReplacer("-", "a", "_",
		"b").Replace(base64.RawURLEncoding.EncodeToString(sum[:8])[:10])
}

// expand returns the URL with the scheme that X adds to bare domains.
func expand(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	return "http://" + address
}

// genericDomains are the top-level domains that are common in posts.
var genericDomains = strings.Fields(`
	academy agency ai app art asia bank bar beer berlin best bid bike bio biz blog blue boutique build business cafe camera
	camp capital care careers cash center charity chat cheap church city claims cleaning click clinic clothing cloud club
	coach codes coffee com community company computer construction consulting contact cooking cool coop country coupons
	courses credit cruises dance date deals delivery dental design dev diamonds digital direct directory discount docs dog
	domains download earth education email energy engineer engineering enterprises equipment estate events exchange expert
	express fail family fan farm fashion film finance financial fish fit fitness flights florist football forsale foundation
	fun fund furniture futbol fyi gallery game games garden gift gifts gives glass global gmbh gold golf google graphics
	gratis green gripe group guide guitars guru health healthcare help hiphop hockey holdings holiday homes horse hospital
	host hosting house how icu immo immobilien inc industries info ink institute insure int international investments jetzt
	jewelry jobs kim kitchen koeln land lawyer lease legal life lighting limited limo link live loan loans lol london love
	ltd luxury maison management market marketing mba media memorial men menu mil mobi moda moe money monster mortgage
	museum name nagoya navy net network news ngo ninja nyc okinawa one online onl ooo org osaka page paris partners parts
	party pet photo photography photos pics pictures pink pizza place plumbing plus poker press pro productions promo
	properties property pub qpon quebec racing realty recipes red rehab reise reisen rent rentals repair report republican
	rest restaurant review reviews rip rocks rodeo run sale salon sarl school schule science services sexy shoes shop
	shopping show singles site ski social software solar solutions space sport store stream studio study style supplies
	supply support surf surgery systems tattoo tax taxi team tech technology tel tennis theater theatre tienda tips tires
	today tokyo tools top tours town toys trade trading training travel tube university uno vacations vegas ventures vet
	viajes video villas vin vip vision vodka vote voting voyage watch webcam website wedding wien wiki win wine work works
	world wtf xin xxx xyz yoga yokohama zone edu gov`)

// countryDomains are the top-level domains of countries and territories.
var countryDomains = strings.Fields(`
	ac ad ae af ag al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg
	ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg
	gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn
	kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na
	nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh
	si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc
	ve vg vi vn vu wf ws ye yt za zm zw`)
