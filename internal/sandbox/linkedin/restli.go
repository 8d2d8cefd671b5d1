package linkedin

import (
	"net/http"
	"net/url"
	"strings"

	"crier/internal/sandbox/sim"
)

// rawParameter returns a query parameter without decoding: Rest.li distinguishes structure from content by it.
func rawParameter(r *http.Request, key string) (string, bool) {
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if name, value, _ := strings.Cut(pair, "="); name == key {
			return value, true
		}
	}
	return "", false
}

// parseList parses a parameter of the form List(a,b): brackets and commas are not encoded, the items are
// percent-encoded.
func parseList(r *http.Request, key string) ([]string, *sim.Reply) {
	raw, present := rawParameter(r, key)
	if !present {
		return nil, nil
	}
	inner, isOpen := strings.CutPrefix(raw, "List(")
	inner, isClosed := strings.CutSuffix(inner, ")")
	if !isOpen || !isClosed {
		return nil, refuse(badField("PARAM_INVALID", "Invalid query parameter %s: expected List(…)", key))
	}
	var items []string
	for item := range strings.SplitSeq(inner, ",") {
		value, err := decodeItem(item)
		if err != nil {
			return nil, refuse(badField("PARAM_INVALID", "Invalid query parameter %s: %s", key, err))
		}
		items = append(items, value)
	}
	return items, nil
}

type restliError string

func (e restliError) Error() string { return string(e) }

// decodeItem decodes one value inside a Rest.li structure.
func decodeItem(item string) (string, error) {
	if item == "" || strings.ContainsAny(item, "():,'") {
		return "", restliError("reserved characters of a value must be percent-encoded")
	}
	return url.QueryUnescape(item)
}

// parseRecord parses a parameter or path of the form (key:value,key:value), values percent-encoded.
func parseRecord(raw string) (map[string]string, error) {
	inner, isOpen := strings.CutPrefix(raw, "(")
	inner, isClosed := strings.CutSuffix(inner, ")")
	if !isOpen || !isClosed {
		return nil, restliError("expected (key:value)")
	}
	record := map[string]string{}
	for pair := range strings.SplitSeq(inner, ",") {
		key, item, found := strings.Cut(pair, ":")
		if !found {
			return nil, restliError("expected (key:value)")
		}
		value, err := decodeItem(item)
		if err != nil {
			return nil, err
		}
		record[key] = value
	}
	return record, nil
}

// isMethod reports whether a call names a Rest.li method, or none if none is needed.
func isMethod(r *http.Request, method string, isNeeded bool) bool {
	sent := r.Header.Get("X-RestLi-Method")
	if sent == "" {
		return !isNeeded
	}
	return strings.EqualFold(sent, method)
}

// wrongMethod returns the response to a call that names another Rest.li method.
func wrongMethod(method string) sim.Reply {
	return badField("PARAM_INVALID", "X-RestLi-Method must be %s", method)
}

// paging is the envelope of every list.
type paging struct {
	Start int   `json:"start"`
	Count int   `json:"count"`
	Total int   `json:"total,omitempty"`
	Links []any `json:"links"`
}

type elements struct {
	Paging   paging `json:"paging"`
	Elements any    `json:"elements"`
}
