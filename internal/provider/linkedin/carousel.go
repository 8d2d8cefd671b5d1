package linkedin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"
	"strings"

	"crier/internal/provider"
)

// LinkedIn shows the pages of a document as a carousel, which it does not offer for the images of a post. So that
// images can form one, they are put into a PDF: a page for each, with the bytes of its JPEG unchanged.

const (
	typePDF = "application/pdf"
	// carouselName is the default name of such a document.
	carouselName = "Carousel"
	// maxPageSide is the maximum side of a PDF page.
	maxPageSide = 14_400
	// headBytes is how much of a JPEG is read to inspect it: the part before its pixels.
	headBytes = 256 << 10
)

// pageOf returns the version of an image that goes into a document; ok is false if there is none.
func pageOf(m provider.Media) (page provider.Media, ok bool) {
	if m.MIMEType == "image/jpeg" {
		return m, true
	}
	if m.JPEG != nil {
		return *m.JPEG, true
	}
	return m, false
}

// newCarousel creates the document of some images. It opens each to read its dimensions, and reads it again when it is
// sent.
func newCarousel(ctx context.Context, images []provider.Media) (provider.Media, error) {
	var layout document
	for i, m := range images {
		page, ok := pageOf(m)
		if !ok {
			return provider.Media{}, &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
				Message: fmt.Sprintf("image %d cannot be a page of a document: there is no JPEG of it", i+1)}
		}
		facts, err := readPage(ctx, page)
		if err != nil {
			return provider.Media{}, err
		}
		layout.pages = append(layout.pages, facts)
	}
	sections := layout.sections()
	var size int64
	for _, s := range sections {
		size += s.size()
	}
	return provider.Media{FileName: carouselName, MIMEType: typePDF, Size: size,
		Open: func(ctx context.Context) (provider.MediaReader, error) { return openSections(ctx, sections) }}, nil
}

// pageFacts holds the properties of an image that the PDF needs.
type pageFacts struct {
	media         provider.Media
	width, height int
	space         string // color space
	decode        string
	turn          int // clockwise, in degrees
}

func readPage(ctx context.Context, m provider.Media) (pageFacts, error) {
	file, err := m.Open(ctx)
	if err != nil {
		return pageFacts{}, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media cannot be read from the media store", Err: err}
	}
	defer file.Close()
	head := make([]byte, min(m.Size, headBytes))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return pageFacts{}, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media cannot be read from the media store", Err: err}
	}
	config, err := jpeg.DecodeConfig(io.NewSectionReader(file, 0, m.Size))
	if err != nil {
		return pageFacts{}, &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: "an image cannot be a page of a document: it is not a readable JPEG", Err: err}
	}
	facts := pageFacts{media: m, width: config.Width, height: config.Height, space: "/DeviceRGB", turn: turnOf(head)}
	switch config.ColorModel {
	case color.GrayModel:
		facts.space = "/DeviceGray"
	case color.CMYKModel: // which programs write inverted
		facts.space, facts.decode = "/DeviceCMYK", "/Decode[1 0 1 0 1 0 1 0]"
	}
	return facts, nil
}

// turnOf returns the rotation of a picture according to its camera (Exif, tag 274).
func turnOf(head []byte) int {
	at := bytes.Index(head, []byte("Exif\x00\x00"))
	if at < 0 || len(head) < at+14 {
		return 0
	}
	tiff := head[at+6:]
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	first := int64(order.Uint32(tiff[4:]))
	if first+2 > int64(len(tiff)) {
		return 0
	}
	for i := range int64(order.Uint16(tiff[first:])) {
		entry := first + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 0
		}
		if order.Uint16(tiff[entry:]) == 274 {
			return map[uint16]int{3: 180, 6: 90, 8: 270}[order.Uint16(tiff[entry+8:])]
		}
	}
	return 0
}

// document is a PDF with one image per page.
type document struct{ pages []pageFacts }

