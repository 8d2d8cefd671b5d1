package service

import (
	"context"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
	"crier/internal/webhook"
)

// Webhooks implements the management of webhooks.
type Webhooks struct {
	store      *store.Store
	writes     *access.Idempotency
	clock      crier.Clock
	pages      *pagination.Cursors
	dispatcher *webhook.Dispatcher
}

// WebhookSorts are the sorts of lists of webhooks and deliveries.
var WebhookSorts = []string{"createdAt"}

// CheckURL returns the issues of a webhook's URL that can be found without resolving it.
func (s *Webhooks) CheckURL(address string) []crier.Issue { return s.dispatcher.CheckURL(address) }

// List returns one page of an organization's webhooks.
func (s *Webhooks) List(ctx context.Context, scope access.OrgScope, q pagination.Query) (crier.Page[crier.Webhook],
	error) {
	var none crier.Page[crier.Webhook]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Webhooks(ctx, scope.Organization().ID, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.WebhookCount(ctx, scope.Organization().ID)
	if err != nil {
		return none, err
	}
	return pagination.PageOf(s.pages, q, rows, total, func(w store.Webhook) crier.Webhook { return w.Webhook }), nil
}

// Get returns one webhook.
func (s *Webhooks) Get(ctx context.Context, scope access.OrgScope, id crier.ID) (crier.Webhook, error) {
	if err := scope.Check(); err != nil {
		return crier.Webhook{}, err
	}
	w, err := s.store.Webhook(ctx, scope.Organization().ID, id)
	return w.Webhook, err
}

// Create creates a webhook. Only this response has the secret.
func (s *Webhooks) Create(ctx context.Context, scope access.OrgScope, in crier.WebhookCreate) (crier.WebhookWithSecret,
	error) {
	var none crier.WebhookWithSecret
	if err := scope.Check(); err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.WebhookWithSecret, error) {
		if _, err := tx.LockOrganization(ctx, scope.Organization().ID); err != nil {
			return none, err
		}
		count, err := tx.WebhookCount(ctx, scope.Organization().ID)
		if err != nil {
			return none, err
		}
		if count >= crier.MaxWebhooks {
			return none, crier.Conflict("An organization has at most %d webhooks.", crier.MaxWebhooks)
		}
		if err := teamsExist(ctx, tx, scope.Organization().ID, in.TeamIDs); err != nil {
			return none, err
		}
		now := s.clock.Now()
		w := store.Webhook{Webhook: crier.Webhook{
			ID: crier.NewID(), OrganizationID: scope.Organization().ID, URL: in.URL, Types: in.Types,
			TeamIDs:     in.TeamIDs,
			Description: in.Description, Status: crier.WebhookEnabledStatus, CreatedAt: now, UpdatedAt: now,
		}}
		var secret string
		if secret, w.Secret, err = s.dispatcher.NewSecret(w.ID); err != nil {
			return none, err
		}
		return crier.WebhookWithSecret{Webhook: w.Webhook, Secret: secret}, tx.InsertWebhook(ctx, w)
	})
}

// changeWebhook locks a webhook and writes what apply makes of it.
func changeWebhook[T any](ctx context.Context, s *Webhooks, scope access.OrgScope, id crier.ID,
	apply func(tx *store.Tx, w *store.Webhook) (T, error)) (T, error) {
	var none T
	if err := scope.Check(); err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (T, error) {
		w, err := tx.LockWebhook(ctx, scope.Organization().ID, id)
		if err != nil {
			return none, err
		}
		return apply(tx, &w)
	})
}

// Update changes, disables or enables a webhook.
func (s *Webhooks) Update(ctx context.Context, scope access.OrgScope, id crier.ID,
	in crier.WebhookUpdate) (crier.Webhook,
	error) {
	return changeWebhook(ctx, s, scope, id, func(tx *store.Tx, w *store.Webhook) (crier.Webhook, error) {
		before := w.Status
		if err := s.apply(ctx, tx, scope, w, in); err != nil {
			return w.Webhook, err
		}
		w.UpdatedAt = s.clock.Now()
		switchedOn := w.Status == crier.WebhookEnabledStatus && before != w.Status
		switch {
		case switchedOn:
			w.DisabledReason, w.FailingSince, w.Failures = nil, nil, 0
		case w.Status == crier.WebhookDisabledStatus && before != w.Status:
			reason := "A person switched it off."
			w.DisabledReason, w.FailingSince, w.Failures = &reason, nil, 0 // nobody expects it to work
			if err := tx.GiveUpDeliveries(ctx, w.ID, w.UpdatedAt); err != nil {
				return w.Webhook, err
			}
		}
		return w.Webhook, tx.UpdateWebhook(ctx, *w, switchedOn)
	})
}

func (s *Webhooks) apply(ctx context.Context, tx *store.Tx, scope access.OrgScope, w *store.Webhook,
	in crier.WebhookUpdate) error {
	if in.URL.Set {
		w.URL = in.URL.Value
	}
	if in.Types.Set {
		w.Types = in.Types.Value
	}
	if in.Description.Set {
		w.Description = in.Description.Ptr()
	}
	if in.Status.Set {
		w.Status = in.Status.Value
	}
	if !in.TeamIDs.Set {
		return nil
	}
	had := w.TeamIDs
	if w.TeamIDs = in.TeamIDs.Value; in.TeamIDs.Null {
		w.TeamIDs = nil
	}
	return teamsExist(ctx, tx, scope.Organization().ID, w.TeamIDs, had...) // of those that it had, some may be deleted
}

