package service

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/pagination"
	"crier/internal/store"
)

// Mailer sends mail to people.
type Mailer interface {
	Send(ctx context.Context, to crier.Email, subject, text string) error
}

// InvitationSorts are the orders that invitations can be listed in; the first is the default.
var InvitationSorts = []string{"createdAt"}

// Invitations implements inviting members.
type Invitations struct {
	store     *store.Store
	writes    *access.Idempotency
	keys      *auth.Keyring
	queue     job.Queue
	addresses *media.Addresses
	clock     crier.Clock
	pages     *pagination.Cursors
	people    *People
	// mailer is nil when this installation cannot send mail.
	mailer Mailer
}

// List returns one page of the invitations that can still be accepted, without their links.
func (s *Invitations) List(ctx context.Context, scope access.OrgScope,
	q pagination.Query) (crier.Page[crier.Invitation], error) {
	var none crier.Page[crier.Invitation]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Invitations(ctx, scope.Organization().ID, s.clock.Now(), q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.InvitationCount(ctx, scope.Organization().ID, s.clock.Now())
	if err != nil {
		return none, err
	}
	return pagination.PageOf(s.pages, q, rows, total,
		func(i store.Invitation) crier.Invitation { return i.Invitation }), nil
}

// Create invites a person by a link that works once. Where mail can be sent, the link goes to the person's address and
// nowhere else, so that whoever opens it has proved the address; else it is in this answer and never again. A new
// invitation of an address takes the place of the one before.
func (s *Invitations) Create(ctx context.Context, scope access.OrgScope, in crier.MemberInvite) (crier.Invitation,
	error) {
	var none crier.Invitation
	if err := scope.Check(); err != nil {
		return none, err
	}
	if err := roleWithin(scope, in.Role); err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Invitation, error) {
		if err := teamsExist(ctx, tx, scope.Organization().ID, in.TeamIDs); err != nil {
			return none, err
		}
		now := s.clock.Now()
		i := crier.Invitation{
			ID: crier.NewID(), Email: crier.Email(foldEmail(string(in.Email))), Role: in.Role, TeamIDs: in.TeamIDs,
			ExpiresAt: crier.TimeOf(now.Add(crier.InvitationLife)), CreatedAt: now,
		}
		if err := s.insert(ctx, tx, scope, i); err != nil {
			return none, err
		}
		if err := recordOf(tx, s.clock.Now(), scope.Organization().ID, crier.MemberInvited, i, nil); err != nil {
			return none, err
		}
		if s.mailer != nil {
			return i, s.queue.Enqueue(ctx, tx, job.Job{Args: job.MailInvitation{InvitationID: i.ID,
				OrganizationID: scope.Organization().ID}})
		}
		i.InviteURL = s.link(i)
		return i, nil
	})
}

func (s *Invitations) insert(ctx context.Context, tx *store.Tx, scope access.OrgScope, i crier.Invitation) error {
	member, err := tx.HasMemberWith(ctx, scope.Organization().ID, i.Email)
	if err != nil {
		return err
	}
	if member {
		return crier.Conflict("Somebody with this e-mail address is a member already.")
	}
	if err := tx.ReplaceInvitations(ctx, scope.Organization().ID, i.Email, i.CreatedAt); err != nil {
		return err
	}
	return tx.InsertInvitation(ctx, store.Invitation{
		Invitation: i, TokenHash: auth.Hash(s.token(i)), OrganizationID: scope.Organization().ID,
		InvitedByID: scope.Caller().Person().ID,
	})
}

// token returns the secret of an invitation's link: a signature of what the invitation is, which only this installation
// can make and can make again when it is time to mail it. What is accepted is looked up by its hash.
func (s *Invitations) token(i crier.Invitation) string {
	signature := s.keys.Sign([]byte(string(i.ID)+" "+string(i.Email)), "invitation")
	return string(i.ID) + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (s *Invitations) link(i crier.Invitation) string {
	return s.addresses.BaseURL + "/invitation?token=" + s.token(i)
}

// Withdraw ends an open invitation.
func (s *Invitations) Withdraw(ctx context.Context, scope access.OrgScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		return crier.Deleted{Deleted: true}, tx.WithdrawInvitation(ctx, scope.Organization().ID, id, s.clock.Now())
	})
}

