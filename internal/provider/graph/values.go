package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// ID is an id, which the Graph API encodes as a string or a number.
type ID string

// UnmarshalJSON decodes both forms.
func (id *ID) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		*id = ID(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return fmt.Errorf("read id: %w", err)
	}
	*id = ID(number)
	return nil
}

// Time is a time, which the Graph API encodes without a colon in the offset, or as Unix seconds.
type Time struct{ time.Time }

// timeLayout is RFC 3339 without the colon in the offset.
const timeLayout = "2006-01-02T15:04:05-0700"

// UnmarshalJSON decodes all forms.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text ID
	if err := text.UnmarshalJSON(data); err != nil {
		return err
	}
	if seconds, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		t.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	for _, layout := range []string{timeLayout, time.RFC3339} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			t.Time = at.UTC()
			return nil
		}
	}
	if text == "" {
		return nil
	}
	return fmt.Errorf("read time %q: it is in no known form", text)
}

// Insights are the metrics of the insights edges.
type Insights struct {
	Data []struct {
		Name       string   `json:"name"`
		Values     []amount `json:"values"`
		Links      []amount `json:"link_total_values"`
		TotalValue *amount  `json:"total_value"`
	} `json:"data"`
}

// amount is a value, which may also be an object of parts.
type amount struct {
	Value json.RawMessage `json:"value"`
}

func (a amount) number() (int64, bool) {
	if len(a.Value) == 0 || bytes.Equal(a.Value, []byte("null")) {
		return 0, false // missing, which is not zero
	}
	var n float64
	if json.Unmarshal(a.Value, &n) == nil {
		return int64(n), true
	}
	var parts map[string]float64
	if json.Unmarshal(a.Value, &parts) != nil {
		return 0, false
	}
	for _, part := range parts {
		n += part
	}
	return int64(n), true
}

// Numbers returns the totals by name: days and parts are summed. Metrics that the network does not report are missing.
func (i Insights) Numbers() Numbers {
	numbers := Numbers{}
	for _, insight := range i.Data {
		values := append(insight.Values, insight.Links...)
		if insight.TotalValue != nil {
			values = []amount{*insight.TotalValue}
		}
		for _, value := range values {
			if n, ok := value.number(); ok {
				numbers[insight.Name] += n
			}
		}
	}
	return numbers
}

// Last returns the newest value of a metric, for metrics that must not be summed; nil if there is none.
func (i Insights) Last(name string) *int64 {
	for _, insight := range i.Data {
		if insight.Name == name && len(insight.Values) > 0 {
			if n, ok := insight.Values[len(insight.Values)-1].number(); ok {
				return &n
			}
		}
	}
	return nil
}

// Numbers are totals by name.
type Numbers map[string]int64

// Get returns a total, or nil if there is none.
func (n Numbers) Get(name string) *int64 {
	value, ok := n[name]
	if !ok {
		return nil
	}
	return &value
}

// Pick returns some totals under other names: pairs of the network's name and the one to use.
func (n Numbers) Pick(pairs ...string) map[string]int64 {
	picked := map[string]int64{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value, ok := n[pairs[i]]; ok {
			picked[pairs[i+1]] = value
		}
	}
	if len(picked) == 0 {
		return nil
	}
	return picked
}
