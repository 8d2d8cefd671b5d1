package youtube

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// Notes about the steps after the upload of a video.
const (
	// noteNext is the next step, notePlaylist the playlist that it is about.
	noteNext     = "next"
	notePlaylist = "playlist"
	// noteTries counts the failures of that step.
	noteTries = "tries"
	// noteMissing counts the consecutive readings that did not show the video.
	noteMissing = "missing"
)

// The steps in order; the two about playlists occur once for each.
const (
	nextThumbnail = "thumbnail"
	nextCaption   = "caption"
	nextLook      = "look"  // check whether the video is in the playlist
	nextAdd       = "add"   // add it
	nextWatch     = "watch" // poll YouTube's processing
)

const (
	// maxMissing is how many consecutive readings, over some minutes, may not show the video.
	maxMissing = 10
	// maxFollowTries is how often a step is tried before it is skipped with a warning.
	maxFollowTries = 4
	followDelay    = 5 * time.Second
	// shortestWatch and longestWatch bound the pause between two checks of the processing.
	shortestWatch = 5 * time.Second
	longestWatch  = 5 * time.Minute
)

const watchReason = "YouTube is processing the video"

// planFollowUp sets the first step for a new video.
func (p *Provider) planFollowUp(st *provider.State, s settings) {
	st.RequiresPolling = true
	if s.ThumbnailMediaID != "" {
		p.goOn(st, nextThumbnail)
		return
	}
	p.nextCaptions(st, s, 0)
}

// nextPlaylist continues with a playlist, or after the last one with polling.
func (p *Provider) nextPlaylist(st *provider.State, s settings, index int) {
	if index < len(s.PlaylistIDs) {
		st.Note(notePlaylist, strconv.Itoa(index))
		p.goOn(st, nextLook)
		return
	}
	delete(st.Data, notePlaylist)
	p.goOn(st, nextWatch)
	now := p.now().UTC()
	st.WaitUntil(now.Add(shortestWatch), now, watchReason)
}

func (p *Provider) goOn(st *provider.State, next string) {
	st.StopWaiting()
	st.Note(noteNext, next)
	delete(st.Data, noteTries)
}

// follow does the next step for an uploaded video. None of these affects the video itself, so failures become warnings;
// only YouTube's own rejection of the video fails the post.
func (p *Provider) follow(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return st, err
	}
	playlist, _ := strconv.Atoi(st.Data[notePlaylist]) // written by this package
	switch next := st.Data[noteNext]; {
	case next == nextThumbnail:
		if err := p.setThumbnail(ctx, a, c, s, st.PlatformPostID); err != nil {
			return p.followFailed(st, err, "the thumbnail could not be set",
				func(st *provider.State) { p.nextCaptions(st, s, 0) })
		}
		p.nextCaptions(&st, s, 0)
	case next == nextCaption:
		return p.followCaptions(ctx, a, s, st)
	case (next == nextLook || next == nextAdd) && playlist < len(s.PlaylistIDs):
		return p.followPlaylist(ctx, a, s, st, playlist)
	case next == nextWatch:
		return p.watch(ctx, a, st)
	default:
		p.finish(&st)
	}
	return st, nil
}

func (p *Provider) finish(st *provider.State) {
	p.goOn(st, "")
	delete(st.Data, noteNext)
	delete(st.Data, noteMissing)
	st.RequiresPolling = false
}

// followFailed retries a step where that may help; otherwise it is skipped with a warning.
func (p *Provider) followFailed(st provider.State, err error, warning string,
	leave func(*provider.State)) (provider.State, error) {
	failure := provider.AsError(err)
	tries, _ := strconv.Atoi(st.Data[noteTries]) // written by this package
	renewable := failure.Kind == provider.AuthExpired && failure.Code == provider.CodeAuthExpired && tries == 0
	passing := failure.Kind == provider.Temporary || failure.Code == provider.CodeRateLimited
	if tries < maxFollowTries && (renewable || passing) {
		st.Note(noteTries, strconv.Itoa(tries+1))
		if renewable {
			return st, failure
		}
		now := p.now().UTC()
		st.WaitUntil(now.Add(max(followDelay<<tries, min(failure.RetryAfter, longestWatch))), now,
			cmp.Or(st.PollingReason, "YouTube is to be asked again"))
		return st, nil
	}
	st.Warnings = append(st.Warnings, warning+": "+failure.Message)
	leave(&st)
	return st, nil
}

// setThumbnail sends the thumbnail. It is safe to repeat.
func (p *Provider) setThumbnail(ctx context.Context, a provider.Account, c provider.Content, s settings,
	id string) error {
	picture, ok := c.Assets[s.ThumbnailMediaID]
	if !ok {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: "the picture is not there"}
	}
	picture = p.suitedThumbnail(picture)
	file, err := picture.Open(ctx)
	if err != nil {
		return &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the picture cannot be read from the media store", Err: err,
		}
	}
	defer file.Close()
	_, err = p.api.Send(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpEdit, Method: http.MethodPost, Timeout: provider.UploadTimeout,
		URL:  "/upload/youtube/v3/thumbnails/set?videoId=" + url.QueryEscape(id) + "&uploadType=media",
		Body: provider.SectionBody(picture.MIMEType, file, 0, picture.Size),
	})
	return err
}

