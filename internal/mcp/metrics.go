package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// metricsBrief holds the latest metrics of a publication.
type metricsBrief struct {
	ScheduledPostID crier.ID                   `json:"scheduledPostId"`
	SocialAccountID crier.ID                   `json:"socialAccountId"`
	Provider        crier.Provider             `json:"provider"`
	PublishedAt     crier.Time                 `json:"publishedAt"`
	TakenAt         *crier.Time                `json:"takenAt,omitempty"`
	Metrics         *crier.JSON[crier.Metrics] `json:"metrics,omitempty"`
}

type metricsList struct {
	Data []metricsBrief `json:"data"`
}

func (d *server) addMetricsTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "post_metrics", title: "Get post metrics", effect: reads,
		description: "Returns the latest stored metrics of a post on each account it was published on; free. null " +
			"means that the network does not report the metric, 0 that it reported zero.",
	}, postMetrics)
}

func postMetrics(ctx context.Context, c *call, in postInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.PostMetrics(ctx, team, in.PostID)
	if err != nil {
		return nil, err
	}
	return metricsList{each(found.Data, func(p crier.PublicationMetrics) metricsBrief {
		out := metricsBrief{ScheduledPostID: p.ScheduledPostID, SocialAccountID: p.SocialAccountID,
			Provider: p.Provider, PublishedAt: p.PublishedAt}
		if len(p.Snapshots) > 0 {
			out.TakenAt, out.Metrics = &p.Snapshots[0].TakenAt, &p.Snapshots[0].Metrics
		}
		return out
	})}, nil
}
