package mcp

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"crier"
)

// The formats of texts that readInput knows.
const (
	formatID   = "uuid"
	formatTime = "date-time"
)

// inputSchemas has the schemas of input types, which all servers of a process share: nobody changes one.
var inputSchemas sync.Map // of described by reflect.Type

// described is the input of a tool as calls are compared with it, and as clients are told it.
type described struct{ checked, told *jsonschema.Schema }

// inputSchema describes the input of a tool: fields and descriptions come from the type, values from the vocabulary.
func inputSchema[In any]() described {
	if known, ok := inputSchemas.Load(reflect.TypeFor[In]()); ok {
		return known.(described)
	}
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: vocabulary()})
	if err != nil {
		// the type is constant: every start would fail, and every test
		panic(fmt.Sprintf("describe %T: %v", *new(In), err))
	}
	found := described{checked: schema, told: told(schema)}
	inputSchemas.Store(reflect.TypeFor[In](), found)
	return found
}

// told returns a schema as clients are told it: with one type for each field. A field that may be null may be absent,
// and a client that maps schemas onto a dialect with single types refuses the tool otherwise, or drops the field.
func told(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	out := *s
	if kept := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(kept) == 1 {
		out.Type, out.Types = kept[0], nil
	}
	out.Items = told(s.Items)
	out.AdditionalProperties = told(s.AdditionalProperties)
	if s.Properties != nil {
		out.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
		for name, property := range s.Properties {
			out.Properties[name] = told(property)
		}
	}
	return &out
}

// vocabulary returns how the words of crier look in a schema.
func vocabulary() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[crier.ID]():            {Type: "string", Format: formatID},
		reflect.TypeFor[crier.Time]():          {Type: "string", Format: formatTime},
		reflect.TypeFor[crier.Provider]():      oneOf(crier.Provider("").Enum()),
		reflect.TypeFor[crier.PostStatus]():    oneOf(crier.PostStatus("").Enum()),
		reflect.TypeFor[crier.DeliveryState](): oneOf(crier.DeliveryState("").Enum()),
		reflect.TypeFor[outcome]():             oneOf([]string{"published", "retry", "failed"}),
	}
}

func oneOf(values []string) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		schema.Enum = append(schema.Enum, v)
	}
	return schema
}
