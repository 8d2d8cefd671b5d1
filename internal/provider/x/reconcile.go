package x

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"crier/internal/provider"
)

// Notes in the State about an attempt without a response.
const (
	// noteSuspect is when the first attempt started that reading could not find.
	noteSuspect = "suspectSince"
	// noteDuplicate means that X then rejected the same post as a duplicate, so it must exist.
	noteDuplicate = "calledDuplicate"
	// noteFormer are the ids of uploads that were replaced after such an attempt: its post shows them.
	noteFormer = "formerUploads"
	// notePage is where the reading of a long timeline continues.
	notePage = "timelinePage"
)

// readBack is how far before the attempt the timeline is read: clocks differ.
const readBack = 30 * time.Second

// Strategy reads the account's timeline. X charges for every post that it returns; absent readings cost nothing, so
// absence is trusted only the second time.
func (p *Provider) Strategy(a provider.Account, _ provider.Content, _ provider.State) provider.Strategy {
	if len(a.Scopes) > 0 && !a.HasScope("tweet.read") {
		return provider.Strategy{Method: provider.Impossible}
	}
	return provider.Strategy{Method: provider.ByReading, NotBefore: 10 * time.Second, Absences: 2,
		Apart: 15 * time.Second, Scarce: true}
}

// Reconcile searches the account's posts since the attempt.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	since := at.StartedAt
	if suspect, err := time.Parse(time.RFC3339, st.Data[noteSuspect]); err == nil && suspect.Before(since) {
		since = suspect
	}
	var page timelineAnswer
	if err := p.api.Get(ctx, a.Token.Access, timelinePath(a, c, since, st.Data[notePage]), &page); err != nil {
		return "", st, err
	}
	delete(st.Data, notePage)
	wanted := wantedPost(c, st, at.Stale)
	for _, post := range page.Data {
		if wanted.matches(post) && !isPublished(st, post.ID) && at.MayBe(post.ID) {
			p.enter(&st, a, c, post.ID)
			st.FoundAt(post.created(), at)
			return provider.OutcomePublished, st, nil
		}
	}
	switch {
	case page.Meta.NextToken != "":
		st.Note(notePage, page.Meta.NextToken)
		return provider.OutcomePending, st, nil
	case st.Data[noteDuplicate] != "":
		return provider.OutcomeUnclear, st, nil
	}
	st.Note(noteSuspect, since.UTC().Format(time.RFC3339))
	return provider.OutcomeAbsent, st, nil
}

func timelinePath(a provider.Account, c provider.Content, since time.Time, page string) string {
	path := "/2/users/" + url.PathEscape(a.ProviderAccountID) + "/tweets?max_results=100&start_time=" +
		url.QueryEscape(since.Add(-readBack).UTC().Format(time.RFC3339)) +
		"&tweet.fields=attachments,conversation_id,created_at,entities,referenced_tweets,note_tweet"
	if c.Action != provider.Repost {
		path += "&exclude=retweets"
	}
	if page != "" {
		path += "&pagination_token=" + url.QueryEscape(page)
	}
	return path
}

func isPublished(st provider.State, id string) bool {
	return slices.ContainsFunc(st.Published, func(p provider.Published) bool { return p.PlatformPostID == id })
}

// wanted describes the lost post.
type wanted struct {
	text      string
	repostOf  string
	repliesTo string
	quotes    string
	// conversation is the thread of a reply, if known.
	conversation string
	// media are the ids of its uploads, if known, and of those that they replaced.
	media []string
}

// wantedPost describes the post of the next part. A stale State does not know the uploads of the attempt.
func wantedPost(c provider.Content, st provider.State, stale bool) wanted {
	if c.Action == provider.Repost {
		return wanted{repostOf: c.Target.PlatformPostID}
	}
	part := min(st.NextPart(), len(c.Parts)-1)
	request := createRequest{Text: c.Parts[part].TextWithLinks()}
	if s, err := decodeSettings(c); err == nil {
		request.relate(c, s, st)
	}
	w := wanted{text: ownText(request.Text), quotes: request.QuoteID}
	if request.Reply != nil {
		w.repliesTo = request.Reply.InReplyToID
	}
	for media := range c.Parts[part].Media {
		if u := st.Upload(part, media); u != nil && u.ID != "" && !stale {
			w.media = append(w.media, u.ID)
		}
	}
	if former := st.Data[noteFormer]; former != "" && len(w.media) > 0 {
		w.media = append(w.media, strings.Split(former, ",")...)
	}
	switch {
	case len(st.Published) > 0:
		w.conversation = st.Published[0].PlatformPostID
	case c.Action == provider.Comment:
		w.conversation = c.Target.PlatformPostID
	}
	return w
}

