package api

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsPage is the documentation for people: the OpenAPI document, laid out for reading.
type docsPage struct {
	Title, Version string
	Intro          []block
	Groups         []docsGroup
	Errors         []docsAnswer
}

// docsGroup is the operations of one tag.
type docsGroup struct {
	Tag, Anchor string
	Operations  []docsOperation
}

type docsOperation struct {
	ID, Method, Path, Summary string
	Deprecated                bool
	Description               []block
	// Open operations need no token. Others need a permission, or only a token when it is empty.
	Open       bool
	Permission string
	Parameters []docsParameters
	Body       *docsBody
	Answers    []docsAnswer
	Errors     []docsAnswer
	Example    string
}

// docsParameters are the parameters of a request in one place, such as the query.
type docsParameters struct {
	Title  string
	Fields []docsField
}

type docsBody struct {
	docsValue
	MediaType string
	Optional  bool
}

// docsAnswer is one status that an operation answers with.
type docsAnswer struct {
	docsValue
	Status, Description string
}

// newDocsPage lays the document out, in the order of the route table.
func newDocsPage(document *huma.OpenAPI, r *registry, routes []Route) docsPage {
	page := docsPage{Title: document.Info.Title, Version: document.Info.Version, Intro: prose(document.Info.Description)}
	request, answer := docsFields{registry: r}, docsFields{registry: r, answer: true}
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

func describedOperation(route Route, op *huma.Operation) docsOperation {
	description := op.Description
	if route.Permission != "" { // it has a place of its own on the page
		description = strings.TrimSuffix(description, "Needs the permission `"+route.Permission+"`.")
	}
	return docsOperation{
		ID: op.OperationID, Method: route.Method, Path: route.Path, Summary: cmp.Or(op.Summary, op.OperationID),
		Deprecated: op.Deprecated, Description: prose(description), Open: len(op.Security) == 0, Permission: route.Permission,
	}
}

// add puts an operation into the group of its tag, and errors that are new to the page into the list of them all.
func (p *docsPage) add(tag string, op docsOperation) {
	at := slices.IndexFunc(p.Groups, func(g docsGroup) bool { return g.Tag == tag })
	if at < 0 {
		at = len(p.Groups)
		p.Groups = append(p.Groups, docsGroup{Tag: tag, Anchor: "tag-" + strings.ReplaceAll(strings.ToLower(tag), " ", "-")})
	}
	p.Groups[at].Operations = append(p.Groups[at].Operations, op)
	for _, e := range op.Errors {
		if !slices.ContainsFunc(p.Errors, func(known docsAnswer) bool { return known.Status == e.Status }) {
			p.Errors = append(p.Errors, e)
		}
	}
	slices.SortFunc(p.Errors, byStatus)
}

func byStatus(a, b docsAnswer) int { return cmp.Compare(a.Status, b.Status) }

// operationAt finds the operation of a route, or nil when the route is not part of the described interface.
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

func (b docsFields) parameters(params []*huma.Param) []docsParameters {
	var out []docsParameters
	for _, place := range []struct{ in, title string }{
		{"path", "Path"}, {"query", "Query"}, {"header", "Headers"}, {"cookie", "Cookies"},
	} {
		var fields []docsField
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
			out = append(out, docsParameters{Title: place.title, Fields: fields})
		}
	}
	return out
}

func (b docsFields) body(body *huma.RequestBody) *docsBody {
	if body == nil {
		return nil
	}
	mediaType, media := contentOf(body.Content)
	return &docsBody{docsValue: b.value(media.Schema), MediaType: mediaType, Optional: !body.Required}
}

// answers are the successes and the errors, each by status.
func (b docsFields) answers(responses map[string]*huma.Response) (good, bad []docsAnswer) {
	for _, status := range sortedKeys(responses) {
		_, media := contentOf(responses[status].Content)
		a := docsAnswer{docsValue: b.value(media.Schema), Status: status, Description: responses[status].Description}
		if code, err := strconv.Atoi(status); err == nil && code < http.StatusBadRequest {
			good = append(good, a)
		} else {
			bad = append(bad, a)
		}
	}
	return good, bad
}

// contentOf is the content that is told of: JSON where there is a choice.
func contentOf(content map[string]*huma.MediaType) (string, huma.MediaType) {
	for _, mediaType := range append([]string{"application/json"}, sortedKeys(content)...) {
		if media := content[mediaType]; media != nil {
			return mediaType, *media
		}
	}
	return "", huma.MediaType{}
}

// docsBytes is the page as it is sent: it does not change while the program runs.
type docsBytes struct{ plain, zipped []byte }

// renderDocs renders the documentation.
func (p *pages) renderDocs(page docsPage) (docsBytes, error) {
	plain, err := p.html("docs", page)
	if err != nil {
		return docsBytes{}, err
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(plain); err != nil {
		return docsBytes{}, fmt.Errorf("compress the documentation: %w", err)
	}
	if err := w.Close(); err != nil {
		return docsBytes{}, fmt.Errorf("compress the documentation: %w", err)
	}
	return docsBytes{plain: plain, zipped: zipped.Bytes()}, nil
}

// serveDocs answers with the documentation.
func (s *Server) serveDocs(w http.ResponseWriter, r *http.Request) {
	page := s.docs()
	h, body := w.Header(), page.plain
	s.pages.head(h)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Vary", "Accept-Encoding")
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = page.zipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the reader has gone: nobody to tell
}

// takesGzip is true when a list of encodings names gzip without a weight, as browsers do. Who weighs gets it plain.
func takesGzip(accepted string) bool {
	for encoding := range strings.SplitSeq(accepted, ",") {
		if strings.TrimSpace(encoding) == "gzip" {
			return true
		}
	}
	return false
}
