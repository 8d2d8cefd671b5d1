package provider

import (
	"net/http"
	"strings"
	"testing"
)

// TestMaskHidesCredentialsInEveryEncoding: exchanges are stored and shown to people; they must not contain credentials,
// but must keep the explanation of a failure.
func TestMaskHidesCredentialsInEveryEncoding(t *testing.T) {
	t.Parallel()
	r := Request{Bearer: "tok+en/1=", Secrets: []Secret{"", "second|secret"},
		Basic: &Credentials{ClientID: "client", ClientSecret: "basic-secret"}}
	for text, want := range map[string]string{
		"":                                   "",
		"nothing to hide":                    "nothing to hide",
		"the token tok+en/1= is bad":         "the token [secret] is bad",
		"escaped tok%2Ben%2F1%3D":            "escaped [secret]",
		"second|secret, second%7Csecret":     "[secret], [secret]",
		"Basic Y2xpZW50OmJhc2ljLXNlY3JldA==": "Basic [secret]",
		"basic-secret":                       "[secret]",
		"client":                             "client",
		`{"access_token":"EAAB","id":"7"}`:   `{"access_token":"[secret]","id":"7"}`,
		`{"refresh_token" : "a\"b", "x":1}`:  `{"refresh_token" : "[secret]", "x":1}`,
		`{"upload_url":"https://up.test/?a=1","uri":"https://up.test"}`: `{"upload_url":"[secret]","uri":"[secret]"}`,
		`{"uploadToken":"x","my_access_token":"y"}`:                     `{"uploadToken":"[secret]","my_access_token":"y"}`,
		`{"token_type":"bearer","expires_in":1}`:                        `{"token_type":"bearer","expires_in":1}`,
		"access_token=EAAB&fields=id":                                   "access_token=[secret]&fields=id",
		"https://g.test/me?fields=id&appsecret_proof=ab12&x=1":          "https://g.test/me?fields=id&appsecret_proof=[secret]&x=1",
		"code=abc&state=xyz":                                            "code=[secret]&state=xyz",
		"zip_code=12345":                                                "zip_code=12345",
		"error code=190":                                                "error code=190",
		"Authorization: Bearer abcdefgh":                                "Authorization: Bearer [secret]",
		"oauth abcdefgh.ij-kl":                                          "oauth [secret]",
		"bearer of news":                                                "bearer of news",
		"client_secret=s&code_verifier=v": "client_secret=[secret]&" +
			"code_verifier=[secret]",
	} {
		if got := r.mask(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
	if got := (Request{}).mask("tok"); got != "tok" {
		t.Errorf("without secrets: %s", got)
	}
}

func TestRecordedURLsHideSecrets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		request Request
		want    string
	}{
		{Request{URL: "https://api.test/2/tweets?ids=1,2"}, "https://api.test/2/tweets?ids=1,2"},
		{Request{URL: "https://ada:pw@api.test/x"}, "https://api.test/x"},
		{Request{URL: "https://up.test/x?sig=1", SecretURL: true}, "https://up.test/x"},
		{Request{URL: "https://up.test/part/abcdef", Secrets: []Secret{"abcdef"}}, "https://up.test/part/[secret]"},
		{Request{URL: "https://api.test/%zz"}, "[not an address]"},
		{Request{URL: "https://api.test/x?upload_id=AB&n=1"}, "https://api.test/x?upload_id=[secret]&n=1"},
	} {
		if got := tc.request.recordedURL(); got != tc.want {
			t.Errorf("%s is shown as %s, want %s", tc.request.URL, got, tc.want)
		}
	}
}

func TestOnlyKnownHeadersAreRecorded(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	for name, value := range map[string]string{"Set-Cookie": "session=1", "X-Rate-Limit-Reset": "1763197200",
		"X-RestLi-Id": "urn:li:share:7", "Retry-After": "60", "X-Debug": "tok", "Location": "https://up.test/?sig=1",
		"X-App-Usage": `{"call_count":9,"access_token":"abc"}`, "Date": ""} {
		header.Set(name, value)
	}
	got := Request{}.recordedHeader(header)
	want := map[string]string{"X-Rate-Limit-Reset": "1763197200", "X-Restli-Id": "urn:li:share:7", "Retry-After": "60",
		"X-App-Usage": `{"call_count":9,"access_token":"[secret]"}`}
	if len(got) != len(want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is recorded as %q, want %q", name, got[name], value)
		}
	}
}

