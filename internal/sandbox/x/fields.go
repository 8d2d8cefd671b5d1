package x

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// selection is which fields of a post are requested, and under which names. X renamed them from tweets to posts; a
// response uses the names of its request.
type selection struct {
	fields      []string
	mediaFields []string
	media       bool // files are requested as well
	references  bool // references are included
	words       vocabulary
}

// vocabulary is one set of names for the same things.
type vocabulary struct {
	editHistory, referenced, note, reposts string
}

var (
	tweetWords = vocabulary{editHistory: "edit_history_tweet_ids", referenced: "referenced_tweets", note: "note_tweet",
		reposts: "retweet_count"}
	postWords = vocabulary{editHistory: "edit_history_post_ids", referenced: "referenced_posts", note: "note_post",
		reposts: "repost_count"}
)

var tweetFields = []string{"article", "attachments", "author_id", "card_uri", "community_id", "context_annotations",
	"conversation_id", "created_at",
	"display_text_range", "edit_controls", "edit_history_tweet_ids", "edit_history_post_ids", "entities", "geo", "id",
	"in_reply_to_user_id",
	"lang", "made_with_ai", "media_metadata", "non_public_metrics", "note_tweet", "note_post", "organic_metrics",
	"paid_partnership",
	"possibly_sensitive", "promoted_metrics", "public_metrics", "referenced_tweets", "referenced_posts",
	"reply_settings", "scopes",
	"source", "suggested_source_links", "text", "withheld"}

func (n *network) parseSelection(r *http.Request) (selection, *sim.Reply) {
	q := r.URL.Query()
	s := selection{words: tweetWords, mediaFields: list(q.Get("media.fields")),
		media: strings.Contains(q.Get("expansions"), "attachments.media_keys")}
	parameter := "tweet.fields"
	if q.Has("post.fields") {
		parameter, s.words = "post.fields", postWords
	}
	if n.settings.Renamed {
		s.words = postWords
	}
	s.references = s.words == tweetWords || strings.Contains(q.Get("expansions"), "referenced_posts.id")
	s.fields = list(q.Get(parameter))
	for _, field := range s.fields {
		if !slices.Contains(tweetFields, field) {
			return s, refuse(invalid(parameter, field,
				"The `"+parameter+"` query parameter value ["+field+"] is not one of ["+strings.Join(tweetFields,
					",")+"]"))
		}
	}
	return s, nil
}

// answer returns posts as requested. The store's lock is held.
func (n *network) answer(posts []sim.Post, s selection, c caller) answer {
	var body answer
	var files []map[string]any
	views := make([]map[string]any, 0, len(posts))
	for _, post := range posts {
		view, errs := n.viewTweet(post, s, c)
		views = append(views, view)
		body.Errors = append(body.Errors, errs...)
		if s.media {
			files = append(files, n.viewFiles(post, s)...)
		}
	}
	if len(views) > 0 {
		body.Data = views
	}
	if len(files) > 0 {
		body.Includes = map[string]any{"media": files}
	}
	return body
}

func (n *network) viewTweet(post sim.Post, s selection, c caller) (map[string]any, []problemBody) {
	author, _ := n.env.Accounts.Get(post.AccountID)
	row, _ := n.tweets.Get(post.ID)
	text, urls := render(post, author)
	if row.Retweets != "" {
		original, _ := n.env.Posts.Get(row.Retweets)
		by, _ := n.env.Accounts.Get(original.AccountID)
		text, urls = render(original, by)
		text = "RT @" + by.Handle + ": " + text
	}
	view := map[string]any{"id": post.ID, "text": text, s.words.editHistory: []string{post.ID}}
	var errs []problemBody
	for _, field := range s.fields {
		if strings.HasSuffix(field, "_metrics") {
			errs = append(errs, n.addMetrics(view, field, post, s, c)...)
			continue
		}
		if strings.HasPrefix(field, "referenced_") && !s.references {
			continue
		}
		if value := n.field(field, post, row, urls); value != nil {
			view[s.rename(field)] = value
		}
	}
	if s.media && len(row.MediaKeys) > 0 {
		view["attachments"] = map[string]any{"media_keys": row.MediaKeys}
	}
	return view, errs
}

// rename returns a field's name in the vocabulary of the request.
func (s selection) rename(field string) string {
	switch field {
	case "referenced_tweets", "referenced_posts":
		return s.words.referenced
	case "note_tweet", "note_post":
		return s.words.note
	default:
		return field
	}
}

// field returns a field's value, or nil if the post has none.
func (n *network) field(field string, post sim.Post, row tweet, urls []entityURL) any {
	switch field {
	case "author_id":
		return post.AccountID
	case "conversation_id":
		return row.ConversationID
	case "created_at":
		return millis(post.CreatedAt)
	case "lang":
		return "und"
	case "source":
		return "crier sandbox"
	case "possibly_sensitive":
		return false
	case "reply_settings":
		if row.ReplySettings == "" {
			return "everyone"
		}
		return row.ReplySettings
	}
	return n.sparseField(field, post, row, urls)
}

