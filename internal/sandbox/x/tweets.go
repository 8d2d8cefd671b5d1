package x

import (
	"net/http"
	"slices"

	"crier/internal/sandbox/sim"
)

func (n *network) registerTweets() {
	n.route("POST /2/tweets", sim.Publish, postTweet, n.createTweet)
	n.route("DELETE /2/tweets/{id}", sim.Delete, deleteTweet, n.removeTweet)
	n.route("POST /2/users/{id}/retweets", sim.Publish, postRetweet, n.retweet)
	n.route("DELETE /2/users/{id}/retweets/{tweet}", sim.Delete, deleteRetweet, n.unretweet)
}

// tweet is X's own data of a post.
type tweet struct {
	ConversationID string        `json:"conversation"`
	ReplyTo        string        `json:"replyTo,omitempty"`
	Quotes         string        `json:"quotes,omitempty"`
	Retweets       string        `json:"retweets,omitempty"`
	MediaKeys      []string      `json:"mediaKeys,omitempty"`
	ReplySettings  string        `json:"replySettings,omitempty"`
	Poll           *pollInput    `json:"poll,omitempty"`
	Labels         *labelsOfPost `json:"labels,omitempty"`
	Hidden         bool          `json:"hidden,omitempty"`
	// Price is what the post cost, in thousandths of a dollar.
	Price int `json:"price,omitempty"`
}

type labelsOfPost struct {
	MadeWithAI      bool   `json:"madeWithAi,omitempty"`
	PaidPartnership bool   `json:"paidPartnership,omitempty"`
	CommunityID     string `json:"communityId,omitempty"`
}

// followTweets updates the app's bill, even while the journal is read.
func (n *network) followTweets(_ string, before, after *tweet) {
	if before == nil && after != nil {
		n.charge(after.Price)
	}
}

type tweetInput struct {
	Text                  *string     `json:"text"`
	Media                 *mediaInput `json:"media"`
	Poll                  *pollInput  `json:"poll"`
	QuoteTweetID          string      `json:"quote_tweet_id"`
	CardURI               string      `json:"card_uri"`
	DirectMessageDeepLink string      `json:"direct_message_deep_link"`
	Reply                 *replyInput `json:"reply"`
	ReplySettings         string      `json:"reply_settings"`
	CommunityID           string      `json:"community_id"`
	ShareWithFollowers    bool        `json:"share_with_followers"`
	ForSuperFollowersOnly bool        `json:"for_super_followers_only"`
	Nullcast              bool        `json:"nullcast"`
	MadeWithAI            bool        `json:"made_with_ai"`
	PaidPartnership       bool        `json:"paid_partnership"`
	Geo                   *struct {
		PlaceID string `json:"place_id"`
	} `json:"geo"`
	EditOptions *struct {
		PreviousPostID string `json:"previous_post_id"`
	} `json:"edit_options"`
}

type mediaInput struct {
	MediaIDs       []string `json:"media_ids"`
	TaggedUserIDs  []string `json:"tagged_user_ids"`
	PreviewMediaID string   `json:"preview_media_id"`
	Title          string   `json:"title"`
	Description    string   `json:"description"`
	Embeddable     *bool    `json:"embeddable"`
	CallToActions  any      `json:"call_to_actions"`
}

type pollInput struct {
	Options         []string `json:"options"`
	DurationMinutes int      `json:"duration_minutes"`
}

type replyInput struct {
	InReplyTo           string   `json:"in_reply_to_tweet_id"`
	ExcludeReplyUserIDs []string `json:"exclude_reply_user_ids"`
	AutoPopulate        *bool    `json:"auto_populate_reply_metadata"`
}

// text returns the text of the post, or "".
func (in tweetInput) text() string {
	if in.Text == nil {
		return ""
	}
	return *in.Text
}

// createTweet publishes a post.
func (n *network) createTweet(r *http.Request, c caller) sim.Reply {
	var in tweetInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return invalid("", "", err.Error())
	}
	if refusal := in.check(); refusal != nil {
		return *refusal
	}
	var view map[string]any
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		files, refusal := n.attach(in, c)
		if refusal != nil {
			return refusal
		}
		price, refusal := n.admit(tx, in, c)
		if refusal != nil {
			return refusal
		}
		view = n.publish(tx, in, c, files, price)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusCreated, Body: data{view}}
}

// attach returns the files of the post, all of which must be the caller's and ready.
func (n *network) attach(in tweetInput, c caller) ([]medium, *sim.Reply) {
	if in.Media == nil {
		return nil, nil
	}
	badIDs := refuse(problemReply(http.StatusBadRequest,
		problemBody{Title: "Invalid Request", Type: problemType + "invalid-request",
			Detail: "One or more parameters to your request was invalid.",
			Errors: []problemError{{Parameters: map[string][]string{"media.media_ids": in.Media.MediaIDs},
				Message: "Your media IDs are invalid."}}}))
	var files []medium
	moving := 0
	for _, id := range in.Media.MediaIDs {
		m, ok := n.find(id, c)
		if !ok || m.state(n.env.Now(), n.env.Options.ProcessingTime) != "succeeded" || m.Category == "subtitles" {
			return nil, badIDs
		}
		if m.needsProcessing() || m.Digest.Type == "image/gif" {
			moving++
		}
		files = append(files, m)
	}
	if moving > 0 && len(files) > 1 {
		return nil, badIDs
	}
	return files, nil
}

