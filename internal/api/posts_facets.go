package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getFacetsInput struct {
	teamPath
	Fields string `query:"fields" maxLength:"1000" doc:"Comma-separated: language, hashtags, mentions, linkDomains, topics, sentiment, assetTags, userTags, postType. Omit it for all."`

	fields []crier.FacetField
}

var getFacetsDoc = doc{
	ID: "getPostEnrichmentFacets", Tag: "Posts", Summary: "Get enrichment facets",
	Description: "Exact counts of the posts that are not deleted, the most frequent values first, at most 100 a " +
		"field. Fields are in the requested order. `language`, `hashtags`, `mentions`, `linkDomains`, `topics` " +
		"and `sentiment` are computed in the background, shortly after a post changes.",
}

func (in *getFacetsInput) check(*Server) (issues []crier.Issue) {
	in.fields, issues = enumList("fields", in.Fields, crier.FacetFields())
	return issues
}

func (s *Server) getFacets(ctx context.Context, scope access.TeamScope, in *getFacetsInput) (crier.Facets, error) {
	return s.services.Facets.Get(ctx, scope, in.fields)
}
