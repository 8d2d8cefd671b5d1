package linkedin

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

func (n *network) registerPosts() {
	n.rest("POST /rest/posts", sim.Publish, n.createPost)
	n.rest("DELETE /rest/posts/{urn}", sim.Delete, n.deletePost)
	n.rest("GET /rest/posts/{urn}", sim.Read, n.getPost)
	n.rest("GET /rest/posts", sim.Read, n.listPosts)
}

const (
	sharePrefix    = "urn:li:share:"
	ugcPrefix      = "urn:li:ugcPost:"
	activityPrefix = "urn:li:activity:"
)

// share is LinkedIn's own data of a post.
type share struct {
	Input      postInput `json:"input"`
	ModifiedAt time.Time `json:"modified"`
}

type postInput struct {
	Author                    string          `json:"author"`
	Commentary                *string         `json:"commentary"`
	Visibility                string          `json:"visibility"`
	Distribution              *distribution   `json:"distribution"`
	LifecycleState            string          `json:"lifecycleState"`
	IsReshareDisabledByAuthor bool            `json:"isReshareDisabledByAuthor"`
	Content                   *content        `json:"content,omitempty"`
	ReshareContext            *reshareContext `json:"reshareContext,omitempty"`
	ContentLandingPage        string          `json:"contentLandingPage,omitempty"`
	ContentCallToActionLabel  string          `json:"contentCallToActionLabel,omitempty"`
}

type distribution struct {
	FeedDistribution               string            `json:"feedDistribution"`
	TargetEntities                 []json.RawMessage `json:"targetEntities"`
	ThirdPartyDistributionChannels []json.RawMessage `json:"thirdPartyDistributionChannels"`
}

type reshareContext struct {
	Parent string `json:"parent"`
}

// createPost publishes a post. The id is in a header, the body is empty.
func (n *network) createPost(r *http.Request, c caller) sim.Reply {
	var in postInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return unprocessable("ERROR :: " + err.Error() + " :: unrecognized field found but not allowed, or no JSON")
	}
	if refusal := in.check(); refusal != nil {
		return *refusal
	}
	urn := ""
	refusal := n.try(func(tx *sim.Tx) (refusal *sim.Reply) {
		urn, refusal = n.publish(tx, in, c)
		return refusal
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusCreated}.With("x-restli-id", urn)
}

// publish writes a post that the caller may create, and returns its URN.
func (n *network) publish(tx *sim.Tx, in postInput, c caller) (string, *sim.Reply) {
	if !n.actsAs(c, in.Author, []string{"w_member_social"}, []string{"w_organization_social"}) {
		return "", refuse(denied("posts.CREATE.20260701"))
	}
	if refusal := in.checkAuthor(); refusal != nil {
		return "", refusal
	}
	files, refusal := n.attach(in.Content, in.Author)
	if refusal != nil {
		return "", refusal
	}
	parent, refusal := n.reshared(in)
	if refusal != nil {
		return "", refusal
	}
	if first, isRepeat := n.repeats(in, tx.Now()); isRepeat {
		return "", refuse(duplicateOf(first))
	}
	text := parseLittleText(*in.Commentary)
	in.Commentary = &text.stored
	post := sim.Post{ID: in.urn(tx), AccountID: in.Author, Kind: sim.KindPost, ParentID: parent, Text: text.visible,
		Media: files, CreatedAt: tx.Now()}
	if parent != "" && text.visible == "" {
		post.Kind = sim.KindRepost
	}
	n.env.Posts.Put(tx, post)
	n.shares.Put(tx, post.ID, share{Input: in, ModifiedAt: tx.Now()})
	return post.ID, nil
}

// urn returns a new URN of the type of the post's content.
func (in postInput) urn(tx *sim.Tx) string {
	prefix := sharePrefix
	if in.Content != nil && in.Content.Article == nil {
		prefix = ugcPrefix
	}
	return prefix + strconv.FormatUint(tx.NextSeq(), 10)
}

// reshared returns the post that is reshared, if any.
func (n *network) reshared(in postInput) (string, *sim.Reply) {
	if in.ReshareContext == nil {
		return "", nil
	}
	parent, found := n.resolve(in.ReshareContext.Parent)
	original, _ := n.shares.Get(parent.ID)
	switch {
	case !found:
		return "", refuse(badField("INVALID_URN_ID", "ERROR :: /reshareContext/parent :: %s does not exist",
			in.ReshareContext.Parent))
	case original.Input.IsReshareDisabledByAuthor:
		return "", refuse(unprocessable("Reshare of " + parent.ID + " is disabled by its author"))
	}
	return parent.ID, nil
}

// resolve returns the post of a share's, a ugcPost's or an activity's URN, unless it is deleted. It needs a running
// View or Update.
func (n *network) resolve(urn string) (sim.Post, bool) {
	if number, isActivity := strings.CutPrefix(urn, activityPrefix); isActivity {
		if post, found := n.env.Posts.Live(sharePrefix + number); found {
			return post, true
		}
		urn = ugcPrefix + number
	}
	return n.env.Posts.Live(urn)
}

