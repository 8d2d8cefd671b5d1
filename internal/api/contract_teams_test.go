package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/internal/server/servertest"
)

func TestNewTeamHasEveryField(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		least := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": " Social "}).Want(t,
			http.StatusCreated)
		for name, want := range map[string]any{
			"name": "Social", "organizationId": string(s.Organization), "website": nil, "linkTrackingDefault": nil,
			"timezone":        nil,
			"requireApproval": false, "publishLateMinutes": json.Number("60"),
		} {
			if value := least.Get(t, name); value != want {
				t.Errorf("%s is %v, want %v", name, value, want)
			}
		}
		if !wireTime.MatchString(least.Text(t, "createdAt")) || !wireTime.MatchString(least.Text(t, "updatedAt")) {
			t.Errorf("the times are not in the wire format: %s", least.Body)
		}
		most := object{
			"organizationId": s.Organization, "name": "Social", "website": "https://example.com",
			"timezone": "Europe/Berlin", "linkTrackingDefault": true,
		}
		got := s.Do(t, "POST", "/v1/teams", most).Want(t, http.StatusCreated)
		for name, value := range most {
			if fmt.Sprint(got.Get(t, name)) != fmt.Sprint(value) {
				t.Errorf("%s is %v, want %v", name, got.Get(t, name), value)
			}
		}
		again := s.Do(t, "GET", "/v1/teams/"+got.Text(t, "id"), nil).Want(t, http.StatusOK)
		if !reflect.DeepEqual(again.JSON, got.JSON) {
			t.Errorf("read back: %s\nmade: %s", again.Body, got.Body)
		}
		nulls := object{"organizationId": s.Organization, "name": "Social", "website": nil, "timezone": nil,
			"linkTrackingDefault": nil}
		s.Do(t, "POST", "/v1/teams", nulls).Want(t, http.StatusCreated)
	})
}

// zones returns the cases of a time zone name: the embedded IANA list and nothing else.
func zones() []field {
	bad := []string{"timezone"}
	cases := []field{{"null", nil, nil}, {"absent", absent{}, nil}}
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kathmandu",
		"Etc/GMT+12", "America/Port-au-Prince", "GMT", "EST5EDT"} {
		cases = append(cases, field{zone, zone, nil})
	}
	for _, zone := range []any{
		"", " ", "Local", "local", "localtime", "Factory", "posix/Europe/Berlin", "right/UTC", "posixrules",
		"../etc/passwd", "/etc/localtime",
		"+02:00", "-05:00", "UTC+2", "Z", "europe/berlin", "EUROPE/BERLIN", "Europe/Berlin ", "Europe", "Europe/",
		"Europe/Atlantis",
		"Europe\\Berlin", "zone.tab", "tzdata.zi", strings.Repeat("Europe/", 200), 2, true, []string{"UTC"},
	} {
		cases = append(cases, field{fmt.Sprintf("%.40v", zone), zone, bad})
	}
	return cases
}

