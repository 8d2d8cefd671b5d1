package tiktok

import (
	"context"
	"encoding/json"
	"net/http"

	"crier/internal/provider"
)

// Wire types of the Content Posting and Display APIs, v2.

// envelope is the format of every response; an error can have status 200.
type envelope struct {
	Data  json.RawMessage `json:"data"`
	Error apiError        `json:"error"`
}

type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

const codeOK = "ok"

type creatorInfo struct {
	Username        string   `json:"creator_username"`
	Nickname        string   `json:"creator_nickname"`
	AvatarURL       string   `json:"creator_avatar_url"`
	PrivacyLevels   []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	MaxVideoSeconds int      `json:"max_video_post_duration_sec"`
}

type initRequest struct {
	MediaType string      `json:"media_type,omitempty"`
	PostMode  string      `json:"post_mode,omitempty"`
	PostInfo  *postInfo   `json:"post_info,omitempty"`
	Source    *sourceInfo `json:"source_info"`
}

// postInfo describes a post. Videos and pictures have different fields.
type postInfo struct {
	Title          string `json:"title,omitempty"`
	Description    string `json:"description,omitempty"`
	PrivacyLevel   string `json:"privacy_level,omitempty"`
	DisableDuet    *bool  `json:"disable_duet,omitempty"`
	DisableComment *bool  `json:"disable_comment,omitempty"`
	DisableStitch  *bool  `json:"disable_stitch,omitempty"`
	CoverTimestamp *int64 `json:"video_cover_timestamp_ms,omitempty"`
	AutoAddMusic   *bool  `json:"auto_add_music,omitempty"`
	BrandContent   *bool  `json:"brand_content_toggle,omitempty"`
	BrandOrganic   *bool  `json:"brand_organic_toggle,omitempty"`
	IsAIGenerated  *bool  `json:"is_aigc,omitempty"`
}

type sourceInfo struct {
	Source      string   `json:"source"`
	VideoSize   int64    `json:"video_size,omitempty"`
	ChunkSize   int64    `json:"chunk_size,omitempty"`
	TotalChunks int64    `json:"total_chunk_count,omitempty"`
	VideoURL    string   `json:"video_url,omitempty"`
	CoverIndex  *int     `json:"photo_cover_index,omitempty"`
	Images      []string `json:"photo_images,omitempty"`
}

type initAnswer struct {
	PublishID string `json:"publish_id"`
	UploadURL string `json:"upload_url"`
}

type statusRequest struct {
	PublishID string `json:"publish_id"`
}

type statusAnswer struct {
	Status     string `json:"status"`
	FailReason string `json:"fail_reason"`
	// PostIDs has TikTok's spelling. The numbers exceed the precision of a float.
	PostIDs       []json.Number `json:"publicaly_available_post_id"`
	UploadedBytes int64         `json:"uploaded_bytes"`
}

// postID returns the id of the post, or "" while it is unknown.
func (s statusAnswer) postID() string {
	if len(s.PostIDs) == 0 {
		return ""
	}
	return s.PostIDs[0].String()
}

type userAnswer struct {
	User struct {
		OpenID      string `json:"open_id"`
		UnionID     string `json:"union_id"`
		AvatarURL   string `json:"avatar_url"`
		DisplayName string `json:"display_name"`
		Username    string `json:"username"`
		Followers   *int64 `json:"follower_count"`
		Following   *int64 `json:"following_count"`
		Likes       *int64 `json:"likes_count"`
		Videos      *int64 `json:"video_count"`
	} `json:"user"`
}

type listRequest struct {
	MaxCount int `json:"max_count"`
}

type queryRequest struct {
	Filters queryFilters `json:"filters"`
}

type queryFilters struct {
	VideoIDs []string `json:"video_ids"`
}

type videosAnswer struct {
	Videos []listedVideo `json:"videos"`
}

type listedVideo struct {
	ID          string `json:"id"`
	CreateTime  int64  `json:"create_time"`
	Title       string `json:"title"`
	Description string `json:"video_description"`
	Likes       *int64 `json:"like_count"`
	Comments    *int64 `json:"comment_count"`
	Shares      *int64 `json:"share_count"`
	Views       *int64 `json:"view_count"`
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	UnionID             string   `json:"unionId,omitempty"`
	CreatorNickname     string   `json:"creatorNickname,omitempty"`
	PrivacyLevelOptions []string `json:"privacyLevelOptions,omitempty"`
	CommentDisabled     bool     `json:"commentDisabled,omitempty"`
	DuetDisabled        bool     `json:"duetDisabled,omitempty"`
	StitchDisabled      bool     `json:"stitchDisabled,omitempty"`
	MaxVideoDurationSec int      `json:"maxVideoDurationSec,omitempty"`
}

func decodeDetails(a provider.Account) details {
	var d details
	if len(a.Details) > 0 && json.Unmarshal(a.Details, &d) != nil {
		return details{} // edited by hand and invalid: TikTok will reject what is not allowed
	}
	return d
}

// failure checks the envelope: TikTok also reports errors with a status of success.
func failure(answer *provider.Response) *provider.Error {
	if refusal := answer.RefusedByProxy(); refusal != nil {
		return refusal
	}
	var e envelope
	if err := json.Unmarshal(answer.Body, &e); err != nil && answer.OK() {
		return answer.Unreadable(err)
	}
	if !answer.OK() || e.Error.Code != codeOK {
		return classify(answer, e.Error)
	}
	return nil
}

// send makes one exchange with the API on behalf of the account and decodes the data of a success into v.
func (p *Provider) send(ctx context.Context, a provider.Account, r provider.Request, body, v any) error {
	if body == nil && r.Method == http.MethodPost {
		r.Body = provider.NoBody("application/json; charset=UTF-8")
	}
	answer, err := p.api.SendJSON(ctx, a.Token.Access, r, body)
	if err != nil {
		return err
	}
	var e envelope
	if err := answer.Decode(&e); err != nil {
		return err
	}
	if err := json.Unmarshal(e.Data, v); err != nil {
		return answer.Unreadable(err)
	}
	return nil
}

// read sends a read request. TikTok uses POST for these as well.
func (p *Provider) read(ctx context.Context, a provider.Account, path string, body, v any) error {
	return p.send(ctx, a, provider.Request{Operation: provider.OpRead, Method: http.MethodPost, URL: path}, body, v)
}