// section is a section of a file: text, or the bytes of an image.
type section struct {
	text  []byte
	media *provider.Media
}

func (s section) size() int64 {
	if s.media != nil {
		return s.media.Size
	}
	return int64(len(s.text))
}

// pdfWriter writes a PDF in sections and records the offsets of its objects.
type pdfWriter struct {
	sections []section
	at       int64
	objects  []int64
}

func (w *pdfWriter) text(format string, args ...any) {
	s := section{text: fmt.Appendf(nil, format, args...)}
	w.sections, w.at = append(w.sections, s), w.at+s.size()
}

// object writes an object without the bytes of its stream; numbers start at 1, in order.
func (w *pdfWriter) object(format string, args ...any) {
	w.objects = append(w.objects, w.at)
	w.text("%d 0 obj\n"+format, append([]any{len(w.objects)}, args...)...)
}

// sections returns the sections of the file. Objects: the catalog, the list of pages, and three for each page.
func (d document) sections() []section {
	w := &pdfWriter{}
	w.text("%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n")
	w.object("<</Type/Catalog/Pages 2 0 R>>\nendobj\n")
	var kids strings.Builder
	for i := range d.pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+3*i)
	}
	w.object("<</Type/Pages/Kids[%s]/Count %d>>\nendobj\n", strings.TrimSpace(kids.String()), len(d.pages))
	for i, page := range d.pages {
		width, height := float64(page.width), float64(page.height)
		if side := max(width, height); side > maxPageSide {
			width, height = width*maxPageSide/side, height*maxPageSide/side
		}
		draw := fmt.Sprintf("q %.2f 0 0 %.2f 0 0 cm /I Do Q", width, height)
		w.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.2f %.2f]/Rotate %d/Resources<</XObject<</I %d 0 R>>>>"+
			"/Contents %d 0 R>>\nendobj\n", width, height, page.turn, 5+3*i, 4+3*i)
		w.object("<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(draw), draw)
		w.object("<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace%s/BitsPerComponent 8/Filter/DCTDecode%s"+
			"/Length %d>>\nstream\n", page.width, page.height, page.space, page.decode, page.media.Size)
		w.sections, w.at = append(w.sections, section{media: &page.media}), w.at+page.media.Size
		w.text("\nendstream\nendobj\n")
	}
	start := w.at
	w.text("xref\n0 %d\n0000000000 65535 f \n", len(w.objects)+1)
	for _, at := range w.objects {
		w.text("%010d 00000 n \n", at)
	}
	w.text("trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(w.objects)+1, start)
	return w.sections
}

// openDocument reads the sections of a file as one.
type openDocument struct {
	sections []section
	files    []provider.MediaReader // nil for texts
}

func openSections(ctx context.Context, sections []section) (provider.MediaReader, error) {
	d := &openDocument{sections: sections, files: make([]provider.MediaReader, len(sections))}
	for i, s := range sections {
		if s.media == nil {
			continue
		}
		var err error
		if d.files[i], err = s.media.Open(ctx); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return d, nil
}

// ReadAt reads across sections.
func (d *openDocument) ReadAt(p []byte, offset int64) (n int, err error) {
	for i, s := range d.sections {
		size := s.size()
		if offset >= size {
			offset -= size
			continue
		}
		want := min(int64(len(p)-n), size-offset)
		if s.media == nil {
			copy(p[n:], s.text[offset:offset+want])
		} else if read, err := d.files[i].ReadAt(p[n:n+int(want)], offset); int64(read) < want {
			return n + read, errors.Join(err, io.ErrUnexpectedEOF)
		}
		n, offset = n+int(want), 0
		if n == len(p) {
			return n, nil
		}
	}
	return n, io.EOF
}

// Close closes all images.
func (d *openDocument) Close() error {
	var problems []error
	for _, file := range d.files {
		if file != nil {
			problems = append(problems, file.Close())
		}
	}
	return errors.Join(problems...)
}
