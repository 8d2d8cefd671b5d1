package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEmptyDraftHasEveryField(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		for _, body := range []any{object{}, nil, object{"title": nil, "postInput": nil, "postPublishActions": nil}} {
			created := s.Do(t, "POST", s.PostsPath(), body).Want(t, http.StatusCreated)
			for name, want := range map[string]any{
				"teamId": string(s.Team), "postType": "text_post", "title": nil, "status": "draft",
				"deliveryState": "unscheduled", "text": "",
				"assetIds": []any{}, "assetTags": []any{}, "userTags": []any{}, "latestScheduledPost": nil,
				"scheduledDestinationAccountIds": []any{}, "saveDestination": "drafts",
				"saveMessage": "Saved to Drafts",
				"postInput":   object{"kind": "atomic", "text": "", "attachments": []any{}},
			} {
				if value := created.Get(t, name); !reflect.DeepEqual(value, want) {
					t.Errorf("%s is %v, want %v", name, value, want)
				}
			}
			if created.Has("postPublishActions") || created.Has("scheduledPosts") {
				t.Errorf("fields without a value are there: %s", created.Body)
			}
			read := s.Do(t, "GET", s.PostsPath(created.Text(t, "id")), nil).Want(t, http.StatusOK)
			if !reflect.DeepEqual(read.JSON, created.JSON) {
				t.Errorf("read back: %s\nmade: %s", read.Body, created.Body)
			}
		}
	})
}

func TestThreadWithMediaLinksAndActionsRoundTrips(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		photo, clip := s.InsertImage(t, "owl", "night"), s.InsertVideo(t, "night", "flight")
		ends := time.Now().Add(1000 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
		body := object{
			"title": "Owls", "text": "ignored",
			"postInput": object{"kind": "thread", "posts": []any{
				object{"kind": "atomic", "text": "Первый", "attachments": []any{
					object{"kind": "media", "asset": object{"assetId": strings.ToUpper(photo), "mimeType": "text/lies",
						"width": 1}, "altText": "an owl at night"},
					object{"kind": "link", "url": "https://example.com/owls", "title": "Owls",
						"description": "All about owls"},
				}},
				object{"kind": "atomic", "text": "second",
					"attachments": []any{object{"kind": "media", "asset": object{"assetId": clip}}}},
				object{"kind": "atomic"},
			}},
			"postPublishActions": object{
				"firstComment": object{"text": "first!", "mediaIds": []any{photo}},
				"engagementCommentTrigger": object{"likeThreshold": 10, "windowHours": 720,
					"comment": object{"text": "thanks", "mediaIds": []any{clip}}},
				"repostAfter":            object{"offsetDays": 30, "text": "again"},
				"recurrenceIntervalDays": 365, "recurrenceEndsAt": ends,
			},
		}
		created := s.CreatePost(t, body)
		for name, want := range map[string]any{
			"postType": "text_video", "text": "Первый\n\nsecond\n\n", "assetIds": []any{photo, clip},
			"assetTags": []any{"flight", "night", "owl"}, "title": "Owls",
		} {
			if value := created.Get(t, name); !reflect.DeepEqual(value, want) {
				t.Errorf("%s is %v, want %v", name, value, want)
			}
		}
		wantAsset := object{
			"assetId": photo, "mimeType": "image/jpeg", "byteSize": json.Number("1000"), "width": json.Number("640"),
			"height": json.Number("480"), "thumbnailUrl": "", "altText": "an owl",
		}
		if got := created.Get(t, "postInput", "posts", 0, "attachments", 0,
			"asset"); !reflect.DeepEqual(withoutKey(got, "thumbnailUrl"), withoutKey(wantAsset, "thumbnailUrl")) {
			t.Errorf("the asset is %v, want %v", got, wantAsset)
		}
		if got := created.Text(t, "postInput", "posts", 0, "attachments", 0, "altText"); got != "an owl at night" {
			t.Errorf("altText is %q", got)
		}
		wantLink := object{"kind": "link", "url": "https://example.com/owls", "title": "Owls",
			"description": "All about owls"}
		if got := created.Get(t, "postInput", "posts", 0, "attachments", 1); !reflect.DeepEqual(got, wantLink) {
			t.Errorf("the link is %v", got)
		}
		if got := fmt.Sprint(created.Get(t, "postInput", "posts", 1, "attachments", 0, "asset",
			"durationSeconds")); got != "12.5" {
			t.Errorf("durationSeconds is %s", got)
		}
		var want any
		decode(t, body["postPublishActions"], &want)
		if got := created.Get(t, "postPublishActions"); !reflect.DeepEqual(got, want) {
			t.Errorf("postPublishActions are %v, want %v", got, want)
		}
		// A response can be sent back as it is, and changes nothing.
		same := s.PatchPost(t, created.Text(t, "id"), object{"postInput": created.Get(t, "postInput"),
			"assetIds": created.Get(t, "assetIds"), "postPublishActions": want}).Want(t, http.StatusOK)
		if !reflect.DeepEqual(same.JSON, created.JSON) {
			t.Errorf("sent back: %s\nmade: %s", same.Body, created.Body)
		}
	})
}

