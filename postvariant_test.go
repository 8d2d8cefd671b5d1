package crier

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestVariantsInheritOmittedFields(t *testing.T) {
	t.Parallel()
	const account, other = ID("01900000-0000-7000-8000-000000000001"), ID("01900000-0000-7000-8000-000000000002")
	var thread, atomic PostInput
	for text, into := range map[string]*PostInput{
		`{"kind":"thread","posts":[{"kind":"atomic","text":"A","attachments":[{"kind":"link","url":"https://a.example"}]},
			{"kind":"atomic","text":"B"}],"variants":[{"provider":"linkedin","text":"All"},
			{"socialAccountId":"` + string(account) + `","posts":[{"kind":"atomic","text":"1"},{"kind":"atomic","text":"2"}]}]}`: &thread,
		`{"kind":"atomic","text":"A","attachments":[{"kind":"link","url":"https://a.example"}],
			"variants":[{"provider":"x","text":"Short"},{"provider":"facebook","attachments":[]}]}`: &atomic,
	} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(into)
		var again PostInput
		if err == nil {
			err = json.Unmarshal(written, &again)
		}
		rewritten, _ := json.Marshal(again)
		if err != nil || string(written) != string(rewritten) || len(again.Variants) != 2 {
			t.Errorf("%s becomes %s (%v)", written, rewritten, err)
		}
	}
	for _, c := range []struct {
		input       PostInput
		network     Provider
		account     ID
		text        string
		attachments int
		parts       int
	}{
		{thread, ProviderX, other, "A\n\nB", 1, 2},
		{thread, ProviderLinkedIn, other, "All", 1, 1},
		{thread, ProviderLinkedIn, account, "1\n\n2", 0, 2},
		{atomic, ProviderX, account, "Short", 1, 1},
		{atomic, ProviderFacebook, account, "A", 0, 1},
		{atomic, ProviderThreads, account, "A", 1, 1},
	} {
		whole := c.input.Variant(c.input.VariantFor(c.network, c.account))
		attachments := 0
		for _, part := range whole.Parts() {
			attachments += len(part.Attachments)
		}
		if whole.Text() != c.text || len(whole.Parts()) != c.parts || attachments != c.attachments {
			t.Errorf("%s publishes %q with %d attachments", c.network, whole.Text(), attachments)
		}
	}
}

func TestVariantPathsMatchTheRequest(t *testing.T) {
	t.Parallel()
	text, none := "T", []Attachment{}
	atomic := PostInput{Atomic: &AtomicPost{}, Variants: []PostVariant{{Text: &text}, {Attachments: &none}}}
	thread := PostInput{Thread: &ThreadPost{}, Variants: []PostVariant{{Text: &text}}}
	for _, c := range []struct {
		input      PostInput
		variant    int
		path, want []string
	}{
		{atomic, -1, []string{"postInput", "text"}, []string{"postInput", "text"}},
		{atomic, 0, []string{"postInput", "text"}, []string{"postInput", "variants", "0", "text"}},
		{atomic, 0, []string{"postInput", "attachments", "0"}, []string{"postInput", "attachments", "0"}},
		{atomic, 1, []string{"postInput", "text"}, []string{"postInput", "text"}},
		{atomic, 1, []string{"postInput", "attachments", "0"},
			[]string{"postInput", "variants", "1", "attachments", "0"}},
		{thread, 0, []string{"postInput", "attachments", "0"}, []string{"postInput", "variants", "0"}},
		{thread, 0, []string{"platformSettings", "xPoll"}, []string{"platformSettings", "xPoll"}},
	} {
		if got := c.input.VariantPath(c.variant, c.path); !slices.Equal(got, c.want) {
			t.Errorf("variant %d, %v: %v, want %v", c.variant, c.path, got, c.want)
		}
	}
}
