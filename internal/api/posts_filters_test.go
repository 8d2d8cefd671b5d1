package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// found lists the posts of a query by their titles, sorted.
func (s postServer) found(tb testing.TB, query string) []string {
	tb.Helper()
	got := s.Do(tb, "GET", s.PostsPath()+"?limit=100&"+query, nil).Want(tb, http.StatusOK)
	var page struct {
		Data  []struct{ Title string }
		Total int
	}
	got.Into(tb, &page)
	titles := []string{}
	for _, p := range page.Data {
		titles = append(titles, p.Title)
	}
	slices.Sort(titles)
	if page.Total != len(titles) {
		tb.Errorf("%s: total is %d, the list has %d", query, page.Total, len(titles))
	}
	return titles
}

func TestFiltersOfPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		x, threads, image, tag := s.InsertAccount(t, crier.ProviderX), s.InsertAccount(t, crier.ProviderThreads),
			s.InsertImage(t),
			s.NewTag(t, "spring")
		base := time.Now().Truncate(time.Second).UTC()
		hour := func(n int) time.Time { return base.Add(time.Duration(n) * time.Hour) }
		plain := s.NewPostID(t, object{"title": "plain", "text": "hello world"})
		photo := s.NewPostID(t, object{"title": "photo", "text": "hello owl", "assetIds": []any{image}})
		queued := s.NewPostID(t, object{"title": "queued", "text": "soon"})
		sent := s.NewPostID(t, object{"title": "sent", "text": "done world"})
		archived := s.NewPostID(t, object{"title": "archived", "text": "hello archive"})
		s.Do(t, "POST", s.PostsPath(archived, "status"), object{"status": "archived"}).Want(t, http.StatusOK)
		s.Do(t, "POST", s.PostsPath(photo, "status"), object{"status": "idea"}).Want(t, http.StatusOK)
		s.InsertPublications(t,
			servertest.PublicationRow{Post: queued, Account: x, Status: crier.Scheduled, At: hour(5)},
			servertest.PublicationRow{Post: queued, Account: threads, Network: crier.ProviderThreads,
				Status: crier.Scheduled,
				At:     hour(3)},
			servertest.PublicationRow{Post: sent, Account: threads, Network: crier.ProviderThreads,
				Status: crier.Published,
				At:     hour(-3)},
			servertest.PublicationRow{Post: sent, Account: x, Status: crier.Canceled, At: hour(-4)},
			servertest.PublicationRow{Post: archived, Account: x, Status: crier.Failed, At: hour(-2)})
		for _, id := range []string{plain, sent} {
			s.Do(t, "PUT", s.PostsPath(id, "tags"), object{"tagIds": []any{tag}}).Want(t, http.StatusOK)
		}
		s.Exec(t, `UPDATE posts SET created_at = $2, updated_at = $2 WHERE id = $1`, plain, crier.TimeOf(hour(-100)))
		at := func(t time.Time) string { return url.QueryEscape(t.Format(time.RFC3339)) }
		all := []string{"photo", "plain", "queued", "sent"}
		for query, want := range map[string][]string{
			"": all, "status=": all, "status=draft": {"plain", "queued", "sent"}, "status=idea": {"photo"},
			"status=archived":      {"archived"},
			"status=idea,archived": {"archived", "photo"}, "status=approved": {},
			"deliveryState=unscheduled": {"photo", "plain"}, "deliveryState=scheduled,published": {"queued", "sent"},
			"deliveryState=failed":                       {},
			"deliveryState=failed&status=archived,draft": {"archived"},
			"postType=text_image":                        {"photo"}, "postType=text_post,text_image": all,
			"postType=carousel": {},
			"provider=x":        {"queued", "sent"}, "provider=threads": {"queued", "sent"},
			"provider=x,threads,tiktok": {"queued", "sent"}, "provider=youtube": {},
			"socialAccountId=" + string(x): {"queued", "sent"}, "socialAccountId=" +
				strings.ToUpper(string(threads)): {"queued", "sent"},
			"socialAccountId=" + string(x) + "," + unknownID: {"queued", "sent"}, "socialAccountId=" + unknownID: {},
			"saveDestination=queue": {"queued", "sent"}, "saveDestination=drafts": {"photo", "plain"},
			"tagId=" + tag: {"plain", "sent"}, "tagId=" + unknownID: {},
			"q=hello": {"photo", "plain"}, "q=hello+world": {"plain"}, "q=HELLO%20Wörld": {"plain"}, "q=": all,
			"q=!%3F":               {},
			"q=queued":             {"queued"},
			"q=world&tagId=" + tag: {"plain", "sent"}, "q=hello&status=archived": {"archived"},
			"scheduledFrom=" + at(hour(3)): {"queued"}, "scheduledFrom=" + at(hour(3).Add(time.Second)): {},
			"scheduledTo=" + at(hour(3)):                                    {"sent"},
			"scheduledFrom=" + at(hour(-3)) + "&scheduledTo=" + at(hour(4)): {"queued", "sent"},
			"createdFrom=" + at(hour(-1)):                                   {"photo", "queued", "sent"}, "createdTo=" +
				at(hour(-100)): {}, "createdTo=" + at(hour(-99)): {"plain"},
			"createdFrom=" + at(hour(-100)) + "&createdTo=" + at(hour(-99)): {"plain"},
			"updatedSince=" + at(hour(-1)):                                  {"photo", "queued", "sent"},
			"updatedSince=" + at(hour(-100)):                                all,
			"status=draft&deliveryState=published&provider=threads&saveDestination=queue&tagId=" + tag +
				"&q=done&createdFrom=" + at(hour(-1)): {"sent"},
			"nonsense=1": all,
		} {
			if got := s.found(t, query); !slices.Equal(got, want) {
				t.Errorf("%s finds %q, want %q", query, got, want)
			}
		}
		for query, issues := range map[string][]string{
			"status=deleted": {"status"}, "status=draft,nope": {"status"}, "status=draft,": {"status"},
			"deliveryState=late": {"deliveryState"}, "postType=poll": {"postType"},
			"provider=mastodon": {"provider"}, "socialAccountId=1": {"socialAccountId"},
			"saveDestination=both": {"saveDestination"}, "tagId=x": {"tagId"},
			"include=tags": {"include"}, "sortBy=text": {"sortBy"}, "sortOrder=up": {"sortOrder"}, "limit=0": {"limit"},
			"limit=101":                {"limit"},
			"scheduledFrom=2026-01-01": {"scheduledFrom"}, "createdTo=2026-01-01T00:00:00": {"createdTo"},
			"updatedSince=yesterday":                                       {"updatedSince"},
			"createdFrom=" + at(hour(1)) + "&createdTo=" + at(hour(1)):     {"createdTo"},
			"scheduledFrom=" + at(hour(2)) + "&scheduledTo=" + at(hour(1)): {"scheduledTo"},
			"q=" + strings.Repeat("a", 201):                                {"q"},
			"status=x&provider=y&include=z&limit=w&sortBy=v": {"include", "limit", "provider", "sortBy",
				"status"},
		} {
			got := s.Do(t, "GET", s.PostsPath()+"?"+query, nil).WantIssues(t, issues...)
			if query == "status=deleted" && !strings.Contains(string(got.Body),
				"idea, proposed_render, draft, approved, rejected, archived") {
				t.Errorf("the answer does not name what is allowed: %s", got.Body)
			}
		}
		withScheduled := s.Do(t, "GET", s.PostsPath()+"?include=scheduledPosts&q=soon", nil).Want(t, http.StatusOK)
		if !withScheduled.Has("data", 0, "scheduledPosts", 1) {
			t.Errorf("include=scheduledPosts: %s", withScheduled.Body)
		}
	})
}