var (
	visibilities        = []string{"PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"}
	feedDistributions   = []string{"MAIN_FEED", "NONE"}
	organizationsSeenBy = []string{"PUBLIC", "LOGGED_IN"}
)

// check validates a post regardless of its author.
func (in postInput) check() *sim.Reply {
	switch {
	case in.Author == "":
		return refuse(badField("MISSING_FIELD", "ERROR :: /author :: field is required but not found"))
	case !strings.HasPrefix(in.Author, personPrefix) && !strings.HasPrefix(in.Author, organizationPrefix):
		return refuse(badField("INVALID_URN_TYPE", "ERROR :: /author :: %q is neither a person nor an organization",
			in.Author))
	case in.Commentary == nil:
		return refuse(badField("MISSING_FIELD", "ERROR :: /commentary :: field is required but not found"))
	case *in.Commentary == "" && in.Content == nil && in.ReshareContext == nil:
		return refuse(badField("INVALID_VALUE_BLANK_FIELD", "ERROR :: /commentary :: must not be blank"))
	case length(parseLittleText(*in.Commentary).visible) > maxCommentary:
		return refuse(badField("FIELD_LENGTH_TOO_LONG", "ERROR :: /commentary :: must have at most %d characters",
			maxCommentary))
	case !slices.Contains(visibilities, in.Visibility):
		return refuse(badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /visibility :: must be one of %s",
			strings.Join(visibilities, ", ")))
	case in.Distribution == nil:
		return refuse(badField("MISSING_FIELD", "ERROR :: /distribution :: field is required but not found"))
	case !slices.Contains(feedDistributions, in.Distribution.FeedDistribution):
		return refuse(badField("INVALID_VALUE_FOR_FIELD",
			"ERROR :: /distribution/feedDistribution :: must be one of %s", strings.Join(feedDistributions, ", ")))
	case in.LifecycleState != "PUBLISHED":
		return refuse(badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /lifecycleState :: must be PUBLISHED"))
	case in.ReshareContext != nil && in.Content != nil:
		return refuse(badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /content :: is not allowed with reshareContext"))
	}
	return in.Content.check()
}

// checkAuthor validates a post for its kind of author.
func (in postInput) checkAuthor() *sim.Reply {
	isOrganization := strings.HasPrefix(in.Author, organizationPrefix)
	switch {
	case isOrganization && !slices.Contains(organizationsSeenBy, in.Visibility):
		return refuse(badField("INVALID_VALUE_FOR_FIELD",
			"ERROR :: /visibility :: an organization's posts are PUBLIC or LOGGED_IN"))
	case !isOrganization && in.Distribution.FeedDistribution == "NONE":
		return refuse(badField("INVALID_VALUE_FOR_FIELD",
			"ERROR :: /distribution/feedDistribution :: a member's posts are in the MAIN_FEED"))
	}
	return nil
}

// duplicateWindow is how long the same post is rejected.
const duplicateWindow = 10 * time.Minute

type contentHash [sha256.Size]byte

type recentShare struct {
	urn string
	at  time.Time
}

// fingerprint identifies posts that LinkedIn considers the same: author, text and content.
func (in postInput) fingerprint() contentHash {
	text, err := json.Marshal([]any{in.Author, parseLittleText(*in.Commentary).stored, in.Content, in.ReshareContext})
	if err != nil {
		return contentHash{}
	}
	return sha256.Sum256(text)
}

func (n *network) followShares(urn string, before, after *share) {
	if before == nil && after != nil && after.Input.Commentary != nil {
		n.recent[after.Input.fingerprint()] = recentShare{urn: urn, at: after.ModifiedAt}
	}
}

// repeats returns the identical post within the window, if there is one and it is not deleted.
func (n *network) repeats(in postInput, now time.Time) (string, bool) {
	first, found := n.recent[in.fingerprint()]
	if !found || now.Sub(first.at) >= duplicateWindow {
		return "", false
	}
	_, live := n.env.Posts.Live(first.urn)
	return first.urn, live
}

// own returns a post that the caller may change, or the rejection. It needs a running View or Update.
func (n *network) own(urn string, c caller, what string) (sim.Post, *sim.Reply) {
	post, found := n.env.Posts.Get(urn)
	switch {
	case !found:
		return post, refuse(notFound(urn))
	case !n.actsAs(c, post.AccountID, []string{"w_member_social"}, []string{"w_organization_social"}):
		return post, refuse(denied(what))
	}
	return post, nil
}

// deletePost deletes a post. Repeating it has no effect.
func (n *network) deletePost(r *http.Request, c caller) sim.Reply {
	if !isMethod(r, "DELETE", false) {
		return wrongMethod("DELETE")
	}
	return n.changed(http.StatusNoContent, func(tx *sim.Tx) *sim.Reply {
		post, refusal := n.own(r.PathValue("urn"), c, "posts.DELETE.20260701")
		if refusal == nil && !post.Deleted() {
			n.env.Posts.Delete(tx, post)
		}
		return refusal
	})
}
