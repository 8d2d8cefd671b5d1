package graph

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/provider"
)

// TestProblemTextPrefersTheUserMessage: the message for people comes first, with its title unless it repeats the title.
func TestProblemTextPrefersTheUserMessage(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Problem{
		"":                         {},
		"technical":                {Message: "technical"},
		"For people":               {Message: "technical", UserMessage: "For people"},
		"Title: For people":        {Message: "technical", UserTitle: "Title", UserMessage: "For people"},
		"Title is in the sentence": {UserTitle: "Title", UserMessage: "Title is in the sentence"},
		"no sentence":              {Message: "no sentence", UserTitle: "Title"},
	} {
		if got := p.text(); got != want {
			t.Errorf("%+v: text %q, want %q", p, got, want)
		}
	}
}

func TestProblemFormats(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Problem{
		``: {}, `<html>`: {}, `[]`: {}, `{}`: {}, `{"error":null}`: {}, `{"error":"denied"}`: {Message: `"denied"`},
		`{"error":{"message":"m","code":"4"}}`: {Message: `{"message":"m","code":"4"}`},
		`{"error":{"message":"m","type":"OAuthException","code":190,"error_subcode":463,"is_transient":true,"error_user_title":"T","error_user_msg":"U","fbtrace_id":"x"}}`: {
			Message: "m", Type: "OAuthException", Code: 190, Subcode: 463, Transient: true,
			UserTitle: "T", UserMessage: "U"},
		`{"error_type":"OAuthException","code":400,"error_message":"Invalid platform app"}`: {Type: "OAuthException",
			Message: "Invalid platform app"},
	} {
		if got := ReadProblem(&provider.Response{Body: []byte(body)}); got != want {
			t.Errorf("%s is read as %+v, want %+v", body, got, want)
		}
	}
}

func TestRulesMatchCodesRangesAndMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule    Rule
		problem Problem
		want    bool
	}{
		{Rule{}, Problem{Code: 7}, true}, {Rule{Code: 7}, Problem{Code: 7, Subcode: 9}, true},
		{Rule{Code: 7}, Problem{Code: 8}, false}, {Rule{Code: 7, CodeTo: 9}, Problem{Code: 9}, true},
		{Rule{Code: 7, CodeTo: 9}, Problem{Code: 10}, false}, {Rule{Code: 7, CodeTo: 9}, Problem{Code: 6}, false},
		{Rule{Subcode: 9}, Problem{Code: 7, Subcode: 9}, true}, {Rule{Code: 7, Subcode: 9}, Problem{Code: 7}, false},
		{Rule{Says: "limit"}, Problem{Message: "a limit"}, true},
		{Rule{Says: "limit"}, Problem{UserTitle: "limit"}, true},
		{Rule{Says: "limit"}, Problem{UserMessage: "the limit"}, true},
		{Rule{Says: "limit"}, Problem{Message: "Limit"}, false},
		{Rule{Code: 7, Says: "limit"}, Problem{Code: 8, Message: "limit"}, false},
	} {
		if got := tc.rule.fits(tc.problem); got != tc.want {
			t.Errorf("%+v matches %+v: %t", tc.rule, tc.problem, got)
		}
	}
}

func TestUsageHeadersReturnTheLongestWait(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"": 0, "nonsense": 0, "{}": 0, `{"1":[]}`: 0, `{"1":[{"call_count":100}]}`: 0,
		`{"1":[{"estimated_time_to_regain_access":0}]}`: 0, `{"1":{"estimated_time_to_regain_access":5}}`: 0,
		`{"1":[{"estimated_time_to_regain_access":5},{"estimated_time_to_regain_access":60}],"2":[{"estimated_time_to_regain_access":9}]}`: time.Hour,
		`{"1":[{"estimated_time_to_regain_access":0.5}]}`: 30 * time.Second,
	} {
		header := http.Header{}
		header.Set("X-Business-Use-Case-Usage", value)
		if got := regain(header); got != want {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
	}
}

// TestUsageHeadersOnlyDelayLimits: every response has the header, which is no reason to retry a refused post.
func TestUsageHeadersOnlyDelayLimits(t *testing.T) {
	t.Parallel()
	usage := map[string]string{"X-Business-Use-Case-Usage": `{"1":[{"estimated_time_to_regain_access":5}]}`}
	for body, want := range map[string]time.Duration{problem(32, 0, ""): 5 * time.Minute, problem(506, 0, ""): 0,
		problem(368, 0, ""): BlockedPause} {
		_, err := answering(t, 400, usage, body).Send(context.Background(), "t",
			provider.Request{Method: http.MethodGet, URL: "/"})
		if failure := provider.AsError(err); failure == nil || failure.RetryAfter != want {
			t.Errorf("%s: %+v, want a pause of %v", body, failure, want)
		}
	}
}