func TestPagesOfPostsAreStableInEverySortAndFilter(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		account := s.InsertAccount(t, crier.ProviderX)
		var all []string
		for i := range 23 {
			body := object{"text": "word", "title": fmt.Sprintf("title %d", i%4)}
			if i%4 == 3 {
				delete(body, "title")
			}
			all = append(all, s.NewPostID(t, body))
			if i%3 == 0 {
				s.InsertPublications(t, servertest.PublicationRow{Post: all[i], Account: account,
					Status: crier.Scheduled,
					At:     time.Now().Add(time.Duration(i%2) * time.Hour).Truncate(time.Hour)})
			}
			if i%5 == 0 {
				s.Do(t, "POST", s.PostsPath(all[i], "status"), object{"status": "idea"}).Want(t, http.StatusOK)
			}
			if i%7 == 6 {
				s.Do(t, "POST", s.PostsPath(all[i], "status"), object{"status": "archived"}).Want(t, http.StatusOK)
			}
		}
		for _, sort := range []string{"createdAt", "updatedAt", "title", "status", "scheduledAt"} {
			for _, order := range []string{"asc", "desc"} {
				for filter, want := range map[string]int{"": 20, "&q=word": 20, "&status=draft,idea,archived": 23,
					"&status=archived": 3} {
					query := "?sortBy=" + sort + "&sortOrder=" + order + filter
					whole := s.Do(t, "GET", s.PostsPath()+query+"&limit=100", nil).Want(t, http.StatusOK)
					if len(whole.IDs(t)) != want || fmt.Sprint(whole.Get(t, "total")) != fmt.Sprint(want) ||
						whole.Get(t, "nextCursor") != nil {
						t.Errorf("%s: %d posts, want %d: total %v", query, len(whole.IDs(t)), want,
							whole.Get(t, "total"))
					}
					s.walkPages(t, query, whole.IDs(t))
				}
			}
		}
	})
}

