package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/server/servertest"
)

func TestTags(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		tags := path("/v1/teams/%s/tags", s.Team)
		created := s.Do(t, "POST", tags, object{"name": "  Spring 🌸 "}).Want(t, http.StatusCreated)
		if created.Text(t, "name") != "Spring 🌸" || fmt.Sprint(created.Get(t, "postCount")) != "0" ||
			created.Text(t, "teamId") != string(s.Team) {
			t.Errorf("the tag is %s", created.Body)
		}
		if colour := created.Text(t, "colour"); crier.Colour(colour).Problem() != "" {
			t.Errorf("the colour is %q", colour)
		}
		id := created.Text(t, "id")
		for _, name := range []string{"spring 🌸", "SPRING 🌸", "Spring 🌸"} {
			s.Do(t, "POST", tags, object{"name": name}).WantError(t, http.StatusConflict, "Conflict")
		}
		other := s.Do(t, "POST", tags, object{"name": "Straße", "colour": "#A1b2C3"}).Want(t, http.StatusCreated)
		if other.Text(t, "colour") != "#A1b2C3" {
			t.Errorf("the colour is %q", other.Text(t, "colour"))
		}
		s.Do(t, "PATCH", tags+"/"+id, object{"name": "STRASSE"}).WantError(t, http.StatusConflict, "Conflict")
		renamed := s.Do(t, "PATCH", tags+"/"+id, object{"name": "spring 🌸", "colour": "#000000"}).Want(t, http.StatusOK)
		if renamed.Text(t, "name") != "spring 🌸" || renamed.Text(t, "colour") != "#000000" {
			t.Errorf("renamed: %s", renamed.Body)
		}
		bad := []field{
			{"64 characters", strings.Repeat("n", 64), nil}, {"one character", "a", nil},
			{"empty", "", []string{"name"}}, {"white space", "  ", []string{"name"}},
			{"65 characters", strings.Repeat("n", 65), []string{"name"}},
			{"control character", "a\nb", []string{"name"}}, {"null", nil, []string{"name"}},
			{"absent", absent{}, []string{"name"}},
		}
		s.tryFields(t, "POST", tags, nil, "name", http.StatusCreated, bad)
		s.tryFields(t, "POST", tags, object{"name": "coloured"}, "colour", http.StatusCreated, []field{
			{"a word", "red", []string{"colour"}}, {"short", "#fff", []string{"colour"}},
			{"null", nil, []string{"colour"}}, {"too long", "#1234567", []string{"colour"}},
			{"no hex", "#12345g", []string{"colour"}},
		})
		s.Do(t, "POST", tags, object{"name": "x", "icon": "y"}).WantIssues(t, "icon")
		s.Do(t, "PATCH", tags+"/"+unknownID, object{}).WantError(t, http.StatusNotFound, "NotFound")
		s.Do(t, "DELETE", tags+"/nope", nil).WantIssues(t, "tagId")
		s.Do(t, "GET", tags+"?sortBy=colour", nil).WantIssues(t, "sortBy")
		list := s.Do(t, "GET", tags+"?sortBy=name&sortOrder=asc", nil).Want(t, http.StatusOK)
		if fmt.Sprint(list.Get(t, "total")) != "4" || list.Text(t, "data", 0, "name") != "a" {
			t.Errorf("the list is %s", list.Body)
		}
		if got := s.Do(t, "DELETE", tags+"/"+id, nil).Want(t, http.StatusOK); string(got.Body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.Body)
		}
		s.Do(t, "DELETE", tags+"/"+id, nil).WantError(t, http.StatusNotFound, "NotFound")
	})
}

func TestTagsOfPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		tags := path("/v1/teams/%s/tags", s.Team)
		b, a := s.NewTag(t, "b"), s.NewTag(t, "a")
		id := s.NewPostID(t, object{"text": "x"})
		put := func(list ...any) servertest.Response {
			return s.Do(t, "PUT", s.PostsPath(id, "tags"), object{"tagIds": append([]any{}, list...)})
		}
		names := func(r servertest.Response) []string {
			t.Helper()
			var p struct{ UserTags []crier.TagSummary }
			r.Want(t, http.StatusOK).Into(t, &p)
			names := []string{}
			for _, tag := range p.UserTags {
				names = append(names, tag.Name)
			}
			return names
		}
		if got := names(put(b, a)); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("userTags are %q", got)
		}
		before := s.Do(t, "GET", s.PostsPath(id), nil)
		if got := put(a, b); !reflect.DeepEqual(got.JSON, before.JSON) {
			t.Errorf("the same tags again have changed %s to %s", before.Body, got.Body)
		}
		counts := func(want string) {
			t.Helper()
			list := s.Do(t, "GET", tags+"?sortBy=name&sortOrder=asc", nil).Want(t, http.StatusOK)
			facet := s.Do(t, "GET", s.PostsPath("facets", "enrichment")+"?fields=userTags", nil).Want(t, http.StatusOK)
			var page struct{ Data []crier.Tag }
			list.Into(t, &page)
			got := ""
			for _, tag := range page.Data {
				got += fmt.Sprintf("%s:%d ", tag.Name, tag.PostCount)
			}
			if got != want {
				t.Errorf("counts are %q, want %q; facet %s", got, want, facet.Body)
			}
		}
		counts("a:1 b:1 ")
		if got := names(put(a)); !slices.Equal(got, []string{"a"}) {
			t.Errorf("userTags are %q", got)
		}
		put(a, unknownID, "x").WantIssues(t, "tagIds.2")
		put(unknownID, a, strings.ToUpper(a)).WantIssues(t, "tagIds.2")
		put(a, unknownID).WantIssues(t, "tagIds.1")
		s.Do(t, "PUT", s.PostsPath(id, "tags"), object{}).WantIssues(t, "tagIds")
		counts("a:1 b:0 ")
		s.Do(t, "PATCH", tags+"/"+a, object{"name": "renamed"}).Want(t, http.StatusOK)
		if got := names(s.Do(t, "GET", s.PostsPath(id), nil)); !slices.Equal(got, []string{"renamed"}) {
			t.Errorf("userTags are %q", got)
		}
		facet := s.Do(t, "GET", s.PostsPath("facets", "enrichment")+"?fields=userTags", nil).Want(t, http.StatusOK)
		if facet.Text(t, "data", 0, "values", 0, "value") != "renamed" || facet.Has("data", 0, "values", 1) {
			t.Errorf("the facet of the renamed tag: %s", facet.Body)
		}
		s.Do(t, "DELETE", tags+"/"+a, nil).Want(t, http.StatusOK)
		if got := names(s.Do(t, "GET", s.PostsPath(id), nil)); len(got) != 0 {
			t.Errorf("userTags after the tag was deleted: %q", got)
		}
		put(b)
		s.Do(t, "DELETE", s.PostsPath(id), nil).Want(t, http.StatusOK)
		counts("b:0 ")
	})
}

func TestTeamHasAtMost500Tags(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		for i := range 499 {
			s.Exec(t, `INSERT INTO tags (id, team_id, name, folded, colour, created_at, updated_at)
				SELECT $1, id, CAST($2 AS text), CAST($2 AS text), '#000000', created_at, created_at FROM teams
				WHERE id = $3`, string(crier.NewID()), fmt.Sprint(i), string(s.Team))
		}
		s.NewTag(t, "the last")
		s.Do(t, "POST", path("/v1/teams/%s/tags", s.Team), object{"name": "one more"}).WantError(t, http.StatusConflict,
			"Conflict")
	})
}
