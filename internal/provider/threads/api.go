package threads

import (
	"encoding/json"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Wire types of the Threads API.

type idAnswer struct {
	ID graph.ID `json:"id"`
}

type containerAnswer struct {
	Status       string `json:"status"`
	ErrorMessage string `json:"error_message"`
}

type quotaAnswer struct {
	Data []struct {
		PostsUsed   int64 `json:"quota_usage"`
		Posts       quota `json:"config"`
		RepliesUsed int64 `json:"reply_quota_usage"`
		Replies     quota `json:"reply_config"`
	} `json:"data"`
}

type quota struct {
	Total int64 `json:"quota_total"`
}

type listAnswer struct {
	Data   []listedPost `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"`
	} `json:"paging"`
}

type listedPost struct {
	ID           graph.ID   `json:"id"`
	MediaType    string     `json:"media_type"`
	Text         string     `json:"text"`
	Permalink    string     `json:"permalink"`
	Timestamp    graph.Time `json:"timestamp"`
	RepliedTo    *idAnswer  `json:"replied_to"`
	QuotedPost   *idAnswer  `json:"quoted_post"`
	RepostedPost *idAnswer  `json:"reposted_post"`
}

func (p listedPost) created() time.Time { return p.Timestamp.Time }

type profileAnswer struct {
	ID       graph.ID `json:"id"`
	Username string   `json:"username"`
	Name     string   `json:"name"`
	Picture  string   `json:"threads_profile_picture_url"`
	Verified bool     `json:"is_verified"`
}

// Attachments are sent as JSON inside the form.

type pollAttachment struct {
	A string `json:"option_a"`
	B string `json:"option_b"`
	C string `json:"option_c,omitempty"`
	D string `json:"option_d,omitempty"`
}

type gifAttachment struct {
	ID       string `json:"gif_id"`
	Provider string `json:"provider"`
}

type textAttachment struct {
	Plaintext string      `json:"plaintext"`
	LinkURL   string      `json:"link_attachment_url,omitempty"`
	Styling   []textStyle `json:"text_with_styling_info,omitempty"`
}

type textStyle struct {
	Offset int      `json:"offset"`
	Length int      `json:"length"`
	Styles []string `json:"styling_info"`
}

type textEntity struct {
	Type   string `json:"entity_type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	Verified bool `json:"verified,omitempty"`
}

// encode is for values of plain types, which can always be encoded.
func encode(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the post cannot be sent", Err: err}
	}
	return string(data), nil
}
