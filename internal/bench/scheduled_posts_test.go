package bench_test

import (
	"context"
	"testing"

	"crier"
	"crier/internal/pagination"
	"crier/internal/service"
)

// scheduledQuery is a list of scheduled posts to measure. Every post of a team has a scheduled post on the account
// other, half of them published and half of them waiting, except some that are being published. Up to 10,000 have one
// that waits on account, and every fortieth has a published one on the account seldom.
type scheduledQuery struct {
	name   string
	filter func(team filledTeam, f *service.ScheduledPostFilter)
	desc   bool
	total  func(team filledTeam) int
}

func scheduledQueries() []scheduledQuery {
	all := func(t filledTeam) int { return t.size + t.planned() + t.size/seldom }
	return []scheduledQuery{
		{name: "plain", total: all},
		{name: "plain, latest first", desc: true, total: all},
		{name: "status that half have, passing the published ones",
			filter: func(_ filledTeam, f *service.ScheduledPostFilter) {
				f.Statuses = []crier.ScheduledPostStatus{crier.Scheduled}
			}, total: func(t filledTeam) int { return t.size/2 + t.planned() - publishing }},
		{name: "status that few have, latest first", desc: true,
			filter: func(_ filledTeam, f *service.ScheduledPostFilter) {
				f.Statuses = []crier.ScheduledPostStatus{crier.Publishing}
			}, total: func(filledTeam) int { return publishing }},
		{name: "status that half have, passing those that wait", desc: true,
			filter: func(_ filledTeam, f *service.ScheduledPostFilter) {
				f.Statuses = []crier.ScheduledPostStatus{crier.Published}
			}, total: func(t filledTeam) int { return t.size/2 - matching + t.size/seldom }},
		{name: "status that few have", filter: func(_ filledTeam, f *service.ScheduledPostFilter) {
			f.Statuses = []crier.ScheduledPostStatus{crier.Failed}
		}, total: func(filledTeam) int { return matching }},
		{name: "network that most have", filter: func(_ filledTeam, f *service.ScheduledPostFilter) {
			f.Providers = []crier.Provider{crier.ProviderLinkedIn}
		}, total: func(t filledTeam) int { return t.size }},
		{name: "account that most have", filter: func(t filledTeam, f *service.ScheduledPostFilter) {
			f.SocialAccountIDs = []crier.ID{t.other}
		}, total: func(t filledTeam) int { return t.size }},
		{name: "account that some have", filter: func(t filledTeam, f *service.ScheduledPostFilter) {
			f.SocialAccountIDs = []crier.ID{t.account}
		}, total: filledTeam.planned},
		{name: "account that every fortieth has", filter: func(t filledTeam, f *service.ScheduledPostFilter) {
			f.SocialAccountIDs = []crier.ID{t.seldom}
		}, total: func(t filledTeam) int { return t.size / seldom }},
		{name: "status and account that every fortieth has, latest first", desc: true,
			filter: func(t filledTeam, f *service.ScheduledPostFilter) {
				f.SocialAccountIDs = []crier.ID{t.seldom}
				f.Statuses = []crier.ScheduledPostStatus{crier.Published}
			}, total: func(t filledTeam) int { return t.size / seldom }},
		{name: "without attention", filter: func(_ filledTeam, f *service.ScheduledPostFilter) {
			no := false
			f.NeedsAttention = &no
		}, total: func(t filledTeam) int { return all(t) - matching }},
	}
}

// seldom: every how many posts one is published on the account of that name.
const seldom = 40

// planned is the number of scheduled posts on account.
func (t filledTeam) planned() int { return min(t.size, 10_000) }

func (c scheduledQuery) run(b *testing.B, t filledTeam) crier.Page[crier.ScheduledPost] {
	b.Helper()
	services := t.s.Node.Services
	var f service.ScheduledPostFilter
	if c.filter != nil {
		c.filter(t, &f)
	}
	q, err := services.Pages.Query(pagination.Request{List: f.ListName(t.id), SortBy: "scheduledAt", Desc: c.desc,
		Limit: crier.DefaultPageSize})
	if err != nil {
		b.Fatal(err)
	}
	page, err := services.ScheduledPosts.List(context.Background(), t.scope, f, q)
	if err != nil {
		b.Fatal(err)
	}
	return page
}

// check verifies that the query finds the expected scheduled posts.
func (c scheduledQuery) check(b *testing.B, t filledTeam) {
	b.Helper()
	want := int64(c.total(t))
	rows := min(crier.DefaultPageSize, int(want))
	if page := c.run(b, t); len(page.Data) != rows || page.Total != want {
		b.Fatalf("%s finds %d of %d, want %d of %d", c.name, len(page.Data), page.Total, rows, want)
	}
}
