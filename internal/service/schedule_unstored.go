package service

import (
	"context"
	"unicode/utf8"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// ValidateContent is a dry run for content that was never stored: the rules of Schedule, and nothing written. A missing
// approval is told and no conflict: whoever still writes asks for everything else.
func (s *Schedules) ValidateContent(ctx context.Context, scope access.TeamScope, in crier.ContentValidation) (
	crier.ValidationResult, error) {
	w := dryRunTime(in.ScheduledAt, in.UseNextSlot)
	out, err := s.dryRun(ctx, scope, in.SocialAccountIDs, func(tx *store.Tx) (planned, error) {
		return s.planUnstored(ctx, tx, scope, in, w)
	})
	out.ApprovalRequired = scope.Team().RequireApproval
	return out, err
}

// planUnstored is planFanOut for content that was never stored.
func (s *Schedules) planUnstored(ctx context.Context, tx *store.Tx, scope access.TeamScope, in crier.ContentValidation,
	w when) (planned, error) {
	input := createInput(crier.PostCreate{Text: in.Text, PostInput: in.PostInput, AssetIDs: in.AssetIDs})
	post := store.Post{TypeGiven: in.PostType != nil}
	post.TeamID, post.PostInput = scope.Team().ID, &input
	if in.PostType != nil {
		post.PostType = *in.PostType
	}
	_, issues, err := settleContent(ctx, tx, &post, contentRefs(input, in.PostInput == nil), nil)
	if err != nil {
		return planned{}, err
	}
	f := fanOut{providers: s.providers, targets: in.Targets}
	if f.content, err = s.engine.Content.Unstored(ctx, tx, scope.Team().ID, post.PostType, input); err != nil {
		return planned{}, err
	}
	if f.accounts, err = tx.LockAccounts(ctx, scope.Team().ID, in.SocialAccountIDs); err != nil {
		return planned{}, err
	}
	missing, err := missingAssets(ctx, tx, scope.Team().ID, f)
	if err != nil {
		return planned{}, err
	}
	if len(issues) == 0 {
		issues = missing
	}
	if len(issues) == 0 {
		issues = f.incomplete()
	}
	if len(issues) > 0 {
		return planned{}, crier.Invalid(issues...)
	}
	if f.assets, err = s.engine.Content.Media(ctx, tx, scope.Team().ID, f.requestedAssets()); err != nil {
		return planned{}, err
	}
	plan := planned{deliveries: f.plan(), team: scope.Team(), zone: requestedZone(scope.Team(), in.Timezone)}
	return s.foresee(ctx, tx, plan, in.Targets, w)
}

// measure tells how long the parts of a delivery are as its network counts them.
func measure(d delivery) []crier.TextMeasure {
	out := []crier.TextMeasure{}
	if d.provider == nil {
		return out
	}
	format, ok := d.provider.Info().FormatFor(d.content.PostType)
	if !ok {
		return out
	}
	for i, part := range d.content.Parts {
		m := crier.TextMeasure{Part: i, Text: part.Text, Count: format.Text.Length(part.Text), Max: format.Text.Max,
			Unit: string(format.Text.Unit)}
		if at := format.Text.FoldAt; at > 0 && utf8.RuneCountInString(part.Text) > at {
			m.FoldAt = &at
		}
		out = append(out, m)
	}
	return out
}
