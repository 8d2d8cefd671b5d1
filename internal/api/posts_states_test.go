package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// keyOf creates an API key with a role and returns its secret.
func (s postServer) keyOf(tb testing.TB, role string, permissions ...string) string {
	tb.Helper()
	body := object{"name": role, "role": role}
	if len(permissions) > 0 {
		body["permissions"] = permissions
	}
	return s.Do(tb, "POST", path("/v1/organizations/%s/api-keys", s.Organization), body).Want(tb,
		http.StatusCreated).Text(tb, "secret")
}

func TestPostStatusTransitions(t *testing.T) {
	t.Parallel()
	allowed := map[string][]string{
		"idea": {"draft", "proposed_render", "archived"}, "proposed_render": {"draft", "rejected"},
		"draft": {"approved", "rejected", "idea", "archived"}, "rejected": {"draft", "archived"},
		"approved": {"draft", "archived"}, "archived": {"draft"},
	}
	eachPostServer(t, func(t *testing.T, s postServer) {
		for from, targets := range allowed {
			for to := range allowed {
				id := s.NewPostID(t, object{})
				s.Exec(t, `UPDATE posts SET status = $2 WHERE id = $1`, id, from)
				got := s.Do(t, "POST", s.PostsPath(id, "status"), object{"status": to})
				if strings.Contains(" "+strings.Join(targets, " ")+" ", " "+to+" ") {
					if got.Want(t, http.StatusOK); got.Text(t, "status") != to {
						t.Errorf("%s → %s answers %s", from, to, got.Body)
					}
					continue
				}
				got.WantError(t, http.StatusConflict, "Conflict")
				if message := got.Text(t, "message"); !strings.Contains(message, from) ||
					!strings.Contains(message, to) {
					t.Errorf("%s → %s: %q does not name both", from, to, message)
				}
			}
		}
		id := s.NewPostID(t, object{})
		s.Do(t, "POST", s.PostsPath(id, "status"), object{"status": "deleted"}).WantIssues(t, "status")
		s.Do(t, "POST", s.PostsPath(id, "status"), object{"status": "done"}).WantIssues(t, "status")
		s.Do(t, "POST", s.PostsPath(id, "status"), object{}).WantIssues(t, "status")
	})
}

