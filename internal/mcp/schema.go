package mcp

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"crier"
)

// inputSchema describes the input of a tool: fields and descriptions come from the type, values from the vocabulary.
func inputSchema[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: vocabulary()})
	if err != nil {
		panic(fmt.Sprintf("describe %T: %v", *new(In), err)) // the type is constant: every start would fail, and every test
	}
	return schema
}

// vocabulary is how the words of crier look in a schema.
func vocabulary() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[crier.ID]():            {Type: "string", Pattern: crier.IDPattern},
		reflect.TypeFor[crier.Time]():          {Type: "string", Format: "date-time"},
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
