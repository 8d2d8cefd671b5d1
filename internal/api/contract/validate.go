package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

// validator compares a decoded value with a schema and collects every issue.
type validator struct {
	registry *Registry
	issues   []crier.Issue
}

// maxIssues is the maximum number of issues in a response.
const maxIssues = 1000

func (v *validator) add(path []string, format string, args ...any) {
	if v.full() {
		return
	}
	if len(v.issues) == maxIssues {
		path, format, args = nil, "there are more problems than these %d", []any{maxIssues}
	}
	v.issues = append(v.issues, crier.Issue{Path: append([]string{}, path...), Message: fmt.Sprintf(format, args...)})
}

func (v *validator) full() bool { return len(v.issues) > maxIssues }

func (v *validator) check(s *huma.Schema, value any, path []string) {
	if s = v.registry.resolve(s); s == nil {
		return
	}
	if len(s.AnyOf) > 0 { // a reference or null
		if value != nil {
			v.check(s.AnyOf[0], value, path)
		}
		return
	}
	if s.Discriminator != nil {
		v.variant(s, value, path)
		return
	}
	if value == nil {
		if !s.Nullable && s.Type != "" {
			v.add(path, "must not be null, expected %s", expected(s))
		}
		return
	}
	v.typed(s, value, path)
}

func (v *validator) typed(s *huma.Schema, value any, path []string) {
	switch s.Type {
	case huma.TypeBoolean:
		if _, ok := value.(bool); !ok {
			v.add(path, "must be true or false, got %s", kindOf(value))
			return
		}
	case huma.TypeInteger, huma.TypeNumber:
		if !v.number(s, value, path) {
			return
		}
	case huma.TypeString:
		if !v.text(s, value, path) {
			return
		}
	case huma.TypeArray:
		v.array(s, value, path)
		return
	case huma.TypeObject:
		v.object(s, value, path)
		return
	}
	v.enum(s, value, path)
}

func (v *validator) number(s *huma.Schema, value any, path []string) bool {
	n, ok := value.(json.Number)
	if !ok {
		v.add(path, "must be %s, got %s", expected(s), kindOf(value))
		return false
	}
	f, err := n.Float64()
	if _, intErr := strconv.ParseInt(n.String(), 10, 64); err != nil || s.Type == huma.TypeInteger && intErr != nil {
		v.add(path, "must be %s, got %.40s", expected(s), n.String())
		return false
	}
	if s.Minimum != nil && f < *s.Minimum || s.Maximum != nil && f > *s.Maximum {
		v.add(path, "must be %s, got %s", expected(s), n.String())
		return false
	}
	return true
}

func (v *validator) text(s *huma.Schema, value any, path []string) bool {
	str, ok := value.(string)
	if !ok {
		v.add(path, "must be a string, got %s", kindOf(value))
		return false
	}
	length := utf8.RuneCountInString(str)
	if s.MinLength != nil && length < *s.MinLength || s.MaxLength != nil && length > *s.MaxLength {
		v.add(path, "must be %s, got %d characters", expected(s), length)
		return false
	}
	if check := v.registry.checks[s]; check != nil {
		if problem := check(str); problem != "" {
			v.add(path, "%s", problem)
			return false
		}
	}
	return true
}

func (v *validator) enum(s *huma.Schema, value any, path []string) {
	if len(s.Enum) == 0 {
		return
	}
	given := fmt.Sprint(value)
	known := func(e any) bool { return e != nil && fmt.Sprint(e) == given }
	if !slices.ContainsFunc(s.Enum, known) {
		v.add(path, "must be one of %s, got %.60q", allowedWords(s.Enum), given)
	}
}

// allowedWords returns the values of an enum as text, including null if it is allowed.
func allowedWords(enum []any) string {
	words := make([]string, len(enum))
	for i, e := range enum {
		words[i] = literal(e)
	}
	return strings.Join(words, ", ")
}

func (v *validator) array(s *huma.Schema, value any, path []string) {
	list, ok := value.([]any)
	if !ok {
		v.add(path, "must be a list, got %s", kindOf(value))
		return
	}
	if s.MinItems != nil && len(list) < *s.MinItems || s.MaxItems != nil && len(list) > *s.MaxItems {
		v.add(path, "must have %s, got %d", itemRange(s), len(list))
	}
	seen := map[string]int{}
	for i, item := range list {
		at := append(path, strconv.Itoa(i))
		before := len(v.issues)
		v.check(s.Items, item, at)
		if !s.UniqueItems || len(v.issues) > before {
			continue
		}
		key := strings.ToLower(fmt.Sprint(item)) // two spellings of an id are one id
		if first, twice := seen[key]; twice {
			v.add(at, "is the same as item %d; each may be given once", first)
			continue
		}
		seen[key] = i
	}
}

