package linkedin

import (
	"net/http"

	"crier/internal/sandbox/sim"
)

func (n *network) registerReactions() {
	n.rest("GET /rest/socialMetadata/{urn}", sim.Read, n.getMetadata)
	n.rest("POST /rest/socialMetadata/{urn}", sim.Comment, n.setMetadata)
}

// metadata is the settings of a post's conversation.
type metadata struct {
	IsClosed bool `json:"closed"`
}

type reactionSummary struct {
	ReactionType string `json:"reactionType"`
	Count        int    `json:"count"`
}

type metadataView struct {
	Entity            string                     `json:"entity"`
	ReactionSummaries map[string]reactionSummary `json:"reactionSummaries"`
	CommentSummary    struct {
		Count         int `json:"count"`
		TopLevelCount int `json:"topLevelCount"`
	} `json:"commentSummary"`
	CommentsState string `json:"commentsState"`
}

// getMetadata returns the number of reactions and comments. Likes of the controls are likes.
func (n *network) getMetadata(r *http.Request, c caller) sim.Reply {
	var reply sim.Reply
	n.env.View(func() {
		post, found := n.resolve(r.PathValue("urn"))
		switch {
		case !c.may("r_organization_social", "r_organization_social_feed"):
			reply = denied("partnerApiSocialMetadata.GET.20260701")
		case !found:
			reply = notFound(r.PathValue("urn"))
		case !n.mayRead(c, post.AccountID):
			reply = denied("socialMetadata.GET.20260701")
		default:
			reply = sim.Reply{Status: http.StatusOK, Body: n.viewMetadata(post)}
		}
	})
	return reply
}

func (n *network) viewMetadata(post sim.Post) metadataView {
	view := metadataView{Entity: activityPrefix + urnNumber(post.ID), ReactionSummaries: map[string]reactionSummary{},
		CommentsState: "OPEN"}
	for kind, count := range n.reactionsOf(post) {
		view.ReactionSummaries[kind] = reactionSummary{ReactionType: kind, Count: count}
	}
	view.CommentSummary.Count = len(n.descendants(post.ID))
	view.CommentSummary.TopLevelCount = n.env.Posts.CountChildren(post.ID, sim.KindComment)
	if row, _ := n.metadata.Get(post.ID); row.IsClosed {
		view.CommentsState = "CLOSED"
	}
	return view
}

// reactionsOf returns the number of reactions by kind. It needs a running View or Update.
func (n *network) reactionsOf(post sim.Post) map[string]int {
	counts := map[string]int{}
	if likes := n.env.Likes(post); likes > 0 {
		counts["LIKE"] = likes
	}
	return counts
}

// setMetadata opens or closes the comments of a post. Closing deletes the existing ones.
func (n *network) setMetadata(r *http.Request, c caller) sim.Reply {
	if !isMethod(r, "PARTIAL_UPDATE", true) {
		return wrongMethod("PARTIAL_UPDATE")
	}
	var in struct {
		Patch struct {
			Set struct {
				CommentsState string `json:"commentsState"`
			} `json:"$set"`
		} `json:"patch"`
	}
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return unprocessable("ERROR :: " + err.Error())
	}
	state := in.Patch.Set.CommentsState
	if state != "OPEN" && state != "CLOSED" {
		return badField("INVALID_VALUE_FOR_FIELD", "ERROR :: /patch/$set/commentsState :: must be OPEN or CLOSED")
	}
	return n.changed(http.StatusNoContent, func(tx *sim.Tx) *sim.Reply {
		post, found := n.resolve(r.PathValue("urn"))
		switch actor := r.URL.Query().Get("actor"); {
		case !found:
			return refuse(notFound(r.PathValue("urn")))
		case actor != post.AccountID || !n.actsAs(c, actor, memberFeed, organizationFeed):
			return refuse(denied("partnerApiSocialMetadata.PARTIAL_UPDATE.20260701"))
		}
		n.metadata.Put(tx, post.ID, metadata{IsClosed: state == "CLOSED"})
		if state == "CLOSED" {
			for _, comment := range n.descendants(post.ID) {
				n.env.Posts.Delete(tx, comment)
			}
		}
		return nil
	})
}
