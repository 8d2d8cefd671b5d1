package queue

import (
	"context"

	"github.com/riverqueue/river"

	"crier/internal/job"
	"crier/internal/service"
)

type mailInvitationWorker struct {
	river.WorkerDefaults[job.MailInvitation]
	invitations *service.Invitations
	shares      *defaultShares
}

// Work mails an invitation. It is retried until the invitation has expired.
func (w *mailInvitationWorker) Work(ctx context.Context, job *river.Job[job.MailInvitation]) error {
	return w.shares.mail(job.Args.OrganizationID,
		func() error { return w.invitations.Mail(ctx, job.Args.InvitationID) })
}

type mailResetWorker struct {
	river.WorkerDefaults[job.MailReset]
	invitations *service.Invitations
	shares      *defaultShares
}

// Work mails a password reset link. The link is created now, so that a late one is valid for the full time.
func (w *mailResetWorker) Work(ctx context.Context, job *river.Job[job.MailReset]) error {
	return w.shares.mail(job.Args.UserID, func() error { return w.invitations.MailReset(ctx, job.Args.UserID) })
}