func (w wanted) matches(post timelinePost) bool {
	if w.repostOf != "" {
		return post.refersTo("retweeted", w.repostOf) || post.refersTo("reposted", w.repostOf)
	}
	if w.repliesTo != "" && !post.refersTo("replied_to", w.repliesTo) && !w.sharesConversation(post) {
		return false
	}
	if w.repliesTo == "" && post.isReply() {
		return false
	}
	if w.quotes != "" && !post.refersTo("quoted", w.quotes) && post.tellsReferences() {
		return false
	}
	if !w.sharesMedia(post) {
		return false
	}
	text := theirText(post, w.quotes)
	return provider.SameText(text, w.text) || w.repliesTo != "" &&
		provider.SameText(leadingMentions.ReplaceAllString(text, ""), w.text)
}

// sharesConversation is for responses without references, which according to X's newer documentation need another
// request: a reply is in the conversation of the first post.
func (w wanted) sharesConversation(post timelinePost) bool {
	return !post.tellsReferences() && w.conversation != "" && post.Conversation == w.conversation
}

// created is zero if X does not tell.
func (p timelinePost) created() time.Time {
	at, _ := time.Parse(time.RFC3339, p.CreatedAt)
	return at
}

// sharesMedia reports whether a post has one of the uploads, which belong to this attempt only; also if either is
// unknown. The key of a medium is its type and the id of its upload.
func (w wanted) sharesMedia(post timelinePost) bool {
	keys := post.Attachments.MediaKeys
	return len(w.media) == 0 || len(keys) == 0 || slices.ContainsFunc(keys, func(key string) bool {
		_, id, _ := strings.Cut(key, "_")
		return slices.Contains(w.media, id)
	})
}

// isReply reports whether a post is in a conversation that another one started.
func (p timelinePost) isReply() bool {
	return p.refersTo("replied_to", "") || !p.tellsReferences() && p.Conversation != "" && p.Conversation != p.ID
}

func (p timelinePost) tellsReferences() bool { return len(p.References)+len(p.PostReferences) > 0 }

// leadingMentions are prepended to replies by X itself.
var leadingMentions = regexp.MustCompile(`^(?:@\w{1,15}\s+)+`)

// refersTo reports whether the post refers to another one in this way; an empty id matches any.
func (p timelinePost) refersTo(kind, id string) bool {
	return slices.ContainsFunc(slices.Concat(p.References, p.PostReferences), func(r reference) bool {
		return r.Type == kind && (id == "" || r.ID == id)
	})
}

// ownText returns a text for the comparison: its URLs without what X may change.
func ownText(text string) string {
	var out strings.Builder
	from := 0
	for _, u := range findURLs(text) {
		out.WriteString(text[from:u.start] + canonicalURL(text[u.start:u.end]))
		from = u.end
	}
	out.WriteString(text[from:])
	return out.String()
}

// ownMedia is the link that X appends to the text of a post with media.
var ownMedia = regexp.MustCompile(`/status/\d+/(?:photo|video)/\d+$`)

// theirText undoes X's own changes of a text: it shortens URLs, and adds those of media and quotes. The whole text of a
// long post is in its note.
func theirText(post timelinePost, quoted string) string {
	text, urls := post.Text, post.Entities.URLs
	for _, n := range []*note{post.NoteTweet, post.NotePost} {
		if n != nil && n.Text != "" {
			text, urls = n.Text, append(slices.Clone(n.Entities.URLs), urls...)
		}
	}
	for _, u := range urls {
		if u.URL == "" {
			continue
		}
		replacement := canonicalURL(u.ExpandedURL)
		if u.MediaKey != "" || ownMedia.MatchString(u.ExpandedURL) || quoted != "" &&
			strings.HasSuffix(u.ExpandedURL, "/status/"+quoted) {
			replacement = ""
		}
		text = strings.ReplaceAll(text, u.URL, replacement)
	}
	return strings.TrimSpace(text)
}

// canonicalURL drops what X may add or change: the scheme, the case of the host, a trailing slash.
func canonicalURL(u string) string {
	for _, scheme := range []string{"https://", "http://"} {
		if len(u) >= len(scheme) && strings.EqualFold(u[:len(scheme)], scheme) {
			u = u[len(scheme):]
			break
		}
	}
	host, rest, _ := strings.Cut(u, "/")
	return strings.TrimSuffix(strings.ToLower(host)+"/"+rest, "/")
}
