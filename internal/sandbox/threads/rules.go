package threads

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Limits of texts.
const (
	maxText       = 500
	maxLinks      = 5
	maxAltText    = 1000
	maxTopic      = 50
	maxPollOption = 25
	minPoll       = 2
	maxAttachment = 10_000
	maxEntities   = 10
	minCarousel   = 2
	maxCarousel   = 20
)

// readContainer reads the parameters of a container and rejects invalid ones.
func readContainer(c *graph.Call) (container, *sim.Reply) {
	p := c.Params
	draft := container{Kind: p["media_type"], IsChild: p.Bool("is_carousel_item", false), Text: p["text"],
		Children: p.List("children"),
		ReplyTo:  p["reply_to_id"], Quotes: p["quote_post_id"],
		Details: details{Audience: p["reply_control"], Topic: p["topic_tag"], Link: p["link_attachment"],
			Ghost: p.Bool("is_ghost_post", false)}}
	if draft.Details.Audience == "" {
		draft.Details.Audience = "everyone"
	}
	for _, rule := range []func(*graph.Call, container) *sim.Reply{checkKind, checkText, checkPlaces, checkDetails,
		checkAttachments, checkScopes} {
		if refusal := rule(c, draft); refusal != nil {
			return draft, refusal
		}
	}
	return draft, nil
}

func checkKind(c *graph.Call, draft container) *sim.Reply {
	switch {
	case !slices.Contains([]string{kindText, kindImage, kindVideo, kindCarousel}, draft.Kind):
		return invalid("Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}")
	case draft.IsChild && draft.Kind != kindImage && draft.Kind != kindVideo:
		return invalid("Param is_carousel_item is only allowed for IMAGE and VIDEO")
	case draft.Kind == kindImage && c.Params["image_url"] == "":
		return invalid("Param image_url is required")
	case draft.Kind == kindVideo && c.Params["video_url"] == "":
		return invalid("Param video_url is required")
	case draft.Kind == kindCarousel && (len(draft.Children) < minCarousel || len(draft.Children) > maxCarousel):
		return invalid("Param children must have %d to %d items", minCarousel, maxCarousel)
	case draft.Kind != kindCarousel && len(draft.Children) > 0:
		return notAllowed("children", draft)
	}
	return nil
}

func notAllowed(param string, draft container) *sim.Reply {
	return invalid("Param %s is not allowed for media_type %s", param, draft.Kind)
}

func checkText(c *graph.Call, draft container) *sim.Reply {
	hasOther := draft.Details.Link != "" || c.Params["poll_attachment"] != "" || c.Params["gif_attachment"] != "" ||
		c.Params["text_attachment"] != "" || draft.Quotes != ""
	switch {
	case draft.Kind == kindText && strings.TrimSpace(draft.Text) == "" && !hasOther:
		return invalid("text can't be blank")
	case length(draft.Text) > maxText:
		return invalid("Param text must be at most %d characters long.", maxText)
	case countLinks(draft.Text, draft.Details.Link) > maxLinks:
		return manyLinks.Refuse()
	}
	return nil
}

// textOnly are parameters of posts without media.
var textOnly = []string{"link_attachment", "poll_attachment", "gif_attachment", "text_attachment", "is_ghost_post",
	"auto_publish_text"}

// mediaOnly are parameters of posts with media.
var mediaOnly = []string{"is_spoiler_media"}

func checkPlaces(c *graph.Call, draft container) *sim.Reply {
	for _, param := range textOnly {
		if c.Params[param] != "" && c.Params[param] != "false" && draft.Kind != kindText {
			return notAllowed(param, draft)
		}
	}
	for _, param := range mediaOnly {
		if c.Params.Bool(param, false) && draft.Kind == kindText {
			return notAllowed(param, draft)
		}
	}
	alt := c.Params["alt_text"]
	switch {
	case alt != "" && draft.Kind != kindImage && draft.Kind != kindVideo:
		return notAllowed("alt_text", draft)
	case utf8.RuneCountInString(alt) > maxAltText:
		return invalid("Param alt_text must be at most %d characters long.", maxAltText)
	case draft.Details.Ghost && draft.ReplyTo != "":
		return invalid("A ghost post cannot be a reply")
	case c.Params["poll_attachment"] != "" && (draft.Details.Link != "" || c.Params["text_attachment"] != ""):
		return invalid("Param poll_attachment cannot be used with another attachment")
	}
	return nil
}

var audiences = []string{"everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only",
	"followers_only"}

var countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)

