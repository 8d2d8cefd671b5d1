package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"crier/internal/media/mediatest"
)

var folderRules = map[string]func(*testing.T, library){
	"folders are made, read, renamed, moved, listed and deleted": folderLife,
	"folders lie ten deep and never in themselves":               foldersNest,
	"a name stands once in a place, in whatever case":            folderNames,
	"a folder is deleted only when it is empty":                  fullFolders,
}

// folder makes a folder and returns its id; parent may be empty.
func (l library) folder(tb testing.TB, name, parent string) string {
	tb.Helper()
	body := object{"name": name}
	if parent != "" {
		body["parentId"] = parent
	}
	return l.do(tb, "POST", l.folders(), body).want(tb, http.StatusCreated).text(tb, "id")
}

func folderLife(t *testing.T, l library) {
	made := l.do(t, "POST", l.folders(), object{"name": "  Owls  "}).want(t, http.StatusCreated)
	owls := made.text(t, "id")
	if made.text(t, "name") != "Owls" || made.get(t, "parentId") != nil || made.text(t, "teamId") != string(l.team) {
		t.Errorf("made: %s", made.body)
	}
	snowy := l.folder(t, "Snowy", owls)
	mice := l.folder(t, "Mice", "")
	if got := l.do(t, "GET", l.folders(snowy), nil).want(t, http.StatusOK); got.text(t, "parentId") != owls {
		t.Errorf("read: %s", got.body)
	}
	for query, want := range map[string][]string{
		"?sortOrder=asc":             {owls, snowy, mice},
		"?sortBy=name&sortOrder=asc": {mice, owls, snowy},
		"?parentId=none":             {mice, owls},
		"?parentId=" + owls:          {snowy},
	} {
		got := l.do(t, "GET", l.folders()+query, nil).want(t, http.StatusOK)
		if ids := got.ids(t); !slices.Equal(ids, want) || got.get(t, "total") != json.Number(fmt.Sprint(len(want))) {
			t.Errorf("%q lists %q, want %q: %s", query, ids, want, got.body)
		}
	}
	l.wantPages(t, l.folders()+"?limit=1&sortBy=updatedAt&sortOrder=asc", 3)
	got := l.do(t, "PATCH", l.folders(snowy), object{"name": "Snowy owls", "parentId": nil}).want(t, http.StatusOK)
	if got.text(t, "name") != "Snowy owls" || got.get(t, "parentId") != nil {
		t.Errorf("moved: %s", got.body)
	}
	l.do(t, "DELETE", l.folders(owls), nil).want(t, http.StatusOK)
	l.do(t, "GET", l.folders(owls), nil).wantError(t, http.StatusNotFound, "NotFound")
	l.do(t, "PATCH", l.folders(owls), object{}).wantError(t, http.StatusNotFound, "NotFound")
	l.do(t, "POST", l.folders(), object{"name": "", "parentId": "x", "colour": "red"}).wantIssues(t, "colour", "name", "parentId")
	l.do(t, "POST", l.folders(), object{"name": strings.Repeat("x", 65)}).wantIssues(t, "name")
	l.do(t, "POST", l.folders(), object{"name": "Lost", "parentId": owls}).wantIssues(t, "parentId")
	l.do(t, "GET", l.folders()+"?parentId=x", nil).wantIssues(t, "parentId")
}

func foldersNest(t *testing.T, l library) {
	chain := []string{""}
	for i := range 10 {
		chain = append(chain, l.folder(t, fmt.Sprintf("Level %d", i+1), chain[i]))
	}
	l.do(t, "POST", l.folders(), object{"name": "Too deep", "parentId": chain[10]}).wantIssues(t, "parentId")
	l.do(t, "PATCH", l.folders(chain[1]), object{"parentId": chain[1]}).wantIssues(t, "parentId")
	l.do(t, "PATCH", l.folders(chain[1]), object{"parentId": chain[5]}).wantIssues(t, "parentId")
	tree := l.folder(t, "Tree", "")
	l.folder(t, "Branch", tree)
	l.do(t, "PATCH", l.folders(tree), object{"parentId": chain[9]}).wantIssues(t, "parentId")
	l.do(t, "PATCH", l.folders(tree), object{"parentId": chain[8]}).want(t, http.StatusOK)

	// Two moves at once, each of which alone is allowed, must not make a circle.
	a, b := l.folder(t, "A", ""), l.folder(t, "B", "")
	var wait sync.WaitGroup
	for _, move := range [][2]string{{a, b}, {b, a}} {
		wait.Go(func() {
			_, _ = l.roundTrip(request{method: "PATCH", path: l.folders(move[0]), body: object{"parentId": move[1]}, key: l.key})
		})
	}
	wait.Wait()
	top := l.do(t, "GET", l.folders()+"?parentId=none", nil).want(t, http.StatusOK).ids(t)
	if slices.Contains(top, a) == slices.Contains(top, b) {
		t.Errorf("of A (%s) and B (%s), at the top are %q", a, b, top)
	}
}

func folderNames(t *testing.T, l library) {
	owls := l.folder(t, "Owls", "")
	l.do(t, "POST", l.folders(), object{"name": "OWLS"}).wantError(t, http.StatusConflict, "Conflict")
	l.do(t, "POST", l.folders(), object{"name": " owls "}).wantError(t, http.StatusConflict, "Conflict")
	inside := l.folder(t, "owls", owls) // another place
	l.do(t, "PATCH", l.folders(inside), object{"parentId": nil}).wantError(t, http.StatusConflict, "Conflict")
	l.do(t, "PATCH", l.folders(owls), object{"name": "OWLS"}).want(t, http.StatusOK) // itself
	mice := l.folder(t, "Mice", "")
	l.do(t, "PATCH", l.folders(mice), object{"name": "oWLs"}).wantError(t, http.StatusConflict, "Conflict")
}

func fullFolders(t *testing.T, l library) {
	owls := l.folder(t, "Owls", "")
	snowy := l.folder(t, "Snowy", owls)
	l.do(t, "DELETE", l.folders(owls), nil).wantError(t, http.StatusConflict, "Conflict")
	l.do(t, "DELETE", l.folders(snowy), nil).want(t, http.StatusOK)
	picture := l.ready(t, "a.png", mediatest.PNG(20, 20), formField("folderId", owls))
	l.do(t, "DELETE", l.folders(owls), nil).wantError(t, http.StatusConflict, "Conflict")
	l.do(t, "DELETE", l.assets(picture), nil).want(t, http.StatusOK)
	l.do(t, "DELETE", l.folders(owls), nil, "Idempotency-Key", "gone").want(t, http.StatusOK)
	l.do(t, "DELETE", l.folders(owls), nil, "Idempotency-Key", "gone").want(t, http.StatusOK)
	if total := l.do(t, "GET", l.folders(), nil).get(t, "total"); total != json.Number("0") {
		t.Errorf("%v folders are left", total)
	}
}
