package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"crier"
)

// PublicationKind is what a publication makes public.
type PublicationKind string

// The kinds of publications: a post on an account, and what follows it there.
const (
	PostPublication   PublicationKind = "post"
	FirstComment      PublicationKind = "first_comment"
	EngagementComment PublicationKind = "engagement_comment"
	RepostPublication PublicationKind = "repost"
)

// Ref names a publication.
type Ref struct {
	// Action is false for the publication of a post, true for what follows one.
	Action bool
	ID     crier.ID
}

func (r Ref) table() string {
	if r.Action {
		return "post_actions"
	}
	return "scheduled_posts"
}

// Publication is a row that the engine works on: a post on an account, or an action that follows it.
type Publication struct {
	Ref
	Kind            PublicationKind
	ScheduledPostID crier.ID // its own id, or the one an action follows
	TeamID          crier.ID
	OrganizationID  crier.ID
	PostID          crier.ID
	SocialAccountID crier.ID
	Provider        crier.Provider
	Status          crier.ScheduledPostStatus
	ScheduledAt     crier.Time
	PayloadID       crier.ID
	Epoch           int64
	Settings        map[string]json.RawMessage
	State           json.RawMessage
	StateSecrets    []byte // sealed
	PlatformPostID  *string
	Permalink       *string
	PublishedAt     *crier.Time
	ErrorCode       *string
	ErrorMessage    *string
	Tries           int
	WakeAt          *crier.Time
	LeaseUntil      *crier.Time
	LeaseOwner      *crier.ID
	Reserved        int64
	Captured        int64
	CreatedAt       crier.Time
	UpdatedAt       crier.Time

	// Of posts.
	WorkflowID    string
	WorkflowRunID string
	Timezone      string
	SlotAt        *crier.Time
	Actions       crier.PlannedActions
	Results       crier.PublishResults
	RecurrenceOf  *crier.ID

	// Of actions.
	Spec      json.RawMessage
	ExpiresAt *crier.Time
}

const engineColumns = `p.id, p.team_id, p.organization_id, p.post_id, p.social_account_id, p.provider, p.status, p.scheduled_at,
	p.payload_id, p.epoch, p.platform_settings, p.state, p.state_secrets, p.platform_post_id, p.permalink, p.published_at,
	p.error_code, p.error_message, p.tries, p.wake_at, p.lease_until, p.lease_owner, p.reserved_credits, p.captured_credits,
	p.created_at, p.updated_at`

const (
	postPublicationColumns = engineColumns + `, p.timezone, p.slot_at, p.actions, p.results, p.recurrence_of,
	coalesce(p.workflow_id, ''), coalesce(p.workflow_run_id, '')`
	actionPublicationColumns = engineColumns + `, p.scheduled_post_id, p.kind, p.spec, p.expires_at`
)

// liveStatuses are those of publications that may still happen.
const liveStatuses = `('scheduled', 'publishing', 'processing', 'unknown')`

// live is the condition of what may still happen; of posts, it is that of the partial indexes.
func (r Ref) live() string {
	if r.Action {
		return "status IN " + liveStatuses
	}
	return "live"
}

func (r Ref) columns() string {
	if r.Action {
		return actionPublicationColumns
	}
	return postPublicationColumns
}

func (r Ref) scan(row scanner) (Publication, error) {
	if r.Action {
		return scanActionPublication(row)
	}
	return scanPostPublication(row)
}

func engineTargets(p *Publication, settings **map[string]json.RawMessage, state **json.RawMessage) []any {
	return []any{
		&p.ID, &p.TeamID, &p.OrganizationID, &p.PostID, &p.SocialAccountID, &p.Provider, &p.Status, &p.ScheduledAt,
		&p.PayloadID, &p.Epoch, intoJSON(settings), intoJSON(state), &p.StateSecrets, &p.PlatformPostID, &p.Permalink, &p.PublishedAt,
		&p.ErrorCode, &p.ErrorMessage, &p.Tries, &p.WakeAt, &p.LeaseUntil, &p.LeaseOwner, &p.Reserved, &p.Captured, &p.CreatedAt, &p.UpdatedAt,
	}
}

