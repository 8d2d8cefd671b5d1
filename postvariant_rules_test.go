package crier_test

import (
	"slices"
	"strconv"
	"testing"

	"crier"
)

func ptr[T any](v T) *T { return &v }

func TestVariantsAreForOneNetworkOrAccountEach(t *testing.T) {
	t.Parallel()
	const unclear = "is for a network or an account: give provider or socialAccountId, and not both"
	const again = "is the same as that of variant 0; each network and account may have one"
	x, threads, text := crier.ProviderX, crier.ProviderThreads, ptr("T")
	for _, tc := range []struct {
		name     string
		variants []crier.PostVariant
		want     []string
	}{
		{name: "none"},
		{name: "each for another", variants: []crier.PostVariant{{Provider: &x, Text: text},
			{Provider: &threads, Text: text}, {SocialAccountID: ptr(assetA), Text: text},
			{SocialAccountID: ptr(assetB), Text: text}}},
		{name: "for nobody", variants: []crier.PostVariant{{Text: text}},
			want: []string{"postInput.variants.0: " + unclear}},
		{name: "for both", variants: []crier.PostVariant{{Provider: &x, SocialAccountID: ptr(assetA), Text: text}},
			want: []string{"postInput.variants.0: " + unclear}},
		{name: "two for a network", variants: []crier.PostVariant{{Provider: &x, Text: text},
			{Provider: &threads, Text: text}, {Provider: ptr(x), Text: text}},
			want: []string{"postInput.variants.2.provider: " + again}},
		{name: "three for an account", variants: []crier.PostVariant{{SocialAccountID: ptr(assetA), Text: text},
			{SocialAccountID: ptr(assetA), Text: text}, {SocialAccountID: ptr(assetA), Text: text}},
			want: []string{"postInput.variants.1.socialAccountId: " + again,
				"postInput.variants.2.socialAccountId: " + again}},
		{name: "two for nobody are not the same", variants: []crier.PostVariant{{Text: text}, {Text: text}},
			want: []string{"postInput.variants.0: " + unclear, "postInput.variants.1: " + unclear}},
	} {
		in := crier.PostCreate{PostInput: &crier.PostInput{Atomic: &crier.AtomicPost{}, Variants: tc.variants}}
		wantIssues(t, tc.name, in.Validate(noon), tc.want...)
		change := crier.PostUpdate{PostInput: crier.Some(*in.PostInput)}
		wantIssues(t, tc.name+", as a change", change.Validate(noon), tc.want...)
	}
}

func TestVariantsChangeSomethingThatFitsThePost(t *testing.T) {
	t.Parallel()
	atomic, thread := &crier.AtomicPost{}, &crier.ThreadPost{}
	parts, none := []crier.AtomicPost{{Text: "1"}, {Text: "2"}}, &[]crier.Attachment{}
	const threadOwn = "postInput.variants.0.posts: is a thread, whose parts have texts and attachments of their own: " +
		"leave text and attachments out"
	for _, tc := range []struct {
		name    string
		input   crier.PostInput
		variant crier.PostVariant
		want    []string
	}{
		{name: "a text", input: crier.PostInput{Atomic: atomic}, variant: crier.PostVariant{Text: ptr("")}},
		{name: "no attachments", input: crier.PostInput{Atomic: atomic}, variant: crier.PostVariant{Attachments: none}},
		{name: "both", input: crier.PostInput{Atomic: atomic},
			variant: crier.PostVariant{Text: ptr("T"), Attachments: none}},
		{name: "a thread", input: crier.PostInput{Atomic: atomic}, variant: crier.PostVariant{Posts: parts}},
		{name: "nothing", input: crier.PostInput{Atomic: atomic},
			want: []string{"postInput.variants.0: changes nothing: give text, posts or attachments"}},
		{name: "a type alone is nothing", input: crier.PostInput{Atomic: atomic},
			variant: crier.PostVariant{PostType: "carousel"},
			want:    []string{"postInput.variants.0: changes nothing: give text, posts or attachments"}},
		{name: "a thread with a text", input: crier.PostInput{Atomic: atomic},
			variant: crier.PostVariant{Posts: parts, Text: ptr("T")}, want: []string{threadOwn}},
		{name: "a thread with attachments", input: crier.PostInput{Thread: thread},
			variant: crier.PostVariant{Posts: parts, Attachments: none}, want: []string{threadOwn}},
		{name: "a text for a thread", input: crier.PostInput{Thread: thread},
			variant: crier.PostVariant{Text: ptr("T")}},
		{name: "attachments for a thread", input: crier.PostInput{Thread: thread},
			variant: crier.PostVariant{Attachments: none},
			want: []string{"postInput.variants.0.attachments: the post is a " +
				"thread: give posts, or a text that takes the place of all its parts"}},
	} {
		tc.variant.Provider = ptr(crier.ProviderX)
		tc.input.Variants = []crier.PostVariant{tc.variant}
		wantIssues(t, tc.name, crier.PostCreate{PostInput: &tc.input}.Validate(noon), tc.want...)
	}
}

