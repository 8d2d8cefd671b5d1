package media

import (
	"bytes"
	"net/http"
	"slices"
)

// SniffLen is the maximum number of bytes that Sniff needs.
const SniffLen = 512

// Sniff detects the type of a file from its first bytes, whatever its name is. Unsupported types are rejected, so that
// an upload can be stopped early. The file may still be invalid: see Probe.
func Sniff(head []byte) (string, error) {
	switch {
	case len(head) == 0:
		return "", refuse(ReasonEmpty, "The file is empty.")
	case bytes.HasPrefix(head, []byte{0xff, 0xd8, 0xff}):
		return TypeJPEG, nil
	case bytes.HasPrefix(head, []byte(pngSignature)):
		return TypePNG, nil
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return TypeGIF, nil
	case hasAt(head, 0, "RIFF") && hasAt(head, 8, "WEBP"):
		return TypeWebP, nil
	case hasAt(head, 4, "ftyp"):
		return sniffBrand(head)
	case startsQuickTime(head):
		return TypeMOV, nil
	case bytes.HasPrefix(head, []byte{0x1a, 0x45, 0xdf, 0xa3}):
		return sniffMatroska(head)
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return TypePDF, nil
	}
	return "", unsupported(http.DetectContentType(head))
}

func hasAt(head []byte, at int, s string) bool {
	return len(head) >= at+len(s) && string(head[at:at+len(s)]) == s
}

func unsupported(found string) *Refusal {
	return refuse(ReasonUnsupported, "Files of this kind (%s) cannot be used. Allowed are %s.", found, allowedTypes)
}

// startsQuickTime detects QuickTime files that predate the ftyp box.
func startsQuickTime(head []byte) bool {
	return slices.ContainsFunc([]string{"moov", "mdat", "wide", "pnot"},
		func(box string) bool { return hasAt(head, 4, box) })
}

// sniffBrand distinguishes the formats based on ISO base media by their major brand.
func sniffBrand(head []byte) (string, error) {
	if len(head) < 12 {
		return "", cutOff("file")
	}
	switch brand := string(head[8:12]); {
	case brand == "qt  ":
		return TypeMOV, nil
	case slices.Contains([]string{"heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"}, brand):
		return "", refuse(ReasonUnsupported, "HEIC pictures cannot be used, because most networks do not accept them. "+
			"Convert the picture to JPEG, or set the camera to the most compatible format.")
	case brand == "avif" || brand == "avis":
		return "", refuse(ReasonUnsupported, "AVIF pictures cannot be used, because most networks do not accept them. "+
			"Convert the picture to JPEG or PNG.")
	case slices.Contains([]string{"M4A ", "M4B ", "M4P "}, brand):
		return "", refuse(ReasonUnsupported, "The file has only sound. Allowed are %s.", allowedTypes)
	case brand[:2] == "3g":
		return "", refuse(ReasonUnsupported, "3GP videos cannot be used. Convert the video to MP4.")
	case brand == "crx " || brand == "jp2 ":
		return "", unsupported("image/" + brand[:3])
	}
	return TypeMP4, nil
}

// sniffMatroska distinguishes WebM, a subset of Matroska, from the rest.
func sniffMatroska(head []byte) (string, error) {
	if bytes.Contains(head[:min(len(head), 64)], []byte("webm")) {
		return TypeWebM, nil
	}
	return "", refuse(ReasonUnsupported, "Matroska videos cannot be used. Convert the video to MP4.")
}