// publish writes the post and returns it for the response.
func (n *network) publish(tx *sim.Tx, in tweetInput, c caller, files []medium, price int) map[string]any {
	post := sim.Post{ID: newID(tx), AccountID: c.accountID, Kind: sim.KindPost, ParentID: in.parent(), Text: in.text(),
		CreatedAt: tx.Now()}
	row := tweet{ConversationID: post.ID, Quotes: in.QuoteTweetID, ReplySettings: in.ReplySettings, Poll: in.Poll,
		Price: price}
	if in.MadeWithAI || in.PaidPartnership || in.CommunityID != "" {
		row.Labels = &labelsOfPost{MadeWithAI: in.MadeWithAI, PaidPartnership: in.PaidPartnership,
			CommunityID: in.CommunityID}
	}
	if in.Reply != nil {
		parent, _ := n.tweets.Get(in.Reply.InReplyTo)
		post.Kind, post.QuotedID = sim.KindComment, in.QuoteTweetID
		row.ReplyTo, row.ConversationID = in.Reply.InReplyTo, parent.ConversationID
	}
	for _, file := range files {
		post.Media = append(post.Media, file.sim())
		row.MediaKeys = append(row.MediaKeys, file.key())
	}
	n.env.Posts.Put(tx, post)
	n.tweets.Put(tx, post.ID, row)
	author, _ := n.env.Accounts.Get(c.accountID)
	text, _ := render(post, author)
	return map[string]any{"id": post.ID, "text": text, "edit_history_tweet_ids": []string{post.ID}}
}

// own returns a post of the caller that is not deleted, or the rejection.
func (n *network) own(id string, c caller) (sim.Post, *sim.Reply) {
	post, ok := n.env.Posts.Live(id)
	switch {
	case !ok:
		return post, refuse(problemReply(http.StatusNotFound, tweetNotFound("id", id)))
	case post.AccountID != c.accountID:
		return post, refuse(notPermitted())
	}
	return post, nil
}

// removeTweet deletes a post; its replies stay.
func (n *network) removeTweet(r *http.Request, c caller) sim.Reply {
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		post, refusal := n.own(r.PathValue("id"), c)
		if refusal == nil {
			n.env.Posts.Delete(tx, post)
		}
		return refusal
	})
	return n.undone(refusal, map[string]bool{"deleted": true})
}

// undone returns the response to an action that undoes something, and charges for it.
func (n *network) undone(refusal *sim.Reply, body map[string]bool) sim.Reply {
	if refusal != nil {
		return *refusal
	}
	n.charge(priceUndo)
	return sim.Reply{Status: http.StatusOK, Body: data{body}}
}

// retweet reposts a post. Repeating it has no effect.
func (n *network) retweet(r *http.Request, c caller) sim.Reply {
	var in struct {
		TweetID string `json:"tweet_id"`
	}
	if err := sim.DecodeStrictJSON(r, &in); err != nil || in.TweetID == "" {
		return invalid("tweet_id", in.TweetID, "The `tweet_id` field is missing")
	}
	if r.PathValue("id") != c.accountID {
		return notPermitted()
	}
	id := ""
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if _, live := n.env.Posts.Live(in.TweetID); !live {
			return refuse(invalid("tweet_id", in.TweetID, "Could not find tweet with tweet_id: ["+in.TweetID+"]."))
		}
		if known, ok := n.retweetOf(in.TweetID, c.accountID); ok {
			id = known.ID
			return nil
		}
		id = newID(tx)
		n.env.Posts.Put(tx, sim.Post{ID: id, AccountID: c.accountID, Kind: sim.KindRepost, ParentID: in.TweetID,
			CreatedAt: tx.Now()})
		n.tweets.Put(tx, id, tweet{ConversationID: id, Retweets: in.TweetID, Price: priceRepost})
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: data{map[string]any{"retweeted": true, "rest_id": id}}}
}

// retweetOf returns an account's repost of a post, unless it was undone.
func (n *network) retweetOf(id, accountID string) (sim.Post, bool) {
	for _, child := range slices.Backward(n.env.Posts.Children(id)) {
		if post, live := n.env.Posts.Live(child); live && post.Kind == sim.KindRepost && post.AccountID == accountID {
			return post, true
		}
	}
	return sim.Post{}, false
}

// unretweet undoes a repost.
func (n *network) unretweet(r *http.Request, c caller) sim.Reply {
	if r.PathValue("id") != c.accountID {
		return notPermitted()
	}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if post, ok := n.retweetOf(r.PathValue("tweet"), c.accountID); ok {
			n.env.Posts.Delete(tx, post)
		}
		return nil
	})
	return n.undone(refusal, map[string]bool{"retweeted": false})
}