func withoutKey(value any, key string) any {
	copied := object{}
	for k, v := range value.(object) {
		if k != key {
			copied[k] = v
		}
	}
	return copied
}

// decode converts a body to its decoded form in a response.
func decode(tb testing.TB, body any, into *any) {
	tb.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		tb.Fatal(err)
	}
}

func atomicPost(text string, attachments ...any) object {
	return object{"kind": "atomic", "text": text, "attachments": append([]any{}, attachments...)}
}

func thread(parts ...any) object { return object{"kind": "thread", "posts": parts} }

func attached(asset string) object { return object{"kind": "media", "asset": object{"assetId": asset}} }

func link(url string) object { return object{"kind": "link", "url": url} }

func repeat(n int, part any) []any {
	parts := make([]any, n)
	for i := range parts {
		parts[i] = part
	}
	return parts
}

// postFields returns cases of every field of the body that creates or changes a post.
func postFields() map[string][]field {
	long := strings.Repeat("ü", 100_000)
	at := func(paths ...string) []string { return paths }
	return map[string][]field{
		"title": {
			{"text", "A title", nil},
			{"null", nil, nil},
			{"200 characters", strings.Repeat("🦉", 200), nil},
			{"201 characters", strings.Repeat("t", 201), at("title")},
			{"a number", 1, at("title")},
		},
		"text": {
			{"any text", "Line one\nline two\t🦉", nil},
			{"100,000 characters", long, nil},
			{"100,001 characters", long + "ü", at("text")},
			{"null", nil, at("text")},
			{"a list", []any{"a"}, at("text")},
		},
		"postType": {
			{"text_post", "text_post", nil}, {"text_image", "text_image", nil}, {"text_video", "text_video", nil},
			{"carousel", "carousel", nil},
			{"unknown", "story", at("postType")}, {"null", nil, nil},
			{"upper case", "TEXT_POST", at("postType")},
		},
		"assetIds": {
			{"empty", []any{}, nil},
			{"no UUID", []any{"x"}, at("assetIds.0")},
			{"unknown", []any{unknownID}, at("assetIds.0")},
			{"given twice", []any{unknownID, strings.ToUpper(unknownID)}, at("assetIds.1")},
			{"21 of them", manyIDs(21), at("assetIds")},
			{"null", nil, at("assetIds")},
		},
		"postInput": {
			{"null", nil, nil},
			{"atomic", atomicPost("x"), nil},
			{"atomic without anything", object{"kind": "atomic"}, nil},
			{"thread of two", thread(atomicPost("a"), atomicPost("b")), nil},
			{"thread of fifty", thread(repeat(50, atomicPost("a"))...), nil},
			{"thread of one", thread(atomicPost("a")), at("postInput.posts")},
			{"thread of none", thread(), at("postInput.posts")},
			{"thread of 51", thread(repeat(51, atomicPost("a"))...), at("postInput.posts")},
			{"thread in a thread", thread(atomicPost("a"), thread(atomicPost("a"), atomicPost("b"))),
				at("postInput.posts.1.kind", "postInput.posts.1.posts")},
			{"no kind", object{"text": "x"}, at("postInput.kind")},
			{"unknown kind", object{"kind": "poem"}, at("postInput.kind")},
			{"unknown key", object{"kind": "atomic", "colour": "red"}, at("postInput.colour")},
			{"a string", "x", at("postInput")},
			{"text over the bound", atomicPost(long + "x"), at("postInput.text")},
			{"20 attachments", atomicPost("x", repeat(20, link("https://example.com"))...), nil},
			{"21 attachments", atomicPost("x", repeat(21, link("https://example.com"))...),
				at("postInput.attachments")},
			{"unknown asset", atomicPost("x", attached(unknownID)), at("postInput.attachments.0.asset.assetId")},
			{"unknown asset in a thread", thread(atomicPost("a"),
				atomicPost("b", link("https://example.com"), attached(unknownID))),
				at("postInput.posts.1.attachments.1.asset.assetId")},
			{"asset without an id", atomicPost("x", object{"kind": "media", "asset": object{}}),
				at("postInput.attachments.0.asset.assetId")},
			{"media without an asset", atomicPost("x", object{"kind": "media"}), at("postInput.attachments.0.asset")},
			{"attachment of an unknown kind", atomicPost("x", object{"kind": "poll"}),
				at("postInput.attachments.0.kind")},
			{"link without an address", atomicPost("x", object{"kind": "link"}), at("postInput.attachments.0.url")},
			{"link to a file", atomicPost("x", link("file:///etc/passwd")), at("postInput.attachments.0.url")},
			{"link with an unknown key", atomicPost("x",
				object{"kind": "link", "url": "https://example.com", "rel": "me"}), at("postInput.attachments.0.rel")},
			{"link title over the bound", atomicPost("x",
				object{"kind": "link", "url": "https://example.com", "title": strings.Repeat("t", 401)}),
				at("postInput.attachments.0.title")},
			{
				"every problem at once", thread(atomicPost("a", attached("x")), object{"kind": "atomic", "text": 1}),
				at("postInput.posts.0.attachments.0.asset.assetId", "postInput.posts.1.text"),
			},
		},
		"postPublishActions": actionFields(),
	}
}

