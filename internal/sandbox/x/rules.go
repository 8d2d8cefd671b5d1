package x

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier/internal/sandbox/sim"
)

var replySettings = []string{"", "following", "mentionedUsers", "subscribers", "verified"}

// check validates a post regardless of its author.
func (in tweetInput) check() *sim.Reply {
	for _, rule := range []func() *sim.Reply{in.checkText, in.checkAttachments, in.checkPoll, in.checkSettings} {
		if refusal := rule(); refusal != nil {
			return refusal
		}
	}
	return nil
}

var cashtag = regexp.MustCompile(`(?:^|[^\w$])\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?\b`)

func (in tweetInput) checkText() *sim.Reply {
	weight, err := weigh(in.text())
	switch {
	case in.Text == nil:
		return refuse(invalid("text", "", "The `text` field is missing."))
	case err != nil:
		return refuse(invalid("text", "", "Your Tweet text contains an invalid character."))
	case strings.TrimSpace(in.text()) == "" && in.Media == nil:
		return refuse(invalid("text", in.text(), "The `text` field is required unless media is present."))
	case weight > maxWeight:
		return refuse(invalid("text", in.text(),
			"Your Tweet text is too long. For more information on how Twitter determines text length see "+
				"https://github.com/twitter/twitter-text."))
	case len(cashtag.FindAllString(in.text(), 2)) > 1:
		return refuse(forbidden("Posts are limited to a maximum of one cashtag."))
	}
	return nil
}

func (in tweetInput) checkAttachments() *sim.Reply {
	attachments := 0
	for _, present := range []bool{in.Poll != nil, in.QuoteTweetID != "", in.DirectMessageDeepLink != "",
		in.Media != nil, in.CardURI != ""} {
		if present {
			attachments++
		}
	}
	if attachments > 1 {
		return refuse(invalid("", "",
			"You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or card_uri."))
	}
	if in.Media == nil {
		return nil
	}
	if count := len(in.Media.MediaIDs); count < 1 || count > 4 {
		return refuse(invalid("media.media_ids", strconv.Itoa(count), "media_ids must have 1 to 4 items"))
	}
	if len(in.Media.TaggedUserIDs) > 10 {
		return refuse(invalid("media.tagged_user_ids", strconv.Itoa(len(in.Media.TaggedUserIDs)),
			"tagged_user_ids must have 0 to 10 items"))
	}
	return nil
}

func (in tweetInput) checkPoll() *sim.Reply {
	if in.Poll == nil {
		return nil
	}
	if count := len(in.Poll.Options); count < 2 || count > 4 {
		return refuse(invalid("poll.options", strconv.Itoa(count), "poll.options must have 2 to 4 items"))
	}
	for _, option := range in.Poll.Options {
		if length := utf8.RuneCountInString(option); length < 1 || length > 25 {
			return refuse(invalid("poll.options", option, "each option must have 1 to 25 characters"))
		}
	}
	if minutes := in.Poll.DurationMinutes; minutes < 5 || minutes > 10080 {
		return refuse(invalid("poll.duration_minutes", strconv.Itoa(minutes), "duration_minutes must be 5 to 10080"))
	}
	return nil
}

var decimal = regexp.MustCompile(`^[0-9]{1,19}$`)

func (in tweetInput) checkSettings() *sim.Reply {
	switch {
	case !slices.Contains(replySettings, in.ReplySettings):
		return refuse(invalid("reply_settings", in.ReplySettings,
			"reply_settings is not one of [following,mentionedUsers,subscribers,verified]"))
	case in.CommunityID != "" && !decimal.MatchString(in.CommunityID):
		return refuse(invalid("community_id", in.CommunityID, "community_id is not valid"))
	case in.Reply != nil && !decimal.MatchString(in.Reply.InReplyTo):
		return refuse(invalid("reply.in_reply_to_tweet_id", in.Reply.InReplyTo, "Your reply tweet ID is invalid."))
	case in.EditOptions != nil, in.ForSuperFollowersOnly:
		// Editing and super followers need Premium, which no account here has.
		return refuse(notPermitted())
	}
	return nil
}

