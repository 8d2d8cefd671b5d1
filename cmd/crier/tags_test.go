package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crier"
)

func TestTags(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		tags := path("/v1/teams/%s/tags", s.team)
		made := s.do(t, "POST", tags, object{"name": "  Spring 🌸 "}).want(t, http.StatusCreated)
		if made.text(t, "name") != "Spring 🌸" || fmt.Sprint(made.get(t, "postCount")) != "0" || made.text(t, "teamId") != string(s.team) {
			t.Errorf("the tag is %s", made.body)
		}
		if colour := made.text(t, "colour"); crier.Colour(colour).Problem() != "" {
			t.Errorf("the colour is %q", colour)
		}
		id := made.text(t, "id")
		for _, name := range []string{"spring 🌸", "SPRING 🌸", "Spring 🌸"} {
			s.do(t, "POST", tags, object{"name": name}).wantError(t, http.StatusConflict, "Conflict")
		}
		other := s.do(t, "POST", tags, object{"name": "Straße", "colour": "#A1b2C3"}).want(t, http.StatusCreated)
		if other.text(t, "colour") != "#A1b2C3" {
			t.Errorf("the colour is %q", other.text(t, "colour"))
		}
		s.do(t, "PATCH", tags+"/"+id, object{"name": "STRASSE"}).wantError(t, http.StatusConflict, "Conflict")
		renamed := s.do(t, "PATCH", tags+"/"+id, object{"name": "spring 🌸", "colour": "#000000"}).want(t, http.StatusOK)
		if renamed.text(t, "name") != "spring 🌸" || renamed.text(t, "colour") != "#000000" {
			t.Errorf("renamed: %s", renamed.body)
		}
		bad := []field{
			{"64 characters", strings.Repeat("n", 64), nil}, {"one character", "a", nil}, {"empty", "", []string{"name"}}, {"white space", "  ", []string{"name"}},
			{"65 characters", strings.Repeat("n", 65), []string{"name"}}, {"control character", "a\nb", []string{"name"}}, {"null", nil, []string{"name"}}, {"absent", absent{}, []string{"name"}},
		}
		s.tryFields(t, "POST", tags, nil, "name", http.StatusCreated, bad)
		s.tryFields(t, "POST", tags, object{"name": "coloured"}, "colour", http.StatusCreated, []field{
			{"a word", "red", []string{"colour"}}, {"short", "#fff", []string{"colour"}}, {"null", nil, []string{"colour"}}, {"too long", "#1234567", []string{"colour"}}, {"no hex", "#12345g", []string{"colour"}},
		})
		s.do(t, "POST", tags, object{"name": "x", "icon": "y"}).wantIssues(t, "icon")
		s.do(t, "PATCH", tags+"/"+unknownID, object{}).wantError(t, http.StatusNotFound, "NotFound")
		s.do(t, "DELETE", tags+"/nope", nil).wantIssues(t, "tagId")
		s.do(t, "GET", tags+"?sortBy=colour", nil).wantIssues(t, "sortBy")
		list := s.do(t, "GET", tags+"?sortBy=name&sortOrder=asc", nil).want(t, http.StatusOK)
		if fmt.Sprint(list.get(t, "total")) != "4" || list.text(t, "data", 0, "name") != "Straße" {
			t.Errorf("the list is %s", list.body)
		}
		if got := s.do(t, "DELETE", tags+"/"+id, nil).want(t, http.StatusOK); string(got.body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.body)
		}
		s.do(t, "DELETE", tags+"/"+id, nil).wantError(t, http.StatusNotFound, "NotFound")
	})
}

func TestTagsOfPosts(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		tags := path("/v1/teams/%s/tags", s.team)
		b, a := s.tag(t, "b"), s.tag(t, "a")
		id := s.post(t, object{"text": "x"})
		put := func(list ...any) response {
			return s.do(t, "PUT", s.posts(id, "tags"), object{"tagIds": append([]any{}, list...)})
		}
		names := func(r response) []string {
			t.Helper()
			var p struct{ UserTags []crier.TagSummary }
			r.want(t, http.StatusOK).into(t, &p)
			names := []string{}
			for _, tag := range p.UserTags {
				names = append(names, tag.Name)
			}
			return names
		}
		if got := names(put(b, a)); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("userTags are %q", got)
		}
		before := s.do(t, "GET", s.posts(id), nil)
		if got := put(a, b); !reflect.DeepEqual(got.json, before.json) {
			t.Errorf("the same tags again have changed %s to %s", before.body, got.body)
		}
		counts := func(want string) {
			t.Helper()
			list := s.do(t, "GET", tags+"?sortBy=name&sortOrder=asc", nil).want(t, http.StatusOK)
			facet := s.do(t, "GET", s.posts("facets", "enrichment")+"?fields=userTags", nil).want(t, http.StatusOK)
			var page struct{ Data []crier.Tag }
			list.into(t, &page)
			got := ""
			for _, tag := range page.Data {
				got += fmt.Sprintf("%s:%d ", tag.Name, tag.PostCount)
			}
			if got != want {
				t.Errorf("counts are %q, want %q; facet %s", got, want, facet.body)
			}
		}
		counts("a:1 b:1 ")
		if got := names(put(a)); !slices.Equal(got, []string{"a"}) {
			t.Errorf("userTags are %q", got)
		}
		put(a, unknownID, "x").wantIssues(t, "tagIds.2")
		put(unknownID, a, strings.ToUpper(a)).wantIssues(t, "tagIds.2")
		put(a, unknownID).wantIssues(t, "tagIds.1")
		s.do(t, "PUT", s.posts(id, "tags"), object{}).wantIssues(t, "tagIds")
		counts("a:1 b:0 ")
		s.do(t, "PATCH", tags+"/"+a, object{"name": "renamed"}).want(t, http.StatusOK)
		if got := names(s.do(t, "GET", s.posts(id), nil)); !slices.Equal(got, []string{"renamed"}) {
			t.Errorf("userTags are %q", got)
		}
		facet := s.do(t, "GET", s.posts("facets", "enrichment")+"?fields=userTags", nil).want(t, http.StatusOK)
		if facet.text(t, "data", 0, "values", 0, "value") != "renamed" || facet.has("data", 0, "values", 1) {
			t.Errorf("the facet of the renamed tag: %s", facet.body)
		}
		s.do(t, "DELETE", tags+"/"+a, nil).want(t, http.StatusOK)
		if got := names(s.do(t, "GET", s.posts(id), nil)); len(got) != 0 {
			t.Errorf("userTags after the tag was deleted: %q", got)
		}
		put(b)
		s.do(t, "DELETE", s.posts(id), nil).want(t, http.StatusOK)
		counts("b:0 ")
	})
}

func TestATeamHasAtMost500Tags(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		for i := range 499 {
			s.exec(t, `INSERT INTO tags (id, team_id, name, folded, colour, created_at, updated_at)
				SELECT $1, id, CAST($2 AS text), CAST($2 AS text), '#000000', created_at, created_at FROM teams WHERE id = $3`, string(crier.NewID()), fmt.Sprint(i), string(s.team))
		}
		s.tag(t, "the last")
		s.do(t, "POST", path("/v1/teams/%s/tags", s.team), object{"name": "one more"}).wantError(t, http.StatusConflict, "Conflict")
	})
}
