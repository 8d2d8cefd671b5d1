package tiktok

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier/internal/provider"
)

// creatorPath returns what an account may do with its next post. Every direct post has to read it (content sharing
// guidelines).
const creatorPath = "/v2/post/publish/creator_info/query/"

const (
	// noteCreator is the response, noteCreatorAt its time.
	noteCreator   = "creator"
	noteCreatorAt = "creatorAt"
	// creatorLife is how long it is valid.
	creatorLife = time.Hour
)

// knowsCreator reports whether the response is recent.
func (p *Provider) knowsCreator(st provider.State) bool {
	at, err := time.Parse(time.RFC3339, st.Data[noteCreatorAt])
	return err == nil && p.now().Sub(at) < creatorLife
}

// readCreator reads what the account may do, and rejects what it may not.
func (p *Provider) readCreator(ctx context.Context, a provider.Account, plan plan, st *provider.State) error {
	var creator creatorInfo
	if err := p.read(ctx, a, creatorPath, nil, &creator); err != nil {
		return err
	}
	if problem := creator.problem(plan); problem != nil {
		return problem
	}
	encoded, err := json.Marshal(creator)
	if err != nil {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the account's options cannot be encoded", Err: err}
	}
	st.Note(noteCreator, string(encoded))
	st.Note(noteCreatorAt, p.now().UTC().Format(time.RFC3339))
	for _, warning := range creator.warnings(plan) {
		if !slices.Contains(st.Warnings, warning) {
			st.Warnings = append(st.Warnings, warning)
		}
	}
	return nil
}

// problem returns why the account may not post this.
func (c creatorInfo) problem(plan plan) error {
	if !slices.Contains(c.PrivacyLevels, plan.PrivacyLevel) {
		return &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: fmt.Sprintf("the account does not offer the privacy level %s; allowed: %s", plan.PrivacyLevel,
				strings.Join(c.PrivacyLevels, ", ")),
		}
	}
	if longest := time.Duration(c.MaxVideoSeconds) * time.Second; longest > 0 && plan.video.Duration > longest {
		return &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: fmt.Sprintf("the video is too long for the account: %.1f of %.0f s allowed",
				plan.video.Duration.Seconds(), longest.Seconds()),
		}
	}
	return nil
}

// warnings lists the requested features that stay off because the account has disabled them.
func (c creatorInfo) warnings(plan plan) []string {
	var list []string
	for _, s := range []struct {
		off  bool
		name string
	}{
		{plan.AllowComment && c.CommentDisabled, "comments"},
		{plan.AllowDuet && c.DuetDisabled && len(plan.photos) == 0, "duets"},
		{plan.AllowStitch && c.StitchDisabled && len(plan.photos) == 0, "stitches"},
	} {
		if s.off {
			list = append(list, "the account does not allow "+s.name+", so the post does not either")
		}
	}
	return list
}

// notedCreator returns the stored response.
func notedCreator(st provider.State) creatorInfo {
	var creator creatorInfo
	if json.Unmarshal([]byte(st.Data[noteCreator]), &creator) != nil {
		return creatorInfo{} // inbox posts do not need it
	}
	return creator
}
