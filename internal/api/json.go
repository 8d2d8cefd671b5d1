package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a body; nothing in the contract comes near it.
const maxDepth = 32

// parseJSON reads one JSON value. It refuses what encoding/json would let through: invalid UTF-8, characters that no
// database keeps, keys given twice, endless nesting, and anything behind the value.
func parseJSON(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the body is not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := parseValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body has something behind the JSON value")
	}
	return value, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the body is nested more than %d levels deep", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, malformed(err)
	}
	switch token {
	case json.Delim('{'):
		return parseObject(d, depth)
	case json.Delim('['):
		return parseArray(d, depth)
	}
	if s, ok := token.(string); ok && bytes.IndexByte([]byte(s), 0) >= 0 {
		return nil, errors.New("the body contains the character U+0000, which is not allowed")
	}
	return token, nil
}

func parseObject(d *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, malformed(err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("the body is not valid JSON: an object key is not a string")
		}
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("the body has the key %.100q twice", key)
		}
		if object[key], err = parseValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, malformed(err)
}

func parseArray(d *json.Decoder, depth int) (any, error) {
	array := []any{}
	for d.More() {
		value, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := d.Token()
	return array, malformed(err)
}

func malformed(err error) error {
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("the body is not valid JSON: %s (at byte %d)", syntax.Error(), syntax.Offset)
	}
	return errors.New("the body is not valid JSON: it ends too early")
}
