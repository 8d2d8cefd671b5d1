package crier_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

const (
	assetA = crier.ID("01900000-0000-7000-8000-00000000000a")
	assetB = crier.ID("01900000-0000-7000-8000-00000000000b")
	assetC = crier.ID("01900000-0000-7000-8000-00000000000c")
)

// noon is the present of the tests that judge requests.
var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// issueTexts returns the issues as one line each: the path, a colon, the message.
func issueTexts(issues []crier.Issue) []string {
	out := []string{}
	for _, i := range issues {
		out = append(out, strings.Join(i.Path, ".")+": "+i.Message)
	}
	return out
}

func wantIssues(t *testing.T, name string, got []crier.Issue, want ...string) {
	t.Helper()
	if texts := issueTexts(got); !slices.Equal(texts, want) {
		t.Errorf("%s: issues %q, want %q", name, texts, want)
	}
}

func media(id crier.ID) crier.Attachment {
	return crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: id}}}
}

func link(address string) crier.Attachment {
	return crier.Attachment{Link: &crier.LinkAttachment{URL: crier.WebURL(address)}}
}

// TestPostStatusMovesAreThoseDecided has every pair of states, so that a move that nobody decided cannot slip in.
func TestPostStatusMovesAreThoseDecided(t *testing.T) {
	t.Parallel()
	allowed := map[string]bool{
		"idea→draft": true, "idea→proposed_render": true, "idea→archived": true,
		"proposed_render→draft": true, "proposed_render→rejected": true,
		"draft→approved": true, "draft→rejected": true, "draft→idea": true, "draft→archived": true,
		"rejected→draft": true, "rejected→archived": true,
		"approved→draft": true, "approved→archived": true,
		"archived→draft": true,
	}
	moves := 0
	states := append(crier.PostStatuses(), "", "Draft", "published")
	for _, from := range states {
		for _, to := range states {
			move := string(from) + "→" + string(to)
			if from.CanMoveTo(to) != allowed[move] {
				t.Errorf("%s is allowed: %t, want %t", move, !allowed[move], allowed[move])
			}
			if from.CanMoveTo(to) {
				moves++
			}
		}
	}
	if moves != len(allowed) {
		t.Errorf("%d moves are possible, want %d", moves, len(allowed))
	}
}

// TestDeliveryOfFollowsItsRulesInOrder tries every set of states that publications can have together against the rules
// as they are written down.
func TestDeliveryOfFollowsItsRulesInOrder(t *testing.T) {
	t.Parallel()
	states := []crier.ScheduledPostStatus{crier.Scheduled, crier.Publishing, crier.Processing, crier.Published,
		crier.Failed, crier.Missed, crier.Unknown}
	for set := range 1 << len(states) {
		var publications []crier.ScheduledPostStatus
		for i, s := range states {
			if set&(1<<i) != 0 {
				publications = append(publications, s)
			}
		}
		want := deliveryByTheBook(publications)
		if got := crier.DeliveryOf(publications); got != want {
			t.Errorf("%v are %s, want %s", publications, got, want)
		}
		slices.Reverse(publications)
		twice := append(slices.Clone(publications), publications...)
		if got := crier.DeliveryOf(twice); got != want {
			t.Errorf("%v are %s, want %s: neither order nor number count", twice, got, want)
		}
	}
}

func deliveryByTheBook(publications []crier.ScheduledPostStatus) crier.DeliveryState {
	count := map[crier.ScheduledPostStatus]int{}
	for _, p := range publications {
		count[p]++
	}
	rules := []struct {
		holds bool
		state crier.DeliveryState
	}{
		{len(publications) == 0, "unscheduled"},
		{count["publishing"]+count["processing"] > 0, "publishing"},
		{count["unknown"] > 0, "unknown"},
		{count["scheduled"] > 0, "scheduled"},
		{count["published"] == len(publications), "published"},
		{count["published"] > 0, "partially_published"},
		{count["missed"] > 0, "missed"},
		{true, "failed"},
	}
	return rules[slices.IndexFunc(rules, func(r struct {
		holds bool
		state crier.DeliveryState
	}) bool {
		return r.holds
	})].state
}

