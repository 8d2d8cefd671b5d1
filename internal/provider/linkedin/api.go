package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"crier/internal/provider"
)

// Wire types of the REST API.

type postRequest struct {
	Author       string          `json:"author"`
	Commentary   string          `json:"commentary"`
	Visibility   string          `json:"visibility"`
	Distribution distribution    `json:"distribution"`
	Lifecycle    string          `json:"lifecycleState"`
	NoReshare    bool            `json:"isReshareDisabledByAuthor"`
	Content      *postContent    `json:"content,omitempty"`
	Reshare      *reshareContext `json:"reshareContext,omitempty"`
	LandingPage  string          `json:"contentLandingPage,omitempty"`
	CallToAction string          `json:"contentCallToActionLabel,omitempty"`
}

type distribution struct {
	FeedDistribution string         `json:"feedDistribution"`
	TargetEntities   []targetEntity `json:"targetEntities"`
	ThirdParty       []string       `json:"thirdPartyDistributionChannels"`
}

type postContent struct {
	Media      *contentMedia   `json:"media,omitempty"`
	MultiImage *contentImages  `json:"multiImage,omitempty"`
	Article    *contentArticle `json:"article,omitempty"`
	Poll       *contentPoll    `json:"poll,omitempty"`
}

type contentMedia struct {
	ID      string `json:"id"`
	AltText string `json:"altText,omitempty"`
	Title   string `json:"title,omitempty"`
}

type contentImages struct {
	Images []contentMedia `json:"images"`
}

