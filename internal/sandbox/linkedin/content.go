package linkedin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// content is the attachment of a post. One of the members is set.
type content struct {
	Media      *mediaContent      `json:"media,omitempty"`
	MultiImage *multiImageContent `json:"multiImage,omitempty"`
	Article    *articleContent    `json:"article,omitempty"`
	Poll       *pollContent       `json:"poll,omitempty"`
}

type mediaContent struct {
	ID      string `json:"id"`
	AltText string `json:"altText,omitempty"`
	Title   string `json:"title,omitempty"`
}

type multiImageContent struct {
	Images  []mediaContent `json:"images"`
	AltText string         `json:"altText,omitempty"`
}

type articleContent struct {
	Source           string `json:"source"`
	Title            string `json:"title,omitempty"`
	Description      string `json:"description,omitempty"`
	Thumbnail        string `json:"thumbnail,omitempty"`
	ThumbnailAltText string `json:"thumbnailAltText,omitempty"`
}

type pollContent struct {
	Question string       `json:"question"`
	Options  []pollOption `json:"options"`
	Settings pollSettings `json:"settings"`
}

type pollOption struct {
	Text string `json:"text"`
}

type pollSettings struct {
	Duration               string `json:"duration"`
	VoteSelectionType      string `json:"voteSelectionType,omitempty"`
	IsVoterVisibleToAuthor *bool  `json:"isVoterVisibleToAuthor,omitempty"`
}

const (
	maxCommentary  = 3000
	maxAltText     = 4086
	maxTitle       = 400
	maxDescription = 4086
	maxImages      = 20
	maxQuestion    = 140
	maxOption      = 30
)

var pollDurations = []string{"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"}

// check validates the content itself.
func (c *content) check() *sim.Reply {
	if c == nil {
		return nil
	}
	set := 0
	for _, isSet := range []bool{c.Media != nil, c.MultiImage != nil, c.Article != nil, c.Poll != nil} {
		if isSet {
			set++
		}
	}
	if set != 1 {
		return refuse(badField("INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content :: union must have exactly one of media, multiImage, article, poll"))
	}
	switch {
	case c.MultiImage != nil:
		return c.MultiImage.check()
	case c.Article != nil:
		return c.Article.check()
	case c.Poll != nil:
		return c.Poll.check()
	}
	return nil
}

func (m *multiImageContent) check() *sim.Reply {
	if count := len(m.Images); count < 2 || count > maxImages {
		return refuse(badField("INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content/multiImage/images :: must have 2 to %d images, not %d", maxImages, count))
	}
	for _, image := range m.Images {
		if !strings.HasPrefix(image.ID, imagePrefix) {
			return refuse(badField("INVALID_URN_TYPE", "ERROR :: /content/multiImage/images/id :: %q is no image",
				image.ID))
		}
	}
	return nil
}

func (a *articleContent) check() *sim.Reply {
	source, err := url.Parse(a.Source)
	switch {
	case err != nil || source.Host == "" || (source.Scheme != "http" && source.Scheme != "https"):
		return refuse(badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /content/article/source :: %q is not a valid URL",
			a.Source))
	case a.Title == "":
		return refuse(badField("MISSING_FIELD", "ERROR :: /content/article/title :: field is required but not found"))
	case length(a.Title) >= maxTitle:
		return refuse(badField("FIELD_LENGTH_TOO_LONG", "ERROR :: /content/article/title :: must be shorter than %d",
			maxTitle))
	case length(a.Description) >= maxDescription:
		return refuse(badField("FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/article/description :: must be shorter than %d", maxDescription))
	}
	return nil
}

func (p *pollContent) check() *sim.Reply {
	switch {
	case p.Question == "":
		return refuse(badField("INVALID_VALUE_BLANK_FIELD", "ERROR :: /content/poll/question :: must not be blank"))
	case length(p.Question) > maxQuestion:
		return refuse(badField("FIELD_LENGTH_TOO_LONG",
			"ERROR :: /content/poll/question :: must have at most %d characters", maxQuestion))
	case len(p.Options) < 2 || len(p.Options) > 4:
		return refuse(badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /content/poll/options :: must have 2 to 4 options"))
	case !slices.Contains(pollDurations, p.Settings.Duration):
		return refuse(badField("INVALID_VALUE_FOR_FIELD",
			"ERROR :: /content/poll/settings/duration :: must be one of %s", strings.Join(pollDurations, ", ")))
	}
	for _, option := range p.Options {
		if option.Text == "" || length(option.Text) > maxOption {
			return refuse(badField("FIELD_LENGTH_TOO_LONG",
				"ERROR :: /content/poll/options/text :: must have 1 to %d characters", maxOption))
		}
	}
	return nil
}

// files returns the files of the content.
func (c *content) files() []mediaContent {
	switch {
	case c == nil:
		return nil
	case c.Media != nil:
		return []mediaContent{*c.Media}
	case c.MultiImage != nil:
		return c.MultiImage.Images
	case c.Article != nil && c.Article.Thumbnail != "":
		return []mediaContent{{ID: c.Article.Thumbnail, AltText: c.Article.ThumbnailAltText}}
	}
	return nil
}

const (
	// settleRate is how many bytes of a member's picture LinkedIn distributes per second, and maxSettle the maximum
	// time.
	settleRate = 500_000
	maxSettle  = 20 * time.Second
)

// isYoung reports whether a member's picture is not known everywhere at LinkedIn yet, which depends on its size. Such a
// picture is rejected like another member's.
func (n *network) isYoung(a asset) bool {
	takes := min(time.Duration(a.Digest.Size/settleRate)*time.Second, maxSettle)
	return a.isImage() && strings.HasPrefix(a.Owner, personPrefix) && n.env.Now().Sub(a.UploadedAt) < takes
}

// attach returns the content's files, which must be the author's and ready. It needs a running View or Update.
func (n *network) attach(c *content, author string) ([]sim.Media, *sim.Reply) {
	var list []sim.Media
	for _, file := range c.files() {
		a, found := n.assets.Get(file.ID)
		switch {
		case !found && strings.HasPrefix(file.ID, videoPrefix):
			return nil, refuse(badField("INVALID_VIDEO_ID", "Video %s is invalid", file.ID))
		case !found:
			return nil, refuse(badField("INVALID_IMAGE_ID", "Image %s is invalid", file.ID))
		case a.Owner != author, n.isYoung(a):
			return nil, refuse(restError(http.StatusForbidden, 0, "ACCESS_DENIED",
				"Accessing this image resource is forbidden: the owner is not the author"))
		case length(file.AltText) > maxAltText:
			return nil, refuse(badField("FIELD_LENGTH_TOO_LONG",
				"ERROR :: /content/media/altText :: must have at most %d characters", maxAltText))
		case a.isDocument() && file.Title == "":
			return nil, refuse(badField("MISSING_FIELD",
				"ERROR :: /content/media/title :: field is required but not found"))
		}
		switch a.status(n.env.Now(), n.env.Options.ProcessingTime) {
		case statusFailed:
			return nil, refuse(badField("MEDIA_ASSET_PROCESSING_FAILED", "The media asset %s could not be processed",
				file.ID))
		case statusAvailable:
		default:
			return nil, refuse(badField("MEDIA_ASSET_WAITING_UPLOAD", "The media asset %s is not ready yet", file.ID))
		}
		list = append(list, a.media(file.AltText))
	}
	return list, nil
}