func scanPostPublication(row scanner) (Publication, error) {
	p := Publication{Kind: PostPublication}
	var settings *map[string]json.RawMessage
	var state *json.RawMessage
	var actions *crier.PlannedActions
	var results *crier.PublishResults
	err := row.Scan(append(engineTargets(&p, &settings, &state), &p.Timezone, &p.SlotAt, intoJSON(&actions), intoJSON(&results), &p.RecurrenceOf,
		&p.WorkflowID, &p.WorkflowRunID)...)
	if err != nil {
		return p, err
	}
	p.ScheduledPostID, p.Settings, p.State, p.Actions, p.Results = p.ID, *settings, *state, *actions, *results
	return p, nil
}

func scanActionPublication(row scanner) (Publication, error) {
	p := Publication{Ref: Ref{Action: true}}
	var settings *map[string]json.RawMessage
	var state, spec *json.RawMessage
	err := row.Scan(append(engineTargets(&p, &settings, &state), &p.ScheduledPostID, &p.Kind, intoJSON(&spec), &p.ExpiresAt)...)
	if err != nil {
		return p, err
	}
	p.Settings, p.State, p.Spec = *settings, *state, *spec
	return p, nil
}

// Publication reads a row of the engine.
func (r reads) Publication(ctx context.Context, ref Ref) (Publication, error) {
	p, err := ref.scan(r.keyed.QueryRowContext(ctx, `SELECT `+ref.columns()+` FROM `+ref.table()+` p WHERE p.id = $1`, ref.ID))
	return p, orNotFound(err, "scheduled post", ref.ID)
}

// LockPublication reads a row of the engine and keeps others from changing it until the transaction ends.
func (tx *Tx) LockPublication(ctx context.Context, ref Ref) (Publication, error) {
	p, err := ref.scan(tx.q.QueryRowContext(ctx, `SELECT `+ref.columns()+` FROM `+ref.table()+` p WHERE p.id = $1`+tx.forUpdate, ref.ID))
	return p, orNotFound(err, "scheduled post", ref.ID)
}

// LivePublications reads and locks the live publications of a post, by account.
func (tx *Tx) LivePublications(ctx context.Context, post crier.ID) (map[crier.ID]Publication, error) {
	rows, err := tx.q.QueryContext(ctx, `SELECT `+postPublicationColumns+` FROM scheduled_posts p
		WHERE p.post_id = $1 AND p.live ORDER BY p.id`+tx.forUpdate, post)
	if err != nil {
		return nil, fmt.Errorf("read live publications: %w", err)
	}
	list, err := collect(rows, scanPostPublication)
	if err != nil {
		return nil, fmt.Errorf("read live publications: %w", err)
	}
	byAccount := map[crier.ID]Publication{}
	for _, p := range list {
		byAccount[p.SocialAccountID] = p
	}
	return byAccount, nil
}

// PublishedAccounts tells on which accounts a post has been published.
func (r reads) PublishedAccounts(ctx context.Context, post crier.ID) (map[crier.ID]bool, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT DISTINCT p.social_account_id FROM scheduled_posts p WHERE p.post_id = $1 AND p.status = 'published'`, post)
	if err != nil {
		return nil, fmt.Errorf("read published accounts: %w", err)
	}
	list, err := collect(rows, scanID)
	if err != nil {
		return nil, fmt.Errorf("read published accounts: %w", err)
	}
	found := map[crier.ID]bool{}
	for _, id := range list {
		found[id] = true
	}
	return found, nil
}

// ErrTaken means that a unique index refused: the post is live on the account already, or the slot is taken.
var ErrTaken = errors.New("taken by another publication")

// InsertPublication writes the publication of a post on an account.
func (tx *Tx) InsertPublication(ctx context.Context, p Publication) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO scheduled_posts (id, team_id, organization_id, post_id, social_account_id, provider, status,
		scheduled_at, timezone, slot_at, payload_id, epoch, platform_settings, actions, state, results, wake_at, reserved_credits,
		recurrence_of, workflow_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21)`,
		p.ID, p.TeamID, p.OrganizationID, p.PostID, p.SocialAccountID, p.Provider, p.Status, p.ScheduledAt, p.Timezone, p.SlotAt,
		p.PayloadID, p.Epoch, asJSON(&p.Settings), asJSON(&p.Actions), string(p.State), asJSON(&p.Results), p.WakeAt, p.Reserved,
		p.RecurrenceOf, nil, p.CreatedAt)
	if isUniqueViolation(err) {
		return ErrTaken
	}
	if err != nil {
		return fmt.Errorf("insert scheduled post: %w", err)
	}
	return nil
}

