package facebook

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// noteLinkRefused means that Facebook could not read the linked page before.
const noteLinkRefused = "linkRefused"

// feedPost publishes a text, a link or photos.
func (p *Provider) feedPost(ctx context.Context, a provider.Account, plan plan, st provider.State) (provider.State,
	error) {
	form, err := feedForm(plan, st)
	if err != nil {
		return st, err
	}
	var answer createAnswer
	if err := p.publish(ctx, p.api, a, "/feed", form, &answer); err != nil {
		return afterRefusal(plan, st, provider.AsError(err))
	}
	if answer.ID == "" {
		return st, graph.MissingID("Facebook")
	}
	p.enter(&st, string(answer.ID), p.permalink(answer.Permalink, string(answer.ID)))
	return st, nil
}

func feedForm(plan plan, st provider.State) (url.Values, error) {
	form := url.Values{"published": {"true"}}
	setIf(form, "message", plan.text)
	setIf(form, "text_format_preset_id", plan.BackgroundPresetID)
	if len(plan.media) == 0 {
		setIf(form, "link", plan.link)
	}
	for i := range plan.media {
		id, err := uploadedID(st, i)
		if err != nil {
			return nil, err
		}
		if err := setJSON(form, fmt.Sprintf("attached_media[%d]", i), photoReference{ID: id}); err != nil {
			return nil, err
		}
	}
	return form, addAudience(form, plan)
}

// addAudience adds the place and the audience of the post.
func addAudience(form url.Values, plan plan) error {
	setIf(form, "place", plan.PlaceID)
	if plan.Targeting != nil {
		if err := setJSON(form, "targeting", plan.Targeting.wire()); err != nil {
			return err
		}
	}
	if plan.FeedTargeting != nil {
		return setJSON(form, "feed_targeting", plan.FeedTargeting.wire())
	}
	return nil
}

func uploadedID(st provider.State, index int) (string, error) {
	u := st.Upload(0, index)
	if u == nil || u.Step != stepReady {
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media are not uploaded yet"}
	}
	return u.ID, nil
}

// publish sends a publishing form.
func (p *Provider) publish(ctx context.Context, client graph.Client, a provider.Account, edge string, form url.Values,
	v any) error {
	request := provider.Request{Operation: provider.OpPublish, URL: pagePath(a) + edge, Publishes: true,
		Timeout: p.limits.CommitTimeout}
	return client.Post(ctx, a.Token.Access, request, form, v)
}

// afterRefusal makes rejections retryable, or their outcome unknown: a duplicate after an attempt with an unknown
// outcome suggests that this attempt succeeded, and a linked page may be readable the second time.
func afterRefusal(plan plan, st provider.State, failure *provider.Error) (provider.State, error) {
	switch {
	case failure.Code == provider.CodeDuplicateContent && graph.IsSuspect(st):
		failure.Kind, failure.Code = provider.OutcomeUnknown, provider.CodeOutcomeUnknown
		failure.Message = "Facebook calls the post a duplicate: the earlier attempt seems to have worked"
		st.Note(noteDuplicate, "true")
	case errors.Is(failure, errLink) && st.Data[noteLinkRefused] == "" && plan.link != "":
		failure.Kind = provider.Temporary
		st.Note(noteLinkRefused, "true")
	case failure.Code == provider.CodeMediaRejected && errors.Is(failure, graph.ErrTryAnew):
		failure.Kind = provider.Rejected
	}
	return st, failure
}

// enter records that the post is public.
func (p *Provider) enter(st *provider.State, id, permalink string) {
	graph.Settled(st)
	delete(st.Data, noteDuplicate)
	delete(st.Data, noteLinkRefused)
	delete(st.Secrets, secretUpload)
	st.StopWaiting()
	st.Publish(provider.Published{PlatformPostID: id, Permalink: permalink, PublishedAt: p.now().UTC()}, 1)
	st.RequiresPolling = false
}

// permalink returns Facebook's permalink, which may be a path only, or the URL that works with every id.
func (p *Provider) permalink(told, id string) string {
	switch {
	case told == "":
		return p.consentURL + "/" + id
	case strings.HasPrefix(told, "/"):
		return p.consentURL + told
	}
	return told
}

// photoStory publishes a photo as a story.
func (p *Provider) photoStory(ctx context.Context, a provider.Account, st provider.State) (provider.State, error) {
	photo, err := uploadedID(st, 0)
	if err != nil {
		return st, err
	}
	var answer createAnswer
	if err := p.publish(ctx, p.api, a, "/photo_stories", url.Values{"photo_id": {photo}}, &answer); err != nil {
		return st, err
	}
	if answer.PostID == "" {
		return st, graph.MissingID("Facebook")
	}
	p.enter(&st, string(answer.PostID), "")
	st.Note(noteAfterwards, doPermalink)
	st.RequiresPolling = true
	return st, nil
}

// comment comments on a post, as the Page.
func (p *Provider) comment(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	plan, err := newPlan(c)
	if err != nil {
		return st, err
	}
	form := url.Values{}
	setIf(form, "message", plan.text)
	if len(plan.media) > 0 {
		address, err := plan.media[0].URL(ctx)
		if err != nil {
			return st, unreadable(err)
		}
		form.Set("attachment_url", address)
	}
	request := provider.Request{
		Operation: provider.OpComment, URL: "/" + url.PathEscape(c.Target.PlatformPostID) + "/comments",
		Publishes: true, Timeout: p.limits.CommitTimeout,
	}
	var answer createAnswer
	if err := p.api.Post(ctx, a.Token.Access, request, form, &answer); err != nil {
		return afterRefusal(plan, st, provider.AsError(err))
	}
	if answer.ID == "" {
		return st, graph.MissingID("Facebook")
	}
	p.enter(&st, string(answer.ID), c.Target.Permalink)
	return st, nil
}

// Delete deletes a post, video or comment of the Page.
func (p *Provider) Delete(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	return p.api.Delete(ctx, a.Token.Access, "/"+url.PathEscape(postID))
}
