package crier_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crier"
)

func TestAttachedAssetOmitsMissingFields(t *testing.T) {
	t.Parallel()
	const id = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
	for name, tc := range map[string]struct {
		asset crier.AttachedAsset
		want  string
	}{
		"an image without alternative text": {
			crier.AttachedAsset{AssetID: id, MimeType: "image/jpeg", ByteSize: 9, Width: 4, Height: 3},
			`{"assetId":"` + id + `","mimeType":"image/jpeg","byteSize":9,"width":4,"height":3}`,
		},
		"a video": {
			crier.AttachedAsset{AssetID: id, MimeType: "video/mp4", ByteSize: 9, Width: 4, Height: 3,
				DurationSeconds: 1.5, ThumbnailURL: "https://crier.test/t", AltText: "An owl."},
			`{"assetId":"` + id + `","mimeType":"video/mp4","byteSize":9,"width":4,"height":3,"durationSeconds":1.5,` +
				`"thumbnailUrl":"https://crier.test/t","altText":"An owl."}`,
		},
	} {
		if got, err := json.Marshal(tc.asset); err != nil || string(got) != tc.want {
			t.Errorf("%s is written as %s, %v", name, got, err)
		}
	}
}

// TestPostInputIsWrittenInItsShape: kinds are always named and attachments always listed, whatever the value in hand
// left out.
func TestPostInputIsWrittenInItsShape(t *testing.T) {
	t.Parallel()
	x, text := crier.ProviderX, "Short"
	for want, input := range map[string]crier.PostInput{
		`null`: {},
		`{"kind":"atomic","text":"","attachments":[]}`:                                               {Atomic: &crier.AtomicPost{}},
		`{"kind":"atomic","text":"A","attachments":[{"kind":"link","url":"https://a.example"}]}`:     {Atomic: &crier.AtomicPost{Text: "A", Attachments: []crier.Attachment{link("https://a.example")}}},
		`{"kind":"atomic","text":"A","attachments":[null]}`:                                          {Atomic: &crier.AtomicPost{Text: "A", Attachments: []crier.Attachment{{}}}},
		`{"kind":"thread","posts":[{"kind":"atomic","text":"1","attachments":[]}]}`:                  {Thread: &crier.ThreadPost{Posts: []crier.AtomicPost{{Kind: "odd", Text: "1"}}}},
		`{"kind":"atomic","text":"A","attachments":[],"variants":[{"provider":"x","text":"Short"}]}`: {Atomic: &crier.AtomicPost{Text: "A"}, Variants: []crier.PostVariant{{Provider: &x, Text: &text}}},
	} {
		if got, err := json.Marshal(input); err != nil || string(got) != want {
			t.Errorf("written as %s, %v; want %s", got, err, want)
		}
	}
}

func TestPostInputSurvivesTheWire(t *testing.T) {
	t.Parallel()
	const id = "01900000-0000-7000-8000-00000000000a"
	for _, text := range []string{
		`{"kind":"atomic","text":"Grüße 🦉\n","attachments":[]}`,
		`{"kind":"atomic","text":"","attachments":[{"kind":"media","asset":{"assetId":"` + id + `","mimeType":"image/png",` +
			`"byteSize":7,"width":1,"height":2},"altText":"An owl."},{"kind":"link","url":"https://a.example","title":"T",` +
			`"description":"D"}]}`,
		`{"kind":"thread","posts":[{"kind":"atomic","text":"1","attachments":[]},{"kind":"atomic","text":"2",` +
			`"attachments":[{"kind":"link","url":"https://b.example"}]}]}`,
		`{"kind":"thread","posts":[{"kind":"atomic","text":"1","attachments":[]}],"variants":[{"socialAccountId":"` + id +
			`","posts":[{"kind":"atomic","text":"a","attachments":[]},{"kind":"atomic","text":"b","attachments":[]}],` +
			`"postType":"text_post"},{"provider":"x","attachments":[]}]}`,
	} {
		var first, second crier.PostInput
		if err := json.Unmarshal([]byte(text), &first); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		written, err := json.Marshal(first)
		if err != nil || string(written) != text {
			t.Errorf("written as %s, %v; want %s", written, err, text)
		}
		if err := json.Unmarshal(written, &second); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("read again as %+v, %v; want %+v", second, err, first)
		}
	}
}

func TestPostInputRefusesOtherShapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                   `postInput has the unknown kind ""`,
		`{"kind":"poll"}`:                      `postInput has the unknown kind "poll"`,
		`{"kind":"Atomic"}`:                    `postInput has the unknown kind "Atomic"`,
		`{"kind":7}`:                           "cannot unmarshal number",
		`"atomic"`:                             "cannot unmarshal string",
		`[]`:                                   "cannot unmarshal array",
		`{"kind":"atomic","text":7}`:           "cannot unmarshal number",
		`{"kind":"thread","posts":"two"}`:      "cannot unmarshal string",
		`{"kind":"atomic","attachments":[{}]}`: `an attachment has the unknown kind ""`,
		`{"kind":"atomic","attachments":[{"kind":"file"}]}`:                                     `an attachment has the unknown kind "file"`,
		`{"kind":"atomic","attachments":["x"]}`:                                                 "cannot unmarshal string",
		`{"kind":"atomic","attachments":[{"kind":"media","asset":{"assetId":"7"}}]}`:            "must be a UUID",
		`{"kind":"thread","posts":[{"kind":"atomic","attachments":[{"kind":"link","url":7}]}]}`: "cannot unmarshal number",
		`{"kind":"atomic","variants":[{"socialAccountId":"me"}]}`:                               "must be a UUID",
	} {
		var got crier.PostInput
		if err := json.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestPostInputForgetsItsOtherShape: a value that is decoded into twice has the shape of the second.
func TestPostInputForgetsItsOtherShape(t *testing.T) {
	t.Parallel()
	var input crier.PostInput
	for _, text := range []string{`{"kind":"atomic","text":"A","variants":[{"provider":"x","text":"S"}]}`,
		`{"kind":"thread","posts":[{"text":"1"},{"text":"2"}]}`} {
		if err := json.Unmarshal([]byte(text), &input); err != nil {
			t.Fatal(err)
		}
	}
	if input.Atomic != nil || input.Variants != nil || input.Text() != "1\n\n2" {
		t.Errorf("it has become %+v", input)
	}
	attachment := link("https://a.example")
	if err := json.Unmarshal([]byte(`{"kind":"media","asset":{"assetId":"`+string(assetA)+`"}}`), &attachment); err != nil ||
		attachment.Link != nil || attachment.Media == nil {
		t.Errorf("the attachment has become %+v, %v", attachment, err)
	}
}

func TestPostInputListsEachAssetOnceInOrder(t *testing.T) {
	t.Parallel()
	own := []crier.Attachment{media(assetC), media(assetA)}
	thread := crier.PostInput{
		Thread: &crier.ThreadPost{Posts: []crier.AtomicPost{
			{Text: "1", Attachments: []crier.Attachment{media(assetB), link("https://a.example")}},
			{Text: "2"},
			{Text: "3", Attachments: []crier.Attachment{media(assetA), media(assetB)}},
		}},
		Variants: []crier.PostVariant{{Attachments: &own}},
	}
	if got := thread.AssetIDs(); !slices.Equal(got, []crier.ID{assetB, assetA}) {
		t.Errorf("its assets are %v", got)
	}
	if got := thread.AllAssetIDs(); !slices.Equal(got, []crier.ID{assetB, assetA, assetC}) {
		t.Errorf("with those of variants they are %v", got)
	}
	if got := thread.Text(); got != "1\n\n2\n\n3" {
		t.Errorf("its text is %q", got)
	}
	for _, empty := range []crier.PostInput{{}, {Atomic: &crier.AtomicPost{}}, {Thread: &crier.ThreadPost{}}} {
		if got := empty.AssetIDs(); got == nil || len(got) != 0 {
			t.Errorf("without media the assets are %#v, want an empty list", got)
		}
		if empty.Text() != "" {
			t.Errorf("without text it is %q", empty.Text())
		}
	}
	if parts := (crier.PostInput{}).Parts(); parts != nil {
		t.Errorf("nothing has the parts %v", parts)
	}
}

func TestShapesAreToldApartByTheirKind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		shaped interface {
			Shapes() (string, map[string]any)
		}
		want map[string]any
	}{
		{crier.PostInput{}, map[string]any{"atomic": crier.AtomicPostInput{}, "thread": crier.ThreadPostInput{}}},
		{crier.Attachment{}, map[string]any{"media": crier.MediaAttachment{}, "link": crier.LinkAttachment{}}},
	} {
		if key, shapes := tc.shaped.Shapes(); key != "kind" || !reflect.DeepEqual(shapes, tc.want) {
			t.Errorf("%T: %s, %v", tc.shaped, key, shapes)
		}
	}
}

// TestPlainTextsAreReadAndWrittenLikeAnyContent compares the short way of contents that are nothing but a text with the
// general one, which spaces force.
func TestPlainTextsAreReadAndWrittenLikeAnyContent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Hello", "Grüße 🦉\n\t\"quoted\" \\ <b>&amp;</b>", "\u2028\x00\x7f", "\xff\xfe",
		`","attachments":[]}`, `","attachments":[{"kind":"link"}],"text":"`, "{}", "null"} {
		general, err := json.Marshal(crier.AtomicPostInput{Kind: "atomic", Text: text,
			Attachments: []crier.Attachment{}})
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(crier.PostInput{Atomic: &crier.AtomicPost{Text: text}})
		if err != nil || string(written) != string(general) {
			t.Errorf("%q: written as %s, %v; want %s", text, written, err, general)
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, stored := range []string{string(general),
			`{"kind": "atomic", "text": ` + string(quoted) + `, "attachments": []}`} { // as PostgreSQL returns it
			equalReading(t, stored)
		}
	}
	for _, stored := range []string{
		`{"kind":"atomic","text":null,"attachments":[]}`, `{"kind":"atomic","text":7,"attachments":[]}`,
		`{"kind":"atomic","text":,"attachments":[]}`, `{"kind":"atomic","text":"a"x,"attachments":[]}`,
		`{"kind":"atomic","text":"a","attachments":[{"kind":"link","url":"https://a.example"}],"attachments":[]}`,
		`{"kind":"atomic","text":"a","variants":[{"provider":"x","text":"b"}],"attachments":[]}`,
		`{"kind":"atomic","text":"a","kind":"thread","posts":[],"attachments":[]}`,
	} {
		equalReading(t, stored)
	}
}

// equalReading reads a content directly and with a leading space, which takes the general way.
func equalReading(t *testing.T, stored string) {
	t.Helper()
	var short, general crier.PostInput
	err, generalErr := short.UnmarshalJSON([]byte(stored)), general.UnmarshalJSON([]byte(" "+stored))
	if (err == nil) != (generalErr == nil) || err == nil && !reflect.DeepEqual(short, general) {
		t.Errorf("%s: read as %+v, %v; the general way gives %+v, %v", stored, short, err, general, generalErr)
	}
}
