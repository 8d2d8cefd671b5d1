package main

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier"
)

// key makes an API key with a role and returns its secret.
func (s postServer) keyOf(tb testing.TB, role string, permissions ...string) string {
	tb.Helper()
	body := object{"name": role, "role": role}
	if len(permissions) > 0 {
		body["permissions"] = permissions
	}
	return s.do(tb, "POST", path("/v1/organizations/%s/api-keys", s.organization), body).want(tb, http.StatusCreated).text(tb, "secret")
}

func TestPeopleMovePostsAlongTheTableAndNowhereElse(t *testing.T) {
	t.Parallel()
	allowed := map[string][]string{
		"idea": {"draft", "proposed_render", "archived"}, "proposed_render": {"draft", "rejected"},
		"draft": {"approved", "rejected", "idea", "archived"}, "rejected": {"draft", "archived"},
		"approved": {"draft", "archived"}, "archived": {"draft"},
	}
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		for from, targets := range allowed {
			for to := range allowed {
				id := s.post(t, object{})
				s.exec(t, `UPDATE posts SET status = $2 WHERE id = $1`, id, from)
				got := s.do(t, "POST", s.posts(id, "status"), object{"status": to})
				if strings.Contains(" "+strings.Join(targets, " ")+" ", " "+to+" ") {
					if got.want(t, http.StatusOK); got.text(t, "status") != to {
						t.Errorf("%s → %s answers %s", from, to, got.body)
					}
					continue
				}
				got.wantError(t, http.StatusConflict, "Conflict")
				if message := got.text(t, "message"); !strings.Contains(message, from) || !strings.Contains(message, to) {
					t.Errorf("%s → %s: %q does not name both", from, to, message)
				}
			}
		}
		id := s.post(t, object{})
		s.do(t, "POST", s.posts(id, "status"), object{"status": "deleted"}).wantIssues(t, "status")
		s.do(t, "POST", s.posts(id, "status"), object{"status": "done"}).wantIssues(t, "status")
		s.do(t, "POST", s.posts(id, "status"), object{}).wantIssues(t, "status")
	})
}

func TestApprovalIsTheApproversToGiveAndAnEditTakesItBack(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		editor, account := s.keyOf(t, "editor"), s.account(t, crier.ProviderX)
		approve := object{"status": "approved"}
		free := s.post(t, object{"text": "no approval needed"})
		s.as(t, editor, "POST", s.posts(free, "status"), approve).want(t, http.StatusOK)

		s.do(t, "PATCH", path("/v1/teams/%s", s.team), object{"requireApproval": true}).want(t, http.StatusOK)
		id := s.post(t, object{"text": "needs approval"})
		s.as(t, editor, "POST", s.posts(id, "status"), approve).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "POST", s.posts(id, "status"), approve).want(t, http.StatusOK)
		scheduled := s.schedule(t, publication{post: id, account: account, status: crier.Scheduled, at: time.Now().Add(time.Hour)})
		titled := s.as(t, editor, "PATCH", s.posts(id), object{"title": "a title is no content"}).want(t, http.StatusOK)
		if titled.text(t, "status") != "approved" || titled.text(t, "deliveryState") != "scheduled" {
			t.Errorf("after a new title: %s", titled.body)
		}
		for _, edit := range []object{{"text": "edited"}, {"postPublishActions": object{"firstComment": object{"text": "slipped in"}}}} {
			s.exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, id)
			edited := s.as(t, editor, "PATCH", s.posts(id), edit).want(t, http.StatusOK)
			if edited.text(t, "status") != "draft" || edited.text(t, "deliveryState") != "unscheduled" || edited.text(t, "saveDestination") != "drafts" {
				t.Errorf("after %v: %s", edit, edited.body)
			}
		}
		if n := s.number(t, `SELECT count(*) FROM scheduled_posts WHERE id = $1 AND status = 'canceled' AND wake_at IS NULL AND epoch > 0`, scheduled[0]); n != 1 {
			t.Error("what was pending is not cancelled")
		}
	})
}