// Delete removes a webhook and its pending deliveries.
func (s *Webhooks) Delete(ctx context.Context, scope access.OrgScope, id crier.ID) (crier.Deleted, error) {
	return changeWebhook(ctx, s, scope, id, func(tx *store.Tx, w *store.Webhook) (crier.Deleted, error) {
		return crier.Deleted{Deleted: true}, tx.DeleteWebhook(ctx, w.ID)
	})
}

// Rotate creates a new secret for a webhook; the old one also signs for the requested grace period.
func (s *Webhooks) Rotate(ctx context.Context, scope access.OrgScope, id crier.ID,
	in crier.WebhookRotate) (crier.WebhookWithSecret, error) {
	return changeWebhook(ctx, s, scope, id, func(tx *store.Tx, w *store.Webhook) (crier.WebhookWithSecret, error) {
		now := s.clock.Now()
		secret, sealed, err := s.dispatcher.NewSecret(w.ID)
		if err != nil {
			return crier.WebhookWithSecret{}, err
		}
		ends := crier.TimeOf(now.Add(time.Duration(in.GraceSeconds) * time.Second))
		w.OldSecret, w.OldSecretEndsAt, w.Secret, w.UpdatedAt = w.Secret, &ends, sealed, now
		if in.GraceSeconds == 0 {
			w.OldSecret, w.OldSecretEndsAt = nil, nil
		}
		return crier.WebhookWithSecret{Webhook: w.Webhook, Secret: secret}, tx.UpdateWebhook(ctx, *w, false)
	})
}

// Test sends a webhook.test event to this webhook only.
func (s *Webhooks) Test(ctx context.Context, scope access.OrgScope, id crier.ID) (crier.WebhookTested, error) {
	return changeWebhook(ctx, s, scope, id, func(tx *store.Tx, w *store.Webhook) (crier.WebhookTested, error) {
		if w.Status != crier.WebhookEnabledStatus {
			return crier.WebhookTested{}, errSwitchedOff()
		}
		event, err := s.dispatcher.SendTest(tx, *w)
		return crier.WebhookTested{EventID: event}, err
	})
}

func errSwitchedOff() error {
	return crier.Conflict("The webhook is disabled. Switch it on first: PATCH it with {\"status\": \"enabled\"}.")
}

// Replay sends the events of a period again, including delivered ones.
func (s *Webhooks) Replay(ctx context.Context, scope access.OrgScope, id crier.ID,
	in crier.WebhookReplay) (crier.WebhookReplayed,
	error) {
	return changeWebhook(ctx, s, scope, id, func(tx *store.Tx, w *store.Webhook) (crier.WebhookReplayed, error) {
		if w.Status != crier.WebhookEnabledStatus {
			return crier.WebhookReplayed{}, errSwitchedOff()
		}
		count, err := s.dispatcher.StartReplay(ctx, tx, *w, in)
		return crier.WebhookReplayed{Events: count}, err
	})
}

// DeliveryQuery selects deliveries; an empty field selects all.
type DeliveryQuery struct {
	EventID crier.ID
	Status  crier.WebhookDeliveryStatus
}

// Deliveries returns one page of a webhook's past and pending deliveries.
func (s *Webhooks) Deliveries(ctx context.Context, scope access.OrgScope, id crier.ID, of DeliveryQuery,
	q pagination.Query) (crier.Page[crier.WebhookDelivery], error) {
	var none crier.Page[crier.WebhookDelivery]
	if err := scope.Check(); err != nil {
		return none, err
	}
	if _, err := s.store.Webhook(ctx, scope.Organization().ID, id); err != nil {
		return none, err
	}
	rows, err := s.store.Deliveries(ctx, id, of.EventID, of.Status, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.DeliveryCount(ctx, id, of.EventID, of.Status)
	if err != nil {
		return none, err
	}
	shown := make(map[crier.ID]crier.WebhookDelivery, len(rows.Rows))
	for _, d := range rows.Rows {
		if shown[d.ID], err = webhook.Shown(d); err != nil {
			return none, err
		}
	}
	return pagination.PageOf(s.pages, q, rows, total,
		func(d store.Delivery) crier.WebhookDelivery { return shown[d.ID] }), nil
}

// Redeliver sends an event again, with the same webhook-id.
func (s *Webhooks) Redeliver(ctx context.Context, scope access.OrgScope, id, delivery crier.ID) (crier.WebhookDelivery,
	error) {
	return changeWebhook(ctx, s, scope, id, func(tx *store.Tx, w *store.Webhook) (crier.WebhookDelivery, error) {
		if w.Status != crier.WebhookEnabledStatus {
			return crier.WebhookDelivery{}, errSwitchedOff()
		}
		d, err := tx.LockDelivery(ctx, w.ID, delivery)
		if err != nil {
			return crier.WebhookDelivery{}, err
		}
		if d.Event == nil {
			return crier.WebhookDelivery{}, crier.Conflict("The event is no longer kept.")
		}
		if d.Claimed {
			return crier.WebhookDelivery{}, crier.Conflict("The event is being sent right now.")
		}
		if err := tx.RestartDelivery(ctx, d.ID, s.clock.Now()); err != nil {
			return crier.WebhookDelivery{}, err
		}
		if err := s.dispatcher.Admit(ctx, tx, *w); err != nil {
			return crier.WebhookDelivery{}, err
		}
		if d, err = tx.LockDelivery(ctx, w.ID, delivery); err != nil {
			return crier.WebhookDelivery{}, err
		}
		return webhook.Shown(d)
	})
}
