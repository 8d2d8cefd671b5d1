package graph

import (
	"errors"
	"fmt"
	"strings"

	"crier/internal/sandbox/sim"
)

// Field is one requested field, such as id, picture.type(large){url} or comments.summary(true).limit(0).
type Field struct {
	Name    string
	Options map[string]string
	Sub     []Field
}

// Fields returns the requested fields, or the fallback if there are none.
func (c *Call) Fields(fallback string) ([]Field, *sim.Reply) {
	text := c.Params["fields"]
	if text == "" {
		text = fallback
	}
	p := &fieldParser{text: text}
	fields, err := p.list()
	if err == nil && p.at < len(text) {
		err = errSyntax
	}
	if err != nil {
		return nil, Problem{Code: 2500, Message: fmt.Sprintf("Syntax error at character %d: %s", p.at, text)}.Refuse()
	}
	return fields, nil
}

// fieldParser parses a list of fields from left to right.
type fieldParser struct {
	text  string
	at    int
	depth int
}

// maxFieldDepth limits the nesting of fields.
const maxFieldDepth = 8

var errSyntax = errors.New("fields cannot be read")

func (p *fieldParser) list() ([]Field, error) {
	if p.depth++; p.depth > maxFieldDepth {
		return nil, errSyntax
	}
	defer func() { p.depth-- }()
	var fields []Field
	for {
		field, err := p.field()
		if err != nil {
			return nil, err
		}
		if field.Name != "" {
			fields = append(fields, field)
		}
		if !p.take(',') {
			return fields, nil
		}
	}
}

func (p *fieldParser) field() (Field, error) {
	f := Field{Name: p.word(), Options: map[string]string{}}
	for p.take('.') {
		option := p.word()
		if !p.take('(') {
			return f, errSyntax
		}
		end := strings.IndexByte(p.text[p.at:], ')')
		if end < 0 {
			return f, errSyntax
		}
		f.Options[option] = p.text[p.at : p.at+end]
		p.at += end + 1
	}
	if !p.take('{') {
		return f, nil
	}
	var err error
	if f.Sub, err = p.list(); err == nil && !p.take('}') {
		err = errSyntax
	}
	return f, err
}

// word reads a name, without the space around it.
func (p *fieldParser) word() string {
	end := strings.IndexFunc(p.text[p.at:], func(r rune) bool { return strings.ContainsRune(",.(){}", r) })
	if end < 0 {
		end = len(p.text) - p.at
	}
	word := strings.TrimSpace(p.text[p.at : p.at+end])
	p.at += end
	return word
}

func (p *fieldParser) take(b byte) bool {
	if p.at >= len(p.text) || p.text[p.at] != b {
		return false
	}
	p.at++
	return true
}

// Object is a node in a response.
type Object map[string]any

// Source returns the value of a node's field: nil if it has none, and known is false if nodes of this kind have no such
// field.
type Source func(f Field) (value any, known bool)

// Show returns the requested fields, and the id in any case. An unknown field is rejected.
func Show(kind string, fields []Field, source Source) (Object, *sim.Reply) {
	object := Object{}
	for _, f := range append([]Field{{Name: "id"}}, fields...) {
		value, known := source(f)
		if !known {
			return nil, InvalidParameter("Tried accessing nonexisting field (%s) on node type (%s)", f.Name,
				kind).Refuse()
		}
		if value != nil {
			object[f.Name] = project(value, f.Sub)
		}
	}
	return object, nil
}

// project returns the requested members of a value, all of them if none were named. It descends into data, and the id
// is always included.
func project(value any, sub []Field) any {
	object, isObject := value.(Object)
	if list, isList := value.([]Object); isList && len(sub) > 0 {
		projected := make([]any, 0, len(list))
		for _, member := range list {
			projected = append(projected, project(member, sub))
		}
		return projected
	}
	if !isObject || len(sub) == 0 {
		return value
	}
	if data, wraps := object["data"]; wraps && !Wants(sub, "data") {
		return Object{"data": project(data, sub)}
	}
	projected := Object{}
	for _, f := range append([]Field{{Name: "id"}}, sub...) {
		if member, found := object[f.Name]; found {
			projected[f.Name] = project(member, f.Sub)
		}
	}
	return projected
}

// Lookup returns a Source that reads from a map. Keys with a nil value are known and empty.
func Lookup(values map[string]any) Source {
	return func(f Field) (any, bool) {
		value, known := values[f.Name]
		return value, known
	}
}

// Wants reports whether a field was requested.
func Wants(fields []Field, name string) bool {
	for _, f := range fields {
		if f.Name == name {
			return true
		}
	}
	return false
}
