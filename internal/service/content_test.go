package service

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"crier"
)

func idOf(n string) crier.ID { return crier.ID("018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e" + n) }

func link(address string) crier.Attachment {
	return crier.Attachment{Link: &crier.LinkAttachment{URL: crier.WebURL(address)}}
}

func thread(texts ...string) crier.PostInput {
	t := &crier.ThreadPost{}
	for _, text := range texts {
		t.Posts = append(t.Posts, crier.AtomicPost{Text: text, Attachments: []crier.Attachment{}})
	}
	return crier.PostInput{Thread: t}
}

func TestContentUpdateKeepsOmittedFields(t *testing.T) {
	t.Parallel()
	a, b, c := idOf("01"), idOf("02"), idOf("03")
	plain := crier.PostInput{Atomic: &crier.AtomicPost{Text: "old", Attachments: []crier.Attachment{
		attachmentOf(a, "an owl"), link("https://example.com"), attachmentOf(b, "a bird")}},
		Variants: []crier.PostVariant{{}}}
	many := make([]crier.ID, crier.MaxAttachments)
	for i := range many {
		many[i] = crier.NewID()
	}
	for name, k := range map[string]struct {
		now   crier.PostInput
		in    crier.PostUpdate
		text  string
		alts  string // of the media, then the links
		parts int
		paths string // of issues
	}{
		"nothing": {plain, crier.PostUpdate{}, "old", "an owl|a bird|https://example.com", 1, ""},
		"a text": {plain, crier.PostUpdate{Text: crier.Some("new")}, "new", "an owl|a bird|https://example.com", 1,
			""},
		"other assets": {plain, crier.PostUpdate{AssetIDs: crier.Some([]crier.ID{b, c})}, "old",
			"a bird||https://example.com", 1, ""},
		"no assets": {plain, crier.PostUpdate{AssetIDs: crier.Some([]crier.ID{})}, "old",
			"https://example.com", 1, ""},
		"one asset too many beside a link": {plain, crier.PostUpdate{AssetIDs: crier.Some(many)}, "", "", 1,
			"assetIds"},
		"other content": {plain, crier.PostUpdate{PostInput: crier.Some(thread("1", "2"))}, "1\n\n2",
			"", 2, ""},
		"a text for a thread": {thread("1", "2"), crier.PostUpdate{Text: crier.Some("new")}, "", "", 2,
			"text"},
		"the same text for a thread": {thread("1", "2"), crier.PostUpdate{Text: crier.Some(thread("1", "2").Text())},
			"", "", 2, ""},
		"assets for a thread": {thread("1", "2"), crier.PostUpdate{AssetIDs: crier.Some([]crier.ID{a})}, "", "", 2,
			"assetIds"},
		"a thread is given up": {thread("1", "2"), crier.PostUpdate{PostInput: crier.Null[crier.PostInput]()},
			thread("1", "2").Text(), "", 1, ""},
		"a thread is given up for a text": {thread("1", "2"), crier.PostUpdate{PostInput: crier.Null[crier.PostInput](),
			Text: crier.Some("new"), AssetIDs: crier.Some([]crier.ID{a})}, "new", "", 1, ""},
		"a thread that is too long for one post": {thread(strings.Repeat("x", crier.MaxTextLength), "2"),
			crier.PostUpdate{PostInput: crier.Null[crier.PostInput]()}, "", "", 1, "text"},
		"a thread is given up for too many assets": {thread("1"), crier.PostUpdate{
			PostInput: crier.Null[crier.PostInput](), AssetIDs: crier.Some(slices.Concat(many, []crier.ID{a}))}, "", "",
			1, "assetIds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, err := json.Marshal(k.now)
			if err != nil {
				t.Fatal(err)
			}
			got, issues := updateInput(k.now, k.in)
			var paths []string
			for _, issue := range issues {
				paths = append(paths, strings.Join(issue.Path, "."))
			}
			if strings.Join(paths, " ") != k.paths {
				t.Errorf("the issues are %+v, want %q", issues, k.paths)
			}
			if len(got.Parts()) != k.parts || k.text != "" && got.Text() != k.text {
				t.Errorf("it has %d parts and says %q", len(got.Parts()), got.Text())
			}
			if k.alts != "" && describe(got) != k.alts {
				t.Errorf("the attachments are %q, want %q", describe(got), k.alts)
			}
			if after, err := json.Marshal(k.now); err != nil || string(after) != string(before) {
				t.Errorf("what was there before was changed from %s to %s", before, after)
			}
			if name == "a text" && len(got.Variants) != 1 {
				t.Error("the variants are lost")
			}
		})
	}
}

// describe lists the alternative texts of media, and links.
func describe(in crier.PostInput) string {
	var media, links []string
	for _, part := range in.Parts() {
		for _, a := range part.Attachments {
			switch {
			case a.Media != nil:
				media = append(media, a.Media.AltText)
			case a.Link != nil:
				links = append(links, string(a.Link.URL))
			}
		}
	}
	return strings.Join(append(media, links...), "|")
}

func TestAssetIssueUsesTheRequestsPath(t *testing.T) {
	t.Parallel()
	a := idOf("01")
	part := crier.AtomicPost{Attachments: []crier.Attachment{link("https://example.com"), attachmentOf(a, "")}}
	paths := func(refs [][]assetRef) (all []string) {
		for _, list := range refs {
			for _, ref := range list {
				all = append(all, strings.Join(ref.path, "."))
			}
		}
		return all
	}
	for want, refs := range map[string][][]assetRef{
		"postInput.attachments.1.asset.assetId": contentRefs(crier.PostInput{Atomic: &part}, false),
		"assetIds.1":                            contentRefs(crier.PostInput{Atomic: &part}, true),
		"postInput.posts.1.attachments.1.asset.assetId": contentRefs(crier.PostInput{Thread: &crier.ThreadPost{
			Posts: []crier.AtomicPost{{}, part}}}, false),
		"postPublishActions.firstComment.mediaIds.0": {actionRefs(&crier.PostPublishActions{
			FirstComment: &crier.Comment{MediaIDs: []crier.ID{a}}})},
		"postPublishActions.engagementCommentTrigger.comment.mediaIds.0": {actionRefs(&crier.PostPublishActions{
			EngagementCommentTrigger: &crier.EngagementTrigger{Comment: crier.Comment{MediaIDs: []crier.ID{a}}}})},
		"firstComment.mediaIds.0": {requestRefs(crier.Targets{
			FirstComment: crier.Some(crier.Comment{MediaIDs: []crier.ID{a}})})},
	} {
		if got := strings.Join(paths(refs), " "); got != want {
			t.Errorf("it is at %q, want %q", got, want)
		}
	}
	if refs := actionRefs(nil); refs != nil {
		t.Errorf("without actions there are %v", refs)
	}
}
