package service

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/enrich"
	"crier/internal/job"
	"crier/internal/store"
)

// TextAnalyser analyzes texts. It always returns a result.
type TextAnalyser interface {
	Text(ctx context.Context, text string) enrich.Analysis
}

// Facets counts the topics, languages and other facets of posts.
type Facets struct {
	store    *store.Store
	log      *slog.Logger
	analyser TextAnalyser // nil means the local one alone
}

// Get returns the counts of the given fields, in their order; of all when none is given.
func (s *Facets) Get(ctx context.Context, scope access.TeamScope, fields []crier.FacetField) (crier.Facets, error) {
	var out crier.Facets
	if err := scope.Check(); err != nil {
		return out, err
	}
	if len(fields) == 0 {
		fields = crier.FacetFields()
	}
	out.Data = make([]crier.Facet, len(fields))
	for i, field := range fields {
		values, err := s.store.TopFacets(ctx, scope.Team().ID, field, crier.MaxFacetValues)
		if err != nil {
			return out, err
		}
		out.Data[i] = crier.Facet{Field: field, Values: values}
	}
	return out, nil
}

// Enrich analyzes a version of a post's content. An outdated version is skipped: its successor has its own job. It is
// called by jobs.
func (s *Facets) Enrich(ctx context.Context, job job.EnrichPost) error {
	payloads, err := s.store.Payloads(ctx, []crier.ID{job.PayloadID})
	if err != nil {
		return err
	}
	payload, ok := payloads[job.PayloadID]
	if !ok {
		return nil
	}
	facets := s.contentFacets(ctx, payload.PostInput)
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		p, err := tx.PostForJob(ctx, job.PostID)
		if err != nil || p == nil || p.ContentPayloadID != job.PayloadID {
			return err
		}
		return tx.ReplaceFacets(ctx, p.TeamID, p.ID, facets)
	})
}

// local reports whether texts are analyzed locally, without a model.
func (s *Facets) local() bool { return s.analyser == nil }

// contentFacets returns the facets of a post's content.
func (s *Facets) contentFacets(ctx context.Context, in crier.PostInput) map[crier.FacetField][]string {
	facets := s.textFacets(ctx, contentText(in))
	facets[crier.FacetLinkDomains] = withDomains(facets[crier.FacetLinkDomains], in)
	return facets
}

// textFacets returns the facets of a text; none for an empty text.
func (s *Facets) textFacets(ctx context.Context, text string) map[crier.FacetField][]string {
	var facts enrich.TextFacts
	if strings.TrimSpace(text) != "" {
		facts = s.analyse(ctx, text)
	}
	return map[crier.FacetField][]string{
		crier.FacetLanguage:    known(facts.Language, enrich.Undetermined),
		crier.FacetHashtags:    facts.Hashtags,
		crier.FacetMentions:    facts.Mentions,
		crier.FacetLinkDomains: facts.LinkDomains,
		crier.FacetTopics:      facts.Topics,
		crier.FacetSentiment:   known(string(facts.Sentiment), ""),
	}
}

// withDomains adds the domains of the attached links to those of the text.
func withDomains(domains []string, input crier.PostInput) []string {
	for _, domain := range enrich.LinkDomains(attachedLinks(input)) {
		if !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	return domains
}

func (s *Facets) analyse(ctx context.Context, text string) enrich.TextFacts {
	if s.analyser == nil {
		return enrich.Text(text)
	}
	analysis := s.analyser.Text(ctx, text)
	if analysis.Fallback != nil && !errors.Is(analysis.Fallback, enrich.ErrBudgetExhausted) {
		s.log.WarnContext(ctx, "the endpoint for enrichment did not help; the local analyser did", "error",
			analysis.Fallback)
	}
	return analysis.TextFacts
}

// known returns a value as a list, empty when it says nothing.
func known(value, nothing string) []string {
	if value == "" || value == nothing {
		return nil
	}
	return []string{value}
}

// retagBatch bounds the posts that one look at the database finds.
const retagBatch = 500

// Retag updates the asset tags of all posts with an asset, after its tags have changed or it was deleted. It is called
// by jobs.
func (s *Facets) Retag(ctx context.Context, job job.RetagPosts) error {
	after := crier.ID("")
	for {
		posts, err := s.store.PostsWithAsset(ctx, job.AssetID, after, retagBatch)
		if err != nil || len(posts) == 0 {
			return err
		}
		for _, id := range posts {
			if err := s.retagPost(ctx, id); err != nil {
				return err
			}
		}
		after = posts[len(posts)-1]
	}
}

func (s *Facets) retagPost(ctx context.Context, id crier.ID) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		p, err := tx.PostForJob(ctx, id)
		if err != nil || p == nil {
			return err
		}
		assets := p.PostInput.AllAssetIDs()
		facts, err := tx.LockAssetFacts(ctx, p.TeamID, assets)
		if err != nil {
			return err
		}
		return tx.ReplaceFacets(ctx, p.TeamID, id,
			map[crier.FacetField][]string{crier.FacetAssetTags: store.TagsOf(assets, facts)})
	})
}
