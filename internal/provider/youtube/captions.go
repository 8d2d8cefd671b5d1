package youtube

import (
	"context"
	"net/http"
	"strconv"

	"crier/internal/provider"
)

// noteCaption is the index of the next captions.
const noteCaption = "caption"

type captionRequest struct {
	Snippet captionSnippet `json:"snippet"`
}

type captionSnippet struct {
	VideoID  string `json:"videoId"`
	Language string `json:"language"`
	Name     string `json:"name"`
	IsDraft  bool   `json:"isDraft"`
}

// nextCaptions continues with captions, or after the last ones with playlists.
func (p *Provider) nextCaptions(st *provider.State, s settings, index int) {
	if index < len(s.Captions) {
		st.Note(noteCaption, strconv.Itoa(index))
		p.goOn(st, nextCaption)
		return
	}
	delete(st.Data, noteCaption)
	p.nextPlaylist(st, s, 0)
}

// followCaptions adds the next captions to a video.
func (p *Provider) followCaptions(ctx context.Context, a provider.Account, s settings,
	st provider.State) (provider.State, error) {
	index, _ := strconv.Atoi(st.Data[noteCaption]) // written by this package
	leave := func(st *provider.State) { p.nextCaptions(st, s, index+1) }
	if index < len(s.Captions) {
		if err := p.insertCaptions(ctx, a, s.Captions[index], st.PlatformPostID); err != nil {
			return p.followFailed(st, err, "the captions in "+s.Captions[index].Language+" could not be added", leave)
		}
	}
	leave(&st)
	return st, nil
}

// insertCaptions sends captions with their metadata. A video can have only one of a language and name: an existing one
// means that a response was lost.
func (p *Provider) insertCaptions(ctx context.Context, a provider.Account, c captionSetting, video string) error {
	body, err := provider.RelatedBody(captionRequest{Snippet: captionSnippet{VideoID: video, Language: c.Language,
		Name: c.Name}}, "application/octet-stream", c.Text)
	if err != nil {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the captions cannot be sent", Err: err}
	}
	_, err = p.api.Send(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpCaptions, Method: http.MethodPost, Timeout: provider.UploadTimeout, Body: body,
		URL: "/upload/youtube/v3/captions?uploadType=multipart&part=snippet",
	})
	if failure := provider.AsError(err); failure != nil && failure.Status != http.StatusConflict {
		return failure
	}
	return nil
}
