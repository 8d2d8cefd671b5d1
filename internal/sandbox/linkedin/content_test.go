package linkedin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

// poll returns a poll's content.
func poll(question, duration string, options ...string) map[string]any {
	var list []any
	for _, option := range options {
		list = append(list, map[string]any{"text": option})
	}
	return map[string]any{"content": map[string]any{"poll": map[string]any{"question": question, "options": list,
		"settings": map[string]any{"duration": duration}}}}
}

func article(source, title, description string) map[string]any {
	return map[string]any{"content": map[string]any{"article": map[string]any{"source": source, "title": title,
		"description": description}}}
}

func images(ids ...string) map[string]any {
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"id": id}
	}
	return map[string]any{"content": map[string]any{"multiImage": map[string]any{"images": list}}}
}

func TestContentThatLinkedInRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	for name, c := range map[string]struct {
		changes       map[string]any
		code, message string
	}{
		"nothing in it": {map[string]any{"content": map[string]any{}}, "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content :: union must have exactly one of media, multiImage, article, poll"},
		"two in it": {map[string]any{"content": map[string]any{"media": map[string]any{"id": "urn:li:image:1"},
			"article": map[string]any{"source": "https://example.com", "title": "t"}}}, "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content :: union must have exactly one of media, multiImage, article, poll"},
		"one image": {images("urn:li:image:1"), "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content/multiImage/images :: must have 2 to 20 images, not 1"},
		"21 images": {images(strings.Split(strings.Repeat("urn:li:image:1 ", 21), " ")[:21]...),
			"INVALID_VALUE_FOR_FIELD", "ERROR :: /content/multiImage/images :: must have 2 to 20 images, not 21"},
		"a video among images": {images("urn:li:image:1", "urn:li:video:2"), "INVALID_URN_TYPE",
			`ERROR :: /content/multiImage/images/id :: "urn:li:video:2" is no image`},
		"article without host": {article("https://", "t", ""), "INVALID_VALUE_FOR_FIELD",
			`ERROR :: /content/article/source :: "https://" is not a valid URL`},
		"article by mail": {article("mailto:a@example.com", "t", ""), "INVALID_VALUE_FOR_FIELD",
			`ERROR :: /content/article/source :: "mailto:a@example.com" is not a valid URL`},
		"long title": {article("https://example.com", strings.Repeat("t", 400), ""), "FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/article/title :: must be shorter than 400"},
		"long description": {article("https://example.com", "t", strings.Repeat("d", 4086)), "FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/article/description :: must be shorter than 4086"},
		"poll without question": {poll("", "ONE_DAY", "a", "b"), "INVALID_VALUE_BLANK_FIELD",
			"ERROR :: /content/poll/question :: must not be blank"},
		"long question": {poll(strings.Repeat("q", 141), "ONE_DAY", "a", "b"), "FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/poll/question :: must have at most 140 characters"},
		"one option": {poll("q", "ONE_DAY", "a"), "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content/poll/options :: must have 2 to 4 options"},
		"five options": {poll("q", "ONE_DAY", "a", "b", "c", "d", "e"), "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content/poll/options :: must have 2 to 4 options"},
		"empty option": {poll("q", "ONE_DAY", "a", ""), "FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/poll/options/text :: must have 1 to 30 characters"},
		"long option": {poll("q", "ONE_DAY", "a", strings.Repeat("o", 31)), "FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/poll/options/text :: must have 1 to 30 characters"},
		"two days": {poll("q", "TWO_DAYS", "a", "b"), "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content/poll/settings/duration :: must be one of ONE_DAY, THREE_DAYS, SEVEN_DAYS, " +
				"FOURTEEN_DAYS"},
		"reshare with content": {map[string]any{"reshareContext": map[string]any{"parent": "urn:li:share:1"},
			"content": map[string]any{"media": map[string]any{"id": "urn:li:image:1"}}}, "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content :: is not allowed with reshareContext"},
		"feed": {map[string]any{"distribution": map[string]any{"feedDistribution": "SOME"}}, "INVALID_VALUE_FOR_FIELD",
			"ERROR :: /distribution/feedDistribution :: must be one of MAIN_FEED, NONE"},
	} {
		resp := a.rest("POST", "posts", a.body("a", c.changes))
		if resp.Status != http.StatusBadRequest || resp.Text("code") != c.code || resp.Text("message") != c.message {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
	if posts := a.Posts(); len(posts) != 0 {
		t.Errorf("posted: %+v", posts)
	}
}

func TestContentAtTheEdgeOfTheRulesPasses(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	for i, changes := range []map[string]any{
		article("http://example.com/a", strings.Repeat("t", 399), strings.Repeat("d", 4085)),
		poll(strings.Repeat("q", 140), "FOURTEEN_DAYS", strings.Repeat("o", 30), "b", "c", "d"),
		poll("q", "ONE_DAY", "a", "b"), poll("q", "SEVEN_DAYS", "a", "b"),
		{"visibility": "CONNECTIONS"}, {"visibility": "LOGGED_IN"},
	} {
		a.post(fmt.Sprint("case ", i), changes)
	}
	a.post(strings.Repeat("\U0001F600", 1500), nil) // 3,000 UTF-16 units
	a.post(strings.Repeat(`\_`, 3000), nil)         // escapes are not counted
}

// file uploads a picture and waits until it is available.
func (a *app) file(body []byte) string {
	a.t.Helper()
	started := a.initialize("images", "")
	a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), body)
	a.Clock.Advance(time.Second)
	return started.Text("value", "image")
}

