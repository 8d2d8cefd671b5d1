package instagram

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Limits of texts.
const (
	maxCaption       = 2200 // in UTF-16 units
	maxHashtags      = 30
	maxMentions      = 20
	maxAltText       = 1000
	maxCollaborators = 3
	maxProductTags   = 5
	minCarousel      = 2
	maxCarousel      = 10
)

// readContainer reads the parameters of a container and rejects invalid ones.
func readContainer(c *graph.Call) (container, *sim.Reply) {
	p := c.Params
	draft := container{Kind: p["media_type"], IsChild: p.Bool("is_carousel_item", false), Caption: p["caption"],
		AltText:  p["alt_text"],
		Children: p.List("children"), Resumable: p["upload_type"] == "resumable"}
	if draft.Kind == "" {
		draft.Kind = kindImage
	}
	for _, rule := range []func(*graph.Call, container) *sim.Reply{checkKind, checkSource, checkCaption, checkParams,
		checkTags, checkProducts, checkSponsors, checkReel} {
		if refusal := rule(c, draft); refusal != nil {
			return draft, refusal
		}
	}
	if draft.Kind == kindStories {
		draft.Caption = "" // a story shows none
	}
	return draft, nil
}

func checkKind(_ *graph.Call, draft container) *sim.Reply {
	switch {
	case !slices.Contains([]string{kindImage, kindVideo, kindReels, kindStories, kindCarousel}, draft.Kind):
		return wrongKind.Refuse()
	case draft.Kind == kindVideo && !draft.IsChild:
		return wrongKind.Refuse()
	case draft.IsChild && draft.Kind != kindImage && draft.Kind != kindVideo:
		return wrongKind.Refuse()
	case draft.Kind == kindCarousel && (len(draft.Children) < minCarousel || len(draft.Children) > maxCarousel):
		return wrongCount.Refuse()
	}
	return nil
}

// checkSource requires exactly the URL that the kind needs.
func checkSource(c *graph.Call, draft container) *sim.Reply {
	image, video := c.Params["image_url"] != "", c.Params["video_url"] != ""
	switch {
	case draft.Resumable && !byFacebook(c):
		return graph.InvalidParameter("param upload_type is not allowed").Refuse()
	case draft.Resumable && (draft.Kind == kindImage || draft.Kind == kindCarousel || image || video):
		return graph.InvalidParameter("param upload_type is only allowed for videos without a URL").Refuse()
	case draft.Resumable:
		return nil
	case draft.Kind == kindImage && (!image || video):
		return graph.InvalidParameter("The parameter image_url is required").Refuse()
	case (draft.Kind == kindReels || draft.Kind == kindVideo) && (!video || image):
		return graph.InvalidParameter("The parameter video_url is required").Refuse()
	case draft.Kind == kindStories && image == video:
		return graph.InvalidParameter("One of the parameters image_url and video_url is required").Refuse()
	}
	return nil
}

var (
	hashtagPattern = regexp.MustCompile(`(?:^|[^\pL\pN_&])#[\pL\pN_]`)
	mentionPattern = regexp.MustCompile(`(?:^|[^\pL\pN_.])@[A-Za-z0-9_.]`)
)

func checkCaption(_ *graph.Call, draft container) *sim.Reply {
	switch {
	case draft.Caption != "" && draft.IsChild:
		return notAllowed("caption")
	case len(utf16.Encode([]rune(draft.Caption))) > maxCaption,
		len(hashtagPattern.FindAllString(draft.Caption, -1)) > maxHashtags:
		return longCaption.Refuse()
	case len(mentionPattern.FindAllString(draft.Caption, -1)) > maxMentions:
		return manyMentions.Refuse()
	}
	return nil
}

func notAllowed(param string) *sim.Reply {
	return graph.InvalidParameter("param %s is not allowed", param).Refuse()
}

// kindParams are parameters that only some kinds may have, with these kinds; children of carousels are listed
// separately.
var kindParams = map[string][]string{
	"location_id":         {kindImage, kindReels, kindCarousel},
	"collaborators":       {kindImage, kindReels, kindCarousel},
	"alt_text":            {kindImage},
	"is_ai_generated":     {kindImage, kindReels, kindCarousel},
	"share_to_feed":       {kindReels, kindCarousel},
	"cover_url":           {kindReels},
	"thumb_offset":        {kindReels, kindVideo},
	"audio_name":          {kindReels},
	"trial_params":        {kindReels},
	"audio_configuration": {kindReels},
	"product_tags":        {kindImage, kindReels, kindVideo},
	"is_paid_partnership": {kindImage, kindReels, kindStories, kindCarousel},

	"branded_content_sponsor_ids": {kindImage, kindReels, kindStories, kindCarousel},
}

// childParams are allowed on a carousel's item.
var childParams = []string{"alt_text", "thumb_offset", "product_tags"}

// facebookParams need Facebook Login.
var facebookParams = []string{"audio_configuration", "product_tags", "is_paid_partnership",
	"branded_content_sponsor_ids"}

var digitsPattern = regexp.MustCompile(`^\d+$`)