// sparseField returns the fields that not every post has.
func (n *network) sparseField(field string, _ sim.Post, row tweet, urls []entityURL) any {
	switch {
	case field == "entities" && len(urls) > 0:
		return map[string]any{"urls": urls}
	case strings.HasPrefix(field, "referenced_"):
		return row.references()
	case field == "attachments" && len(row.MediaKeys) > 0:
		return map[string]any{"media_keys": row.MediaKeys}
	case field == "in_reply_to_user_id" && row.ReplyTo != "":
		parent, _ := n.env.Posts.Get(row.ReplyTo)
		return parent.AccountID
	case field == "community_id" && row.Labels != nil && row.Labels.CommunityID != "":
		return row.Labels.CommunityID
	case field == "made_with_ai" && row.Labels != nil:
		return row.Labels.MadeWithAI
	case field == "paid_partnership" && row.Labels != nil:
		return row.Labels.PaidPartnership
	}
	return nil
}

// references returns the posts that a post replies to, quotes or repeats.
func (t tweet) references() any {
	var refs []map[string]string
	for _, ref := range [][2]string{{"replied_to", t.ReplyTo}, {"quoted", t.Quotes}, {"retweeted", t.Retweets}} {
		if ref[1] != "" {
			refs = append(refs, map[string]string{"type": ref[0], "id": ref[1]})
		}
	}
	if refs == nil {
		return nil
	}
	return refs
}

// privateMetrics are shown only to a post's author, and for 30 days.
var privateMetrics = []string{"non_public_metrics", "organic_metrics", "promoted_metrics"}

const privateMetricsLife = 30 * 24 * time.Hour

func (n *network) addMetrics(view map[string]any, field string, post sim.Post, s selection, c caller) []problemBody {
	if slices.Contains(privateMetrics, field) && (post.AccountID != c.accountID ||
		n.env.Now().Sub(post.CreatedAt) > privateMetricsLife) {
		return []problemBody{{Title: "Field Authorization Error", Type: problemType + "not-authorized-for-field",
			ResourceType: "tweet", ResourceID: post.ID,
			Parameter: "tweet.fields", Value: field, Field: field, Section: "data",
			Detail: "Sorry, you are not authorized to access '" + field + "' on the Tweet with id : [" + post.ID +
				"]."}}
	}
	m := n.measure(post)
	switch field {
	case "public_metrics":
		view[field] = map[string]int{s.words.reposts: m.reposts, "reply_count": m.replies, "like_count": m.likes,
			"quote_count":    m.quotes,
			"bookmark_count": 0, "impression_count": m.impressions}
	case "non_public_metrics":
		view[field] = map[string]int{"impression_count": m.impressions, "url_link_clicks": m.clicks,
			"user_profile_clicks": 0, "engagements": m.engagements()}
	case "organic_metrics":
		view[field] = map[string]int{"impression_count": m.impressions, "like_count": m.likes, "reply_count": m.replies,
			s.words.reposts:   m.reposts,
			"url_link_clicks": m.clicks, "user_profile_clicks": 0}
	}
	return nil
}

// viewFiles returns a post's files.
func (n *network) viewFiles(post sim.Post, s selection) []map[string]any {
	row, _ := n.tweets.Get(post.ID)
	var views []map[string]any
	for i, file := range post.Media {
		view := map[string]any{"media_key": row.MediaKeys[i], "type": mediaKind(row.MediaKeys[i])}
		if slices.Contains(s.mediaFields, "alt_text") && file.AltText != "" {
			view["alt_text"] = file.AltText
		}
		if slices.Contains(s.mediaFields, "public_metrics") && view["type"] == "video" {
			view["public_metrics"] = map[string]int{"view_count": n.measure(post).impressions}
		}
		if slices.Contains(s.mediaFields, "non_public_metrics") && view["type"] == "video" {
			view["non_public_metrics"] = map[string]int{"playback_0_count": 0, "playback_25_count": 0,
				"playback_50_count": 0, "playback_75_count": 0, "playback_100_count": 0}
		}
		views = append(views, view)
	}
	return views
}

// mediaKind returns a file's kind from its key.
func mediaKind(key string) string {
	switch {
	case strings.HasPrefix(key, "13_"):
		return "video"
	case strings.HasPrefix(key, "16_"):
		return "animated_gif"
	default:
		return "photo"
	}
}

// metrics is how people reacted to a post. Likes come from the controls; the rest is derived from them.
type metrics struct {
	likes, replies, reposts, quotes, impressions, clicks int
}

func (n *network) measure(post sim.Post) metrics {
	m := metrics{likes: n.env.Likes(post), replies: n.env.Posts.CountChildren(post.ID, sim.KindComment),
		reposts: n.env.Posts.CountChildren(post.ID, sim.KindRepost),
		quotes:  n.env.Posts.CountQuotes(post.ID)}
	m.impressions = post.ViewsOr(20*m.likes + 10*m.reposts + 5*m.replies)
	if len(findURLs(post.Text)) > 0 {
		m.clicks = m.likes
	}
	return m
}

func (m metrics) engagements() int { return m.likes + m.replies + m.reposts + m.clicks }
