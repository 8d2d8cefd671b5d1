package main

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"crier"
	"crier/internal/server"
)

// landscape returns a small picture of hills below a sky; n selects its color.
func landscape(n int) []byte {
	const width, height = 320, 240
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	tint := [...]color.RGBA{{214, 122, 84, 255}, {86, 134, 160, 255}, {120, 150, 96, 255}, {196, 160, 84, 255}}[n%4]
	for x := range width {
		for y := range height {
			light := 1.25 - 0.5*float64(y)/height
			hill := func(base, size, length float64) bool {
				return float64(y) > base+size*math.Sin(float64(x+60*n)/length)
			}
			switch {
			case hill(200, 18, 50):
				light = 0.45
			case hill(160, 24, 80):
				light = 0.65
			}
			scale := func(c uint8) uint8 { return uint8(min(255, float64(c)*light)) }
			m.SetRGBA(x, y, color.RGBA{scale(tint.R), scale(tint.G), scale(tint.B), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		panic(err) // a buffer never fails
	}
	return out.Bytes()
}

// showcase is a story in the middle of its week: every screen has content.
type showcase struct {
	*story
	published, planned, failed, draft string
}

// newShowcase fills a team of a bakery with a week of posts on the seven networks.
func newShowcase(t *testing.T, db database) *showcase {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	s := &showcase{story: newStory(t, db, desk,
		"x", "facebook", "instagram", "linkedin", "threads", "youtube", "tiktok")}
	s.setZone(t, s.crew, "Europe/Berlin")
	s.signUp(t, s.crew, "ada@example.com")
	org := path("/v1/organizations/%s", s.crew.Organization)
	s.As(t, s.crew.Key, "PATCH", org, object{"name": "Corner Bakery"}).Want(t, http.StatusOK)
	s.As(t, s.crew.Key, "PATCH", path("/v1/teams/%s", s.crew.Team), object{"name": "Marketing"}).Want(t, http.StatusOK)
	for i, name := range []string{"Corner Bakery", "Corner Bakery", "cornerbakery", "Corner Bakery GmbH",
		"cornerbakery", "Corner Bakery TV", "cornerbakery"} {
		s.Exec(t, `UPDATE social_accounts SET display_name = $1, profile_handle = 'cornerbakery' WHERE id = $2`, name,
			s.Accounts[i].ID)
	}
	s.As(t, s.crew.Key, "POST", org+"/members", object{"email": "ben@example.com", "role": "editor"}).Want(t,
		http.StatusCreated)
	s.As(t, s.crew.Key, "POST", org+"/webhooks", object{"url": receiver.URL + "/crier",
		"types": []string{"*"}, "description": "The till"}).Want(t, http.StatusCreated)
	for _, slot := range []object{{"hour": 9, "minute": 0, "daysOfWeek": []int{1, 2, 3, 4, 5}},
		{"hour": 17, "minute": 30, "daysOfWeek": []int{1, 2, 3, 4, 5}}} {
		s.Call(t, s.crew, "POST", "scheduling-slots", slot).Want(t, http.StatusCreated)
	}
	s.Call(t, s.crew, "POST", "folders", object{"name": "Autumn"}).Want(t, http.StatusCreated)
	s.fillWeek(t)
	return s
}

// withLocalWebhooks allows webhooks to this machine.
func withLocalWebhooks(a *server.Config) {
	a.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// fillWeek creates posts: published, failed, planned, and a draft.
func (s *showcase) fillWeek(t *testing.T) {
	t.Helper()
	tag := s.Call(t, s.crew, "POST", "tags", object{"name": "Autumn"}).Want(t, http.StatusCreated).Text(t, "id")
	x, fb, li, th := s.Accounts[0].ID, s.Accounts[1].ID, s.Accounts[3].ID, s.Accounts[4].ID
	s.published = s.pictured(t, 0, "Good morning! The first loaves are out, still warm.")
	r := s.PostNow(t, s.crew, s.published, []crier.ID{fb, th}, object{"firstComment": object{"text": "Come early."}})
	for _, entry := range r.Data {
		s.Await(t, s.crew, entry.ScheduledPost.ID, crier.Published)
	}
	s.box.Fault(t, s.Accounts[0], "publish", "reject", nil)
	s.failed = s.NewPost(t, s.crew, "Win a cake: like, share and tag ten friends")
	s.Await(t, s.crew, s.PostOn(t, s.crew, s.failed, s.Accounts[0], nil), crier.Failed)
	plan := func(text string, picture int, day, hour int, accounts ...crier.ID) string {
		post := s.pictured(t, picture, text)
		s.Call(t, s.crew, "PUT", "posts/"+post+"/tags", object{"tagIds": []string{tag}}).Want(t, http.StatusOK)
		lead := time.Duration(day*24+hour-8) * time.Hour
		s.ScheduleIn(t, s.crew, post, lead, crier.Targets{SocialAccountIDs: accounts})
		return post
	}
	s.planned = plan("Pumpkin bread is back. Baked with seeds from the farm next door, on the shelf from Friday.",
		1, 1, 8, x, fb, li, th)
	plan("Behind the counter: how sourdough gets its crust", 2, 4, 8, li)
	plan("Sunday opening hours: 8 to 12", 3, 2, 16, x, th)
	plan("We are looking for an apprentice", 0, 5, 16, fb, li)
	plan("صباح الخير! خبز طازج 🥖", 1, 6, 8, x)
	s.draft = s.NewPost(t, s.crew, "Christmas stollen: take orders from the first of December?")
}

// pictured creates a post with a picture.
func (s *showcase) pictured(t *testing.T, picture int, text string) string {
	t.Helper()
	asset := s.File(t, s.crew, "bakery.jpg", landscape(picture))
	return s.Call(t, s.crew, "POST", "posts", object{"text": text, "assetIds": []string{asset}}).Want(t,
		http.StatusCreated).Text(t, "id")
}