func TestVariantOfAnAccountOutranksThatOfItsNetwork(t *testing.T) {
	t.Parallel()
	input := crier.PostInput{Variants: []crier.PostVariant{
		{Provider: ptr(crier.ProviderX)}, {SocialAccountID: ptr(assetA)}, {Provider: ptr(crier.ProviderThreads)}}}
	for _, tc := range []struct {
		network crier.Provider
		account crier.ID
		want    int
	}{
		{crier.ProviderX, assetB, 0}, {crier.ProviderX, assetA, 1}, {crier.ProviderThreads, assetB, 2},
		{crier.ProviderYouTube, assetA, 1}, {crier.ProviderYouTube, assetB, -1}, {"", "", -1},
	} {
		if got := input.VariantFor(tc.network, tc.account); got != tc.want {
			t.Errorf("%s, %s: %d, want %d", tc.network, tc.account, got, tc.want)
		}
	}
	if got := (crier.PostInput{}).VariantFor(crier.ProviderX, assetA); got != -1 {
		t.Errorf("without variants it is %d", got)
	}
}

// TestVariantOfAThreadGathersItsAttachments: one post takes over those of all parts, each asset once, as many as one
// post can have.
func TestVariantOfAThreadGathersItsAttachments(t *testing.T) {
	t.Parallel()
	ids := make([]crier.ID, 15)
	for i := range ids {
		ids[i] = crier.DerivedID(assetA, strconv.Itoa(i))
	}
	thread := crier.PostInput{
		Thread: &crier.ThreadPost{Posts: []crier.AtomicPost{
			{Text: "1", Attachments: append(medias(ids[:8]), link("https://a.example"))},
			{Text: "2", Attachments: append(medias(ids[4:15]), link("https://a.example"), media(ids[0]))},
			{Text: "3", Attachments: []crier.Attachment{link("https://b.example"), link("https://c.example"),
				link("https://d.example"), media(assetC)}},
		}},
		Variants: []crier.PostVariant{{Text: ptr("All")}},
	}
	whole := thread.Variant(0)
	if whole.Thread != nil || whole.Text() != "All" || whole.Variants != nil {
		t.Errorf("it publishes %+v", whole)
	}
	if got := whole.AssetIDs(); !slices.Equal(got, ids) {
		t.Errorf("it has the assets %v", got)
	}
	if got := len(whole.Atomic.Attachments); got != crier.MaxAttachments {
		t.Errorf("it has %d attachments, want %d", got, crier.MaxAttachments)
	}
	if last := whole.Atomic.Attachments[19]; last.Link == nil || last.Link.URL != "https://d.example" {
		t.Errorf("the last one is %+v", last)
	}
	for _, i := range []int{-1, 1, 99} {
		if same := thread.Variant(i); same.Thread != thread.Thread || same.Variants != nil {
			t.Errorf("variant %d is not the post itself", i)
		}
	}
}

func TestVariantWithMediaOfItsOwnHasATypeOfItsOwn(t *testing.T) {
	t.Parallel()
	none := &[]crier.Attachment{}
	variants := []crier.PostVariant{{Text: ptr("T")}, {Attachments: none}, {Posts: []crier.AtomicPost{{}, {}}},
		{Text: ptr("T"), Attachments: none}}
	atomic := crier.PostInput{Atomic: &crier.AtomicPost{}, Variants: variants}
	thread := crier.PostInput{Thread: &crier.ThreadPost{}, Variants: variants}
	for i, want := range []bool{false, true, true, true} {
		if atomic.OwnMedia(i) != want {
			t.Errorf("variant %d of a post has its own media: %t", i, !want)
		}
		if !thread.OwnMedia(i) {
			t.Errorf("variant %d of a thread takes over its media as they are", i)
		}
	}
}

func TestAllPartsAreThoseOfThePostAndItsVariants(t *testing.T) {
	t.Parallel()
	input := crier.PostInput{
		Thread: &crier.ThreadPost{Posts: append(make([]crier.AtomicPost, 0, 9), crier.AtomicPost{Text: "1"},
			crier.AtomicPost{Text: "2"})},
		Variants: []crier.PostVariant{{Text: ptr("v")}, {Posts: []crier.AtomicPost{{Text: "a"}, {Text: "b"}}},
			{Attachments: &[]crier.Attachment{media(assetA)}}},
	}
	var texts []string
	for _, part := range input.AllParts() {
		texts = append(texts, part.Text)
	}
	if want := []string{"1", "2", "v", "a", "b", ""}; !slices.Equal(texts, want) {
		t.Errorf("the parts are %q, want %q", texts, want)
	}
	if spare := input.Thread.Posts[:3]; spare[2].Text != "" {
		t.Errorf("the parts of a variant were written behind those of the post: %+v", spare[2])
	}
}

func TestVariantPathsOfAThreadLeadToItsParts(t *testing.T) {
	t.Parallel()
	input := crier.PostInput{Atomic: &crier.AtomicPost{}, Variants: []crier.PostVariant{
		{Posts: []crier.AtomicPost{{}, {}}}}}
	for _, tc := range []struct {
		variant    int
		path, want []string
	}{
		{0, []string{"postInput", "posts", "1", "text"}, []string{"postInput", "variants", "0", "posts", "1", "text"}},
		{0, []string{"postInput"}, []string{"postInput", "variants", "0"}},
		{0, []string{"postInput", "variants"}, []string{"postInput", "variants", "0"}},
		{0, nil, nil},
		{1, []string{"postInput", "text"}, []string{"postInput", "text"}},
	} {
		if got := input.VariantPath(tc.variant, tc.path); !slices.Equal(got, tc.want) {
			t.Errorf("variant %d, %v: %v, want %v", tc.variant, tc.path, got, tc.want)
		}
	}
}
