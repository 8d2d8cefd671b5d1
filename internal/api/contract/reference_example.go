package contract

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// curl writes example commands that can be pasted into a shell.
type curl struct{ fields referenceFields }

// command calls an operation with its required parameters only.
func (c curl) command(op *huma.Operation) string {
	words := []string{"curl"}
	if op.Method != http.MethodGet {
		words[0] += " -X " + op.Method
	}
	words[0] += ` "$CRIER_URL` + shellPath(op.Path) + requiredQuery(op.Parameters) + `"`
	if len(op.Security) > 0 {
		words = append(words, `-H "Authorization: Bearer $CRIER_API_KEY"`)
		if op.Method == http.MethodPost {
			words = append(words, `-H "Idempotency-Key: $(uuidgen)"`)
		}
	}
	words = append(words, c.requiredHeaders(op.Parameters)...)
	if op.RequestBody != nil {
		words = append(words, c.body(op.RequestBody)...)
	}
	return strings.Join(words, " \\\n  ")
}

// shellPath replaces each parameter by a shell variable: {teamId} is $TEAM_ID.
func shellPath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts[i] = "$" + shellName(strings.TrimSuffix(name, "}"))
		}
	}
	return strings.Join(parts, "/")
}

func shellName(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(r))
	}
	return out.String()
}

// requiredQuery returns the required query parameters of a URL, if any.
func requiredQuery(params []*huma.Param) string {
	var pairs []string
	for _, p := range params {
		if p.In == "query" && p.Required {
			pairs = append(pairs, p.Name+"=$"+shellName(p.Name))
		}
	}
	if pairs == nil {
		return ""
	}
	return "?" + strings.Join(pairs, "&")
}

// requiredHeaders returns the headers without which the operation is refused.
func (c curl) requiredHeaders(params []*huma.Param) (words []string) {
	for _, p := range params {
		if p.In == "header" && p.Required {
			words = append(words, `-H "`+p.Name+": "+strings.Trim(c.value(p.Schema, nil), `"`)+`"`)
		}
	}
	return words
}

func (c curl) body(body *huma.RequestBody) []string {
	mediaType, media := contentOf(body.Content)
	switch {
	case mediaType == "multipart/form-data":
		return c.form(media.Schema, "-F ")
	case mediaType == "application/x-www-form-urlencoded":
		return c.form(media.Schema, "-d ")
	case mediaType != "application/json":
		return []string{`-H "Content-Type: ` + mediaType + `"`, "--data-binary @file"}
	}
	var text bytes.Buffer
	// it was written as JSON: cannot fail
	if err := json.Indent(&text, []byte(c.value(media.Schema, nil)), "  ", "  "); err != nil {
		return nil
	}
	return []string{`-H "Content-Type: application/json"`, "-d '" + strings.ReplaceAll(text.String(), "'", `'\''`) +
		"'"}
}

func (c curl) form(s *huma.Schema, flag string) []string {
	target, name, _ := c.fields.resolve(s)
	var out []string
	for _, field := range c.chosen(target, name) {
		value, _, _ := c.fields.resolve(target.Properties[field])
		if value.Format == "binary" {
			out = append(out, flag+field+"=@file")
		} else {
			out = append(out, flag+shellWord(field+"="+strings.Trim(c.value(value, nil), `"`)))
		}
	}
	return out
}

// shellWord quotes a word that a shell would split.
func shellWord(word string) string {
	if !strings.ContainsAny(word, " '*") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// value returns an example of a schema as JSON.
func (c curl) value(s *huma.Schema, outer []string) string {
	if s == nil {
		return "null"
	}
	target, name, null := c.fields.resolve(s)
	for _, from := range []*huma.Schema{s, target} {
		if len(from.Examples) > 0 {
			return asJSON(from.Examples[0])
		}
	}
	if name != "" && (slices.Contains(outer, name) || len(outer) >= maxReferenceDepth) {
		return "null"
	}
	inside := append(slices.Clip(outer), name)
	switch {
	case target.Default != nil:
		return asJSON(target.Default)
	case len(target.Enum) > 0:
		return asJSON(target.Enum[0])
	case target.Discriminator != nil:
		first := sortedKeys(target.Discriminator.Mapping)[0]
		return c.value(&huma.Schema{Ref: target.Discriminator.Mapping[first]}, inside)
	case target.Type == huma.TypeArray:
		return "[" + c.value(target.Items, inside) + "]"
	case target.Type == huma.TypeObject:
		return c.object(target, name, inside)
	case target.Type == "" && null:
		return "null"
	}
	return scalar(target)
}

func (c curl) object(s *huma.Schema, name string, outer []string) string {
	var pairs []string
	for _, field := range c.chosen(s, name) {
		pairs = append(pairs, asJSON(field)+":"+c.value(s.Properties[field], outer))
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

// chosen returns the fields of an example: the required ones and those with an example of their own, such as one of
// several of which a request needs one; or the first if there are none.
func (c curl) chosen(s *huma.Schema, name string) []string {
	all := c.fields.properties(s, name)
	required := slices.DeleteFunc(slices.Clone(all),
		func(field string) bool {
			return !slices.Contains(s.Required, field) && len(s.Properties[field].Examples) == 0
		})
	if len(required) == 0 && len(all) > 0 {
		return all[:1]
	}
	return required
}

// scalar returns an example of a value without parts, within its bounds.
func scalar(s *huma.Schema) string {
	switch s.Type {
	case huma.TypeBoolean:
		return "true"
	case huma.TypeInteger, huma.TypeNumber:
		if s.Minimum != nil {
			return trimFloat(max(*s.Minimum, 1))
		}
		return "1"
	case huma.TypeString:
		return asJSON(exampleText(s))
	}
	return "{}"
}

func exampleText(s *huma.Schema) string {
	switch s.Format {
	case "uuid":
		return "01985f2e-6c00-7000-8000-000000000000"
	case "date-time":
		return "2027-01-15T09:00:00Z"
	case "email":
		return "ada@example.com"
	case "uri":
		return "https://example.com"
	}
	text := "Example"
	if low := boundOf(s, "minLength", s.MinLength); low != nil && int(*low) > len(text) {
		text += strings.Repeat("-", int(*low)-len(text))
	}
	return text
}

func asJSON(value any) string {
	data, err := json.Marshal(value)
	if err != nil { // values of the document were read from JSON or from tags: cannot fail
		return "null"
	}
	return string(data)
}
