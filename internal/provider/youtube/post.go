package youtube

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"crier/internal/provider"
)

// publishVideo sends the last chunk, which creates the video.
func (p *Provider) publishVideo(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if id := st.Data[noteVideo]; id != "" {
		taken := video{ID: id}
		taken.Status.PrivacyStatus = st.Data[noteTakenPrivacy]
		err := p.enter(&st, c, taken)
		return st, err
	}
	m, err := videoOf(c)
	if err != nil {
		return st, err
	}
	u := st.Upload(0, 0)
	if u == nil || !onlyLastPieceMissing(u) || st.Secrets[secretSession] == "" {
		st.Ready = false
		return st, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the video is not uploaded yet"}
	}
	answer, err := p.putBytes(ctx, a, &st, u, m, m.Size-u.NextByte, provider.Request{
		Operation: provider.OpUpload, Publishes: true, Timeout: commitTimeout,
	})
	if err != nil {
		return p.afterLostPiece(st, u, err)
	}
	complete, err := p.readSession(u, answer)
	switch {
	case err != nil:
		return p.afterLostPiece(st, u, err)
	case complete == nil:
		st.Ready = false
		return st, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Status: answer.Status,
			Message: "YouTube did not store all of the last piece",
		}
	}
	err = p.enter(&st, c, *complete)
	return st, err
}

// afterLostPiece makes the session be read before anything is sent again.
func (p *Provider) afterLostPiece(st provider.State, u *provider.Upload, err error) (provider.State, error) {
	st.Ready = false
	failure := provider.AsError(err)
	if errors.Is(failure, errSessionGone) {
		return st, restart(u, failure)
	}
	u.Step = stepAsking
	return st, failure
}

// enter records that the video exists, and what to do with it next.
func (p *Provider) enter(st *provider.State, c provider.Content, taken video) error {
	s, err := decodeSettings(c)
	if err != nil {
		return err
	}
	if got := taken.Status.PrivacyStatus; got != "" && got != s.PrivacyStatus {
		st.Warnings = append(st.Warnings, "YouTube made the video "+got+" instead of "+s.PrivacyStatus+
			": it does so for all videos from projects that have not passed its compliance audit")
	}
	delete(st.Secrets, secretSession)
	delete(st.Data, noteVideo)
	delete(st.Data, noteTakenPrivacy)
	delete(st.Data, noteGone)
	st.UploadProgress = nil
	st.ProviderStatus = cmp.Or(taken.Status.UploadStatus, "uploaded")
	st.Publish(provider.Published{PlatformPostID: taken.ID, Permalink: p.permalink(c, s, taken.ID),
		PublishedAt: p.now().UTC()}, 1)
	p.planFollowUp(st, s)
	return nil
}

// permalink returns the URL of the Shorts player for posts meant as Shorts.
func (p *Provider) permalink(c provider.Content, s settings, id string) string {
	if s.IsShort && c.Action != provider.Comment {
		return p.siteURL + "/shorts/" + url.PathEscape(id)
	}
	return p.siteURL + "/watch?v=" + url.QueryEscape(id)
}

// Delete deletes a video or a comment.
func (p *Provider) Delete(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	resource := "videos"
	if isComment(postID) {
		resource = "comments"
	}
	_, err := p.api.Send(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpDelete, Method: http.MethodDelete, URL: "/youtube/v3/" + resource + "?id=" +
			url.QueryEscape(postID),
	})
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Status == http.StatusNotFound:
		return provider.AlreadyGone, nil
	case failure != nil:
		return "", failure
	}
	return provider.Deleted, nil
}

// isComment distinguishes the ids of comments from those of videos, which have eleven characters.
func isComment(id string) bool { return strings.HasPrefix(id, "Ug") && len(id) > 11 }
