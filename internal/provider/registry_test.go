package provider_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"crier/internal/provider"
)

// limitedNetwork is a network with limited accounts, and with prices.
type limitedNetwork struct {
	plain
	account provider.Info
}

func (n limitedNetwork) InfoFor(provider.Account) provider.Info { return n.account }

func (limitedNetwork) Cost(c provider.Content) []int64 { return []int64{int64(len(c.Parts)) * 10} }

func TestCapabilitiesListUnavailableSettings(t *testing.T) {
	t.Parallel()
	setting := func(key string, enum ...string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeString, Enum: enum}
	}
	account := plainInfo("my", setting("myPrivacy", "private"), setting("myMode", "a", "b"))
	account.Formats = append(account.Formats, provider.Format{Name: "photo",
		PostTypes: []string{"text_image", "text_post"}})
	p := limitedNetwork{plain: plain{info: plainInfo("my", setting("myPrivacy", "public", "private"),
		setting("myMode", "a", "b"), setting("myCover"))}, account: account}
	r := newRegistry(t, p)
	c := r.Capabilities(p, provider.Account{})
	if !slices.Equal(c.Unavailable, []string{"myCover"}) || len(c.Settings) != 1 || c.Settings[0].Key != "myPrivacy" ||
		!slices.Equal(c.Settings[0].Enum, []string{"private"}) {
		t.Errorf("capabilities %+v", c)
	}
	if !slices.Equal(c.PostTypes, []string{"text_post", "text_image"}) || len(c.Formats) != 2 {
		t.Errorf("types %v, formats %v", c.PostTypes, c.Formats)
	}
	data, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(data), `"unavailableSettings":["myCover"]`) ||
		strings.Contains(string(data), `"comment"`) {
		t.Errorf("encoded as %s, %v", data, err)
	}
	if cost := r.Cost(p, provider.Content{Parts: make([]provider.Part, 3)}); !slices.Equal(cost, []int64{30}) {
		t.Errorf("cost %v", cost)
	}
	unlimited := plain{info: plainInfo("wide", provider.Setting{Key: "wideMode"})}
	other := newRegistry(t, unlimited)
	if c := other.Capabilities(unlimited, provider.Account{}); c.Settings != nil || c.Unavailable != nil {
		t.Errorf("an account without limits has the capabilities %+v", c)
	}
	if cost := other.Cost(unlimited, provider.Content{}); !slices.Equal(cost, []int64{0}) {
		t.Errorf("cost without parts: %v", cost)
	}
}

func TestRegistryReturnsCopies(t *testing.T) {
	t.Parallel()
	a, b := plain{info: plainInfo("b")}, plain{info: plainInfo("a")}
	r := newRegistry(t, a, b)
	if !slices.Equal(r.Names(), []string{"b", "a"}) {
		t.Errorf("names %v", r.Names())
	}
	r.All()[0] = nil
	if all := r.All(); len(all) != 2 || all[0] == nil {
		t.Errorf("the list was changed from outside: %v", all)
	}
	if none := newRegistry(t); len(none.All()) != 0 || len(none.Names()) != 0 {
		t.Error("an empty registry has providers")
	}
}

// meter is a network with metrics.
type meter struct{ plain }

func (meter) PostMetrics(context.Context, provider.Account, []string) (map[string]provider.Metrics, error) {
	return nil, nil
}

