package provider_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/provider"
)

// plain is a network that can only post.
type plain struct {
	provider.Defaults
	info provider.Info
}

func (p plain) Info() provider.Info { return p.info }

func (p plain) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

func (p plain) Commit(_ context.Context, _ provider.Account, _ provider.Content, st provider.State) (provider.State,
	error) {
	return st, nil
}

func plainInfo(name string, settings ...provider.Setting) provider.Info {
	return provider.Info{
		Name: name, CommitTimeout: time.Second, Settings: settings,
		Formats: []provider.Format{{Name: "post", PostTypes: []string{"text_post"}, Text: provider.TextLimit{Max: 10}}},
	}
}

func newRegistry(t *testing.T, providers ...provider.Provider) *provider.Registry {
	t.Helper()
	r, err := provider.NewRegistry(providers...)
	if err != nil {
		t.Fatalf("NewRegistry: %v", err)
	}
	return r
}

func mySettings() []provider.Setting {
	low, high := provider.Between(2, 4)
	return []provider.Setting{
		{Key: "myMode", Type: provider.TypeString, Enum: []string{"a", "b"}},
		{Key: "myName", Type: provider.TypeString, Minimum: low, Maximum: high},
		{Key: "myFlag", Type: provider.TypeBoolean},
		{Key: "myCount", Type: provider.TypeInteger, Minimum: provider.AtLeast(0)},
		{Key: "myRatio", Type: provider.TypeNumber, Maximum: provider.AtMost(1)},
		{Key: "myIds", Type: provider.TypeArray, Maximum: high,
			Items: &provider.Setting{Type: provider.TypeString, Format: provider.FormatDigits}},
		{Key: "myUrl", Type: provider.TypeString, Format: provider.FormatURL},
		{Key: "myTime", Type: provider.TypeString, Format: provider.FormatTime},
		{Key: "myUrn", Type: provider.TypeString, Format: provider.FormatURN},
		{Key: "myCover", Type: provider.TypeString, Format: provider.FormatAsset},
		{Key: "myCard", Type: provider.TypeObject, Fields: []provider.Setting{
			{Key: "title", Type: provider.TypeString, Required: true},
			{Key: "images", Type: provider.TypeArray,
				Items: &provider.Setting{Type: provider.TypeString, Format: provider.FormatAsset}},
		}},
	}
}

func parse(t *testing.T, text string) provider.Settings {
	t.Helper()
	var s provider.Settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettingsAreCheckedAgainstTheirDeclaration(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, plain{info: plainInfo("my", mySettings()...)}, plain{info: plainInfo("other")})
	for _, tc := range []struct{ name, settings, want string }{
		{"all right", `{"myMode":"a","myName":"äöü","myFlag":true,"myCount":3,"myRatio":0.5,"myIds":["1","22"],"myUrl":"https://a.test/b",
			"myTime":"2026-11-15T09:00:00Z","myUrn":"urn:li:person:1","myCover":"0193a5b0-0000-7000-8000-000000000001","myCard":{"title":"t"}}`, ""},
		{"null means not set", `{"myMode":null,"myCard":null}`, ""},
		{"not in the enum", `{"myMode":"c"}`, "p.myMode: must be one of a, b"},
		{"string of the wrong type", `{"myMode":1}`, "p.myMode: must be a string"},
		{"too short", `{"myName":"ä"}`, "p.myName: must be 2 to 4 characters long"},
		{"too long", `{"myName":"äöüßx"}`, "p.myName: must be 2 to 4 characters long"},
		{"flag of the wrong type", `{"myFlag":"true"}`, "p.myFlag: must be true or false"},
		{"no whole number", `{"myCount":1.5}`, "p.myCount: must be a whole number"},
		{"number too small", `{"myCount":-1}`, "p.myCount: must be at least 0"},
		{"number too large", `{"myRatio":1.1}`, "p.myRatio: must be at most 1"},
		{"not a number", `{"myRatio":"1"}`, "p.myRatio: must be a number"},
		{"not a list", `{"myIds":"1"}`, "p.myIds: must be a list"},
		{"too many items, one bad", `{"myIds":["1","2","3","4","x"]}`,
			"p.myIds: must be at most 4 items long; p.myIds.4: must be a number of 1 to 20 digits, as a string"},
		{"null inside a list", `{"myIds":[null]}`, "p.myIds.0: must be a string"},
		{"not an address", `{"myUrl":"ftp://a.test"}`,
			"p.myUrl: must be an http or https address of at most 2048 bytes"},
		{"not a time", `{"myTime":"tomorrow"}`,
			"p.myTime: must be an RFC 3339 time with Z or an offset, such as 2026-11-15T09:00:00Z"},
		{"not a URN", `{"myUrn":"li:person:1"}`,
			"p.myUrn: must be a URN of at most 255 bytes, such as urn:li:organization:2414183"},
		{"not an asset", `{"myCover":"1"}`, "p.myCover: must be the id of an asset"},
		{"not an object", `{"myCard":[]}`, "p.myCard: must be an object"},
		{"missing and unknown members", `{"myCard":{"b":1,"a":1}}`,
			"p.myCard.title: is required; p.myCard.a: is not known here; allowed: title, images; p.myCard.b: is not " +
				"known here; allowed: title, images"},
		{"unknown key of a network", `{"myMod":"a"}`,
			"p.myMod: is not a known setting; allowed: myMode, myName, myFlag, myCount, myRatio, myIds, myUrl, " +
				"myTime, myUrn, myCover, myCard"},
		{"unknown key of nobody", `{"mode":"a"}`,
			"p.mode: is not a known setting; keys begin with the name of a provider: my, other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, issue := range r.CheckSettings(parse(t, tc.settings), "p") {
				got = append(got, strings.Join(issue.Path, ".")+": "+issue.Message)
			}
			if strings.Join(got, "; ") != tc.want {
				t.Errorf("issues %q, want %q", strings.Join(got, "; "), tc.want)
			}
		})
	}
}

func TestAccountSettingsOverrideAndNullRemoves(t *testing.T) {
	t.Parallel()
	my := plain{info: plainInfo("my", mySettings()...)}
	r := newRegistry(t, my, plain{info: plainInfo("other", provider.Setting{Key: "otherFlag",
		Type: provider.TypeBoolean})})
	merged := r.MergeSettings(my, parse(t, `{"myMode":"a","myFlag":true,"myCount":1,"otherFlag":true}`),
		parse(t, `{"myMode":"b","myFlag":null}`))
	if diff := cmp.Diff(parse(t, `{"myMode":"b","myCount":1}`), merged); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	var decoded struct {
		Mode  string `json:"myMode"`
		Count int    `json:"myCount"`
	}
	if err := merged.Decode(&decoded); err != nil || decoded.Mode != "b" || decoded.Count != 1 {
		t.Errorf("Decode = %+v, %v", decoded, err)
	}
}

func TestAssetsInSettingsAreFound(t *testing.T) {
	t.Parallel()
	const one, two = crier.ID("0193a5b0-0000-7000-8000-000000000001"), crier.ID("0193a5b0-0000-7000-8000-000000000002")
	settings := parse(t, `{"myCover":"`+string(one)+`","myCard":{"title":"t","images":["`+strings.ToUpper(string(two))+`"]},"myMode":"a"}`)
	want := map[crier.ID][]string{one: {"myCover"}, two: {"myCard", "images", "0"}}
	if diff := cmp.Diff(want, plainInfo("my", mySettings()...).AssetIDs(settings)); diff != "" {
		t.Errorf("assets (-want +got):\n%s", diff)
	}
}
