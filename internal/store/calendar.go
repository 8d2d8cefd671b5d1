package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// CalendarRow is a scheduled post with the fields of its post that are shown in the calendar.
type CalendarRow struct {
	crier.CalendarEntry
	// Timezone is the time zone in which the time was chosen.
	Timezone string
	Actions  crier.PlannedActions
	// Thumbnail is the post's first asset that can be shown.
	Thumbnail *crier.ID

	// assets are the ones published on the account, if the post has variants.
	assets      []crier.ID
	hasVariants bool
}

const calendarColumns = `SELECT s.id, s.post_id, s.social_account_id, s.provider, p.title, substr(y.text, 1, 280),
	p.post_type, s.status,
	s.scheduled_at, s.permalink, s.error_code, s.timezone, s.actions, a.display_name, a.profile_handle,
	CASE WHEN y.has_variants THEN y.post_input END
	FROM publications s`

const calendarWhere = `
	JOIN posts p ON p.id = s.post_id JOIN payloads y ON y.id = s.payload_id
	JOIN social_accounts a ON a.id = s.social_account_id
	WHERE s.team_id = $1 AND s.kind = 'post' AND p.deleted_at IS NULL AND `

func scanCalendarRow(row scanner) (CalendarRow, error) {
	var c CalendarRow
	var status crier.ScheduledPostStatus
	var permalink, code sql.NullString
	var actions *crier.PlannedActions
	var input *crier.PostInput
	err := row.Scan(&c.ScheduledPostID, &c.PostID, &c.SocialAccountID, &c.Provider, &c.Title, &c.Text, &c.PostType,
		&status,
		&c.ScheduledAt, &permalink, &code, &c.Timezone, intoJSON(&actions), &c.AccountName,
		&c.AccountHandle, intoJSON(&input))
	c.UserTags = []crier.TagSummary{}
	c.Kind, c.Status, c.Permalink, c.ErrorCode = "scheduled_post", &status, permalink.String, code.String
	if actions != nil {
		c.Actions = *actions
	}
	if input != nil {
		c.applyVariant(*input)
	}
	return c, err
}

// maxCalendarText is the maximum length of a text in the calendar, in characters.
const maxCalendarText = 280

// applyVariant replaces the fields of the post with those of the account's variant, if it has one.
func (c *CalendarRow) applyVariant(input crier.PostInput) {
	i := input.VariantFor(c.Provider, c.SocialAccountID)
	own := input.Variant(i)
	c.hasVariants, c.assets = true, own.AssetIDs()
	if i < 0 {
		return
	}
	c.PostType, c.Text = input.Variants[i].PostType, own.Text()
	if text := []rune(c.Text); len(text) > maxCalendarText {
		c.Text = string(text[:maxCalendarText])
	}
}

// CalendarRows reads the scheduled posts of a team in [from, to), by time: either the canceled ones or all others.
func (r reads) CalendarRows(ctx context.Context, team crier.ID, canceled bool, from, to crier.Time, limit int) (
	[]CalendarRow, error) {
	classes := []string{classLive, classEnded}
	if canceled {
		classes = []string{classCanceled}
	}
	var list []CalendarRow
	questions := make([]question, len(classes))
	for i, class := range classes {
		questions[i] = newQuestion(calendarColumns+calendarWhere+class+` AND s.scheduled_at >= $2 AND s.scheduled_at < $3
			ORDER BY s.scheduled_at, s.id LIMIT $4`, []any{team, from, to, limit}, collectInto(&list, scanCalendarRow))
	}
	if err := r.q.Ask(ctx, questions...); err != nil {
		return nil, fmt.Errorf("read the calendar: %w", err)
	}
	slices.SortFunc(list, func(a, b CalendarRow) int {
		return cmp.Or(a.ScheduledAt.Compare(b.ScheduledAt.Time), cmp.Compare(a.ScheduledPostID, b.ScheduledPostID))
	})
	list = list[:min(len(list), limit)]
	return list, r.completeCalendar(ctx, list)
}

