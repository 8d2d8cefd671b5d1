package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"crier"
)

func postsPath(team crier.ID) string { return teamPath(team) + "/posts" }

func postPath(team, post crier.ID) string { return postsPath(team) + "/" + string(post) }

// PostFilter filters a list of posts; empty fields match everything.
type PostFilter struct {
	ListOptions
	Status           []crier.PostStatus
	DeliveryState    []crier.DeliveryState
	PostType         []crier.PostType
	Provider         []crier.Provider
	SocialAccountIDs []crier.ID
	SaveDestination  string
	TagID            crier.ID
	AssetID          crier.ID
	Q                string
	ScheduledFrom    *crier.Time
	ScheduledTo      *crier.Time
	CreatedFrom      *crier.Time
	CreatedTo        *crier.Time
	UpdatedSince     *crier.Time
	// ScheduledPosts includes all scheduled posts of each post.
	ScheduledPosts bool
}

func (f PostFilter) query() url.Values {
	q := f.ListOptions.query()
	set(q, "status", joined(f.Status))
	set(q, "deliveryState", joined(f.DeliveryState))
	set(q, "postType", joined(f.PostType))
	set(q, "provider", joined(f.Provider))
	set(q, "socialAccountId", joined(f.SocialAccountIDs))
	set(q, "saveDestination", f.SaveDestination)
	set(q, "tagId", string(f.TagID))
	set(q, "assetId", string(f.AssetID))
	set(q, "q", f.Q)
	setTime(q, "scheduledFrom", f.ScheduledFrom)
	setTime(q, "scheduledTo", f.ScheduledTo)
	setTime(q, "createdFrom", f.CreatedFrom)
	setTime(q, "createdTo", f.CreatedTo)
	setTime(q, "updatedSince", f.UpdatedSince)
	if f.ScheduledPosts {
		q.Set("include", string(IncludeScheduledPosts))
	}
	return q
}

func joined[T ~string](list []T) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = string(v)
	}
	return strings.Join(parts, ",")
}

// ListPosts returns a page of a team's posts.
func (c *Client) ListPosts(ctx context.Context, team crier.ID, f PostFilter) (crier.Page[crier.Post], error) {
	return get[crier.Page[crier.Post]](ctx, c, postsPath(team), f.query())
}

// CreatePost creates a post.
func (c *Client) CreatePost(ctx context.Context, team crier.ID, in crier.PostCreate) (crier.Post, error) {
	return change[crier.Post](ctx, c, http.MethodPost, postsPath(team), in)
}

// PostInclude selects additional data of a post.
type PostInclude string

// IncludeScheduledPosts adds the post's scheduled posts, newest first.
const IncludeScheduledPosts PostInclude = "scheduledPosts"

// GetPost returns a post with the included data.
func (c *Client) GetPost(ctx context.Context, team, post crier.ID, include ...PostInclude) (crier.Post, error) {
	q := url.Values{}
	set(q, "include", joined(include))
	return get[crier.Post](ctx, c, postPath(team, post), q)
}

// UpdatePost changes a post.
func (c *Client) UpdatePost(ctx context.Context, team, post crier.ID, in crier.PostUpdate) (crier.Post, error) {
	return change[crier.Post](ctx, c, http.MethodPatch, postPath(team, post), in)
}

// UpdatePostVersion changes a post if its content is still the given version. Otherwise it fails with an error of the
// kind crier.KindPreconditionFailed, whose ContentPayloadID is the current one.
func (c *Client) UpdatePostVersion(ctx context.Context, team, post, contentPayloadID crier.ID,
	in crier.PostUpdate) (crier.Post, error) {
	return changeVersion[crier.Post](ctx, c, http.MethodPatch, postPath(team, post), contentPayloadID, in)
}

// changeVersion makes a change of a post if its content is still the given version.
func changeVersion[T any](ctx context.Context, c *Client, method, path string, contentPayloadID crier.ID,
	in any) (out T, err error) {
	return out, c.send(ctx, request{method: method, path: path, body: in,
		header: http.Header{"If-Match": {crier.MatchVersion(contentPayloadID).String()}}}, &out)
}

// ListPostVersions returns a page of the versions of a post's content.
func (c *Client) ListPostVersions(ctx context.Context, team, post crier.ID, o ListOptions) (
	crier.Page[crier.PostVersion], error) {
	return get[crier.Page[crier.PostVersion]](ctx, c, postPath(team, post)+"/versions", o.query())
}

// GetPostVersion returns a version of a post's content.
func (c *Client) GetPostVersion(ctx context.Context, team, post, contentPayloadID crier.ID) (crier.PostVersion, error) {
	return get[crier.PostVersion](ctx, c, postPath(team, post)+"/versions/"+string(contentPayloadID), nil)
}

