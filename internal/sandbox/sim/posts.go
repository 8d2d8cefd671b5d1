package sim

import "time"

// Kind is the kind of a post on a timeline.
type Kind string

// The kinds. Every reply is a comment, including the later parts of a thread.
const (
	KindPost    Kind = "post"
	KindComment Kind = "comment"
	KindRepost  Kind = "repost"
)

// Post is one entry of a timeline. Data that only its network needs is stored in a table of the network.
type Post struct {
	ID        string    `json:"id"`
	AccountID string    `json:"account"`
	Kind      Kind      `json:"kind"`
	ParentID  string    `json:"parent,omitempty"` // the target of a comment, a repost or a quote
	QuotedID  string    `json:"quoted,omitempty"` // what a comment also quotes; see Quotes
	Text      string    `json:"text,omitempty"`
	Media     []Media   `json:"media,omitempty"`
	CreatedAt time.Time `json:"created"`
	DeletedAt time.Time `json:"deleted,omitzero"`
	Likes     int       `json:"likes,omitempty"`
	Settled   bool      `json:"settled,omitempty"` // its likes were set and do not grow
	Views     *int      `json:"views,omitempty"`   // number of views, once set
}

// Deleted reports whether the post was deleted.
func (p Post) Deleted() bool { return !p.DeletedAt.IsZero() }

// Quotes returns the id of the post that this one quotes, or "".
func (p Post) Quotes() string {
	switch p.Kind {
	case KindPost:
		return p.ParentID
	case KindComment:
		return p.QuotedID
	default:
		return ""
	}
}

// Posts holds everything that was ever published on a network, with indexes for fast queries. All methods need a
// running View or Update of the store.
type Posts struct {
	table     *Table[Post]
	byAccount map[string][]string
	roots     []string
	children  map[string][]string
	quotes    map[string][]string
}

func newPosts(s *Store) *Posts {
	p := &Posts{table: NewTable[Post](s, "posts"), byAccount: map[string][]string{}, children: map[string][]string{},
		quotes: map[string][]string{}}
	p.table.Watch(p.index)
	return p
}

func (p *Posts) index(id string, before, after *Post) {
	if before != nil {
		return
	}
	p.byAccount[after.AccountID] = append(p.byAccount[after.AccountID], id)
	if after.ParentID != "" {
		p.children[after.ParentID] = append(p.children[after.ParentID], id)
	}
	if quoted := after.Quotes(); quoted != "" {
		p.quotes[quoted] = append(p.quotes[quoted], id)
	}
	if after.Kind != KindComment {
		p.roots = append(p.roots, id)
	}
}

// Watch calls fn for every change of a post; see [Table.Watch].
func (p *Posts) Watch(fn func(id string, before, after *Post)) { p.table.Watch(fn) }

// Get returns a post, even a deleted one.
func (p *Posts) Get(id string) (Post, bool) { return p.table.Get(id) }

// Live returns a post that is not deleted.
func (p *Posts) Live(id string) (Post, bool) {
	post, ok := p.table.Get(id)
	return post, ok && !post.Deleted()
}

// Put writes a new or changed post. A new post needs a new id.
func (p *Posts) Put(tx *Tx, post Post) { p.table.Put(tx, post.ID, post) }

// Delete deletes a post. It stays on the timeline, struck through.
func (p *Posts) Delete(tx *Tx, post Post) {
	post.DeletedAt = tx.Now()
	p.Put(tx, post)
}

// ByAccount returns the ids of an account's posts, oldest first. The slice must not be changed or retained.
func (p *Posts) ByAccount(accountID string) []string { return p.byAccount[accountID] }

// Children returns the ids of the comments on, reposts and quotes of a post, oldest first. The slice must not be
// changed or retained.
func (p *Posts) Children(id string) []string { return p.children[id] }

// CountChildren returns how many of a post's comments or reposts are not deleted.
func (p *Posts) CountChildren(id string, kind Kind) int {
	n := 0
	for _, child := range p.children[id] {
		if post, ok := p.Live(child); ok && post.Kind == kind {
			n++
		}
	}
	return n
}

// CountQuotes returns how many quotes of a post are not deleted: posts, and comments that also quote it.
func (p *Posts) CountQuotes(id string) int {
	n := 0
	for _, quote := range p.quotes[id] {
		if _, ok := p.Live(quote); ok {
			n++
		}
	}
	return n
}

// Roots returns the ids of all posts and reposts, oldest first. The slice must not be changed or retained.
func (p *Posts) Roots() []string { return p.roots }
