package mcp

import (
	"testing"
	"time"
)

// ticking is a manual clock.
type ticking struct{ at time.Time }

func (c *ticking) now() time.Time { return c.at }

func TestIdenticalCallsShareAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	k := newKeys((&ticking{}).now)
	first, done := k.of("caller", "post", "schedule", "")
	if done {
		t.Error("a call is done before it was made")
	}
	k.finish("caller", "post", first)
	again, done := k.of("caller", "post", "schedule", "")
	if again != first || !done {
		t.Errorf("the repeated call has the key %s, done %t; want %s, done", again, done, first)
	}
}

func TestChangedCallHasANewKey(t *testing.T) {
	t.Parallel()
	cases := map[string]func(k *keys, c *ticking) (caller, thing, digest, ended string){
		"else was done in between": func(k *keys, _ *ticking) (string, string, string, string) {
			k.of("caller", "post", "move", "")
			return "caller", "post", "schedule", ""
		},
		"has made it obsolete": func(k *keys, _ *ticking) (string, string, string, string) {
			k.remove("caller", "post")
			return "caller", "post", "schedule", ""
		},
		"is too long ago": func(_ *keys, c *ticking) (string, string, string, string) {
			c.at = c.at.Add(keyLife + time.Second)
			return "caller", "post", "schedule", ""
		},
		"comes from somebody else": func(*keys, *ticking) (string, string, string, string) {
			return "other", "post", "schedule", ""
		},
		"is about another thing": func(*keys, *ticking) (string, string, string, string) {
			return "caller", "other", "schedule", ""
		},
		"differs in what it is for": func(*keys, *ticking) (string, string, string, string) {
			return "caller", "post", "publish", ""
		},
		"has failed since": func(*keys, *ticking) (string, string, string, string) {
			return "caller", "post", "schedule", "second failure"
		},
	}
	for name, between := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &ticking{}
			k := newKeys(clock.now)
			first, _ := k.of("caller", "post", "schedule", "first failure")
			k.finish("caller", "post", first)
			if again, done := k.of(between(k, clock)); again == first || done {
				t.Errorf("the call has the key %s, done %t", again, done)
			}
		})
	}
}

// A call takes back that a post has failed or was canceled before it, which makes a repetition no other call.
func TestCallAfterAFailureIsRepeated(t *testing.T) {
	t.Parallel()
	k := newKeys((&ticking{}).now)
	first, _ := k.of("caller", "post", "publish", "failure")
	if again, _ := k.of("caller", "post", "publish", "failure"); again != first {
		t.Error("a repetition before the effect has another key")
	}
	k.finish("caller", "post", first)
	if again, done := k.of("caller", "post", "publish", ""); again != first || !done {
		t.Errorf("a repetition after the effect has the key %s, done %t; want %s, done", again, done, first)
	}
}

func TestForgetIsPerCaller(t *testing.T) {
	t.Parallel()
	k := newKeys((&ticking{}).now)
	mine, _ := k.of("caller", newObject+"a", "a", "")
	theirs, _ := k.of("other", newObject+"a", "a", "")
	k.remove("caller", newObject)
	if again, _ := k.of("caller", newObject+"a", "a", ""); again == mine {
		t.Error("the caller's key is still there")
	}
	if again, _ := k.of("other", newObject+"a", "a", ""); again != theirs {
		t.Error("the other caller's key is gone")
	}
}
