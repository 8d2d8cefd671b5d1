package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// listTextLength is the maximum length of a post's text in a list.
const listTextLength = 200

// postBrief is the short form of a post.
type postBrief struct {
	ID            crier.ID            `json:"id"`
	Title         string              `json:"title,omitempty"`
	Status        crier.PostStatus    `json:"status"`
	DeliveryState crier.DeliveryState `json:"deliveryState"`
	PostType      crier.PostType      `json:"postType"`
	Text          string              `json:"text"`
	Parts         []string            `json:"parts,omitempty"` // of a thread, instead of the text
	Variants      []variantBrief      `json:"variants,omitempty"`
	AssetIDs      []crier.ID          `json:"assetIds,omitempty"`
	Publications  []publicationBrief  `json:"publications,omitempty"`
	Versions      []versionBrief      `json:"versions,omitempty"`
	UpdatedAt     crier.Time          `json:"updatedAt"`
}

// publicationBrief is the short form of a scheduled post.
type publicationBrief struct {
	ScheduledPostID crier.ID                  `json:"scheduledPostId"`
	PostID          crier.ID                  `json:"postId,omitempty"`
	SocialAccountID crier.ID                  `json:"socialAccountId"`
	Status          crier.ScheduledPostStatus `json:"status"`
	ScheduledAt     crier.Time                `json:"scheduledAt"`
	PublishedAt     *crier.Time               `json:"publishedAt,omitempty"`
	Permalink       string                    `json:"permalink,omitempty"`
	ErrorCode       string                    `json:"errorCode,omitempty"`
	ErrorMessage    string                    `json:"errorMessage,omitempty"`
	FollowUps       []followUpBrief           `json:"followUps,omitempty"`
	// ReplacedBy is the publication that replaced a failed one, which must not be retried then.
	ReplacedBy *crier.ID `json:"replacedBy,omitempty"`
}

// followUpBrief is the short form of a comment or a repost that follows a publication.
type followUpBrief struct {
	Action       crier.FollowUpKind   `json:"action"`
	Status       crier.FollowUpStatus `json:"status"`
	ErrorCode    string               `json:"errorCode,omitempty"`
	ErrorMessage string               `json:"errorMessage,omitempty"`
}

func briefPublication(p crier.ScheduledPost) publicationBrief {
	out := publicationBrief{
		ScheduledPostID: p.ID, SocialAccountID: p.SocialAccountID, Status: p.Status, ScheduledAt: p.ScheduledAt,
		PublishedAt: p.PublishedAt,
		Permalink:   p.Permalink, ErrorCode: p.ErrorCode, ErrorMessage: p.ErrorMessage, ReplacedBy: p.ReplacedBy,
	}
	for _, kind := range crier.FollowUpKinds() {
		if f := p.FollowUp(kind); f != nil {
			out.FollowUps = append(out.FollowUps, followUpBrief{kind, f.Status, f.ErrorCode, f.ErrorMessage})
		}
	}
	return out
}

// line describes a publication for a person. names are those of the accounts.
func (p publicationBrief) line(names map[crier.ID]string) string {
	text := fmt.Sprintf("%s, due on %s", p.Status, p.ScheduledAt.UTC().Format("2 Jan 2006 15:04 UTC"))
	switch {
	case p.Status == crier.Scheduled:
		text = "scheduled for " + p.ScheduledAt.UTC().Format("2 Jan 2006 15:04 UTC")
	case p.PublishedAt != nil:
		text = "published on " + p.PublishedAt.UTC().Format("2 Jan 2006 15:04 UTC")
	}
	name := firstOf(names[p.SocialAccountID], fmt.Sprintf("account %s", p.SocialAccountID))
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", name, text, p.Permalink))
}

// briefPost returns a post with its whole text, and its included publications: all, or the latest.
func briefPost(p crier.Post) postBrief {
	out := postBrief{
		ID: p.ID, Status: p.Status, DeliveryState: p.DeliveryState, PostType: p.PostType, Text: p.Text,
		AssetIDs: p.AssetIDs, UpdatedAt: p.UpdatedAt,
	}
	if p.Title != nil {
		out.Title = *p.Title
	}
	if p.PostInput != nil && p.PostInput.Thread != nil {
		out.Text, out.Parts = "", each(p.PostInput.Thread.Posts, func(a crier.AtomicPost) string { return a.Text })
	}
	out.Variants = briefVariants(p)
	switch {
	case p.ScheduledPosts != nil:
		out.Publications = each(*p.ScheduledPosts, briefPublication)
	case p.LatestScheduledPost != nil:
		out.Publications = []publicationBrief{briefPublication(*p.LatestScheduledPost)}
	}
	return out
}