func TestPermissionsOfPosts(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		viewer, writer := s.keyOf(t, "viewer"), s.keyOf(t, "editor", "read", "write_posts")
		id, tag := s.post(t, object{"text": "x"}), s.tag(t, "t")
		tags := path("/v1/teams/%s/tags", s.team)
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{"POST", s.posts(), object{}}, {"PATCH", s.posts(id), object{}}, {"DELETE", s.posts(id), nil}, {"POST", s.posts(id, "move-to-draft"), nil},
			{"POST", s.posts(id, "status"), object{"status": "idea"}}, {"PUT", s.posts(id, "tags"), object{"tagIds": []any{}}},
			{"POST", tags, object{"name": "n"}}, {"PATCH", tags + "/" + tag, object{}}, {"DELETE", tags + "/" + tag, nil},
		} {
			s.as(t, viewer, call.method, call.path, call.body).wantError(t, http.StatusForbidden, "Forbidden")
		}
		for _, address := range []string{s.posts(), s.posts(id), s.posts("facets", "enrichment"), tags} {
			s.as(t, viewer, "GET", address, nil).want(t, http.StatusOK)
		}
		s.as(t, writer, "PATCH", s.posts(id), object{"text": "y"}).want(t, http.StatusOK)
		s.as(t, writer, "DELETE", s.posts(id), nil).wantError(t, http.StatusForbidden, "Forbidden")
	})
}

func TestDeliveryStateSumsUpTheNewestPublicationOfEachAccount(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		a, b, c := s.account(t, crier.ProviderX), s.account(t, crier.ProviderThreads), s.account(t, crier.ProviderLinkedIn)
		type row struct {
			account crier.ID
			status  crier.ScheduledPostStatus
		}
		for _, test := range []struct {
			rows         []row
			state, place string
			destinations []any
		}{
			{nil, "unscheduled", "drafts", []any{}},
			{[]row{{a, crier.Canceled}}, "unscheduled", "drafts", []any{}},
			{[]row{{a, crier.Scheduled}}, "scheduled", "queue", []any{string(a)}},
			{[]row{{a, crier.Publishing}, {b, crier.Unknown}, {c, crier.Scheduled}}, "publishing", "queue", []any{string(a), string(b), string(c)}},
			{[]row{{a, crier.Processing}, {b, crier.Failed}}, "publishing", "queue", []any{string(a)}},
			{[]row{{a, crier.Unknown}, {b, crier.Scheduled}}, "unknown", "queue", []any{string(a), string(b)}},
			{[]row{{a, crier.Scheduled}, {b, crier.Published}}, "scheduled", "queue", []any{string(a), string(b)}},
			{[]row{{a, crier.Published}, {b, crier.Published}, {c, crier.Canceled}}, "published", "queue", []any{string(a), string(b)}},
			{[]row{{a, crier.Published}, {b, crier.Failed}}, "partially_published", "queue", []any{string(a)}},
			{[]row{{a, crier.Published}, {b, crier.Missed}}, "partially_published", "queue", []any{string(a)}},
			{[]row{{a, crier.Failed}, {b, crier.Missed}}, "missed", "drafts", []any{}},
			{[]row{{a, crier.Failed}, {b, crier.Failed}}, "failed", "drafts", []any{}},
			{[]row{{a, crier.Failed}, {a, crier.Published}}, "published", "queue", []any{string(a)}},
			{[]row{{a, crier.Published}, {a, crier.Failed}}, "failed", "queue", []any{string(a)}},
			{[]row{{a, crier.Published}, {a, crier.Canceled}}, "published", "queue", []any{string(a)}},
		} {
			id := s.post(t, object{"text": "x"})
			var list []publication
			for i, r := range test.rows {
				list = append(list, publication{post: id, account: r.account, status: r.status, at: time.Now().Add(time.Duration(i) * time.Hour)})
			}
			ids := s.schedule(t, list...)
			got := s.do(t, "GET", s.posts(id)+"?include=scheduledPosts", nil).want(t, http.StatusOK)
			name := fmt.Sprint(test.rows)
			if got.text(t, "deliveryState") != test.state || got.text(t, "saveDestination") != test.place {
				t.Errorf("%s: deliveryState %s, saveDestination %s", name, got.text(t, "deliveryState"), got.text(t, "saveDestination"))
			}
			if want := map[string]string{"queue": "Saved to Queue", "drafts": "Saved to Drafts"}[test.place]; got.text(t, "saveMessage") != want {
				t.Errorf("%s: saveMessage %q", name, got.text(t, "saveMessage"))
			}
			if !reflect.DeepEqual(got.get(t, "scheduledDestinationAccountIds"), test.destinations) {
				t.Errorf("%s: scheduledDestinationAccountIds %v", name, got.get(t, "scheduledDestinationAccountIds"))
			}
			if len(ids) == 0 {
				continue
			}
			if latest := ids[len(ids)-1]; got.text(t, "latestScheduledPost", "id") != latest || got.text(t, "scheduledPosts", 0, "id") != latest {
				t.Errorf("%s: the newest is not %s: %s", name, latest, got.body)
			}
			if got.has("scheduledPosts", len(ids)) || !got.has("scheduledPosts", len(ids)-1) {
				t.Errorf("%s: %d were scheduled: %s", name, len(ids), got.body)
			}
		}
	})
}

