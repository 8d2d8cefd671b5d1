package tiktok

import (
	"net/http"
	"strings"

	"crier/internal/sandbox/sim"
)

// creatorInfoPath has to be read before every direct post.
const creatorInfoPath = "/v2/post/publish/creator_info/query/"

func (n *network) registerUsers() {
	n.env.Route("GET /v2/user/info/{$}", sim.Read, n.checked(userInfos, n.userInfo))
	n.env.Route("POST "+creatorInfoPath+"{$}", sim.Read, n.checked(creatorInfos, n.creatorInfo))
}

// userFields are the fields of an account, and the scope that each needs.
var userFields = map[string]string{
	"open_id": scopeBasic, "union_id": scopeBasic, "avatar_url": scopeBasic, "avatar_url_100": scopeBasic,
	"avatar_large_url": scopeBasic,
	"display_name":     scopeBasic, "bio_description": scopeProfile, "profile_deep_link": scopeProfile,
	"is_verified": scopeProfile,
	"username":    scopeProfile, "follower_count": scopeStats, "following_count": scopeStats, "likes_count": scopeStats,
	"video_count": scopeStats,
}

// userInfo returns the token's account.
func (n *network) userInfo(r *http.Request, c caller) sim.Reply {
	fields := r.URL.Query().Get("fields")
	if fields == "" {
		return n.invalidParams("The parameter fields is required.")
	}
	all := n.userData(r, c.account)
	user := map[string]any{}
	for field := range strings.SplitSeq(fields, ",") {
		scope, known := userFields[field]
		switch {
		case !known:
			return n.invalidParams("Invalid field: " + field)
		case !c.token.Has(scope):
			return n.failure(http.StatusBadRequest, "scope_permission_missed",
				"The user did not authorize the scope "+scope+" required for "+field+".")
		}
		user[field] = all[field]
	}
	return n.ok(map[string]any{"user": user})
}

func (n *network) userData(r *http.Request, a sim.Account) map[string]any {
	likes, videos, followers := 0, 0, 0
	n.env.View(func() {
		for _, id := range n.env.Posts.ByAccount(a.ID) {
			p, _ := n.env.Posts.Get(id)
			likes += n.env.Likes(p)
			videos++
		}
		followers = n.env.Followers(a.ID)
	})
	avatar := n.env.AvatarURL(r, a.ID+".png")
	return map[string]any{
		"open_id": a.ID, "union_id": stableUUID("union", a.Handle), "avatar_url": avatar, "avatar_url_100": avatar,
		"avatar_large_url": avatar,
		"display_name":     a.Name, "username": a.Handle, "bio_description": "An account of the crier sandbox",
		"profile_deep_link": n.env.URL(r, ""), "is_verified": false,
		"follower_count": followers, "following_count": 0, "likes_count": likes, "video_count": videos,
	}
}

// The privacy levels of posts.
const (
	privacyPublic    = "PUBLIC_TO_EVERYONE"
	privacyFriends   = "MUTUAL_FOLLOW_FRIENDS"
	privacyFollowers = "FOLLOWER_OF_CREATOR"
	privacySelf      = "SELF_ONLY"
)

// maxVideoSeconds is the maximum duration of a video.
const maxVideoSeconds = 600

type creatorView struct {
	AvatarURL       string   `json:"creator_avatar_url"`
	Username        string   `json:"creator_username"`
	Nickname        string   `json:"creator_nickname"`
	PrivacyLevels   []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	MaxSeconds      int      `json:"max_video_post_duration_sec"`
}

// creatorInfo returns what an account may do with its next post. What prevents it from posting is reported with status
// 200.
func (n *network) creatorInfo(r *http.Request, c caller) sim.Reply {
	full := false
	n.env.View(func() { full = n.dayIsFull(c.account.ID, false) })
	if full {
		return n.tooManyPosts(http.StatusOK)
	}
	private := isPrivate(c.account)
	return n.ok(creatorView{AvatarURL: n.env.AvatarURL(r, c.account.ID+".png"), Username: c.account.Handle,
		Nickname:      c.account.Name,
		PrivacyLevels: privacyLevels(c.account), DuetDisabled: private, StitchDisabled: private,
		MaxSeconds: maxVideoSeconds})
}

func privacyLevels(a sim.Account) []string {
	if isPrivate(a) {
		return []string{privacyFollowers, privacyFriends, privacySelf}
	}
	return []string{privacyPublic, privacyFriends, privacySelf}
}
