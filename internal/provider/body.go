package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"
)

// Body is the body of a request. It can be read more than once, so that the transport may retry on another connection
// if nothing was written on the first.
type Body struct {
	contentType string
	length      int64
	open        func() io.Reader
	preview     string // shown in the record of the exchange
}

// JSONBody returns a body with v as JSON.
func JSONBody(v any) (Body, error) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return Body{}, fmt.Errorf("encode request: %w", err)
	}
	return textBody("application/json", strings.TrimSuffix(buf.String(), "\n")), nil
}

// FormBody returns a form body.
func FormBody(form url.Values) Body {
	return textBody("application/x-www-form-urlencoded", form.Encode())
}

// NoBody returns an explicitly empty body with a content type.
func NoBody(contentType string) Body { return textBody(contentType, "") }

func textBody(contentType, text string) Body {
	return Body{
		contentType: contentType,
		length:      int64(len(text)),
		open:        func() io.Reader { return strings.NewReader(text) },
		preview:     text,
	}
}

// SectionBody returns a body with n bytes of a file, starting at an offset.
func SectionBody(contentType string, file io.ReaderAt, offset, n int64) Body {
	return Body{
		contentType: contentType,
		length:      n,
		open:        func() io.Reader { return io.NewSectionReader(file, offset, n) },
		preview:     fmt.Sprintf("[%d bytes from %d]", n, offset),
	}
}

// RelatedBody returns a body of two parts: JSON and a text.
func RelatedBody(v any, contentType, text string) (Body, error) {
	metadata, err := JSONBody(v)
	if err != nil {
		return Body{}, err
	}
	var buf bytes.Buffer
	parts := multipart.NewWriter(&buf)
	for _, p := range []struct{ contentType, text string }{
		{metadata.contentType + "; charset=UTF-8", metadata.preview}, {contentType, text},
	} {
		part, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {p.contentType}})
		if err == nil {
			_, err = io.WriteString(part, p.text)
		}
		if err != nil {
			return Body{}, fmt.Errorf("write part: %w", err)
		}
	}
	if err := parts.Close(); err != nil {
		return Body{}, fmt.Errorf("write parts: %w", err)
	}
	body := textBody("multipart/related; boundary="+parts.Boundary(), buf.String())
	body.preview = fmt.Sprintf("%s and [%d bytes]", metadata.preview, len(text))
	return body, nil
}

// FilePart is the file of a MultipartBody.
type FilePart struct {
	Field, FileName, ContentType string
	File                         io.ReaderAt
	Offset, Size                 int64
}

// Field is a name and value of a MultipartBody.
type Field struct{ Name, Value string }

// MultipartBody returns a multipart form of fields followed by a chunk of a file, without holding the file in memory.
func MultipartBody(fields []Field, file FilePart) (Body, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	for _, f := range fields {
		if err := form.WriteField(f.Name, f.Value); err != nil {
			return Body{}, fmt.Errorf("write form field %s: %w", f.Name, err)
		}
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition(file.Field, file.FileName))
	header.Set("Content-Type", file.ContentType)
	if _, err := form.CreatePart(header); err != nil {
		return Body{}, fmt.Errorf("write form file %s: %w", file.Field, err)
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	return Body{
		contentType: form.FormDataContentType(),
		length:      int64(head.Len()) + file.Size + int64(len(tail)),
		open: func() io.Reader {
			return io.MultiReader(bytes.NewReader(head.Bytes()), io.NewSectionReader(file.File, file.Offset, file.Size),
				strings.NewReader(tail))
		},
		preview: multipartPreview(fields, file),
	}, nil
}

func multipartPreview(fields []Field, file FilePart) string {
	var lines strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&lines, "%s=%s&", f.Name, f.Value)
	}
	fmt.Fprintf(&lines, "%s=[%d bytes from %d]", file.Field, file.Size, file.Offset)
	return lines.String()
}
