package store

import (
	"context"
	"fmt"

	"crier"
)

// PublishContext holds what a worker needs besides the publication: account, content and team settings.
type PublishContext struct {
	// Gone is true if the post or its team was deleted.
	Gone bool
	// LateMinutes is how late posts of the team may be published.
	LateMinutes int
	Account     Account
	Content     PostContent
}

// publishContextRow is an input row of publishContexts.
type publishContextRow struct {
	Key     crier.ID `json:"key"`
	Payload crier.ID `json:"payload"`
	Account crier.ID `json:"account"`
}

// publishContexts reads the contexts of publications, by publication id.
func (r reads) publishContexts(ctx context.Context, list []Publication) (map[crier.ID]*PublishContext, error) {
	given := make([]publishContextRow, len(list))
	for i, p := range list {
		given[i] = publishContextRow{Key: p.ID, Payload: p.PayloadID, Account: p.SocialAccountID}
	}
	rows, err := r.q.QueryContext(ctx, `SELECT v.key, t.deleted_at IS NOT NULL OR o.deleted_at IS NOT NULL,
		t.publish_late_minutes, o.post_type, y.post_input, `+accountColumns+`
		FROM `+r.jsonRows(`key uuid, payload uuid, account uuid`)+`
		`+r.driven("payloads", "y", "id", "v.payload")+` `+r.driven("posts", "o", "id", "y.post_id")+`
		`+r.driven("teams", "t", "id", "o.team_id")+` `+r.driven("social_accounts", "a", "id", "v.account"),
		asJSON(&given))
	if err != nil {
		return nil, fmt.Errorf("read what is around publications: %w", err)
	}
	found := map[crier.ID]*PublishContext{}
	_, err = collect(rows, func(row scanner) (*PublishContext, error) {
		id, a, err := scanPublishContext(row)
		found[id] = a
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what is around publications: %w", err)
	}
	return found, nil
}

func scanPublishContext(row scanner) (id crier.ID, a *PublishContext, err error) {
	a = &PublishContext{}
	var input *crier.PostInput
	targets, finish := accountTargets(&a.Account)
	err = row.Scan(append([]any{&id, &a.Gone, &a.LateMinutes, &a.Content.PostType, intoJSON(&input)}, targets...)...)
	if err == nil {
		a.Content.Input = *input
		finish()
	}
	return id, a, err
}
