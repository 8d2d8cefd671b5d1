package mediatest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// PDF returns a document of empty pages with a plain cross-reference table.
func PDF(pages int) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", pageTree(pages, 3)}
	for range pages {
		objects = append(objects, emptyPage)
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var table strings.Builder
	fmt.Fprintf(&table, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table.String(), len(objects)+1,
		start)
	return b.Bytes()
}

const emptyPage = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>"

func pageTree(pages, first int) string {
	kids := make([]string, pages)
	for i := range kids {
		kids[i] = fmt.Sprintf("%d 0 R", i+first)
	}
	return fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", pages, strings.Join(kids, " "))
}

// CompressedPDF returns a document with its objects in a compressed object stream, as newer programs write them.
func CompressedPDF(pages int) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", pageTree(pages, 3)}
	for range pages {
		objects = append(objects, emptyPage)
	}
	var index, body strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&index, "%d %d ", i+1, body.Len())
		body.WriteString(object + "\n")
	}
	stream := deflate([]byte(index.String() + body.String()))
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\nstream\n",
		len(objects)+1, len(objects), index.Len(), len(stream))
	b.Write(stream)
	b.WriteString("\nendstream\nendobj\n")
	start := b.Len()
	writeReferenceStream(&b, len(objects), start)
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// writeReferenceStream writes the cross-reference stream for objects that are all in one object stream.
func writeReferenceStream(b *bytes.Buffer, objects, start int) {
	rows := []byte{0, 0, 0, 0, 0}
	for i := range objects {
		rows = append(rows, join([]byte{2}, u16(objects+1), u16(i))...)
	}
	rows = append(rows, join([]byte{1}, u16(bytes.Index(b.Bytes(), fmt.Appendf(nil, "%d 0 obj", objects+1))),
		u16(0))...)
	rows = append(rows, join([]byte{1}, u16(start), u16(0))...)
	stream := deflate(rows)
	fmt.Fprintf(b, "%d 0 obj\n<< /Type /XRef /Size %d /W [1 2 2] /Root 1 0 R /Filter /FlateDecode /Length %d "+
		">>\nstream\n",
		objects+2, objects+3, len(stream))
	b.Write(stream)
	b.WriteString("\nendstream\nendobj\n")
}

func deflate(plain []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write(plain)
	must(err)
	must(z.Close())
	return b.Bytes()
}
