package mcp

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"crier"
)

// The string formats that readInput supports.
const (
	formatID   = "uuid"
	formatTime = "date-time"
)

// inputSchemas caches the schemas of input types for all servers of a process: they are never changed.
var inputSchemas sync.Map // of described by reflect.Type

// described is the schema of a tool's input: as calls are validated, and as clients see it.
type described struct{ checked, shown *jsonschema.Schema }

// inputSchema returns the schema of a tool's input: fields and descriptions come from the type, values from the
// vocabulary.
func inputSchema[In any]() described {
	if known, ok := inputSchemas.Load(reflect.TypeFor[In]()); ok {
		return known.(described)
	}
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: vocabulary()})
	if err != nil {
		// the type is constant: every start and every test would fail
		panic(fmt.Sprintf("describe %T: %v", *new(In), err))
	}
	if b, ok := reflect.TypeAssert[bounded](reflect.Zero(reflect.TypeFor[In]())); ok {
		addBounds(schema, reflect.TypeOf(b.sentAs()))
	}
	found := described{checked: schema, shown: clientSchema(schema)}
	inputSchemas.Store(reflect.TypeFor[In](), found)
	return found
}

// bounded is an input whose fields are sent to the API as those of another type, whose bounds hold for them, too.
type bounded interface {
	// sentAs returns a value of that type.
	sentAs() any
}

// addBounds adds the bounds of a type's fields to the properties of the same names. As in the document of the API, the
// bounds of a list's numbers are those of its field.
func addBounds(s *jsonschema.Schema, t reflect.Type) {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := s.Properties[name]
		if property == nil || field.Anonymous {
			continue
		}
		property.MinItems, property.MaxItems = intTag(field, "minItems"), intTag(field, "maxItems")
		property.MaxLength = intTag(field, "maxLength")
		if property.Items != nil {
			property = property.Items
		}
		if first, last := intTag(field, "minimum"), intTag(field, "maximum"); first != nil && last != nil {
			bounds := numberIn(float64(*first), float64(*last))
			property.Minimum, property.Maximum = bounds.Minimum, bounds.Maximum
		}
	}
}

func intTag(field reflect.StructField, name string) *int {
	n, err := strconv.Atoi(field.Tag.Get(name))
	if err != nil {
		return nil // absent
	}
	return &n
}

// clientSchema returns a schema for clients, with one type for each field. A field that may be null may be absent, and
// a client that maps schemas to a dialect with single types would otherwise reject the tool or drop the field.
func clientSchema(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	out := *s
	if types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(types) == 1 {
		out.Type, out.Types = types[0], nil
	}
	out.Items = clientSchema(s.Items)
	out.AdditionalProperties = clientSchema(s.AdditionalProperties)
	if s.Properties != nil {
		out.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
		for name, property := range s.Properties {
			out.Properties[name] = clientSchema(property)
		}
	}
	return &out
}

// vocabulary returns the schemas of crier's types.
func vocabulary() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[crier.ID]():            {Type: "string", Format: formatID},
		reflect.TypeFor[crier.Time]():          {Type: "string", Format: formatTime},
		reflect.TypeFor[crier.Provider]():      oneOf(crier.Provider("").Enum()),
		reflect.TypeFor[crier.PostStatus]():    oneOf(crier.PostStatus("").Enum()),
		reflect.TypeFor[crier.FollowUpKind]():  oneOf(crier.FollowUpKind("").Enum()),
		reflect.TypeFor[crier.DeliveryState](): oneOf(crier.DeliveryState("").Enum()),
		reflect.TypeFor[pageLimit]():           numberIn(0, crier.MaxPageSize),
		reflect.TypeFor[slotCount]():           numberIn(0, crier.MaxNextSlots),
		reflect.TypeFor[outcome]():             oneOf([]string{"published", "retry", "failed"}),
	}
}

func numberIn(first, last float64) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: &first, Maximum: &last}
}

func oneOf(values []string) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		schema.Enum = append(schema.Enum, v)
	}
	return schema
}
