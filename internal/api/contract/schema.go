// Package contract reads requests and describes the API: JSON schemas of crier's types, decoding and validation by
// them, the OpenAPI document and the reference page, which all come from the same input and output types.
package contract

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

const schemaPrefix = "#/components/schemas/"

var rawJSON = reflect.TypeFor[json.RawMessage]()

// Registry describes crier's types as JSON schemas. It differs from Huma's own as the contract requires: null is only
// allowed where a field says so, Optional has its value's type, and types with their own checks keep them.
//
// A field is nullable if it is a pointer that is always written, or has the tag null:"true".
type Registry struct {
	schemas map[string]*huma.Schema
	types   map[string]reflect.Type
	// checks are the schemas whose strings are checked by a type's own code.
	checks map[*huma.Schema]func(string) string
}

// NewRegistry returns a registry without schemas.
func NewRegistry() *Registry {
	arraysNeverNull()
	return &Registry{schemas: map[string]*huma.Schema{}, types: map[string]reflect.Type{},
		checks: map[*huma.Schema]func(string) string{}}
}

// Fields decodes the fields of a form like a JSON object of a type. It has its own schemas: those of the API do not
// change after they are complete.
type Fields struct {
	registry *Registry
	schema   *huma.Schema
}

// NewFields describes the fields of a type.
func NewFields(t reflect.Type) *Fields {
	registry := NewRegistry()
	return &Fields{registry: registry, schema: registry.Schema(t, true, "")}
}

// Decode reads fields into a value of the type, and returns every issue.
func (f *Fields) Decode(data []byte, dst any) error {
	value, err := ParseJSON(data)
	if err != nil {
		return crier.Invalid(crier.At(err.Error()))
	}
	if issues := f.registry.Validate(f.schema, value); len(issues) > 0 {
		return crier.Invalid(issues...)
	}
	return json.Unmarshal(data, dst)
}

// Validate compares a decoded value with a schema and returns every issue.
func (r *Registry) Validate(s *huma.Schema, value any) []crier.Issue {
	v := &validator{registry: r}
	v.check(s, value, nil)
	return v.issues
}

// Schema returns the schema of a type, as a reference if it is a struct and references are allowed.
func (r *Registry) Schema(t reflect.Type, allowRef bool, _ string) *huma.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if o, ok := reflect.TypeAssert[interface{ OptionalType() reflect.Type }](reflect.New(t)); ok {
		return r.Schema(o.OptionalType(), allowRef, "")
	}
	if j, ok := reflect.TypeAssert[interface{ JSONType() reflect.Type }](reflect.Zero(t)); ok {
		return r.Schema(j.JSONType(), allowRef, "")
	}
	if t == rawJSON {
		return &huma.Schema{} // any value
	}
	if v, ok := reflect.TypeAssert[shaped](reflect.Zero(t)); ok {
		return r.shapedSchema(schemaName(t), v, allowRef)
	}
	if s := r.textSchema(t); s != nil {
		return s
	}
	if t.Kind() != reflect.Struct {
		return plainInteger(huma.SchemaFromType(r, t))
	}
	name := schemaName(t)
	if _, known := r.schemas[name]; !known {
		r.schemas[name] = &huma.Schema{} // found by types that contain themselves
		s := huma.SchemaFromType(r, t)
		r.adjust(t, s)
		*r.schemas[name] = *s
		r.types[name] = t
	}
	if allowRef {
		return &huma.Schema{Ref: schemaPrefix + name}
	}
	return r.schemas[name]
}

// shaped is a type with several shapes, distinguished by the value of one key.
type shaped interface {
	Shapes() (key string, shapes map[string]any)
}

// shapedSchema describes such a type once, under its own name.
func (r *Registry) shapedSchema(name string, v shaped, allowRef bool) *huma.Schema {
	if r.schemas[name] == nil {
		s := &huma.Schema{}
		r.schemas[name] = s
		key, shapes := v.Shapes()
		s.Discriminator = &huma.Discriminator{PropertyName: key, Mapping: map[string]string{}}
		for _, choice := range sortedKeys(shapes) {
			shape := r.Schema(reflect.TypeOf(shapes[choice]), true, "")
			s.OneOf = append(s.OneOf, shape)
			s.Discriminator.Mapping[choice] = shape.Ref
		}
	}
	if allowRef {
		return &huma.Schema{Ref: schemaPrefix + name}
	}
	return r.schemas[name]
}