func TestRegistryRejectsIncompleteDeclarations(t *testing.T) {
	t.Parallel()
	with := func(change func(*provider.Info)) provider.Info {
		info := plainInfo("my")
		change(&info)
		return info
	}
	limit := func(l provider.RateLimit) func(*provider.Info) {
		return func(i *provider.Info) { i.RateLimits = []provider.RateLimit{l} }
	}
	for _, tc := range []struct {
		name string
		p    provider.Provider
		want string
	}{
		{"no formats", plain{info: with(func(i *provider.Info) { i.Formats = nil })},
			`provider "my": name, formats and commit timeout are needed`},
		{"no timeout", plain{info: with(func(i *provider.Info) { i.CommitTimeout = 0 })},
			`provider "my": name, formats and commit timeout are needed`},
		{"a format of comments alone", plain{info: with(func(i *provider.Info) { i.Comment = &provider.Format{} })},
			`provider "my": a comment ability and a comment format belong together`},
		{"a meter without a batch", meter{plain{info: with(func(i *provider.Info) { i.Abilities.PostMetrics = true })}},
			`provider "my": a meter needs a batch size`},
		{"choices of nobody", plain{info: with(func(i *provider.Info) {
			i.Settings = []provider.Setting{{Key: "myBoard", Choices: true}}
		})}, `provider "my": ability choices: declared true, implemented false`},
		{"a zone that does not exist",
			plain{info: with(limit(provider.RateLimit{Name: "posts", ResetZone: "Mars/Base"}))},
			`provider "my": rate limit "posts": zone, amount and time are needed`},
		{"a counted limit of nothing",
			plain{info: with(limit(provider.RateLimit{Name: "posts", Counted: true, Seconds: 1}))},
			`provider "my": rate limit "posts": zone, amount and time are needed`},
		{"a counted limit without a time",
			plain{info: with(limit(provider.RateLimit{Name: "posts", Counted: true, Max: 1}))},
			`provider "my": rate limit "posts": zone, amount and time are needed`},
		{"a setting that is the prefix", plain{info: plainInfo("my", provider.Setting{Key: "my"})},
			`provider "my": setting "my" must be the provider's name and a capitalised key`},
	} {
		if _, err := provider.NewRegistry(tc.p); err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
	counted := with(limit(provider.RateLimit{Name: "posts", Counted: true, Max: 1, Seconds: 1,
		ResetZone: "America/Los_Angeles"}))
	if _, err := provider.NewRegistry(plain{info: counted}); err != nil {
		t.Errorf("a complete limit: %v", err)
	}
}

func TestUnknownSettingsAreExplained(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, plain{info: plainInfo("my", mySettings()...)}, plain{info: plainInfo("mine")})
	const mine = "is not a known setting; allowed: "
	all := mine + "myMode, myName, myFlag, myCount, myRatio, myIds, myUrl, myTime, myUrn, myCover, myCard"
	const begin = "is not a known setting; keys begin with the name of a provider: my, mine"
	for key, want := range map[string]string{"myColour": all, "mineMode": mine, "mymode": begin, "my": begin,
		"mode": begin, "": begin, "MyMode": begin, "minemode": begin} {
		issues := r.CheckSettings(provider.Settings{key: json.RawMessage("null")}, "platformSettings")
		if len(issues) != 1 || issues[0].Message != want ||
			!slices.Equal(issues[0].Path, []string{"platformSettings", key}) {
			t.Errorf("%q: %v, want %s", key, issues, want)
		}
	}
	if issues := r.CheckSettings(nil); issues != nil {
		t.Errorf("no settings: %v", issues)
	}
}

