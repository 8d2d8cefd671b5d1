package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// maxReferenceDepth is the maximum depth of nested fields shown.
const maxReferenceDepth = 8

// referenceField is a named value of a request or a response, in words.
type referenceField struct {
	referenceValue
	Name       string
	Deprecated bool
	// Mark says whether the field is required, if that is worth mentioning.
	Mark string
	Text []block
}

// referenceValue describes a value in words.
type referenceValue struct {
	Type string
	// Allowed are the only allowed values, if any.
	Allowed []string
	// Rules are the bounds and the default.
	Rules []string
	// Fields of an object, or of the objects in a list or a map.
	Fields []referenceField
	// Shapes that an object can have, if there is a choice.
	Shapes []referenceShape
	// Again names an enclosing type, whose fields are already shown.
	Again string
}

type referenceShape struct {
	Name   string
	Fields []referenceField
}

// referenceFields describes schemas in words.
type referenceFields struct {
	registry *Registry
	// answer is true for responses, false for requests.
	answer bool
}

// value describes the schema of a body.
func (b referenceFields) value(s *huma.Schema) referenceValue { return b.within(s, nil) }

// within describes a schema inside the named types that contain it.
func (b referenceFields) within(s *huma.Schema, outer []string) referenceValue {
	if s == nil {
		return referenceValue{}
	}
	v := referenceValue{Type: b.typeName(s), Rules: b.rules(s)}
	inner, name, _ := b.resolve(s)
	for inner.Type == huma.TypeArray && inner.Items != nil {
		inner, name, _ = b.resolve(inner.Items)
	}
	for _, allowed := range inner.Enum {
		v.Allowed = append(v.Allowed, literal(allowed))
	}
	if name != "" && (slices.Contains(outer, name) || len(outer) >= maxReferenceDepth) {
		v.Again = name
		return v
	}
	around := append(slices.Clip(outer), name)
	v.Shapes = b.shapes(inner, around)
	v.Fields = b.fields(inner, name, around)
	return v
}

func (b referenceFields) field(name string, s *huma.Schema, required bool, outer []string) referenceField {
	target, _, _ := b.resolve(s)
	f := referenceField{
		referenceValue: b.within(s, outer), Name: name, Deprecated: s.Deprecated || target.Deprecated,
		Text: prose(cmp.Or(s.Description, target.Description)),
	}
	switch {
	case required && !b.answer:
		f.Mark = "required"
	case !required && b.answer:
		f.Mark = "may be absent"
	}
	return f
}

// fields returns the properties of an object, in the order of its type, or the entries of a map.
func (b referenceFields) fields(s *huma.Schema, name string, outer []string) []referenceField {
	var out []referenceField
	for _, property := range b.properties(s, name) {
		out = append(out, b.field(property, s.Properties[property], slices.Contains(s.Required, property), outer))
	}
	if entry, ok := s.AdditionalProperties.(*huma.Schema); ok {
		key := "any key"
		if s.Extensions["x-key-format"] == "uuid" {
			key = "any UUID"
		}
		out = append(out, b.field(key, entry, b.answer, outer))
	}
	return out
}

// properties returns the names of an object's fields, as its Go type orders them.
func (b referenceFields) properties(s *huma.Schema, name string) []string {
	var names []string
	if t := b.registry.types[name]; t != nil {
		for f := range fieldsOf(t) {
			property, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if s.Properties[property] != nil && !slices.Contains(names, property) {
				names = append(names, property)
			}
		}
	}
	for _, property := range sortedKeys(s.Properties) {
		if !slices.Contains(names, property) {
			names = append(names, property)
		}
	}
	return names
}

// shapes returns the objects that a value can be one of.
func (b referenceFields) shapes(s *huma.Schema, outer []string) []referenceShape {
	var out []referenceShape
	if s.Discriminator != nil {
		for _, choice := range sortedKeys(s.Discriminator.Mapping) {
			v := b.within(&huma.Schema{Ref: s.Discriminator.Mapping[choice]}, outer)
			out = append(out, referenceShape{Name: s.Discriminator.PropertyName + ": " + choice, Fields: v.Fields})
		}
		return out
	}
	for _, option := range slices.Concat(s.OneOf, s.AnyOf) {
		v := b.within(option, outer)
		out = append(out, referenceShape{Name: v.Type, Fields: v.Fields})
	}
	return out
}

