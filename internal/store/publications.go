package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"crier"
)

// PublicationKind is the kind of a publication.
type PublicationKind string

// The kinds of publications: a post on an account, and the actions that follow it there.
const (
	PostPublication   PublicationKind = "post"
	FirstComment      PublicationKind = "first_comment"
	EngagementComment PublicationKind = "engagement_comment"
	RepostPublication PublicationKind = "repost"
)

// Publication is a post on an account, or an action that follows it.
type Publication struct {
	ID              crier.ID
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

	// Posts only.
	WorkflowID    string
	WorkflowRunID string
	Timezone      string
	SlotAt        *crier.Time
	Actions       crier.PlannedActions
	Results       crier.PublishResults
	RecurrenceOf  *crier.ID

	// Actions only.
	Spec      json.RawMessage
	ExpiresAt *crier.Time
}

const publicationColumns = `p.id, p.kind, coalesce(p.parent_id, p.id), p.team_id, p.organization_id, p.post_id,
	p.social_account_id, p.provider, p.status, p.scheduled_at, p.payload_id, p.epoch, p.platform_settings, p.state,
	p.state_secrets, p.platform_post_id, p.permalink, p.published_at, p.error_code, p.error_message, p.tries, p.wake_at,
	p.lease_until, p.lease_owner, p.reserved_credits, p.captured_credits, p.created_at, p.updated_at, p.timezone,
	p.slot_at, p.actions, p.results, p.recurrence_of, coalesce(p.workflow_id, ''), coalesce(p.workflow_run_id, ''),
	p.spec, p.expires_at`

// IsAction reports whether the publication is an action that follows a post.
func (p Publication) IsAction() bool { return p.Kind != PostPublication }

func scanPublication(row scanner) (Publication, error) {
	var p Publication
	var settings *map[string]json.RawMessage
	var state, spec *json.RawMessage
	var actions *crier.PlannedActions
	var results *crier.PublishResults
	err := row.Scan(&p.ID, &p.Kind, &p.ScheduledPostID, &p.TeamID, &p.OrganizationID, &p.PostID,
		&p.SocialAccountID, &p.Provider, &p.Status, &p.ScheduledAt, &p.PayloadID, &p.Epoch, intoJSON(&settings),
		intoJSON(&state),
		&p.StateSecrets, &p.PlatformPostID, &p.Permalink, &p.PublishedAt, &p.ErrorCode, &p.ErrorMessage, &p.Tries,
		&p.WakeAt,
		&p.LeaseUntil, &p.LeaseOwner, &p.Reserved, &p.Captured, &p.CreatedAt, &p.UpdatedAt, &p.Timezone,
		&p.SlotAt, intoJSON(&actions), intoJSON(&results), &p.RecurrenceOf, &p.WorkflowID, &p.WorkflowRunID,
		intoJSON(&spec), &p.ExpiresAt)
	if err != nil {
		return p, err
	}
	p.Settings, p.State, p.Actions, p.Results = *settings, *state, *actions, *results
	if spec != nil {
		p.Spec = *spec
	}
	return p, nil
}

// Publication reads a publication by id.
func (r reads) Publication(ctx context.Context, id crier.ID) (Publication, error) {
	p, err := scanPublication(r.keyed.QueryRowContext(ctx,
		`SELECT `+publicationColumns+` FROM publications p WHERE p.id = $1`, id))
	return p, orNotFound(err, "scheduled post", id)
}

// LockPublication reads and locks a publication.
func (tx *Tx) LockPublication(ctx context.Context, id crier.ID) (Publication, error) {
	p, err := scanPublication(tx.q.QueryRowContext(ctx,
		`SELECT `+publicationColumns+` FROM publications p WHERE p.id = $1`+tx.forUpdate, id))
	return p, orNotFound(err, "scheduled post", id)
}

// LivePublications reads and locks the live publications of a post, by account.
func (tx *Tx) LivePublications(ctx context.Context, post crier.ID) (map[crier.ID]Publication, error) {
	byAccount := map[crier.ID]Publication{}
	if err := tx.q.Ask(ctx, tx.liveQuestion(byAccount, post)); err != nil {
		return nil, fmt.Errorf("read live publications: %w", err)
	}
	return byAccount, nil
}

func (tx *Tx) liveQuestion(byAccount map[crier.ID]Publication, post crier.ID) question {
	return newQuestion(`SELECT `+publicationColumns+` FROM publications p
		WHERE p.post_id = $1 AND p.kind = 'post' AND p.live ORDER BY p.id`+tx.forUpdate, []any{post},
		func(row scanner) error {
			p, err := scanPublication(row)
			byAccount[p.SocialAccountID] = p
			return err
		})
}

