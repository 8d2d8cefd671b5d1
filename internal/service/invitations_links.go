package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

const (
	// linksPause is how long an address waits for another round of its links: anybody can ask for them.
	linksPause = 5 * time.Minute
	// maxMailedInvitations bounds one round.
	maxMailedInvitations = 10
)

var errNoMailer = errors.New("this node cannot send mail: set CRIER_SMTP_URL and CRIER_MAIL_FROM on every node " +
	"that works")

// CanMail reports whether this installation sends mail.
func (s *Invitations) CanMail() bool { return s.mailer != nil }

// MailLinks sends an e-mail address its own links: the invitations that wait for it, and the one for a new password
// where it has an account. Who opens them has proved the address, and takes both over from whoever used it without
// having it. The answer is the same whether there is anything to send or not.
func (s *Invitations) MailLinks(ctx context.Context, email crier.Email) error {
	if s.mailer == nil {
		return crier.Conflict("This installation sends no mail. Ask whoever invited you or runs it for the link.")
	}
	email = crier.Email(foldEmail(string(email)))
	if problem := email.Problem(); problem != "" {
		return crier.Invalid(crier.At(problem, "email"))
	}
	jobs, err := s.linksOf(ctx, email)
	if err != nil {
		return err
	}
	// For an unknown address too, so that the time of the answer does not tell who is known.
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		key := "links " + string(email)
		rounds, until, err := tx.LockSignIns(ctx, key)
		if err != nil || until.After(s.clock()) {
			return err
		}
		if err := tx.NoteSignIn(ctx, key, rounds+1, crier.TimeOf(s.clock().Add(linksPause))); err != nil {
			return err
		}
		return s.queue.Enqueue(ctx, tx, jobs...)
	})
}

func (s *Invitations) linksOf(ctx context.Context, email crier.Email) ([]job.Job, error) {
	var jobs []job.Job
	person, err := s.store.UserByEmail(ctx, string(email))
	if err != nil {
		return nil, err
	}
	if person != nil {
		jobs = append(jobs, job.Job{Args: job.MailReset{UserID: person.User.ID}})
	}
	open, err := s.store.OpenInvitationsOf(ctx, email, s.clock.Now(), maxMailedInvitations)
	for _, i := range open {
		jobs = append(jobs, job.Job{Args: job.MailInvitation{InvitationID: i.ID,
			OrganizationID: i.OrganizationID}})
	}
	return jobs, err
}

// MailReset sends a person the link by which they choose another password.
func (s *Invitations) MailReset(ctx context.Context, user crier.ID) error {
	person, err := s.store.UserByID(ctx, user)
	if err != nil || person == nil || person.User.Email == nil {
		return err
	}
	if s.mailer == nil {
		return errNoMailer
	}
	text := fmt.Sprintf("Somebody asked for a link to choose a new password for %s on crier.\n\nOpen it within a day. "+
		"It works once, and ends everything else that is signed in with this address:\n\n%s\n\n"+
		"If that was not you, ignore this mail: your password stays as it is.\n",
		*person.User.Email, s.people.resetLink(*person))
	if err := s.mailer.Send(ctx, *person.User.Email, "Choose a new password for crier", text); err != nil {
		return fmt.Errorf("mail the link for a new password to user %s: %w", user, err)
	}
	return nil
}
