package service

import (
	"context"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/pagination"
	"crier/internal/publish"
	"crier/internal/store"
)

// teamsKept is how long a deleted team stays in the database, out of reach.
const teamsKept = 30 * 24 * time.Hour

// TeamSorts are the orders that teams can be listed in; the first is the default.
var TeamSorts = []string{"createdAt", "updatedAt", "name"}

// Teams implements teams.
type Teams struct {
	store  *store.Store
	writes *access.Idempotency
	engine *publish.Engine
	queue  job.Queue
	clock  crier.Clock
	pages  *pagination.Cursors
}

// List returns one page of the teams that the caller can access, in one organization or, when organization is empty, in
// all.
func (s *Teams) List(ctx context.Context, scope access.CallerScope, organization crier.ID,
	q pagination.Query) (crier.Page[crier.Team], error) {
	var none crier.Page[crier.Team]
	if err := scope.Check(); err != nil {
		return none, err
	}
	caller := scope.Caller()
	reaches, total, err := s.reached(ctx, scope, organization)
	if err != nil {
		return none, err
	}
	rows, err := s.store.Teams(ctx, caller.ID(), caller.Person().ID, reaches, q.Rows())
	if err != nil {
		return none, err
	}
	return pagination.Page(s.pages, q, rows, total), nil
}

// reached returns what the caller sees of one organization, or of all, and how many teams that are. Who sees a whole
// organization needs no further look: its counter came with the check of access.
func (s *Teams) reached(ctx context.Context, scope access.CallerScope, organization crier.ID) ([]store.Reach, int64,
	error) {
	caller := scope.Caller()
	if organization == "" {
		if err := scope.MayRead(); err != nil {
			return nil, 0, err
		}
		return s.reachedByMemberships(ctx, caller, organization)
	}
	o, granted, err := s.store.OrganizationAccess(ctx, organization, caller.ID(), caller.Person().ID)
	if err != nil {
		return nil, 0, err
	}
	if err := caller.May(crier.Read, granted, "organization"); err != nil {
		return nil, 0, err
	}
	if granted.Own.AllTeams && granted.Behind.AllTeams {
		return []store.Reach{{OrganizationID: organization}}, o.TeamCount, nil
	}
	return s.reachedByMemberships(ctx, caller, organization)
}

func (s *Teams) reachedByMemberships(ctx context.Context, caller access.Caller, organization crier.ID) ([]store.Reach,
	int64,
	error) {
	reaches, err := s.store.Reaches(ctx, caller.ID(), caller.Person().ID, organization)
	if err != nil {
		return nil, 0, err
	}
	total, err := s.store.TeamCount(ctx, caller.ID(), caller.Person().ID, organization, reaches)
	return reaches, total, err
}

// Get returns one team.
func (s *Teams) Get(_ context.Context, scope access.TeamScope) (crier.Team, error) {
	return scope.Team(), scope.Check()
}

// Create creates a team in an organization.
func (s *Teams) Create(ctx context.Context, scope access.OrgScope, in crier.TeamCreate) (crier.Team, error) {
	if err := scope.Check(); err != nil {
		return crier.Team{}, err
	}
	in.OrganizationID = scope.Organization().ID // which the scope is a proof for, whatever was asked for
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Team, error) {
		t := newTeam(in, s.clock.Now())
		return t, tx.InsertTeam(ctx, t)
	})
}

func newTeam(in crier.TeamCreate, now crier.Time) crier.Team {
	return crier.Team{
		ID: crier.NewID(), OrganizationID: in.OrganizationID, Name: in.Name.Trimmed(), Website: (*string)(in.Website),
		LinkTrackingDefault: in.LinkTrackingDefault, Timezone: (*string)(in.Timezone),
		PublishLateMinutes: crier.DefaultPublishLateMinutes, CreatedAt: now, UpdatedAt: now,
	}
}

// Update changes a team's settings.
func (s *Teams) Update(ctx context.Context, scope access.TeamScope, in crier.TeamUpdate) (crier.Team, error) {
	if err := scope.Check(); err != nil {
		return crier.Team{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Team, error) {
		t, err := tx.LockTeam(ctx, scope.Team().ID)
		if err != nil {
			return t, err
		}
		if in.RequireApproval.Set && in.RequireApproval.Value != t.RequireApproval && !scope.Can(crier.ApprovePosts) {
			return t, crier.Forbidden("Changing requireApproval needs the permission %s.", crier.ApprovePosts)
		}
		applyTeam(&t, in)
		t.UpdatedAt = s.clock.Now()
		return t, tx.UpdateTeam(ctx, t)
	})
}

func applyTeam(t *crier.Team, in crier.TeamUpdate) {
	if in.Name.Set {
		t.Name = in.Name.Value.Trimmed()
	}
	if in.Website.Set {
		t.Website = (*string)(in.Website.Ptr())
	}
	if in.LinkTrackingDefault.Set {
		t.LinkTrackingDefault = in.LinkTrackingDefault.Ptr()
	}
	if in.Timezone.Set {
		t.Timezone = (*string)(in.Timezone.Ptr())
	}
	if in.RequireApproval.Set {
		t.RequireApproval = in.RequireApproval.Value
	}
	if in.PublishLateMinutes.Set {
		t.PublishLateMinutes = in.PublishLateMinutes.Value
	}
}

// Delete hides a team at once, cancels its scheduled posts, also those with an unknown outcome, which nobody can
// resolve any more, and schedules its purge after thirty days.
func (s *Teams) Delete(ctx context.Context, scope access.TeamScope) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		now := s.clock.Now()
		t, err := tx.LockTeam(ctx, scope.Team().ID)
		if err != nil {
			return crier.Deleted{}, err
		}
		list, err := tx.LockTeamPending(ctx, t.ID)
		if err != nil {
			return crier.Deleted{}, err
		}
		if err := s.engine.Publisher.Cancel(ctx, tx, list); err != nil {
			return crier.Deleted{}, err
		}
		if err := tx.DeleteTeam(ctx, t, now); err != nil { // which counts on the organization, locked last
			return crier.Deleted{}, err
		}
		purge := job.Job{Args: job.PurgeTeam{TeamID: t.ID}, At: now.Add(teamsKept)}
		return crier.Deleted{Deleted: true}, s.queue.Enqueue(ctx, tx, purge)
	})
}