func TestPostCreateJudgesAssetsAndActionsTogether(t *testing.T) {
	t.Parallel()
	differs := "assetIds: differs from the assets attached in postInput; leave it out, or list the same ones in the " +
		"same order"
	many := make([]crier.ID, crier.MaxAttachments+1)
	for i := range many {
		many[i] = crier.NewID()
	}
	two := &crier.PostInput{Atomic: &crier.AtomicPost{Attachments: []crier.Attachment{media(assetA),
		link("https://a.example"), media(assetB)}}}
	none := &crier.PostInput{Atomic: &crier.AtomicPost{}}
	for name, tc := range map[string]struct {
		in   crier.PostCreate
		want []string
	}{
		"an empty draft":          {in: crier.PostCreate{}},
		"assets alone":            {in: crier.PostCreate{AssetIDs: []crier.ID{assetA}}},
		"as many as there may be": {in: crier.PostCreate{AssetIDs: many[:crier.MaxAttachments]}},
		"one too many": {in: crier.PostCreate{AssetIDs: many},
			want: []string{"assetIds: a post has at most 20 attachments"}},
		"the same in the same order": {in: crier.PostCreate{AssetIDs: []crier.ID{assetA, assetB}, PostInput: two}},
		"no list beside the input":   {in: crier.PostCreate{PostInput: two}},
		"another order": {in: crier.PostCreate{AssetIDs: []crier.ID{assetB, assetA}, PostInput: two},
			want: []string{differs}},
		"one is missing": {in: crier.PostCreate{AssetIDs: []crier.ID{assetA}, PostInput: two},
			want: []string{differs}},
		"an empty list": {in: crier.PostCreate{AssetIDs: []crier.ID{}, PostInput: two},
			want: []string{differs}},
		"an empty list, no media": {in: crier.PostCreate{AssetIDs: []crier.ID{}, PostInput: none}},
		"more than the input has": {in: crier.PostCreate{AssetIDs: []crier.ID{assetC}, PostInput: none},
			want: []string{differs}},
		"many, of a thread": {in: crier.PostCreate{AssetIDs: many,
			PostInput: &crier.PostInput{Thread: &crier.ThreadPost{
				Posts: []crier.AtomicPost{{Attachments: medias(many[:11])}, {Attachments: medias(many[11:])}}}}}},
	} {
		wantIssues(t, name, tc.in.Validate(noon), tc.want...)
	}
}

func medias(ids []crier.ID) []crier.Attachment {
	out := make([]crier.Attachment, len(ids))
	for i, id := range ids {
		out[i] = media(id)
	}
	return out
}

// TestPostUpdateTellsAbsentFromEmpty: a PATCH that leaves assetIds out says nothing about them, an empty list and null
// say that there are none.
func TestPostUpdateTellsAbsentFromEmpty(t *testing.T) {
	t.Parallel()
	const id = `"01900000-0000-7000-8000-00000000000a"`
	const input = `"postInput":{"kind":"atomic","attachments":[{"kind":"media","asset":{"assetId":` + id + `}}]}`
	differs := "assetIds: differs from the assets attached in postInput; leave it out, or list the same ones in the " +
		"same order"
	for body, want := range map[string][]string{
		`{}`:                               nil,
		`{"assetIds":[]}`:                  nil,
		`{"postInput":null}`:               nil,
		`{` + input + `}`:                  nil,
		`{` + input + `,"assetIds":[]}`:    {differs},
		`{` + input + `,"assetIds":null}`:  {differs},
		`{"title":null,"text":""}`:         nil,
		`{"postPublishActions":null}`:      nil,
		`{"postPublishActions":{}}`:        nil,
		`{"postInput":null,"assetIds":[]}`: nil,
		`{` + input + `,"assetIds":[` + id + `],"postPublishActions":{"firstComment":{"text":""}}}`: {
			"postPublishActions.firstComment.text: a comment needs text or media"},
	} {
		var in crier.PostUpdate
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		wantIssues(t, body, in.Validate(noon), want...)
	}
}

func TestPostStatusUpdateRefusesDeletedAlone(t *testing.T) {
	t.Parallel()
	for _, status := range crier.PostStatuses() {
		got := crier.PostStatusUpdate{Status: status}.Validate(noon)
		if status == crier.PostDeleted {
			wantIssues(t, "deleted", got, "status: cannot be deleted: delete the post instead")
			continue
		}
		wantIssues(t, string(status), got)
	}
}

// TestPostWritesWhatTheContractRequires: fields typed T|null are always there, optional ones only when they have a
// value.
func TestPostWritesWhatTheContractRequires(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(crier.Post{AssetIDs: []crier.ID{}, AssetTags: []string{}, UserTags: []crier.TagSummary{}})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"title", "latestScheduledPost"} {
		if string(fields[name]) != "null" {
			t.Errorf("%s is written as %s, want null", name, fields[name])
		}
	}
	for _, name := range []string{"postInput", "postPublishActions", "scheduledPosts"} {
		if raw, there := fields[name]; there {
			t.Errorf("%s is written as %s, want nothing", name, raw)
		}
	}
	for _, name := range []string{"assetIds", "assetTags", "userTags"} {
		if string(fields[name]) != "[]" {
			t.Errorf("%s is written as %s, want an empty list", name, fields[name])
		}
	}
}