func listedPost(p crier.Post) postBrief {
	out := briefPost(p)
	out.Text, out.Parts, out.Variants = shorten(p.Text, listTextLength), nil, nil
	return out
}

// shorten returns a text as one line of at most length characters.
func shorten(text string, length int) string {
	line := strings.Join(strings.Fields(text), " ")
	if runes := []rune(line); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return line
}

func (d *server) addPostTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "list_posts", title: "List posts", effect: reads,
		description: "Lists the team's posts in brief, newest first, with their publications per account. Filters " +
			"are combined with AND.",
	}, listPosts)
	addTool(d, s, tool{
		name: "get_post", title: "Get a post", effect: reads,
		description: "Returns a post: its whole text or the parts of its thread, its variants for networks or " +
			"accounts, and its publications on all accounts. With versions, also the versions of its content.",
	}, getPost)
	addTool(d, s, tool{
		name: "create_draft", title: "Create a draft", effect: adds,
		description: "Creates a draft: one text, or a thread of two or more parts. It publishes nothing and is free.",
	}, createDraft)
	addTool(d, s, tool{
		name: "update_draft", title: "Update a post", effect: changes, repeatable: true,
		description: "Changes the content or title of a post; omitted fields keep their value. If the post is " +
			"scheduled, this changes what will be published: it does a dry run and asks the person first.",
	}, updateDraft)
	addTool(d, s, tool{
		name: "move_to_draft", title: "Move a post to draft", effect: changes, repeatable: true,
		description: "Cancels all scheduled publications of a post and keeps it as a draft. Asks the person, if " +
			"anything is scheduled.",
	}, moveToDraft)
	addTool(d, s, tool{
		name: "delete_post", title: "Delete a post", effect: changes, repeatable: true, outside: true,
		description: "Deletes a post, cancels its scheduled publications and, with fromNetworks, also deletes it " +
			"from the networks. Asks the person.",
	}, deletePost)
}

type listPostsInput struct {
	inTeam
	inPage
	Status           []crier.PostStatus    `json:"status,omitempty" jsonschema:"any of these editorial states"`
	DeliveryState    []crier.DeliveryState `json:"deliveryState,omitempty" jsonschema:"any of these delivery states"`
	Provider         []crier.Provider      `json:"provider,omitempty" jsonschema:"published or scheduled on any of these networks"`
	SocialAccountIDs []crier.ID            `json:"socialAccountIds,omitempty" jsonschema:"published or scheduled on any of these accounts"`
	Search           string                `json:"search,omitempty" jsonschema:"words that the text contains"`
	ScheduledFrom    *crier.Time           `json:"scheduledFrom,omitempty" jsonschema:"scheduled at this time or later"`
	ScheduledTo      *crier.Time           `json:"scheduledTo,omitempty" jsonschema:"scheduled before this time"`
	UpdatedSince     *crier.Time           `json:"updatedSince,omitempty" jsonschema:"changed at this time or later"`
}

func listPosts(ctx context.Context, c *call, in listPostsInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.ListPosts(ctx, team, client.PostFilter{
		ListOptions: in.options(), Status: in.Status, DeliveryState: in.DeliveryState, Provider: in.Provider,
		SocialAccountIDs: in.SocialAccountIDs,
		Q:                in.Search, ScheduledFrom: in.ScheduledFrom, ScheduledTo: in.ScheduledTo,
		UpdatedSince:   in.UpdatedSince,
		ScheduledPosts: true,
	})
	if err != nil {
		return nil, err
	}
	return pageOf(found, listedPost), nil
}

type postInput struct {
	inTeam
	PostID crier.ID `json:"postId" jsonschema:"id of the post"`
}

// post reads the post of a call.
func (c *call) post(ctx context.Context, in postInput) (team crier.ID, post crier.Post, err error) {
	if team, err = c.team(ctx, in.inTeam); err != nil {
		return "", crier.Post{}, err
	}
	post, err = c.GetPost(ctx, team, in.PostID, client.IncludeScheduledPosts)
	return team, post, err
}

type getPostInput struct {
	postInput
	Versions bool `json:"versions,omitempty" jsonschema:"also return the versions of the content, newest first"`
}

func getPost(ctx context.Context, c *call, in getPostInput) (any, error) {
	team, post, err := c.post(ctx, in.postInput)
	if err != nil {
		return nil, err
	}
	out := briefPost(post)
	if in.Versions {
		found, err := c.ListPostVersions(ctx, team, post.ID, client.ListOptions{Limit: defaultLimit})
		if err != nil {
			return nil, err
		}
		out.Versions = each(found.Data, briefVersion)
	}
	return out, nil
}