// RecurringRows reads the live recurring posts of a team that are scheduled before a time: the calendar projects the
// rest of their series.
func (r reads) RecurringRows(ctx context.Context, team crier.ID, before crier.Time, limit int) ([]CalendarRow, error) {
	rows, err := r.q.QueryContext(ctx, calendarColumns+r.indexed("publications_recurring")+calendarWhere+
		`s.recurring AND s.live AND s.scheduled_at < $2
		ORDER BY s.scheduled_at, s.id LIMIT $3`, team, before, limit)
	if err != nil {
		return nil, fmt.Errorf("read the calendar: %w", err)
	}
	list, err := collect(rows, scanCalendarRow)
	if err != nil {
		return nil, fmt.Errorf("read the calendar: %w", err)
	}
	return list, r.completeCalendar(ctx, list)
}

// completeCalendar adds tags, thumbnails, lateness and problems, in a fixed number of queries.
func (r reads) completeCalendar(ctx context.Context, list []CalendarRow) error {
	var posts, scheduled, published []crier.ID
	for _, row := range list {
		if *row.Status == crier.Published {
			published = append(published, row.ScheduledPostID)
		}
		posts, scheduled = append(posts, row.PostID), append(scheduled, row.ScheduledPostID)
	}
	slices.Sort(posts)
	posts = slices.Compact(posts)
	tags := map[crier.ID][]crier.TagSummary{}
	err := r.byKeys(ctx, posts, `SELECT x.post_id, t.id, t.name, t.colour FROM post_tags x
		JOIN tags t ON t.id = x.tag_id
		WHERE x.post_id IN `, func(row scanner) error {
		var post crier.ID
		var tag crier.TagSummary
		err := row.Scan(&post, &tag.ID, &tag.Name, &tag.Colour)
		tags[post] = append(tags[post], tag)
		return err
	})
	if err != nil {
		return err
	}
	thumbnails, err := r.thumbnails(ctx, posts)
	if err != nil {
		return err
	}
	problems, err := r.problems(ctx, scheduled)
	if err != nil {
		return err
	}
	sent, err := r.sendTimes(ctx, published)
	if err != nil {
		return err
	}
	for i := range list {
		row := &list[i]
		if at, ok := sent[row.ScheduledPostID]; ok {
			late := max(0, at.Sub(row.ScheduledAt.Time).Milliseconds())
			row.LateMillis = &late
		}
		if found := tags[row.PostID]; found != nil {
			slices.SortFunc(found, func(a, b crier.TagSummary) int { return strings.Compare(a.Name, b.Name) })
			row.UserTags = found
		}
		row.Thumbnail = row.pickThumbnail(thumbnails[row.PostID])
		row.NeedsAttention = problems[row.ScheduledPostID].open
	}
	return nil
}

// pickThumbnail returns the first asset published on the account that is among the post's assets that can be shown.
func (c *CalendarRow) pickThumbnail(shown []crier.ID) *crier.ID {
	wanted := shown
	if c.hasVariants {
		wanted = c.assets
	}
	for _, id := range wanted {
		if slices.Contains(shown, id) {
			return &id
		}
	}
	return nil
}

// thumbnails returns the assets of posts that can be shown, by post and in order. Those of variants come last.
func (r reads) thumbnails(ctx context.Context, posts []crier.ID) (map[crier.ID][]crier.ID, error) {
	type shown struct {
		asset    crier.ID
		position int
	}
	found := map[crier.ID][]shown{}
	err := r.byKeys(ctx, posts, `SELECT x.post_id, x.asset_id, x.position FROM post_assets x
		JOIN assets a ON a.id = x.asset_id
		WHERE a.status = 'ready' AND a.deleted_at IS NULL AND x.post_id IN `, func(row scanner) error {
		var post crier.ID
		var f shown
		err := row.Scan(&post, &f.asset, &f.position)
		found[post] = append(found[post], f)
		return err
	})
	assets := map[crier.ID][]crier.ID{}
	for post, list := range found {
		slices.SortFunc(list, func(a, b shown) int { return cmp.Compare(a.position, b.position) })
		for _, f := range list {
			assets[post] = append(assets[post], f.asset)
		}
	}
	return assets, err
}