func TestEditRevokesApproval(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		editor, account := s.keyOf(t, "editor"), s.InsertAccount(t, crier.ProviderX)
		approve := object{"status": "approved"}
		free := s.NewPostID(t, object{"text": "no approval needed"})
		s.As(t, editor, "POST", s.PostsPath(free, "status"), approve).Want(t, http.StatusOK)

		s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"requireApproval": true}).Want(t, http.StatusOK)
		id := s.NewPostID(t, object{"text": "needs approval"})
		s.As(t, editor, "POST", s.PostsPath(id, "status"), approve).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "POST", s.PostsPath(id, "status"), approve).Want(t, http.StatusOK)
		scheduled := s.InsertPublications(t, servertest.PublicationRow{Post: id, Account: account,
			Status: crier.Scheduled,
			At:     time.Now().Add(time.Hour)})
		titled := s.As(t, editor, "PATCH", s.PostsPath(id), object{"title": "a title is no content"}).Want(t,
			http.StatusOK)
		if titled.Text(t, "status") != "approved" || titled.Text(t, "deliveryState") != "scheduled" {
			t.Errorf("after a new title: %s", titled.Body)
		}
		for _, edit := range []object{{"text": "edited"},
			{"postPublishActions": object{"firstComment": object{"text": "slipped in"}}}} {
			s.Exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, id)
			edited := s.As(t, editor, "PATCH", s.PostsPath(id), edit).Want(t, http.StatusOK)
			if edited.Text(t, "status") != "draft" || edited.Text(t, "deliveryState") != "unscheduled" ||
				edited.Text(t, "saveDestination") != "drafts" {
				t.Errorf("after %v: %s", edit, edited.Body)
			}
		}
		if n := s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND status = 'canceled'
			AND wake_at IS NULL AND epoch > 0`, scheduled[0]); n != 1 {
			t.Error("what was pending is not cancelled")
		}
	})
}

func TestPermissionsOfPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		viewer, writer := s.keyOf(t, "viewer"), s.keyOf(t, "editor", "read", "write_posts")
		id, tag := s.NewPostID(t, object{"text": "x"}), s.NewTag(t, "t")
		tags := path("/v1/teams/%s/tags", s.Team)
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{"POST", s.PostsPath(), object{}}, {"PATCH", s.PostsPath(id), object{}}, {"DELETE", s.PostsPath(id), nil},
			{"POST", s.PostsPath(id, "move-to-draft"), nil},
			{"POST", s.PostsPath(id, "status"), object{"status": "idea"}},
			{"PUT", s.PostsPath(id, "tags"), object{"tagIds": []any{}}},
			{"POST", tags, object{"name": "n"}}, {"PATCH", tags + "/" + tag, object{}},
			{"DELETE", tags + "/" + tag, nil},
		} {
			s.As(t, viewer, call.method, call.path, call.body).WantError(t, http.StatusForbidden, "Forbidden")
		}
		for _, address := range []string{s.PostsPath(), s.PostsPath(id), s.PostsPath("facets", "enrichment"), tags} {
			s.As(t, viewer, "GET", address, nil).Want(t, http.StatusOK)
		}
		s.As(t, writer, "PATCH", s.PostsPath(id), object{"text": "y"}).Want(t, http.StatusOK)
		s.As(t, writer, "DELETE", s.PostsPath(id), nil).WantError(t, http.StatusForbidden, "Forbidden")
	})
}

func TestDeliveryStateSumsUpTheNewestPublicationOfEachAccount(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		a, b, c := s.InsertAccount(t, crier.ProviderX), s.InsertAccount(t, crier.ProviderThreads),
			s.InsertAccount(t, crier.ProviderLinkedIn)
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
			{[]row{{a, crier.Publishing}, {b, crier.Unknown}, {c, crier.Scheduled}}, "publishing", "queue",
				[]any{string(a), string(b), string(c)}},
			{[]row{{a, crier.Processing}, {b, crier.Failed}}, "publishing", "queue", []any{string(a)}},
			{[]row{{a, crier.Unknown}, {b, crier.Scheduled}}, "unknown", "queue", []any{string(a), string(b)}},
			{[]row{{a, crier.Scheduled}, {b, crier.Published}}, "scheduled", "queue", []any{string(a), string(b)}},
			{[]row{{a, crier.Published}, {b, crier.Published}, {c, crier.Canceled}}, "published", "queue",
				[]any{string(a), string(b)}},
			{[]row{{a, crier.Published}, {b, crier.Failed}}, "partially_published", "queue", []any{string(a)}},
			{[]row{{a, crier.Published}, {b, crier.Missed}}, "partially_published", "queue", []any{string(a)}},
			{[]row{{a, crier.Failed}, {b, crier.Missed}}, "missed", "drafts", []any{}},
			{[]row{{a, crier.Failed}, {b, crier.Failed}}, "failed", "drafts", []any{}},
			{[]row{{a, crier.Failed}, {a, crier.Published}}, "published", "queue", []any{string(a)}},
			{[]row{{a, crier.Published}, {a, crier.Failed}}, "failed", "queue", []any{string(a)}},
			{[]row{{a, crier.Published}, {a, crier.Canceled}}, "published", "queue", []any{string(a)}},
		} {
			id := s.NewPostID(t, object{"text": "x"})
			var list []servertest.PublicationRow
			for i, r := range test.rows {
				list = append(list, servertest.PublicationRow{Post: id, Account: r.account, Status: r.status,
					At: time.Now().Add(time.Duration(i) * time.Hour)})
			}
			ids := s.InsertPublications(t, list...)
			got := s.Do(t, "GET", s.PostsPath(id)+"?include=scheduledPosts", nil).Want(t, http.StatusOK)
			name := fmt.Sprint(test.rows)
			if got.Text(t, "deliveryState") != test.state || got.Text(t, "saveDestination") != test.place {
				t.Errorf("%s: deliveryState %s, saveDestination %s", name, got.Text(t, "deliveryState"),
					got.Text(t, "saveDestination"))
			}
			if want := map[string]string{"queue": "Saved to Queue",
				"drafts": "Saved to Drafts"}[test.place]; got.Text(t, "saveMessage") != want {
				t.Errorf("%s: saveMessage %q", name, got.Text(t, "saveMessage"))
			}
			if !reflect.DeepEqual(got.Get(t, "scheduledDestinationAccountIds"), test.destinations) {
				t.Errorf("%s: scheduledDestinationAccountIds %v", name, got.Get(t, "scheduledDestinationAccountIds"))
			}
			if len(ids) == 0 {
				continue
			}
			if latest := ids[len(ids)-1]; got.Text(t, "latestScheduledPost", "id") != latest ||
				got.Text(t, "scheduledPosts", 0, "id") != latest {
				t.Errorf("%s: the newest is not %s: %s", name, latest, got.Body)
			}
			if got.Has("scheduledPosts", len(ids)) || !got.Has("scheduledPosts", len(ids)-1) {
				t.Errorf("%s: %d were scheduled: %s", name, len(ids), got.Body)
			}
		}
	})
}

func TestContentIsLockedWhilePublishing(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		account, tag := s.InsertAccount(t, crier.ProviderX), s.NewTag(t, "t")
		for _, status := range []crier.ScheduledPostStatus{crier.Publishing, crier.Processing, crier.Unknown} {
			id := s.NewPostID(t, object{"text": "old"})
			s.Exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, id)
			row := s.InsertPublications(t, servertest.PublicationRow{Post: id, Account: account, Status: status,
				At: time.Now()})[0]
			for _, edit := range []object{{"text": "new"}, {"postInput": atomicPost("new")}, {"postType": "carousel"},
				{"postPublishActions": object{}}} {
				s.PatchPost(t, id, edit).WantError(t, http.StatusConflict, "Conflict")
			}
			s.PatchPost(t, id, object{"title": "new", "text": "old"}).Want(t, http.StatusOK)
			s.Do(t, "PUT", s.PostsPath(id, "tags"), object{"tagIds": []any{tag}}).Want(t, http.StatusOK)
			if status != crier.Unknown {
				s.Do(t, "POST", s.PostsPath(id, "move-to-draft"), nil).WantError(t, http.StatusConflict, "Conflict")
				s.Do(t, "POST", s.PostsPath(id, "status"), object{"status": "draft"}).WantError(t, http.StatusConflict,
					"Conflict")
				s.Do(t, "DELETE", s.PostsPath(id), nil).WantError(t, http.StatusConflict, "Conflict")
			}
			s.SetStatus(t, row, crier.Published)
			s.PatchPost(t, id, object{"text": "the next version"}).Want(t, http.StatusOK)
			s.Do(t, "DELETE", s.PostsPath(id), nil).Want(t, http.StatusOK)
		}
	})
}

func TestMoveToDraftCancelsScheduledPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		a, b := s.InsertAccount(t, crier.ProviderX), s.InsertAccount(t, crier.ProviderThreads)
		id := s.CreatePost(t, object{"text": "x"})
		draft := s.Do(t, "POST", s.PostsPath(id.Text(t, "id"), "move-to-draft"), nil).Want(t, http.StatusOK)
		if !reflect.DeepEqual(draft.JSON, id.JSON) {
			t.Errorf("a draft has changed: %s", draft.Body)
		}
		post := id.Text(t, "id")
		s.Exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, post)
		rows := s.InsertPublications(t,
			servertest.PublicationRow{Post: post, Account: a, Status: crier.Scheduled, At: time.Now().Add(time.Hour)},
			servertest.PublicationRow{Post: post, Account: b, Status: crier.Published, At: time.Now()})
		moved := s.Do(t, "POST", s.PostsPath(post, "move-to-draft"), nil).Want(t, http.StatusOK)
		if moved.Text(t, "status") != "draft" || moved.Text(t, "deliveryState") != "published" {
			t.Errorf("after moving: %s", moved.Body)
		}
		if n := s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND status = 'canceled'`,
			rows[0]); n != 1 {
			t.Error("what was scheduled is not cancelled")
		}
		s.Exec(t, `UPDATE posts SET status = 'approved' WHERE id = $1`, post)
		s.Do(t, "POST", s.PostsPath(post, "move-to-draft"), nil).WantError(t, http.StatusConflict, "Conflict")
		for _, status := range []string{"idea", "proposed_render", "rejected", "archived"} {
			other := s.NewPostID(t, object{})
			s.Exec(t, `UPDATE posts SET status = $2 WHERE id = $1`, other, status)
			if got := s.Do(t, "POST", s.PostsPath(other, "move-to-draft"), nil).Want(t, http.StatusOK).Text(t,
				"status"); got != "draft" {
				t.Errorf("from %s: %s", status, got)
			}
		}
	})
}

func TestDeletingAPostCancelsItsScheduledPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		a, b := s.InsertAccount(t, crier.ProviderX), s.InsertAccount(t, crier.ProviderThreads)
		id := s.NewPostID(t, object{"text": "soon gone"})
		rows := s.InsertPublications(t,
			servertest.PublicationRow{Post: id, Account: a, Status: crier.Scheduled, At: time.Now().Add(time.Hour)},
			servertest.PublicationRow{Post: id, Account: b, Network: crier.ProviderThreads, Status: crier.Published,
				At: time.Now()})
		s.Exec(t, `UPDATE publications SET platform_post_id = 'p1' WHERE id = $1`, rows[1])
		got := s.Do(t, "DELETE", s.PostsPath(id)+"?alsoDeleteFromPlatform=yes", nil).Want(t, http.StatusOK)
		if string(got.Body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.Body)
		}
		if n := s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND status = 'canceled'`,
			rows[0]); n != 1 {
			t.Error("what was scheduled is not cancelled")
		}
		for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"POST", "move-to-draft"}} {
			s.Do(t, call[0], strings.TrimSuffix(s.PostsPath(id, call[1]), "/"), nil).WantError(t, http.StatusNotFound,
				"NotFound")
		}
		list := s.Do(t, "GET", s.PostsPath()+"?q=gone", nil).Want(t, http.StatusOK)
		if fmt.Sprint(list.Get(t, "total")) != "0" || len(list.IDs(t)) != 0 {
			t.Errorf("a deleted post is listed: %s", list.Body)
		}
		kept := s.Do(t, "DELETE", s.PostsPath(s.NewPostID(t, object{}))+"?alsoDeleteFromPlatform=true", nil).Want(t,
			http.StatusOK)
		if kept.Has("platformDelete") || kept.Has("platformDeletes") {
			t.Errorf("nothing was published: %s", kept.Body)
		}
	})
}

func TestDeletingATeamCancelsItsScheduledPosts(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		account := s.InsertAccount(t, crier.ProviderX)
		id, done := s.NewPostID(t, object{"text": "x"}), s.NewPostID(t, object{"text": "y"})
		rows := s.InsertPublications(t,
			servertest.PublicationRow{Post: id, Account: account, Status: crier.Scheduled,
				At: time.Now().Add(time.Hour)},
			servertest.PublicationRow{Post: done, Account: account, Status: crier.Published, At: time.Now()})
		s.Do(t, "DELETE", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusOK)
		s.Do(t, "GET", s.PostsPath(id), nil).WantError(t, http.StatusNotFound, "NotFound")
		s.Do(t, "POST", s.PostsPath(), object{}).WantError(t, http.StatusNotFound, "NotFound")
		if n := s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND status = 'canceled'`,
			rows[0]); n != 1 {
			t.Error("what was scheduled is not cancelled")
		}
		if n := s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND status = 'published'`,
			rows[1]); n != 1 {
			t.Error("what was published has changed")
		}
	})
}
