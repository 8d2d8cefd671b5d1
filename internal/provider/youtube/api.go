package youtube

import (
	"encoding/json"
	"time"

	"crier/internal/provider"
)

// Wire types of the Data API v3. Counts are strings there, and absent if they are hidden.

type videoRequest struct {
	Snippet       videoSnippet   `json:"snippet"`
	Status        videoStatus    `json:"status"`
	PaidPlacement *paidPlacement `json:"paidProductPlacementDetails,omitempty"`
}

type videoSnippet struct {
	Title                string   `json:"title"`
	Description          string   `json:"description"`
	Tags                 []string `json:"tags,omitempty"`
	CategoryID           string   `json:"categoryId"`
	DefaultLanguage      string   `json:"defaultLanguage,omitempty"`
	DefaultAudioLanguage string   `json:"defaultAudioLanguage,omitempty"`
}

type videoStatus struct {
	PrivacyStatus           string `json:"privacyStatus"`
	PublishAt               string `json:"publishAt,omitempty"`
	License                 string `json:"license,omitempty"`
	Embeddable              *bool  `json:"embeddable,omitempty"`
	PublicStatsViewable     *bool  `json:"publicStatsViewable,omitempty"`
	SelfDeclaredMadeForKids bool   `json:"selfDeclaredMadeForKids"`
	ContainsSyntheticMedia  *bool  `json:"containsSyntheticMedia,omitempty"`
}

type paidPlacement struct {
	HasPaidProductPlacement bool `json:"hasPaidProductPlacement"`
}

// video is a video as returned by YouTube.
type video struct {
	ID     string `json:"id"`
	Status struct {
		UploadStatus    string `json:"uploadStatus"`
		FailureReason   string `json:"failureReason"`
		RejectionReason string `json:"rejectionReason"`
		PrivacyStatus   string `json:"privacyStatus"`
	} `json:"status"`
	Processing struct {
		Status        string `json:"processingStatus"`
		FailureReason string `json:"processingFailureReason"`
	} `json:"processingDetails"`
	Statistics *videoCounts `json:"statistics"`
}

type videoCounts struct {
	Views     *count `json:"viewCount"`
	Likes     *count `json:"likeCount"`
	Favorites *count `json:"favoriteCount"`
	Comments  *count `json:"commentCount"`
}

type videoList struct {
	Items []video `json:"items"`
}

type channelList struct {
	Items []channel `json:"items"`
}

type channel struct {
	ID      string `json:"id"`
	Snippet struct {
		Title      string `json:"title"`
		CustomURL  string `json:"customUrl"`
		Thumbnails map[string]struct {
			URL string `json:"url"`
		} `json:"thumbnails"`
	} `json:"snippet"`
	ContentDetails struct {
		RelatedPlaylists struct {
			Uploads string `json:"uploads"`
		} `json:"relatedPlaylists"`
	} `json:"contentDetails"`
	Statistics struct {
		Views             *count `json:"viewCount"`
		Subscribers       *count `json:"subscriberCount"`
		SubscribersHidden bool   `json:"hiddenSubscriberCount"`
		Videos            *count `json:"videoCount"`
	} `json:"statistics"`
	Status struct {
		LongUploads string `json:"longUploadsStatus"`
	} `json:"status"`
}

type playlistItem struct {
	Snippet playlistItemSnippet `json:"snippet"`
	Details *struct {
		VideoID string `json:"videoId"`
	} `json:"contentDetails,omitempty"`
}

func (i playlistItem) created() time.Time { return i.Snippet.PublishedAt }

type playlistItemSnippet struct {
	PlaylistID  string     `json:"playlistId"`
	Resource    resourceID `json:"resourceId"`
	Title       string     `json:"title,omitempty"`
	PublishedAt time.Time  `json:"publishedAt,omitzero"`
}

type resourceID struct {
	Kind    string `json:"kind"`
	VideoID string `json:"videoId"`
}

type playlistItemList struct {
	Items []playlistItem `json:"items"`
}

type commentThread struct {
	ID      string               `json:"id,omitempty"`
	Snippet commentThreadSnippet `json:"snippet"`
}

func (t commentThread) created() time.Time { return t.Snippet.TopLevel.Snippet.PublishedAt }

type commentThreadSnippet struct {
	ChannelID string          `json:"channelId,omitempty"`
	VideoID   string          `json:"videoId,omitempty"`
	TopLevel  topLevelComment `json:"topLevelComment"`
}

type topLevelComment struct {
	ID      string         `json:"id,omitempty"`
	Snippet commentSnippet `json:"snippet"`
}

type commentSnippet struct {
	TextOriginal string `json:"textOriginal"`
	TextDisplay  string `json:"textDisplay,omitempty"`
	Author       *struct {
		Value string `json:"value"`
	} `json:"authorChannelId,omitempty"`
	PublishedAt time.Time `json:"publishedAt,omitzero"`
}

type commentThreadList struct {
	Items []commentThread `json:"items"`
}

// count is a number that is encoded as a string.
type count int64

// UnmarshalJSON decodes the number with or without quotation marks.
func (n *count) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	value, err := number.Int64()
	*n = count(value)
	return err
}

// value returns the number, or nil if YouTube does not return it.
func (n *count) value() *int64 {
	if n == nil {
		return nil
	}
	value := int64(*n)
	return &value
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	UploadsPlaylistID string `json:"uploadsPlaylistId,omitempty"`
	LongUploadsStatus string `json:"longUploadsStatus,omitempty"`
}

func decodeDetails(a provider.Account) details {
	var d details
	if len(a.Details) > 0 && json.Unmarshal(a.Details, &d) != nil {
		return details{} // edited by hand and invalid: the stricter limits apply
	}
	return d
}

// longUploads reports whether a channel may upload videos of more than 15 minutes.
func (d details) longUploads() bool { return d.LongUploadsStatus == "allowed" }

// uploadsPlaylist returns the playlist of the channel's videos. Its id is that of the channel with another prefix.
func uploadsPlaylist(a provider.Account) string {
	if id := decodeDetails(a).UploadsPlaylistID; id != "" {
		return id
	}
	if len(a.ProviderAccountID) > 2 {
		return "UU" + a.ProviderAccountID[2:]
	}
	return ""
}
