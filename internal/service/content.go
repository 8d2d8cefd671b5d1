package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier"
	"crier/internal/access"
	"crier/internal/enrich"
	"crier/internal/job"
	"crier/internal/store"
)

// plainInput returns the content of a post that was given as text and assets.
func plainInput(text string, assets []crier.ID) crier.PostInput {
	atomic := &crier.AtomicPost{Text: text, Attachments: []crier.Attachment{}}
	for _, id := range assets {
		atomic.Attachments = append(atomic.Attachments, attachmentOf(id, ""))
	}
	return crier.PostInput{Atomic: atomic}
}

func attachmentOf(asset crier.ID, altText string) crier.Attachment {
	return crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: asset}, AltText: altText}}
}

// bare returns the content as it is stored: of an attached asset only the id, since the library has the rest.
func bare(in crier.PostInput) crier.PostInput {
	var out crier.PostInput
	if in.Atomic != nil {
		part := barePart(*in.Atomic)
		out.Atomic = &part
	}
	if in.Thread != nil {
		out.Thread = &crier.ThreadPost{Posts: make([]crier.AtomicPost, len(in.Thread.Posts))}
		for i, part := range in.Thread.Posts {
			out.Thread.Posts[i] = barePart(part)
		}
	}
	for _, v := range in.Variants {
		out.Variants = append(out.Variants, bareVariant(v))
	}
	return out
}

func bareVariant(in crier.PostVariant) crier.PostVariant {
	out := in
	if in.Posts != nil {
		out.Posts = make([]crier.AtomicPost, len(in.Posts))
		for i, part := range in.Posts {
			out.Posts[i] = barePart(part)
		}
	}
	if in.Attachments != nil {
		attachments := bareAttachments(*in.Attachments)
		out.Attachments = &attachments
	}
	return out
}

func barePart(in crier.AtomicPost) crier.AtomicPost {
	return crier.AtomicPost{Text: in.Text, Attachments: bareAttachments(in.Attachments)}
}

func bareAttachments(in []crier.Attachment) []crier.Attachment {
	out := make([]crier.Attachment, len(in))
	for i, a := range in {
		switch {
		case a.Media != nil:
			out[i] = attachmentOf(a.Media.Asset.AssetID, a.Media.AltText)
		case a.Link != nil:
			link := *a.Link
			link.Kind = ""
			out[i] = crier.Attachment{Link: &link}
		}
	}
	return out
}