func TestArticleWithAThumbnailShowsIt(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.file(picture(t))
	a.post("read", map[string]any{"content": map[string]any{"article": map[string]any{"source": "https://example.com",
		"title": "t", "thumbnail": urn, "thumbnailAltText": "A grey field"}}})
	if media := a.Posts()[0].Media; len(media) != 1 || media[0].ID != urn || media[0].AltText != "A grey field" {
		t.Errorf("media is %+v", media)
	}
	resp := a.rest("POST", "posts", a.body("b", map[string]any{"content": map[string]any{"article": map[string]any{
		"source": "https://example.com", "title": "t", "thumbnail": "urn:li:image:none"}}}))
	if resp.Status != http.StatusBadRequest || resp.Text("message") != "Image urn:li:image:none is invalid" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestAltTextIsLimited(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.file(picture(t))
	resp := a.rest("POST", "posts", a.body("a", mediaContent(urn, "", strings.Repeat("a", 4087))))
	if resp.Status != http.StatusBadRequest || resp.Text("code") != "FIELD_LENGTH_TOO_LONG" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.post("a", mediaContent(urn, "", strings.Repeat("a", 4086)))
}

// A member's large picture is refused as if it had another owner until it is fully replicated.
func TestLargePicturesOfMembersAreReplicatedLate(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	body := append(picture(t), make([]byte, 2_600_000)...)
	urn := a.file(body) // one of the five seconds that it takes has passed
	resp := a.rest("POST", "posts", a.body("large", mediaContent(urn, "", "")))
	if resp.Status != http.StatusForbidden || resp.Text("code") != "ACCESS_DENIED" ||
		resp.Text("message") != "Accessing this image resource is forbidden: the owner is not the author" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.Clock.Advance(4 * time.Second)
	a.post("large", mediaContent(urn, "", ""))

	b := setup(t, "organization:acme", sim.Options{})
	b.post("large", mediaContent(b.file(body), "", ""))
}

func TestDuplicatesHaveTheSameAuthorTextAndContent(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:ada", sim.Options{})
	first := a.post("same #tag", nil)
	for _, commentary := range []string{"same #tag", `same {hashtag|\#|tag}`} {
		resp := a.must(http.StatusUnprocessableEntity, "POST", "posts", a.body(commentary, nil))
		if !strings.HasSuffix(resp.Text("message"), first) || resp.Value("status") != 422.0 ||
			resp.Text("errorDetailType") != "com.linkedin.common.error.BadRequest" {
			t.Errorf("%s: %s", commentary, resp.Body)
		}
	}
	a.post("same #tag", article("https://example.com", "t", ""))
	a.post("same #tag", article("https://example.com", "u", ""))
	a.post("same #tag", map[string]any{"reshareContext": map[string]any{"parent": first}})
	a.post("Same #tag", nil)
	org := a.must(http.StatusOK, "GET", "organizationAcls?q=roleAssignee", "").Text("elements", 0, "organization")
	a.post("same #tag", map[string]any{"author": org})
}