// MovePublication gives a publication that is still scheduled a new time, content and settings, in a new epoch. It is
// ErrTaken when the new slot is.
func (tx *Tx) MovePublication(ctx context.Context, p Publication, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE scheduled_posts SET scheduled_at = $2, timezone = $3, slot_at = $4, payload_id = $5,
		platform_settings = $6, actions = $7, state = $8, state_secrets = NULL, wake_at = $9, reserved_credits = $10, epoch = $11,
		tries = 0, error_code = NULL, error_message = NULL, lease_until = NULL, lease_owner = NULL, updated_at = $12
		WHERE id = $1 AND status = 'scheduled'`,
		p.ID, p.ScheduledAt, p.Timezone, p.SlotAt, p.PayloadID, asJSON(&p.Settings), asJSON(&p.Actions), string(p.State), p.WakeAt,
		p.Reserved, p.Epoch, at)
	if isUniqueViolation(err) {
		return ErrTaken
	}
	return affectedOne(res, err, "scheduled post", p.ID)
}

// InsertAction writes what is to follow a publication; a second one of its kind is left out.
func (tx *Tx) InsertAction(ctx context.Context, p Publication) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO post_actions (id, scheduled_post_id, kind, spec, expires_at, team_id, organization_id, post_id,
		social_account_id, provider, status, scheduled_at, payload_id, platform_settings, state, wake_at, reserved_credits, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)
		ON CONFLICT (scheduled_post_id, kind) DO NOTHING`,
		p.ID, p.ScheduledPostID, p.Kind, string(p.Spec), p.ExpiresAt, p.TeamID, p.OrganizationID, p.PostID, p.SocialAccountID, p.Provider,
		p.Status, p.ScheduledAt, p.PayloadID, asJSON(&p.Settings), string(p.State), p.WakeAt, p.Reserved, p.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert action: %w", err)
	}
	return nil
}

// SaveProgress writes how far a publication is, while its worker holds the lease. ok is false when the lease was lost.
func (s *Store) SaveProgress(ctx context.Context, p Publication, owner crier.ID, leaseUntil crier.Time) (ok bool, err error) {
	res, err := s.writer.ExecContext(ctx, `UPDATE `+p.table()+` SET state = $4, state_secrets = $5, lease_until = $6
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3`, p.ID, p.Epoch, owner, string(p.State), p.StateSecrets, leaseUntil)
	if err != nil {
		return false, fmt.Errorf("save progress: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Settled is where a publication stands after a step: status, state, results, error, and when to look again. Writing it ends the
// lease.
type Settled struct {
	Publication Publication
	// Owner is the worker, who must still have the lease.
	Owner crier.ID
	// Written is false when the row has moved on without its worker.
	Written bool
}

// Settle writes where publications stand and sets which of them were written. Their posts are locked first.
func (tx *Tx) Settle(ctx context.Context, now crier.Time, wait LockWait, list ...*Settled) error {
	if err := tx.waitForLocks(ctx, wait); err != nil {
		return err
	}
	posts := make([]crier.ID, len(list))
	for i, s := range list {
		posts[i] = s.Publication.PostID
	}
	if err := tx.LockPosts(ctx, posts...); err != nil {
		return err
	}
	for _, round := range once(list, settledRef) {
		for _, action := range []bool{false, true} {
			if err := tx.settle(ctx, action, ofKind(round, action, settledRef), now); err != nil {
				return err
			}
		}
	}
	return nil
}

func settledRef(s *Settled) Ref { return s.Publication.Ref }

// settledRow is a row of the statement that settles.
type settledRow struct {
	Key            crier.ID              `json:"key"`
	Epoch          int64                 `json:"epoch"`
	Owner          crier.ID              `json:"owner"`
	Status         string                `json:"status"`
	State          json.RawMessage       `json:"state"`
	StateSecrets   givenBytes            `json:"secrets"`
	PlatformPostID *string               `json:"platform_post"`
	Permalink      *string               `json:"permalink"`
	PublishedAt    *givenTime            `json:"published"`
	ErrorCode      *string               `json:"code"`
	ErrorMessage   *string               `json:"message"`
	Tries          int                   `json:"tries"`
	WakeAt         *givenTime            `json:"wake"`
	Reserved       int64                 `json:"reserved"`
	Captured       int64                 `json:"captured"`
	Now            givenTime             `json:"now"`
	Results        *crier.PublishResults `json:"results"`
	SlotAt         *givenTime            `json:"slot"`
}

const settledColumns = `key uuid, epoch bigint, owner uuid, status text, state jsonb, secrets bytea, platform_post text, permalink text,
	published timestamptz, code text, message text, tries integer, wake timestamptz, reserved bigint, captured bigint, now timestamptz,
	results jsonb, slot timestamptz`

// settle writes where publications of one kind stand, none of them twice.
func (tx *Tx) settle(ctx context.Context, action bool, list []*Settled, now crier.Time) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]settledRow, len(list))
	for i, s := range list {
		p := s.Publication
		rows[i] = settledRow{
			p.ID, p.Epoch, s.Owner, string(p.Status), p.State, p.StateSecrets, p.PlatformPostID, p.Permalink, (*givenTime)(p.PublishedAt), p.ErrorCode,
			p.ErrorMessage, p.Tries, (*givenTime)(p.WakeAt), p.Reserved, p.Captured, givenTime(now), &p.Results, (*givenTime)(p.SlotAt),
		}
	}
	also := ""
	if !action {
		also = `, results = v.results, slot_at = v.slot`
	}
	settled, err := tx.returned(ctx, `UPDATE `+Ref{Action: action}.table()+` AS p SET status = v.status, state = v.state, state_secrets = v.secrets,
		platform_post_id = v.platform_post, permalink = v.permalink, published_at = v.published, error_code = v.code, error_message = v.message,
		tries = v.tries, wake_at = v.wake, lease_until = NULL, lease_owner = NULL, reserved_credits = v.reserved, captured_credits = v.captured,
		updated_at = v.now`+also+` FROM `+tx.given(settledColumns)+`
		WHERE p.id = v.key AND p.epoch = v.epoch AND p.lease_owner = v.owner RETURNING id`, asJSON(&rows))
	if err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	for _, s := range list {
		s.Written = slices.Contains(settled, s.Publication.ID)
	}
	return nil
}

