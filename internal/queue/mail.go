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

// Work sends an invitation. A mail server that does not take it is asked again later, until the invitation has ended.
func (w *mailInvitationWorker) Work(ctx context.Context, job *river.Job[job.MailInvitation]) error {
	return w.shares.mail(job.Args.OrganizationID,
		func() error { return w.invitations.Mail(ctx, job.Args.InvitationID) })
}

type mailResetWorker struct {
	river.WorkerDefaults[job.MailReset]
	invitations *service.Invitations
	shares      *defaultShares
}

// Work sends the link for a lost password. The link is made now, so that one that comes late works as long as any.
func (w *mailResetWorker) Work(ctx context.Context, job *river.Job[job.MailReset]) error {
	return w.shares.mail(job.Args.UserID, func() error { return w.invitations.MailReset(ctx, job.Args.UserID) })
}
