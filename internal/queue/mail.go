package queue

import (
	"context"

	"github.com/riverqueue/river"

	"crier/internal/service"
)

type mailInvitationWorker struct {
	river.WorkerDefaults[service.MailInvitationJob]
	invitations *service.Invitations
}

// Work sends an invitation. A mail server that does not take it is asked again later, until the invitation has ended.
func (w *mailInvitationWorker) Work(ctx context.Context, job *river.Job[service.MailInvitationJob]) error {
	return w.invitations.Mail(ctx, job.Args.InvitationID)
}
