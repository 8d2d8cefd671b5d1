package analytics

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// Delivery returns the outcomes of the posts that were due in a window, and how late they were published.
func (s *Analytics) Delivery(ctx context.Context, scope access.TeamScope, q Query) (crier.AnalyticsDelivery, error) {
	var out crier.AnalyticsDelivery
	w, err := s.window(scope, q, defaultDays)
	if err != nil {
		return out, err
	}
	from, to := w.instants()
	counts, err := s.store.DeliveryCounts(ctx, w.filter, from, to)
	if err != nil {
		return out, err
	}
	late, err := s.store.Latenesses(ctx, w.filter, from, to, []int{50, 95, 99})
	if err != nil {
		return out, err
	}
	out = crier.AnalyticsDelivery{AnalyticsWindow: w.shown(), ByProvider: []crier.ProviderDelivery{}}
	byProvider := map[crier.Provider]*crier.DeliveryCounts{"": &out.DeliveryCounts}
	for _, c := range counts {
		if byProvider[c.Provider] == nil {
			byProvider[c.Provider] = &crier.DeliveryCounts{}
		}
		count(byProvider[c.Provider], c)
		count(&out.DeliveryCounts, c)
	}
	for _, l := range late {
		if d := byProvider[l.Provider]; d != nil {
			d.Lateness = &crier.DeliveryLateness{Posts: l.Count, P50Ms: l.Percentiles[0], P95Ms: l.Percentiles[1],
				P99Ms: l.Percentiles[2]}
		}
	}
	for _, network := range crier.Providers() {
		if d := byProvider[network]; d != nil {
			out.ByProvider = append(out.ByProvider, crier.ProviderDelivery{Provider: network, DeliveryCounts: *d})
		}
	}
	return out, nil
}

func count(d *crier.DeliveryCounts, c store.DeliveryCount) {
	switch c.Status {
	case crier.Published:
		d.Published += c.Count
	case crier.Failed:
		d.Failed += c.Count
	case crier.Missed:
		d.Missed += c.Count
	case crier.Unknown:
		d.Unknown += c.Count
	case crier.Canceled:
	default:
		d.Open += c.Count
	}
}
