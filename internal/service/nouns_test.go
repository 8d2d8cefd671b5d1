package service

import (
	"fmt"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func TestTagRules(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		made, err := o.Tags.Create(ctx, scope, crier.TagCreate{Name: "Launch"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Tags.Create(ctx, scope, crier.TagCreate{Name: "LAUNCH"})
		wantKind(t, err, crier.KindConflict)
		colour := crier.Colour("#112233")
		changed, err := o.Tags.Update(ctx, scope, made.ID,
			crier.TagUpdate{Name: crier.Some(crier.TagName("Release")), Colour: crier.Some(colour)})
		if err != nil || changed.Name != "Release" || changed.Colour != string(colour) {
			t.Errorf("changed to %+v, %v", changed, err)
		}
		page, err := o.Tags.List(ctx, scope, first)
		if err != nil || page.Total != 1 {
			t.Errorf("lists %+v, %v", page, err)
		}
		if _, err := o.Tags.Delete(ctx, scope, made.ID); err != nil {
			t.Fatal(err)
		}
		_, err = o.Tags.Update(ctx, scope, made.ID, crier.TagUpdate{Name: crier.Some(crier.TagName("Gone"))})
		wantKind(t, err, crier.KindNotFound)
	})
}

func TestTagsOfAPostMustBelongToItsTeam(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		tag, err := o.Tags.Create(ctx, scope, crier.TagCreate{Name: "Launch"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := o.Posts.Create(ctx, scope, textOf("hello"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Posts.SetTags(ctx, scope, p.ID, crier.PostTagsUpdate{TagIDs: []crier.ID{crier.NewID()}})
		wantKind(t, err, crier.KindInvalid)
		tagged, err := o.Posts.SetTags(ctx, scope, p.ID, crier.PostTagsUpdate{TagIDs: []crier.ID{tag.ID}})
		if err != nil || len(tagged.UserTags) != 1 || tagged.UserTags[0].ID != tag.ID {
			t.Errorf("tagged %+v, %v", tagged.UserTags, err)
		}
	})
}

func TestSlotRules(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Team(crier.ManageSlots)
		made, err := o.Slots.Create(ctx, scope, crier.SlotCreate{Hour: 9, Minute: 30, DaysOfWeek: []int{5, 1, 5}})
		if err != nil || fmt.Sprint(made.DaysOfWeek) != "[1 5]" {
			t.Fatalf("made %+v, %v", made, err)
		}
		_, err = o.Slots.Create(ctx, scope, crier.SlotCreate{Hour: 9, Minute: 30})
		wantKind(t, err, crier.KindConflict)
		other, err := o.Slots.Create(ctx, scope, crier.SlotCreate{Hour: 18})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Slots.Update(ctx, scope, other.ID,
			crier.SlotUpdate{Hour: crier.Some(9), Minute: crier.Some(30)})
		wantKind(t, err, crier.KindConflict)
		moved, err := o.Slots.Update(ctx, scope, other.ID, crier.SlotUpdate{Hour: crier.Some(19),
			DaysOfWeek: crier.Some([]int{0}), Label: crier.Some("Sunday")})
		if err != nil || moved.Hour != 19 || crier.Text(moved.Label) != "Sunday" {
			t.Errorf("moved to %+v, %v", moved, err)
		}
		grid, err := o.Slots.List(ctx, scope)
		if err != nil || len(grid.Slots) != 2 || grid.UsingDefaults {
			t.Errorf("the grid is %+v, %v", grid, err)
		}
		if _, err := o.Slots.Delete(ctx, scope, made.ID); err != nil {
			t.Fatal(err)
		}
		_, err = o.Slots.Delete(ctx, scope, made.ID)
		wantKind(t, err, crier.KindNotFound)
		zone := crier.Zone("UTC")
		next, err := o.Slots.Next(ctx, scope, NextSlots{Count: 2, Timezone: &zone})
		if err != nil || len(next.Slots) != 2 {
			t.Fatalf("next are %+v, %v", next, err)
		}
		for _, s := range next.Slots { // 2026-11-16 is a Monday
			if s.StartsAt.Weekday() != time.Sunday || s.StartsAt.Hour() != 19 {
				t.Errorf("a slot at %s", s.StartsAt)
			}
		}
	})
}

func TestCalendarShowsWhatIsScheduledAndWhatRecurs(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		weekly := 7
		p := o.f.NewPost("hello")
		o.f.Schedule(p, func(p *store.Publication) {
			p.ScheduledAt, p.Actions.RecurrenceIntervalDays = o.f.After(time.Hour), &weekly
		})
		from, to := o.f.Now, o.f.After(21*24*time.Hour)
		calendar, err := o.Calendars.Get(t.Context(), o.Team(crier.Read), CalendarWindow{From: from, To: to})
		if err != nil {
			t.Fatal(err)
		}
		if len(calendar.Entries) != 3 {
			t.Errorf("shows %d entries, want one and two that recur: %+v", len(calendar.Entries), calendar.Entries)
		}
	})
}

func TestPostStatusRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		steps   []crier.PostStatus
		refused crier.Kind // of the last step; "" is allowed
	}{
		{"a draft is approved", []crier.PostStatus{crier.PostApproved}, ""},
		{"an approved one is drafted again", []crier.PostStatus{crier.PostApproved, crier.PostDraft}, ""},
		{"an archived one comes back as a draft", []crier.PostStatus{crier.PostArchived, crier.PostDraft}, ""},
		{"an archived one is not approved", []crier.PostStatus{crier.PostArchived, crier.PostApproved},
			crier.KindConflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachOffice(t, func(t *testing.T, o office) {
				ctx, scope := t.Context(), o.Team(crier.WritePosts)
				p, err := o.Posts.Create(ctx, scope, textOf("hello"))
				if err != nil {
					t.Fatal(err)
				}
				for i, to := range c.steps {
					p, err = o.Posts.SetStatus(ctx, scope, p.ID, crier.PostStatusUpdate{Status: to})
					if i == len(c.steps)-1 && c.refused != "" {
						wantKind(t, err, c.refused)
						return
					}
					if err != nil || p.Status != to {
						t.Fatalf("moved to %s, %v; want %s", p.Status, err, to)
					}
				}
			})
		})
	}
}

func TestApprovalRequiresPermission(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx := t.Context()
		if _, err := o.Teams.Update(ctx, o.Team(crier.ManageTeams),
			crier.TeamUpdate{RequireApproval: crier.Some(true)}); err != nil {
			t.Fatal(err)
		}
		editor := o.as(t, crier.RoleEditor).Team(crier.WritePosts)
		p, err := o.Posts.Create(ctx, editor, textOf("hello"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Posts.SetStatus(ctx, editor, p.ID, crier.PostStatusUpdate{Status: crier.PostApproved})
		wantKind(t, err, crier.KindForbidden)
		if _, err := o.Posts.SetStatus(ctx, o.Team(crier.WritePosts), p.ID,
			crier.PostStatusUpdate{Status: crier.PostApproved}); err != nil {
			t.Error(err)
		}
	})
}

func TestPostsAreListedFoundAndDeleted(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		p, err := o.Posts.Create(ctx, scope, textOf("the owl flies at night"))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := o.Posts.Update(ctx, scope, p.ID, crier.PostUpdate{Title: crier.Some("Owls"),
			Text: crier.Some("the owl sleeps by day")})
		if err != nil || crier.Text(changed.Title) != "Owls" || changed.ContentPayloadID == p.ContentPayloadID {
			t.Errorf("changed to %+v, %v", changed, err)
		}
		page, err := o.Posts.List(ctx, scope, PostFilter{PostFilter: store.PostFilter{TeamID: o.f.Team.ID}}, first)
		if err != nil || len(page.Data) != 1 {
			t.Errorf("lists %+v, %v", page, err)
		}
		if _, err := o.Posts.Delete(ctx, scope, p.ID, false); err != nil {
			t.Fatal(err)
		}
		_, err = o.Posts.Get(ctx, scope, p.ID, false)
		wantKind(t, err, crier.KindNotFound)
	})
}

func TestPostTypeFollowsFromTheMedia(t *testing.T) {
	t.Parallel()
	image, video, document := medium{}, medium{video: true}, medium{document: true}
	for _, c := range []struct {
		name   string
		given  crier.PostType // "" follows from the media
		parts  [][]medium
		want   crier.PostType
		issues int
	}{
		{"a text", "", [][]medium{{}}, crier.TextPost, 0},
		{"an image", "", [][]medium{{image}}, crier.TextImage, 0},
		{"images", "", [][]medium{{image, image}}, crier.Carousel, 0},
		{"a video", "", [][]medium{{video}}, crier.TextVideo, 0},
		{"a thread has the type of its most demanding part", "", [][]medium{{}, {video}, {image}}, crier.TextVideo, 0},
		{"a video among images", "", [][]medium{{image, video}}, crier.Carousel, 1},
		{"images behind a video", "", [][]medium{{video, image}}, crier.TextVideo, 1},
		{"a document among images", "", [][]medium{{document, image}}, crier.Carousel, 1},
		{"a text with an image", crier.TextPost, [][]medium{{image}}, crier.TextImage, 1},
		{"an image that is a video", crier.TextImage, [][]medium{{video}}, crier.TextVideo, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := inferType(c.parts); got != c.want {
				t.Errorf("inferred %s, want %s", got, c.want)
			}
			var given *crier.PostType
			if c.given != "" {
				given = &c.given
			}
			if issues := wrongMedia(given, c.parts); len(issues) != c.issues {
				t.Errorf("issues %+v, want %d", issues, c.issues)
			}
		})
	}
}