func (v *validator) object(s *huma.Schema, value any, path []string) {
	object, ok := value.(map[string]any)
	if !ok {
		v.add(path, "must be an object, got %s", kindOf(value))
		return
	}
	for _, name := range s.Required {
		if _, there := object[name]; !there {
			v.add(append(path, name), "is required: %s", expected(v.registry.resolve(s.Properties[name])))
		}
	}
	keyed := map[crier.ID]string{}
	for _, name := range sortedKeys(object) {
		at := append(path, name)
		if p := s.Properties[name]; p != nil {
			v.check(p, object[name], at)
			continue
		}
		switch more := s.AdditionalProperties.(type) {
		case *huma.Schema:
			if s.Extensions["x-key-format"] == "uuid" && !v.idKey(keyed, name, at) {
				continue
			}
			v.check(more, object[name], at)
		case bool:
			if !more {
				v.add(at, "is not a known key; allowed: %s", strings.Join(sortedKeys(s.Properties), ", "))
			}
		}
	}
}

// idKey checks a key of a map; all maps of the contract have ids as keys. Two spellings of one id are one key.
func (v *validator) idKey(seen map[crier.ID]string, name string, at []string) bool {
	id, ok := crier.ParseID(name)
	if !ok {
		v.add(at, "must be keyed by a UUID")
		return false
	}
	if first, twice := seen[id]; twice {
		v.add(at, "is the same id as %s; each may be given once", first)
		return false
	}
	seen[id] = name
	return true
}

// variant checks an object whose shape is chosen by one of its keys.
func (v *validator) variant(s *huma.Schema, value any, path []string) {
	object, ok := value.(map[string]any)
	if !ok {
		v.add(path, "must be an object, got %s", kindOf(value))
		return
	}
	chooser := s.Discriminator.PropertyName
	choice, _ := object[chooser].(string)
	ref, ok := s.Discriminator.Mapping[choice]
	if !ok {
		v.add(append(path, chooser), "must be one of %s", strings.Join(sortedKeys(s.Discriminator.Mapping), ", "))
		return
	}
	v.check(&huma.Schema{Ref: ref}, value, path)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}

// expected describes in words what a schema allows.
func expected(s *huma.Schema) string {
	if s == nil {
		return "a value"
	}
	switch s.Type {
	case huma.TypeBoolean:
		return "true or false"
	case huma.TypeInteger:
		return "a whole number" + valueRange(s)
	case huma.TypeNumber:
		return "a number" + valueRange(s)
	case huma.TypeArray:
		return "a list"
	case huma.TypeString:
		return expectedText(s)
	}
	return "an object"
}

func expectedText(s *huma.Schema) string {
	switch {
	case len(s.Enum) > 0:
		return "one of " + allowedWords(s.Enum)
	case s.Format == "uuid":
		return "a UUID"
	case s.Format == "date-time":
		return "an RFC 3339 time"
	case s.MaxLength != nil && s.MinLength != nil:
		return fmt.Sprintf("a string of %d to %d characters", *s.MinLength, *s.MaxLength)
	case s.MaxLength != nil:
		return fmt.Sprintf("a string of at most %d characters", *s.MaxLength)
	}
	return "a string"
}

func valueRange(s *huma.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" from %s to %s", trimFloat(*s.Minimum), trimFloat(*s.Maximum))
	case s.Minimum != nil:
		return " of at least " + trimFloat(*s.Minimum)
	case s.Maximum != nil:
		return " of at most " + trimFloat(*s.Maximum)
	}
	return ""
}

func itemRange(s *huma.Schema) string {
	switch {
	case s.MinItems != nil && s.MaxItems != nil:
		return fmt.Sprintf("%d to %d items", *s.MinItems, *s.MaxItems)
	case s.MinItems != nil:
		return fmt.Sprintf("at least %d items", *s.MinItems)
	}
	return fmt.Sprintf("at most %d items", *s.MaxItems)
}

func trimFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