func manyIDs(n int) []any {
	ids := make([]any, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("018f3f6e-7c1a-7d2b-9a55-%012x", i)
	}
	return ids
}

func actionFields() []field {
	at := func(paths ...string) []string {
		for i := range paths {
			paths[i] = "postPublishActions." + paths[i]
		}
		return paths
	}
	comment := object{"text": "thanks"}
	trigger := func(likes, hours any) object {
		return object{"engagementCommentTrigger": object{"likeThreshold": likes, "windowHours": hours,
			"comment": comment}}
	}
	repost := func(days any) object { return object{"repostAfter": object{"offsetDays": days}} }
	return []field{
		{"null", nil, nil},
		{"none", object{}, nil},
		{"unknown key", object{"lastComment": comment}, at("lastComment")},
		{"first comment", object{"firstComment": comment}, nil},
		{"no first comment", object{"firstComment": nil}, nil},
		{"empty first comment", object{"firstComment": object{"text": ""}}, at("firstComment.text")},
		{"first comment without text", object{"firstComment": object{}}, at("firstComment.text")},
		{"first comment with an unknown asset",
			object{"firstComment": object{"text": "x", "mediaIds": []any{unknownID}}}, at("firstComment.mediaIds.0")},
		{
			"comment of a trigger with an unknown asset",
			object{"engagementCommentTrigger": object{"likeThreshold": 1, "windowHours": 1,
				"comment": object{"text": "x", "mediaIds": []any{unknownID}}}},
			at("engagementCommentTrigger.comment.mediaIds.0"),
		},
		{"window of an hour", trigger(1, 1), nil},
		{"window of 720 hours", trigger(1, 720), nil},
		{"no window", trigger(1, 0), at("engagementCommentTrigger.windowHours")},
		{"window of 721 hours", trigger(1, 721), at("engagementCommentTrigger.windowHours")},
		{"half an hour", trigger(1, 0.5), at("engagementCommentTrigger.windowHours")},
		{"no likes", trigger(0, 1), at("engagementCommentTrigger.likeThreshold")},
		{"trigger without anything", object{"engagementCommentTrigger": object{}},
			at("engagementCommentTrigger.comment", "engagementCommentTrigger.likeThreshold",
				"engagementCommentTrigger.windowHours")},
		{"repost after a day", repost(1), nil},
		{"repost after 30 days", repost(30), nil},
		{"repost at once", repost(0), at("repostAfter.offsetDays")},
		{"repost after 31 days", repost(31), at("repostAfter.offsetDays")},
		{"quote", object{"repostAfter": object{"offsetDays": 1, "mode": "quote", "text": "x"}}, nil},
		{"quote without text", object{"repostAfter": object{"offsetDays": 1, "mode": "quote"}}, at("repostAfter.text")},
		{"plain repost with text", object{"repostAfter": object{"offsetDays": 1, "mode": "repost", "text": "x"}},
			at("repostAfter.text")},
		{"unknown mode", object{"repostAfter": object{"offsetDays": 1, "mode": "copy"}}, at("repostAfter.mode")},
		{"every day", object{"recurrenceIntervalDays": 1}, nil},
		{"every 365 days", object{"recurrenceIntervalDays": 365, "recurrenceEndsAt": nil}, nil},
		{"every 0 days", object{"recurrenceIntervalDays": 0}, at("recurrenceIntervalDays")},
		{"every 366 days", object{"recurrenceIntervalDays": 366}, at("recurrenceIntervalDays")},
		{"every one and a half days", object{"recurrenceIntervalDays": 1.5}, at("recurrenceIntervalDays")},
		{"ended", object{"recurrenceIntervalDays": 7, "recurrenceEndsAt": "2020-01-01T00:00:00Z"},
			at("recurrenceEndsAt")},
		{"end without an offset", object{"recurrenceEndsAt": "2099-01-01T00:00:00"}, at("recurrenceEndsAt")},
		{"end with an offset", object{"recurrenceIntervalDays": 7, "recurrenceEndsAt": "2099-01-01T00:00:00+09:00"},
			nil},
		{"end of no series", object{"recurrenceEndsAt": "2099-01-01T00:00:00Z"}, at("recurrenceEndsAt")},
	}
}

func TestFieldsOfPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		id := s.NewPostID(t, object{})
		for key, cases := range postFields() {
			s.tryFields(t, "POST", s.PostsPath(), nil, key, http.StatusCreated, cases)
			s.tryFields(t, "PATCH", s.PostsPath(id), nil, key, http.StatusOK, cases)
			s.PatchPost(t, id, object{"title": nil, "postInput": atomicPost(""), "postType": "text_post",
				"postPublishActions": nil}).Want(t, http.StatusOK)
		}
		s.Do(t, "POST", s.PostsPath(), object{"status": "approved"}).WantIssues(t, "status")
		s.Do(t, "POST", s.PostsPath(), object{"Text": "x"}).WantIssues(t, "Text")
		s.Do(t, "PATCH", s.PostsPath(id), nil).WantIssues(t, ".")
	})
}

func TestPostTypeFollowsTheMedia(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		a, b, clip, other := s.InsertImage(t), s.InsertImage(t), s.InsertVideo(t), s.InsertVideo(t)
		for _, c := range []struct {
			rule   string
			body   object
			want   string
			issues []string
		}{
			{"no media", object{"text": "x"}, "text_post", nil},
			{"one image", object{"assetIds": []any{a}}, "text_image", nil},
			{"one video", object{"assetIds": []any{clip}}, "text_video", nil},
			{"two images", object{"assetIds": []any{a, b}}, "carousel", nil},
			{"a thread with an image in each part",
				object{"postInput": thread(atomicPost("1", attached(a)), atomicPost("2", attached(b)))}, "text_image",
				nil},
			{"a thread with a video somewhere",
				object{"postInput": thread(atomicPost("1", attached(a), attached(b)), atomicPost("2", attached(clip)))},
				"text_video", nil},
			{"a carousel with one photo yet", object{"postType": "carousel", "assetIds": []any{a}}, "carousel", nil},
			{"a text_image without image yet", object{"postType": "text_image"}, "text_image", nil},
			{"a text_video without video yet", object{"postType": "text_video"}, "text_video", nil},
			{"a link is no medium", object{"postType": "text_post",
				"postInput": atomicPost("x", link("https://example.com"))}, "text_post", nil},
			{"a video in a carousel", object{"postType": "carousel", "assetIds": []any{a, clip}}, "",
				[]string{"assetIds.1"}},
			{"image and video together", object{"assetIds": []any{a, clip}}, "", []string{"assetIds.1"}},
			{"two videos", object{"assetIds": []any{clip, other}}, "", []string{"assetIds.1"}},
			{"media in a text_post", object{"postType": "text_post", "assetIds": []any{a}}, "", []string{"assetIds.0"}},
			{"two images in a text_image", object{"postType": "text_image", "assetIds": []any{a, b}}, "",
				[]string{"assetIds.1"}},
			{"a video in a text_image", object{"postType": "text_image", "assetIds": []any{clip}}, "",
				[]string{"assetIds.0"}},
			{"an image in a text_video", object{"postType": "text_video", "postInput": atomicPost("x", attached(a))},
				"", []string{"postInput.attachments.0.asset.assetId"}},
			{
				"a mixed part of a thread", object{"postInput": thread(atomicPost("1"), atomicPost("2", attached(clip),
					attached(a)))}, "",
				[]string{"postInput.posts.1.attachments.1.asset.assetId"},
			},
			{"assetIds that differ from the attachments",
				object{"assetIds": []any{a}, "postInput": atomicPost("x", attached(b))}, "", []string{"assetIds"}},
			{"assetIds in another order", object{"assetIds": []any{b, a},
				"postInput": atomicPost("x", attached(a), attached(b))}, "", []string{"assetIds"}},
			{"assetIds that say the same", object{"assetIds": []any{a, b},
				"postInput": atomicPost("x", attached(a), attached(b))}, "carousel", nil},
			{"the same asset in two parts is listed once",
				object{"assetIds": []any{a}, "postInput": thread(atomicPost("1", attached(a)),
					atomicPost("2", attached(a)))}, "text_image", nil},
		} {
			t.Run(c.rule, func(t *testing.T) {
				got := s.Do(t, "POST", s.PostsPath(), c.body)
				if c.issues != nil {
					got.WantIssues(t, c.issues...)
					return
				}
				if got.Want(t, http.StatusCreated); got.Text(t, "postType") != c.want {
					t.Errorf("postType is %s, want %s", got.Text(t, "postType"), c.want)
				}
			})
		}
	})
}