// followPlaylist checks whether the video is in a playlist and adds it if not: YouTube would accept it twice.
func (p *Provider) followPlaylist(ctx context.Context, a provider.Account, s settings, st provider.State,
	index int) (provider.State, error) {
	playlist := s.PlaylistIDs[index]
	leave := func(st *provider.State) { p.nextPlaylist(st, s, index+1) }
	if st.Data[noteNext] == nextLook {
		var items playlistItemList
		path := "/youtube/v3/playlistItems?part=snippet&playlistId=" + url.QueryEscape(playlist) + "&videoId=" +
			url.QueryEscape(st.PlatformPostID)
		err := p.api.Get(ctx, a.Token.Access, path, &items)
		switch {
		case err != nil:
			return p.followFailed(st, err, "the video could not be added to the playlist "+playlist, leave)
		case slices.ContainsFunc(items.Items, func(i playlistItem) bool { return i.videoID() == st.PlatformPostID }):
			leave(&st)
		default:
			st.Note(noteNext, nextAdd)
		}
		return st, nil
	}
	st.Note(noteNext, nextLook)
	request := provider.Request{Operation: provider.OpEdit, Method: http.MethodPost,
		URL: "/youtube/v3/playlistItems?part=snippet"}
	body := playlistItem{Snippet: playlistItemSnippet{PlaylistID: playlist,
		Resource: resourceID{Kind: "youtube#video", VideoID: st.PlatformPostID}}}
	if err := p.api.Call(ctx, a.Token.Access, request, body, nil); err != nil {
		return p.followFailed(st, err, "the video could not be added to the playlist "+playlist, leave)
	}
	leave(&st)
	return st, nil
}

func (i playlistItem) videoID() string {
	if i.Details != nil && i.Details.VideoID != "" {
		return i.Details.VideoID
	}
	return i.Snippet.Resource.VideoID
}

// watch reads the processing status of the video.
func (p *Provider) watch(ctx context.Context, a provider.Account, st provider.State) (provider.State, error) {
	var answer videoList
	path := "/youtube/v3/videos?part=status,processingDetails&id=" + url.QueryEscape(st.PlatformPostID)
	err := p.api.Get(ctx, a.Token.Access, path, &answer)
	if err != nil {
		return p.followFailed(st, err, "the processing status could not be read from YouTube", p.finish)
	}
	delete(st.Data, noteTries)
	if len(answer.Items) == 0 {
		return p.watchMissing(st)
	}
	delete(st.Data, noteMissing)
	v := answer.Items[0]
	st.ProviderStatus = v.Status.UploadStatus
	if failure := judgeVideo(v); failure != nil {
		st.FailureCode = cmp.Or(v.Status.RejectionReason, v.Status.FailureReason, v.Processing.FailureReason)
		withdraw(&st)
		return st, failure
	}
	if v.Status.UploadStatus == "processed" {
		p.finish(&st)
		return st, nil
	}
	return p.watchOn(st), nil
}

// withdraw undoes that a video counts as published: YouTube has taken it and does not show it. Its id is kept.
func withdraw(st *provider.State) { st.Published, st.Done = nil, false }

// watchMissing handles a video that YouTube has taken, and does not know when it is asked. After a while only a person
// can find out what became of it.
func (p *Provider) watchMissing(st provider.State) (provider.State, error) {
	missing, _ := strconv.Atoi(st.Data[noteMissing]) // written by this package
	if missing+1 < maxMissing {
		st.Note(noteMissing, strconv.Itoa(missing+1))
		return p.watchOn(st), nil
	}
	withdraw(&st)
	return st, &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown,
		Message: "YouTube took the video " + st.PlatformPostID + " and does not know it any more; look into the " +
			"channel before it is posted again"}
}

// watchOn continues polling until the patience ends.
func (p *Provider) watchOn(st provider.State) provider.State {
	now := p.now().UTC()
	waited := now.Sub(st.PollingSince)
	if waited > p.limits.ProcessingPatience {
		st.Warnings = append(st.Warnings, fmt.Sprintf("YouTube was still processing the video after %s",
			p.limits.ProcessingPatience))
		p.finish(&st)
		return st
	}
	st.WaitUntil(now.Add(min(max(waited/2, shortestWatch), longestWatch)), now, watchReason)
	return st
}

// judgeVideo returns the error of a video that YouTube accepted and then rejected.
func judgeVideo(v video) error {
	status := v.Status
	switch status.UploadStatus {
	case "failed":
		reason := cmp.Or(status.FailureReason, v.Processing.FailureReason, "no reason given")
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: "YouTube could not process the video: " + reason}
	case "deleted":
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the video was deleted on YouTube"}
	case "rejected":
		e := &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "YouTube rejected the video: " + cmp.Or(status.RejectionReason, "no reason given"),
		}
		switch {
		case status.RejectionReason == "duplicate":
			e.Code = provider.CodeDuplicateContent
		case strings.HasPrefix(status.RejectionReason, "uploaderAccount"):
			e.Code, e.Scope = provider.CodeAccountRestricted, provider.ScopeAccount
		}
		return e
	}
	return nil
}
