package api

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/go-chi/chi/v5"

	"crier/internal/api/contract"
)

// description is the interface as its types describe it. Making it takes longer than the rest of a start, so that all
// servers of a process share one: each reads its requests by it.
var description = sync.OnceValue(func() *contract.Document {
	s := &Server{router: chi.NewRouter(), document: contract.NewDocument()}
	s.addRoutes()
	s.addPages()
	s.document.Complete()
	return s.document
})

// addDocument serves the document, and has its page for people ready. Both are written when somebody first asks for
// them: most starts are not for reading.
func (s *Server) addDocument(version string) {
	told := sync.OnceValue(func() *contract.Document {
		var settings map[string]any
		if s.services != nil && s.services.Schedules != nil { // tests of its shape have no rules behind the door
			settings = s.services.Schedules.SettingsSchema()
		}
		return s.document.For(version, settings)
	})
	s.openAPI = sync.OnceValue(func() []byte { return told().JSON() })
	s.docs = sync.OnceValue(func() docsBytes {
		page, err := s.pages.renderDocs(told().Reference())
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