func TestPostUpdateKeepsAChosenTypeAndInfersOthers(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		a, b, clip := s.InsertImage(t), s.InsertImage(t), s.InsertVideo(t)
		inferred := s.NewPostID(t, object{"assetIds": []any{a}})
		for _, step := range []struct {
			assets []any
			want   string
		}{{[]any{a, b}, "carousel"}, {[]any{clip}, "text_video"}, {[]any{}, "text_post"}} {
			if got := s.PatchPost(t, inferred, object{"assetIds": step.assets}).Want(t, http.StatusOK).Text(t,
				"postType"); got != step.want {
				t.Errorf("with %v the type is %s, want %s", step.assets, got, step.want)
			}
		}
		chosen := s.NewPostID(t, object{"postType": "carousel"})
		if got := s.PatchPost(t, chosen, object{"assetIds": []any{a}}).Want(t, http.StatusOK).Text(t,
			"postType"); got != "carousel" {
			t.Errorf("the chosen type has become %s", got)
		}
		s.PatchPost(t, chosen, object{"assetIds": []any{clip}}).WantIssues(t, "assetIds.0")
		s.PatchPost(t, chosen, object{"postType": "text_video"}).WantIssues(t, "postType")
		if got := s.PatchPost(t, chosen, object{"assetIds": []any{clip}, "postType": "text_video"}).Want(t,
			http.StatusOK).Text(t, "postType"); got != "text_video" {
			t.Errorf("the type is %s", got)
		}
		refused := s.PatchPost(t, s.NewPostID(t, object{"postType": "text_post"}), object{"assetIds": []any{a}})
		refused.WantIssues(t, "assetIds.0")
		if !strings.Contains(string(refused.Body), "with postType null, the type follows the media") {
			t.Errorf("the advice is %s", refused.Body)
		}
		for _, step := range []struct {
			change object
			want   string
		}{
			{object{"postType": nil}, "text_video"}, {object{"assetIds": []any{a, b}}, "carousel"},
			{object{"postType": "text_image", "assetIds": []any{}}, "text_image"},
			{object{"postType": nil, "assetIds": []any{b}}, "text_image"}, {object{"assetIds": []any{}}, "text_post"},
		} {
			if got := s.PatchPost(t, chosen, step.change).Want(t, http.StatusOK).Text(t, "postType"); got != step.want {
				t.Errorf("after %v the type is %s, want %s", step.change, got, step.want)
			}
		}
	})
}

