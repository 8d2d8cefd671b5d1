package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type findMentionsInput struct {
	accountPath
	Query string `query:"q" required:"true" minLength:"1" maxLength:"100" doc:"A name, or its prefix."`
}

var findMentionsDoc = doc{
	ID: "findMentions", Tag: "Social accounts", Summary: "Search for mentions", Conflicts: true,
	Description: "Asks the network, if it supports lookups (abilities.mentions): LinkedIn finds organizations by " +
		"the name in their address, and people among the followers of an organization.",
}

func (s *Server) findMentions(ctx context.Context, scope access.TeamScope,
	in *findMentionsInput) (crier.MentionList, error) {
	return s.services.Accounts.Mentions(ctx, scope, in.ID, in.Query)
}