func TestTeamSettings(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		address := path("/v1/teams/%s", s.Team)
		base := object{"organizationId": s.Organization, "name": "Social"}
		for _, way := range []struct {
			method, path string
			good         object
			status       int
		}{{"POST", "/v1/teams", base, http.StatusCreated}, {"PATCH", address, nil, http.StatusOK}} {
			nameless := field{"absent", absent{}, nil}
			if way.method == "POST" {
				nameless.issues = []string{"name"}
			}
			s.tryFields(t, way.method, way.path, way.good, "name", way.status, append(names("name"), nameless))
			s.tryFields(t, way.method, way.path, way.good, "timezone", way.status, zones())
			website := []string{"website"}
			s.tryFields(t, way.method, way.path, way.good, "website", way.status, []field{
				{"an address", "https://example.com", nil},
				{"2048 characters", "https://a.test/" + strings.Repeat("ä", 2033), nil},
				{"null", nil, nil}, {"absent", absent{}, nil},
				{"2049 characters", "https://a.test/" + strings.Repeat("ä", 2034), website}, {"number", 7, website},
				{"no address", "example", website}, {"another scheme", "ftp://example.com", website},
				{"a script", "javascript:alert(1)", website},
				{"boolean", false, website},
			})
			tracking := []string{"linkTrackingDefault"}
			s.tryFields(t, way.method, way.path, way.good, "linkTrackingDefault", way.status, []field{
				{"true", true, nil}, {"false", false, nil}, {"null", nil, nil}, {"absent", absent{}, nil},
				{"text", "true", tracking}, {"number", 0, tracking},
			})
		}
		approval := []string{"requireApproval"}
		s.tryFields(t, "PATCH", address, nil, "requireApproval", http.StatusOK, []field{
			{"true", true, nil}, {"false", false, nil}, {"absent", absent{}, nil}, {"null", nil, approval},
			{"text", "yes", approval},
		})
		late := []string{"publishLateMinutes"}
		s.tryFields(t, "PATCH", address, nil, "publishLateMinutes", http.StatusOK, []field{
			{"the least", 0, nil}, {"the most", 1440, nil}, {"absent", absent{}, nil},
			{"below", -1, late}, {"above", 1441, late}, {"null", nil, late}, {"a fraction", 0.5, late},
			{"text", "60", late},
			{"huge", json.Number("1e99"), late}, {"beyond 64 bits", json.Number("18446744073709551616"), late},
		})
		s.Do(t, "PATCH", address, object{"organizationId": s.Organization, "id": unknownID}).WantIssues(t,
			"organizationId", "id")
		s.Do(t, "POST", "/v1/teams", object{"requireApproval": true, "publishLateMinutes": 5}).
			WantIssues(t, "requireApproval", "publishLateMinutes", "organizationId", "name")
	})
}

func TestTeamPatchChangesOnlyNamedFields(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		address := path("/v1/teams/%s", s.Team)
		full := object{
			"name": "Social", "website": "https://example.com", "linkTrackingDefault": true, "timezone": "Asia/Tokyo",
			"requireApproval": true, "publishLateMinutes": 5,
		}
		before := s.Do(t, "PATCH", address, full).Want(t, http.StatusOK).JSON.(map[string]any)
		changes := object{
			"name": "Press", "website": nil, "linkTrackingDefault": nil, "timezone": nil, "requireApproval": false,
			"publishLateMinutes": json.Number("0"),
		}
		for name, value := range changes {
			c.Advance(time.Second)
			after := s.Do(t, "PATCH", address, object{name: value}).Want(t, http.StatusOK).JSON.(map[string]any)
			if after["updatedAt"].(string) <= before["updatedAt"].(string) {
				t.Errorf("%s: updatedAt did not move", name)
			}
			want := maps.Clone(before)
			want[name], want["updatedAt"] = value, after["updatedAt"]
			if !reflect.DeepEqual(after, want) {
				t.Errorf("%s: got %v\nwant %v", name, after, want)
			}
			before = after
		}
	})
}

func TestDeletedTeamIsNotFound(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		address := path("/v1/teams/%s", s.Team)
		second := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Second"}).Want(t,
			http.StatusCreated).Text(t, "id")
		got := s.Do(t, "DELETE", address, nil).Want(t, http.StatusOK)
		if string(got.Body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.Body)
		}
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			s.Do(t, method, address, object{}).WantError(t, http.StatusNotFound, "NotFound")
		}
		list := s.Do(t, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		if fmt.Sprint(list.Get(t, "total")) != "1" || list.Text(t, "data", 0, "id") != second {
			t.Errorf("the list after the deletion: %s", list.Body)
		}
		overview := s.Do(t, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		if overview.Text(t, "defaultTeamId") != second {
			t.Errorf("the overview still leads to the deleted team: %s", overview.Body)
		}
		narrowed := object{"name": "Key", "role": "viewer", "teamIds": []any{s.Team}}
		s.Do(t, "POST", path("/v1/organizations/%s/api-keys", s.Organization), narrowed).WantIssues(t, "teamIds.0")
		stranger := s.NewTenant(t, "Stranger")
		s.As(t, stranger.Key, "GET", address, nil).WantError(t, http.StatusNotFound, "NotFound")
		// The last team may be deleted too; the organization stays and can get a new one.
		s.Do(t, "DELETE", "/v1/teams/"+second, nil).Want(t, http.StatusOK)
		empty := s.Do(t, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		if empty.Get(t, "defaultTeamId") != nil {
			t.Errorf("a default team without teams: %s", empty.Body)
		}
		s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Third"}).Want(t,
			http.StatusCreated)
	})
}