func checkDetails(c *graph.Call, draft container) *sim.Reply {
	topic := draft.Details.Topic
	if !slices.Contains(audiences, draft.Details.Audience) {
		return invalid("Param reply_control must be one of {%s}", strings.Join(audiences, ", "))
	}
	if utf8.RuneCountInString(topic) > maxTopic || strings.ContainsAny(topic, ".&") {
		return invalid("Param topic_tag must have 1 to %d characters without . and &", maxTopic)
	}
	if link := draft.Details.Link; link != "" && !isWebAddress(link) {
		return invalid("Param link_attachment must be a valid URL")
	}
	return checkCountries(c)
}

// checkCountries rejects even well-formed lists: no account here may restrict its posts to countries.
func checkCountries(c *graph.Call) *sim.Reply {
	codes := c.Params.List("allowlisted_country_codes")
	if len(codes) == 0 {
		return nil
	}
	for _, code := range codes {
		if !countryPattern.MatchString(code) {
			return invalid("THREADS_API__GEO_GATING_INVALID_COUNTRY_CODES")
		}
	}
	return featureless.Refuse()
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func checkAttachments(c *graph.Call, _ container) *sim.Reply {
	for param, check := range map[string]func(json.RawMessage) *sim.Reply{"poll_attachment": checkPoll,
		"gif_attachment":  checkGIF,
		"text_attachment": checkTextAttachment, "text_entities": checkEntities} {
		if c.Params[param] == "" {
			continue
		}
		var raw json.RawMessage
		if err := c.Params.Decode(param, &raw); err != nil {
			return invalid("%s", err)
		}
		if refusal := check(raw); refusal != nil {
			return refusal
		}
	}
	return nil
}

func checkPoll(raw json.RawMessage) *sim.Reply {
	var poll struct {
		A string `json:"option_a"`
		B string `json:"option_b"`
		C string `json:"option_c"`
		D string `json:"option_d"`
	}
	if err := json.Unmarshal(raw, &poll); err != nil {
		return invalid("Param poll_attachment must have the options option_a to option_d")
	}
	count := 0
	for _, option := range []string{poll.A, poll.B, poll.C, poll.D} {
		if utf8.RuneCountInString(option) > maxPollOption {
			return invalid("An option of poll_attachment can have at most %d characters", maxPollOption)
		}
		if option != "" {
			count++
		}
	}
	if count < minPoll || poll.A == "" || poll.B == "" {
		return invalid("Param poll_attachment needs 2 to 4 options")
	}
	return nil
}

func checkGIF(raw json.RawMessage) *sim.Reply {
	var gif struct {
		ID       string `json:"gif_id"`
		Provider string `json:"provider"`
	}
	if err := json.Unmarshal(raw, &gif); err != nil || gif.ID == "" ||
		(gif.Provider != "GIPHY" && gif.Provider != "TENOR") {
		return invalid("Param gif_attachment needs a gif_id and the provider GIPHY")
	}
	return nil
}

func checkTextAttachment(raw json.RawMessage) *sim.Reply {
	var text struct {
		Plain string `json:"plaintext"`
		Link  string `json:"link_attachment_url"`
	}
	err := json.Unmarshal(raw, &text)
	switch {
	case err != nil || text.Plain == "" || utf8.RuneCountInString(text.Plain) > maxAttachment:
		return invalid("Param text_attachment needs a plaintext of at most %d characters", maxAttachment)
	case text.Link != "" && !isWebAddress(text.Link):
		return invalid("link_attachment_url of text_attachment must be a valid URL")
	}
	return nil
}

func checkEntities(raw json.RawMessage) *sim.Reply {
	var entities []struct {
		Type   string `json:"entity_type"`
		Offset int    `json:"offset"`
		Length int    `json:"length"`
	}
	if err := json.Unmarshal(raw, &entities); err != nil || len(entities) > maxEntities {
		return invalid("Param text_entities must be a list of at most %d entities", maxEntities)
	}
	for _, e := range entities {
		if !strings.EqualFold(e.Type, "SPOILER") || e.Offset < 0 || e.Length < 1 {
			return invalid("An entity of text_entities needs the type SPOILER, an offset and a length")
		}
	}
	return nil
}

// checkScopes checks the scopes for the features of a post.
func checkScopes(c *graph.Call, draft container) *sim.Reply {
	isShared := c.Params.Bool("crossreshare_to_ig", false) || c.Params.Bool("crossreshare_to_ig_dark_mode", false)
	switch {
	case draft.ReplyTo != "" && !c.Token.Has(scopeReply):
		return lacks(c, scopeReply)
	case c.Params["location_id"] != "" && !c.Token.Has(scopeLocation):
		return lacks(c, scopeLocation)
	case isShared && !c.Token.Has(scopeShare):
		return lacks(c, scopeShare)
	}
	return nil
}