func TestContentStandsStillWhileItIsBeingPublished(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		account, tag := s.account(t, crier.ProviderX), s.tag(t, "t")
		for _, status := range []crier.ScheduledPostStatus{crier.Publishing, crier.Processing, crier.Unknown} {
			id := s.post(t, object{"text": "old"})
			s.exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, id)
			row := s.schedule(t, publication{post: id, account: account, status: status, at: time.Now()})[0]
			for _, edit := range []object{{"text": "new"}, {"postInput": atomicPost("new")}, {"postType": "carousel"}, {"postPublishActions": object{}}} {
				s.patch(t, id, edit).wantError(t, http.StatusConflict, "Conflict")
			}
			s.patch(t, id, object{"title": "new", "text": "old"}).want(t, http.StatusOK)
			s.do(t, "PUT", s.posts(id, "tags"), object{"tagIds": []any{tag}}).want(t, http.StatusOK)
			if status != crier.Unknown {
				s.do(t, "POST", s.posts(id, "move-to-draft"), nil).wantError(t, http.StatusConflict, "Conflict")
				s.do(t, "POST", s.posts(id, "status"), object{"status": "draft"}).wantError(t, http.StatusConflict, "Conflict")
				s.do(t, "DELETE", s.posts(id), nil).wantError(t, http.StatusConflict, "Conflict")
			}
			s.setStatus(t, row, crier.Published)
			s.patch(t, id, object{"text": "the next version"}).want(t, http.StatusOK)
			s.do(t, "DELETE", s.posts(id), nil).want(t, http.StatusOK)
		}
	})
}

