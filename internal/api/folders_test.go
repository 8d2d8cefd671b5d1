package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
)

var folderRules = map[string]func(*testing.T, library){
	"folders are made, read, renamed, moved, listed and deleted": folderLife,
	"folders lie ten deep and never in themselves":               foldersNest,
	"a name stands once in a place, in whatever case":            folderNames,
	"a folder is deleted only when it is empty":                  fullFolders,
}

// folder creates a folder and returns its id; parent may be empty.
func (l library) folder(tb testing.TB, name, parent string) string {
	tb.Helper()
	body := object{"name": name}
	if parent != "" {
		body["parentId"] = parent
	}
	return l.Do(tb, "POST", l.Folders(), body).Want(tb, http.StatusCreated).Text(tb, "id")
}

func folderLife(t *testing.T, l library) {
	created := l.Do(t, "POST", l.Folders(), object{"name": "  Owls  "}).Want(t, http.StatusCreated)
	owls := created.Text(t, "id")
	if created.Text(t, "name") != "Owls" || created.Get(t, "parentId") != nil ||
		created.Text(t, "teamId") != string(l.Team) {
		t.Errorf("created: %s", created.Body)
	}
	snowy := l.folder(t, "Snowy", owls)
	mice := l.folder(t, "Mice", "")
	if got := l.Do(t, "GET", l.Folders(snowy), nil).Want(t, http.StatusOK); got.Text(t, "parentId") != owls {
		t.Errorf("read: %s", got.Body)
	}
	for query, want := range map[string][]string{
		"?sortOrder=asc":             {owls, snowy, mice},
		"?sortBy=name&sortOrder=asc": {mice, owls, snowy},
		"?parentId=none":             {mice, owls},
		"?parentId=" + owls:          {snowy},
	} {
		got := l.Do(t, "GET", l.Folders()+query, nil).Want(t, http.StatusOK)
		if ids := got.IDs(t); !slices.Equal(ids, want) || got.Get(t, "total") != json.Number(fmt.Sprint(len(want))) {
			t.Errorf("%q lists %q, want %q: %s", query, ids, want, got.Body)
		}
	}
	l.wantPages(t, l.Folders()+"?limit=1&sortBy=updatedAt&sortOrder=asc", 3)
	got := l.Do(t, "PATCH", l.Folders(snowy), object{"name": "Snowy owls", "parentId": nil}).Want(t, http.StatusOK)
	if got.Text(t, "name") != "Snowy owls" || got.Get(t, "parentId") != nil {
		t.Errorf("moved: %s", got.Body)
	}
	l.Do(t, "DELETE", l.Folders(owls), nil).Want(t, http.StatusOK)
	l.Do(t, "GET", l.Folders(owls), nil).WantError(t, http.StatusNotFound, "NotFound")
	l.Do(t, "PATCH", l.Folders(owls), object{}).WantError(t, http.StatusNotFound, "NotFound")
	l.Do(t, "POST", l.Folders(), object{"name": "", "parentId": "x", "colour": "red"}).WantIssues(t, "colour", "name",
		"parentId")
	l.Do(t, "POST", l.Folders(), object{"name": strings.Repeat("x", 65)}).WantIssues(t, "name")
	l.Do(t, "POST", l.Folders(), object{"name": "Lost", "parentId": owls}).WantIssues(t, "parentId")
	l.Do(t, "GET", l.Folders()+"?parentId=x", nil).WantIssues(t, "parentId")
}

func foldersNest(t *testing.T, l library) {
	chain := []string{""}
	for i := range 10 {
		chain = append(chain, l.folder(t, fmt.Sprintf("Level %d", i+1), chain[i]))
	}
	l.Do(t, "POST", l.Folders(), object{"name": "Too deep", "parentId": chain[10]}).WantIssues(t, "parentId")
	l.Do(t, "PATCH", l.Folders(chain[1]), object{"parentId": chain[1]}).WantIssues(t, "parentId")
	l.Do(t, "PATCH", l.Folders(chain[1]), object{"parentId": chain[5]}).WantIssues(t, "parentId")
	tree := l.folder(t, "Tree", "")
	l.folder(t, "Branch", tree)
	l.Do(t, "PATCH", l.Folders(tree), object{"parentId": chain[9]}).WantIssues(t, "parentId")
	l.Do(t, "PATCH", l.Folders(tree), object{"parentId": chain[8]}).Want(t, http.StatusOK)

	// Two concurrent moves, each of which alone is allowed, must not create a cycle.
	a, b := l.folder(t, "A", ""), l.folder(t, "B", "")
	var wait sync.WaitGroup
	for _, move := range [][2]string{{a, b}, {b, a}} {
		wait.Go(func() {
			_, _ = l.RoundTrip(servertest.Request{Method: "PATCH", Path: l.Folders(move[0]),
				Body: object{"parentId": move[1]},
				Key:  l.Key})
		})
	}
	wait.Wait()
	top := l.Do(t, "GET", l.Folders()+"?parentId=none", nil).Want(t, http.StatusOK).IDs(t)
	if slices.Contains(top, a) == slices.Contains(top, b) {
		t.Errorf("of A (%s) and B (%s), at the top are %q", a, b, top)
	}
}

func folderNames(t *testing.T, l library) {
	owls := l.folder(t, "Owls", "")
	l.Do(t, "POST", l.Folders(), object{"name": "OWLS"}).WantError(t, http.StatusConflict, "Conflict")
	l.Do(t, "POST", l.Folders(), object{"name": " owls "}).WantError(t, http.StatusConflict, "Conflict")
	inside := l.folder(t, "owls", owls) // another parent
	l.Do(t, "PATCH", l.Folders(inside), object{"parentId": nil}).WantError(t, http.StatusConflict, "Conflict")
	l.Do(t, "PATCH", l.Folders(owls), object{"name": "OWLS"}).Want(t, http.StatusOK) // itself
	mice := l.folder(t, "Mice", "")
	l.Do(t, "PATCH", l.Folders(mice), object{"name": "oWLs"}).WantError(t, http.StatusConflict, "Conflict")
}

func fullFolders(t *testing.T, l library) {
	owls := l.folder(t, "Owls", "")
	snowy := l.folder(t, "Snowy", owls)
	l.Do(t, "DELETE", l.Folders(owls), nil).WantError(t, http.StatusConflict, "Conflict")
	l.Do(t, "DELETE", l.Folders(snowy), nil).Want(t, http.StatusOK)
	picture := l.Ready(t, "a.png", mediatest.PNG(20, 20), formField("folderId", owls))
	l.Do(t, "DELETE", l.Folders(owls), nil).WantError(t, http.StatusConflict, "Conflict")
	l.Do(t, "DELETE", l.Assets(picture), nil).Want(t, http.StatusOK)
	l.Do(t, "DELETE", l.Folders(owls), nil, "Idempotency-Key", "gone").Want(t, http.StatusOK)
	l.Do(t, "DELETE", l.Folders(owls), nil, "Idempotency-Key", "gone").Want(t, http.StatusOK)
	if total := l.Do(t, "GET", l.Folders(), nil).Get(t, "total"); total != json.Number("0") {
		t.Errorf("%v folders are left", total)
	}
}
