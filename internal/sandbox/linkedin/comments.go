package linkedin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"crier/internal/sandbox/sim"
)

// maxComment is the maximum length of a comment.
const maxComment = 1250

func (n *network) registerComments() {
	n.rest("POST /rest/socialActions/{urn}/comments", sim.Comment, n.commentAsPartner)
	n.rest("GET /rest/socialActions/{urn}/comments", sim.Read, n.listComments)
	n.rest("DELETE /rest/socialActions/{urn}/comments/{id}", sim.Delete, n.deleteComment(memberFeed, organizationFeed))
	n.plain("POST /v2/socialActions/{urn}/comments", sim.Comment, n.commentAsAnyone)
	n.plain("DELETE /v2/socialActions/{urn}/comments/{id}", sim.Delete, n.deleteComment(memberAny, organizationAny))
}

// The versioned API lets only partners comment; the older one everyone who may post.
var (
	memberFeed       = []string{"w_member_social_feed"}
	organizationFeed = []string{"w_organization_social_feed"}
	memberAny        = []string{"w_member_social", "w_member_social_feed"}
	organizationAny  = []string{"w_organization_social", "w_organization_social_feed"}
)

type commentInput struct {
	Actor         string `json:"actor"`
	Object        string `json:"object"`
	ParentComment string `json:"parentComment"`
	Message       struct {
		Attributes []any  `json:"attributes"`
		Text       string `json:"text"`
	} `json:"message"`
}

func (n *network) commentAsPartner(r *http.Request, c caller) sim.Reply {
	if !c.may("w_member_social_feed", "w_organization_social_feed") {
		return denied("partnerApiSocialActions.CREATE.20260701")
	}
	return n.comment(r, c, memberFeed, organizationFeed)
}

func (n *network) commentAsAnyone(r *http.Request, c caller) sim.Reply {
	return n.comment(r, c, memberAny, organizationAny)
}

// comment comments on a post or a comment.
func (n *network) comment(r *http.Request, c caller, memberScopes, organizationScopes []string) sim.Reply {
	var in commentInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return unprocessable("ERROR :: " + err.Error())
	}
	if refusal := in.check(); refusal != nil {
		return *refusal
	}
	var view commentView
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if !n.actsAs(c, in.Actor, memberScopes, organizationScopes) {
			return refuse(denied("socialActions.CREATE.20260701"))
		}
		target, root, refusal := n.commented(r.PathValue("urn"), in)
		if refusal != nil {
			return refusal
		}
		number := strconv.FormatUint(tx.NextSeq(), 10)
		post := sim.Post{ID: commentURN(root, number), AccountID: in.Actor, Kind: sim.KindComment, ParentID: target.ID,
			Text: in.Message.Text, CreatedAt: tx.Now()}
		n.env.Posts.Put(tx, post)
		view = viewComment(post)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusCreated, Body: view}.With("x-restli-id", view.ID)
}

func (in commentInput) check() *sim.Reply {
	switch {
	case in.Actor == "":
		return refuse(badField("MISSING_FIELD", "ERROR :: /actor :: field is required but not found"))
	case in.Object == "":
		return refuse(badField("MISSING_FIELD", "ERROR :: /object :: field is required but not found"))
	case strings.TrimSpace(in.Message.Text) == "":
		return refuse(badField("INVALID_VALUE_BLANK_FIELD", "ERROR :: /message/text :: must not be blank"))
	case length(in.Message.Text) > maxComment:
		return refuse(badField("FIELD_LENGTH_TOO_LONG", "ERROR :: /message/text :: must have at most %d characters",
			maxComment))
	}
	return nil
}

