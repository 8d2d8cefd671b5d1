package x

import (
	"encoding/json"

	"crier/internal/provider"
)

// Wire types of API v2. Where X renamed a field (August 2026), both names are accepted.

type createRequest struct {
	Text                  string       `json:"text"` // sent even with media only: X may reject a post without it
	Media                 *createMedia `json:"media,omitempty"`
	Poll                  *createPoll  `json:"poll,omitempty"`
	QuoteID               string       `json:"quote_tweet_id,omitempty"`
	Reply                 *createReply `json:"reply,omitempty"`
	ReplySettings         string       `json:"reply_settings,omitempty"`
	CommunityID           string       `json:"community_id,omitempty"`
	ShareWithFollowers    bool         `json:"share_with_followers,omitempty"`
	ForSuperFollowersOnly bool         `json:"for_super_followers_only,omitempty"`
	MadeWithAI            bool         `json:"made_with_ai,omitempty"`
	PaidPartnership       bool         `json:"paid_partnership,omitempty"`
	Geo                   *createGeo   `json:"geo,omitempty"`
}

type createMedia struct {
	MediaIDs      []string `json:"media_ids"`
	TaggedUserIDs []string `json:"tagged_user_ids,omitempty"`
}

type createPoll struct {
	Options         []string `json:"options"`
	DurationMinutes int      `json:"duration_minutes"`
}

type createReply struct {
	InReplyToID    string   `json:"in_reply_to_tweet_id"`
	ExcludeUserIDs []string `json:"exclude_reply_user_ids,omitempty"`
}

type createGeo struct {
	PlaceID string `json:"place_id"`
}

type createAnswer struct {
	Data struct {
		ID string `json:"id"`
	} `json:"data"`
}

type repostRequest struct {
	PostID string `json:"tweet_id"`
}

type repostAnswer struct {
	Data struct {
		Reposted bool   `json:"retweeted"`
		RestID   string `json:"rest_id"`
		ID       string `json:"id"`
	} `json:"data"`
}

type deleteAnswer struct {
	Data struct {
		Deleted bool `json:"deleted"`
	} `json:"data"`
}

type initializeRequest struct {
	MediaType     string `json:"media_type"`
	TotalBytes    int64  `json:"total_bytes"`
	MediaCategory string `json:"media_category"`
}

type mediaAnswer struct {
	Data struct {
		ID               string          `json:"id"`
		ExpiresAfterSecs int64           `json:"expires_after_secs"`
		Processing       *processingInfo `json:"processing_info"`
	} `json:"data"`
}

type processingInfo struct {
	State          string `json:"state"`
	CheckAfterSecs int64  `json:"check_after_secs"`
	Error          *struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

type metadataRequest struct {
	ID       string        `json:"id"`
	Metadata mediaMetadata `json:"metadata"`
}

type mediaMetadata struct {
	AltText   *altText          `json:"alt_text,omitempty"`
	Sensitive *sensitiveWarning `json:"sensitive_media_warning,omitempty"`
}

type altText struct {
	Text string `json:"text"`
}

type sensitiveWarning struct {
	AdultContent    bool `json:"adult_content"`
	GraphicViolence bool `json:"graphic_violence"`
	Other           bool `json:"other"`
}

type userAnswer struct {
	Data struct {
		ID               string `json:"id"`
		Name             string `json:"name"`
		Username         string `json:"username"`
		ProfileImageURL  string `json:"profile_image_url"`
		VerifiedType     string `json:"verified_type"`
		SubscriptionType string `json:"subscription_type"`
		Protected        bool   `json:"protected"`
		PublicMetrics    *struct {
			Followers int64 `json:"followers_count"`
			Following int64 `json:"following_count"`
			Posts     int64 `json:"tweet_count"`
			Listed    int64 `json:"listed_count"`
		} `json:"public_metrics"`
	} `json:"data"`
}

type timelineAnswer struct {
	Data []timelinePost `json:"data"`
	Meta struct {
		NextToken string `json:"next_token"`
	} `json:"meta"`
}

type timelinePost struct {
	ID             string        `json:"id"`
	Conversation   string        `json:"conversation_id"`
	CreatedAt      string        `json:"created_at"`
	Text           string        `json:"text"`
	NoteTweet      *note         `json:"note_tweet"`
	NotePost       *note         `json:"note_post"`
	Entities       entities      `json:"entities"`
	Attachments    attachments   `json:"attachments"`
	References     []reference   `json:"referenced_tweets"`
	PostReferences []reference   `json:"referenced_posts"`
	Public         *postCounts   `json:"public_metrics"`
	NonPublic      *privateCount `json:"non_public_metrics"`
}

type note struct {
	Text     string   `json:"text"`
	Entities entities `json:"entities"`
}

type attachments struct {
	MediaKeys []string `json:"media_keys"`
}

type entities struct {
	URLs []urlEntity `json:"urls"`
}

type urlEntity struct {
	URL         string `json:"url"`
	ExpandedURL string `json:"expanded_url"`
	MediaKey    string `json:"media_key"`
}

type reference struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type postCounts struct {
	Reposts     *int64 `json:"repost_count"`
	Retweets    *int64 `json:"retweet_count"`
	Replies     *int64 `json:"reply_count"`
	Likes       *int64 `json:"like_count"`
	Quotes      *int64 `json:"quote_count"`
	Bookmarks   *int64 `json:"bookmark_count"`
	Impressions *int64 `json:"impression_count"`
}

type privateCount struct {
	URLClicks     *int64 `json:"url_link_clicks"`
	ProfileClicks *int64 `json:"user_profile_clicks"`
	Engagements   *int64 `json:"engagements"`
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	SubscriptionType string `json:"subscriptionType,omitempty"`
	VerifiedType     string `json:"verifiedType,omitempty"`
	Protected        bool   `json:"protected,omitempty"`
}

func decodeDetails(a provider.Account) details {
	var d details
	if len(a.Details) > 0 && json.Unmarshal(a.Details, &d) != nil {
		return details{} // edited by hand and invalid: the stricter limits apply
	}
	return d
}

// subscribed reports whether an account may write long posts.
func (d details) subscribed() bool { return d.SubscriptionType != "" && d.SubscriptionType != "None" }