// resolve follows references and returns the schema without null, its name, and whether null is allowed too.
func (b referenceFields) resolve(s *huma.Schema) (target *huma.Schema, name string, null bool) {
	target = s
	for {
		null = null || target.Nullable
		switch {
		case target.Ref != "":
			name = strings.TrimPrefix(target.Ref, schemaPrefix)
			target = cmp.Or(b.registry.SchemaFromRef(target.Ref), &huma.Schema{})
		case len(target.AnyOf) == 2 && target.AnyOf[1].Type == "null":
			target, null = target.AnyOf[0], true
		default:
			return target, name, null
		}
	}
}

// typeName returns the type of a value.
func (b referenceFields) typeName(s *huma.Schema) string {
	target, name, null := b.resolve(s)
	text := b.bareType(target, name)
	if null {
		text += " or null"
	}
	return text
}

func (b referenceFields) bareType(s *huma.Schema, name string) string {
	if s.Extensions["type"] != nil {
		return "number" // the one type that is told in this way
	}
	switch s.Type {
	case huma.TypeArray:
		return "list of " + plural(b.typeName(s.Items))
	case huma.TypeString:
		format, _ := s.Extensions["format"].(string) // of a response that is a file
		return stringType(cmp.Or(s.Format, format))
	case huma.TypeObject:
		if entry, ok := s.AdditionalProperties.(*huma.Schema); ok {
			return "map to " + plural(b.typeName(entry))
		}
	case "":
		if name == "" {
			return "any value"
		}
	default:
		return s.Type
	}
	return strings.TrimSpace(name + " object")
}

func stringType(format string) string {
	switch format {
	case "uuid":
		return "UUID"
	case "date-time":
		return "time"
	case "email":
		return "e-mail address"
	case "uri":
		return "web address"
	case "binary":
		return "file"
	}
	return "string"
}

func plural(name string) string {
	switch {
	case strings.Contains(name, " of "), strings.Contains(name, " to "), strings.HasSuffix(name, "null"),
		name == "any value":
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	}
	return name + "s"
}

// rules returns the bounds and the default of a value.
func (b referenceFields) rules(s *huma.Schema) []string {
	target, _, _ := b.resolve(s)
	rules := bounds(target)
	if target.Type == huma.TypeArray {
		item, _, _ := b.resolve(target.Items)
		for _, rule := range bounds(item) {
			rules = append(rules, "each "+rule)
		}
	}
	for _, from := range []*huma.Schema{s, target} {
		if from.Default != nil {
			return append(rules, "default "+literal(from.Default))
		}
	}
	return rules
}

// bounds returns the limits of one value, without those of what it contains.
func bounds(s *huma.Schema) []string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	add(between(s.Minimum, s.Maximum, ""))
	if s.ExclusiveMinimum != nil {
		add("more than " + trimFloat(*s.ExclusiveMinimum))
	}
	if s.ExclusiveMaximum != nil {
		add("less than " + trimFloat(*s.ExclusiveMaximum))
	}
	add(between(boundOf(s, "minLength", s.MinLength), boundOf(s, "maxLength", s.MaxLength), "character"))
	add(between(float(s.MinItems), float(s.MaxItems), "item"))
	if s.UniqueItems {
		add("no item twice")
	}
	if s.Pattern != "" && s.Format != "uuid" {
		add(cmp.Or(s.PatternDescription, "matches "+s.Pattern))
	}
	return out
}

// boundOf returns a bound, or the extension in its place: some bounds are only documented and checked by a type's own
// code.
func boundOf(s *huma.Schema, name string, bound *int) *float64 {
	if n, ok := s.Extensions[name].(int); ok {
		return float(&n)
	}
	return float(bound)
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

// between returns a range in words: "2 to 64 characters".
func between(low, high *float64, what string) string {
	unit := ""
	if what != "" {
		unit = " " + what
		if last := cmp.Or(high, low); last != nil && *last != 1 {
			unit += "s"
		}
	}
	switch {
	case low == nil && high == nil:
		return ""
	case low == nil:
		return "at most " + grouped(*high) + unit
	case high == nil:
		return "at least " + grouped(*low) + unit
	case *low == *high:
		return "exactly " + grouped(*low) + unit
	}
	return grouped(*low) + " to " + grouped(*high) + unit
}

// grouped formats large whole numbers with separators: 1,000,000.
func grouped(f float64) string {
	text := trimFloat(f)
	whole, fraction, _ := strings.Cut(text, ".")
	if fraction != "" || len(whole) <= 4 {
		return text
	}
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return whole
}

// literal returns a value as text: strings without quotes, everything else as JSON.
func literal(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