// Overwrite writes where a publication stands, whoever works on it; the new epoch stops a worker that does. It is for
// decisions of people, made under LockPublication.
func (tx *Tx) Overwrite(ctx context.Context, p Publication, now crier.Time) error {
	query := `UPDATE ` + p.table() + ` SET status = $2, state = $3, state_secrets = $4, platform_post_id = $5, permalink = $6,
		published_at = $7, error_code = $8, error_message = $9, tries = $10, wake_at = $11, lease_until = NULL, lease_owner = NULL,
		reserved_credits = $12, captured_credits = $13, epoch = $14, updated_at = $15`
	args := []any{
		p.ID, p.Status, string(p.State), p.StateSecrets, p.PlatformPostID, p.Permalink, p.PublishedAt, p.ErrorCode, p.ErrorMessage,
		p.Tries, p.WakeAt, p.Reserved, p.Captured, p.Epoch, now,
	}
	if !p.Action {
		query += `, results = $16, slot_at = $17, scheduled_at = $18, actions = $19`
		args = append(args, asJSON(&p.Results), p.SlotAt, p.ScheduledAt, asJSON(&p.Actions))
	}
	res, err := tx.q.ExecContext(ctx, query+` WHERE id = $1`, args...)
	return affectedOne(res, err, "scheduled post", p.ID)
}

// DueCounts is how many publications are due and not done, by provider, for those who watch.
func (s *Store) DueCounts(ctx context.Context, now time.Time) (map[string]int64, error) {
	rows, err := s.q.QueryContext(ctx, `SELECT p.provider, count(*) FROM scheduled_posts p
		WHERE p.wake_at IS NOT NULL AND p.wake_at <= $1 AND p.scheduled_at <= $1 GROUP BY p.provider`, crier.TimeOf(now))
	if err != nil {
		return nil, fmt.Errorf("count due publications: %w", err)
	}
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var provider string
		var n int64
		if err := rows.Scan(&provider, &n); err != nil {
			return nil, fmt.Errorf("count due publications: %w", err)
		}
		counts[provider] = n
	}
	return counts, rows.Err()
}
