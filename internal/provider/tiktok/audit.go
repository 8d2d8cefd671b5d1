package tiktok

import (
	"context"

	"crier/internal/provider"
)

// declarations returns the texts that TikTok requires to be shown to a person who posts (content sharing guidelines).
func declarations() []provider.Declaration {
	const music, branded = "musicUsage", "brandedContent"
	links := map[string]string{music: "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en",
		branded: "https://www.tiktok.com/legal/page/global/bc-policy/en"}
	labels := map[string]string{music: "Music Usage Confirmation", branded: "Branded Content Policy"}
	only := func(all map[string]string) map[string]string { return map[string]string{music: all[music]} }
	return []provider.Declaration{
		{
			Key: "musicUsage", Moment: provider.BeforePosting, Links: only(links), Labels: only(labels),
			When: map[string]any{"tiktokPostMode": modeDirect, keyBrandContent: false},
			Text: "By posting, you agree to TikTok's {musicUsage}.",
		},
		{
			Key: "brandedContent", Moment: provider.BeforePosting, Links: links, Labels: labels,
			When: map[string]any{"tiktokPostMode": modeDirect, keyBrandContent: true},
			Text: "By posting, you agree to TikTok's {brandedContent} and {musicUsage}.",
		},
		{
			Key: "promotional", Moment: provider.BeforePosting, When: map[string]any{keyBrandOrganic: true},
			Text: "Your photo/video will be labeled as 'Promotional content'.",
		},
		{
			Key: "paidPartnership", Moment: provider.BeforePosting, When: map[string]any{keyBrandContent: true},
			Text: "Your photo/video will be labeled as 'Paid partnership'. Branded content cannot be private.",
		},
		{
			Key: "processing", Moment: provider.AfterPosting,
			Text: "It may take a few minutes for the content to process and be visible on your profile.",
		},
	}
}

// Choices reads what the account may do with its next post, and its name and picture: the person who posts has to see
// both.
func (p *Provider) Choices(ctx context.Context, a provider.Account, setting, _ string) (provider.Choices, error) {
	var creator creatorInfo
	if err := p.read(ctx, a, creatorPath, nil, &creator); err != nil {
		return provider.Choices{}, err
	}
	choices := provider.Choices{Face: &provider.Face{DisplayName: creator.Nickname, Handle: creator.Username,
		ImageURL: creator.AvatarURL}}
	if setting == keyPrivacyLevel {
		for _, level := range creator.PrivacyLevels {
			choices.List = append(choices.List, provider.Choice{Value: level, Label: privacyLabels[level]})
		}
		return choices, nil
	}
	off := map[string]bool{keyAllowComment: creator.CommentDisabled, keyAllowDuet: creator.DuetDisabled,
		keyAllowStitch: creator.StitchDisabled}
	choices.List = []provider.Choice{{Value: "false", Label: "Off"}}
	if !off[setting] {
		choices.List = append(choices.List, provider.Choice{Value: "true", Label: "On"})
	}
	return choices, nil
}

// privacyLabels are TikTok's names of the privacy levels.
var privacyLabels = map[string]string{privacyPublic: "Everyone", privacyFriends: "Friends",
	privacyFollowers: "Followers", privacySelf: "Only you"}

// checkDisclosure checks commercial content: a paid partnership is not private, and a post with the disclosure switched
// on says what it discloses.
func checkDisclosure(plan plan, found *provider.Findings) {
	if plan.inbox() {
		return
	}
	path := provider.SettingPath(keyDiscloses)
	switch commercial := plan.BrandContent || plan.BrandOrganic; {
	case plan.Discloses != nil && *plan.Discloses && !commercial:
		found.Reject(path,
			"says that the post promotes something: choose tiktokBrandOrganic, tiktokBrandContent or both")
	case plan.Discloses != nil && !*plan.Discloses && commercial:
		found.Reject(path, "says that the post promotes nothing, but a brand is named")
	}
	if plan.BrandContent && plan.PrivacyLevel == privacySelf {
		found.Reject(provider.SettingPath(keyBrandContent), "a paid partnership cannot be SELF_ONLY")
	}
}