// PublishedActions reads the published actions of a publication: its comments and its repost, newest first.
func (r reads) PublishedActions(ctx context.Context, publication crier.ID) ([]Publication, error) {
	return r.actionsIn(ctx, publication, `'published'`)
}

// RunningActions reads the actions of a publication that are being published, or processed by the network.
func (r reads) RunningActions(ctx context.Context, publication crier.ID) ([]Publication, error) {
	return r.actionsIn(ctx, publication, `'publishing', 'processing'`)
}

// actionsIn reads the actions of a publication that have one of the statuses, newest first.
func (r reads) actionsIn(ctx context.Context, publication crier.ID, statuses string) ([]Publication, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+publicationColumns+` FROM publications p
		WHERE p.parent_id = $1 AND p.status IN (`+statuses+`) ORDER BY p.published_at DESC, p.id`, publication)
	if err != nil {
		return nil, fmt.Errorf("read actions: %w", err)
	}
	list, err := collect(rows, scanPublication)
	if err != nil {
		return nil, fmt.Errorf("read actions: %w", err)
	}
	return list, nil
}

// LockAction reads and locks the newest action of a kind that follows a publication; nil if there is none.
func (tx *Tx) LockAction(ctx context.Context, publication crier.ID, kind PublicationKind) (*Publication, error) {
	p, err := scanPublication(tx.q.QueryRowContext(ctx, `SELECT `+publicationColumns+` FROM publications p
		WHERE p.parent_id = $1 AND p.kind = $2 ORDER BY p.id DESC LIMIT 1`+tx.forUpdate, publication, kind))
	return orNil(p, err, "read the action")
}

// publishedQuestion reads the accounts on which a post was published.
func publishedQuestion(found map[crier.ID]bool, post crier.ID) question {
	return newQuestion(`SELECT DISTINCT p.social_account_id FROM publications p
		WHERE p.post_id = $1 AND p.kind = 'post' AND p.status = 'published'`, []any{post}, func(row scanner) error {
		id, err := scanID(row)
		found[id] = true
		return err
	})
}

// ErrTaken means that the post is already live on the account or that the slot is taken.
var ErrTaken = errors.New("taken by another publication")

// InsertPublication inserts the publication of a post on an account. It returns ErrTaken, at the end of the transaction
// at the latest, if the post is already live there or the slot is taken.
func (tx *Tx) InsertPublication(ctx context.Context, p Publication) error {
	live, isLive := tx.insertLive("$7")
	return tx.queueExec(ctx, check{want: -1, outcome: func(_ int64, err error) error {
		if isUniqueViolation(err) {
			return ErrTaken
		}
		return changed("insert scheduled post").outcome(0, err)
	}}, `INSERT INTO publications (id, team_id, organization_id, post_id,
		social_account_id, provider, status,
		scheduled_at, timezone, slot_at, payload_id, epoch, platform_settings, actions, state, results, wake_at,
		reserved_credits,
		recurrence_of, workflow_id, created_at, updated_at`+live+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
		$21`+isLive+`)`,
		p.ID, p.TeamID, p.OrganizationID, p.PostID, p.SocialAccountID, p.Provider, p.Status, p.ScheduledAt, p.Timezone,
		p.SlotAt,
		p.PayloadID, p.Epoch, asJSON(&p.Settings), asJSON(&p.Actions), string(p.State), asJSON(&p.Results), p.WakeAt,
		p.Reserved,
		p.RecurrenceOf, nil, p.CreatedAt)
}

// MovePublication writes the time, content and settings of a publication that is still scheduled, in a new epoch. It
// returns ErrTaken if the new slot is taken.
func (tx *Tx) MovePublication(ctx context.Context, p Publication, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE publications SET scheduled_at = $2, timezone = $3, slot_at = $4,
		payload_id = $5,
		platform_settings = $6, actions = $7, state = $8, state_secrets = NULL, wake_at = $9, reserved_credits = $10,
		epoch = $11,
		tries = 0, error_code = NULL, error_message = NULL, lease_until = NULL, lease_owner = NULL, updated_at = $12
		WHERE id = $1 AND status = 'scheduled'`,
		p.ID, p.ScheduledAt, p.Timezone, p.SlotAt, p.PayloadID, asJSON(&p.Settings), asJSON(&p.Actions),
		string(p.State), p.WakeAt,
		p.Reserved, p.Epoch, at)
	if isUniqueViolation(err) {
		return ErrTaken
	}
	return affectedOne(res, err, "scheduled post", p.ID)
}