// DeletePost deletes a post; fromPlatform also deletes its publications from the networks.
func (c *Client) DeletePost(ctx context.Context, team, post crier.ID, fromPlatform bool) (crier.PostDeletion, error) {
	var out crier.PostDeletion
	q := url.Values{}
	if fromPlatform {
		q.Set("alsoDeleteFromPlatform", "true")
	}
	return out, c.send(ctx, request{method: http.MethodDelete, path: postPath(team, post), query: q}, &out)
}

// MovePostToDraft cancels the scheduled publications and keeps the post.
func (c *Client) MovePostToDraft(ctx context.Context, team, post crier.ID) (crier.Post, error) {
	return change[crier.Post](ctx, c, http.MethodPost, postPath(team, post)+"/move-to-draft", nil)
}

// SetPostStatus changes the status of a post.
func (c *Client) SetPostStatus(ctx context.Context, team, post crier.ID, status crier.PostStatus) (crier.Post, error) {
	return change[crier.Post](ctx, c, http.MethodPost, postPath(team, post)+"/status",
		crier.PostStatusUpdate{Status: status})
}

// SetPostTags replaces the tags of a post.
func (c *Client) SetPostTags(ctx context.Context, team, post crier.ID, tags []crier.ID) (crier.Post, error) {
	return change[crier.Post](ctx, c, http.MethodPut, postPath(team, post)+"/tags", crier.PostTagsUpdate{TagIDs: tags})
}

// ValidatePost validates how a post would be scheduled: errors, warnings and cost per account. It writes nothing.
func (c *Client) ValidatePost(ctx context.Context, team, post crier.ID,
	in crier.ScheduleRequest) (crier.ValidationResult, error) {
	return change[crier.ValidationResult](ctx, c, http.MethodPost, postPath(team, post)+"/validate", in)
}

// ValidateContent validates content that is not stored. It writes nothing.
func (c *Client) ValidateContent(ctx context.Context, team crier.ID,
	in crier.ContentValidation) (crier.ValidationResult, error) {
	return change[crier.ValidationResult](ctx, c, http.MethodPost, postsPath(team)+"/validate", in)
}

// SchedulePost schedules a post on accounts.
func (c *Client) SchedulePost(ctx context.Context, team, post crier.ID, in crier.ScheduleRequest) (crier.ScheduleResult,
	error) {
	return change[crier.ScheduleResult](ctx, c, http.MethodPost, postPath(team, post)+"/schedule", in)
}

// SchedulePostVersion schedules a post if its content is still the given version. Otherwise it fails with an error of
// the kind crier.KindPreconditionFailed, whose ContentPayloadID is the current one.
func (c *Client) SchedulePostVersion(ctx context.Context, team, post, contentPayloadID crier.ID,
	in crier.ScheduleRequest) (crier.ScheduleResult, error) {
	return changeVersion[crier.ScheduleResult](ctx, c, http.MethodPost, postPath(team, post)+"/schedule",
		contentPayloadID, in)
}

// PostNow publishes a post at once.
func (c *Client) PostNow(ctx context.Context, team, post crier.ID, in crier.PostNowRequest) (crier.ScheduleResult,
	error) {
	return change[crier.ScheduleResult](ctx, c, http.MethodPost, postPath(team, post)+"/post-now", in)
}

// PostNowVersion publishes a post at once if its content is still the given version. Otherwise it fails like
// SchedulePostVersion.
func (c *Client) PostNowVersion(ctx context.Context, team, post, contentPayloadID crier.ID,
	in crier.PostNowRequest) (crier.ScheduleResult, error) {
	return changeVersion[crier.ScheduleResult](ctx, c, http.MethodPost, postPath(team, post)+"/post-now",
		contentPayloadID, in)
}

// PostMetrics returns the metrics of a post.
func (c *Client) PostMetrics(ctx context.Context, team, post crier.ID) (crier.PostMetrics, error) {
	return get[crier.PostMetrics](ctx, c, postPath(team, post)+"/metrics", nil)
}

// Facets counts a team's posts by property; no fields means all.
func (c *Client) Facets(ctx context.Context, team crier.ID, fields ...crier.FacetField) (crier.Facets, error) {
	q := url.Values{}
	set(q, "fields", joined(fields))
	return get[crier.Facets](ctx, c, postsPath(team)+"/facets/enrichment", q)
}

// CalendarInclude selects additional entries of a calendar.
type CalendarInclude string

// IncludeCanceled adds canceled publications.
const IncludeCanceled CalendarInclude = "canceled"

// Calendar returns the publications of a period; an empty timezone means the team's.
func (c *Client) Calendar(ctx context.Context, team crier.ID, from, to crier.Time, timezone string,
	include ...CalendarInclude) (crier.Calendar, error) {
	q := url.Values{"from": {from.String()}, "to": {to.String()}}
	set(q, "timezone", timezone)
	set(q, "include", joined(include))
	return get[crier.Calendar](ctx, c, teamPath(team)+"/calendar", q)
}