// commented returns the target of a comment, and its root post.
func (n *network) commented(urn string, in commentInput) (target, root sim.Post, refusal *sim.Reply) {
	target, found := n.resolve(urn)
	root = target
	for root.Kind == sim.KindComment {
		root, _ = n.env.Posts.Get(root.ParentID)
	}
	object, hasObject := n.resolve(in.Object)
	row, _ := n.metadata.Get(root.ID)
	switch {
	case !found:
		return target, root, refuse(notFound(urn))
	case !hasObject || object.ID != root.ID:
		return target, root, refuse(badField("INVALID_URN_ID", "ERROR :: /object :: %s is not what is commented on",
			in.Object))
	case target.Kind == sim.KindComment && in.ParentComment != target.ID:
		return target, root, refuse(badField("INVALID_URN_ID", "ERROR :: /parentComment :: must be %s", target.ID))
	case row.IsClosed:
		return target, root, refuse(restError(http.StatusForbidden, 0, "ACCESS_DENIED",
			"Comments on "+root.ID+" are closed"))
	}
	return target, root, nil
}

// commentURN returns the URN of a comment from its thread and its number.
func commentURN(root sim.Post, number string) string {
	return "urn:li:comment:(" + activityPrefix + urnNumber(root.ID) + "," + number + ")"
}

type stamp struct {
	Actor string `json:"actor"`
	Time  int64  `json:"time"`
}

type commentView struct {
	Actor        string         `json:"actor"`
	CommentURN   string         `json:"commentUrn"`
	Created      stamp          `json:"created"`
	ID           string         `json:"id"`
	LastModified stamp          `json:"lastModified"`
	Message      map[string]any `json:"message"`
	Object       string         `json:"object"`
}

func viewComment(p sim.Post) commentView {
	activity, number, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(p.ID, "urn:li:comment:("), ")"), ",")
	by := stamp{Actor: p.AccountID, Time: millis(p.CreatedAt)}
	return commentView{Actor: p.AccountID, CommentURN: p.ID, Created: by, LastModified: by, ID: number,
		Object:  activity,
		Message: map[string]any{"attributes": []any{}, "text": p.Text}}
}

// listComments returns the comments on an organization's post.
func (n *network) listComments(r *http.Request, c caller) sim.Reply {
	start, count, refusal := parsePage(r)
	if refusal != nil {
		return *refusal
	}
	if !c.may("r_organization_social_feed", "r_organization_social") {
		return denied("partnerApiSocialActions.GET_ALL.20260701")
	}
	reply := notFound(r.PathValue("urn"))
	n.env.View(func() {
		target, found := n.resolve(r.PathValue("urn"))
		if !found {
			return
		}
		list := []commentView{}
		for _, id := range n.env.Posts.Children(target.ID) {
			if post, live := n.env.Posts.Live(id); live && post.Kind == sim.KindComment {
				list = append(list, viewComment(post))
			}
		}
		page := list[min(start, len(list)):min(start+count, len(list))]
		reply = sim.Reply{Status: http.StatusOK,
			Body: elements{Paging: paging{Start: start, Count: count, Total: len(list), Links: []any{}},
				Elements: page}}
	})
	return reply
}

// deleteComment deletes a comment.
func (n *network) deleteComment(memberScopes, organizationScopes []string) handler {
	return func(r *http.Request, c caller) sim.Reply {
		return n.changed(http.StatusNoContent, func(tx *sim.Tx) *sim.Reply {
			root, found := n.resolve(r.PathValue("urn"))
			post, _ := n.env.Posts.Get(commentURN(root, r.PathValue("id")))
			actor := r.URL.Query().Get("actor")
			switch {
			case !found || post.ID == "":
				return refuse(notFound(r.PathValue("id")))
			case post.AccountID != actor || !n.actsAs(c, actor, memberScopes, organizationScopes):
				return refuse(denied("partnerApiSocialActions.DELETE.20260701"))
			case !post.Deleted():
				n.env.Posts.Delete(tx, post)
			}
			return nil
		})
	}
}

// descendants returns all comments on a post that are not deleted. It needs a running View or Update.
func (n *network) descendants(id string) []sim.Post {
	var list []sim.Post
	for _, child := range n.env.Posts.Children(id) {
		if post, live := n.env.Posts.Live(child); live && post.Kind == sim.KindComment {
			list = append(list, post)
			list = slices.Concat(list, n.descendants(child))
		}
	}
	return list
}
