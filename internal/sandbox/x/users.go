package x

import (
	"net/http"
	"slices"
	"strings"

	"crier/internal/sandbox/sim"
)

func (n *network) registerUsers() {
	n.route("GET /2/users/me", sim.Read, getMe, n.me)
}

var userFields = []string{"affiliation", "confirmed_email", "connection_status", "created_at", "description",
	"entities", "id", "is_identity_verified",
	"location", "most_recent_tweet_id", "name", "parody", "pinned_tweet_id", "profile_banner_url", "profile_image_url",
	"protected",
	"public_metrics", "receives_your_dm", "subscription", "subscription_type", "url", "username", "verified",
	"verified_followers_count",
	"verified_type", "withheld"}

// me returns the token's account. No account is Premium.
func (n *network) me(r *http.Request, c caller) sim.Reply {
	fields := list(r.URL.Query().Get("user.fields"))
	for _, field := range fields {
		if !slices.Contains(userFields, field) {
			return invalid("user.fields", field,
				"The `user.fields` query parameter value ["+field+"] is not one of ["+strings.Join(userFields, ",")+"]")
		}
	}
	var a sim.Account
	posts, followers := 0, 0
	n.env.View(func() {
		a, _ = n.env.Accounts.Get(c.accountID)
		posts, followers = len(n.env.Posts.ByAccount(a.ID)), n.env.Followers(a.ID)
	})
	n.charge(priceReadUser)
	all := map[string]any{
		"created_at":        millis(a.CreatedAt),
		"description":       "An account of the crier sandbox",
		"profile_image_url": n.env.AvatarURL(r, a.ID+"_normal.png"),
		"protected":         false,
		"public_metrics": map[string]int{"followers_count": followers, "following_count": 0,
			"tweet_count": posts, "listed_count": 0, "like_count": 0},
		"subscription_type": "None",
		"verified":          false,
		"verified_type":     "none",
	}
	user := map[string]any{"id": a.ID, "name": a.Name, "username": a.Handle}
	for _, field := range fields {
		if value, ok := all[field]; ok {
			user[field] = value
		}
	}
	return sim.Reply{Status: http.StatusOK, Body: data{user}}
}

// list splits a comma-separated parameter.
func list(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}
