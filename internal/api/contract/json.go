package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is the maximum nesting of a body, far more than the contract needs.
const maxDepth = 32

// ParseJSON parses one JSON value. It rejects what encoding/json accepts: invalid UTF-8, halves of surrogate pairs,
// characters that databases cannot store, duplicate keys, endless nesting, and anything after the value.
func ParseJSON(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the body is not valid UTF-8")
	}
	if at := loneSurrogate(data); at >= 0 {
		return nil, fmt.Errorf("the body has half of a surrogate pair (at byte %d), which is no character", at)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := parseValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body has data after the JSON value")
	}
	return value, nil
}

// loneSurrogate finds an escape such as \ud83e without its other half, or returns -1. encoding/json would replace it.
func loneSurrogate(data []byte) int {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		first := escaped(data[i:])
		switch {
		case first < 0: // a short escape such as \n
			i++
		case !utf16.IsSurrogate(first):
			i += 5
		case utf16.DecodeRune(first, escaped(data[min(i+6, len(data)):])) != utf8.RuneError:
			i += 11
		default:
			return i
		}
	}
	return -1
}

// escaped decodes an escape of the form \u0041 at the start of data; -1 means that there is none.
func escaped(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
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

// integers rewrites the whole numbers of a value without fraction and exponent, as encoding/json expects integers:
// JSON has one kind of number, and 2.0 is 2. It reports whether it has changed any.
func integers(value any) bool {
	changed := false
	rewrite := func(inner any, set func(json.Number)) {
		n, isNumber := inner.(json.Number)
		if !isNumber {
			changed = integers(inner) || changed
			return
		}
		if number, ok := integerValue(n); ok && number != n {
			set(number)
			changed = true
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			rewrite(inner, func(n json.Number) { v[key] = n })
		}
	case []any:
		for i, inner := range v {
			rewrite(inner, func(n json.Number) { v[i] = n })
		}
	}
	return changed
}

// maxIntegerDigits is the number of digits that always fit into an int64.
const maxIntegerDigits = 18

// integerValue returns a number without fraction and exponent; ok is false if its value is not whole, or too large.
func integerValue(n json.Number) (number json.Number, ok bool) {
	text, negative := strings.CutPrefix(n.String(), "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	integer, fraction, _ := strings.Cut(mantissa, ".")
	shift, err := strconv.Atoi(cmp.Or(strings.TrimPrefix(exponent, "+"), "0"))
	if err != nil {
		return n, false
	}
	significant := strings.TrimRight(integer+fraction, "0")
	digits := len(integer) + shift // in front of the point
	switch {
	case significant == "":
		return "0", true
	case len(significant) > digits || digits > maxIntegerDigits:
		return n, false
	}
	significant = strings.TrimLeft(significant+strings.Repeat("0", digits-len(significant)), "0")
	if negative {
		significant = "-" + significant
	}
	return json.Number(significant), true
}

func malformed(err error) error {
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("the body is not valid JSON: %s (at byte %d)", syntax.Error(), syntax.Offset)
	}
	return errors.New("the body is not valid JSON: it ends too early")
}
