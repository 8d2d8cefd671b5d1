package contract

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Reference is the OpenAPI document as documentation for people.
type Reference struct {
	Title, Version string
	Intro          []block
	Groups         []referenceGroup
	Errors         []referenceAnswer
}

// referenceGroup is the operations of one tag.
type referenceGroup struct {
	Tag, Anchor string
	Operations  []referenceOperation
}

type referenceOperation struct {
	ID, Method, Path, Summary string
	Deprecated                bool
	Description               []block
	// Open operations need no token. Others need a permission, or only a token if it is empty.
	Open       bool
	Permission string
	Parameters []referenceParameters
	Body       *referenceBody
	Answers    []referenceAnswer
	Errors     []referenceAnswer
	Example    string
}

// referenceParameters are the parameters of a request in one place, such as the query.
type referenceParameters struct {
	Title  string
	Fields []referenceField
}

type referenceBody struct {
	referenceValue
	MediaType string
	Optional  bool
}

// referenceAnswer is one response status of an operation.
type referenceAnswer struct {
	referenceValue
	Status, Description string
}

// newReference returns the reference, in the order of the route table.
func newReference(document *huma.OpenAPI, r *Registry, routes []Route) Reference {
	page := Reference{Title: document.Info.Title, Version: document.Info.Version,
		Intro: prose(document.Info.Description)}
	request, answer := referenceFields{registry: r}, referenceFields{registry: r, answer: true}
	for _, route := range routes {
		op := operationAt(document, route)
		if op == nil {
			continue
		}
		d := describedOperation(route, op)
		d.Parameters = request.parameters(op.Parameters)
		d.Body = request.body(op.RequestBody)
		d.Answers, d.Errors = answer.answers(op.Responses)
		d.Example = curl{fields: request}.command(op)
		page.add(cmp.Or(firstOf(op.Tags), "Other"), d)
	}
	return page
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func describedOperation(route Route, op *huma.Operation) referenceOperation {
	description := op.Description
	if route.Permission != "" { // it has a place of its own on the page
		description = strings.TrimSuffix(description, "Needs the permission `"+route.Permission+"`.")
	}
	return referenceOperation{
		ID: op.OperationID, Method: route.Method, Path: route.Path, Summary: cmp.Or(op.Summary, op.OperationID),
		Deprecated: op.Deprecated, Description: prose(description), Open: len(op.Security) == 0,
		Permission: route.Permission,
	}
}

// add adds an operation to the group of its tag, and its errors to the list of all errors.
func (p *Reference) add(tag string, op referenceOperation) {
	at := slices.IndexFunc(p.Groups, func(g referenceGroup) bool { return g.Tag == tag })
	if at < 0 {
		at = len(p.Groups)
		p.Groups = append(p.Groups, referenceGroup{Tag: tag, Anchor: "tag-" +
			strings.ReplaceAll(strings.ToLower(tag), " ", "-")})
	}
	p.Groups[at].Operations = append(p.Groups[at].Operations, op)
	for _, e := range op.Errors {
		if !slices.ContainsFunc(p.Errors, func(known referenceAnswer) bool { return known.Status == e.Status }) {
			p.Errors = append(p.Errors, e)
		}
	}
	slices.SortFunc(p.Errors, byStatus)
}

func byStatus(a, b referenceAnswer) int { return cmp.Compare(a.Status, b.Status) }

// operationAt returns the operation of a route, or nil if the route is not part of the documented API.
func operationAt(document *huma.OpenAPI, route Route) *huma.Operation {
	item := document.Paths[route.Path]
	if item == nil {
		return nil
	}
	switch route.Method {
	case http.MethodGet:
		return item.Get
	case http.MethodPost:
		return item.Post
	case http.MethodPut:
		return item.Put
	case http.MethodPatch:
		return item.Patch
	case http.MethodDelete:
		return item.Delete
	}
	return nil
}

func (b referenceFields) parameters(params []*huma.Param) []referenceParameters {
	var out []referenceParameters
	for _, place := range []struct{ in, title string }{
		{"path", "Path"}, {"query", "Query"}, {"header", "Headers"}, {"cookie", "Cookies"},
	} {
		var fields []referenceField
		for _, p := range params {
			if p.In != place.in {
				continue
			}
			f := b.field(p.Name, p.Schema, p.Required, nil)
			f.Deprecated = f.Deprecated || p.Deprecated
			f.Text = prose(cmp.Or(p.Description, p.Schema.Description))
			fields = append(fields, f)
		}
		if fields != nil {
			out = append(out, referenceParameters{Title: place.title, Fields: fields})
		}
	}
	return out
}

func (b referenceFields) body(body *huma.RequestBody) *referenceBody {
	if body == nil {
		return nil
	}
	mediaType, media := contentOf(body.Content)
	return &referenceBody{referenceValue: b.value(media.Schema), MediaType: mediaType, Optional: !body.Required}
}

// answers returns the successes and the errors, each by status.
func (b referenceFields) answers(responses map[string]*huma.Response) (good, bad []referenceAnswer) {
	for _, status := range sortedKeys(responses) {
		_, media := contentOf(responses[status].Content)
		a := referenceAnswer{referenceValue: b.value(media.Schema), Status: status,
			Description: responses[status].Description}
		if code, err := strconv.Atoi(status); err == nil && code < http.StatusBadRequest {
			good = append(good, a)
		} else {
			bad = append(bad, a)
		}
	}
	return good, bad
}

// contentOf returns the documented content: JSON if there is a choice.
func contentOf(content map[string]*huma.MediaType) (string, huma.MediaType) {
	for _, mediaType := range append([]string{"application/json"}, sortedKeys(content)...) {
		if media := content[mediaType]; media != nil {
			return mediaType, *media
		}
	}
	return "", huma.MediaType{}
}