type contentArticle struct {
	Source      string `json:"source"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Thumbnail   string `json:"thumbnail,omitempty"`
}

type contentPoll struct {
	Question string       `json:"question"`
	Options  []pollOption `json:"options"`
	Settings pollSettings `json:"settings"`
}

type pollOption struct {
	Text string `json:"text"`
}

type pollSettings struct {
	Duration      string `json:"duration"`
	VoteSelection string `json:"voteSelectionType"`
	VoterVisible  bool   `json:"isVoterVisibleToAuthor"`
}

type reshareContext struct {
	Parent string `json:"parent"`
}

type listedPosts struct {
	Elements []listedPost `json:"elements"`
}

type listedPost struct {
	ID         string          `json:"id"`
	Commentary string          `json:"commentary"`
	CreatedAt  int64           `json:"createdAt"` // milliseconds
	Reshare    *reshareContext `json:"reshareContext"`
}

func (p listedPost) created() time.Time { return time.UnixMilli(p.CreatedAt) }

type initializeRequest struct {
	Request initializeUpload `json:"initializeUploadRequest"`
}

type initializeUpload struct {
	Owner    string `json:"owner"`
	FileSize int64  `json:"fileSizeBytes,omitempty"`
	Captions *bool  `json:"uploadCaptions,omitempty"`
	Thumb    *bool  `json:"uploadThumbnail,omitempty"`
}

type initializeAnswer struct {
	Value struct {
		UploadURL    string        `json:"uploadUrl"`
		ExpiresAt    int64         `json:"uploadUrlExpiresAt"`
		URLsExpireAt int64         `json:"uploadUrlsExpireAt"`
		Image        string        `json:"image"`
		Video        string        `json:"video"`
		Document     string        `json:"document"`
		Token        string        `json:"uploadToken"`
		Instructions []instruction `json:"uploadInstructions"`
		CaptionsURL  string        `json:"captionsUploadUrl"`
		ThumbnailURL string        `json:"thumbnailUploadUrl"`
	} `json:"value"`
}

type instruction struct {
	URL       string `json:"uploadUrl"`
	FirstByte int64  `json:"firstByte"`
	LastByte  int64  `json:"lastByte"`
}

// captionsMetadata describes a captions file; LinkedIn accepts SubRip in English.
type captionsMetadata struct {
	Format         string        `json:"format"`
	EasyReader     bool          `json:"formattedForEasyReader"`
	LargeText      bool          `json:"largeText"`
	Source         string        `json:"source"`
	Locale         captionLocale `json:"locale"`
	TranscriptType string        `json:"transcriptType"`
}

type captionLocale struct {
	Variant  string `json:"variant"`
	Country  string `json:"country"`
	Language string `json:"language"`
}

var englishCaptions = captionsMetadata{Format: "SRT", EasyReader: true, LargeText: true, Source: "USER_PROVIDED",
	Locale:         captionLocale{Variant: "AMERICAN", Country: "US", Language: "EN"},
	TranscriptType: "CLOSED_CAPTION"}

type finalizeRequest struct {
	Request finalizeUpload `json:"finalizeUploadRequest"`
}

type finalizeUpload struct {
	Video   string   `json:"video"`
	Token   string   `json:"uploadToken"`
	PartIDs []string `json:"uploadedPartIds"`
}

type mediaStatus struct {
	Status  string `json:"status"`
	Failure string `json:"processingFailureReason"`
}

type commentRequest struct {
	Actor   string         `json:"actor"`
	Object  string         `json:"object"`
	Message commentMessage `json:"message"`
}

type commentMessage struct {
	Text string `json:"text"`
}

type commentAnswer struct {
	URN     string `json:"commentUrn"`
	ID      string `json:"id"`
	Created struct {
		Time int64 `json:"time"` // milliseconds
	} `json:"created"`
	Actor   string         `json:"actor"`
	Message commentMessage `json:"message"`
}

type listedComments struct {
	Elements []commentAnswer `json:"elements"`
}

type patchRequest struct {
	Patch struct {
		Set map[string]string `json:"$set"`
	} `json:"patch"`
}

type memberInfo struct {
	Sub     string `json:"sub"`
	Name    string `json:"name"`
	Picture string `json:"picture"`
}

type memberProfile struct {
	ID        string `json:"id"`
	FirstName string `json:"localizedFirstName"`
	LastName  string `json:"localizedLastName"`
	Vanity    string `json:"vanityName"`
	Picture   struct {
		Display struct {
			Elements []struct {
				Identifiers []struct {
					Identifier string `json:"identifier"`
				} `json:"identifiers"`
			} `json:"elements"`
		} `json:"displayImage~"`
	} `json:"profilePicture"`
}

// picture returns the URL of the member's picture in its largest size, which comes last.
func (m memberProfile) picture() string {
	elements := m.Picture.Display.Elements
	if len(elements) == 0 || len(elements[len(elements)-1].Identifiers) == 0 {
		return ""
	}
	return elements[len(elements)-1].Identifiers[0].Identifier
}

type roleList struct {
	Elements []struct {
		Role         string `json:"role"`
		Organization string `json:"organization"`
		State        string `json:"state"`
	} `json:"elements"`
}

type organization struct {
	ID     int64  `json:"id"`
	Name   string `json:"localizedName"`
	Vanity string `json:"vanityName"`
	Logo   struct {
		Original string `json:"original"`
	} `json:"logoV2"`
}

// details is the stored data of a connection (SocialAccount.providerSettings).
type details struct {
	CanRefresh bool   `json:"canRefresh"`
	Role       string `json:"role,omitempty"` // of the member in the organization
}

func decodeDetails(a provider.Account) details {
	var d details
	if len(a.Details) > 0 && json.Unmarshal(a.Details, &d) != nil {
		return details{} // edited by hand and invalid: nothing is promised
	}
	return d
}

// restliMethods specify the request where the HTTP method does not.
const (
	methodFinder        = "FINDER"
	methodDelete        = "DELETE"
	methodPartialUpdate = "PARTIAL_UPDATE"
)

// call is one exchange with the REST API.
type call struct {
	operation provider.Operation
	method    string
	path      string
	restli    string // X-RestLi-Method, if needed
	body      any    // sent as JSON unless nil
	publishes bool
	timeout   time.Duration
}

// rest makes one exchange with the versioned API; unsuccessful responses become errors.
func (p *Provider) rest(ctx context.Context, a provider.Account, c call) (*provider.Response, error) {
	header := http.Header{"Linkedin-Version": {p.version}}
	return p.send(ctx, a, c, header)
}

// legacy makes one exchange with the unversioned API.
func (p *Provider) legacy(ctx context.Context, a provider.Account, c call) (*provider.Response, error) {
	return p.send(ctx, a, c, http.Header{})
}

func (p *Provider) send(ctx context.Context, a provider.Account, c call, header http.Header) (*provider.Response,
	error) {
	header.Set("X-Restli-Protocol-Version", "2.0.0")
	header.Set("Content-Type", "application/json")
	if c.restli != "" {
		header.Set("X-Restli-Method", c.restli)
	}
	return p.api.SendJSON(ctx, a.Token.Access, provider.Request{
		Operation: c.operation, Method: c.method, URL: c.path, Header: header, Publishes: c.publishes,
		Timeout: c.timeout,
	}, c.body)
}

// get reads from the versioned API.
func (p *Provider) get(ctx context.Context, a provider.Account, path, restli string, v any) error {
	answer, err := p.rest(ctx, a, call{operation: provider.OpRead, method: http.MethodGet, path: path, restli: restli})
	if err != nil {
		return err
	}
	return answer.Decode(v)
}

// urn escapes a URN for a path or a query.
func urn(s string) string { return url.QueryEscape(s) }
