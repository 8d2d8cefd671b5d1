package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

// interfaceVersion is the version of the contract, not of the program.
const interfaceVersion = "0.1.0"

const documentDescription = `Draft, schedule and publish social posts.

Every request needs the header ` + "`Authorization: Bearer <token>`" + `, where the token is an API key of an organization, or the access token of
a device login.

* Times in responses are RFC 3339, UTC, with milliseconds. Times in requests need ` + "`Z`" + ` or an offset.
* Every POST, PATCH and DELETE takes an ` + "`Idempotency-Key`" + ` header (1 to 255 visible characters): for 24 hours, a repeat of the same
  request gets the first response again, with ` + "`Idempotency-Replayed: true`" + `.
* Lists are paged: send ` + "`nextCursor`" + ` or ` + "`prevCursor`" + ` back as ` + "`cursor`" + ` with the same filters and sort.
* Requests are limited per token: ` + "`RateLimit`, `RateLimit-Policy` and `Retry-After`" + ` report the current state.
* Unknown keys in a body are rejected; unknown query parameters are ignored.`

// arraysNeverNull disables Huma's default: in this API a list is never null unless its field says so.
var arraysNeverNull = sync.OnceFunc(func() { huma.DefaultArrayNullable = false })

func newOpenAPI(r *Registry) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title:       "crier",
			Version:     interfaceVersion,
			Description: documentDescription,
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Components: &huma.Components{
			Schemas: r,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"bearer": {Type: "http", Scheme: "bearer",
					Description: "An API key of an organization, or the access token of a device login."},
				"session": {Type: "apiKey", In: "cookie", Name: "crier_session",
					Description: "The session of a browser that is signed in, from this installation's own pages: " +
						"`Sec-Fetch-Site: same-origin`, or `X-Crier-Request: 1` where the browser does not send that " +
						"header."},
			},
		},
	}
}

// Route is one line of the route table.
type Route struct {
	Method, Path string
	// Permission that the route needs; empty if it needs none, or only an authenticated caller.
	Permission string
	// Open routes need no token.
	Open bool
	// Person routes are for people with a login, not for API keys.
	Person bool
}

// Operation describes a route of the API.
type Operation struct {
	Route
	ID, Summary, Description, Tag string
	// Status of a success.
	Status int
	// Sorts of a list operation; the first is the default.
	Sorts []string
	// Costs is true if the operation may be rejected for lack of credits, Conflicts if it may conflict with the current
	// state.
	Costs, Conflicts bool
	// In is the input type of the operation; see NewInput.
	In reflect.Type
	// Out is the type of the JSON response; nil means that the response is a file, or a stream of events.
	Out    reflect.Type
	Events bool
	// CSV is true if the response can also be a table.
	CSV bool
}

// Document describes the API: its operations with their inputs, and their OpenAPI document, which is nil if requests
// are only read.
type Document struct {
	registry *Registry
	openAPI  *huma.OpenAPI
	routes   []Route
	inputs   map[Route]*Input
	errors   map[string]*huma.Response // by what is said of them
	complete bool
}

// NewDocument returns a document without operations.
func NewDocument() *Document {
	registry := NewRegistry()
	return &Document{registry: registry, openAPI: newOpenAPI(registry), inputs: map[Route]*Input{},
		errors: map[string]*huma.Response{}}
}

// NewInputs returns a document that only reads requests: it has inputs, but no OpenAPI document.
func NewInputs() *Document {
	return &Document{registry: NewRegistry(), inputs: map[Route]*Input{}}
}

// Complete completes the description. It does not change any more, so that any number of servers can share it: adding
// an operation to it again only finds its input.
func (d *Document) Complete() { d.complete = true }

// Registry has the schemas of the document.
func (d *Document) Registry() *Registry { return d.registry }

// OpenAPI returns the document itself.
func (d *Document) OpenAPI() *huma.OpenAPI { return d.openAPI }

// AddRoute adds a route to the reference.
func (d *Document) AddRoute(r Route) { d.routes = append(d.routes, r) }

// Add adds an operation and returns its input.
func (d *Document) Add(o Operation) *Input {
	if d.complete {
		return d.known(o.Route)
	}
	in := NewInput(d.registry, o.In)
	in.sortBy(o.Sorts)
	d.inputs[o.Route] = in
	d.AddRoute(o.Route)
	if d.openAPI != nil {
		d.openAPI.AddOperation(d.operation(o, in))
	}
	return in
}

// known finds the input of an operation of a complete document.
func (d *Document) known(r Route) *Input {
	in, ok := d.inputs[r]
	if !ok {
		// at every start, by a programmer's error only
		panic(fmt.Sprintf("%s %s is added to a description that is complete", r.Method, r.Path))
	}
	return in
}

