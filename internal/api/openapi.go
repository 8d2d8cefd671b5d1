package api

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/go-chi/chi/v5"

	"crier/internal/api/contract"
)

// inputs are the inputs that decode requests. Building them takes longer than the rest of a start, so all servers of a
// process share them.
var inputs = sync.OnceValue(func() *contract.Document { return describe(contract.NewInputs()) })

// description is the whole API as its types describe it. It is several times as large as the inputs, and built on the
// first request for it.
var description = sync.OnceValue(func() *contract.Document { return describe(contract.NewDocument()) })

func describe(d *contract.Document) *contract.Document {
	s := &Server{router: chi.NewRouter(), document: d}
	s.addRoutes()
	s.addPages()
	d.Complete()
	return d
}

// addDocument serves the document and its page for people. Both are rendered on the first request: most processes never
// serve them.
func (s *Server) addDocument(version string) {
	document := sync.OnceValue(func() *contract.Document {
		var settings map[string]any
		if s.services != nil && s.services.Schedules != nil { // tests of its shape have no services
			settings = s.services.Schedules.SettingsSchema()
		}
		return description().For(version, settings)
	})
	s.openAPI = sync.OnceValue(func() []byte { return document().JSON() })
	s.docs = sync.OnceValue(func() docsBytes {
		page, err := s.pages.renderDocs(document().Reference())
		if err != nil {
			panic(fmt.Sprintf("the documentation cannot be written: %v", err)) // by a programmer's error only
		}
		return page
	})
	s.router.Get("/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = "/openapi.json"
		w.Header().Set("Cache-Control", "public, max-age=300")
		s.send(w, r, http.StatusOK, s.openAPI())
	})
}