// sameJSON reports whether two values encode to the same JSON.
func sameJSON(a, b any) bool {
	left, errLeft := json.Marshal(a)
	right, errRight := json.Marshal(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// createInput returns the content of a create request.
func createInput(in crier.PostCreate) crier.PostInput {
	if in.PostInput != nil {
		return bare(*in.PostInput)
	}
	text := ""
	if in.Text != nil {
		text = *in.Text
	}
	return plainInput(text, in.AssetIDs)
}

// updateInput returns the current content with an update request applied.
func updateInput(now crier.PostInput, in crier.PostUpdate) (crier.PostInput, []crier.Issue) {
	switch {
	case in.PostInput.HasValue():
		return bare(in.PostInput.Value), nil
	case in.PostInput.Set:
		return flatInput(now, in)
	case now.Thread != nil:
		return bare(now), threadIssues(now, in)
	}
	next := bare(now)
	if in.Text.Set {
		next.Atomic.Text = in.Text.Value
	}
	if in.AssetIDs.Set {
		next.Atomic.Attachments = replaceAssets(next.Atomic.Attachments, in.AssetIDs.Value)
	}
	if len(next.Atomic.Attachments) > crier.MaxAttachments {
		return next, []crier.Issue{crier.At(fmt.Sprintf("a post has at most %d attachments, its links included",
			crier.MaxAttachments), "assetIds")}
	}
	return next, nil
}

// flatInput converts structured content to text and assets.
func flatInput(now crier.PostInput, in crier.PostUpdate) (crier.PostInput, []crier.Issue) {
	text, assets := now.Text(), now.AssetIDs()
	if in.Text.Set {
		text = in.Text.Value
	}
	if in.AssetIDs.Set {
		assets = in.AssetIDs.Value
	}
	var issues []crier.Issue
	if utf8.RuneCountInString(text) > crier.MaxTextLength {
		issues = append(issues,
			crier.At(fmt.Sprintf("the texts of the thread are longer than %d characters together; send a text",
				crier.MaxTextLength), "text"))
	}
	if len(assets) > crier.MaxAttachments {
		issues = append(issues, crier.At(fmt.Sprintf("the thread has more than %d assets; send the ones to keep",
			crier.MaxAttachments), "assetIds"))
	}
	return plainInput(text, assets), issues
}

// threadIssues rejects changes that would silently drop a thread.
func threadIssues(now crier.PostInput, in crier.PostUpdate) []crier.Issue {
	var issues []crier.Issue
	if in.Text.Set && in.Text.Value != now.Text() {
		issues = append(issues,
			crier.At("the post is a thread, which a text alone would drop: send postInput with the thread, or "+
				"postInput null to make it one post", "text"))
	}
	if in.AssetIDs.Set && !slices.Equal(in.AssetIDs.Value, now.AssetIDs()) {
		issues = append(issues,
			crier.At("the post is a thread, whose parts have attachments of their own: send postInput", "assetIds"))
	}
	return issues
}

// replaceAssets keeps links, and the alternative texts of the assets that stay.
func replaceAssets(attachments []crier.Attachment, assets []crier.ID) []crier.Attachment {
	out := []crier.Attachment{}
	for _, id := range assets {
		altText := ""
		for _, a := range attachments {
			if a.Media != nil && a.Media.Asset.AssetID == id {
				altText = a.Media.AltText
			}
		}
		out = append(out, attachmentOf(id, altText))
	}
	for _, a := range attachments {
		if a.Link != nil {
			out = append(out, a)
		}
	}
	return out
}

// assetRef is an asset in a request, with its path.
type assetRef struct {
	id   crier.ID
	path []string
}

// at returns one path for all assets, for requests that do not name them.
func at(refs [][]assetRef, path ...string) [][]assetRef {
	for _, part := range refs {
		for i := range part {
			part[i].path = path
		}
	}
	return refs
}

func idsOf(refs []assetRef) []crier.ID {
	ids := make([]crier.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.id
	}
	return ids
}

// contentRefs returns the assets of the content, by part. With listed they were given as assetIds.
func contentRefs(in crier.PostInput, listed bool) [][]assetRef {
	parts := in.Parts()
	refs := make([][]assetRef, len(parts))
	for i, part := range parts {
		path := []string{"postInput"}
		if in.Thread != nil {
			path = append(path, "posts", strconv.Itoa(i))
		}
		refs[i] = partRefs(part, path)
		for j := range refs[i] {
			if listed {
				refs[i][j].path = []string{"assetIds", refs[i][j].path[len(path)+1]}
			}
		}
	}
	return refs
}

// partRefs returns the assets of one part, which is found at a path.
func partRefs(part crier.AtomicPost, path []string) []assetRef {
	var refs []assetRef
	for i, a := range part.Attachments {
		if a.Media != nil {
			refs = append(refs, assetRef{a.Media.Asset.AssetID,
				append(slices.Clone(path), "attachments", strconv.Itoa(i), "asset", "assetId")})
		}
	}
	return refs
}

// actionRefs returns the assets of the comments that follow a post.
func actionRefs(actions *crier.PostPublishActions) []assetRef {
	if actions == nil {
		return nil
	}
	var refs []assetRef
	add := func(c crier.Comment, path ...string) {
		for i, id := range c.MediaIDs {
			refs = append(refs, assetRef{id, append(slices.Clone(path), "mediaIds", strconv.Itoa(i))})
		}
	}
	if c := actions.FirstComment; c != nil {
		add(*c, "postPublishActions", "firstComment")
	}
	if e := actions.EngagementCommentTrigger; e != nil {
		add(e.Comment, "postPublishActions", "engagementCommentTrigger", "comment")
	}
	return refs
}

// requestRefs returns the assets of the comments in a schedule request.
func requestRefs(t crier.Targets) []assetRef {
	refs := actionRefs(&crier.PostPublishActions{FirstComment: t.FirstComment.Ptr(),
		EngagementCommentTrigger: t.EngagementCommentTrigger.Ptr()})
	for i := range refs {
		refs[i].path = refs[i].path[1:] // they stand at the top of the request
	}
	return refs
}

// unknownAssets returns the issues of assets that do not exist or were deleted. A post may keep assets that were
// deleted later.
func unknownAssets(refs []assetRef, facts map[crier.ID]store.AssetFacts, had []crier.ID) []crier.Issue {
	var issues []crier.Issue
	for _, ref := range refs {
		f, known := facts[ref.id]
		if !known || f.Deleted && !slices.Contains(had, ref.id) {
			issues = append(issues, crier.At(fmt.Sprintf("there is no asset %s in this team", ref.id), ref.path...))
		}
	}
	return issues
}

// searchWords returns the search tokens of a post: those of its title, its texts, and the words of its links.
func searchWords(p crier.Post) []string {
	texts := []string{contentText(*p.PostInput)}
	if p.Title != nil {
		texts = append(texts, *p.Title)
	}
	for _, part := range p.PostInput.AllParts() {
		for _, a := range part.Attachments {
			if a.Link != nil {
				texts = append(texts, string(a.Link.URL), a.Link.Title, a.Link.Description)
			}
		}
	}
	return enrich.Tokens(strings.Join(texts, "\n"))
}

// contentText is everything that a post says on any network.
func contentText(in crier.PostInput) string {
	texts := []string{}
	for _, part := range in.AllParts() {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// attachedLinks returns the addresses of the links that stand beside the texts.
func attachedLinks(in crier.PostInput) []string {
	var links []string
	for _, part := range in.AllParts() {
		for _, a := range part.Attachments {
			if a.Link != nil {
				links = append(links, string(a.Link.URL))
			}
		}
	}
	return links
}

// saveContent writes the next version of a post's content, and enqueues its enrichment if that needs a model: crier's
// own analysis is faster than a job, and is written with the post. It replaces an earlier version if one is given.
func (s *Posts) saveContent(ctx context.Context, tx *store.Tx, scope access.TeamScope, p store.Post,
	now crier.Time, earlier *crier.ID) error {
	credential := scope.Caller().CredentialID()
	payload := store.Payload{ID: p.ContentPayloadID, PostID: p.ID, Text: p.PostInput.Text(), PostInput: *p.PostInput,
		CreatedAt: now, CredentialID: &credential}
	save := tx.InsertPayload
	if earlier != nil {
		save = func(ctx context.Context, y store.Payload) error { return tx.ReplacePayload(ctx, *earlier, y) }
	}
	if err := save(ctx, payload); err != nil {
		return err
	}
	if err := tx.ReplacePostAssets(ctx, p.ID, p.PostInput.AllAssetIDs()); err != nil || s.facets.local() {
		return err
	}
	return s.queue.Enqueue(ctx, tx, job.Job{Args: job.EnrichPost{PostID: p.ID, PayloadID: p.ContentPayloadID,
		TeamID: p.TeamID}})
}

// cancelPending cancels the scheduled posts of a post and updates the post's own sums.
func (s *Posts) cancelPending(ctx context.Context, tx *store.Tx, post crier.ID, keepActions bool) error {
	list, err := tx.LockScheduled(ctx, post, keepActions)
	if err != nil {
		return err
	}
	if err := s.engine.Publisher.Cancel(ctx, tx, list); err != nil {
		return err
	}
	return tx.RefreshPosts(ctx, s.clock.Now(), post)
}
