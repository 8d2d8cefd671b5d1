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
	"crier/internal/enrich"
	"crier/internal/store"
)

// plainInput is the content of a post that was given as text and assets.
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

// bare is the content as it is kept: of an attached asset the id alone, since the rest is the library's to tell.
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
	return out
}

func barePart(in crier.AtomicPost) crier.AtomicPost {
	out := crier.AtomicPost{Text: in.Text, Attachments: make([]crier.Attachment, len(in.Attachments))}
	for i, a := range in.Attachments {
		switch {
		case a.Media != nil:
			out.Attachments[i] = attachmentOf(a.Media.Asset.AssetID, a.Media.AltText)
		case a.Link != nil:
			link := *a.Link
			link.Kind = ""
			out.Attachments[i] = crier.Attachment{Link: &link}
		}
	}
	return out
}

// sameJSON is true when two values look the same on the wire.
func sameJSON(a, b any) bool {
	left, errLeft := json.Marshal(a)
	right, errRight := json.Marshal(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// createInput is the content that a new post asks for.
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

// updateInput is the content that a change of a post asks for, from what it is now.
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
		return next, []crier.Issue{crier.At(fmt.Sprintf("a post has at most %d attachments, its links included", crier.MaxAttachments), "assetIds")}
	}
	return next, nil
}

// flatInput is what structured content becomes when it is given up for text and assets.
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
		issues = append(issues, crier.At(fmt.Sprintf("the texts of the thread are longer than %d characters together; send a text", crier.MaxTextLength), "text"))
	}
	if len(assets) > crier.MaxAttachments {
		issues = append(issues, crier.At(fmt.Sprintf("the thread has more than %d assets; send the ones to keep", crier.MaxAttachments), "assetIds"))
	}
	return plainInput(text, assets), issues
}

// threadIssues refuses changes that would drop a thread without saying so.
func threadIssues(now crier.PostInput, in crier.PostUpdate) []crier.Issue {
	var issues []crier.Issue
	if in.Text.Set && in.Text.Value != now.Text() {
		issues = append(issues, crier.At("the post is a thread, which a text alone would drop: send postInput with the thread, or postInput null to make it one post", "text"))
	}
	if in.AssetIDs.Set && !slices.Equal(in.AssetIDs.Value, now.AssetIDs()) {
		issues = append(issues, crier.At("the post is a thread, whose parts have attachments of their own: send postInput", "assetIds"))
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

// assetRef is an asset that a request names, and the way to where it does.
type assetRef struct {
	id   crier.ID
	path []string
}

// at leads to one place for all assets: where the request names none.
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

// contentRefs are the assets of the content, by part. With listed they were given as assetIds.
func contentRefs(in crier.PostInput, listed bool) [][]assetRef {
	parts := in.Parts()
	refs := make([][]assetRef, len(parts))
	for i, part := range parts {
		for j, a := range part.Attachments {
			if a.Media == nil {
				continue
			}
			path := []string{"postInput"}
			if in.Thread != nil {
				path = append(path, "posts", strconv.Itoa(i))
			}
			path = append(path, "attachments", strconv.Itoa(j), "asset", "assetId")
			if listed {
				path = []string{"assetIds", strconv.Itoa(j)}
			}
			refs[i] = append(refs[i], assetRef{a.Media.Asset.AssetID, path})
		}
	}
	return refs
}

// actionRefs are the assets of the comments that follow a post.
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

// unknownAssets are the issues of assets that the team does not have, or has deleted. Those that a post has had before may
// stay on it after their deletion.
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

// searchWords are the tokens by which a post is found: those of its title, its texts, and the words of its links.
func searchWords(p crier.Post) []string {
	texts := []string{p.PostInput.Text()}
	if p.Title != nil {
		texts = append(texts, *p.Title)
	}
	for _, part := range p.PostInput.Parts() {
		for _, a := range part.Attachments {
			if a.Link != nil {
				texts = append(texts, a.Link.Title, a.Link.Description)
			}
		}
	}
	return enrich.Tokens(strings.Join(texts, "\n"))
}

// saveContent writes the next version of a post's content, has what is scheduled of the post publish it, and has it
// enriched.
func (c *core) saveContent(ctx context.Context, tx *store.Tx, p store.Post, now crier.Time) error {
	payload := store.Payload{ID: p.ContentPayloadID, PostID: p.ID, Text: p.PostInput.Text(), PostInput: *p.PostInput, CreatedAt: now}
	if err := tx.InsertPayload(ctx, payload); err != nil {
		return err
	}
	if err := tx.ReplacePostAssets(ctx, p.ID, p.PostInput.AssetIDs()); err != nil {
		return err
	}
	if err := c.replan(ctx, tx, p.TeamID, p.ID, p.ContentPayloadID); err != nil {
		return err
	}
	return c.queue.Enqueue(ctx, tx, Job{Args: EnrichPostJob{PostID: p.ID, PayloadID: p.ContentPayloadID}})
}

// cancelPending cancels what is scheduled of a post and brings the post's own sums up to date.
func (c *core) cancelPending(ctx context.Context, tx *store.Tx, post crier.ID, now crier.Time) error {
	canceled, err := tx.CancelScheduled(ctx, post, now)
	if err != nil {
		return err
	}
	if err := c.releaseCanceled(ctx, tx, canceled); err != nil {
		return err
	}
	return tx.RefreshPosts(ctx, post)
}
