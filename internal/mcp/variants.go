package mcp

import (
	"fmt"
	"strings"

	"crier"
)

// variant is published by a network or an account instead of the post's content.
type variant struct {
	Provider        *crier.Provider `json:"provider,omitempty" jsonschema:"the network it is for; either this or socialAccountId"`
	SocialAccountID *crier.ID       `json:"socialAccountId,omitempty" jsonschema:"the account it is for"`
	Text            *string         `json:"text,omitempty" jsonschema:"the text there"`
	Parts           []part          `json:"parts,omitempty" jsonschema:"the parts of a thread there, instead of a text"`
	AssetIDs        *[]crier.ID     `json:"assetIds,omitempty" jsonschema:"the assets there; the post's when absent"`
}

// content returns the variant as the API accepts it.
func (v variant) content() crier.PostVariant {
	out := crier.PostVariant{Provider: v.Provider, SocialAccountID: v.SocialAccountID, Text: v.Text}
	if len(v.Parts) > 0 {
		out.Posts = threadOf(v.Parts).Thread.Posts
	}
	if v.AssetIDs != nil {
		media := attached(*v.AssetIDs)
		out.Attachments = &media
	}
	return out
}

// attached converts assets to attachments.
func attached(assets []crier.ID) []crier.Attachment {
	out := make([]crier.Attachment, len(assets))
	for i, id := range assets {
		out[i] = crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: id}}}
	}
	return out
}

// variantBrief is the short form of a variant.
type variantBrief struct {
	Provider        *crier.Provider `json:"provider,omitempty"`
	SocialAccountID *crier.ID       `json:"socialAccountId,omitempty"`
	Text            *string         `json:"text,omitempty"`
	Parts           []string        `json:"parts,omitempty"`
	AssetIDs        []crier.ID      `json:"assetIds,omitempty"`
	// attachments is how many the variant has of its own; nil when it has the post's.
	attachments *int
}

func briefVariants(p crier.Post) []variantBrief {
	if p.PostInput == nil {
		return nil
	}
	return each(p.PostInput.Variants, func(v crier.PostVariant) variantBrief {
		out := variantBrief{Provider: v.Provider, SocialAccountID: v.SocialAccountID, Text: v.Text}
		if len(v.Posts) > 0 {
			out.Parts = each(v.Posts, func(a crier.AtomicPost) string { return a.Text })
		}
		if v.Attachments != nil {
			count := len(*v.Attachments)
			out.attachments = &count
			for _, a := range *v.Attachments {
				if a.Media != nil {
					out.AssetIDs = append(out.AssetIDs, a.Media.Asset.AssetID)
				}
			}
		}
		return out
	})
}

// target describes the variant's target for a person.
func (v variantBrief) target() string {
	if v.Provider != nil {
		return string(*v.Provider)
	}
	return fmt.Sprintf("account %s", *v.SocialAccountID)
}

// content describes the variant's content for a person.
func (v variantBrief) content() string {
	var parts []string
	if v.Text != nil {
		parts = append(parts, fmt.Sprintf("%q", *v.Text))
	}
	for _, p := range v.Parts {
		parts = append(parts, fmt.Sprintf("%q", p))
	}
	switch {
	case v.attachments == nil:
	case *v.attachments == 0: // that the post's are left out is a change, too
		parts = append(parts, "no media")
	default:
		parts = append(parts, fmt.Sprintf("other media (%d)", *v.attachments))
	}
	return strings.Join(parts, ", ")
}

// versionBrief is the short form of a version of a post's content.
type versionBrief struct {
	ContentPayloadID crier.ID   `json:"contentPayloadId"`
	Version          int        `json:"version"`
	Current          bool       `json:"current,omitempty"`
	Text             string     `json:"text"`
	CreatedAt        crier.Time `json:"createdAt"`
}

func briefVersion(v crier.PostVersion) versionBrief {
	return versionBrief{ContentPayloadID: v.ContentPayloadID, Version: v.Version, Current: v.Current, Text: v.Text,
		CreatedAt: v.CreatedAt}
}
