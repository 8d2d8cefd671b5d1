package crier

import (
	"fmt"
	"slices"
	"strconv"
)

// target returns the network or account of a variant as a key; empty if it is ambiguous.
func (v PostVariant) target() string {
	switch {
	case v.Provider != nil && v.SocialAccountID != nil:
		return ""
	case v.Provider != nil:
		return "provider " + string(*v.Provider)
	case v.SocialAccountID != nil:
		return "account " + string(*v.SocialAccountID)
	}
	return ""
}

// parts returns the atomic posts of a variant.
func (v PostVariant) parts() []AtomicPost {
	if v.Posts != nil {
		return v.Posts
	}
	part := AtomicPost{}
	if v.Text != nil {
		part.Text = *v.Text
	}
	if v.Attachments != nil {
		part.Attachments = *v.Attachments
	}
	return []AtomicPost{part}
}

// validateVariants returns the issues of the variants of a post by themselves.
func (p *PostInput) validateVariants() []Issue {
	if p == nil {
		return nil
	}
	var issues []Issue
	seen := map[string]int{}
	for i, v := range p.Variants {
		path := []string{"postInput", "variants", strconv.Itoa(i)}
		target := v.target()
		first, twice := seen[target]
		switch {
		case target == "":
			issues = append(issues, At("is for a network or an account: give provider or socialAccountId, and not both",
				path...))
		case twice:
			field := "provider"
			if v.SocialAccountID != nil {
				field = "socialAccountId"
			}
			issues = append(issues, At(fmt.Sprintf("is the same as that of variant %d; each network and account may "+
				"have one", first), append(path, field)...))
		default:
			seen[target] = i
		}
		if problem, field := p.variantProblem(v); problem != "" {
			issues = append(issues, At(problem, append(slices.Clone(path), field...)...))
		}
	}
	return issues
}

// variantProblem describes why the content of a variant is invalid, and in which field.
func (p *PostInput) variantProblem(v PostVariant) (problem string, field []string) {
	switch {
	case v.Text == nil && v.Posts == nil && v.Attachments == nil:
		return "changes nothing: give text, posts or attachments", nil
	case v.Posts != nil && (v.Text != nil || v.Attachments != nil):
		return "is a thread, whose parts have texts and attachments of their own: leave text and attachments out",
			[]string{"posts"}
	case p.Thread != nil && v.Text == nil && v.Posts == nil:
		return "the post is a thread: give posts, or a text that takes the place of all its parts",
			[]string{"attachments"}
	}
	return "", nil
}

// VariantFor returns the index of the variant that an account publishes: its own, else that of its network, or -1 for
// the post itself.
func (p PostInput) VariantFor(network Provider, account ID) int {
	own := slices.IndexFunc(p.Variants, func(v PostVariant) bool {
		return v.SocialAccountID != nil && *v.SocialAccountID == account
	})
	if own >= 0 {
		return own
	}
	return slices.IndexFunc(p.Variants, func(v PostVariant) bool { return v.Provider != nil && *v.Provider == network })
}

// Variant returns the whole content of a variant: absent fields are taken from the post. The variant -1 is the post
// itself.
func (p PostInput) Variant(i int) PostInput {
	if i < 0 || i >= len(p.Variants) {
		return PostInput{Atomic: p.Atomic, Thread: p.Thread}
	}
	v := p.Variants[i]
	if v.Posts != nil {
		return PostInput{Thread: &ThreadPost{Kind: "thread", Posts: v.Posts}}
	}
	whole := AtomicPost{Kind: "atomic", Text: p.Text(), Attachments: p.attachments()}
	if v.Text != nil {
		whole.Text = *v.Text
	}
	if v.Attachments != nil {
		whole.Attachments = *v.Attachments
	}
	return PostInput{Atomic: &whole}
}

// attachments returns the attachments of all parts, each asset once, as far as one post can have them.
func (p PostInput) attachments() []Attachment {
	if p.Atomic != nil {
		return p.Atomic.Attachments
	}
	all := []Attachment{}
	seen := map[ID]bool{}
	for _, part := range p.Parts() {
		for _, a := range part.Attachments {
			if a.Media != nil && seen[a.Media.Asset.AssetID] || len(all) == MaxAttachments {
				continue
			}
			if a.Media != nil {
				seen[a.Media.Asset.AssetID] = true
			}
			all = append(all, a)
		}
	}
	return all
}

// OwnMedia reports whether a variant differs from the post in its media, so that its type is derived from its own.
func (p PostInput) OwnMedia(i int) bool {
	v := p.Variants[i]
	return v.Posts != nil || v.Attachments != nil || p.Thread != nil
}

// VariantPath returns the path in the request for an issue of a variant's whole content.
func (p PostInput) VariantPath(i int, path []string) []string {
	if i < 0 || i >= len(p.Variants) || len(path) < 1 || path[0] != "postInput" {
		return path
	}
	v, inVariant := p.Variants[i], []string{"postInput", "variants", strconv.Itoa(i)}
	if len(path) == 1 {
		return inVariant
	}
	switch path[1] {
	case "posts":
		return append(inVariant, path[1:]...)
	case "text":
		if v.Text == nil {
			return path
		}
		return append(inVariant, path[1:]...)
	case "attachments":
		switch {
		case v.Attachments != nil:
			return append(inVariant, path[1:]...)
		case p.Thread == nil:
			return path
		}
	}
	return inVariant
}

// AllParts returns the atomic posts of the post and of its variants.
func (p PostInput) AllParts() []AtomicPost {
	parts := p.Parts()
	for _, v := range p.Variants {
		parts = append(slices.Clip(parts), v.parts()...)
	}
	return parts
}

// AllAssetIDs returns AssetIDs, followed by those of the variants.
func (p PostInput) AllAssetIDs() []ID {
	if p.isPlainText() {
		return []ID{}
	}
	return assetsOf(p.AllParts())
}