// part is one post of a thread.
type part struct {
	Text     string     `json:"text" jsonschema:"the text of the part"`
	AssetIDs []crier.ID `json:"assetIds,omitempty" jsonschema:"assets shown with the part"`
}

func threadOf(parts []part) *crier.PostInput {
	thread := &crier.ThreadPost{}
	for _, p := range parts {
		thread.Posts = append(thread.Posts, crier.AtomicPost{Text: p.Text, Attachments: attached(p.AssetIDs)})
	}
	return &crier.PostInput{Thread: thread}
}

var errTextAndParts = invalid(crier.At("give either text and assetIds, or parts, not both: the assets of a thread "+
	"belong to its parts", "parts"))

type createDraftInput struct {
	inTeam
	Text     string     `json:"text,omitempty" jsonschema:"the text; absent for a thread"`
	Parts    []part     `json:"parts,omitempty" jsonschema:"the parts of a thread in order, 2 to 50"`
	AssetIDs []crier.ID `json:"assetIds,omitempty" jsonschema:"assets of the media library shown with the text; list_assets has them"`
	Title    *string    `json:"title,omitempty" jsonschema:"for display inside crier, never published"`
	Variants []variant  `json:"variants,omitempty" jsonschema:"different content for some networks or accounts"`
}

func createDraft(ctx context.Context, c *call, in createDraftInput) (any, error) {
	body := crier.PostCreate{Title: in.Title}
	switch {
	case len(in.Parts) == 0 && len(in.Variants) == 0:
		body.Text, body.AssetIDs = &in.Text, in.AssetIDs
	case len(in.Parts) == 0:
		body.PostInput = &crier.PostInput{Atomic: &crier.AtomicPost{Text: in.Text, Attachments: attached(in.AssetIDs)}}
	case in.Text != "" || len(in.AssetIDs) > 0:
		return nil, errTextAndParts
	default:
		body.PostInput = threadOf(in.Parts)
	}
	if body.PostInput != nil {
		body.PostInput.Variants = each(in.Variants, variant.content)
	}
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	e, err := c.effect(team, "", "")
	if err != nil {
		return nil, err
	}
	var post crier.Post
	err = e.apply(ctx, func(ctx context.Context) (err error) {
		post, err = c.CreatePost(ctx, team, body)
		return err
	})
	return listedPost(post), err
}

type moveToDraftInput struct {
	postInput
	confirmable
}

func moveToDraft(ctx context.Context, c *call, in moveToDraftInput) (any, error) {
	team, post, err := c.post(ctx, in.postInput)
	if err != nil {
		return nil, err
	}
	if waits(post) {
		question := fmt.Sprintf("Cancel everything that is scheduled of the post %q and keep it as a draft? Reserved "+
			"credits are released.", post.Text)
		if err := c.agree(in.confirmable, proposal{question: question, preview: briefPost(post)}); err != nil {
			return nil, err
		}
	}
	moved, err := c.MovePostToDraft(ctx, team, post.ID)
	if err != nil {
		return nil, err
	}
	c.changed(string(post.ID))
	return listedPost(moved), nil
}

type deletePostInput struct {
	postInput
	confirmable
	FromNetworks bool `json:"fromNetworks,omitempty" jsonschema:"also delete the published posts from the networks that support it"`
}

func deletePost(ctx context.Context, c *call, in deletePostInput) (any, error) {
	team, post, err := c.post(ctx, in.postInput)
	if err != nil {
		return nil, err
	}
	question := fmt.Sprintf("Delete the post %q and cancel what is scheduled of it? What was published stays on the "+
		"networks.", post.Text)
	if in.FromNetworks {
		question = fmt.Sprintf("Delete the post %q, cancel what is scheduled of it, and remove what was published "+
			"from the networks?", post.Text)
	}
	names, err := c.accountNames(ctx, team)
	if err != nil {
		return nil, err
	}
	for _, p := range briefPost(post).Publications {
		if p.Status != crier.Canceled { // there is nothing left of it to delete
			question += "\n- " + p.line(names)
		}
	}
	if err := c.agree(in.confirmable, proposal{question: question, preview: briefPost(post)}); err != nil {
		return nil, err
	}
	deleted, err := c.DeletePost(ctx, team, post.ID, in.FromNetworks)
	if err != nil {
		return nil, err
	}
	c.changed(string(post.ID))
	c.changed(newObject)
	return deleted, nil
}
