package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/internal/api/contract"
)

func TestUnsatisfiableRangesGetTheErrorBody(t *testing.T) {
	t.Parallel()
	for ranges, want := range map[string]int{"": http.StatusOK, "bytes=2-3": http.StatusPartialContent,
		"bytes=10-20": http.StatusRequestedRangeNotSatisfiable, "bytes=x": http.StatusRequestedRangeNotSatisfiable} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if ranges != "" {
			r.Header.Set("Range", ranges)
		}
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "image/jpeg")
		http.ServeContent(&rangeWriter{ResponseWriter: w}, r, "", time.Time{}, strings.NewReader("abcdef"))
		if w.Code != want {
			t.Errorf("%q: status %d, want %d", ranges, w.Code, want)
		}
		if want != http.StatusRequestedRangeNotSatisfiable {
			continue
		}
		var body contract.HttpApiDecodeError
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Tag != "HttpApiDecodeError" ||
			len(body.Issues) != 1 || body.Issues[0].Path[0] != "Range" ||
			w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q: %v %s, %v", ranges, w.Header(), w.Body, err)
		}
		if ranges == "bytes=10-20" && w.Header().Get("Content-Range") != "bytes */6" {
			t.Errorf("Content-Range is %q", w.Header().Get("Content-Range"))
		}
	}
}
