package mcp

import (
	"fmt"
	"reflect"
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
var inputSchemas sync.Map // of *jsonschema.Schema by reflect.Type

// inputSchema describes the input of a tool: fields and descriptions come from the type, values from the vocabulary.
func inputSchema[In any]() *jsonschema.Schema {
	if known, ok := inputSchemas.Load(reflect.TypeFor[In]()); ok {
		return known.(*jsonschema.Schema)
	}
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: vocabulary()})
	if err != nil {
		// the type is constant: every start would fail, and every test
		panic(fmt.Sprintf("describe %T: %v", *new(In), err))
	}
	inputSchemas.Store(reflect.TypeFor[In](), schema)
	return schema
}

// vocabulary is how the words of crier look in a schema.
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