// textSchema describes types that are strings on the wire and have their own checks.
func (r *Registry) textSchema(t reflect.Type) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	switch v := reflect.New(t).Interface().(type) {
	case *crier.ID:
		// Documented, but not set as a pattern of the schema: Huma would compile it for every field that is an id.
		s.Format, s.Extensions = "uuid", map[string]any{"pattern": crier.IDPattern}
	case *crier.Time:
		s.Format = "date-time"
	case *crier.Name:
		// Documented, not enforced by the schema: the length after trimming counts.
		s.Extensions = map[string]any{"minLength": crier.MinNameLength, "maxLength": crier.MaxNameLength}
	case *crier.Email:
		s.Format = "email"
		s.Extensions = map[string]any{"maxLength": 254}
	case *crier.WebURL:
		s.Format = "uri"
	case interface{ Enum() []string }:
		for _, value := range v.Enum() {
			s.Enum = append(s.Enum, value)
		}
		return s
	case interface{ Problem() string }, encoding.TextUnmarshaler:
	default:
		return nil
	}
	r.checks[s] = checkOf(t)
	return s
}

// checkOf returns a function that checks a string with the type's own code.
func checkOf(t reflect.Type) func(string) string {
	return func(value string) string {
		switch v := reflect.New(t).Interface().(type) {
		case encoding.TextUnmarshaler:
			if err := v.UnmarshalText([]byte(value)); err != nil {
				return err.Error()
			}
		case interface{ Problem() string }:
			reflect.ValueOf(v).Elem().SetString(value)
			return v.Problem()
		}
		return ""
	}
}

// adjust applies crier's own tags to the properties of a struct.
func (r *Registry) adjust(t reflect.Type, s *huma.Schema) {
	for f := range fieldsOf(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil {
			continue
		}
		if f.Type == rawJSON {
			p.Type, p.AdditionalProperties = huma.TypeObject, true
		}
		if format := f.Tag.Get("keys"); format != "" {
			p.Extensions = map[string]any{"x-key-format": format}
		}
		if f.Tag.Get("number") == "true" {
			p.Format = ""
			p.Extensions = map[string]any{"type": numberType(isNullable(f, options))}
		}
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Pointer && p.Items != nil {
			p.Items = nullable(p.Items)
		}
		if isNullable(f, options) {
			s.Properties[name] = nullable(p)
		}
	}
}

func numberType(null bool) any {
	if null {
		return []string{"number", "null"}
	}
	return "number"
}

func isNullable(f reflect.StructField, options string) bool {
	if f.Tag.Get("null") == "true" {
		return true
	}
	return f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omit")
}

func nullable(p *huma.Schema) *huma.Schema {
	if p.Ref == "" {
		p.Nullable = true
		if len(p.Enum) > 0 {
			p.Enum = append(p.Enum, nil)
		}
		return p
	}
	return &huma.Schema{
		AnyOf:       []*huma.Schema{{Ref: p.Ref}, {Type: "null"}},
		Description: p.Description,
	}
}

// fieldsOf walks the fields of a struct as encoding/json sees them: embedded structs are part of it.
func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() && !f.Anonymous && !yield(f) {
				return
			}
		}
	}
}

// plainInteger drops formats that are meaningless in JSON.
func plainInteger(s *huma.Schema) *huma.Schema {
	if s != nil && (s.Type == huma.TypeInteger || s.Type == huma.TypeNumber) {
		s.Format = ""
	}
	return s
}

// schemaName names a type in the document: Page[Team] is TeamPage.
func schemaName(t reflect.Type) string {
	name, argument, generic := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	if generic {
		name = argument[strings.LastIndex(argument, ".")+1:] + name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// resolve follows references.
func (r *Registry) resolve(s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	return s
}

// SchemaFromRef finds a schema by its reference.
func (r *Registry) SchemaFromRef(ref string) *huma.Schema {
	return r.schemas[strings.TrimPrefix(ref, schemaPrefix)]
}

// TypeFromRef finds a type by the reference of its schema.
func (r *Registry) TypeFromRef(ref string) reflect.Type {
	return r.types[strings.TrimPrefix(ref, schemaPrefix)]
}

// Map returns all schemas by name.
func (r *Registry) Map() map[string]*huma.Schema { return r.schemas }

// RegisterTypeAlias is not used: crier's types describe themselves.
func (r *Registry) RegisterTypeAlias(reflect.Type, reflect.Type) {}

// MarshalJSON writes the components of the document.
func (r *Registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.schemas) }
