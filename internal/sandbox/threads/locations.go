package threads

import (
	"strings"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// place is a place that a post can be tagged with.
type place struct{ id, name, address, city, country string }

var places = []place{
	{"106078429431815", "Menlo Park", "", "Menlo Park", "United States"},
	{"110506962309835", "Crier Square", "1 Market Street", "Sandbox", "Nowhere"},
	{"110506962309836", "Crier Station", "2 Station Road", "Sandbox", "Nowhere"},
}

// searchLocations returns the places whose names contain the query.
func (n *network) searchLocations(c *graph.Call) sim.Reply {
	if refusal := lacks(c, scopeLocation); refusal != nil {
		return *refusal
	}
	query := strings.ToLower(c.Params["q"])
	if query == "" && (c.Params["latitude"] == "" || c.Params["longitude"] == "") {
		return graph.Invalid("q, or latitude and longitude, are required")
	}
	fields, refusal := c.Fields("id,name,address,city,country") // as in Meta's own example
	if refusal != nil {
		return *refusal
	}
	found := []graph.Object{}
	for _, p := range places {
		if !strings.Contains(strings.ToLower(p.name), query) {
			continue
		}
		object, refusal := graph.Show("ThreadsLocation", fields, graph.Lookup(map[string]any{"id": p.id, "name": p.name,
			"address": p.address, "city": p.city, "country": p.country}))
		if refusal != nil {
			return *refusal
		}
		found = append(found, object)
	}
	return graph.OK(map[string]any{"data": found})
}
