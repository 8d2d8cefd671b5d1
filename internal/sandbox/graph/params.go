package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"crier/internal/sandbox/sim"
)

// Params are a call's parameters, from the query, a form, or a JSON object. Arrays and objects are kept as JSON.
type Params map[string]string

// Bool returns a parameter that is true or false; the fallback for any other value, and none.
func (p Params) Bool(name string, fallback bool) bool {
	value, err := strconv.ParseBool(p[name])
	if err != nil {
		return fallback
	}
	return value
}

// Int returns an integer; ok is false for anything else.
func (p Params) Int(name string) (value int64, ok bool) {
	value, err := strconv.ParseInt(p[name], 10, 64)
	return value, err == nil
}

// List returns the items of a list: a JSON array, comma-separated values, or indexed parameters (name[0], …).
func (p Params) List(name string) []string {
	var list []string
	for i := 0; ; i++ {
		value, ok := p[fmt.Sprintf("%s[%d]", name, i)]
		if !ok {
			break
		}
		list = append(list, value)
	}
	if list != nil || p[name] == "" {
		return list
	}
	var members []json.RawMessage
	if err := json.Unmarshal([]byte(p[name]), &members); err == nil {
		for _, member := range members {
			list = append(list, flatten(member))
		}
		return list
	}
	for member := range strings.SplitSeq(p[name], ",") {
		list = append(list, strings.TrimSpace(member))
	}
	return list
}

// Decode decodes a parameter that is JSON.
func (p Params) Decode(name string, v any) error {
	if err := json.Unmarshal([]byte(p[name]), v); err != nil {
		return fmt.Errorf("param %s must be JSON", name)
	}
	return nil
}

// flatten converts a JSON value to a form value: strings without their quotes, everything else unchanged.
func flatten(raw json.RawMessage) string {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		return text
	}
	return string(raw)
}

func (p Params) add(values url.Values) {
	for key, list := range values {
		p[key] = list[len(list)-1]
	}
}

// readParams reads the parameters and restores the body. Of a multipart body it reads the fields before the first file.
func readParams(r *http.Request) (Params, error) {
	params := Params{}
	params.add(r.URL.Query())
	kind, options, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // a body of an unknown type has no parameters
	switch kind {
	case "multipart/form-data":
		return params, params.peek(r, options["boundary"])
	case "application/json":
		return params, params.replay(r, params.addJSON)
	case "application/x-www-form-urlencoded":
		return params, params.replay(r, params.addForm)
	default:
		return params, nil
	}
}

// replay reads a body and restores it.
func (p Params) replay(r *http.Request, add func([]byte) error) error {
	body, err := sim.ReadBody(r)
	if err != nil {
		return err
	}
	r.Body = rejoined{Reader: bytes.NewReader(body), Closer: r.Body}
	return add(body)
}

func (p Params) addForm(body []byte) error {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return errors.New("the form cannot be read")
	}
	p.add(values)
	return nil
}

func (p Params) addJSON(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return errors.New("the body must be a JSON object")
	}
	for key, raw := range members {
		if string(raw) != "null" {
			p[key] = flatten(raw)
		}
	}
	return nil
}

// peek reads the fields of a multipart body up to the first file, and restores what it read.
func (p Params) peek(r *http.Request, boundary string) error {
	var seen bytes.Buffer
	parts := multipart.NewReader(io.TeeReader(io.LimitReader(r.Body, sim.MaxBody), &seen), boundary)
	err := p.addFields(parts)
	r.Body = rejoined{Reader: io.MultiReader(&seen, r.Body), Closer: r.Body}
	return err
}

// addFields reads fields until a file or the end.
func (p Params) addFields(parts *multipart.Reader) error {
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("the multipart body cannot be read")
		}
		if part.FileName() != "" {
			return nil
		}
		if err := p.addField(part); err != nil {
			return err
		}
	}
}

func (p Params) addField(part *multipart.Part) error {
	value, err := io.ReadAll(io.LimitReader(part, sim.MaxBody))
	if err != nil {
		return fmt.Errorf("read field %s: %w", part.FormName(), err)
	}
	p[part.FormName()] = string(value)
	return nil
}

// rejoined is a body whose start was read ahead.
type rejoined struct {
	io.Reader
	io.Closer
}

// EachFile passes the files of a multipart body to receive, and adds the fields after them to the parameters. A call
// without a multipart body has no files.
func (c *Call) EachFile(receive func(field string, file io.Reader) error) error {
	kind, options, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil //nolint:nilerr // a body of another type has no files
	}
	parts := multipart.NewReader(c.Body, options["boundary"])
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the multipart body: %w", err)
		case part.FileName() == "":
			err = c.Params.addField(part)
		default:
			err = receive(part.FormName(), part)
		}
		if err != nil {
			return err
		}
	}
}