func TestAssetsMustBelongToTheTeam(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		mine, gone, waiting := s.InsertImage(t, "kept"), s.InsertImage(t, "lost"), s.InsertImage(t)
		theirs := s.InsertAsset(t, s.NewTenant(t, "Strangers").Team, "image/png")
		s.Exec(t, `UPDATE assets SET status = 'processing' WHERE id = $1`, waiting)
		s.CreatePost(t, object{"assetIds": []any{waiting}})
		post := s.CreatePost(t, object{"assetIds": []any{mine, gone}})
		s.Exec(t, `UPDATE assets SET deleted_at = created_at WHERE id = $1`, gone)
		s.Do(t, "POST", s.PostsPath(), object{"assetIds": []any{mine, theirs, gone}}).WantIssues(t, "assetIds.1",
			"assetIds.2")
		s.Do(t, "POST", s.PostsPath(), object{"postPublishActions": object{"firstComment": object{"text": "x",
			"mediaIds": []any{theirs}}}}).
			WantIssues(t, "postPublishActions.firstComment.mediaIds.0")
		id := post.Text(t, "id")
		read := s.Do(t, "GET", s.PostsPath(id), nil).Want(t, http.StatusOK)
		if got := read.Get(t, "assetTags"); !reflect.DeepEqual(got, []any{"kept"}) {
			t.Errorf("assetTags of a post with a deleted asset: %v", got)
		}
		if got := read.Get(t, "assetIds"); !reflect.DeepEqual(got, []any{mine, gone}) {
			t.Errorf("assetIds are %v", got)
		}
		// An asset that was attached before its deletion does not prevent other changes.
		s.PatchPost(t, id, object{"text": "new words"}).Want(t, http.StatusOK)
		s.PatchPost(t, id, object{"assetIds": []any{gone}}).Want(t, http.StatusOK)
	})
}

func TestEachContentChangeCreatesAVersion(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		created := s.CreatePost(t, object{"text": "one", "title": "T"})
		id, first := created.Text(t, "id"), created.Text(t, "contentPayloadId")
		for _, body := range []object{{}, {"text": "one"}, {"title": "T"}, {"postInput": atomicPost("one")},
			{"assetIds": []any{}}} {
			same := s.PatchPost(t, id, body).Want(t, http.StatusOK)
			if !reflect.DeepEqual(same.JSON, created.JSON) {
				t.Errorf("%v has changed %s to %s", body, created.Body, same.Body)
			}
		}
		titled := s.PatchPost(t, id, object{"title": nil}).Want(t, http.StatusOK)
		if titled.Text(t, "contentPayloadId") != first || titled.Get(t, "title") != nil {
			t.Errorf("a new title: %s", titled.Body)
		}
		if titled.Text(t, "updatedAt") < created.Text(t, "updatedAt") ||
			titled.Text(t, "createdAt") != created.Text(t, "createdAt") {
			t.Errorf("times before %s, after %s", created.Body, titled.Body)
		}
		second := s.PatchPost(t, id, object{"text": "two"}).Want(t, http.StatusOK).Text(t, "contentPayloadId")
		third := s.PatchPost(t, id, object{"postInput": thread(atomicPost("two"), atomicPost("three"))}).Want(t,
			http.StatusOK).Text(t, "contentPayloadId")
		if len(slices.Compact([]string{first, second, third})) != 3 {
			t.Errorf("versions %s, %s, %s", first, second, third)
		}
		if n := s.Number(t, `SELECT count(*) FROM payloads WHERE post_id = $1`, id); n != 1 {
			t.Errorf("%d versions are kept of a draft that one key saved within minutes, want 1", n)
		}
	})
}

