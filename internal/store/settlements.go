package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// Settlement holds everything that one decision about a publication changes: the row, the attempt that led to it, and
// the rows that follow. The credits are booked by AddCredits afterwards, in the same transaction.
type Settlement struct {
	// Publication is the new state of the row. Writing it ends the lease.
	Publication Publication
	// Epoch is the epoch of the row that the decision is based on. A row with a newer epoch is not changed.
	Epoch int64
	// Owner is the worker, which must still hold the lease; empty for a decision made under LockPublication.
	Owner crier.ID
	// Attempt is the attempt with its result; nil for none.
	Attempt *Attempt
	// Public is true if the attempt published something: this is recorded nowhere else.
	Public bool
	// Resolved are earlier attempts whose outcome is known now.
	Resolved []ResolvedAttempt
	// Health is the new health of the account; nil for no change.
	Health *AccountHealth
	// Actions are the actions to follow the publication.
	Actions []Publication
	// ParentResults are the results that an action adds to the publication that it follows; nil for none.
	ParentResults *ActionResults
	// Next is the next publication of a series; nil for none.
	Next *NextPublication

	// Written is false if the row was changed without its worker; then nothing follows.
	Written bool

	// row is the row of settle, if it was encoded before.
	row encodedRow
}

// Encode encodes the rows that WriteSettlements writes at a time. Nothing may be changed afterwards. It is optional.
func (s *Settlement) Encode(now crier.Time) (err error) {
	if s.row, err = s.settledRow(now); err != nil || s.Attempt == nil || s.Attempt.SendBefore == nil {
		return err
	}
	s.Attempt.end, err = s.Attempt.endRow()
	return err
}

// ResolvedAttempt is the outcome of an attempt whose result was missing or unknown.
type ResolvedAttempt struct {
	ID      crier.ID
	Outcome string
}

// ActionResults are the ids of the actions that follow a post; empty ones change nothing.
type ActionResults struct{ FirstCommentID, RepostID string }

// AccountHealth is the health of an account according to a publication.
type AccountHealth struct {
	AccountID, TeamID crier.ID
	// ConnectedAt is the connection that it is about: an account that was connected again since is not changed.
	ConnectedAt crier.Time
	// Status is written unless the account was disconnected meanwhile.
	Status         crier.AccountStatus
	Issue, Message *string
	Since          *crier.Time

	// Before and After are the account, set by WriteSettlements if it was written.
	Before, After *Account
}

// NextPublication is the next publication of a series. It publishes the content that the post has when it is inserted.
type NextPublication struct {
	Publication Publication
	// Cost is reserved for it if the available credits of the organization cover it.
	Cost int64

	// Written is false if the post is gone, not approved any more, or already live on the account again.
	Written bool
}

// WriteSettlements writes settlements and sets which of them were written. Locks are taken in a fixed order: posts,
// accounts, publications, organizations.
func (tx *Tx) WriteSettlements(ctx context.Context, now crier.Time, wait LockWait, list ...*Settlement) error {
	if err := tx.waitForLocks(ctx, wait); err != nil {
		return err
	}
	if err := tx.LockPosts(ctx, settledPosts(list)...); err != nil {
		return err
	}
	if err := tx.writeHealth(ctx, now, list); err != nil {
		return err
	}
	if err := tx.writeSettled(ctx, now, list); err != nil {
		return err
	}
	written := slices.DeleteFunc(slices.Clone(list), func(s *Settlement) bool { return !s.Written })
	for _, s := range written {
		if err := tx.writeFollowing(ctx, now, s); err != nil {
			return err
		}
	}
	if err := tx.writeNext(ctx, written); err != nil {
		return err
	}
	return tx.RefreshPosts(ctx, now, settledPosts(slices.DeleteFunc(written,
		func(s *Settlement) bool { return s.Publication.IsAction() }))...)
}

