package graph

import (
	"encoding/json"
	"net/http"
	"time"
)

// regain returns how long the network asks to wait, given in minutes by the usage header; the longest counts.
func regain(header http.Header) time.Duration {
	var usage map[string][]struct {
		Minutes float64 `json:"estimated_time_to_regain_access"`
	}
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &usage) != nil {
		return 0 // missing, or in an unknown form
	}
	var longest time.Duration
	for _, cases := range usage {
		for _, c := range cases {
			longest = max(longest, time.Duration(c.Minutes*float64(time.Minute)))
		}
	}
	return longest
}
