package facebook

import (
	"encoding/json"
	"net/url"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Wire types of the Pages API.

type createAnswer struct {
	ID        graph.ID `json:"id"`
	PostID    graph.ID `json:"post_id"`
	Success   bool     `json:"success"`
	Permalink string   `json:"permalink_url"`
}

// startAnswer starts the upload of a video: with a URL for reels and stories, with offsets for others.
type startAnswer struct {
	VideoID   graph.ID `json:"video_id"`
	UploadURL string   `json:"upload_url"`
	SessionID graph.ID `json:"upload_session_id"`
	offsets
}

type offsets struct {
	Start offset `json:"start_offset"`
	End   offset `json:"end_offset"`
}

type offset = graph.ID // a number, encoded as a string

type uploadProblem struct {
	DebugInfo struct {
		Type      string `json:"type"`
		Message   string `json:"message"`
		Retriable bool   `json:"retriable"`
	} `json:"debug_info"`
}

type videoAnswer struct {
	Status    videoStatus `json:"status"`
	PostID    graph.ID    `json:"post_id"`
	Permalink string      `json:"permalink_url"`
	Published *bool       `json:"published"`
}

type videoStatus struct {
	Word       string `json:"video_status"`
	Uploading  phase  `json:"uploading_phase"`
	Processing phase  `json:"processing_phase"`
	Publishing phase  `json:"publishing_phase"`
}

// phase is a phase of a video's publication. Facebook has two spellings of the byte counter and the list of errors.
type phase struct {
	Status        string `json:"status"`
	PublishStatus string `json:"publish_status"`
	Transfered    int64  `json:"bytes_transfered"`
	Transferred   int64  `json:"bytes_transferred"`
	Error         *struct {
		Message string `json:"message"`
	} `json:"error"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// problem returns the error of the phase, or "".
func (p phase) problem() string {
	for _, e := range p.Errors {
		if e.Message != "" {
			return e.Message
		}
	}
	if p.Error != nil && p.Error.Message != "" {
		return p.Error.Message
	}
	if p.Status == phaseError {
		return "Facebook does not say what is wrong with the video"
	}
	return ""
}

// Facebook's statuses of a video.
const (
	phaseError      = "error"
	phaseComplete   = "complete"
	phaseInProgress = "in_progress"
	videoReady      = "ready"
	videoFailed     = "error"
	videoExpired    = "expired"
)

type postList struct {
	Data []listedPost `json:"data"`
}

type listedPost struct {
	ID          graph.ID   `json:"id"`
	Message     string     `json:"message"`
	CreatedTime graph.Time `json:"created_time"`
	Permalink   string     `json:"permalink_url"`
	Attachments struct {
		Data []attachment `json:"data"`
	} `json:"attachments"`
}

func (p listedPost) created() time.Time { return p.CreatedTime.Time }

type attachment struct {
	Target struct {
		ID graph.ID `json:"id"`
	} `json:"target"`
	Subattachments struct {
		Data []attachment `json:"data"`
	} `json:"subattachments"`
}

type storyList struct {
	Data []struct {
		PostID      graph.ID   `json:"post_id"`
		MediaID     graph.ID   `json:"media_id"`
		URL         string     `json:"url"`
		CreatedTime graph.Time `json:"creation_time"`
	} `json:"data"`
}

type commentList struct {
	Data []listedComment `json:"data"`
}

type listedComment struct {
	ID          graph.ID   `json:"id"`
	Message     string     `json:"message"`
	CreatedTime graph.Time `json:"created_time"`
	From        *struct {
		ID graph.ID `json:"id"`
	} `json:"from"`
}

func (c listedComment) created() time.Time { return c.CreatedTime.Time }

type summary struct {
	Summary struct {
		Total *int64 `json:"total_count"`
	} `json:"summary"`
}

type countAnswer struct {
	Shares *struct {
		Count int64 `json:"count"`
	} `json:"shares"`
	Reactions summary `json:"reactions"`
	Comments  summary `json:"comments"`
}

type pageAnswer struct {
	graph.Page
	Followers *int64 `json:"followers_count"`
}

// Values that are sent as JSON inside the form.

type photoReference struct {
	ID string `json:"media_fbid"`
}

type targetingSpec struct {
	Locations *geoLocations `json:"geo_locations,omitempty"`
	AgeMin    int           `json:"age_min,omitempty"`
}

type geoLocations struct {
	Countries []string  `json:"countries,omitempty"`
	Cities    []geoCity `json:"cities,omitempty"`
	Regions   []geoKey  `json:"regions,omitempty"`
}

type geoCity struct {
	Key  string `json:"key"`
	Name string `json:"name,omitempty"`
}

type geoKey struct {
	Key string `json:"key"`
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	PageID   string   `json:"pageId"`
	Category string   `json:"category,omitempty"`
	Tasks    []string `json:"tasks,omitempty"`
}

func decodeDetails(a provider.Account) details {
	var d details
	if len(a.Details) > 0 && json.Unmarshal(a.Details, &d) != nil {
		return details{} // edited by hand and invalid
	}
	return d
}

func setIf(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

// setJSON adds a value as JSON.
func setJSON(form url.Values, name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the post cannot be sent", Err: err}
	}
	form.Set(name, string(data))
	return nil
}
