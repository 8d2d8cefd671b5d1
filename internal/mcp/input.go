package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"crier"
	"crier/client"
)

// invalid returns the error for invalid arguments.
func invalid(issues ...crier.Issue) error {
	return &client.Error{Kind: crier.KindInvalid, Message: "The arguments are not valid.", Issues: issues}
}

// refused returns an error that is detected before the API is called.
func refused(kind crier.Kind, format string, args ...any) error {
	return &client.Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// readInput decodes the arguments of a call. The error lists all issues in plain words.
func readInput[In any](schema *jsonschema.Schema, arguments json.RawMessage) (in In, err error) {
	if text := string(bytes.TrimSpace(arguments)); text == "" || text == "null" {
		arguments = json.RawMessage("{}")
	}
	var value any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return in, invalid(crier.At("must be a JSON object"))
	}
	if issues := checkInput(schema, value, nil); len(issues) > 0 {
		return in, invalid(issues...)
	}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return in, invalid(crier.At(err.Error()))
	}
	return in, nil
}

// checkInput validates a value against the schema of an input and returns every issue.
func checkInput(s *jsonschema.Schema, value any, path []string) []crier.Issue {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isOfType(value, t) }) {
		var words []string
		for _, t := range types {
			if t != "null" { // null is the same as absent
				words = append(words, typeWords[t])
			}
		}
		return []crier.Issue{crier.At("must be "+strings.Join(words, " or "), path...)}
	}
	switch v := value.(type) {
	case string:
		return checkText(s, v, path)
	case float64:
		return checkNumber(s, v, path)
	case []any:
		return checkItems(s, v, path)
	case map[string]any:
		return checkMembers(s, v, path)
	}
	return nil
}

func checkText(s *jsonschema.Schema, value string, path []string) []crier.Issue {
	if length := utf8.RuneCountInString(value); s.MaxLength != nil && length > *s.MaxLength {
		return []crier.Issue{crier.At(fmt.Sprintf("must be a text of at most %d characters, got %d characters",
			*s.MaxLength, length), path...)}
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(value)) {
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			words[i] = fmt.Sprint(v)
		}
		return []crier.Issue{crier.At(fmt.Sprintf("must be one of %s, got %.64q", strings.Join(words, ", "), value),
			path...)}
	}
	if s.Format == formatID {
		if _, ok := crier.ParseID(value); !ok {
			return []crier.Issue{crier.At(fmt.Sprintf("must be an id such as 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d, "+
				"got %.64q", value), path...)}
		}
	}
	if s.Format == formatTime {
		if _, err := crier.ParseTime(value); err != nil {
			return []crier.Issue{crier.At(err.Error(), path...)}
		}
	}
	return nil
}

func checkItems(s *jsonschema.Schema, items []any, path []string) []crier.Issue {
	var issues []crier.Issue
	if s.MinItems != nil && s.MaxItems != nil && (len(items) < *s.MinItems || len(items) > *s.MaxItems) {
		issues = append(issues, crier.At(fmt.Sprintf("must have %d to %d items, got %d", *s.MinItems, *s.MaxItems,
			len(items)), path...))
	}
	for i, item := range items {
		if s.Items != nil {
			issues = append(issues, checkInput(s.Items, item, below(path, strconv.Itoa(i)))...)
		}
	}
	return issues
}

// checkNumber checks the bounds of a number; a schema has both or none.
func checkNumber(s *jsonschema.Schema, value float64, path []string) []crier.Issue {
	if s.Minimum == nil || s.Maximum == nil || value >= *s.Minimum && value <= *s.Maximum {
		return nil
	}
	return []crier.Issue{crier.At(fmt.Sprintf("must be from %g to %g, got %g", *s.Minimum, *s.Maximum, value), path...)}
}

func checkMembers(s *jsonschema.Schema, members map[string]any, path []string) []crier.Issue {
	var issues []crier.Issue
	for _, name := range s.Required {
		if _, there := members[name]; !there {
			issues = append(issues, crier.At("is required", below(path, name)...))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch property := s.Properties[name]; {
		case property != nil:
			issues = append(issues, checkInput(property, members[name], below(path, name))...)
		case len(s.Properties) > 0:
			issues = append(issues, crier.At("is not a known field; allowed: "+
				strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "), below(path, name)...))
		}
	}
	return issues
}

// typeWords are the JSON types in plain words.
var typeWords = map[string]string{"string": "a text", "integer": "a whole number", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "an object"}

func isOfType(value any, name string) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	}
	return name == "object"
}

func below(path []string, name string) []string { return append(slices.Clip(path), name) }