// settledPosts returns the posts of settlements, sorted and without duplicates.
func settledPosts(list []*Settlement) []crier.ID {
	ids := make([]crier.ID, len(list))
	for i, s := range list {
		ids[i] = s.Publication.PostID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// writeHealth writes the health of accounts, over concurrent changes.
func (tx *Tx) writeHealth(ctx context.Context, now crier.Time, list []*Settlement) error {
	var learnt []*AccountHealth
	for _, s := range list {
		if s.Health != nil {
			learnt = append(learnt, s.Health)
		}
	}
	slices.SortStableFunc(learnt, func(a, b *AccountHealth) int {
		return strings.Compare(string(a.AccountID), string(b.AccountID))
	})
	for _, h := range learnt {
		locked, err := tx.LockAccounts(ctx, h.TeamID, []crier.ID{h.AccountID})
		if err != nil {
			return err
		}
		a, ok := locked[h.AccountID]
		if !ok || a.ConnectedAt.After(h.ConnectedAt.Time) {
			continue
		}
		// A call that began before the connection ended does not tell that it goes on: the reason stays.
		if a.Status == crier.AccountRefreshNeeded && (h.Issue == nil || h.Status != crier.AccountRefreshNeeded) {
			continue
		}
		before := a
		if a.Status == crier.AccountConnected {
			a.Status = h.Status
		}
		a.AccountHealthIssue, a.AccountHealthMessage, a.AccountHealthSince = h.Issue, h.Message, h.Since
		a.UpdatedAt = now
		if err := tx.UpdateAccount(ctx, a); err != nil {
			return err
		}
		h.Before, h.After = &before, &a
	}
	return nil
}

// writeSettled writes rows and attempts. Attempts are written even if the row has changed.
func (tx *Tx) writeSettled(ctx context.Context, now crier.Time, list []*Settlement) error {
	for _, round := range splitUnique(list, settledID) {
		if err := tx.settle(ctx, now, round); err != nil {
			return err
		}
	}
	var attempts []Attempt
	for _, s := range list {
		if s.Attempt == nil {
			continue
		}
		if s.Written || !s.Public {
			attempts = append(attempts, *s.Attempt)
			continue
		}
		if err := tx.settleLate(ctx, now, s); err != nil {
			return err
		}
	}
	return tx.WriteAttempts(ctx, attempts...)
}

func settledID(s *Settlement) crier.ID { return s.Publication.ID }

// settleLate writes the result of a worker that has lost its row after its call succeeded, unless something else was
// decided meanwhile. A result that another worker has found out, or that this one has written in a commit whose
// response was lost, is not written again, because it is already paid for.
func (tx *Tx) settleLate(ctx context.Context, now crier.Time, s *Settlement) error {
	open, err := tx.EndAttempt(ctx, *s.Attempt)
	if err != nil {
		return err
	}
	current, err := tx.LockPublication(ctx, s.Publication.ID)
	if err != nil {
		return err
	}
	last, err := tx.LastSend(ctx, current)
	missing := current.Status == crier.Unknown || current.Status == crier.Publishing && open
	if err != nil || last == nil || last.ID != s.Attempt.ID || current.Epoch != s.Epoch || !missing {
		return err
	}
	forced := *s
	forced.Owner, forced.row = "", nil
	err = tx.settle(ctx, now, []*Settlement{&forced})
	s.Written = forced.Written
	return err
}

// settledRow is an input row of settle.
type settledRow struct {
	Key            crier.ID              `json:"key"`
	Epoch          int64                 `json:"epoch"`
	Owner          jsonText              `json:"owner"`
	NewEpoch       int64                 `json:"new_epoch"`
	Status         string                `json:"status"`
	ScheduledAt    jsonTime              `json:"due"`
	State          json.RawMessage       `json:"state"`
	StateSecrets   jsonBytes             `json:"secrets"`
	PlatformPostID *string               `json:"platform_post"`
	Permalink      *string               `json:"permalink"`
	PublishedAt    *jsonTime             `json:"published"`
	ErrorCode      *string               `json:"code"`
	ErrorMessage   *string               `json:"message"`
	Tries          int                   `json:"tries"`
	WakeAt         *jsonTime             `json:"wake"`
	Reserved       int64                 `json:"reserved"`
	Captured       int64                 `json:"captured"`
	Now            jsonTime              `json:"now"`
	Actions        *crier.PlannedActions `json:"planned"`
	Results        *crier.PublishResults `json:"results"`
	SlotAt         *jsonTime             `json:"slot"`
}

const settledColumns = `key uuid, epoch bigint, owner uuid, new_epoch bigint, status text, due timestamptz, state jsonb,
	secrets bytea, platform_post text, permalink text, published timestamptz, code text, message text, tries integer,
	wake timestamptz, reserved bigint, captured bigint, now timestamptz, planned jsonb, results jsonb, slot timestamptz`

func (s *Settlement) settledRow(now crier.Time) (encodedRow, error) {
	p := s.Publication
	return encodeRow(s.row, settledRow{
		Key: p.ID, Epoch: s.Epoch, Owner: jsonText(s.Owner), NewEpoch: p.Epoch, Status: string(p.Status),
		ScheduledAt: jsonTime(p.ScheduledAt), State: p.State, StateSecrets: p.StateSecrets,
		PlatformPostID: p.PlatformPostID, Permalink: p.Permalink, PublishedAt: (*jsonTime)(p.PublishedAt),
		ErrorCode: p.ErrorCode, ErrorMessage: p.ErrorMessage, Tries: p.Tries, WakeAt: (*jsonTime)(p.WakeAt),
		Reserved: p.Reserved, Captured: p.Captured, Now: jsonTime(now), Actions: &p.Actions, Results: &p.Results,
		SlotAt: (*jsonTime)(p.SlotAt),
	})
}

// settle writes rows, each at most once. Only the owner of a lease writes a leased row, unless the decision has no
// owner: then the caller has locked the row.
func (tx *Tx) settle(ctx context.Context, now crier.Time, list []*Settlement) error {
	if tx.pipe == nil {
		return tx.settleInBulk(ctx, now, list)
	}
	return tx.settleAll(ctx, now, list)
}

func (tx *Tx) settleAll(ctx context.Context, now crier.Time, list []*Settlement) error {
	var published, others []*Settlement
	for _, s := range list {
		if s.Publication.Status == crier.Published && !s.Publication.IsAction() {
			published = append(published, s)
			continue
		}
		others = append(others, s)
	}
	if err := tx.settleRows(ctx, now, published, `reading_follows = TRUE,`); err != nil {
		return err
	}
	return tx.settleRows(ctx, now, others, `scheduled_at = v.due,`)
}

// settleRows writes rows and additional columns. SQLite updates the indexes of every column that a statement sets, so
// scheduled_at is not set for published posts: retrying a post moves it, publishing it does not.
func (tx *Tx) settleRows(ctx context.Context, now crier.Time, list []*Settlement, columns string) error {
	if len(list) == 0 {
		return nil
	}
	rows := make(encodedRows, len(list))
	for i, s := range list {
		var err error
		if rows[i], err = s.settledRow(now); err != nil {
			return err
		}
	}
	settled, err := tx.returned(ctx, `UPDATE publications AS p SET status = v.status`+tx.setLive("v.status")+`,
		`+columns+` epoch = v.new_epoch, state = v.state, state_secrets = v.secrets, platform_post_id = v.platform_post,
		permalink = v.permalink, published_at = v.published, error_code = v.code, error_message = v.message,
		tries = v.tries, wake_at = v.wake, lease_until = NULL, lease_owner = NULL, reserved_credits = v.reserved,
		captured_credits = v.captured, updated_at = v.now, actions = v.planned, results = v.results, slot_at = v.slot
		FROM `+tx.jsonRows(settledColumns)+`
		WHERE p.id = v.key AND p.epoch = v.epoch AND (v.owner IS NULL OR p.lease_owner = v.owner)
		RETURNING id`, rows)
	if err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	for _, s := range list {
		s.Written = settled[s.Publication.ID]
	}
	return nil
}

// writeFollowing writes the rows that follow a written one, except for the next one of a series.
func (tx *Tx) writeFollowing(ctx context.Context, now crier.Time, s *Settlement) error {
	for _, r := range s.Resolved {
		if err := tx.ResolveAttempt(ctx, r.ID, r.Outcome, now); err != nil {
			return err
		}
	}
	for _, a := range s.Actions {
		if err := tx.InsertAction(ctx, a); err != nil {
			return err
		}
	}
	if s.ParentResults == nil {
		return nil
	}
	parent, err := tx.LockPublication(ctx, s.Publication.ScheduledPostID)
	if err != nil {
		return err
	}
	if id := s.ParentResults.FirstCommentID; id != "" {
		parent.Results.FirstCommentID = id
	}
	if id := s.ParentResults.RepostID; id != "" {
		parent.Results.RepostID = id
	}
	return tx.NotePublished(ctx, parent.ID, parent.Results, now)
}

// writeNext inserts the next publications of series. All organizations that the settlements will book on are locked, in
// a fixed order.
func (tx *Tx) writeNext(ctx context.Context, list []*Settlement) error {
	if !slices.ContainsFunc(list, func(s *Settlement) bool { return s.Next != nil }) {
		return nil
	}
	free := map[crier.ID]int64{}
	for _, organization := range settledOrganizations(list) {
		credits, err := tx.LockCredits(ctx, organization)
		if err != nil {
			return err
		}
		free[organization] = credits.Balance - credits.Reserved
	}
	for _, s := range list {
		if s.Next == nil {
			continue
		}
		if err := tx.insertNext(ctx, s.Next, free); err != nil {
			return err
		}
	}
	return nil
}

func settledOrganizations(list []*Settlement) []crier.ID {
	ids := make([]crier.ID, len(list))
	for i, s := range list {
		ids[i] = s.Publication.OrganizationID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// insertNext inserts the next publication of a series, unless the post was rescheduled by hand, or may not be
// published: it is gone, or was moved to draft while the outcome of this publication was unknown. It reserves the cost
// if the available credits cover it; otherwise the credits are reserved when it is due.
func (tx *Tx) insertNext(ctx context.Context, n *NextPublication, free map[crier.ID]int64) error {
	p := &n.Publication
	n.Written, p.Reserved = false, 0 // it may be a second attempt
	approved, err := tx.postApproved(ctx, p.PostID)
	if err != nil || !approved {
		return err
	}
	live, err := tx.HasLive(ctx, p.PostID, p.SocialAccountID)
	if err != nil || live {
		return err
	}
	if p.PayloadID, err = tx.CurrentPayload(ctx, p.PostID); err != nil {
		return err
	}
	if free[p.OrganizationID] >= n.Cost {
		p.Reserved = n.Cost
		free[p.OrganizationID] -= n.Cost
	}
	n.Written = true
	return tx.InsertPublication(ctx, *p)
}
