package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// The files contract_*_test.go check the server against the API: every bound at, below and above, every enum, every
// nullable field. harness_test.go checks each response against the OpenAPI document.

// field is one value of a field in a request body, and the paths of the issues that it must cause; none if accepted.
type field struct {
	rule   string
	value  any
	issues []string
}

// absent leaves a key out of a body.
type absent struct{}

// names returns the cases of a name: 2 to 64 code points after trimming, no control characters.
func names(at string) []field {
	bad := []string{at}
	return []field{
		{"two characters", "ab", nil},
		{"64 characters", strings.Repeat("n", 64), nil},
		{"64 emoji of four bytes each", strings.Repeat("🦉", 64), nil},
		{"combining characters count one by one", strings.Repeat("e\u0301", 32), nil},
		{"two emoji", "🦉🦉", nil},
		{"right-to-left", "שלום עולם", nil},
		{"quotes and markup are text", `<b>"O'Neil" & Søn</b>; DROP TABLE teams`, nil},
		{"white space around 64 characters", "\t " + strings.Repeat("n", 64) + "\u00a0\n", nil},
		{"white space inside", "a b", nil},
		{"empty", "", bad},
		{"one character", "a", bad},
		{"one emoji of several bytes", "🦉", bad},
		{"white space only", " \t\n ", bad},
		{"one character between white space", "  a  ", bad},
		{"65 characters", strings.Repeat("n", 65), bad},
		{"65 emoji", strings.Repeat("🦉", 65), bad},
		{"combining characters over the bound", strings.Repeat("e\u0301", 33), bad},
		{"line break inside", "two\nlines", bad},
		{"bell", "ab\u0007", bad},
		{"delete", "ab\u007f", bad},
		{"C1 control", "ab\u0085cd", bad},
		{"null", nil, bad},
		{"number", 42, bad},
		{"list", []string{"ab"}, bad},
		{"object", object{"name": "ab"}, bad},
		{"boolean", true, bad},
	}
}

// tryFields sends one request per case, with the field set in an otherwise valid body.
func (s *testServer) tryFields(t *testing.T, method, path string, good object, key string, success int, cases []field) {
	t.Helper()
	for _, c := range cases {
		t.Run(key+": "+c.rule, func(t *testing.T) {
			body := maps.Clone(good)
			if body == nil {
				body = object{}
			}
			body[key] = c.value
			if _, leaveOut := c.value.(absent); leaveOut {
				delete(body, key)
			}
			got := s.Do(t, method, path, body)
			if len(c.issues) > 0 {
				got.WantIssues(t, c.issues...)
				return
			}
			got.Want(t, success)
			if text, ok := c.value.(string); ok && key == "name" {
				if want := strings.TrimSpace(text); got.Text(t, "name") != want {
					t.Errorf("the name is %q, want %q", got.Text(t, "name"), want)
				}
			}
		})
	}
}

// notUUIDs are path and query values that are not ids.
var notUUIDs = []string{
	"1", "null", "me", strings.Repeat("0", 36), "018f3f6e7c1a7d2b9a550b6c3a1f2e4d", unknownID + "0", unknownID[1:],
	"{" + unknownID + "}", "urn:uuid:" + unknownID, strings.Replace(unknownID, "a", "g", 1), "%00",
	"018f3f6e_7c1a_7d2b_9a55_0b6c3a1f2e4d",
	"018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4%C3%A9",
}

func TestInvalidIDsAreRejectedBeforeLookup(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		for _, id := range notUUIDs {
			s.Do(t, "GET", "/v1/teams/"+id, nil).WantIssues(t, "teamId")
			s.Do(t, "DELETE", "/v1/teams/"+id, nil).WantIssues(t, "teamId")
			s.Do(t, "PATCH", "/v1/organizations/"+id, object{}).WantIssues(t, "organizationId")
			s.Do(t, "DELETE", path("/v1/organizations/%s/api-keys/%s", s.Organization, id), nil).WantIssues(t, "id")
			s.Do(t, "GET", "/v1/teams?organizationId="+id, nil).WantIssues(t, "organizationId")
		}
		s.Do(t, "GET", "/v1/teams?organizationId=", nil).WantIssues(t, "organizationId")
		s.Do(t, "POST", "/v1/teams", object{"name": "Team", "organizationId": "1"}).WantIssues(t, "organizationId")
	})
}

func TestIDsAreCaseInsensitive(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		team, organization := strings.ToUpper(string(s.Team)), strings.ToUpper(string(s.Organization))
		got := s.Do(t, "GET", "/v1/teams/"+team, nil).Want(t, http.StatusOK)
		if got.Text(t, "id") != string(s.Team) {
			t.Errorf("the id is answered as %s, want lower case", got.Text(t, "id"))
		}
		s.Do(t, "PATCH", "/v1/organizations/"+organization, object{}).Want(t, http.StatusOK)
		list := s.Do(t, "GET", "/v1/teams?organizationId="+organization, nil).Want(t, http.StatusOK)
		if fmt.Sprint(list.Get(t, "total")) != "1" {
			t.Errorf("the list of the upper-case organization: %s", list.Body)
		}
		created := s.Do(t, "POST", "/v1/teams", object{"name": "Second", "organizationId": organization}).Want(t,
			http.StatusCreated)
		if created.Text(t, "organizationId") != string(s.Organization) {
			t.Errorf("the new team is in %s", created.Text(t, "organizationId"))
		}
		twice := object{"name": "Key", "role": "viewer", "teamIds": []string{team, string(s.Team)}}
		s.Do(t, "POST", path("/v1/organizations/%s/api-keys", s.Organization), twice).WantIssues(t, "teamIds.1")
	})
}
