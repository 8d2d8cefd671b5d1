package store_test

import (
	"context"
	"fmt"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// A list of problems is read by their ids if they are few, and by walking the team's rows if they are many.
func TestListsOfFewAndManyProblems(t *testing.T) {
	t.Parallel()
	for _, problems := range []int{0, 20, 600} {
		t.Run(fmt.Sprint(problems), func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) { checkProblems(t, f, problems) })
		})
	}
}

func checkProblems(t *testing.T, f *storetest.Fixture, problems int) {
	t.Helper()
	const all = 700
	post := f.NewPost("post")
	d := oldSchema[f.Dialect()]
	mustExec(t, f.Store, `INSERT INTO publications (id, team_id, organization_id, post_id, social_account_id, provider,
		status, scheduled_at, timezone, payload_id, platform_settings, actions, state, results, created_at, updated_at)
		SELECT `+fmt.Sprintf(d.id, areaPublication)+`, p.team_id, t.organization_id, p.id,
		'`+string(f.Account.ID)+`', 'x', 'published', p.created_at, 'UTC', p.content_payload_id, '{}', '{}', '{}', '{}', p.created_at, p.created_at
		FROM `+fmt.Sprintf(d.series, all)+`, posts p JOIN teams t ON t.id = p.team_id WHERE p.id = $1`, post.ID)
	if problems > 0 {
		mustExec(t, f.Store, `UPDATE publications SET status = 'failed' WHERE id < $1`, oldID(areaPublication, problems))
		mustExec(t, f.Store, `UPDATE publication_problems SET dismissed_at = $2 WHERE publication_id < $1`,
			oldID(areaPublication, problems/2), f.Now)
	}
	yes := true
	for name, c := range map[string]struct {
		filter      store.ScheduledPostFilter
		first, last int
	}{
		"failed": {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Failed}}, 0, problems},
		"failed or missed": {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Missed,
			crier.Failed}}, 0, problems},
		"failed or published": {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Failed,
			crier.Published}}, 0, all},
		"unknown":         {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Unknown}}, 0, 0},
		"attention":       {store.ScheduledPostFilter{NeedsAttention: &yes}, problems / 2, problems},
		"of another team": {store.ScheduledPostFilter{TeamID: crier.NewID(), NeedsAttention: &yes}, 0, 0},
		"published, needing attention": {store.ScheduledPostFilter{NeedsAttention: &yes,
			Statuses: []crier.ScheduledPostStatus{crier.Published}}, 0, 0},
	} {
		if c.filter.TeamID == "" {
			c.filter.TeamID = f.Team.ID
		}
		var total store.Total
		got := walk(t, func(p crier.ScheduledPost) crier.ID { return p.ID }, store.PageQuery{Sort: "scheduledAt",
			Limit: 100}, func(q store.PageQuery) (page store.PageRows[crier.ScheduledPost], err error) {
			page, total, err = f.ScheduledPostPage(context.Background(), c.filter, q)
			return page, err
		})
		if len(got) != c.last-c.first || total.Count != int64(len(got)) {
			t.Errorf("%s: %d of %d, want %d", name, len(got), total.Count, c.last-c.first)
			continue
		}
		for i, id := range got {
			if id != oldID(areaPublication, c.first+i) {
				t.Errorf("%s: %s is at %d", name, id, i)
				break
			}
		}
	}
}
