package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listAccountChoicesInput struct {
	accountPath
	Setting string `query:"setting" required:"true" maxLength:"100" doc:"The key of a publish setting that has choices: true in the list of providers."`
	Query   string `query:"q" maxLength:"200" doc:"Search text, if the network has too many values to list."`
}

var listAccountChoicesDoc = doc{
	ID: "listAccountChoices", Tag: "Social accounts", Summary: "List the choices of a publish setting",
	Conflicts: true,
	Description: "Asks the network which values a publish setting can have on this account: playlists and " +
		"categories on YouTube, privacy levels on TikTok, places on Threads.",
}

func (s *Server) listAccountChoices(ctx context.Context, scope access.TeamScope,
	in *listAccountChoicesInput) (crier.AccountChoices, error) {
	return s.services.Accounts.Choices(ctx, scope, in.ID, in.Setting, in.Query)
}