// walkPages pages through a list forwards and backwards and compares it with the list on one page.
func (s postServer) walkPages(t *testing.T, query string, want []string) {
	t.Helper()
	var forwards, backwards []string
	page := s.Do(t, "GET", s.PostsPath()+query+"&limit=4", nil).Want(t, http.StatusOK)
	for {
		forwards = append(forwards, page.IDs(t)...)
		next, more := page.Get(t, "nextCursor").(string)
		if !more {
			break
		}
		page = s.Do(t, "GET", s.PostsPath()+query+"&limit=4&cursor="+next, nil).Want(t, http.StatusOK)
	}
	for {
		backwards = append(page.IDs(t), backwards...)
		previous, more := page.Get(t, "prevCursor").(string)
		if !more {
			break
		}
		page = s.Do(t, "GET", s.PostsPath()+query+"&limit=4&cursor="+previous, nil).Want(t, http.StatusOK)
	}
	if !slices.Equal(forwards, want) || !slices.Equal(backwards, want) {
		t.Errorf("%s: in one piece %v\nforwards %v\nbackwards %v", query, want, forwards, backwards)
	}
}

func TestCursorsOfPostsAreBoundToTheirFilters(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		for range 3 {
			s.NewPostID(t, object{"text": "word"})
		}
		cursor := s.Do(t, "GET", s.PostsPath()+"?limit=1&status=idea,draft&q=word", nil).Want(t, http.StatusOK).Text(t,
			"nextCursor")
		for query, fits := range map[string]bool{
			"limit=2&q=word&status=draft,idea&include=scheduledPosts": true, "status=draft&q=word": false,
			"status=idea,draft":         false,
			"status=idea,draft&q=words": false, "status=idea,draft&q=word&sortOrder=asc": false,
			"status=idea,draft&q=word&tagId=" + unknownID: false,
		} {
			got := s.Do(t, "GET", s.PostsPath()+"?"+query+"&cursor="+cursor, nil)
			if fits {
				got.Want(t, http.StatusOK)
				continue
			}
			got.WantIssues(t, "cursor")
		}
		other := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Other"}).Want(t,
			http.StatusCreated).Text(t, "id")
		s.Do(t, "GET", path("/v1/teams/%s/posts?status=idea,draft&q=word&cursor=%s", other, cursor), nil).WantIssues(t,
			"cursor")
	})
}

