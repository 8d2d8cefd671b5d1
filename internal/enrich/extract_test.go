package enrich

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLinkDomainsOfAddresses(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                                    "",
		"https://example.com/path":            "example.com",
		"HTTP://WWW.Example.COM:8080/x?y#z":   "example.com",
		"https://ada:hush@example.com/":       "example.com",
		"https://example.com?x=https://b.org": "example.com",
		"https://a.com https://b.com":         "a.com b.com",
		"https://a.com https://A.com/again":   "a.com",
		"https://xn--mnchen-3ya.de/":          "münchen.de",
		"https://localhost/":                  "",
		"https://example.com.":                "example.com",
		"https://example.com/、次":              "example.com",
		"example.com":                         "example.com",
		"example.de":                          "", // many such words end a sentence without a space
		"example.de/path":                     "example.de",
		"www.example.de":                      "example.de",
		"ada@example.com":                     "",
		"#example.com":                        "",
		"file.txt":                            "",
		"https://":                            "",
	} {
		if got := strings.Join(LinkDomains([]string{given}), " "); got != want {
			t.Errorf("%q links to %q, want %q", given, got, want)
		}
	}
	if got := LinkDomains(nil); got == nil || len(got) != 0 {
		t.Errorf("no addresses have %v", got)
	}
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprintf("https://a%d.com", i))
	}
	if got := LinkDomains(many); len(got) != maxValues || got[99] != "a99.com" {
		t.Errorf("%d domains are kept of 150", len(got))
	}
}

func TestTidyKeepsTheFirstOfEach(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", maxValueLength)
	got := normalizeList([]string{"b", "a", "b", long, long + "x", ""})
	if want := []string{"b", "a", long, ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinksAreReadAsWords(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"see https://example.com/caf%C3%A9-menu now": "see example.com/café-menu now",
		"https://example.com/100%":                   "example.com/100%", // not an encoding: it is unchanged
		"HTTPS://a.b/x%20y":                          "a.b/x y",
		"no link":                                    "no link",
	} {
		if got := readableLinks(given); got != want {
			t.Errorf("%q is read as %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{"OpenAIWeek": "Open AI Week", "openAIWeek": "open AI Week", "ABC": "ABC",
		"a": "a", "": "", "iPhone": "i Phone", "Week2Day": "Week2 Day", "ÜberUns": "Über Uns"} {
		if got := splitCamelCase(given); got != want {
			t.Errorf("%q is split into %q, want %q", given, got, want)
		}
	}
}

func TestBudgetIsOfADay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 23, 59, 0, 0, time.FixedZone("", -3600)) // already the 17th in UTC
	b := &budget{limit: 100, now: func() time.Time { return now }}
	day, err := b.reserve(60)
	if err != nil || day != "2026-11-17" {
		t.Fatalf("the first reservation is of %q, %v", day, err)
	}
	if _, err := b.reserve(41); !errors.Is(err, ErrBudgetExhausted) {
		t.Errorf("more than is left: %v", err)
	}
	if b.settle(day, 60, 10); b.spent != 10 {
		t.Errorf("%d are spent after a settlement, want 10", b.spent)
	}
	if _, err := b.reserve(90); err != nil || b.spent != 100 {
		t.Errorf("what is exactly left: %v", err)
	}
	for _, used := range []int64{0, -5} {
		if b.settle(day, 90, used); b.spent != 100 {
			t.Errorf("a use of %d changes what is spent to %d", used, b.spent)
		}
	}
	if b.settle(day, 90, 1<<60); b.spent != 110 {
		t.Errorf("an impossible use counts %d", b.spent)
	}
	now = now.Add(24 * time.Hour)
	next, err := b.reserve(100)
	if err != nil || next != "2026-11-18" {
		t.Errorf("the next day: %q, %v", next, err)
	}
	if b.settle(day, 90, 1); b.spent != 100 {
		t.Errorf("a settlement of yesterday changes today's: %d", b.spent)
	}
}

func TestBudgetIsNotOverdrawnByManyAtOnce(t *testing.T) {
	t.Parallel()
	b := &budget{limit: 10, now: func() time.Time { return time.Unix(0, 0) }}
	var all sync.WaitGroup
	taken := make(chan bool, 40)
	for range 40 {
		all.Go(func() { _, err := b.reserve(1); taken <- err == nil })
	}
	all.Wait()
	close(taken)
	count := 0
	for ok := range taken {
		if ok {
			count++
		}
	}
	if count != 10 {
		t.Errorf("%d of 40 requests at once were let through with a budget of 10", count)
	}
}

func TestClausesEndAtStops(t *testing.T) {
	t.Parallel()
	u := splitUnits("not good, but very cheap. Isn't it", "en")
	if want := []string{"not", "good", "", "but", "very", "cheap", "", "Isn't", "it"}; !slices.Equal(u.list, want) ||
		u.spaceless {
		t.Fatalf("the units are %q, want %q", u.list, want)
	}
	for _, c := range []struct{ from, to, here, first, end int }{
		{0, 9, 1, 0, 2}, {0, 9, 4, 3, 6}, {4, 9, 5, 4, 6}, {-5, 50, 8, 7, 9}, {0, 4, 3, 3, 4},
	} {
		if first, end := u.clause(c.from, c.to, c.here); first != c.first || end != c.end {
			t.Errorf("the clause of %d within %d to %d is %d to %d, want %d to %d", c.here, c.from, c.to, first, end,
				c.first,
				c.end)
		}
	}
	if got := u.join(3, 6); got != "but very cheap" {
		t.Errorf("joined %q", got)
	}
	dense := splitUnits("良い、悪い", "ja")
	if !dense.spaceless || dense.join(0, 2) != "良い" || dense.list[2] != "" {
		t.Errorf("the units of Japanese are %q", dense.list)
	}
}
