package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// PostsPath returns the path of the team's posts, or a path below it.
func (s *Server) PostsPath(rest ...string) string {
	return strings.Join(append([]string{Path("/v1/teams/%s/posts", s.Team)}, rest...), "/")
}

// CreatePost creates a post and returns the response.
func (s *Server) CreatePost(tb testing.TB, body Object) Response {
	tb.Helper()
	return s.Do(tb, "POST", s.PostsPath(), body).Want(tb, http.StatusCreated)
}

// NewPostID creates a post and returns its id.
func (s *Server) NewPostID(tb testing.TB, body Object) string {
	tb.Helper()
	return s.CreatePost(tb, body).Text(tb, "id")
}

// PatchPost changes a post.
func (s *Server) PatchPost(tb testing.TB, id string, body Object) Response {
	tb.Helper()
	return s.Do(tb, "PATCH", s.PostsPath(id), body)
}

// NewTag creates a tag and returns its id.
func (s *Server) NewTag(tb testing.TB, name string) string {
	tb.Helper()
	return s.Do(tb, "POST", Path("/v1/teams/%s/tags", s.Team), Object{"name": name}).Want(tb,
		http.StatusCreated).Text(tb, "id")
}

// WithTx changes the store directly.
func (s *Server) WithTx(tb testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	tb.Helper()
	ctx := context.Background()
	if err := s.Node.Store.WithTx(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		tb.Fatal(err)
	}
}

// InsertAsset inserts a file into a team's library, with only the fields that posts read.
func (s *Server) InsertAsset(tb testing.TB, team crier.ID, mimeType string, tags ...string) string {
	tb.Helper()
	a := store.Asset{Facts: json.RawMessage(`{}`)}
	now := crier.TimeOf(time.Now())
	a.ID, a.TeamID, a.FileName, a.MimeType, a.Kind, a.ByteSize = crier.NewID(), team, "file", mimeType, "image", 1000
	if mimeType[:5] == "video" {
		seconds := 12.5
		a.Kind, a.DurationSeconds = "video", &seconds
	}
	width, height, alt := 640, 480, "an owl"
	a.Width, a.Height, a.AltText, a.SHA256 = &width, &height, &alt, "00"
	a.Status, a.AssetTags, a.CreatedAt, a.UpdatedAt = "ready", append([]string{}, tags...), now, now
	s.WithTx(tb, func(ctx context.Context, tx *store.Tx) error { return tx.InsertAsset(ctx, a) })
	return string(a.ID)
}

// InsertImage inserts a picture into the first team's library.
func (s *Server) InsertImage(tb testing.TB, tags ...string) string {
	tb.Helper()
	return s.InsertAsset(tb, s.Team, "image/jpeg", tags...)
}

// InsertVideo inserts a video into the first team's library.
func (s *Server) InsertVideo(tb testing.TB, tags ...string) string {
	tb.Helper()
	return s.InsertAsset(tb, s.Team, "video/mp4", tags...)
}

// InsertAccount connects an account of a network to the team.
func (s *Server) InsertAccount(tb testing.TB, network crier.Provider) crier.ID {
	tb.Helper()
	a := store.Account{}
	now := crier.TimeOf(time.Now())
	a.ID, a.TeamID, a.Provider, a.Status, a.DisplayName = crier.NewID(), s.Team, network, crier.AccountConnected,
		"An account"
	a.ProviderAccountID, a.Scopes, a.ProviderSettings = string(a.ID), []string{}, json.RawMessage(`{}`)
	a.ConnectedAt, a.CreatedAt, a.UpdatedAt = now, now, now
	s.WithTx(tb, func(ctx context.Context, tx *store.Tx) error { return tx.InsertAccount(ctx, a) })
	return a.ID
}

// PublicationRow is a scheduled post to insert into the store.
type PublicationRow struct {
	Post    string
	Account crier.ID
	Network crier.Provider
	Status  crier.ScheduledPostStatus
	At      time.Time
	Zone    string
	Actions crier.PlannedActions
}

// InsertPublications inserts scheduled posts in any state, and returns their ids.
func (s *Server) InsertPublications(tb testing.TB, list ...PublicationRow) []string {
	tb.Helper()
	var ids []string
	s.WithTx(tb, func(ctx context.Context, tx *store.Tx) error {
		ids = nil
		for i, p := range list {
			id := crier.NewID()
			ids = append(ids, string(id))
			head, err := tx.PostForUpdate(ctx, s.Team, crier.ID(p.Post))
			if err != nil {
				return err
			}
			created := crier.TimeOf(time.Now().Add(time.Duration(i) * time.Millisecond))
			row := store.Publication{
				ID: id, Kind: store.PostPublication, TeamID: s.Team, OrganizationID: s.Organization,
				PostID:          head.ID,
				SocialAccountID: p.Account, Provider: p.Network, Status: p.Status, ScheduledAt: crier.TimeOf(p.At),
				Timezone:  p.Zone,
				PayloadID: head.ContentPayloadID, Settings: map[string]json.RawMessage{}, Actions: p.Actions,
				State:     json.RawMessage(`{}`),
				CreatedAt: created, UpdatedAt: created,
			}
			if row.Timezone == "" {
				row.Timezone = "UTC"
			}
			if row.Provider == "" {
				row.Provider = crier.ProviderX
			}
			if err := tx.InsertPublication(ctx, row); err != nil {
				return fmt.Errorf("publication %d: %w", i, err)
			}
			if err := tx.RefreshPosts(ctx, row.UpdatedAt, head.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

// SetStatus changes the state of a scheduled post as the engine would.
func (s *Server) SetStatus(tb testing.TB, id string, status crier.ScheduledPostStatus) {
	tb.Helper()
	s.Exec(tb, `UPDATE publications SET status = $2 WHERE id = $1`, id, string(status))
	s.WithTx(tb, func(ctx context.Context, tx *store.Tx) error {
		p, err := tx.Publication(ctx, crier.ID(id))
		if err != nil {
			return err
		}
		return tx.RefreshPosts(ctx, p.UpdatedAt, p.PostID)
	})
}

// IDs returns the ids of a list's entries, in order.
func (r Response) IDs(tb testing.TB) []string {
	tb.Helper()
	var page struct{ Data []struct{ ID string } }
	r.Into(tb, &page)
	list := []string{}
	for _, entry := range page.Data {
		list = append(list, entry.ID)
	}
	return list
}
