package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

// interfaceVersion is the version of the contract, not of the program.
const interfaceVersion = "0.1.0"

const documentDescription = `Draft, schedule and publish social posts.

Every request needs the header ` + "`Authorization: Bearer <token>`" + `, where the token is an API key of an organization, or the access token of
a device login.

* Times in answers are RFC 3339, UTC, with milliseconds. Times in requests need ` + "`Z`" + ` or an offset.
* Every POST, PATCH and DELETE takes an ` + "`Idempotency-Key`" + ` header (1 to 255 visible characters): for 24 hours, a repeat of the same
  request gets the first answer again, with ` + "`Idempotency-Replayed: true`" + `.
* Lists are pages: send ` + "`nextCursor`" + ` or ` + "`prevCursor`" + ` back as ` + "`cursor`" + ` with the same filters and sort.
* Requests are limited per token: ` + "`RateLimit`, `RateLimit-Policy` and `Retry-After`" + ` tell where you stand.
* Unknown keys in a body are refused; unknown query parameters are ignored.`

// arraysNeverNull switches Huma's default off: in this interface a list is never null unless its field says so.
var arraysNeverNull = sync.OnceFunc(func() { huma.DefaultArrayNullable = false })

func newDocument(r *registry, version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title:       "crier",
			Version:     interfaceVersion,
			Description: documentDescription,
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			Extensions:  map[string]any{"x-program-version": version},
		},
		Components: &huma.Components{
			Schemas: r,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"bearer": {Type: "http", Scheme: "bearer", Description: "An API key of an organization, or the access token of a device login."},
			},
		},
	}
}

// addDocument serves the document, and has its page for people ready. Both are written when somebody first asks for them:
// most starts are not for reading.
func (s *Server) addDocument() {
	s.describeSettings()
	s.openAPI = sync.OnceValue(func() []byte {
		data, err := json.MarshalIndent(s.document, "", " ")
		if err != nil {
			panic(fmt.Sprintf("the OpenAPI document cannot be written: %v", err)) // by a programmer's error only
		}
		return data
	})
	s.docs = sync.OnceValue(func() docsBytes {
		page, err := s.pages.renderDocs(newDocsPage(s.document, s.registry, s.routes))
		if err != nil {
			panic(fmt.Sprintf("the documentation cannot be written: %v", err)) // by a programmer's error only
		}
		return page
	})
	s.router.Get("/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = "/openapi.json"
		w.Header().Set("Cache-Control", "public, max-age=300")
		writeBytes(w, http.StatusOK, s.openAPI())
	})
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// settingsSchema is the name under which the document has the publish settings.
const settingsSchema = "PlatformSettings"

// describeSettings tells the publish settings of all networks in the document. They are checked by the networks' own
// declarations, so the schemas are told, not enforced here.
func (s *Server) describeSettings() {
	if s.services == nil || s.services.Schedules == nil { // a door without rules behind it, as tests of its shape have
		return
	}
	s.registry.schemas[settingsSchema] = &huma.Schema{
		Type: huma.TypeObject, Description: "Publish settings by key: the network's name and the setting's.", AdditionalProperties: false,
		Extensions: map[string]any{"properties": s.services.Schedules.SettingsSchema()},
	}
	told := map[string]any{"$ref": schemaPrefix + settingsSchema}
	for _, name := range []string{schemaName(typeOf[crier.ScheduleRequest]()), schemaName(typeOf[crier.PostNowRequest]())} {
		request := s.registry.schemas[name]
		if request == nil {
			continue
		}
		request.Properties["platformSettings"].Extensions = told
		if own, ok := request.Properties["platformSettingsBySocialAccountId"].AdditionalProperties.(*huma.Schema); ok {
			own.Extensions = told
		}
	}
}