// InsertAction inserts an action that follows a publication. A second one of the same kind is ignored.
func (tx *Tx) InsertAction(ctx context.Context, p Publication) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO publications (id, parent_id, kind, spec, expires_at, team_id,
		organization_id, post_id, social_account_id, provider, status, scheduled_at, timezone, payload_id,
		platform_settings, actions, state, results, wake_at, reserved_credits, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, '', $13, $14, '{}', $15, '{}', $16, $17, $18, $18)
		ON CONFLICT (parent_id, kind) WHERE parent_id IS NOT NULL DO NOTHING`,
		p.ID, p.ScheduledPostID, p.Kind, string(p.Spec), p.ExpiresAt, p.TeamID, p.OrganizationID, p.PostID,
		p.SocialAccountID, p.Provider,
		p.Status, p.ScheduledAt, p.PayloadID, asJSON(&p.Settings), string(p.State), p.WakeAt, p.Reserved, p.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert action: %w", err)
	}
	return nil
}

// SaveProgress writes the state of a publication whose worker holds the lease. ok is false if the lease was lost.
func (s *Store) SaveProgress(ctx context.Context, p Publication, owner crier.ID, leaseUntil crier.Time) (ok bool,
	err error) {
	res, err := s.writer.ExecContext(ctx, `UPDATE publications SET state = $4, state_secrets = $5, lease_until = $6
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3`,
		p.ID, p.Epoch, owner, string(p.State), p.StateSecrets, leaseUntil)
	if err != nil {
		return false, fmt.Errorf("save progress: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// ScheduledPost reads the publication of a post by team and id.
func (r reads) ScheduledPost(ctx context.Context, team, id crier.ID) (Publication, error) {
	p, err := scanPublication(r.q.QueryRowContext(ctx, `SELECT `+publicationColumns+` FROM publications p
		WHERE p.id = $1 AND p.team_id = $2 AND p.kind = 'post'`, id, team))
	return p, orNotFound(err, "scheduled post", id)
}

// ScheduledPostsByID reads publications of posts by id. Ids that do not exist are missing from the result.
func (r reads) ScheduledPostsByID(ctx context.Context, ids []crier.ID) (map[crier.ID]Publication, error) {
	list, err := r.publications(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := map[crier.ID]Publication{}
	for _, p := range list {
		if p.Kind == PostPublication {
			found[p.ID] = p
		}
	}
	return found, nil
}

// HasLive reports whether a post has a live publication on an account.
func (r reads) HasLive(ctx context.Context, post, account crier.ID) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM publications p WHERE p.post_id = $1 AND p.social_account_id = $2
		AND p.kind = 'post' AND p.live`, post, account).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a live publication: %w", err)
	}
	return true, nil
}

// replacement is the id of the publication that replaces the unsuccessful i: another one of the same post on the same
// account that is live, or the newest one after it that was not canceled. The next ones of its own series replace it
// only while they are live.
const replacement = `coalesce((SELECT p.id FROM publications p WHERE p.post_id = i.post_id
		AND p.social_account_id = i.social_account_id AND p.kind = 'post' AND p.live AND p.id <> i.id),
	(SELECT p.id FROM publications p WHERE p.post_id = i.post_id AND (p.created_at, p.id) > (i.created_at, i.id)
		AND p.social_account_id = i.social_account_id AND p.kind = 'post' AND NOT p.canceled
		AND coalesce(p.recurrence_of, p.id) <> coalesce(i.recurrence_of, i.id)
		ORDER BY p.created_at DESC, p.id DESC LIMIT 1))`

// Replacement returns the publication that replaces an unsuccessful one; nil if there is none.
func (r reads) Replacement(ctx context.Context, of Publication) (*Publication, error) {
	p, err := scanPublication(r.q.QueryRowContext(ctx, `SELECT `+publicationColumns+` FROM publications p
		WHERE p.id = (SELECT `+replacement+` FROM publications i WHERE i.id = $1)`, of.ID))
	return orNil(p, err, "look for a replacement")
}

// NotePublished adds the result of an action to the results of the publication that it follows.
func (tx *Tx) NotePublished(ctx context.Context, id crier.ID, results crier.PublishResults, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE publications SET results = $2, updated_at = $3 WHERE id = $1`, id,
		asJSON(&results), at)
	return affectedOne(res, err, "scheduled post", id)
}

// publications reads publications by id. Ids that do not exist are missing from the result.
func (r reads) publications(ctx context.Context, ids []crier.ID) ([]Publication, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.QueryContext(ctx, `SELECT `+publicationColumns+` FROM `+r.jsonRows("key uuid")+` `+
		r.driven("publications", "p", "id", "v.key"), keys(distinct(ids)))
	if err != nil {
		return nil, fmt.Errorf("read publications: %w", err)
	}
	list, err := collect(rows, scanPublication)
	if err != nil {
		return nil, fmt.Errorf("read publications: %w", err)
	}
	return list, nil
}
