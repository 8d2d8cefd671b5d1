package crier_test

import (
	"encoding/json"
	"testing"

	"crier"
)

func TestAttachedAssetOmitsMissingFields(t *testing.T) {
	t.Parallel()
	const id = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
	for name, tc := range map[string]struct {
		asset crier.AttachedAsset
		want  string
	}{
		"an image without alternative text": {
			crier.AttachedAsset{AssetID: id, MimeType: "image/jpeg", ByteSize: 9, Width: 4, Height: 3},
			`{"assetId":"` + id + `","mimeType":"image/jpeg","byteSize":9,"width":4,"height":3}`,
		},
		"a video": {
			crier.AttachedAsset{AssetID: id, MimeType: "video/mp4", ByteSize: 9, Width: 4, Height: 3,
				DurationSeconds: 1.5, ThumbnailURL: "https://crier.test/t", AltText: "An owl."},
			`{"assetId":"` + id + `","mimeType":"video/mp4","byteSize":9,"width":4,"height":3,"durationSeconds":1.5,` +
				`"thumbnailUrl":"https://crier.test/t","altText":"An owl."}`,
		},
	} {
		if got, err := json.Marshal(tc.asset); err != nil || string(got) != tc.want {
			t.Errorf("%s is written as %s, %v", name, got, err)
		}
	}
}
