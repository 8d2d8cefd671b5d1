package service

import (
	"context"
	"fmt"
	"strconv"

	"crier"
	"crier/internal/store"
)

// variantRefs returns the assets of the whole content of a variant, by part, at the places where a request has them.
func variantRefs(in crier.PostInput, variant int) [][]assetRef {
	whole := in.Variant(variant)
	refs := contentRefs(whole, false)
	for i := range refs {
		for j := range refs[i] {
			refs[i][j].path = in.VariantPath(variant, refs[i][j].path)
		}
	}
	return refs
}

// settleVariants completes the types of a post's variants and finds what only stored data can tell: accounts that the
// team does not have, and media that do not go together.
func settleVariants(ctx context.Context, tx *store.Tx, p *store.Post,
	facts map[crier.ID]store.AssetFacts) ([]crier.Issue, error) {
	issues, err := unknownTargets(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	for i := range p.PostInput.Variants {
		v := &p.PostInput.Variants[i]
		v.PostType = p.PostType
		if p.PostInput.OwnMedia(i) {
			media := mediaOf(variantRefs(*p.PostInput, i), facts)
			v.PostType = inferType(media)
			issues = append(issues, wrongMedia(nil, media)...)
		}
	}
	return issues, nil
}

// unknownTargets returns the issues of variants for accounts that the team does not have.
func unknownTargets(ctx context.Context, tx *store.Tx, p *store.Post) ([]crier.Issue, error) {
	var ids []crier.ID
	for _, v := range p.PostInput.Variants {
		if v.SocialAccountID != nil {
			ids = append(ids, *v.SocialAccountID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := tx.AccountNetworks(ctx, p.TeamID, ids)
	if err != nil {
		return nil, err
	}
	var issues []crier.Issue
	for i, v := range p.PostInput.Variants {
		if v.SocialAccountID == nil {
			continue
		}
		if _, ok := known[*v.SocialAccountID]; !ok {
			issues = append(issues, crier.At(fmt.Sprintf("there is no social account %s in this team",
				*v.SocialAccountID), "postInput", "variants", strconv.Itoa(i), "socialAccountId"))
		}
	}
	return issues, nil
}