// TestSettingValuesAreRefusedWithTheirRule tests every type and format, on each side of its bounds.
func TestSettingValuesAreRefusedWithTheirRule(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, plain{info: plainInfo("my", mySettings()...)})
	const digits = "must be a number of 1 to 20 digits, as a string"
	const address = "must be an http or https address of at most 2048 bytes"
	const urn = "must be a URN of at most 255 bytes, such as urn:li:organization:2414183"
	long := strings.Repeat("x", 2048-len("https://a.example/"))
	for _, tc := range []struct{ key, value, want string }{
		{"myMode", `"a"`, ""}, {"myMode", `"A"`, "must be one of a, b"}, {"myMode", `""`, "must be one of a, b"},
		{"myMode", `1`, "must be a string"}, {"myMode", `null`, ""},
		{"myName", `"éé"`, ""}, {"myName", `"é"`, "must be 2 to 4 characters long"}, {"myName", `"🦉🦉🦉🦉"`, ""},
		{"myName", `"12345"`, "must be 2 to 4 characters long"}, {"myName", `["ab"]`, "must be a string"},
		{"myFlag", `true`, ""}, {"myFlag", `"true"`, "must be true or false"}, {"myFlag", `0`, "must be true or false"},
		{"myCount", `0`, ""}, {"myCount", `-1`, "must be at least 0"}, {"myCount", `1.5`, "must be a whole number"},
		{"myCount", `1e3`, "must be a whole number"}, {"myCount", `"7"`, "must be a whole number"},
		{"myCount", `9223372036854775808`, "must be a whole number"},
		{"myRatio", `1`, ""}, {"myRatio", `1.01`, "must be at most 1"}, {"myRatio", `-5`, ""}, {"myRatio", `"1"`, "must be a number"},
		{"myIds", `[]`, ""}, {"myIds", `["1","99999999999999999999"]`, ""}, {"myIds", `{}`, "must be a list"},
		{"myIds", `["1","1","1","1","1"]`, "must be at most 4 items long"},
		{"myUrl", `"https://a.example"`, ""}, {"myUrl", `"ftp://a.example"`, address}, {"myUrl", `"a.example"`, address},
		{"myUrl", `"https://:443/x"`, address}, {"myUrl", `""`, address},
		{"myUrl", `"https://a.example/` + long + `"`, ""}, {"myUrl", `"https://a.example/x` + long + `"`, address},
		{"myTime", `"2026-11-15T09:00:00Z"`, ""},
		{"myTime", `"2026-11-15"`, "must be an RFC 3339 time with Z or an offset, such as 2026-11-15T09:00:00Z"},
		{"myUrn", `"urn:li:organization:2414183"`, ""}, {"myUrn", `"urn:li:"`, urn}, {"myUrn", `"urn:li"`, urn},
		{"myUrn", `"li:organization:7"`, urn}, {"myUrn", `"urn:li:a b"`, urn}, {"myUrn", `"urn:li:` + long[:249] + `"`, urn},
		{"myUrn", `"urn:li:` + long[:248] + `"`, ""},
		{"myCover", `"01900000-0000-7000-8000-00000000000a"`, ""}, {"myCover", `"7"`, "must be the id of an asset"},
		{"myCard", `{"title":"T"}`, ""}, {"myCard", `[]`, "must be an object"}, {"myCard", `"T"`, "must be an object"},
	} {
		issues := r.CheckSettings(provider.Settings{tc.key: json.RawMessage(tc.value)})
		if tc.want == "" && issues != nil || tc.want != "" && (len(issues) != 1 || issues[0].Message != tc.want ||
			!slices.Equal(issues[0].Path, []string{tc.key})) {
			t.Errorf("%s %.60s: %v, want %q", tc.key, tc.value, issues, tc.want)
		}
	}
	for value, want := range map[string][]string{
		`{}`:                              {"myCard.title: is required"},
		`{"title":null}`:                  {"myCard.title: must be a string"},
		`{"title":"T","b":1,"a":2}`:       {"myCard.a: is not known here; allowed: title, images", "myCard.b: is not known here; allowed: title, images"},
		`{"title":7,"images":["1",null]}`: {"myCard.title: must be a string", "myCard.images.0: must be the id of an asset", "myCard.images.1: must be a string"},
		`{"Title":"T"}`:                   {"myCard.title: is required", "myCard.Title: is not known here; allowed: title, images"},
	} {
		var got []string
		for _, issue := range r.CheckSettings(provider.Settings{"myCard": json.RawMessage(value)}) {
			got = append(got, strings.Join(issue.Path, ".")+": "+issue.Message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	for _, value := range []string{`["a"]`, `[""]`, `["-1"]`, `["1.0"]`, `["123456789012345678901"]`} {
		issues := r.CheckSettings(provider.Settings{"myIds": json.RawMessage(value)})
		if len(issues) != 1 || issues[0].Message != digits || !slices.Equal(issues[0].Path, []string{"myIds", "0"}) {
			t.Errorf("%s: %v", value, issues)
		}
	}
}

func TestSettingsDecodeIntoTheirStruct(t *testing.T) {
	t.Parallel()
	var v struct {
		Mode  string   `json:"myMode"`
		Count int      `json:"myCount"`
		IDs   []string `json:"myIds"`
	}
	if err := parse(t, `{"myMode":"a","myCount":7,"myIds":["1"],"myOther":true}`).Decode(&v); err != nil ||
		v.Mode != "a" || v.Count != 7 || !slices.Equal(v.IDs, []string{"1"}) {
		t.Errorf("decoded %+v, %v", v, err)
	}
	if err := parse(t, `{"myCount":"many"}`).Decode(&v); err == nil || !strings.HasPrefix(err.Error(), "decode settings: ") {
		t.Errorf("wrong type: %v", err)
	}
	if err := (provider.Settings{"myMode": json.RawMessage("{")}).Decode(&v); err == nil ||
		!strings.HasPrefix(err.Error(), "encode settings: ") {
		t.Errorf("invalid JSON: %v", err)
	}
	if err := (provider.Settings)(nil).Decode(&v); err != nil {
		t.Errorf("nil: %v", err)
	}
}