// operation describes an operation.
func (d *Document) operation(o Operation, in *Input) *huma.Operation {
	description := o.Description
	if o.Permission != "" {
		description = strings.TrimSpace(description + "\n\nNeeds the permission `" + o.Permission + "`.")
	}
	op := &huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: description,
		Tags:      []string{o.Tag},
		Security:  []map[string][]string{{"bearer": {}}, {"session": {}}},
		Responses: map[string]*huma.Response{},
	}
	if o.Open {
		op.Security = []map[string][]string{}
	}
	in.document(op)
	switch {
	case o.Events:
		op.Responses["200"] = &huma.Response{Description: "A stream of Server-Sent Events.",
			Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}}
	case o.Out == nil:
		d.documentFile(op)
	default:
		op.Responses[strconv.Itoa(o.Status)] = jsonResponse(http.StatusText(o.Status),
			d.registry.Schema(o.Out, true, ""))
	}
	if o.CSV {
		op.Responses[strconv.Itoa(o.Status)].Content["text/csv"] = &huma.MediaType{
			Schema: &huma.Schema{Type: huma.TypeString}}
	}
	if o.Open {
		op.Responses["500"] = jsonResponse("The server failed.", d.errorSchema(crier.KindInternal))
		return op
	}
	d.documentErrors(op, o.Method != http.MethodGet || o.Conflicts, o.Costs)
	return op
}

// AddForm adds an operation of the token endpoints: no token, a form with the fields of the type form, errors according
// to RFC 6749.
func (d *Document) AddForm(o Operation, form reflect.Type) {
	if d.complete {
		return
	}
	d.AddRoute(o.Route)
	if d.openAPI == nil {
		return
	}
	refusal := d.registry.Schema(reflect.TypeFor[crier.OAuthError](), true, "")
	failure := d.errorSchema(crier.KindInternal)
	d.openAPI.AddOperation(&huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description,
		Tags:     []string{o.Tag},
		Security: []map[string][]string{},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/x-www-form-urlencoded": {Schema: d.registry.Schema(form, true, "")},
		}},
		Responses: map[string]*huma.Response{
			"200": jsonResponse(http.StatusText(http.StatusOK), d.registry.Schema(o.Out, true, "")),
			"400": jsonResponse("Rejected, with the reason's code.", refusal),
			"429": jsonResponse("Too many requests from this address.", refusal),
			"500": jsonResponse("The server failed.", failure),
			"503": jsonResponse(overloaded, failure),
		},
	})
}

// JSON writes the document.
func (d *Document) JSON() []byte {
	data, err := json.MarshalIndent(d.openAPI, "", " ")
	if err != nil {
		panic(fmt.Sprintf("the OpenAPI document cannot be written: %v", err)) // by a programmer's error only
	}
	return data
}

// Reference returns the document as a page for people, in the order of the route table.
func (d *Document) Reference() Reference { return newReference(d.openAPI, d.registry, d.routes) }

// settingsSchema is the name of the schema of the publish settings.
const settingsSchema = "PlatformSettings"

// For returns the description of a server: with the version of its program, and the publish settings of its networks,
// unless they are nil. Settings are checked by the networks' own declarations, so their schemas are documented, not
// enforced here. The description itself does not change.
func (d *Document) For(version string, settings map[string]any) *Document {
	registry := *d.registry
	registry.schemas = maps.Clone(registry.schemas)
	if settings != nil {
		registry.addSettings(settings)
	}
	openAPI, info, components := *d.openAPI, *d.openAPI.Info, *d.openAPI.Components
	info.Extensions = map[string]any{"x-program-version": version}
	components.Schemas = &registry
	openAPI.Info, openAPI.Components = &info, &components
	return &Document{registry: &registry, openAPI: &openAPI, routes: d.routes, inputs: d.inputs, complete: true}
}

// addSettings replaces schemas with publish settings by copies that refer to them.
func (r *Registry) addSettings(properties map[string]any) {
	r.schemas[settingsSchema] = &huma.Schema{
		Type: huma.TypeObject, Description: "Publish settings by key: the network's name and the setting's.",
		AdditionalProperties: false,
		Extensions:           map[string]any{"properties": properties},
	}
	reference := func(s huma.Schema) *huma.Schema {
		s.Extensions = map[string]any{"$ref": schemaPrefix + settingsSchema}
		return &s
	}
	for _, t := range []reflect.Type{reflect.TypeFor[crier.ScheduleRequest](),
		reflect.TypeFor[crier.PostNowRequest]()} {
		name := schemaName(t)
		if r.schemas[name] == nil {
			continue
		}
		request := *r.schemas[name]
		request.Properties = maps.Clone(request.Properties)
		request.Properties["platformSettings"] = reference(*request.Properties["platformSettings"])
		byAccount := *request.Properties["platformSettingsBySocialAccountId"]
		if own, ok := byAccount.AdditionalProperties.(*huma.Schema); ok {
			byAccount.AdditionalProperties = reference(*own)
		}
		request.Properties["platformSettingsBySocialAccountId"] = &byAccount
		r.schemas[name] = &request
	}
}

// documentFile describes a response that is a file.
func (d *Document) documentFile(op *huma.Operation) {
	// The format is an extension: with the field, the schema would claim that the file is an application/octet-stream.
	bytes := map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString,
		Extensions: map[string]any{"format": "binary"}}}}
	op.Responses["200"] = &huma.Response{Description: "The file, with its own Content-Type.", Content: bytes}
	op.Responses["206"] = &huma.Response{Description: "The part of the file selected by Range.", Content: bytes}
	op.Responses["304"] = &huma.Response{Description: "The caller already has this content."}
	op.Responses["416"] = jsonResponse("Range is beyond the end of the file.",
		d.errorSchema(crier.KindInvalid))
}