func TestShortenKeepsWholeCharacters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"", 0, ""}, {"ä", 1, "…"}, {"aä", 2, "a…"}, {"🦉🦉", 5, "🦉…"},
		{"🦉🦉", 8, "🦉🦉"}, {"abc", 0, "…"},
	} {
		if got := shorten(tc.text, tc.n); got != tc.want {
			t.Errorf("%q shortened to %d is %q, want %q", tc.text, tc.n, got, tc.want)
		}
	}
	if got := printable([]byte{0xff, 0xd8, 0xff}); got != "[binary]" {
		t.Errorf("a picture is shown as %q", got)
	}
	if got := printable([]byte("Grüße")); got != "Grüße" {
		t.Errorf("text is shown as %q", got)
	}
}

func TestFailuresNameTheirRequest(t *testing.T) {
	t.Parallel()
	response := &Response{Status: 418, request: Request{Method: "POST", URL: "https://api.test/x?access_token=abc",
		Operation: OpPublish, Bearer: "token-1", Publishes: true}}
	if response.Operation() != OpPublish || !response.Publishes() || response.OK() {
		t.Errorf("response %+v", response)
	}
	for message, want := range map[string]string{
		"":                        "content_rejected: the network answered with status 418 (POST https://api.test/x?access_token=[secret]: HTTP 418)",
		" \n":                     "content_rejected: the network answered with status 418 (POST https://api.test/x?access_token=[secret]: HTTP 418)",
		" no to token-1 ":         "content_rejected: no to [secret] (POST https://api.test/x?access_token=[secret]: HTTP 418)",
		strings.Repeat("é", 1000): "content_rejected: " + strings.Repeat("é", 250) + "… (POST https://api.test/x?access_token=[secret]: HTTP 418)",
	} {
		if got := response.Fail(Rejected, CodeContentRejected, message, nil); got.Error() != want || got.Status != 418 {
			t.Errorf("%.20q: %s, want %s", message, got, want)
		}
	}
}

// TestInvalidResponsesAreUnknownOnlyAfterPublishing: a read can be repeated, a repeated publication may
// publish twice.
func TestInvalidResponsesAreUnknownOnlyAfterPublishing(t *testing.T) {
	t.Parallel()
	for _, publishes := range []bool{false, true} {
		kind, code := Temporary, CodeProviderUnavailable
		if publishes {
			kind, code = OutcomeUnknown, CodeOutcomeUnknown
		}
		for name, body := range map[string]string{"nothing": "", "HTML": "<html>", "half": `{"id":"1`, "a list": `[]`} {
			response := &Response{Status: 200, Body: []byte(body), request: Request{Publishes: publishes}}
			var v struct {
				ID string `json:"id"`
			}
			if got := AsError(response.Decode(&v)); got == nil || got.Kind != kind || got.Code != code {
				t.Errorf("%s, publishes %t: %v", name, publishes, got)
			}
		}
		response := &Response{Status: 503, request: Request{Publishes: publishes}}
		if got := response.Unavailable("busy"); got.Kind != kind || got.Code != code || got.Message != "busy" ||
			got.Status != 503 {
			t.Errorf("publishes %t: %v", publishes, got)
		}
		damaged := &Response{Status: 200, Body: []byte("{\"id\":\"a\xff\"}"), request: Request{Publishes: publishes}}
		var v struct{ ID string }
		if err := damaged.Decode(&v); (err != nil) != publishes {
			t.Errorf("invalid UTF-8, publishes %t: %v", publishes, err)
		}
	}
	for status, ok := range map[int]bool{199: false, 200: true, 201: true, 204: true, 299: true, 300: false, 308: false,
		404: false, 500: false, 0: false} {
		if (&Response{Status: status}).OK() != ok {
			t.Errorf("status %d is a success: %t", status, !ok)
		}
	}
}
