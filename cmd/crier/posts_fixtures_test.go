package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// postServer is a server with helpers for the team's content.
type postServer struct{ *server }

func startPostServer(tb testing.TB, db database, options ...option) postServer {
	tb.Helper()
	return postServer{startServer(tb, db, append([]option{withRole("api")}, options...)...)}
}

// posts is the address of the team's posts, or of something below it.
func (s postServer) posts(rest ...string) string {
	address := path("/v1/teams/%s/posts", s.team)
	for _, part := range rest {
		address += "/" + part
	}
	return address
}

// create makes a post and returns its answer.
func (s postServer) create(tb testing.TB, body object) response {
	tb.Helper()
	return s.do(tb, "POST", s.posts(), body).want(tb, http.StatusCreated)
}

// post makes a post and returns its id.
func (s postServer) post(tb testing.TB, body object) string {
	tb.Helper()
	return s.create(tb, body).text(tb, "id")
}

// patch changes a post.
func (s postServer) patch(tb testing.TB, id string, body object) response {
	tb.Helper()
	return s.do(tb, "PATCH", s.posts(id), body)
}

// tag makes a tag and returns its id.
func (s postServer) tag(tb testing.TB, name string) string {
	tb.Helper()
	return s.do(tb, "POST", path("/v1/teams/%s/tags", s.team), object{"name": name}).want(tb, http.StatusCreated).text(tb, "id")
}

// withTx changes the store behind the server's back.
func (s postServer) withTx(tb testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	tb.Helper()
	ctx := context.Background()
	if err := s.node.store.WithTx(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		tb.Fatal(err)
	}
}

// asset puts a file into a team's library, as far as posts look at it.
func (s postServer) asset(tb testing.TB, team crier.ID, mimeType string, tags ...string) string {
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
	s.withTx(tb, func(ctx context.Context, tx *store.Tx) error { return tx.InsertAsset(ctx, a) })
	return string(a.ID)
}

// image and video are assets of the first team.
func (s postServer) image(tb testing.TB, tags ...string) string {
	tb.Helper()
	return s.asset(tb, s.team, "image/jpeg", tags...)
}

func (s postServer) video(tb testing.TB, tags ...string) string {
	tb.Helper()
	return s.asset(tb, s.team, "video/mp4", tags...)
}

// account connects an account of a network to the team.
func (s postServer) account(tb testing.TB, network crier.Provider) crier.ID {
	tb.Helper()
	a := store.Account{}
	now := crier.TimeOf(time.Now())
	a.ID, a.TeamID, a.Provider, a.Status, a.DisplayName = crier.NewID(), s.team, network, crier.AccountConnected, "An account"
	a.ProviderAccountID, a.Scopes, a.ProviderSettings = string(a.ID), []string{}, json.RawMessage(`{}`)
	a.ConnectedAt, a.CreatedAt, a.UpdatedAt = now, now, now
	s.withTx(tb, func(ctx context.Context, tx *store.Tx) error { return tx.InsertAccount(ctx, a) })
	return a.ID
}

// publication is a scheduled post to put into the store.
type publication struct {
	post    string
	account crier.ID
	network crier.Provider
	status  crier.ScheduledPostStatus
	at      time.Time
	zone    string
	actions crier.PlannedActions
}

// schedule puts scheduled posts into the store in whatever state, and returns their ids.
func (s postServer) schedule(tb testing.TB, list ...publication) []string {
	tb.Helper()
	var ids []string
	s.withTx(tb, func(ctx context.Context, tx *store.Tx) error {
		ids = nil
		for i, p := range list {
			id := crier.NewID()
			ids = append(ids, string(id))
			head, err := tx.PostForUpdate(ctx, s.team, crier.ID(p.post))
			if err != nil {
				return err
			}
			made := crier.TimeOf(time.Now().Add(time.Duration(i) * time.Millisecond))
			row := store.Publication{
				Ref: store.Ref{ID: id}, Kind: store.PostPublication, TeamID: s.team, OrganizationID: s.organization, PostID: head.ID,
				SocialAccountID: p.account, Provider: p.network, Status: p.status, ScheduledAt: crier.TimeOf(p.at), Timezone: p.zone,
				PayloadID: head.ContentPayloadID, Settings: map[string]json.RawMessage{}, Actions: p.actions, State: json.RawMessage(`{}`),
				CreatedAt: made, UpdatedAt: made,
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
			if err := tx.RefreshPosts(ctx, head.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

// setStatus changes the state of a scheduled post as the engine would.
func (s postServer) setStatus(tb testing.TB, id string, status crier.ScheduledPostStatus) {
	tb.Helper()
	s.exec(tb, `UPDATE scheduled_posts SET status = $2 WHERE id = $1`, id, string(status))
	s.withTx(tb, func(ctx context.Context, tx *store.Tx) error {
		p, err := tx.Publication(ctx, store.Ref{ID: crier.ID(id)})
		if err != nil {
			return err
		}
		return tx.RefreshPosts(ctx, p.PostID)
	})
}

// ids are the ids of a list's entries, in order.
func (r response) ids(tb testing.TB) []string {
	tb.Helper()
	var page struct{ Data []struct{ ID string } }
	r.into(tb, &page)
	list := []string{}
	for _, entry := range page.Data {
		list = append(list, entry.ID)
	}
	return list
}
