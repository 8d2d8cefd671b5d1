package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// MaxBody is the maximum size of JSON and form bodies.
const MaxBody = 1 << 20

// Reply is a network's response to one call. Handlers return it instead of writing it, so that the response can be lost
// on demand after the request was carried out.
type Reply struct {
	Status int
	// Header is added to the response; it may be nil.
	Header http.Header
	// Body is encoded as JSON. A []byte is sent as it is, nil sends nothing.
	Body any
}

// Handler carries out one call and returns its response.
type Handler func(r *http.Request) Reply

// With sets a header of the reply and returns it.
func (r Reply) With(key, value string) Reply {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(key, value)
	return r
}

// write sends the reply. A disconnected client is no error: networks do not notice either.
func (r Reply) write(w http.ResponseWriter) {
	body, err := r.encode()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for key, values := range r.Header {
		w.Header()[http.CanonicalHeaderKey(key)] = values
	}
	if len(body) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(body) //nolint:gosec // a simulated response of a network
}

func (r Reply) encode() ([]byte, error) {
	switch body := r.Body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return body, nil
	default:
		return EncodeJSON(body)
	}
}

// EncodeJSON encodes v without escaping HTML characters, as the networks do.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// ReadBody reads a body of at most MaxBody bytes.
func ReadBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("body is larger than %d bytes", MaxBody)
	}
	return body, nil
}

// DecodeJSON decodes one JSON value into v. Unknown keys are ignored.
func DecodeJSON(r *http.Request, v any) error {
	return decodeJSON(r, v, false)
}

// DecodeStrictJSON decodes one JSON value into v and rejects unknown keys.
func DecodeStrictJSON(r *http.Request, v any) error {
	return decodeJSON(r, v, true)
}

func decodeJSON(r *http.Request, v any, strict bool) error {
	body, err := ReadBody(r)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if strict {
		dec.DisallowUnknownFields()
	}
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("decode JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("decode JSON: more than one value")
	}
	return nil
}
