package api

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
	"crier/internal/library"
)

type appendUploadInput struct {
	uploadPath
	ContentRange byteRange        `header:"Content-Range" example:"bytes 0-8388607/20971520" doc:"The range of the chunk: bytes <first>-<last>/<all>, such as bytes 0-8388607/20971520."`
	Stream       *contract.Stream `stream:"application/octet-stream"`
}

var appendUploadDoc = doc{
	ID: "appendUpload", Tag: "Media library", Summary: "Upload a chunk", Long: true,
	Description: "A chunk has at most 64 MiB, and after a thousand chunks at least 256 KiB (the last one may be " +
		"smaller); `chunkSize` of the upload is a good size. A chunk counts once it is stored completely: send " +
		"an interrupted one again. A chunk that does not start at `nextByteStart` is a 409 with the right value. " +
		"A file of an unsupported type is rejected with its first chunk.",
}

func (in *appendUploadInput) check(*Server) []crier.Issue {
	if length := in.ContentRange.Length; in.Stream.Length >= 0 && length > 0 && in.Stream.Length != length {
		return []crier.Issue{crier.At(fmt.Sprintf("names %d bytes, but the body has %d", length, in.Stream.Length),
			"Content-Range")}
	}
	return nil
}

func (s *Server) appendUpload(ctx context.Context, scope access.TeamScope, in *appendUploadInput) (crier.Upload,
	error) {
	return s.services.Uploads.Append(ctx, scope, in.UploadID, in.ContentRange.UploadChunk, in.Stream)
}

// byteRange is the header Content-Range of a chunk.
type byteRange struct{ library.UploadChunk }

var rangePattern = regexp.MustCompile(`^bytes ([0-9]{1,16})-([0-9]{1,16})/([0-9]{1,16})$`)

// UnmarshalText parses the header.
func (b *byteRange) UnmarshalText(text []byte) error {
	found := rangePattern.FindSubmatch(text)
	if found == nil {
		return errors.New("must be of the form bytes <first>-<last>/<all>, such as bytes 0-8388607/20971520")
	}
	var n [3]int64
	for i := range n {
		number, err := strconv.ParseUint(string(found[i+1]), 10, 63)
		if err != nil || number > math.MaxInt64 {
			return errors.New("has a number that is too large")
		}
		n[i] = int64(number)
	}
	if n[1] < n[0] || n[1] >= n[2] {
		return fmt.Errorf("the bytes %d to %d are not a part of a file of %d bytes; the first is 0, the last included",
			n[0], n[1], n[2])
	}
	b.UploadChunk = library.UploadChunk{Start: n[0], Length: n[1] - n[0] + 1, Total: n[2]}
	return nil
}
