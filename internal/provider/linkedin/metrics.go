package linkedin

import (
	"cmp"
	"context"
	"strings"

	"crier/internal/provider"
)

type shareStatistics struct {
	Elements []struct {
		Share   string `json:"share"`
		UGCPost string `json:"ugcPost"`
		Totals  struct {
			UniqueImpressions int64 `json:"uniqueImpressionsCount"`
			Impressions       int64 `json:"impressionCount"`
			Clicks            int64 `json:"clickCount"`
			Likes             int64 `json:"likeCount"`
			Comments          int64 `json:"commentCount"`
			Shares            int64 `json:"shareCount"`
		} `json:"totalShareStatistics"`
	} `json:"elements"`
}

type memberAnalytics struct {
	Elements []struct {
		Count *int64 `json:"count"`
		Value *int64 `json:"value"`
	} `json:"elements"`
}

const ugcPrefix = "urn:li:ugcPost:"

// PostMetrics reads the metrics of posts: many at once for an organization, one post metric by metric for a member.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	metrics := map[string]provider.Metrics{}
	if !isOrganization(a) {
		for _, id := range postIDs {
			m, err := p.memberMetrics(ctx, a, id)
			if err != nil {
				return nil, err
			}
			metrics[id] = m
		}
		return metrics, nil
	}
	var shares, ugcPosts []string
	for _, id := range postIDs {
		if strings.HasPrefix(id, ugcPrefix) {
			ugcPosts = append(ugcPosts, id)
		} else {
			shares = append(shares, id)
		}
	}
	for _, group := range []struct {
		parameter string
		ids       []string
	}{{"shares", shares}, {"ugcPosts", ugcPosts}} {
		if err := p.organizationMetrics(ctx, a, group.parameter, group.ids, metrics); err != nil {
			return nil, err
		}
	}
	return metrics, nil
}

// organizationMetrics reads posts of one kind. Those that nobody saw are not in the response: their metrics are zero.
func (p *Provider) organizationMetrics(ctx context.Context, a provider.Account, parameter string, ids []string,
	metrics map[string]provider.Metrics) error {
	if len(ids) == 0 {
		return nil
	}
	encoded := make([]string, len(ids))
	for i, id := range ids {
		encoded[i] = urn(id)
		metrics[id] = organizationNumbers(0, 0, 0, 0, 0, 0)
	}
	// The brackets and commas of a list must not be encoded.
	path := "/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" +
		urn(a.ProviderAccountID) +
		"&" + parameter + "=List(" + strings.Join(encoded, ",") + ")"
	var statistics shareStatistics
	if err := p.get(ctx, a, path, methodFinder, &statistics); err != nil {
		return err
	}
	for _, e := range statistics.Elements {
		t := e.Totals
		metrics[cmp.Or(e.Share, e.UGCPost)] = organizationNumbers(t.Impressions, t.UniqueImpressions, t.Likes,
			t.Comments, t.Shares, t.Clicks)
	}
	return nil
}

func organizationNumbers(impressions, reach, likes, comments, shares, clicks int64) provider.Metrics {
	return provider.Metrics{Impressions: &impressions, Reach: &reach, Likes: &likes, Comments: &comments,
		Shares: &shares, Clicks: &clicks}
}

// memberMetrics reads the metrics of one post of a member, with one request each.
func (p *Provider) memberMetrics(ctx context.Context, a provider.Account, id string) (provider.Metrics, error) {
	var m provider.Metrics
	entity := "(share:" + urn(id) + ")"
	if strings.HasPrefix(id, ugcPrefix) {
		entity = "(ugc:" + urn(id) + ")"
	}
	for _, query := range []struct {
		name   string
		number **int64
	}{
		{"IMPRESSION", &m.Impressions}, {"MEMBERS_REACHED", &m.Reach}, {"REACTION", &m.Likes}, {"COMMENT", &m.Comments},
		{"RESHARE", &m.Shares}, {"POST_SAVE", &m.Saves}, {"LINK_CLICKS", &m.Clicks},
	} {
		var analytics memberAnalytics
		path := "/rest/memberCreatorPostAnalytics?q=entity&entity=" + entity + "&queryType=" + query.name +
			"&aggregation=TOTAL"
		if err := p.get(ctx, a, path, methodFinder, &analytics); err != nil {
			return provider.Metrics{}, err
		}
		for _, e := range analytics.Elements {
			*query.number = e.Count
			if e.Count == nil {
				*query.number = e.Value
			}
		}
	}
	return m, nil
}
