package api

import (
	"context"
	"slices"
	"strconv"
	"unicode/utf8"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listPostsInput struct {
	teamPath
	Status          string     `query:"status" maxLength:"1000" doc:"Comma-separated: idea, proposed_render, draft, approved, rejected, archived. Without it, all but archived."`
	DeliveryState   string     `query:"deliveryState" maxLength:"1000" doc:"Comma-separated: unscheduled, scheduled, publishing, published, partially_published, failed, unknown, missed. Posts with a scheduled post in one of these states; unscheduled and partially_published compare the post's own deliveryState."`
	PostType        string     `query:"postType" maxLength:"1000" doc:"Comma-separated: text_post, text_image, text_video, carousel."`
	Provider        string     `query:"provider" maxLength:"1000" doc:"Comma-separated: posts that are, or were, scheduled on one of these networks."`
	SocialAccountID string     `query:"socialAccountId" maxLength:"4000" doc:"Comma-separated ids: posts that are, or were, scheduled on one of these accounts. At most 100."`
	SaveDestination string     `query:"saveDestination" enum:"queue,drafts"`
	TagID           crier.ID   `query:"tagId"`
	AssetID         crier.ID   `query:"assetId" doc:"Posts whose current content uses this asset."`
	Q               string     `query:"q" doc:"Posts with all these words, in any script, in the title, the text or the links. At most 200 characters."`
	ScheduledFrom   crier.Time `query:"scheduledFrom" doc:"The earliest pending time, else the last one, is at or after this."`
	ScheduledTo     crier.Time `query:"scheduledTo" doc:"The earliest pending time, else the last one, is before this."`
	CreatedFrom     crier.Time `query:"createdFrom"`
	CreatedTo       crier.Time `query:"createdTo" doc:"Exclusive."`
	UpdatedSince    crier.Time `query:"updatedSince"`
	Include         string     `query:"include" doc:"scheduledPosts adds the scheduled posts of each post, newest first, at most 100."`
	listQuery

	filter service.PostFilter
}

var listPostsDoc = doc{
	ID: "listPosts", Tag: "Posts", Summary: "List posts", Sorts: service.PostSorts,
	Description: "Filters are combined with AND, the values of one filter with OR. Time ranges are half-open. " +
		"Deleted posts are never listed, archived ones only if `status` includes them. Sorted by `scheduledAt`, " +
		"posts without a time come before all others.",
}

// listedStatuses returns the states that a list can show.
func listedStatuses() []crier.PostStatus {
	return slices.DeleteFunc(crier.PostStatuses(), func(s crier.PostStatus) bool { return s == crier.PostDeleted })
}

func (in *listPostsInput) check(s *Server) []crier.Issue {
	f := &in.filter
	var issues []crier.Issue
	note := func(found []crier.Issue) { issues = append(issues, found...) }
	note(into(&f.Statuses)(enumList("status", in.Status, listedStatuses())))
	note(into(&f.DeliveryStates)(enumList("deliveryState", in.DeliveryState, crier.DeliveryStates())))
	note(into(&f.PostTypes)(enumList("postType", in.PostType, crier.PostTypes())))
	note(into(&f.Providers)(enumList("provider", in.Provider, crier.Providers())))
	note(into(&f.SocialAccountIDs)(idList("socialAccountId", in.SocialAccountID)))
	note(into(&f.WithScheduled)(includes(in.Include)))
	f.SaveDestination, f.TagID, f.AssetID, f.Query = in.SaveDestination, in.TagID, in.AssetID, in.Q
	f.Scheduled.From, f.Scheduled.To = orNil(in.ScheduledFrom), orNil(in.ScheduledTo)
	f.Created.From, f.Created.To = orNil(in.CreatedFrom), orNil(in.CreatedTo)
	f.Updated.From = orNil(in.UpdatedSince)
	note(rangeIssues("scheduledFrom", "scheduledTo", f.Scheduled.From, f.Scheduled.To))
	note(rangeIssues("createdFrom", "createdTo", f.Created.From, f.Created.To))
	if utf8.RuneCountInString(in.Q) > service.MaxQueryLength {
		note([]crier.Issue{crier.At("must be at most "+strconv.Itoa(service.MaxQueryLength)+" characters long", "q")})
	}
	return append(issues, in.open(s, f.ListName(in.TeamID), service.PostSorts)...)
}

func (s *Server) listPosts(ctx context.Context, scope access.TeamScope, in *listPostsInput) (crier.Page[crier.Post],
	error) {
	return s.services.Posts.List(ctx, scope, in.filter, in.page)
}