func TestTextAndAssetsUpdateNeverDropsAThread(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		a, b := s.InsertImage(t), s.InsertImage(t)
		described := object{"kind": "media", "asset": object{"assetId": a}, "altText": "first"}
		id := s.NewPostID(t, object{"postInput": atomicPost("old", described, link("https://example.com"))})
		changed := s.PatchPost(t, id, object{"text": "new", "assetIds": []any{b, a}}).Want(t, http.StatusOK)
		if changed.Text(t, "text") != "new" || changed.Text(t, "postInput", "attachments", 1, "altText") != "first" ||
			changed.Text(t, "postInput", "attachments", 2, "url") != "https://example.com" {
			t.Errorf("after a change of text and assets: %s", changed.Body)
		}
		plain := s.PatchPost(t, id, object{"postInput": nil}).Want(t, http.StatusOK)
		if plain.Has("postInput", "attachments", 2) || !reflect.DeepEqual(plain.Get(t, "assetIds"), []any{b, a}) {
			t.Errorf("postInput null keeps text and assets alone: %s", plain.Body)
		}

		threaded := s.NewPostID(t, object{"postInput": thread(atomicPost("one", attached(a)), atomicPost("two"))})
		s.PatchPost(t, threaded, object{"text": "alone"}).WantIssues(t, "text")
		s.PatchPost(t, threaded, object{"text": "x", "assetIds": []any{b}}).WantIssues(t, "assetIds", "text")
		s.PatchPost(t, threaded, object{"text": "one\n\ntwo", "assetIds": []any{a}, "title": "same content"}).Want(t,
			http.StatusOK)
		flat := s.PatchPost(t, threaded, object{"postInput": nil}).Want(t, http.StatusOK)
		if flat.Text(t, "text") != "one\n\ntwo" || flat.Text(t, "postInput", "kind") != "atomic" ||
			!reflect.DeepEqual(flat.Get(t, "assetIds"), []any{a}) {
			t.Errorf("a thread given up: %s", flat.Body)
		}

		long := s.NewPostID(t, object{"postInput": thread(atomicPost(strings.Repeat("a", 60_000)),
			atomicPost(strings.Repeat("b", 60_000)))})
		s.PatchPost(t, long, object{"postInput": nil}).WantIssues(t, "text")
		s.PatchPost(t, long, object{"postInput": nil, "text": "short"}).Want(t, http.StatusOK)
	})
}

func TestPostsAreScopedToTheirTeam(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		stranger := s.NewTenant(t, "Strangers")
		second := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Second"}).Want(t,
			http.StatusCreated).Text(t, "id")
		id := s.NewPostID(t, object{"text": "mine"})
		elsewhere := path("/v1/teams/%s/posts/%s", second, id)
		for _, call := range []struct {
			method, rest string
			body         any
		}{
			{"GET", "", nil}, {"PATCH", "", object{}}, {"DELETE", "", nil}, {"POST", "/move-to-draft", nil},
			{"POST", "/status", object{"status": "approved"}}, {"PUT", "/tags", object{"tagIds": []any{}}},
		} {
			s.Do(t, call.method, elsewhere+call.rest, call.body).WantError(t, http.StatusNotFound, "NotFound")
			s.Do(t, call.method, s.PostsPath(unknownID)+call.rest, call.body).WantError(t, http.StatusNotFound,
				"NotFound")
			s.As(t, stranger.Key, call.method, s.PostsPath(id)+call.rest, call.body).WantError(t, http.StatusForbidden,
				"Forbidden")
			s.Do(t, call.method, s.PostsPath("nonsense")+call.rest, call.body).WantIssues(t, "postId")
		}
		upper := s.Do(t, "GET", s.PostsPath(strings.ToUpper(id)), nil).Want(t, http.StatusOK)
		if upper.Text(t, "id") != id {
			t.Errorf("the id is answered as %s", upper.Text(t, "id"))
		}
	})
}

func TestRepeatedCreateStoresOnePost(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		first := s.Do(t, "POST", s.PostsPath(), object{"text": "once"}, "Idempotency-Key", "k1").Want(t,
			http.StatusCreated)
		again := s.Do(t, "POST", s.PostsPath(), object{"text": "once"}, "Idempotency-Key", "k1").Want(t,
			http.StatusCreated)
		if again.Header.Get("Idempotency-Replayed") != "true" || string(again.Body) != string(first.Body) {
			t.Errorf("the repeat answers %s, the first %s", again.Body, first.Body)
		}
		if n := s.Number(t, `SELECT count(*) FROM posts WHERE team_id = $1`, s.Team); n != 1 {
			t.Errorf("%d posts were made", n)
		}
		tag := s.NewTag(t, "t")
		for range 2 {
			s.Do(t, "PUT", s.PostsPath(first.Text(t, "id"), "tags"), object{"tagIds": []any{tag}}, "Idempotency-Key",
				"k2").Want(t, http.StatusOK)
		}
	})
}
