package threads

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// createContainer creates the container of an item of a carousel, or of the next part. It is not public.
func (p *Provider) createContainer(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	media int) (string, error) {
	form, err := p.containerForm(ctx, c, st, media)
	if err != nil {
		return "", err
	}
	var answer idAnswer
	request := provider.Request{Operation: provider.OpUpload, URL: "/me/threads", Timeout: provider.UploadTimeout}
	if err := p.api.Post(ctx, a.Token.Access, request, form, &answer); err != nil {
		return "", err
	}
	if answer.ID == "" {
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "Threads answered without the id of the container"}
	}
	return string(answer.ID), nil
}

// readContainer reads the status of a container.
func (p *Provider) readContainer(ctx context.Context, a provider.Account, id string) (graph.ContainerStatus, error) {
	var answer containerAnswer
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields=id,status,error_message", &answer)
	if errors.Is(err, graph.ErrUnknownContainer) {
		return graph.ContainerStatus{}, missing(provider.AsError(err))
	}
	return graph.ContainerStatus{Word: answer.Status, Reason: answer.ErrorMessage}, err
}

// missing marks an error as being about an object that Threads does not know.
func missing(e *provider.Error) *provider.Error {
	e.Err = errors.Join(graph.ErrMissing, e.Err)
	return e
}

func (p *Provider) containerForm(ctx context.Context, c provider.Content, st provider.State, media int) (url.Values,
	error) {
	part := c.Parts[st.NextPart()]
	if media != graph.Whole {
		form, err := mediaForm(ctx, part.Media[media])
		form.Set("is_carousel_item", "true")
		return form, err
	}
	s, err := decodeSettings(c)
	if err != nil {
		return nil, err
	}
	form := url.Values{"media_type": {"TEXT"}}
	switch len(part.Media) {
	case 0:
	case 1:
		if form, err = mediaForm(ctx, part.Media[0]); err != nil {
			return nil, err
		}
	default:
		form = url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(graph.Items(c, st), ",")}}
	}
	text, card := compose(part, s.LinkAttachment != "" && isRoot(c, st))
	setIf(form, "text", text)
	setIf(form, "link_attachment", card)
	if s.SpoilerMedia && len(part.Media) > 0 && c.Action == provider.Post {
		form.Set("is_spoiler_media", "true")
	}
	return form, relate(form, c, s, st)
}

// mediaForm describes an image or a video by the URL from which Threads fetches it.
func mediaForm(ctx context.Context, m provider.Media) (url.Values, error) {
	address, err := m.URL(ctx)
	if err != nil {
		return url.Values{}, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media have no address that Threads could fetch them from", Err: err}
	}
	form := url.Values{"media_type": {"IMAGE"}, "image_url": {address}}
	if isVideo(m) {
		form = url.Values{"media_type": {"VIDEO"}, "video_url": {address}}
	}
	setIf(form, "alt_text", m.AltText)
	return form, nil
}

func isVideo(m provider.Media) bool { return strings.HasPrefix(m.MIMEType, "video/") }

// isRoot reports whether the next part is the post that the settings apply to, not a reply to it nor a comment.
func isRoot(c provider.Content, st provider.State) bool {
	return st.NextPart() == 0 && (c.Action == provider.Post || c.Action == "")
}

// relate adds the references to other posts, and the settings that apply to the first part only.
func relate(form url.Values, c provider.Content, s settings, st provider.State) error {
	switch part := st.NextPart(); {
	case part > 0:
		form.Set("reply_to_id", st.Published[part-1].PlatformPostID)
		return nil
	case c.Action == provider.Comment:
		form.Set("reply_to_id", c.Target.PlatformPostID)
		return nil
	case c.Action == provider.Quote:
		form.Set("quote_post_id", c.Target.PlatformPostID)
		return nil
	}
	setIf(form, "reply_to_id", s.ReplyToID)
	setIf(form, "quote_post_id", s.QuotePostID)
	setIf(form, "reply_control", wireReplyControl[s.ReplyControl])
	setIf(form, "topic_tag", s.TopicTag)
	setIf(form, "link_attachment", s.LinkAttachment)
	setIf(form, "allowlisted_country_codes", strings.Join(s.AllowlistedCountryCodes, ","))
	setIf(form, "location_id", s.LocationID)
	flag := func(name string, value bool) {
		if value {
			form.Set(name, strconv.FormatBool(value))
		}
	}
	flag("enable_reply_approvals", s.EnableReplyApprovals)
	flag("is_ghost_post", s.GhostPost)
	flag("crossreshare_to_ig", s.ShareToInstagramStory == "light" || s.ShareToInstagramStory == "dark")
	flag("crossreshare_to_ig_dark_mode", s.ShareToInstagramStory == "dark")
	return attach(form, s)
}

// attach adds the attachments that are sent as JSON.
func attach(form url.Values, s settings) error {
	attachments := map[string]any{}
	if s.Poll != nil {
		options := append(append([]string{}, s.Poll.Options...), "", "", "", "")
		attachments["poll_attachment"] = pollAttachment{A: options[0], B: options[1], C: options[2], D: options[3]}
	}
	if s.GIF != nil {
		attachments["gif_attachment"] = gifAttachment{ID: s.GIF.ID, Provider: cmp.Or(s.GIF.Provider, "GIPHY")}
	}
	if t := s.TextAttachment; t != nil {
		attachment := textAttachment{Plaintext: t.Plaintext, LinkURL: t.LinkURL}
		for _, style := range t.Styles {
			attachment.Styling = append(attachment.Styling,
				textStyle{Offset: style.Offset, Length: style.Length, Styles: style.Styles})
		}
		attachments["text_attachment"] = attachment
	}
	if len(s.TextSpoilers) > 0 {
		var entities []textEntity
		for _, span := range s.TextSpoilers {
			entities = append(entities, textEntity{Type: "SPOILER", Offset: span.Offset, Length: span.Length})
		}
		attachments["text_entities"] = entities
	}
	for name, value := range attachments {
		encoded, err := encode(value)
		if err != nil {
			return err
		}
		form.Set(name, encoded)
	}
	return nil
}

func setIf(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}