// admit decides whether the caller may publish the post now, and returns the price.
func (n *network) admit(tx *sim.Tx, in tweetInput, c caller) (price int, refusal *sim.Reply) {
	price = pricePost
	if len(findURLs(in.text())) > 0 {
		price = pricePostURL
	}
	if in.Reply != nil {
		summoned, refusal := n.admitReply(in.Reply.InReplyTo, c)
		if refusal != nil {
			return 0, refusal
		}
		if summoned {
			price = priceSummoned
		}
	}
	if in.QuoteTweetID != "" {
		if refusal := n.admitQuote(in.QuoteTweetID, c); refusal != nil {
			return 0, refusal
		}
	}
	if in.Media == nil && in.Poll == nil && n.latest.holds(textKey(c.accountID, in.parent(), in.text()), tx.Now()) {
		return 0, refuse(forbidden("You are not allowed to create a Tweet with duplicate content."))
	}
	return price, nil
}

// parent returns the post that a post replies to or quotes, if any.
func (in tweetInput) parent() string {
	if in.Reply == nil {
		return in.QuoteTweetID
	}
	return in.Reply.InReplyTo
}

// admitReply lets an app reply to the account's own posts, and to those whose author addressed the account: by a
// mention, or by quoting it.
func (n *network) admitReply(id string, c caller) (summoned bool, refusal *sim.Reply) {
	target, live := n.env.Posts.Live(id)
	if !live {
		return false, refuse(invalid("reply.in_reply_to_tweet_id", id, "Your reply tweet ID is invalid."))
	}
	if target.AccountID == c.accountID {
		return false, nil
	}
	me, _ := n.env.Accounts.Get(c.accountID)
	row, _ := n.tweets.Get(id)
	quoted, _ := n.env.Posts.Get(row.Quotes)
	if mentions(target.Text, me.Handle) || quoted.AccountID == c.accountID {
		return true, nil
	}
	return false, refuse(forbidden("Reply to this conversation is not allowed because you have not been mentioned or " +
		"otherwise engaged by the author of the post you are replying to."))
}

// mentions reports whether a text mentions a handle.
func mentions(text, handle string) bool {
	pattern, err := regexp.Compile(`(?i)(?:^|[^\w@])@` + regexp.QuoteMeta(handle) + `(?:\W|$)`)
	return err == nil && pattern.MatchString(text)
}

// admitQuote lets an account quote only itself, and only with an app that is more than a self-serve one.
func (n *network) admitQuote(id string, c caller) *sim.Reply {
	target, live := n.env.Posts.Live(id)
	switch {
	case !live:
		return refuse(invalid("quote_tweet_id", id, "Your quote tweet ID is invalid."))
	case !n.settings.Quotes || target.AccountID != c.accountID:
		return refuse(forbidden("Quoting this post is not allowed because you have not been mentioned or otherwise " +
			"engaged by the author of the post you are quoting."))
	}
	return nil
}

// duplicateWindow is how long a text cannot be posted again. X does not document it; it is less than a day, so that
// daily posts are accepted.
const duplicateWindow = 12 * time.Hour

// latestTexts stores the recent texts of accounts, to reject duplicates. Posts with media are never rejected: X does
// not promise to detect those. The store's lock guards it.
type latestTexts struct {
	posts map[textHash]latestText
}

type textHash [sha256.Size]byte

type latestText struct {
	postID string
	at     time.Time
}

func newLatestTexts() *latestTexts { return &latestTexts{posts: map[textHash]latestText{}} }

func textKey(accountID, parent, text string) textHash {
	return sha256.Sum256([]byte(accountID + "\x00" + parent + "\x00" + strings.Join(strings.Fields(text), " ")))
}

// follow updates the texts from the posts. A deleted text can be posted again.
func (l *latestTexts) follow(id string, before, after *sim.Post) {
	if after == nil || after.Kind == sim.KindRepost || len(after.Media) > 0 {
		return
	}
	key := textKey(after.AccountID, after.ParentID, after.Text)
	switch {
	case before == nil:
		l.posts[key] = latestText{postID: id, at: after.CreatedAt}
	case after.Deleted() && l.posts[key].postID == id:
		delete(l.posts, key)
	}
}

func (l *latestTexts) holds(key textHash, now time.Time) bool {
	latest, ok := l.posts[key]
	return ok && now.Sub(latest.at) < duplicateWindow
}

// outOfBounds returns the response to a count outside of its bounds.
func outOfBounds(parameter, value string, low, high int) sim.Reply {
	return invalid(parameter, value,
		"The `"+parameter+"` query parameter value ["+value+"] is not between "+strconv.Itoa(low)+" and "+strconv.Itoa(high))
}
