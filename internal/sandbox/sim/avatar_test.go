package sim_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"testing"

	"crier/internal/sandbox/sim"
)

// avatar fetches an avatar with its headers.
func (b *harness) avatar(name string) (image.Image, []byte, http.Header) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+"/_avatar/"+name, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatalf("avatar %s: %d %v", name, resp.StatusCode, err)
	}
	picture, err := png.Decode(bytes.NewReader(buf.Bytes()))
	if err != nil {
		b.t.Fatalf("avatar %s is no PNG: %v", name, err)
	}
	return picture, buf.Bytes(), resp.Header
}

func TestAvatarIsSymmetric(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	picture, _, header := b.avatar("12345")
	if size := picture.Bounds().Size(); size != image.Pt(96, 96) {
		t.Fatalf("the picture is %v", size)
	}
	for y := range 96 {
		for x := range 48 {
			if picture.At(x, y) != picture.At(95-x, y) {
				t.Fatalf("row %d is not symmetric at %d", y, x)
			}
		}
	}
	for key, want := range map[string]string{"Content-Type": "image/png", "Cache-Control": "max-age=86400",
		"X-Content-Type-Options": "nosniff"} {
		if got := header.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestAvatarDependsOnTheNameBeforeItsSize(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	_, plain, _ := b.avatar("12345")
	for _, name := range []string{"12345_normal.png", "12345.png", "12345_400x400.jpg"} {
		if _, sized, _ := b.avatar(name); !bytes.Equal(sized, plain) {
			t.Errorf("%s differs from 12345", name)
		}
	}
	if _, other, _ := b.avatar("12346"); bytes.Equal(other, plain) {
		t.Error("two accounts have the same picture")
	}
	// A name that starts with the separator is used whole.
	_, first, _ := b.avatar("_one")
	if _, second, _ := b.avatar("_two"); bytes.Equal(first, second) {
		t.Error("_one and _two have the same picture")
	}
}