func checkParams(c *graph.Call, draft container) *sim.Reply {
	for param, kinds := range kindParams {
		if !hasParam(c, param) {
			continue
		}
		isWrongPlace := !slices.Contains(kinds, draft.Kind) || (draft.IsChild && !slices.Contains(childParams, param))
		if isWrongPlace || (slices.Contains(facebookParams, param) && !byFacebook(c)) {
			return notAllowed(param)
		}
	}
	switch location := c.Params["location_id"]; {
	case utf8.RuneCountInString(draft.AltText) > maxAltText:
		return graph.InvalidParameter("param alt_text must be at most %d characters long", maxAltText).Refuse()
	case location != "" && !digitsPattern.MatchString(location):
		return badLocation.Refuse()
	case len(c.Params.List("collaborators")) > maxCollaborators:
		return graph.InvalidParameter("param collaborators must have at most %d usernames", maxCollaborators).Refuse()
	}
	return nil
}

func hasParam(c *graph.Call, name string) bool {
	return c.Params[name] != "" || c.Params[name+"[0]"] != ""
}

type userTag struct {
	Username string   `json:"username"`
	X        *float64 `json:"x"`
	Y        *float64 `json:"y"`
}

type productTag struct {
	ProductID string   `json:"product_id"`
	X         *float64 `json:"x"`
	Y         *float64 `json:"y"`
}

// checkProducts checks the tagged products, for which an app needs a separate permission.
func checkProducts(c *graph.Call, draft container) *sim.Reply {
	if c.Params["product_tags"] == "" {
		return nil
	}
	if !c.Token.Has(scopeProducts) {
		return graph.Refuse(graph.Forbidden(scopeProducts))
	}
	var tags []productTag
	if err := c.Params.Decode("product_tags", &tags); err != nil {
		return graph.InvalidParameter("%s", err).Refuse()
	}
	if len(tags) > maxProductTags {
		return graph.Problem{Code: 100, Subcode: 2207035, Message: "There can be at most 5 product tags."}.Refuse()
	}
	for _, tag := range tags {
		isPlaced := tag.X != nil && tag.Y != nil
		switch {
		case !digitsPattern.MatchString(tag.ProductID):
			return graph.Problem{Code: 100, Subcode: 2207036, Message: "The product does not exist."}.Refuse()
		case draft.Kind == kindImage && !isPlaced:
			return graph.Problem{Code: 100, Subcode: 2207037, Message: "A product in a photo needs x and y."}.Refuse()
		case draft.Kind != kindImage && (tag.X != nil || tag.Y != nil):
			return graph.InvalidParameter("x and y of product_tags are not allowed for videos").Refuse()
		}
	}
	return nil
}

// maxSponsors is the maximum number of brands of a paid partnership.
const maxSponsors = 2

// checkSponsors checks the brands of a paid partnership.
func checkSponsors(c *graph.Call, _ container) *sim.Reply {
	if c.Params["branded_content_sponsor_ids"] == "" {
		return nil
	}
	const code = "INSTAGRAM_PLATFORM_API__INVALID_PARAM: "
	var ids []json.Number
	if err := c.Params.Decode("branded_content_sponsor_ids", &ids); err != nil {
		return graph.InvalidParameter("%s", err).Refuse()
	}
	if len(ids) > maxSponsors {
		return graph.InvalidParameter(code + "Maximum number of sponsors exceeded. Limit is 2 per post.").Refuse()
	}
	for _, id := range ids {
		if id.String() == c.Node {
			return graph.InvalidParameter(code + "Cannot tag yourself as sponsor.").Refuse()
		}
	}
	return nil
}

// checkTags checks the tagged people. Only feed pictures have their positions.
func checkTags(c *graph.Call, draft container) *sim.Reply {
	if c.Params["user_tags"] == "" {
		return nil
	}
	var tags []userTag
	if err := c.Params.Decode("user_tags", &tags); err != nil {
		return graph.InvalidParameter("%s", err).Refuse()
	}
	if len(tags) > maxMentions {
		return manyMentions.Refuse()
	}
	for _, tag := range tags {
		isPlaced := tag.X != nil && tag.Y != nil
		switch {
		case strings.TrimSpace(tag.Username) == "":
			return graph.InvalidParameter("param user_tags needs a username").Refuse()
		case draft.Kind == kindImage && !isPlaced:
			return graph.InvalidParameter("param user_tags needs x and y for images").Refuse()
		case isPlaced && (*tag.X < 0 || *tag.X > 1 || *tag.Y < 0 || *tag.Y > 1):
			return graph.InvalidParameter("x and y of user_tags must be 0.0 to 1.0").Refuse()
		}
	}
	return nil
}

// checkReel checks the parameters of reels and videos.
func checkReel(c *graph.Call, _ container) *sim.Reply {
	if text := c.Params["thumb_offset"]; text != "" {
		if offset, err := strconv.ParseInt(text, 10, 64); err != nil || offset < 0 {
			return badOffset.Refuse()
		}
	}
	if c.Params["trial_params"] == "" {
		return nil
	}
	var trial struct {
		Strategy string `json:"graduation_strategy"`
	}
	if err := c.Params.Decode("trial_params", &trial); err != nil ||
		(trial.Strategy != "MANUAL" && trial.Strategy != "SS_PERFORMANCE") {
		return graph.InvalidParameter("graduation_strategy of trial_params must be MANUAL or SS_PERFORMANCE").Refuse()
	}
	return nil
}
