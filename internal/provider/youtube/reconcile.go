package youtube

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"crier/internal/provider"
)

const (
	// noteGone means that the session of a lost attempt is gone, so that only the list of videos can tell.
	noteGone = "sessionGone"
	// readBack is how far before the attempt videos and comments are searched: clocks differ.
	readBack = 30 * time.Second
	// listedCount is how many videos or comments are read.
	listedCount = 50
)

// Strategy reads the upload session, which is certain. If it is gone, and for comments, lists are read. They lag
// behind, so absence is trusted only after several readings.
func (p *Provider) Strategy(a provider.Account, c provider.Content, st provider.State) provider.Strategy {
	if c.Action != provider.Comment && st.Secrets[secretSession] != "" && st.Data[noteGone] == "" {
		return provider.Strategy{Method: provider.ByReading, Absences: 1}
	}
	if len(a.Scopes) > 0 && !a.HasScope(scopeForceSSL) {
		return provider.Strategy{Method: provider.Impossible}
	}
	return provider.Strategy{Method: provider.ByReading, NotBefore: 30 * time.Second, Absences: 3, Apart: time.Minute}
}

// Reconcile reads whether the session has all bytes, or searches for the video or the comment.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	since := at.StartedAt.Add(-readBack)
	switch u := st.Upload(0, 0); {
	case c.Action == provider.Comment:
		return p.findComment(ctx, a, c, st, since, at)
	case !at.Stale && u != nil && st.Secrets[secretSession] != "" && st.Data[noteGone] == "":
		return p.reconcileSession(ctx, a, c, st, u)
	}
	return p.findVideo(ctx, a, c, st, at)
}

func (p *Provider) reconcileSession(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	u *provider.Upload) (provider.Outcome, provider.State, error) {
	answer, err := p.probe(ctx, a, &st, u, provider.OpRead)
	if err != nil {
		return "", st, err
	}
	complete, err := p.readSession(u, answer)
	switch {
	case errors.Is(err, errSessionGone):
		st.Note(noteGone, "true")
		return provider.OutcomePending, st, nil
	case err != nil:
		return "", st, err
	case complete == nil:
		return provider.OutcomeAbsent, st, nil
	}
	if err := p.enter(&st, c, *complete); err != nil {
		return "", st, err
	}
	return provider.OutcomePublished, st, nil
}

// findVideo searches the newest videos of the channel. The list includes private ones.
func (p *Provider) findVideo(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return "", st, err
	}
	var list playlistItemList
	path := "/youtube/v3/playlistItems?part=snippet,contentDetails&maxResults=" + strconv.Itoa(listedCount) +
		"&playlistId=" + url.QueryEscape(uploadsPlaylist(a))
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return "", st, err
	}
	wanted, since := s.title(c.Parts[0]), at.StartedAt.Add(-readBack)
	for _, item := range list.Items {
		if provider.SameText(item.Snippet.Title, wanted) && !item.Snippet.PublishedAt.Before(since) &&
			item.videoID() != "" && at.MayBe(item.videoID()) {
			if err := p.enter(&st, c, video{ID: item.videoID()}); err != nil {
				return "", st, err
			}
			st.FoundAt(item.created(), at)
			return provider.OutcomePublished, st, nil
		}
	}
	if !provider.ReachesBack(list.Items, listedCount, playlistItem.created, since) {
		return provider.OutcomeUnclear, st, nil
	}
	st.Uploads = nil // the session is gone: Prepare starts over
	delete(st.Data, noteGone)
	delete(st.Secrets, secretSession)
	return provider.OutcomeAbsent, st, nil
}

// findComment searches the newest comments on the video.
func (p *Provider) findComment(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	since time.Time, at provider.Attempt) (provider.Outcome, provider.State, error) {
	var list commentThreadList
	path := "/youtube/v3/commentThreads?part=snippet&order=time&maxResults=" + strconv.Itoa(listedCount) + "&videoId=" +
		url.QueryEscape(c.Target.PlatformPostID)
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return "", st, err
	}
	wanted := c.Parts[0].Text
	for _, thread := range list.Items {
		written, id := thread.Snippet.TopLevel.Snippet, cmp.Or(thread.Snippet.TopLevel.ID, thread.ID)
		ours := written.Author == nil || written.Author.Value == a.ProviderAccountID
		if ours && provider.SameText(cmp.Or(written.TextOriginal, written.TextDisplay), wanted) &&
			!written.PublishedAt.Before(since) && at.MayBe(id) {
			p.enterComment(&st, c, id)
			st.FoundAt(written.PublishedAt, at)
			return provider.OutcomePublished, st, nil
		}
	}
	if !provider.ReachesBack(list.Items, listedCount, commentThread.created, since) {
		return provider.OutcomeUnclear, st, nil
	}
	return provider.OutcomeAbsent, st, nil
}

// Matches reports whether two videos have the same title.
func (*Provider) Matches(wanted, other provider.Content) bool {
	own, err := decodeSettings(wanted)
	theirs, otherErr := decodeSettings(other)
	return err != nil || otherErr != nil ||
		provider.SameText(own.title(wanted.Parts[0]), theirs.title(other.Parts[0]))
}
