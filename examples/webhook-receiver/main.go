// webhook-receiver receives webhooks of crier, verifies their signatures, and handles each event once.
//
//	SECRET=whsec_… go run ./examples/webhook-receiver
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// genuine reports whether the request is signed with the secret and not older than five minutes.
func genuine(secret string, h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	at, timeErr := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || timeErr != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute { //nolint:forbidigo // a program
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(h.Get("webhook-id") + "." + h.Get("webhook-timestamp") + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for got := range strings.FieldsSeq(h.Get("webhook-signature")) { // two while the secret is rotated
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}
	return false
}

// receiver calls handle once for each event. A real one stores the ids in the database that handle writes to.
func receiver(secret string, handle func(event []byte)) http.Handler {
	var handled sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !genuine(secret, r.Header, body) {
			http.Error(w, "not a webhook of crier", http.StatusUnauthorized)
			return
		}
		if _, again := handled.LoadOrStore(r.Header.Get("webhook-id"), true); !again {
			handle(body)
		}
	})
}

func main() {
	address := cmp.Or(os.Getenv("LISTEN"), "127.0.0.1:3000")                                 //nolint:forbidigo // a program
	handler := receiver(os.Getenv("SECRET"), func(event []byte) { log.Printf("%s", event) }) //nolint:forbidigo // as above
	log.Fatal(http.ListenAndServe(address, handler))                                         //nolint:gosec // an example
}