func TestDeletionResults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		want   provider.Deletion
		kind   provider.Kind
	}{
		{200, `{"success":true}`, provider.Deleted, ""}, {200, `{"success":false}`, "", provider.Temporary},
		{200, `{}`, "", provider.Temporary}, {200, `<html>`, "", provider.Temporary},
		{400, problem(100, 33, ""), provider.AlreadyGone, ""}, {400, problem(100, 0, ""), "", provider.Rejected},
		{401, problem(190, 0, ""), "", provider.AuthExpired}, {500, ``, "", provider.Temporary},
	} {
		got, err := answering(t, tc.status, nil, tc.body).Delete(context.Background(), "t", "/1")
		failure := provider.AsError(err)
		if got != tc.want || (failure == nil) != (tc.kind == "") || failure != nil && failure.Kind != tc.kind {
			t.Errorf("%d %s: %q, %v; want %q, %s", tc.status, tc.body, got, err, tc.want, tc.kind)
		}
	}
}

func TestPostDecodesItsResponse(t *testing.T) {
	t.Parallel()
	var answer struct {
		ID ID `json:"id"`
	}
	client := answering(t, 200, nil, `{"id":17841400000000001}`)
	request := provider.Request{URL: "/feed", Publishes: true}
	if err := client.Post(context.Background(), "t", request, url.Values{"a": {"b"}}, &answer); err != nil ||
		answer.ID != "17841400000000001" {
		t.Errorf("id %s, %v", answer.ID, err)
	}
	elsewhere := client.WithBase(client.BaseURL + "/v2")
	if elsewhere.BaseURL != client.BaseURL+"/v2" || client.BaseURL == elsewhere.BaseURL {
		t.Errorf("base URLs %s and %s", client.BaseURL, elsewhere.BaseURL)
	}
	err := answering(t, 200, nil, `{"id":`).Post(context.Background(), "t", request, nil, &answer)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Errorf("truncated response: %v", err)
	}
	err = answering(t, 400, nil, problem(506, 0, "")).Post(context.Background(), "t", request, nil, &answer)
	if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeDuplicateContent {
		t.Errorf("refusal: %v", err)
	}
	if failure := MissingID("Test"); failure.Kind != provider.OutcomeUnknown ||
		failure.Message != "Test answered without the id of the post" {
		t.Errorf("no id: %+v", failure)
	}
	if !IsUnknownContainer(refusal(ErrUnknownContainer)) || IsUnknownContainer(errors.New("x")) ||
		IsUnknownContainer(nil) {
		t.Error("IsUnknownContainer does not match ErrUnknownContainer")
	}
}

func TestInsightsLastAndPick(t *testing.T) {
	t.Parallel()
	var insights Insights
	if err := json.Unmarshal([]byte(`{"data":[{"name":"followers","values":[{"value":5},{"value":7}]},`+
		`{"name":"parts","values":[{"value":{"a":1,"b":2}}]},
		{"name":"clicks","link_total_values":[{"value":3},{"value":4}]},`+
		`{"name":"text","values":[{"value":"many"}]},{"name":"none","values":[]},`+
		`{"name":"gone","values":[{}]},{"name":"null","values":[{"value":null}]},
		{"name":"sum","values":[{"value":9}],"total_value":{"value":2.9}}]}`), &insights); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"followers": 7, "parts": 3, "text": -1, "none": -1, "gone": -1,
		"null": -1, "unknown": -1} {
		got := insights.Last(name)
		if (got == nil) != (want == -1) || got != nil && *got != want {
			t.Errorf("last value of %s: %v, want %d", name, got, want)
		}
	}
	n := insights.Numbers()
	for name, want := range map[string]int64{"followers": 12, "clicks": 7, "sum": 2, "parts": 3} {
		if got := n.Get(name); got == nil || *got != want {
			t.Errorf("%s: %v, want %d", name, got, want)
		}
	}
	if n.Get("text") != nil || n.Get("gone") != nil || n.Get("null") != nil {
		t.Errorf("values that are not numbers are returned: %v", n)
	}
	picked := n.Pick("clicks", "linkClicks", "unknown", "other", "sum", "sum", "odd")
	if len(picked) != 2 || picked["linkClicks"] != 7 || picked["sum"] != 2 {
		t.Errorf("picked %v", picked)
	}
	if got := n.Pick("unknown", "other"); got != nil {
		t.Errorf("picked %v, want nil", got)
	}
}

func TestIDAndTimeFormats(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{`"1"`: true, `17841405793187218`: true, `null`: true, `""`: true, `{}`: false,
		`[1]`: false, `true`: false} {
		var id ID
		if err := json.Unmarshal([]byte(text), &id); (err == nil) != good {
			t.Errorf("id %s is decoded as %q, %v", text, id, err)
		}
	}
	for text, want := range map[string]string{`"2026-11-15T13:00:00+0100"`: "2026-11-15T12:00:00Z",
		`1794744000`: "2026-11-15T12:00:00Z", `null`: "0001-01-01T00:00:00Z", `""`: "0001-01-01T00:00:00Z",
		`"2026-11-15"`: "", `{}`: ""} {
		var at Time
		err := json.Unmarshal([]byte(text), &at)
		if (err == nil) != (want != "") || err == nil && at.Format(time.RFC3339) != want {
			t.Errorf("time %s is decoded as %v, %v", text, at, err)
		}
	}
}
