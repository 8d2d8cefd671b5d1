package facebook

import (
	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// postSource returns the fields of a post. It needs a running View or Update.
func (n *network) postSource(c *graph.Call, post sim.Post) graph.Source {
	details, _ := n.pagePosts.Get(post.ID)
	page, _ := n.Env.Accounts.Get(post.AccountID)
	return func(f graph.Field) (any, bool) {
		switch f.Name {
		case "id":
			return n.wireID(post), true
		case "message":
			return textOrNil(post.Text), true
		case "created_time", "updated_time":
			return graph.Timestamp(post.CreatedAt), true
		case "permalink_url":
			return n.Env.URL(c.Request, n.PostPath(post, page)), true
		case "is_published":
			return true, true
		case "scheduled_publish_time", "story":
			return nil, true
		case "from":
			return graph.Object{"id": page.ID, "name": page.Name}, true
		case "full_picture":
			return n.pictureOf(c, post), true
		case "status_type":
			return statusType(details), true
		case "attachments":
			return n.attachments(c, post, details), true
		default:
			return n.engagement(post, f)
		}
	}
}

func (n *network) pictureOf(c *graph.Call, post sim.Post) any {
	if len(post.Media) == 0 {
		return nil
	}
	return n.FileURL(c, post.Media[0])
}

func statusType(details pagePost) string {
	switch {
	case details.VideoID != "":
		return "added_video"
	case len(details.Photos) > 0:
		return "added_photos"
	case details.Link != "":
		return "shared_story"
	default:
		return "mobile_status_update"
	}
}

// attachments returns the attachments of a post.
func (n *network) attachments(c *graph.Call, post sim.Post, details pagePost) any {
	var shown graph.Object
	switch {
	case details.VideoID != "":
		shown = graph.Object{"media_type": "video", "type": "video_inline",
			"target": graph.Object{"id": details.VideoID}, "url": n.Env.URL(c.Request, "/reel/"+details.VideoID)}
	case len(details.Photos) == 1:
		shown = n.photoAttachment(c, post, 0, details.Photos[0])
	case len(details.Photos) > 1:
		var photos []graph.Object
		for i, id := range details.Photos {
			photos = append(photos, n.photoAttachment(c, post, i, id))
		}
		shown = graph.Object{"media_type": "album", "type": "album", "target": graph.Object{"id": details.Photos[0]},
			"subattachments": graph.Object{"data": photos}}
	case details.Link != "":
		shown = graph.Object{"media_type": "link", "type": "share", "url": details.Link,
			"target": graph.Object{"url": details.Link}}
	default:
		return nil
	}
	return graph.Object{"data": []graph.Object{shown}}
}

func (n *network) photoAttachment(c *graph.Call, post sim.Post, index int, id string) graph.Object {
	return graph.Object{"media_type": "photo", "type": "photo", "target": graph.Object{"id": id},
		"media": graph.Object{"image": graph.Object{"src": n.FileURL(c, post.Media[index])}}}
}

// engagement returns the number of reactions to a post. Shares are omitted if there are none.
func (n *network) engagement(post sim.Post, f graph.Field) (any, bool) {
	r := n.Receive(post)
	switch f.Name {
	case "shares":
		if r.Reposts == 0 {
			return nil, true
		}
		return graph.Object{"count": r.Reposts}, true
	case "reactions", "likes":
		return summarized([]graph.Object{}, f, graph.Object{"total_count": r.Likes}), true
	case "comments":
		return summarized(n.commentObjects(post.ID, f), f,
			graph.Object{"total_count": r.Comments, "order": "chronological", "can_comment": true}), true
	default:
		return nil, false
	}
}

// summarized returns a list inside a node, with the requested summary.
func summarized(data []graph.Object, f graph.Field, summary graph.Object) any {
	list := map[string]any{"data": data}
	if f.Options["summary"] != "" {
		list["summary"] = summary
	}
	return list
}

// draftSource returns the fields of a post that is not public.
func (n *network) draftSource(c *graph.Call, d draft) graph.Source {
	values := map[string]any{"id": d.ID, "message": textOrNil(d.Message), "created_time": graph.Timestamp(d.CreatedAt),
		"is_published": false, "scheduled_publish_time": nil,
		"permalink_url": n.Env.URL(c.Request, "/"+d.ID)}
	if !d.PublishAt.IsZero() {
		values["scheduled_publish_time"] = d.PublishAt.Unix()
	}
	return graph.Lookup(values)
}
