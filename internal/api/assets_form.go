package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"reflect"
	"sync"
	"unicode/utf8"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/library"
)

const (
	fileField = "file"
	// maxFields and maxFieldBytes limit the fields of a form besides its file.
	maxFields     = 16
	maxFieldBytes = 64 << 10
)

// assetForm is a form with a file.
type assetForm struct {
	File string `json:"file" format:"binary" doc:"The file. Its type is detected from the content; a declared type must match."`
	crier.AssetDetails
}

// uploadForm reads such a form as it arrives: fields, the file, further fields.
type uploadForm struct {
	parts  *multipart.Reader
	fields map[string]any
}

// openForm reads the type of a body; a body that is not a form is an issue.
func openForm(body *contract.Stream) (*uploadForm, []crier.Issue) {
	given := body.Header.Get("Content-Type")
	mediaType, params, err := mime.ParseMediaType(given)
	if err != nil || mediaType != "multipart/form-data" || params["boundary"] == "" {
		return nil, []crier.Issue{crier.At(fmt.Sprintf("the Content-Type must be multipart/form-data with a "+
			"boundary, got %.100q", given))}
	}
	return &uploadForm{parts: multipart.NewReader(body, params["boundary"]), fields: map[string]any{}}, nil
}

// toFile reads the fields before the file, which is then next to be read.
func (f *uploadForm) toFile() (library.AssetFile, error) {
	part, err := f.next()
	if err != nil {
		return library.AssetFile{}, err
	}
	if part == nil {
		return library.AssetFile{},
			crier.Invalid(crier.At("is required: the file, as a part of the form with a file name", fileField))
	}
	if _, err := f.check(); err != nil {
		return library.AssetFile{}, err
	}
	return library.AssetFile{Body: formFile{part}, FileName: part.FileName(),
		MimeType: part.Header.Get("Content-Type")}, nil
}

// formDigest reads a whole form and returns its digest.
func formDigest(body *contract.Stream) ([]byte, error) {
	form, issues := openForm(body)
	if len(issues) > 0 {
		return nil, crier.Invalid(issues...)
	}
	file, err := form.toFile()
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(file.Body, crier.MaxAssetSize+1)); err != nil {
		return nil, err
	}
	details, err := form.readRest()
	if err != nil {
		return nil, err
	}
	return file.Digest(hex.EncodeToString(hash.Sum(nil)), details)
}

// readRest reads the fields after the file and returns the values of all fields.
func (f *uploadForm) readRest() (crier.AssetDetails, error) {
	part, err := f.next()
	if err != nil {
		return crier.AssetDetails{}, err
	}
	if part != nil {
		return crier.AssetDetails{}, crier.Invalid(crier.At("is given twice; a request has one file", fileField))
	}
	return f.check()
}

// next reads fields up to a file, or to the end of the form: then there is no part.
func (f *uploadForm) next() (*multipart.Part, error) {
	for {
		part, err := f.parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, formError(err)
		}
		if part.FormName() == fileField {
			return part, nil
		}
		if err := f.field(part); err != nil {
			return nil, err
		}
	}
}

func (f *uploadForm) field(part *multipart.Part) error {
	name := part.FormName()
	if _, twice := f.fields[name]; twice {
		return crier.Invalid(crier.At("is given twice", name))
	}
	if len(f.fields) == maxFields {
		return crier.Invalid(crier.At(fmt.Sprintf("the form has more than %d fields", maxFields)))
	}
	data, err := io.ReadAll(io.LimitReader(part, maxFieldBytes+1))
	if err != nil {
		return formError(err)
	}
	if len(data) > maxFieldBytes {
		return crier.Invalid(crier.At(fmt.Sprintf("is longer than %d bytes", maxFieldBytes), name))
	}
	if !utf8.Valid(data) {
		return crier.Invalid(crier.At("is not valid UTF-8", name))
	}
	f.fields[name] = string(data)
	return nil
}

// assetFields reads the fields of a form besides the file.
var assetFields = sync.OnceValue(func() *contract.Fields {
	return contract.NewFields(reflect.TypeFor[crier.AssetDetails]())
})

// check validates the fields like those of a JSON body. Browsers send empty fields: these are ignored.
func (f *uploadForm) check() (crier.AssetDetails, error) {
	fields := map[string]any{}
	for name, value := range f.fields {
		if value != "" {
			fields[name] = value
		}
	}
	var details crier.AssetDetails
	data, err := json.Marshal(fields)
	if err != nil {
		return details, fmt.Errorf("encode the fields of a form: %w", err)
	}
	return details, assetFields().Decode(data, &details)
}

// formFile is the file of a form. A form that ends within it is a client error.
type formFile struct{ part io.Reader }

// Read reads from the part.
func (f formFile) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = formError(err)
	}
	return n, err
}

// formError returns the error for a form that cannot be read.
func formError(err error) error {
	if _, ok := errors.AsType[*crier.Error](err); ok {
		return err
	}
	return crier.Invalid(crier.At("the form is malformed or ends too early"))
}
