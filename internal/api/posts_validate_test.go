package api

import (
	"net/http"
	"strings"
	"testing"

	"crier"
)

func TestDryRunOfUnstoredContent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		accounts := []crier.ID{w.account(t, crier.ProviderX), w.account(t, crier.ProviderLinkedIn),
			w.account(t, crier.ProviderTikTok)}
		long := strings.Repeat("word ", 60) // 300 characters
		got := as[crier.ValidationResult](t, w.call(t, http.MethodPost, w.team("/posts/validate"),
			object{"text": long, "socialAccountIds": accounts}).want(t, 200))
		x, linkedin, tiktok := got.Data[0], got.Data[1], got.Data[2]
		if x.OK || x.Error == nil || len(x.Texts) != 1 || x.Texts[0].Max != 280 || x.Texts[0].Unit != "weighted" ||
			x.Texts[0].Count < 299 || x.Texts[0].FoldAt != nil {
			t.Errorf("X: %+v", x)
		}
		if !linkedin.OK || len(linkedin.Texts) != 1 || linkedin.Texts[0].Count != 300 ||
			linkedin.Texts[0].Unit != "utf16" ||
			linkedin.Texts[0].FoldAt == nil || *linkedin.Texts[0].FoldAt != 210 {
			t.Errorf("LinkedIn: %+v", linkedin)
		}
		if tiktok.OK {
			t.Errorf("TikTok takes a text: %+v", tiktok)
		}
		thread := as[crier.ValidationResult](t, w.call(t, http.MethodPost, w.team("/posts/validate"), object{
			"postInput": object{"kind": "thread", "posts": []object{{"kind": "atomic", "text": "One"},
				{"kind": "atomic", "text": "Three"}}},
			"socialAccountIds": accounts[:1], "useNextSlot": true}).want(t, 200))
		if e := thread.Data[0]; !e.OK || len(e.Texts) != 2 || e.Texts[1].Count != 5 || e.Texts[1].Part != 1 ||
			e.CreditCost == 0 || thread.SlotAt == nil {
			t.Errorf("a thread: %+v", thread)
		}
		page := as[crier.Page[crier.Post]](t, w.call(t, http.MethodGet, w.team("/posts"), nil).want(t, 200))
		if page.Total != 0 || w.credits(t).ReservedCredits != 0 {
			t.Error("a dry run wrote something")
		}
		w.call(t, http.MethodPost, w.team("/posts/validate"), object{"text": "x", "socialAccountIds": accounts,
			"assetIds": []crier.ID{crier.NewID()}}).wantError(t, crier.KindInvalid, "there is no asset")
		w.call(t, http.MethodPost, w.team("/posts/validate"), object{"text": "x"}).wantError(t, crier.KindInvalid,
			"socialAccountIds")
	})
}

// A dry run says that approval is missing: of a stored post by the conflict that schedule answers with, and of content
// that is still being written beside everything else.
func TestDryRunsTellThatApprovalIsRequired(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		in := object{"socialAccountIds": []crier.ID{w.account(t, crier.ProviderX)}, "useNextSlot": true}
		unsaved := object{"text": "Hello", "socialAccountIds": in["socialAccountIds"]}
		stored := w.team("/posts/%s/validate", post.ID)
		w.call(t, http.MethodPost, stored, in).want(t, 200)
		if got := as[object](t, w.call(t, http.MethodPost, w.team("/posts/validate"), unsaved).want(t,
			200)); got["approvalRequired"] != nil {
			t.Errorf("without approval: %v", got)
		}
		w.call(t, http.MethodPatch, w.team(""), object{"requireApproval": true}).want(t, 200)
		w.call(t, http.MethodPost, stored, in).wantError(t, crier.KindConflict, "approved posts only")
		got := as[crier.ValidationResult](t, w.call(t, http.MethodPost, w.team("/posts/validate"), unsaved).want(t,
			200))
		if !got.ApprovalRequired || len(got.Data) != 1 || !got.Data[0].OK || len(got.Data[0].Texts) != 1 {
			t.Errorf("with approval: %+v", got)
		}
	})
}

func TestDryRunOfStoredPostsMeasuresTexts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		got := as[crier.ValidationResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/validate", post.ID), object{
			"socialAccountIds": []crier.ID{w.account(t, crier.ProviderX), crier.NewID()}, "useNextSlot": true}).want(t,
			200))
		if e := got.Data[0]; len(e.Texts) != 1 || e.Texts[0].Count != 5 || e.Texts[0].FoldAt != nil {
			t.Errorf("%+v", e)
		}
		if e := got.Data[1]; e.Texts == nil || len(e.Texts) != 0 {
			t.Errorf("an unknown account: %+v", e)
		}
	})
}
