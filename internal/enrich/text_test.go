package enrich_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"crier/internal/enrich"
)

// TestLanguageOfShortPosts detects the language of posts of a few words each. Danish and Norwegian posts can be spelled
// the same, so not every one can be detected.
func TestLanguageOfShortPosts(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/posts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	total, misses := 0, []string{}
	for line := range strings.Lines(string(data)) {
		want, text, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !found {
			t.Fatalf("no tab in %q", line)
		}
		total++
		if got := enrich.Text(text).Language; got != want {
			misses = append(misses, want+" taken for "+got+": "+text)
		}
	}
	if len(misses)*100 > total*3 {
		t.Errorf("%d of %d posts missed:\n%s", len(misses), total, strings.Join(misses, "\n"))
	}
}

func TestLanguageIgnoresLinksTagsAndNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Wir haben heute etwas Neues für euch https://example.com/the-best-new-thing-for-you-and-your-friends": "de",
		"Nous avons une surprise pour vous #ThrowbackThursday #MondayMotivation @the_daily_news_and_weather":   "fr",
		"#OnlyTagsHereButTheyAreEnglish": "en",
		"@someone":                       enrich.Undetermined,
		"":                               enrich.Undetermined,
	} {
		if got := enrich.Text(text).Language; got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestHashtagsMentionsAndLinks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule, text               string
		hashtags, mentions, link []string
	}{
		{"tags in lower case, once, in order", "#Sale now! #NEW #sale", []string{"sale", "new"}, nil, nil},
		{"tags of other scripts", "#東京 #Straße #привет #สวัสดี #नमस्ते",
			[]string{"東京", "straße", "привет", "สวัสดี", "नमस्ते"}, nil, nil},
		{"full-width sign and letters", "＃Ｓａｌｅ", []string{"sale"}, nil, nil},
		{"a number is no tag", "#1 and #2026 but #2026goals", []string{"2026goals"}, nil, nil},
		{"a sign inside a word is none", "C#minor R&#D a/#b", nil, nil, nil},
		{"a tag right behind Japanese", "今日は#東京", []string{"東京"}, nil, nil},
		{"a keycap is no tag", "#️⃣ hello", nil, nil, nil},
		{"names without the sign", "Thanks @Alice, @bob_99 and @c.d-e.", nil, []string{"alice", "bob_99", "c.d-e"},
			nil},
		{"a name ends where another script begins", "@userさんありがとう", nil, []string{"user"}, nil},
		{"a name with its server", "@alice@social.example says hi", nil, []string{"alice@social.example"}, nil},
		{"mail addresses are no names", "mail me: first.last@example.com", nil, nil, nil},
		{"links by their domain", "https://www.Example.com/a?b#c HTTP://example.com:8080", nil, nil,
			[]string{"example.com"}},
		{"user names in links are not the domain", "https://good.example@evil.example/x", nil, nil,
			[]string{"evil.example"}},
		{"tags and names inside links are part of them", "https://example.com/#top/@you", nil, nil,
			[]string{"example.com"}},
		{"punctuation after links", "(see https://example.com). Or https://example.org, ok?", nil, nil,
			[]string{"example.com", "example.org"}},
		{"text right behind a link", "https://example.comを見て", nil, nil, []string{"example.com"}},
		{"international domains, either spelling", "https://münchen.example https://xn--mnchen-3ya.example", nil, nil,
			[]string{"münchen.example"}},
		{"links without scheme", "www.example.de bit.ly/3xYz shop.example.com", nil, nil,
			[]string{"example.de", "bit.ly", "shop.example.com"}},
		{"sentences without space are no links", "Great.It works. README.md node.js 3.5km/h", nil, nil, nil},
	} {
		facts := enrich.Text(test.text)
		got := [][]string{facts.Hashtags, facts.Mentions, facts.LinkDomains}
		want := [][]string{list(test.hashtags), list(test.mentions), list(test.link)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", test.rule, test.text, diff)
		}
	}
}

// list converts nil to an empty list: facts have no nil lists, so that they are arrays in JSON.
func list(values []string) []string { return append([]string{}, values...) }

func TestLongOrExcessTagsAreDropped(t *testing.T) {
	t.Parallel()
	if got := enrich.Text("#" + strings.Repeat("x", 101)).Hashtags; len(got) != 0 {
		t.Errorf("kept a tag of %d letters", len(got[0]))
	}
	var many strings.Builder
	for i := range 300 {
		many.WriteString("#tag" + strings.Repeat("x", i%90) + strings.Repeat("y", i/90) + " ")
	}
	if got := enrich.Text(many.String()).Hashtags; len(got) != 100 || got[0] != "tag" {
		t.Errorf("kept %d tags, the first %q", len(got), got[0])
	}
}

