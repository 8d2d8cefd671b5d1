package service

import (
	"context"
	"time"

	"crier"
	"crier/internal/store"
)

// teamsKept is how long a deleted team stays in the database, out of reach.
const teamsKept = 30 * 24 * time.Hour

// Teams are the rules of teams.
type Teams struct {
	*core
	pages *Pages
}

// List returns one page of the teams that the caller can access, in one organization or, when organization is empty, in
// all.
func (s *Teams) List(ctx context.Context, scope CallerScope, organization crier.ID, q PageQuery) (crier.Page[crier.Team], error) {
	var none crier.Page[crier.Team]
	if err := scope.check(); err != nil {
		return none, err
	}
	caller := scope.caller
	reaches, total, err := s.reached(ctx, caller, organization)
	if err != nil {
		return none, err
	}
	rows, err := s.store.Teams(ctx, caller.id, caller.person.ID, reaches, q.query)
	if err != nil {
		return none, err
	}
	return pageOf(s.pages, q, rows, total, same), nil
}

// reached is what the caller sees of one organization, or of all, and how many teams that are. Who sees a whole
// organization needs no further look: its counter came with the check of access.
func (s *Teams) reached(ctx context.Context, caller Caller, organization crier.ID) ([]store.Reach, int64, error) {
	if organization == "" {
		if err := (CallerScope{caller}).mayRead(); err != nil {
			return nil, 0, err
		}
		return s.reachedByMemberships(ctx, caller, organization)
	}
	o, access, err := s.store.OrganizationAccess(ctx, organization, caller.id, caller.person.ID)
	if err != nil {
		return nil, 0, err
	}
	if err := caller.may(crier.Read, access, "organization"); err != nil {
		return nil, 0, err
	}
	if access.Own.AllTeams && access.Behind.AllTeams {
		return []store.Reach{{OrganizationID: organization}}, o.TeamCount, nil
	}
	return s.reachedByMemberships(ctx, caller, organization)
}

func (s *Teams) reachedByMemberships(ctx context.Context, caller Caller, organization crier.ID) ([]store.Reach, int64, error) {
	reaches, err := s.store.Reaches(ctx, caller.id, caller.person.ID, organization)
	if err != nil {
		return nil, 0, err
	}
	total, err := s.store.TeamCount(ctx, caller.id, caller.person.ID, organization, reaches)
	return reaches, total, err
}

// Get returns one team.
func (s *Teams) Get(_ context.Context, scope TeamScope) (crier.Team, error) {
	return scope.team, scope.check()
}

// Create makes a further team in an organization.
func (s *Teams) Create(ctx context.Context, scope OrgScope, in crier.TeamCreate) (crier.Team, error) {
	if err := scope.check(); err != nil {
		return crier.Team{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Team, error) {
		t := newTeam(in, s.now())
		return t, tx.InsertTeam(ctx, t)
	})
}

func newTeam(in crier.TeamCreate, now crier.Time) crier.Team {
	return crier.Team{
		ID: crier.NewID(), OrganizationID: in.OrganizationID, Name: in.Name.Trimmed(), Website: in.Website,
		LinkTrackingDefault: in.LinkTrackingDefault, Timezone: (*string)(in.Timezone),
		PublishLateMinutes: crier.DefaultPublishLateMinutes, CreatedAt: now, UpdatedAt: now,
	}
}

// Update changes a team's settings.
func (s *Teams) Update(ctx context.Context, scope TeamScope, in crier.TeamUpdate) (crier.Team, error) {
	if err := scope.check(); err != nil {
		return crier.Team{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Team, error) {
		t, err := tx.LockTeam(ctx, scope.team.ID)
		if err != nil {
			return t, err
		}
		applyTeam(&t, in)
		t.UpdatedAt = s.now()
		return t, tx.UpdateTeam(ctx, t)
	})
}

func applyTeam(t *crier.Team, in crier.TeamUpdate) {
	if in.Name.Set {
		t.Name = in.Name.Value.Trimmed()
	}
	if in.Website.Set {
		t.Website = in.Website.Ptr()
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

// Delete hides a team at once, cancels what it has scheduled, and removes it for good after thirty days.
func (s *Teams) Delete(ctx context.Context, scope TeamScope) (crier.Deleted, error) {
	if err := scope.check(); err != nil {
		return crier.Deleted{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Deleted, error) {
		now := s.now()
		t, err := tx.LockTeam(ctx, scope.team.ID)
		if err != nil {
			return crier.Deleted{}, err
		}
		if err := tx.DeleteTeam(ctx, t, now); err != nil {
			return crier.Deleted{}, err
		}
		canceled, err := tx.CancelTeamScheduled(ctx, t.ID, now)
		if err != nil {
			return crier.Deleted{}, err
		}
		if err := s.releaseCanceled(ctx, tx, canceled); err != nil {
			return crier.Deleted{}, err
		}
		purge := Job{Args: PurgeTeamJob{TeamID: t.ID}, At: now.Add(teamsKept)}
		return crier.Deleted{Deleted: true}, s.queue.Enqueue(ctx, tx, purge)
	})
}
