package sim

import (
	"strconv"
	"strings"
	"testing"
)

func TestGeneratedHandlesFitEveryNetwork(t *testing.T) {
	t.Parallel()
	for _, first := range firstWords {
		for _, second := range secondWords {
			handle := first + second + "7k2p"
			want := strings.ToUpper(first[:1]) + first[1:] + " " + strings.ToUpper(second[:1]) + second[1:]
			if got := DisplayName(handle, ""); len(handle) > 15 || got != want {
				t.Fatalf("%s (%d characters) has the name %q, want %q", handle, len(handle), got, want)
			}
		}
	}
	seen := map[string]bool{}
	for i := range 1000 {
		handle := MadeUpHandle(strconv.Itoa(i))
		if seen[handle] || handle != MadeUpHandle(strconv.Itoa(i)) || CheckHandle(handle, 15) != nil ||
			strings.Count(DisplayName(handle, "News"), " ") != 2 {
			t.Fatalf("the handle of %d is %q, with the name %q", i, handle, DisplayName(handle, "News"))
		}
		seen[handle] = true
	}
}

func TestAccountNamesFollowHandles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ handle, title, want, person string }{
		{"carol", "News", "Carol News", "Carol Sandbox"},
		{"acme_news", "News", "Acme News", "Acme News"},
		{"acme.co-op", "", "Acme Co Op", "Acme Co Op"},
		{"amberharbor7k2p", "TV", "Amber Harbor TV", "Amber Harbor"},
		{"__", "News", "News", "Sandbox"},
		{"_", "", "", "Sandbox"},
	} {
		if got := DisplayName(c.handle, c.title); got != c.want {
			t.Errorf("%s with the title %q has the name %q, want %q", c.handle, c.title, got, c.want)
		}
		if got := PersonName(c.handle); got != c.person {
			t.Errorf("the person %s has the name %q, want %q", c.handle, got, c.person)
		}
	}
}
