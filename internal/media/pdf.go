package media

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strconv"
)

const (
	pdfWindow  = 512 << 10 // read at a time
	pdfOverlap = 64 << 10  // the longest dictionary that is seen completely

	// Limits of decompressing object streams, so that no document keeps the reader busy for long.
	pdfMaxObjectStreams = 2_000
	pdfMaxStreamBytes   = 4 << 20
	pdfMaxUnpacked      = 128 << 20
)

var (
	pdfPageTree     = regexp.MustCompile(`/Type\s*/Pages\b`)
	pdfCount        = regexp.MustCompile(`/Count\s+(\d{1,7})\b`)
	pdfObjectStream = regexp.MustCompile(`/Type\s*/ObjStm\b`)
	pdfStreamStart  = regexp.MustCompile(`stream\r?\n`)
)

// pdf is a document whose pages are being counted.
type pdf struct {
	src      *source
	pages    int
	streams  int // object streams decompressed so far
	unpacked int // bytes decompressed so far
}

// parsePDF checks that a PDF is complete and counts its pages: the root of the page tree has the highest count of all
// its nodes, whether they are plain or in compressed object streams. Encrypted and unusual documents may hide it; they
// have 0 pages.
func parsePDF(src *source) (Info, error) {
	tail, err := src.bytes(max(0, src.size-1024), int(min(src.size, 1024)))
	if err != nil {
		return Info{}, err
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return Info{}, errBeyondEnd
	}
	document := &pdf{src: src}
	window := make([]byte, min(pdfWindow, src.size))
	for at := int64(0); at < src.size; at += pdfWindow - pdfOverlap {
		window = window[:min(int64(len(window)), src.size-at)]
		if err := src.read(window, at); err != nil {
			return Info{}, err
		}
		if err := document.search(window, at); err != nil {
			return Info{}, err
		}
	}
	return Info{Kind: KindDocument, Pages: document.pages}, nil
}

// search finds page tree nodes in a part of the file and in the object streams that start there.
func (d *pdf) search(window []byte, at int64) error {
	d.pages = max(d.pages, countPages(window))
	for _, place := range pdfObjectStream.FindAllIndex(window, -1) {
		objects, err := d.unpack(at + int64(place[1]))
		if err != nil {
			return err
		}
		d.pages = max(d.pages, countPages(objects))
	}
	return nil
}

// unpack decompresses the object stream whose dictionary ends after an offset. Unusual compression yields nothing.
func (d *pdf) unpack(at int64) ([]byte, error) {
	if d.streams++; d.streams > pdfMaxObjectStreams || d.unpacked > pdfMaxUnpacked {
		return nil, nil
	}
	head, err := d.src.bytes(at, int(min(1024, d.src.size-at)))
	if err != nil {
		return nil, err
	}
	place := pdfStreamStart.FindIndex(head)
	if place == nil {
		return nil, nil
	}
	start := at + int64(place[1])
	packed, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(d.src, start, d.src.size-start)))
	if err != nil {
		return nil, d.src.err
	}
	var objects bytes.Buffer
	if _, err := io.Copy(&objects, io.LimitReader(packed, pdfMaxStreamBytes)); err != nil && d.src.err != nil {
		return nil, d.src.err
	}
	d.unpacked += objects.Len()
	return objects.Bytes(), nil
}

// countPages returns the highest count of the page tree nodes in a text.
func countPages(text []byte) int {
	most := 0
	for {
		place := pdfPageTree.FindIndex(text)
		if place == nil {
			return most
		}
		start, end := dictionaryStart(text[:place[0]]), place[1]+dictionaryEnd(text[place[1]:])
		for _, match := range pdfCount.FindAllSubmatch(text[start:end], -1) {
			if count, err := strconv.Atoi(string(match[1])); err == nil {
				most = max(most, count)
			}
		}
		text = text[end:]
	}
}

// dictionaryStart returns the start of the dictionary that is still open at the end of a text.
func dictionaryStart(text []byte) int {
	closed := 0
	for i := len(text) - 2; i >= 0; i-- {
		switch string(text[i : i+2]) {
		case ">>":
			closed++
			i--
		case "<<":
			if closed == 0 {
				return i
			}
			closed--
			i--
		}
	}
	return 0
}

// dictionaryEnd returns the end of the dictionary that is open at the start of a text.
func dictionaryEnd(text []byte) int {
	opened := 0
	for i := 0; i+1 < len(text); i++ {
		switch string(text[i : i+2]) {
		case "<<":
			opened++
			i++
		case ">>":
			if opened == 0 {
				return i
			}
			opened--
			i++
		}
	}
	return len(text)
}
