package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// outcome is the outcome of a post on one account. It is empty for an account that was refused, because it had lost its
// consent.
type outcome struct {
	id     crier.ID
	status crier.ScheduledPostStatus
	action crier.ScheduledPostStatus // of the comment that follows; empty if there was none
	parts  int                       // public according to crier
}

// check compares crier's records with the networks' timelines.
func (c *chaos) check() {
	seen := map[string]int{} // by network, account and text
	for _, p := range c.box.Posts(c.t, url.Values{}) {
		text, _, _ := strings.Cut(p.Text, "\n") // a video shows its title first
		seen[p.Provider+" "+p.AccountID+" "+text]++
	}
	counts := map[crier.ScheduledPostStatus]int{}
	for _, p := range c.plans {
		for _, on := range p.on {
			v, found := c.outcome(p, on)
			if refusal := p.refused[on.ID]; found == (refusal != nil) {
				c.t.Errorf("%s on %s: it has a scheduled post: %v; it was refused: %+v", p.parts[0], on.Network, found,
					refusal)
			}
			if found {
				counts[v.status]++
			}
			c.checkParts(p, on, v, seen)
		}
	}
	c.t.Logf("what became of them: %v", counts)
	if counts[crier.Published] < counts[crier.Failed]+counts[crier.Missed]+counts[crier.Unknown] {
		c.t.Errorf("less than half was published: %v", counts)
	}
	c.checkBooks()
}

// outcome reads the outcome of a post on an account from crier.
func (c *chaos) outcome(p *plan, on servertest.Account) (v outcome, found bool) {
	e := c.staging
	row := e.Node.Store.Reader().QueryRowContext(context.Background(), `SELECT p.id, p.status, coalesce(a.status, '')
		FROM publications p LEFT JOIN publications a ON a.parent_id = p.id
		WHERE p.post_id = $1 AND p.social_account_id = $2 AND p.kind = 'post'`, p.post, on.ID)
	switch err := row.Scan(&v.id, &v.status, &v.action); {
	case errors.Is(err, sql.ErrNoRows):
		return v, false
	case err != nil:
		c.t.Fatal(err)
	}
	v.parts = len(e.Publication(c.t, p.crew, v.id).PublishResults.PlatformPostIDs)
	return v, true
}

// checkParts fails the test when a part is public twice, or is public or missing contrary to crier's records.
func (c *chaos) checkParts(p *plan, on servertest.Account, v outcome, seen map[string]int) {
	problem := func(format string, args ...any) {
		c.t.Errorf("%s on %s is %q, its comment %q: %s", p.parts[0], on.Network, v.status, v.action,
			fmt.Sprintf(format, args...))
		if v.id != "" {
			c.t.Log(c.staging.History(c.t, p.crew, v.id))
		}
	}
	times := func(text string) int { return seen[on.Network+" "+on.Remote+" "+text] }
	for i, text := range p.parts {
		switch n, said := times(text), i < v.parts; {
		case n > 1:
			problem("%q is public %d times", text, n)
		case said && n == 0:
			problem("%q is said to be public and is not", text)
		case !said && n > 0 && v.status != crier.Unknown:
			problem("%q is public, and crier does not know", text)
		}
	}
	if v.status == crier.Published && v.parts != len(p.parts) {
		problem("%d parts are said to be public", v.parts)
	}
	if v.status.Live() && v.status != crier.Unknown {
		problem("it is not over")
	}
	comment := p.comment + p.thanks // a post has one of them at most
	if comment == "" {
		return
	}
	switch n := times(comment); {
	case n > 1:
		problem("the comment is public %d times", n)
	case (v.action == crier.Published) != (n == 1) && v.action != crier.Unknown:
		problem("the comment is public %d times", n)
	}
}

// checkBooks fails the test when credits were lost, or when a job still waits for work that is done.
func (c *chaos) checkBooks() {
	e := c.staging
	for _, crew := range c.crews {
		e.Balanced(c.t, crew)
	}
	if n := e.Number(c.t, `SELECT count(*) FROM publications
		WHERE reserved_credits <> 0 AND status <> 'unknown'`); n != 0 {
		c.t.Errorf("%d publications are over and still hold credits", n)
	}
	// The job engine removes the jobs of dead nodes minutes later; the rows do not wait for that.
	stuck := func() int64 {
		return e.Number(c.t, `SELECT count(*) FROM river_job WHERE kind = 'post.publish'
			AND state IN ('available', 'retryable') AND scheduled_at <= $1`, crier.TimeOf(time.Now()))
	}
	servertest.Until(c.t, func() bool { return stuck() == 0 },
		func() string { return fmt.Sprintf("%d jobs are stuck", stuck()) })
}
