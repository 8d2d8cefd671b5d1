package client

import (
	"context"
	"net/http"

	"crier"
)

func webhooksPath(organization crier.ID) string { return organizationPath(organization) + "/webhooks" }

func webhookPath(organization, id crier.ID) string {
	return webhooksPath(organization) + "/" + string(id)
}

// ListWebhooks returns a page of an organization's webhooks.
func (c *Client) ListWebhooks(ctx context.Context, organization crier.ID, o ListOptions) (crier.Page[crier.Webhook],
	error) {
	return get[crier.Page[crier.Webhook]](ctx, c, webhooksPath(organization), o.query())
}

// CreateWebhook creates a webhook; its secret is in this response only.
func (c *Client) CreateWebhook(ctx context.Context, organization crier.ID,
	in crier.WebhookCreate) (crier.WebhookWithSecret, error) {
	return change[crier.WebhookWithSecret](ctx, c, http.MethodPost, webhooksPath(organization), in)
}

// GetWebhook returns a webhook.
func (c *Client) GetWebhook(ctx context.Context, organization, id crier.ID) (crier.Webhook, error) {
	return get[crier.Webhook](ctx, c, webhookPath(organization, id), nil)
}

// UpdateWebhook changes a webhook.
func (c *Client) UpdateWebhook(ctx context.Context, organization, id crier.ID, in crier.WebhookUpdate) (crier.Webhook,
	error) {
	return change[crier.Webhook](ctx, c, http.MethodPatch, webhookPath(organization, id), in)
}

// DeleteWebhook deletes a webhook.
func (c *Client) DeleteWebhook(ctx context.Context, organization, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, webhookPath(organization, id), nil)
}

// RotateWebhook replaces the secret of a webhook.
func (c *Client) RotateWebhook(ctx context.Context, organization, id crier.ID,
	in crier.WebhookRotate) (crier.WebhookWithSecret, error) {
	return change[crier.WebhookWithSecret](ctx, c, http.MethodPost, webhookPath(organization, id)+"/rotate", in)
}

// TestWebhook sends a test event to a webhook.
func (c *Client) TestWebhook(ctx context.Context, organization, id crier.ID) (crier.WebhookTested, error) {
	return change[crier.WebhookTested](ctx, c, http.MethodPost, webhookPath(organization, id)+"/test", nil)
}

// ReplayWebhook sends the events of a period to a webhook again.
func (c *Client) ReplayWebhook(ctx context.Context, organization, id crier.ID,
	in crier.WebhookReplay) (crier.WebhookReplayed, error) {
	return change[crier.WebhookReplayed](ctx, c, http.MethodPost, webhookPath(organization, id)+"/replay", in)
}

// DeliveryOptions select a page of deliveries.
type DeliveryOptions struct {
	ListOptions
	EventID crier.ID
	Status  crier.WebhookDeliveryStatus
}

// ListDeliveries returns a page of a webhook's deliveries.
func (c *Client) ListDeliveries(ctx context.Context, organization, id crier.ID,
	o DeliveryOptions) (crier.Page[crier.WebhookDelivery], error) {
	q := o.query()
	set(q, "eventId", string(o.EventID))
	set(q, "status", string(o.Status))
	return get[crier.Page[crier.WebhookDelivery]](ctx, c, webhookPath(organization, id)+"/deliveries", q)
}

// Redeliver sends an event to a webhook again.
func (c *Client) Redeliver(ctx context.Context, organization, id, delivery crier.ID) (crier.WebhookDelivery, error) {
	return change[crier.WebhookDelivery](ctx, c, http.MethodPost,
		webhookPath(organization, id)+"/deliveries/"+string(delivery)+"/redeliver", nil)
}