func TestMoveToDraftStopsWhatIsScheduled(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		a, b := s.account(t, crier.ProviderX), s.account(t, crier.ProviderThreads)
		id := s.create(t, object{"text": "x"})
		draft := s.do(t, "POST", s.posts(id.text(t, "id"), "move-to-draft"), nil).want(t, http.StatusOK)
		if !reflect.DeepEqual(draft.json, id.json) {
			t.Errorf("a draft has changed: %s", draft.body)
		}
		post := id.text(t, "id")
		s.exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, post)
		rows := s.schedule(t,
			publication{post: post, account: a, status: crier.Scheduled, at: time.Now().Add(time.Hour)},
			publication{post: post, account: b, status: crier.Published, at: time.Now()})
		moved := s.do(t, "POST", s.posts(post, "move-to-draft"), nil).want(t, http.StatusOK)
		if moved.text(t, "status") != "draft" || moved.text(t, "deliveryState") != "published" {
			t.Errorf("after moving: %s", moved.body)
		}
		if n := s.number(t, `SELECT count(*) FROM scheduled_posts WHERE id = $1 AND status = 'canceled'`, rows[0]); n != 1 {
			t.Error("what was scheduled is not cancelled")
		}
		s.exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, post)
		s.do(t, "POST", s.posts(post, "move-to-draft"), nil).wantError(t, http.StatusConflict, "Conflict")
		for _, status := range []string{"idea", "proposed_render", "rejected", "archived"} {
			other := s.post(t, object{})
			s.exec(t, `UPDATE posts SET status = $2 WHERE id = $1`, other, status)
			if got := s.do(t, "POST", s.posts(other, "move-to-draft"), nil).want(t, http.StatusOK).text(t, "status"); got != "draft" {
				t.Errorf("from %s: %s", status, got)
			}
		}
	})
}

func TestDeletedPostsAreGoneAndWhatTheyScheduledIsCancelled(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		a, b := s.account(t, crier.ProviderX), s.account(t, crier.ProviderThreads)
		id := s.post(t, object{"text": "soon gone"})
		rows := s.schedule(t,
			publication{post: id, account: a, status: crier.Scheduled, at: time.Now().Add(time.Hour)},
			publication{post: id, account: b, network: crier.ProviderThreads, status: crier.Published, at: time.Now()})
		s.exec(t, `UPDATE scheduled_posts SET platform_post_id = 'p1' WHERE id = $1`, rows[1])
		got := s.do(t, "DELETE", s.posts(id)+"?alsoDeleteFromPlatform=yes", nil).want(t, http.StatusOK)
		if string(got.body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.body)
		}
		if n := s.number(t, `SELECT count(*) FROM scheduled_posts WHERE id = $1 AND status = 'canceled'`, rows[0]); n != 1 {
			t.Error("what was scheduled is not cancelled")
		}
		for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"POST", "move-to-draft"}} {
			s.do(t, call[0], strings.TrimSuffix(s.posts(id, call[1]), "/"), nil).wantError(t, http.StatusNotFound, "NotFound")
		}
		list := s.do(t, "GET", s.posts()+"?q=gone", nil).want(t, http.StatusOK)
		if fmt.Sprint(list.get(t, "total")) != "0" || len(list.ids(t)) != 0 {
			t.Errorf("a deleted post is listed: %s", list.body)
		}
		kept := s.do(t, "DELETE", s.posts(s.post(t, object{}))+"?alsoDeleteFromPlatform=true", nil).want(t, http.StatusOK)
		if kept.has("platformDelete") || kept.has("platformDeletes") {
			t.Errorf("nothing was published: %s", kept.body)
		}
	})
}

func TestDeletingATeamCancelsWhatItHasScheduled(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		account := s.account(t, crier.ProviderX)
		id, done := s.post(t, object{"text": "x"}), s.post(t, object{"text": "y"})
		rows := s.schedule(t,
			publication{post: id, account: account, status: crier.Scheduled, at: time.Now().Add(time.Hour)},
			publication{post: done, account: account, status: crier.Published, at: time.Now()})
		s.do(t, "DELETE", path("/v1/teams/%s", s.team), nil).want(t, http.StatusOK)
		s.do(t, "GET", s.posts(id), nil).wantError(t, http.StatusNotFound, "NotFound")
		s.do(t, "POST", s.posts(), object{}).wantError(t, http.StatusNotFound, "NotFound")
		if n := s.number(t, `SELECT count(*) FROM scheduled_posts WHERE id = $1 AND status = 'canceled'`, rows[0]); n != 1 {
			t.Error("what was scheduled is not cancelled")
		}
		if n := s.number(t, `SELECT count(*) FROM scheduled_posts WHERE id = $1 AND status = 'published'`, rows[1]); n != 1 {
			t.Error("what was published has changed")
		}
	})
}