func TestSentiment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want enrich.Sentiment
	}{
		{"The office opens at nine on Monday.", enrich.Neutral},
		{"I love this, what a wonderful day!", enrich.Positive},
		{"This is terrible, I am so disappointed", enrich.Negative},
		{"This is not good at all", enrich.Negative},
		{"I don’t love it", enrich.Negative},
		{"That is not bad", enrich.Positive},
		{"No problem", enrich.Positive},
		{"Not today. Great product!", enrich.Positive},
		{"Good food, bad service", enrich.Neutral},
		{"Amazing!!!", enrich.Positive},
		{"Das Ergebnis ist wunderbar, wir freuen uns sehr", enrich.Positive},
		{"Der Service war leider sehr schlecht", enrich.Negative},
		{"Das gefällt mir überhaupt nicht", enrich.Negative},
		{"Das Hotel war gar nicht schlecht", enrich.Positive},
		{"Quelle magnifique journée, merci à tous", enrich.Positive},
		{"C'était vraiment nul, je suis déçue", enrich.Negative},
		{"Ce film n'est pas bon", enrich.Negative},
		{"Estamos muy felices con el resultado", enrich.Positive},
		{"La comida estaba horrible", enrich.Negative},
		{"No me gusta nada este sitio", enrich.Negative},
		{"Adorei o presente, muito obrigada", enrich.Positive},
		{"O atendimento foi péssimo", enrich.Negative},
		{"Una serata bellissima, grazie a tutti", enrich.Positive},
		{"Il servizio è stato pessimo", enrich.Negative},
		{"Wat een geweldige dag, bedankt allemaal", enrich.Positive},
		{"Jag är så glad och tacksam för er alla", enrich.Positive},
		{"Maten var inte god", enrich.Negative},
		{"To był wspaniały wieczór, dziękuję", enrich.Positive},
		{"Bu yemek hiç güzel değil", enrich.Negative},
		{"Всё было прекрасно, спасибо", enrich.Positive},
		{"Мне это совсем не нравится", enrich.Negative},
		{"今日はとても楽しかったです", enrich.Positive},
		{"この店は最悪でした", enrich.Negative},
		{"あまり楽しくない", enrich.Negative},
		{"今天很开心", enrich.Positive},
		{"我不喜欢这个", enrich.Negative},
		{"没有问题", enrich.Positive},
		{"정말 행복해요", enrich.Positive},
		{"기분이 좋지 않아요", enrich.Negative},
		{"شكرا لكم، يوم رائع", enrich.Positive},
		{"תודה רבה, היה נהדר", enrich.Positive},
		{"यह बहुत अच्छा है", enrich.Positive},
		{"यह अच्छा नहीं है", enrich.Negative},
		{"อาหารอร่อยมาก", enrich.Positive},
		{"ไม่ชอบเลย", enrich.Negative},
		{"🎉❤️", enrich.Positive},
		{"😭💔", enrich.Negative},
		{"", enrich.Neutral},
	} {
		if got := enrich.Text(test.text).Sentiment; got != test.want {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestTopicsAreThePhrasesBetweenFunctionWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{}},
		{"We are with you and they are with us", []string{}},
		{"Our new coffee machine is here: the coffee machine of the year.", []string{"coffee machine", "year"}},
		{"Der neue Fahrradladen in der Gartenstraße", []string{"neue fahrradladen", "gartenstraße"}},
		{"東京タワーでコーヒーを飲みました", []string{"東京", "タワー", "コーヒー"}},
		{"我们的新咖啡店在北京开业了", []string{"新咖啡店", "北京开业"}},
		{"서울 카페에서 커피를 마셨어요", []string{"서울 카페에서 커피를", "마셨어요"}},
		{"สวัสดีชาวโลก", []string{}},
		{"#OnlyTags @names https://example.com", []string{}},
	} {
		if diff := cmp.Diff(test.want, enrich.Text(test.text).Topics); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"Hello @you, see https://www.example.com #Now", "東京へ行く #旅", "не хорошо", "http://[::1]:80/", "https://xn--a.b",
		"#\u200c", "@a@b.cd", "\xff#\xff", "not\nnot good",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		facts := enrich.Text(text)
		if facts.Language == "" || len(facts.Topics) > enrich.MaxTopics {
			t.Fatalf("language %q, %d topics", facts.Language, len(facts.Topics))
		}
		if !slices.Contains([]enrich.Sentiment{enrich.Positive, enrich.Neutral, enrich.Negative}, facts.Sentiment) {
			t.Fatalf("sentiment %q", facts.Sentiment)
		}
		for _, values := range [][]string{facts.Hashtags, facts.Mentions, facts.LinkDomains, facts.Topics} {
			if values == nil {
				t.Fatal("a list is nil")
			}
			for _, v := range values {
				if v == "" || !utf8.ValidString(v) || strings.ContainsAny(v, " \n\t") &&
					!slices.Contains(facts.Topics, v) {
					t.Fatalf("bad value %q", v)
				}
			}
		}
	})
}
