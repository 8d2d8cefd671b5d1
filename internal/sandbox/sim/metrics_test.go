package sim_test

import (
	"net/http"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
)

func TestMetricsControlMayDecreaseValues(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{Grows: true})
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"Hello"}`)
	post := b.posts()[0]
	name := `{"provider":"toy","platformPostId":"` + post.PlatformPostID + `",`
	for _, likes := range []string{"500", "20"} {
		b.must(http.StatusOK, "POST", "/_control/metrics", name+`"likes":`+likes+`,"views":9}`)
		shown := b.must(http.StatusOK, "GET", "/toy/posts/"+post.PlatformPostID, "")
		for _, part := range []string{`"likes":` + likes, `"views":9`, `"settled":true`} {
			if !strings.Contains(shown, part) {
				t.Errorf("the post is %s, without %s", shown, part)
			}
		}
	}
	b.must(http.StatusOK, "POST", "/_control/metrics", `{"provider":"toy","accountId":"`+post.AccountID+`","followers":7}`)
	b.must(http.StatusNotFound, "POST", "/_control/metrics", `{"provider":"toy","accountId":"0","followers":7}`)
	b.must(http.StatusNotFound, "POST", "/_control/metrics", `{"provider":"toy","platformPostId":"0","likes":7}`)
	for body, says := range map[string]string{
		name + `"likes":-1}`:                                   "likes must be 0 to",
		name + `"followers":1}`:                                "a post has likes, views or both",
		name + `"accountId":"1","followers":1}`:                "either platformPostId",
		`{"provider":"toy","likes":1}`:                         "either platformPostId",
		`{"provider":"toy","accountId":"1"}`:                   "an account has followers",
		`{"provider":"myspace","accountId":"1","followers":1}`: "toy",
	} {
		if text := b.must(http.StatusBadRequest, "POST", "/_control/metrics", body); !strings.Contains(text, says) {
			t.Errorf("%s is refused with %s", body, text)
		}
	}
}
