package publish

import (
	"slices"
	"testing"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestEventsOfVerdicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   store.PublicationKind
		status crier.ScheduledPostStatus
		v      verdict
		want   []crier.EventType
	}{
		"published": {status: crier.Publishing, v: verdict{result: published},
			want: []crier.EventType{crier.ScheduledPostPublished}},
		"failed": {status: crier.Publishing, v: verdict{result: failed},
			want: []crier.EventType{crier.ScheduledPostFailed}},
		"missed": {status: crier.Scheduled, v: verdict{result: missed},
			want: []crier.EventType{crier.ScheduledPostMissed}},
		"canceled by hand": {status: crier.Scheduled, v: verdict{result: canceled, manual: true},
			want: []crier.EventType{crier.ScheduledPostCanceled}},
		"unclear": {status: crier.Publishing, v: verdict{result: unclear},
			want: []crier.EventType{crier.ScheduledPostUnknown}},
		"resolved as public": {status: crier.Unknown, v: verdict{result: published, manual: true},
			want: []crier.EventType{crier.ScheduledPostResolved, crier.ScheduledPostPublished}},
		"resolved as failed": {status: crier.Unknown, v: verdict{result: failed, manual: true},
			want: []crier.EventType{crier.ScheduledPostResolved, crier.ScheduledPostFailed}},
		"resolved to retry": {status: crier.Unknown, v: verdict{result: revived, manual: true},
			want: []crier.EventType{crier.ScheduledPostResolved}},
		"retried by hand": {status: crier.Failed, v: verdict{result: revived, manual: true},
			want: []crier.EventType{crier.ScheduledPostChanged}},
		"tried again": {status: crier.Publishing, v: verdict{result: retrying},
			want: []crier.EventType{crier.ScheduledPostChanged}},
		"the network works": {status: crier.Publishing, v: verdict{result: accepted},
			want: []crier.EventType{crier.ScheduledPostChanged}},
		"an answer is lost": {status: crier.Publishing, v: verdict{result: lost}},
		"too early":         {status: crier.Scheduled, v: verdict{result: waiting}},
		"an action is done": {kind: store.FirstComment, status: crier.Publishing, v: verdict{result: published},
			want: []crier.EventType{crier.ScheduledPostActionDone}},
		"an action failed": {kind: store.FirstComment, status: crier.Publishing, v: verdict{result: failed},
			want: []crier.EventType{crier.ScheduledPostActionFailed}},
		"an action is retried": {kind: store.FirstComment, status: crier.Publishing, v: verdict{result: retrying}},
	} {
		p := store.Publication{Kind: c.kind, Status: c.status}
		if c.kind == "" {
			p.Kind = store.PostPublication
		}
		after := p
		applyVerdict(&after, provider.State{}, c.v)
		if got := eventTypes(p, after, c.v); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
