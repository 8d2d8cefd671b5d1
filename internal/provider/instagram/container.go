package instagram

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// createContainer creates the container of an item of a carousel, or of the post. It is not public.
func (p *Provider) createContainer(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	media int) (string, error) {
	form, err := containerForm(ctx, c, st, media)
	if err != nil {
		return "", err
	}
	var answer idAnswer
	request := provider.Request{Operation: provider.OpUpload, URL: "/" + url.PathEscape(a.ProviderAccountID) + "/media",
		Timeout: provider.UploadTimeout}
	if err := p.api.Post(ctx, a.Token.Access, request, form, &answer); err != nil {
		return "", err
	}
	if answer.ID == "" {
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "Instagram answered without the id of the container"}
	}
	return string(answer.ID), nil
}

// readContainer reads the status of a container.
func (p *Provider) readContainer(ctx context.Context, a provider.Account, id string) (graph.ContainerStatus, error) {
	var answer containerAnswer
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields=id,status_code,status", &answer)
	return graph.ContainerStatus{Word: answer.StatusCode, Reason: answer.Status}, err
}

func containerForm(ctx context.Context, c provider.Content, st provider.State, media int) (url.Values, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return nil, err
	}
	part := c.Parts[0]
	if media != graph.Whole {
		return itemForm(ctx, part.Media[media], s, media)
	}
	format := formatOf(part, s)
	form := url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(graph.Items(c, st), ",")}}
	if len(part.Media) == 1 {
		if form, err = mediaForm(ctx, part.Media[0], wireType(format), s.UserTags, s.ProductTags); err != nil {
			return nil, err
		}
	}
	if err := disclose(form, s); err != nil {
		return nil, err
	}
	if format == story {
		return form, nil
	}
	setIf(form, "caption", part.TextWithLinks())
	setIf(form, "location_id", s.LocationID)
	if s.IsAIGenerated {
		form.Set("is_ai_generated", "true")
	}
	if err := setJSON(form, "collaborators", s.Collaborators, len(s.Collaborators) > 0); err != nil {
		return nil, err
	}
	if format == reel {
		return form, describeReel(ctx, form, c, s)
	}
	if len(part.Media) == 1 {
		setIf(form, "alt_text", part.Media[0].AltText)
	}
	return form, nil
}

// disclose labels a paid partnership. Instagram sets the label itself if a sponsor is named.
func disclose(form url.Values, s settings) error {
	if s.PaidPartnership || len(s.SponsorIDs) > 0 {
		form.Set("is_paid_partnership", "true")
	}
	var sponsors []json.Number // ids are numbers here
	for _, id := range s.SponsorIDs {
		sponsors = append(sponsors, json.Number(id))
	}
	return setJSON(form, "branded_content_sponsor_ids", sponsors, len(sponsors) > 0)
}

// wireType returns the media type of a post with one media file; a feed image has none.
func wireType(format string) string {
	return map[string]string{reel: "REELS", story: "STORIES"}[format]
}

// itemForm describes an item of a carousel. Items cannot be reels: videos have another type there.
func itemForm(ctx context.Context, m provider.Media, s settings, index int) (url.Values, error) {
	var tags []tagSetting
	for _, tag := range s.UserTags {
		if tag.MediaIndex == index {
			tags = append(tags, tag)
		}
	}
	var products []productSetting
	for _, tag := range s.ProductTags {
		if tag.MediaIndex == index {
			products = append(products, tag)
		}
	}
	wire := ""
	if isVideo(m) {
		wire = "VIDEO"
	}
	form, err := mediaForm(ctx, m, wire, tags, products)
	if err != nil {
		return nil, err
	}
	form.Set("is_carousel_item", "true")
	if !isVideo(m) {
		setIf(form, "alt_text", m.AltText)
	}
	return form, nil
}

// mediaForm describes an image or a video by the URL from which Instagram fetches it.
func mediaForm(ctx context.Context, m provider.Media, wire string, tags []tagSetting,
	products []productSetting) (url.Values, error) {
	address, err := m.URL(ctx)
	if err != nil {
		return nil, noAddress(err)
	}
	form := url.Values{"image_url": {address}}
	if isVideo(m) {
		form = url.Values{"video_url": {address}}
	}
	setIf(form, "media_type", wire)
	var users []userTag
	for _, tag := range tags {
		user := userTag{Username: tag.Username, X: tag.X, Y: tag.Y}
		if isVideo(m) {
			user.X, user.Y = nil, nil
		}
		users = append(users, user)
	}
	if err := setJSON(form, "user_tags", users, len(users) > 0); err != nil {
		return nil, err
	}
	var sold []productTag
	for _, tag := range products {
		product := productTag{ProductID: tag.ProductID, X: tag.X, Y: tag.Y}
		if isVideo(m) {
			product.X, product.Y = nil, nil
		}
		sold = append(sold, product)
	}
	return form, setJSON(form, "product_tags", sold, len(sold) > 0)
}

func noAddress(err error) error {
	return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
		Message: "the media have no address that Instagram could fetch them from", Err: err}
}

// describeReel adds the fields of reels.
func describeReel(ctx context.Context, form url.Values, c provider.Content, s settings) error {
	form.Set("share_to_feed", strconv.FormatBool(on(s.ShareToFeed)))
	setIf(form, "audio_name", s.AudioName)
	cover := s.CoverURL
	if asset, ok := c.Assets[s.CoverMediaID]; ok && s.CoverMediaID != "" {
		if asset.JPEG != nil {
			asset = *asset.JPEG
		}
		address, err := asset.URL(ctx)
		if err != nil {
			return noAddress(err)
		}
		cover = address
	}
	setIf(form, "cover_url", cover)
	if s.ThumbOffsetMs != nil && cover == "" {
		form.Set("thumb_offset", strconv.FormatInt(*s.ThumbOffsetMs, 10))
	}
	if t := s.TrialReel; t != nil && t.Enabled {
		if err := setJSON(form, "trial_params",
			trialParams{GraduationStrategy: cmp.Or(t.GraduationStrategy, "MANUAL")}, true); err != nil {
			return err
		}
	}
	if s.Audio == nil {
		return nil
	}
	return setJSON(form, "audio_configuration", audioConfiguration{AudioID: s.Audio.ID,
		AudioVolume: s.Audio.AudioVolume, VideoVolume: s.Audio.VideoVolume}, true)
}

func setIf(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

// setJSON adds a value as JSON if it is wanted.
func setJSON(form url.Values, name string, value any, wanted bool) error {
	if !wanted {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the post cannot be sent", Err: err}
	}
	form.Set(name, string(data))
	return nil
}
