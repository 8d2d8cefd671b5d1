package instagram

import (
	"encoding/json"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Wire types of the Instagram API.

type idAnswer struct {
	ID graph.ID `json:"id"`
}

type containerAnswer struct {
	StatusCode string `json:"status_code"`
	Status     string `json:"status"`
}

type quotaAnswer struct {
	Data []struct {
		Used   int64 `json:"quota_usage"`
		Config struct {
			Total int64 `json:"quota_total"`
		} `json:"config"`
	} `json:"data"`
}

type listAnswer struct {
	Data []listedPost `json:"data"`
}

type listedPost struct {
	ID          graph.ID   `json:"id"`
	Caption     string     `json:"caption"`
	MediaType   string     `json:"media_type"`
	ProductType string     `json:"media_product_type"`
	Permalink   string     `json:"permalink"`
	Timestamp   graph.Time `json:"timestamp"`
}

func (p listedPost) created() time.Time { return p.Timestamp.Time }

type commentList struct {
	Data []listedComment `json:"data"`
}

type listedComment struct {
	ID        graph.ID   `json:"id"`
	Text      string     `json:"text"`
	Username  string     `json:"username"`
	Timestamp graph.Time `json:"timestamp"`
}

func (c listedComment) created() time.Time { return c.Timestamp.Time }

// profileAnswer is an object, or a list of one.
type profileAnswer struct {
	profile
	Data []profile `json:"data"`
}

type profile struct {
	// UserID is the id in all paths with Instagram Login; with Facebook Login it is ID, which otherwise is a different
	// one.
	UserID      graph.ID `json:"user_id"`
	ID          graph.ID `json:"id"`
	Username    string   `json:"username"`
	Name        string   `json:"name"`
	AccountType string   `json:"account_type"`
	Picture     string   `json:"profile_picture_url"`
	Followers   *int64   `json:"followers_count"`
	Follows     *int64   `json:"follows_count"`
	Media       *int64   `json:"media_count"`
}

type countAnswer struct {
	Product  string `json:"media_product_type"`
	Likes    *int64 `json:"like_count"`
	Comments *int64 `json:"comments_count"`
}

// Values that are sent as JSON inside the form.

type userTag struct {
	Username string   `json:"username"`
	X        *float64 `json:"x,omitempty"`
	Y        *float64 `json:"y,omitempty"`
}

type productTag struct {
	ProductID string   `json:"product_id"`
	X         *float64 `json:"x,omitempty"`
	Y         *float64 `json:"y,omitempty"`
}

type trialParams struct {
	GraduationStrategy string `json:"graduation_strategy"`
}

type audioConfiguration struct {
	AudioID     string `json:"audio_id"`
	AudioVolume *int   `json:"audio_volume,omitempty"`
	VideoVolume *int   `json:"video_volume,omitempty"`
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	AuthMode    Mode   `json:"authMode,omitempty"`
	AccountType string `json:"accountType,omitempty"`
	PageID      string `json:"pageId,omitempty"`
	PageName    string `json:"pageName,omitempty"`
}

func decodeDetails(a provider.Account) details {
	var d details
	if len(a.Details) > 0 && json.Unmarshal(a.Details, &d) != nil {
		return details{} // edited by hand and invalid: the configured mode applies
	}
	return d
}