func TestSearchSupportsEveryScript(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"japanese": "新しいコーヒー豆が京都の店に届きました", "chinese": "北京欢迎你，今天天气很好", "korean": "오늘은 서울에서 커피를 마셨어요",
		"thai": "ร้านกาแฟใหม่ในเชียงใหม่", "arabic": "قهوة جديدة في القاهرة اليوم", "vowelled": "قَهْوَة",
		"hebrew": "בית קפה חדש בתל אביב", "hindi": "दिल्ली में नई कॉफ़ी",
		"greek": "Καφές στην Αθήνα", "russian": "Новый кофе в Москве", "german": "Die Straße ist gesperrt",
		"turkish": "İstanbul'da kahve", "vietnamese": "Cà phê ở Hà Nội",
		"emoji": "launch day 🚀🎉", "toned": "well done 👍🏽", "hashtag": "#CoffeeLovers unite",
		"mention": "thanks @BeanRoasters", "decomposed": "Cafe\u0301 noir",
		"fullwidth": "ＣＯＦＦＥＥ　ｔｉｍｅ", "link": "read https://example.com/kaffee/r%C3%B6sten",
	}
	queries := map[string][]string{
		"コーヒー": {"japanese"}, "京都": {"japanese"}, "東京": {}, "北京": {"chinese"}, "天气": {"chinese"}, "서울": {"korean"},
		"커피":   {"korean"},
		"กาแฟ": {"thai"}, "เชียงใหม่": {"thai"}, "قهوة": {"arabic", "vowelled"}, "القاهرة": {"arabic"},
		"קפה": {"hebrew"}, "दिल्ली": {"hindi"}, "αθήνα": {"greek"},
		"КОФЕ": {"russian"}, "strasse": {"german"}, "STRASSE": {"german"}, "phê": {"vietnamese"}, "🚀": {"emoji"},
		"🎉 launch": {"emoji"}, "👍": {"toned"}, "👍🏽": {"toned"}, "👍🏿": {},
		"coffeelovers": {"hashtag"}, "lovers": {"hashtag"}, "roasters": {"mention"}, "café": {"decomposed"},
		"coffee": {"fullwidth", "hashtag"}, "rösten": {"link"}, "example": {"link"},
		"kyoto": {}, "コーヒー 京都": {"japanese"}, "コーヒー 北京": {},
	}
	eachPostServer(t, func(t *testing.T, s postServer) {
		for title, text := range texts {
			s.NewPostID(t, object{"title": "about " + title, "text": text})
		}
		for q, want := range queries {
			got := s.found(t, "q="+url.QueryEscape(q))
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], "about ")
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
	})
}

func TestSearchFollowsEdits(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		id := s.NewPostID(t, object{"title": "first", "text": "apples"})
		s.PatchPost(t, id, object{"title": "second",
			"postInput": thread(atomicPost("pears"),
				atomicPost("plums", object{"kind": "link", "url": "https://example.com", "title": "Quinces"}))}).
			Want(t, http.StatusOK)
		for query, want := range map[string]int{"first": 0, "apples": 0, "second": 1, "pears": 1, "plums": 1,
			"quinces": 1, "pears plums": 1} {
			if got := s.found(t, "q="+url.QueryEscape(query)); len(got) != want {
				t.Errorf("%q finds %q", query, got)
			}
		}
	})
}

func TestPostCounterFollowsEveryChange(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		total := func(want int) {
			t.Helper()
			if got := fmt.Sprint(s.Do(t, "GET", s.PostsPath(), nil).Want(t, http.StatusOK).Get(t,
				"total")); got != fmt.Sprint(want) {
				t.Errorf("total is %s, want %d", got, want)
			}
		}
		a, b := s.NewPostID(t, object{}), s.NewPostID(t, object{})
		total(2)
		s.Do(t, "POST", s.PostsPath(a, "status"), object{"status": "archived"}).Want(t, http.StatusOK)
		total(1)
		s.Do(t, "DELETE", s.PostsPath(b), nil).Want(t, http.StatusOK)
		total(0)
		s.Do(t, "POST", s.PostsPath(a, "move-to-draft"), nil).Want(t, http.StatusOK)
		total(1)
		s.Do(t, "POST", s.PostsPath(a, "status"), object{"status": "archived"}).Want(t, http.StatusOK)
		s.Do(t, "DELETE", s.PostsPath(a), nil).Want(t, http.StatusOK)
		total(0)
	})
}