// Mail sends an invitation to the person. One that has been accepted or withdrawn meanwhile is not sent.
func (s *Invitations) Mail(ctx context.Context, id crier.ID) error {
	i, err := s.store.OpenInvitationByID(ctx, id, s.clock.Now())
	if known, ok := errors.AsType[*crier.Error](err); ok && known.Kind == crier.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if s.mailer == nil {
		return errNoMailer
	}
	text := fmt.Sprintf("You are invited to join %s on crier as %s.\n\nOpen this link to join. It is for you alone, "+
		"works once and until %s:\n\n%s\n\n"+
		"If you do not know what this is about, ignore this mail: nothing happens without you.\n",
		i.OrganizationName, i.Role, i.ExpiresAt.Format("2 January 2006"), s.link(i.Invitation))
	if err := s.mailer.Send(ctx, i.Email, "Join "+i.OrganizationName+" on crier", text); err != nil {
		return fmt.Errorf("mail invitation %s: %w", id, err)
	}
	return nil
}

// InvitationView is what an invited person sees. It does not reveal whether the address has an account: without mail
// the link has passed through other hands.
type InvitationView struct {
	Organization string
	Email        crier.Email
	Role         crier.Role
}

// View reads an invitation by the token of its link.
func (s *Invitations) View(ctx context.Context, token string) (InvitationView, error) {
	i, err := s.store.OpenInvitation(ctx, auth.Hash(token), s.clock.Now())
	return InvitationView{Organization: i.OrganizationName, Email: i.Email, Role: i.Role}, err
}

// Accept makes the invited person a member. An existing user gives their password; a new one chooses name and password.
// Both get the same errors.
func (s *Invitations) Accept(ctx context.Context, token string, name crier.Name, password string,
	from Browser) (Session, error) {
	i, err := s.store.OpenInvitation(ctx, auth.Hash(token), s.clock.Now())
	if err != nil {
		return Session{}, err
	}
	if name != "" {
		if err := checkOwner(name, i.Email, password); err != nil {
			return Session{}, err
		}
	}
	person, err := s.store.UserByEmail(ctx, string(i.Email))
	if err != nil {
		return Session{}, err
	}
	if person != nil || name == "" {
		session, err := s.people.SignIn(ctx, string(i.Email), password, from)
		if err != nil {
			return Session{}, err
		}
		return session, s.join(ctx, i, session.User, "")
	}
	user := crier.User{ID: crier.NewID(), Name: name.Trimmed(), Email: &i.Email}
	hash, err := s.people.passwords.Hash(ctx, password)
	if err != nil {
		return Session{}, err
	}
	if err := s.join(ctx, i, user, hash); err != nil {
		return Session{}, err
	}
	return s.people.begin(ctx, user, string(i.Email), from)
}

func insertPerson(ctx context.Context, tx *store.Tx, user crier.User, hash string, now crier.Time) error {
	if err := tx.InsertUser(ctx, crier.User{ID: user.ID, Name: user.Name}, now); err != nil {
		return err
	}
	return tx.SetPassword(ctx, user.ID, *user.Email, user.Name, hash, now)
}

// join writes the membership; hash is set for somebody new.
func (s *Invitations) join(ctx context.Context, i store.Invitation, user crier.User, hash string) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		now := s.clock.Now()
		if hash != "" {
			if err := insertPerson(ctx, tx, user, hash, now); err != nil {
				return err
			}
		}
		o, err := tx.LockOrganization(ctx, i.OrganizationID)
		if err != nil {
			return err
		}
		// whoever invited may have been removed meanwhile
		if _, err := tx.OpenInvitationByID(ctx, i.ID, now); err != nil {
			return err
		}
		if err := tx.AcceptInvitation(ctx, i.ID, now); err != nil {
			return err
		}
		member, err := tx.IsMember(ctx, i.OrganizationID, user.ID)
		if err != nil || member {
			return err
		}
		membership := store.Membership{
			ID: crier.NewID(), OrganizationID: i.OrganizationID, Kind: store.UserPrincipal, PrincipalID: user.ID,
			Role:     i.Role,
			AllTeams: i.TeamIDs == nil, TeamIDs: i.TeamIDs, CreatedAt: now,
		}
		if err := tx.InsertMembership(ctx, membership, o.Organization); err != nil {
			return err
		}
		if err := recordOf(tx, s.clock.Now(), i.OrganizationID, crier.MemberJoined, crier.Member{
			ID: membership.ID, UserID: user.ID, Email: &i.Email, Name: user.Name, Role: i.Role, TeamIDs: i.TeamIDs,
			CreatedAt: now, UpdatedAt: now,
		}, nil); err != nil {
			return err
		}
		access.AuditPerson(ctx, user)
		access.AuditIn(ctx, i.OrganizationID, nil)
		return s.writes.Audit(ctx, tx, nil)
	})
}
